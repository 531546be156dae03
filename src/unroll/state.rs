//! The symbolic state of a thread at one point of its unrolling, and how two of them meet.

use crate::event_graph::BlockId;
use crate::section_memory::Section;
use heddle_program::{TermId, Terms, VarId};
use std::rc::Rc;

/// A condition as the list of its conjuncts, oldest first. Two paths that part and meet
/// again share a beginning, and when they parted by a condition and its negation, the
/// meeting is just that beginning again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard(Vec<TermId>);

impl Guard {
    pub(crate) fn of(terms: &Terms, condition: TermId) -> Guard {
        let mut guard = Guard::default();
        guard.push(terms, condition);
        guard
    }

    pub(crate) fn push(&mut self, terms: &Terms, condition: TermId) {
        if !terms.is_true(condition) && !self.0.contains(&condition) {
            self.0.push(condition);
        }
    }

    /// Whether a constant alone makes it false.
    pub(crate) fn has_false(&self, terms: &Terms) -> bool {
        self.0.iter().any(|&conjunct| terms.is_false(conjunct))
    }

    pub(crate) fn term(&self, terms: &mut Terms) -> TermId {
        terms.and(&self.0)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub guard: Guard,
    /// The value of each variable of the program, where this thread knows it: its locals,
    /// and all shared variables as long as no other thread runs.
    pub values: Rc<Vec<TermId>>,
    /// Whether no other thread has been started yet.
    pub alone: bool,
    /// The atomic section that the thread is in.
    pub block: Option<BlockId>,
    /// What that section knows of shared memory.
    pub section: Option<Section>,
}

impl State {
    pub(crate) fn value(&self, variable: VarId) -> TermId {
        self.values[variable.index()]
    }

    pub(crate) fn set(&mut self, variable: VarId, value: TermId) {
        if self.value(variable) != value {
            Rc::make_mut(&mut self.values)[variable.index()] = value;
        }
    }

    /// The state of whoever comes by one path or the other. The caller sees to it that
    /// the two guards exclude each other, and that both are in the same section or in none.
    pub(crate) fn meet(self, other: State, terms: &mut Terms) -> State {
        let shared = self
            .guard
            .0
            .iter()
            .zip(&other.guard.0)
            .take_while(|(a, b)| a == b)
            .count();
        let this_way = terms.and(&self.guard.0[shared..]);
        let other_way = terms.and(&other.guard.0[shared..]);
        let either = terms.or(&[this_way, other_way]);
        let mut guard = Guard(self.guard.0[..shared].to_vec());
        if terms.not(this_way) != other_way {
            guard.push(terms, either);
        }
        let values = if Rc::ptr_eq(&self.values, &other.values) {
            self.values
        } else {
            let pairs = self.values.iter().zip(other.values.iter());
            let merged = pairs.map(|(&a, &b)| if a == b { a } else { terms.ite(this_way, a, b) });
            Rc::new(merged.collect())
        };
        let section = match (self.section, other.section) {
            (Some(a), Some(b)) => Some(a.meet(b, this_way, terms)),
            (a, b) => a.or(b),
        };
        State {
            guard,
            values,
            alone: self.alone && other.alone,
            block: self.block,
            section,
        }
    }
}
