//! The `predicate` engine: counterexample-guided predicate abstraction, with control kept as
//! it is, for programs with loops and without a bound.
//!
//! The lecture's abstract model checking: an abstract reachability graph with covering in
//! both directions, Cartesian or Boolean abstraction, and refinement by new predicates.

use crate::reach::{self, Options, Outcome, Partition, Progress};
use heddle_program::Program;

/// Checks the program for all executions.
pub fn check(program: &Program, options: &Options, progress: &mut dyn Progress) -> Outcome {
    reach::check(program, options, Partition::discrete, None, progress)
}
