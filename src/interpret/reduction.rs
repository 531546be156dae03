//! Which interleavings need not be tried, and which values need not be told apart.
//!
//! Three simple facts about a program, each computed once:
//! - A step is *private* if it touches only variables that no other thread and no error
//!   condition sees. It commutes with all steps of all other threads, so where a thread can
//!   take one, nothing else has to be tried. (A persistent set of one thread.)
//! - Every cycle of a thread's control flow passes through a *loop head*, where the thread is
//!   not preferred. So no thread is ignored forever.
//! - A private variable that will be written before it is read is *dead*; its value is
//!   forgotten.

use crate::layout::{Layout, Slot, is_private};
use heddle_program::{
    EdgeId, LocationId, Place, Program, Scope, StateFormula, Statement, ThreadId, VarId,
};
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
        let private: Vec<bool> = program
            .variable_ids()
            .map(|variable| is_private(program, layout, variable))
            .collect();
        let observed = observed_locations(program);
        let loop_head = loop_heads(program);
        let is_private_edge = |edge: &EdgeId| {
            let edge = program.edge(*edge);
            is_private_statement(program, &edge.statement, &private)
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
        let live = Liveness::new(program, &private);
        Reduction {
            preferred,
            loop_head,
            dying: program
                .edge_ids()
                .map(|edge| slots(layout, live.dying(program, edge)))
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

fn is_private_statement(program: &Program, statement: &Statement, private: &[bool]) -> bool {
    match statement {
        Statement::Skip
        | Statement::Assign { .. }
        | Statement::Havoc { .. }
        | Statement::Assume(_)
        | Statement::Assert { .. }
        | Statement::Guarded { .. } => {
            let mut touched = program.reads(statement);
            touched.extend(program.writes(statement));
            touched
                .into_iter()
                .all(|variable| private[variable.index()])
        }
        Statement::Create(_)
        | Statement::Join(_)
        | Statement::AtomicBegin
        | Statement::AtomicEnd
        | Statement::BoundReached(_) => false,
    }
}

/// The locations that the error condition mentions.
fn observed_locations(program: &Program) -> FxHashSet<LocationId> {
    let mut locations = FxHashSet::default();
    let error = program.property.error.as_ref();
    let mut pending: Vec<&StateFormula> = error.map(|error| &error.formula).into_iter().collect();
    while let Some(formula) = pending.pop() {
        match formula {
            StateFormula::At(_, location) => {
                locations.insert(*location);
            }
            StateFormula::Term(_) => {}
            StateFormula::Not(inner) => pending.push(inner),
            StateFormula::And(parts) | StateFormula::Or(parts) => pending.extend(parts),
        }
    }
    locations
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

/// Which private variables may still be read, by location.
struct Liveness {
    private: Vec<bool>,
    live: Vec<FxHashSet<VarId>>,
}

impl Liveness {
    fn new(program: &Program, private: &[bool]) -> Liveness {
        let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); program.locations.len()];
        let incoming = program.incoming();
        let mut pending: Vec<EdgeId> = program.edge_ids().collect();
        while let Some(id) = pending.pop() {
            let edge = program.edge(id);
            let overwritten: Vec<VarId> = edge
                .statement
                .targets()
                .into_iter()
                .filter_map(|target| match target {
                    Place::Variable(variable) => Some(variable),
                    Place::Element(..) => None,
                })
                .collect();
            let mut needed: Vec<VarId> = live[edge.target.index()]
                .iter()
                .copied()
                .filter(|variable| !overwritten.contains(variable))
                .collect();
            needed.extend(program.reads(&edge.statement));
            let here = &mut live[edge.source.index()];
            let before = here.len();
            here.extend(
                needed
                    .into_iter()
                    .filter(|variable| private[variable.index()]),
            );
            if here.len() > before {
                pending.extend(&incoming[edge.source.index()]);
            }
        }
        Liveness {
            private: private.to_vec(),
            live,
        }
    }

    /// What may hold a value before the edge, or is written by it, and is dead after it.
    fn dying(&self, program: &Program, edge: EdgeId) -> Vec<VarId> {
        let edge = program.edge(edge);
        let after = &self.live[edge.target.index()];
        let mut variables: Vec<VarId> = self.live[edge.source.index()].iter().copied().collect();
        variables.extend(program.writes(&edge.statement));
        variables.retain(|variable| self.private[variable.index()] && !after.contains(variable));
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    fn dead_at_start(&self, program: &Program) -> Vec<VarId> {
        let is_live = |thread: ThreadId, variable: &VarId| {
            self.live[program.thread(thread).entry.index()].contains(variable)
        };
        program
            .variable_ids()
            .filter(|variable| match program.variable(*variable).scope {
                Scope::Local(thread) => {
                    self.private[variable.index()] && !is_live(thread, variable)
                }
                Scope::Shared => false,
            })
            .collect()
    }
}
