//! Why something was derived: enough to rebuild its proof.

use super::orders::EventId;
use super::paths::PathId;
use super::program::{ClauseId, JoinId, OrderId};
use super::store::ItemId;
use crate::facts::LiteralName;
use std::ops::Range;

#[derive(Clone, Copy, Debug)]
pub(super) enum Derivation {
    /// It was inserted, by this literal.
    Fact(LiteralName),
    /// By a rule or conflict from the premises at these positions, one for each positive
    /// atom of the body, in order.
    Clause { clause: ClauseId, premises: Run },
    /// By joining an order with what is known of two events; see [`super::join`].
    Join {
        join: JoinId,
        site: u32,
        source: u32,
        pair: Pair,
        /// The premises that the join's two sides do not have.
        others: Run,
    },
}

/// What a positive atom of a body stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Premise {
    Item(ItemId),
    Pair(OrderId, Pair),
}

/// A tuple of an order: the path, extended by chain steps at either end if it does not
/// begin and end at these events. Without a path it is a chain step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pair {
    pub(super) first: EventId,
    pub(super) last: EventId,
    pub(super) path: Option<PathId>,
}

/// A range of positions in a [`Premises`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    start: u32,
    end: u32,
}

impl Run {
    pub(super) const EMPTY: Run = Run { start: 0, end: 0 };
}

/// The premises of all derivations.
#[derive(Default)]
pub(super) struct Premises(Vec<(u32, Premise)>);

impl Premises {
    /// Keeps premises with the positions of their atoms in the body.
    pub(super) fn keep(&mut self, premises: impl IntoIterator<Item = (u32, Premise)>) -> Run {
        let start = self.0.len() as u32;
        self.0.extend(premises);
        Run {
            start,
            end: self.0.len() as u32,
        }
    }

    pub(super) fn of(&self, run: Run) -> &[(u32, Premise)] {
        &self.0[Range::from(run)]
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.0.truncate(length);
    }
}

impl From<Run> for Range<usize> {
    fn from(run: Run) -> Self {
        run.start as usize..run.end as usize
    }
}
