//! Steps that happen at most once because of the shape of the program.

use heddle_program::{EdgeId, LocationId, Program, Statement, ThreadId};
use rustc_hash::FxHashSet;

/// Whether the thread is created at most once on every path: one thread creates it, and
/// after one creation it does not come to another.
pub(crate) fn is_created_once(program: &Program, created: ThreadId) -> bool {
    let creating: Vec<EdgeId> = program
        .edge_ids()
        .filter(|&edge| program.edge(edge).statement == Statement::Create(created))
        .collect();
    let Some((&first, others)) = creating.split_first() else {
        return true;
    };
    let creator = program.thread_of(first);
    others
        .iter()
        .all(|&other| program.thread_of(other) == creator)
        && creating.iter().all(|&edge| {
            let after = reachable(program, program.edge(edge).target);
            creating
                .iter()
                .all(|&other| !after.contains(&program.edge(other).source))
        })
}

fn reachable(program: &Program, from: LocationId) -> FxHashSet<LocationId> {
    let mut reached = FxHashSet::from_iter([from]);
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        for &edge in program.outgoing(location) {
            let target = program.edge(edge).target;
            if reached.insert(target) {
                pending.push(target);
            }
        }
    }
    reached
}
