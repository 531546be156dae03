//! The event level as facts: names of events, and what one event's execution implies.

use crate::event_graph::{ChainId, EventGraph, EventId, EventKind};
use heddle_program::{Op, Program, Term, TermId};
use rustc_hash::FxHashSet;

impl EventGraph {
    /// `thr1.4.Wx`: the thread, the place in its chain, the access.
    pub fn event_name(&self, program: &Program, event: EventId, place: usize) -> String {
        let chain = self.chain_name(program, self.event(event).chain);
        match self.event(event).kind {
            EventKind::Mark => format!("{chain}.{place}"),
            EventKind::Read { cell, .. } => {
                format!("{chain}.{place}.R{}", self.cell_name(program, cell))
            }
            EventKind::Write { cell, .. } => {
                format!("{chain}.{place}.W{}", self.cell_name(program, cell))
            }
        }
    }

    pub fn chain_name(&self, program: &Program, chain: ChainId) -> String {
        match self.chains[chain.index()].thread {
            Some(thread) => program.thread(thread).name.clone(),
            None => "initial".to_string(),
        }
    }

    /// A variable's unique name, with the element if it is one of an array.
    pub fn cell_name(&self, program: &Program, cell: crate::CellId) -> String {
        let cell = self.cell(cell);
        let name = program.terms.name(cell.variable);
        match cell.element {
            Some(element) => format!("{name}[{element}]"),
            None => name.to_string(),
        }
    }

    /// Whether it is plain from the two guards that whoever executes `a` executes `b`.
    pub fn implies(&self, a: EventId, b: EventId) -> bool {
        let needed = self.conjuncts(self.event(b).guard);
        let given: FxHashSet<TermId> = self.conjuncts(self.event(a).guard).into_iter().collect();
        needed.iter().all(|conjunct| given.contains(conjunct))
    }

    /// The conditions that together are the guard.
    pub fn conjuncts(&self, guard: TermId) -> Vec<TermId> {
        match self.terms.get(guard) {
            Term::Apply {
                op: Op::And,
                arguments,
            } => arguments.to_vec(),
            _ if self.terms.is_true(guard) => Vec::new(),
            _ => vec![guard],
        }
    }
}
