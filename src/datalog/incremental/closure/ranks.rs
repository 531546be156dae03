//! The order in which events are passed on.

use super::{Closure, EdgeState};

impl Closure {
    pub(super) fn goes_up(&self, id: usize) -> bool {
        let EdgeState { from, to, .. } = self.edges[id];
        self.nodes[from.0 as usize].rank < self.nodes[to.0 as usize].rank
    }

    /// Gives all events ranks that go up along edges, except where there is a cycle: in the
    /// reverse order in which a depth-first search leaves them.
    pub(super) fn rank(&mut self) {
        let mut next = self.nodes.len() as u32;
        let mut seen = vec![false; self.nodes.len()];
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.nodes.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            path.push((start, 0));
            while let Some((node, tried)) = path.last_mut() {
                let Some(&id) = self.nodes[*node].outgoing.get(*tried) else {
                    self.nodes[*node].rank = next;
                    next -= 1;
                    path.pop();
                    continue;
                };
                *tried += 1;
                let to = self.edges[id].to.0 as usize;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
        }
        let all = self.nodes.iter().flat_map(|node| &node.outgoing);
        self.descending = all.filter(|&&id| !self.goes_up(id)).count();
    }
}
