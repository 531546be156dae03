//! What the solvers did, for `--stats` and for measurements.

use crate::Answer;
use std::ops::AddAssign;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Solver calls; what a cache answered is not among them.
    pub calls: u64,
    pub satisfiable: u64,
    pub unsatisfiable: u64,
    pub unknown: u64,
    /// Questions that a cache answered without a call.
    pub cache_hits: u64,
    /// The time of all calls.
    pub time: Duration,
    /// Propositional variables, those of encoded terms included. With Z3, which encodes
    /// terms inside: the literals that were asked for.
    pub variables: u64,
    /// Clauses, those of encoded terms included. With Z3: clauses and asserted terms.
    pub clauses: u64,
}

impl Statistics {
    pub(crate) fn record(&mut self, started: Instant, answer: &Answer) {
        self.calls += 1;
        self.time += started.elapsed();
        match answer {
            Answer::Sat => self.satisfiable += 1,
            Answer::Unsat => self.unsatisfiable += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

/// For the total over several solvers.
impl AddAssign for Statistics {
    fn add_assign(&mut self, other: Statistics) {
        self.calls += other.calls;
        self.satisfiable += other.satisfiable;
        self.unsatisfiable += other.unsatisfiable;
        self.unknown += other.unknown;
        self.cache_hits += other.cache_hits;
        self.time += other.time;
        self.variables += other.variables;
        self.clauses += other.clauses;
    }
}
