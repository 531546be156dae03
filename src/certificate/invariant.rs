//! What an invariant is made of.

use heddle_program::{LocationId, TermId, Terms, ThreadId};

/// Where a thread is; `None` before it was created.
pub type Position = Option<LocationId>;

/// Some states: the threads are at certain positions, and a formula holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The positions at which a thread may be. One that is not listed may be anywhere.
    pub at: Vec<(ThreadId, Vec<Position>)>,
    /// A condition on the program's variables.
    pub holds: TermId,
}

impl Cell {
    /// Whether the thread may be there.
    pub(crate) fn admits(&self, thread: ThreadId, position: Position) -> bool {
        let positions = self.at.iter().find(|(listed, _)| *listed == thread);
        positions.is_none_or(|(_, positions)| positions.contains(&position))
    }
}

/// One of the cells holds in every reachable state, or so it is claimed.
#[derive(Clone, Debug)]
pub struct Invariant {
    /// The arena of the formulas: that of the program, and more terms.
    pub terms: Terms,
    pub cells: Vec<Cell>,
}
