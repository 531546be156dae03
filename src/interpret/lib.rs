//! Concrete execution of programs: the oracle for all engines, and the replayer of traces.
//!
//! - [`step`](execute) is the reference semantics: what one statement does to a [`State`].
//! - [`replay`] checks that a [`Trace`] is a run that ends in the violation it claims.
//! - [`explore`] tries every interleaving, on compiled code and packed states.
//! - [`Runner`] hands the explorer's machine to engines that run programs themselves.
//! - [`table`] shows a trace, one column a thread.

mod code;
mod deadlock;
mod expand;
mod explore;
mod layout;
mod liveness;
mod machine;
mod nondet;
mod reconstruct;
mod reduction;
mod replay;
mod runner;
mod sharing;
mod state;
mod step;
mod store;
mod table;
mod trace;

pub use deadlock::is_deadlock;
pub use explore::{Exploration, Interleavings, Options, Order, Stop, explore};
pub use nondet::NondetRange;
pub use replay::{Replay, ReplayError, replay};
pub use runner::{Attempt, Condition, OpenPlace, Runner, Snapshot};
pub use state::State;
pub use step::{Step, StepError, choices, execute};
pub use table::table;
pub use trace::{Change, Trace, TraceStep, Violation};
