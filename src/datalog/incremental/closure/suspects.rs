//! What follows when edges come and go, as long as there are no cycles.

use super::steps::{NEVER, Step, is_news, passed};
use super::{Closure, Column, EdgeState, Entry, Node};

impl Closure {
    /// Suspects all entries that owe a step to edges that go, or come later than before.
    pub(super) fn suspect_owed(&mut self, lowered: &[usize]) {
        for &id in lowered {
            let EdgeState {
                from, to, birth, ..
            } = self.edges[id];
            if let Some((column, place)) = self.edges[id].place() {
                self.suspect_if_owed((to, column), &[place]);
            }
            for place in 0..self.nodes[from.0 as usize].clock.len() {
                let (column, state) = &self.nodes[from.0 as usize].clock[place];
                let (column, steps) = (*column, passed(&state.steps, birth));
                self.suspect_if_owed((to, column), &steps);
            }
        }
        self.give_birth(lowered);
    }

    fn suspect_if_owed(&mut self, entry: Entry, steps: &[Step]) {
        let state = self.entry(entry.0, entry.1);
        if state.is_some_and(|state| state.steps.iter().any(|step| steps.contains(step))) {
            self.suspect(entry);
        }
    }

    /// Suspects all entries that gain a step by edges that come, or come earlier than before.
    pub(super) fn suspect_raised(&mut self, raised: &[(usize, u32)]) {
        for &(id, birth) in raised {
            self.edges[id].birth = birth;
            let EdgeState { from, to, .. } = self.edges[id];
            if let Some((column, place)) = self.edges[id].place() {
                self.suspect_if_raised((to, column), &[place]);
            }
            for place in 0..self.nodes[from.0 as usize].clock.len() {
                let (column, state) = &self.nodes[from.0 as usize].clock[place];
                let (column, steps) = (*column, passed(&state.steps, birth));
                self.suspect_if_raised((to, column), &steps);
            }
        }
    }

    fn suspect_if_raised(&mut self, entry: Entry, steps: &[Step]) {
        let known = self.steps(entry);
        if steps.iter().any(|step| is_news(known, *step)) {
            self.suspect(entry);
        }
    }

    fn suspect(&mut self, entry: Entry) {
        self.entry_or_empty(entry).suspect = true;
        self.enqueue(entry.0);
    }

    /// Computes a suspect entry afresh. If that changes it, or it was `raised` since it was last
    /// passed on, what follows gains steps, or is suspect because it may owe one to a step that
    /// is gone.
    pub(super) fn examine(&mut self, node: Node, column: Column, raised: bool, outgoing: &[usize]) {
        let steps = self.gathered(node, column);
        let state = self.entry_or_empty((node, column));
        if steps == state.steps && !raised {
            return;
        }
        let old = std::mem::replace(&mut state.steps, steps.clone());
        self.touch((node, column));
        for &id in outgoing {
            let EdgeState { to, birth, .. } = self.edges[id];
            if birth == NEVER {
                continue;
            }
            let passed_now = passed(&steps, birth);
            let mut gone = passed(&old, birth);
            gone.retain(|step| !passed_now.contains(step));
            self.suspect_if_owed((to, column), &gone);
            if !self.entry(to, column).is_some_and(|state| state.suspect) {
                self.raise_entry((to, column), &passed_now, birth);
            }
        }
    }
}
