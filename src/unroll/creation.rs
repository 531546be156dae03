//! Who starts whom.

use heddle_program::{LocationId, Program, Start, Statement, ThreadId};
use rustc_hash::FxHashSet;

/// The threads, each after those that create it.
pub(crate) fn creation_order(program: &Program) -> Vec<ThreadId> {
    let created_by = |thread: ThreadId| {
        program
            .edge_ids()
            .filter_map(move |edge| match program.edge(edge).statement {
                Statement::Create(created) if program.thread_of(edge) == thread => Some(created),
                _ => None,
            })
    };
    // Reverse postorder of a depth-first search.
    let mut seen = FxHashSet::default();
    let mut postorder = Vec::new();
    for root in program.thread_ids().rev() {
        if program.thread(root).start != Start::AtBeginning {
            continue;
        }
        let mut pending = vec![(root, false)];
        while let Some((thread, done)) = pending.pop() {
            if done {
                postorder.push(thread);
            } else if seen.insert(thread) {
                pending.push((thread, true));
                pending.extend(created_by(thread).map(|created| (created, false)));
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Where the initial threads may be after starting another one.
pub(crate) fn locations_after_create(program: &Program) -> FxHashSet<LocationId> {
    let mut reached = FxHashSet::default();
    let mut pending: Vec<LocationId> = program
        .edges
        .iter()
        .filter(|edge| matches!(edge.statement, Statement::Create(_)))
        .map(|edge| edge.target)
        .collect();
    while let Some(location) = pending.pop() {
        if reached.insert(location) {
            let outgoing = program.outgoing(location).iter();
            pending.extend(outgoing.map(|&edge| program.edge(edge).target));
        }
    }
    reached
}
