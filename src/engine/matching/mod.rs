//! The `match` engine: concrete search with abstract matching, refined by exactness.
//!
//! *Predicate Abstraction with Under-Approximation Refinement*. The program is executed; a
//! state is left alone if another one with the same program counter and the same valuation of
//! some predicates was visited before ([`search`]). So whatever is found is real. Whether
//! something was missed, a prover tells ([`exactness`]): if each explored step leads from all
//! states of its abstract state to the same abstract state, the explored structure is
//! bisimilar to the program, which an independent pass confirms ([`bisimulation`]); if not,
//! the weakest preconditions that could not be proved are new predicates ([`refinement`]).

mod atoms;
mod bisimulation;
mod control;
mod dot;
mod exactness;
mod exchange;
mod inputs;
mod model;
mod predicates;
mod prover;
mod refinement;
mod relations;
mod search;
mod statistics;
mod structure;
mod trace;

pub use bisimulation::Certificate;
pub use exactness::Proof;
pub use exchange::{VisitedState, transfer};
pub use prover::Questions;
pub use statistics::{Iteration, Statistics};

use heddle_interpret::{Interleavings, NondetRange, Order, Trace};
use heddle_program::{Program, TermId, Terms, Verdict};
use std::time::Instant;

#[derive(Clone, Debug)]
pub struct Options {
    /// Breadth-first finds every reachable error, and shortest runs to it.
    pub order: Order,
    pub interleavings: Interleavings,
    /// Looked at from the first iteration on: boolean terms of the program's arena.
    pub predicates: Vec<TermId>,
    /// After how many inexact iterations a transition's concrete state is described by
    /// predicates (Section 6.1). `None` is never.
    pub concrete_after: Option<u32>,
    pub inputs: InputValues,
    pub scope: PredicateScope,
    pub proof: Proof,
    pub max_iterations: Option<u32>,
    /// How many concrete states are still generated in an iteration that found an error, to
    /// complete it.
    pub after_error: u64,
    pub deadline: Option<Instant>,
    /// Whether the explored structure is wanted as a graph.
    pub dot: bool,
    /// How many of the abstract states are wanted.
    pub states: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            order: Order::BreadthFirst,
            interleavings: Interleavings::Enough,
            predicates: Vec::new(),
            concrete_after: None,
            inputs: InputValues::Range(NondetRange::default()),
            scope: PredicateScope::Everywhere,
            proof: Proof::Prover,
            max_iterations: None,
            after_error: 1_000,
            deadline: None,
            dot: false,
            states: 0,
        }
    }
}

/// Where the values of inputs come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputValues {
    /// All numbers of a range; a program with other inputs is never called safe.
    Range(NondetRange),
    /// One for each valuation of the predicates that is possible (Section 7.1).
    Solver,
}

/// Where new predicates are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredicateScope {
    Everywhere,
    /// Where the program counter allows the step that they were made for (Section 7.2).
    OfTheirSteps,
}

pub struct Outcome {
    pub verdict: Verdict,
    /// Replayed; there exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
    pub statistics: Statistics,
    /// The predicates of the last iteration. Their arena has the variables of the program
    /// under the same ids.
    pub predicates: Vec<TermId>,
    pub terms: Terms,
    /// The first abstract states of the last iteration, as many as were wanted.
    pub states: Vec<VisitedState>,
    /// The structure of the last iteration, if it was wanted.
    pub dot: Option<String>,
}

/// What the engine tells while it works.
pub trait Progress {
    fn iteration(&mut self, number: usize, predicates: usize, last: Option<&Iteration>);
}

impl Progress for () {
    fn iteration(&mut self, _: usize, _: usize, _: Option<&Iteration>) {}
}

/// Checks the program.
///
/// # Panics
/// If a run to an error that was found cannot be replayed, which is a bug of heddle.
pub fn check(program: &Program, options: &Options, progress: &mut dyn Progress) -> Outcome {
    refinement::refinement_search(program, options, progress)
}
