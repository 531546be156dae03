//! "Does this follow?", asked often and mostly again: a cache before a solver.

use crate::{Answer, Backend, Limits, Reason, Solver, Statistics, Unsupported};
use heddle_program::{TermId, Terms};
use rustc_hash::FxHashMap;
use std::fmt;

/// Old questions slow a solver down even if it is never asked them again, so beyond this
/// many clauses a fresh one takes over.
const FRESH_AFTER_CLAUSES: u64 = 500_000;

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
        if self.solver.statistics().clauses > FRESH_AFTER_CLAUSES {
            self.earlier += self.solver.statistics();
            self.solver = self.backend.open();
            self.solver.set_limits(self.limits.clone());
        }
        let consistent = match self.solver.check_terms(terms, &key)? {
            Answer::Sat => true,
            Answer::Unsat => false,
            Answer::Unknown(reason) => return Err(Undecided::Unknown(reason)),
        };
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

    pub fn statistics(&self) -> Statistics {
        let mut total = self.earlier;
        total += self.solver.statistics();
        total
    }
}
