//! Bounded unrolling: from a program with loops to the events of its bounded executions.
//!
//! Each thread becomes one chain of reads and writes of shared memory, every event with the
//! guard under which it is executed, every written value as a term over the values that
//! were read. What a read returns is left open: that is the scheduling constraint which
//! the `schedule` engine abstracts away (*Scheduling Constraint Based Abstraction
//! Refinement for Multi-Threaded Program Verification*, Sections 2 and 3).
//!
//! Nothing here decides an order between threads or knows of solvers.

mod block_ends;
mod constants;
mod creation;
mod dead_events;
mod event_graph;
mod facts;
mod interval;
mod loops;
mod memory;
mod observer;
mod read_ranges;
mod section_memory;
mod sections;
mod small_integers;
mod state;
mod statements;
mod unroller;
mod walk;

pub use event_graph::{
    Block, BlockId, Cell, CellId, Chain, ChainId, Cut, Event, EventGraph, EventId, EventKind,
    Limit, Step, StepId, Violation,
};
pub use read_ranges::ReadRange;
pub use unroller::{Options, TooLarge, unroll};
