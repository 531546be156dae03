//! What the engine did, iteration by iteration, as in Tables 1 to 3 of the paper.

use super::bisimulation::Certificate;
use super::prover::Questions;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    pub iterations: Vec<Iteration>,
    /// The predicates of the first iteration: those of guards and of the property, and those
    /// that were given.
    pub first_predicates: Vec<String>,
    /// The variables that count as program counter, and are not abstracted.
    pub program_counter: Vec<String>,
    /// The check of the structure that a verdict rests on.
    pub certificate: Option<Certificate>,
    pub search_time: Duration,
    pub exactness_time: Duration,
    pub check_time: Duration,
    pub rules_time: Duration,
}

/// One round of search and exactness checks.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// Concrete states that were generated, the initial ones included.
    pub concrete_states: u64,
    /// Abstract states that were stored.
    pub abstract_states: u64,
    pub transitions: u64,
    /// In this iteration alone.
    pub questions: Questions,
    pub new_predicates: Vec<String>,
    /// Concrete states that were described by predicates (Section 6.1).
    pub described_states: usize,
}

impl Statistics {
    pub fn queries(&self) -> u64 {
        self.iterations.iter().map(|i| i.questions.queries).sum()
    }

    pub fn cache_hits(&self) -> u64 {
        self.iterations.iter().map(|i| i.questions.cache_hits).sum()
    }

    pub fn new_predicates(&self) -> usize {
        self.iterations.iter().map(|i| i.new_predicates.len()).sum()
    }
}
