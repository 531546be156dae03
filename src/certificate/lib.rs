//! Inductive invariants as certificates of safety, and the checker that an engine has to
//! convince before `SAFE` is said.
//!
//! An [`Invariant`] is a list of [`Cell`]s, of which at least one holds in every reachable
//! state: the threads are where the cell says, and the variables satisfy its formula. An engine
//! [writes](write) its cells as SMT-LIB text; [`read`] gives them back, and [`check`] asks Z3
//! whether the invariant holds initially, is kept by every step of every thread, and excludes
//! what must not happen. What is checked is what the text says, not what an engine has in
//! memory.
//!
//! Nothing here is shared with the engines but the program, its terms and the interface to Z3:
//! that a step means the same to both is the point of checking.

mod check;
mod invariant;
mod positions;
mod read;
mod refutation;
mod transition;
mod write;

pub use check::{Accepted, check};
pub use invariant::{Cell, Invariant, Position};
pub use read::read;
pub use refutation::{Refutation, Rejected, Snapshot};
pub use write::write;
