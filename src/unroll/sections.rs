//! Atomic sections that a thread might not get out of, or creates threads in.

use heddle_program::{LocationId, Program, Statement, TermId};
use rustc_hash::FxHashSet;

/// Whether a thread that enters the atomic section at this location could get stuck in it:
/// the section waits, loops, may create a thread again, or has a branch that need not be
/// exhaustive.
pub(crate) fn may_block(program: &Program, start: LocationId) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![start];
    while let Some(location) = pending.pop() {
        if !seen.insert(location) {
            // Met twice: by two branches, or by a loop. Only a loop may not end.
            continue;
        }
        let outgoing = program.outgoing(location);
        let conditions: Vec<TermId> = outgoing
            .iter()
            .filter_map(|&edge| match program.edge(edge).statement {
                Statement::Assume(condition) => Some(condition),
                _ => None,
            })
            .collect();
        let exhaustive = match conditions[..] {
            [] => true,
            [a, b] => program.terms.clone().not(a) == b,
            _ => false,
        };
        if !exhaustive || outgoing.is_empty() {
            return true;
        }
        for &edge in outgoing {
            match program.edge(edge).statement {
                Statement::AtomicEnd => continue,
                Statement::Guarded { guard, .. } if program.terms.is_true(guard) => {}
                Statement::Guarded { .. } | Statement::Join(_) | Statement::BoundReached(_) => {
                    return true;
                }
                Statement::Create(thread) if !program.is_created_once(thread) => return true,
                _ => {}
            }
            pending.push(program.edge(edge).target);
        }
    }
    has_cycle(program, &seen)
}

/// Whether a thread is created in the atomic section at this location.
pub(crate) fn creates_threads(program: &Program, start: LocationId) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![start];
    while let Some(location) = pending.pop() {
        if !seen.insert(location) {
            continue;
        }
        for &edge in program.outgoing(location) {
            let edge = program.edge(edge);
            match edge.statement {
                Statement::Create(_) => return true,
                Statement::AtomicEnd => {}
                _ => pending.push(edge.target),
            }
        }
    }
    false
}

fn has_cycle(program: &Program, locations: &FxHashSet<LocationId>) -> bool {
    let mut graph = petgraph::graphmap::DiGraphMap::<LocationId, ()>::new();
    for &location in locations {
        for &edge in program.outgoing(location) {
            let edge = program.edge(edge);
            if edge.statement != Statement::AtomicEnd && locations.contains(&edge.target) {
                graph.add_edge(location, edge.target, ());
            }
        }
    }
    petgraph::algo::is_cyclic_directed(&graph)
}
