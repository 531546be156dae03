//! Which interleavings need not be tried, and which values need not be told apart.
//!
//! Three simple facts about a program, each computed once:
//! - A step is *private* if it touches only variables that no other thread and no error
//!   condition sees, or that never change (`sharing.rs`). It commutes with all steps of all other threads, so where a thread can
//!   take one, nothing else has to be tried. (A persistent set of one thread.)
//! - Every cycle of a thread's control flow passes through a *loop head*, where the thread is
//!   not preferred. So no thread is ignored forever.
//! - A private variable that will be written before it is read is *dead* (`liveness.rs`); its
//!   value is forgotten.

use crate::layout::{Layout, Slot};
use crate::liveness::Liveness;
use crate::sharing::Sharing;
use heddle_program::{EdgeId, LocationId, Program, VarId};
use rustc_hash::FxHashSet;

#[derive(Debug)]
pub(crate) struct Reduction {
    /// By location: all steps from here are private, and it is no loop head.
    pub(crate) preferred: Vec<bool>,
    /// By location: the target of a retreating edge.
    pub(crate) loop_head: Vec<bool>,
    /// By edge: the slots that die when it is taken.
    dying: Vec<Box<[Slot]>>,
    /// The slots that are dead at the start.
    dead_at_start: Box<[Slot]>,
}

impl Reduction {
    pub(crate) fn new(program: &Program, layout: &Layout) -> Reduction {
        let sharing = Sharing::new(program, layout);
        let observed = observed_locations(program);
        let loop_head = loop_heads(program);
        let is_private_edge = |edge: &EdgeId| {
            let edge = program.edge(*edge);
            sharing.is_private(program, &edge.statement)
                && !observed.contains(&edge.source)
                && !observed.contains(&edge.target)
        };
        let preferred = program
            .location_ids()
            .map(|location| {
                !loop_head[location.index()]
                    && !program.is_end(location)
                    && program.outgoing(location).iter().all(is_private_edge)
            })
            .collect();
        let live = Liveness::new(program, &sharing);
        Reduction {
            preferred,
            loop_head,
            dying: live
                .dying(program)
                .into_iter()
                .map(|variables| slots(layout, variables))
                .collect(),
            dead_at_start: slots(layout, live.dead_at_start(program)),
        }
    }

    pub(crate) fn dying(&self, edge: EdgeId) -> &[Slot] {
        &self.dying[edge.index()]
    }

    pub(crate) fn dead_at_start(&self) -> &[Slot] {
        &self.dead_at_start
    }
}

fn slots(layout: &Layout, variables: Vec<VarId>) -> Box<[Slot]> {
    variables
        .into_iter()
        .flat_map(|variable| layout.slots(variable))
        .collect()
}

/// The locations that the error condition mentions.
fn observed_locations(program: &Program) -> FxHashSet<LocationId> {
    program.property.locations().collect()
}

/// The targets of the edges that lead back into the path of a depth-first search.
fn loop_heads(program: &Program) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        OnPath,
        Done,
    }
    let mut heads = vec![false; program.locations.len()];
    let mut visits = vec![Visit::New; program.locations.len()];
    for thread in &program.threads {
        if visits[thread.entry.index()] != Visit::New {
            continue;
        }
        visits[thread.entry.index()] = Visit::OnPath;
        let mut path = vec![(thread.entry, 0)];
        while let Some((location, next)) = path.last_mut() {
            let Some(&edge) = program.outgoing(*location).get(*next) else {
                visits[location.index()] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let target = program.edge(edge).target;
            match visits[target.index()] {
                Visit::New => {
                    visits[target.index()] = Visit::OnPath;
                    path.push((target, 0));
                }
                Visit::OnPath => heads[target.index()] = true,
                Visit::Done => {}
            }
        }
    }
    heads
}
