//! "Does this follow?", asked often and mostly again: a cache before a solver.

use crate::{Answer, Backend, Limits, Reason, Solver, Statistics, Unsupported};
use heddle_program::{TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt;

/// Old questions slow a solver down even if it is never asked them again, so a fresh one
/// takes over when it has this many times the clauses of its first question, and some more.
const OUTGROWN: u64 = 10;
const SOME_MORE: u64 = 1_000;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    Unsupported(Unsupported),
    Unknown(Reason),
}

impl From<Unsupported> for Undecided {
    fn from(unsupported: Unsupported) -> Undecided {
        Undecided::Unsupported(unsupported)
    }
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undecided::Unsupported(unsupported) => unsupported.fmt(f),
            Undecided::Unknown(reason) => reason.fmt(f),
        }
    }
}

impl std::error::Error for Undecided {}

/// Answers questions about terms alone, and remembers the answers; except that there was
/// none, because the next time there may be more time.
pub struct Validity {
    backend: Backend,
    solver: Box<dyn Solver>,
    /// The clauses of the solver's first question.
    first: Option<u64>,
    limits: Limits,
    /// Conjunctions, sorted and without duplicates, and whether they have a model.
    consistent: FxHashMap<Box<[TermId]>, bool>,
    /// Of the solvers before this one, and of the cache.
    earlier: Statistics,
}

impl Validity {
    pub fn new(backend: Backend) -> Validity {
        Validity {
            backend,
            solver: backend.open(),
            first: None,
            limits: Limits::default(),
            consistent: FxHashMap::default(),
            earlier: Statistics::default(),
        }
    }

    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits.clone();
        self.solver.set_limits(limits);
    }

    /// Is there a model of all the terms together?
    pub fn consistent(&mut self, terms: &Terms, conjuncts: &[TermId]) -> Result<bool, Undecided> {
        let mut key = conjuncts.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(&known) = self.consistent.get(&key[..]) {
            self.earlier.cache_hits += 1;
            return Ok(known);
        }
        self.renew_if_outgrown();
        let consistent = match self.solver.check_terms(terms, &key)? {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(reason) => return Err(Undecided::Unknown(reason)),
        };
        let clauses = self.solver.statistics().clauses;
        self.first.get_or_insert(clauses);
        self.consistent.insert(key.into(), consistent);
        Ok(consistent)
    }

    /// Does the conclusion hold wherever all hypotheses do?
    pub fn implies(
        &mut self,
        terms: &mut Terms,
        hypotheses: &[TermId],
        conclusion: TermId,
    ) -> Result<bool, Undecided> {
        let mut counterexample = hypotheses.to_vec();
        counterexample.push(terms.not(conclusion));
        Ok(!self.consistent(terms, &counterexample)?)
    }

    fn renew_if_outgrown(&mut self) {
        let statistics = self.solver.statistics();
        let first = self.first.unwrap_or(statistics.clauses);
        if statistics.clauses > OUTGROWN * first + SOME_MORE {
            self.earlier += statistics;
            self.solver = self.backend.open();
            self.solver.set_limits(self.limits.clone());
            self.first = None;
        }
    }

    pub fn statistics(&self) -> Statistics {
        let mut total = self.earlier;
        total += self.solver.statistics();
        total
    }
}
