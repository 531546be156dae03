//! The `control` engine: predicate abstraction of the data and abstraction of control
//! locations by classes, for programs with loops and without a bound.
//!
//! *Non-Monotonic Refinement of Control Abstraction for Concurrent Programs*. Where a
//! spurious counterexample could be excluded by data and by control, data is preferred; the
//! predicates only become more, the classes of control locations are chosen anew each time.

mod concrete_states;
mod monotonic;
mod necessary_pairs;
mod repartition;
mod runs;
mod safe_indices;
mod shortcuts;
mod telling_apart;
mod trial_runs;

use crate::reach::{self, ControlRefinement, Outcome, Partition, Progress};
use crate::words::words;
use heddle_program::Program;
use monotonic::Monotonic;
use repartition::NonMonotonic;

/// How the partition of control locations changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// The smallest partition that excludes all spurious paths so far.
    #[default]
    NonMonotonic,
    /// Classes are split, and stay split.
    Monotonic,
}

words!(Scheme, "a refinement is `non-monotonic` or `monotonic`", {
    NonMonotonic => "non-monotonic",
    Monotonic => "monotonic",
});

#[derive(Clone, Debug, Default)]
pub struct Options {
    pub scheme: Scheme,
    pub reach: reach::Options,
}

/// Checks the program for all executions.
pub fn check(program: &Program, options: &Options, progress: &mut dyn Progress) -> Outcome {
    let control: Box<dyn ControlRefinement> = match options.scheme {
        Scheme::NonMonotonic => Box::new(NonMonotonic::new(&options.reach.limits)),
        Scheme::Monotonic => Box::new(Monotonic),
    };
    let (reach, coarsest) = (&options.reach, Partition::coarsest);
    reach::check(program, reach, coarsest, Some(control), progress)
}
