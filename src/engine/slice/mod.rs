//! The `slice` engine: drop variables, check what is left with another engine, put the
//! omitted variables back along the counterexample, exclude what turns out spurious.
//!
//! *Counter-Example Guided Program Verification*. The modules are named after those of the
//! paper: the choice of variables ([`choice`]), the [`abstraction`], the model checker
//! ([`checker`]), [`reconstruction`], and refinement by [`observer`] and controllers, each a
//! translation from program to program with its own way back. [`force`] and [`forbid`] are
//! the same for orders instead of runs, and `in_solver` does all of it with the literals of one
//! solver (Section 6).

pub mod abstraction;
mod assembly;
mod cegpv;
pub mod checker;
pub mod choice;
mod compaction;
pub mod forbid;
pub mod force;
mod in_solver;
pub mod observer;
pub mod order;
mod pace;
mod prefix_tree;
pub mod reconstruction;
pub mod refinement;
pub mod run;
mod statistics;

pub use cegpv::{Exclude, Options, Outcome, Progress, check};
pub use in_solver::check_in_solver;
pub use statistics::{Level, Statistics};
