//! What the engine did, for `--stats`, `--json` and measurements.

use std::collections::BTreeMap;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The bound of the last unrolling.
    pub unwind: u32,
    /// Why that one is not decided, if it is not.
    pub gave_up: Option<String>,
    pub events: usize,
    pub links: usize,
    /// The abstraction, before any refinement.
    pub variables: u64,
    pub clauses: u64,
    /// Reasons handed to the solver before its first call.
    pub lemmas: usize,
    /// Whether the search for some of them was given up, so that there may be more.
    pub lemmas_given_up: bool,
    /// Refinement rounds: how many reasons each found.
    pub reasons: Vec<usize>,
    /// Clauses that say how named orders follow.
    pub definitions: usize,
    /// How many reasons have so many literals.
    pub sizes: BTreeMap<usize, usize>,
    /// In how many reasons a rule took part.
    pub rules: BTreeMap<String, usize>,
    /// Counterexamples in which the rules saw no conflict, and the exact check did.
    pub exact_conflicts: usize,
    pub solver_time: Duration,
    pub fixpoint_time: Duration,
    pub exact_time: Duration,
    pub unroll_time: Duration,
    pub encode_time: Duration,
}

impl Statistics {
    pub fn rounds(&self) -> usize {
        self.reasons.len()
    }

    pub fn clauses_added(&self) -> usize {
        self.lemmas + self.definitions + self.reasons.iter().sum::<usize>()
    }
}
