//! What follows when edges come and go, where there are cycles.

use super::steps::{Step, passed};
use super::{Closure, EdgeState, Entry};

impl Closure {
    /// Empties all entries that may owe a step to one of the edges, and returns them.
    pub(super) fn forget(&mut self, lowered: &[usize]) -> Vec<Entry> {
        let mut forgotten = Vec::new();
        for &id in lowered {
            let EdgeState {
                from, to, birth, ..
            } = self.edges[id];
            if let Some((column, place)) = self.edges[id].place() {
                self.forget_if_owed((to, column), &[place], &mut forgotten);
            }
            for place in 0..self.nodes[from.0 as usize].clock.len() {
                let (column, state) = &self.nodes[from.0 as usize].clock[place];
                let (column, steps) = (*column, passed(&state.steps, birth));
                self.forget_if_owed((to, column), &steps, &mut forgotten);
            }
        }
        let mut next = 0;
        while let Some(&(node, column)) = forgotten.get(next) {
            next += 1;
            let steps = self.entry(node, column).map(|state| state.steps.clone());
            let steps = steps.unwrap_or_default();
            for place in 0..self.nodes[node.0 as usize].outgoing.len() {
                let id = self.nodes[node.0 as usize].outgoing[place];
                let (to, birth) = (self.edges[id].to, self.edges[id].birth);
                let steps = passed(&steps, birth);
                self.forget_if_owed((to, column), &steps, &mut forgotten);
            }
        }
        for &(node, column) in &forgotten {
            if let Some(state) = self.entry(node, column) {
                state.steps.clear();
            }
        }
        forgotten
    }

    /// Marks the entry if it has one of the steps.
    fn forget_if_owed(&mut self, entry: Entry, steps: &[Step], forgotten: &mut Vec<Entry>) {
        let Some(state) = self.entry(entry.0, entry.1) else {
            return;
        };
        if !state.forgotten && state.steps.iter().any(|step| steps.contains(step)) {
            state.forgotten = true;
            let touched = std::mem::replace(&mut state.touched, true);
            forgotten.push(entry);
            if !touched {
                self.touched.push(entry);
            }
        }
    }

    /// Computes the entries afresh and queues them. What they owe to each other they get when
    /// they are passed on.
    pub(super) fn recall(&mut self, mut forgotten: Vec<Entry>) {
        forgotten.sort_by_key(|(node, _)| self.nodes[node.0 as usize].rank);
        for (node, column) in forgotten {
            let steps = self.gathered(node, column);
            if let Some(state) = self.entry(node, column) {
                state.forgotten = false;
                state.steps = steps;
                state.queued = true;
                self.enqueue(node);
            }
        }
    }

    /// Passes everything on along one edge.
    pub(super) fn pass_on_all(&mut self, id: usize) {
        let EdgeState {
            from, to, birth, ..
        } = self.edges[id];
        if let Some((column, place)) = self.edges[id].place() {
            self.raise_entry((to, column), &[place], birth);
        }
        for place in 0..self.nodes[from.0 as usize].clock.len() {
            let (column, state) = &self.nodes[from.0 as usize].clock[place];
            let (column, steps) = (*column, state.steps.clone());
            self.raise_entry((to, column), &steps, birth);
        }
    }
}
