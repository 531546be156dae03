//! Threads that the shape of a program creates at most once.

use crate::{EdgeId, LocationId, Program, Statement, ThreadId};
use rustc_hash::FxHashSet;

impl Program {
    /// Whether every path creates the thread at most once: one thread creates it, and after
    /// one creation it does not come to another. If not, conditions may still see to it.
    pub fn is_created_once(&self, created: ThreadId) -> bool {
        let creating: Vec<EdgeId> = self
            .edge_ids()
            .filter(|&edge| self.edge(edge).statement == Statement::Create(created))
            .collect();
        let Some((&first, others)) = creating.split_first() else {
            return true;
        };
        let creator = self.thread_of(first);
        others.iter().all(|&other| self.thread_of(other) == creator)
            && creating.iter().all(|&edge| {
                let after = self.reachable(self.edge(edge).target);
                creating
                    .iter()
                    .all(|&other| !after.contains(&self.edge(other).source))
            })
    }

    /// The locations that a thread may come to from this one, itself among them.
    fn reachable(&self, from: LocationId) -> FxHashSet<LocationId> {
        let mut reached = FxHashSet::from_iter([from]);
        let mut pending = vec![from];
        while let Some(location) = pending.pop() {
            for &edge in self.outgoing(location) {
                let target = self.edge(edge).target;
                if reached.insert(target) {
                    pending.push(target);
                }
            }
        }
        reached
    }
}
