//! What was derived and waits to be looked at, lowest level first.

use super::derivation::Derivation;
use super::orders::Edge;
use super::paths::Path;
use super::program::OrderId;
use crate::value::Row;
use heddle_language::ruleset::RelationId;
use std::collections::{BTreeMap, VecDeque};

pub(super) enum Pending<W> {
    Tuple {
        relation: RelationId,
        row: Row,
        weight: W,
        derivation: Derivation,
    },
    Edge {
        order: OrderId,
        edge: Edge<W>,
    },
    Path {
        order: OrderId,
        path: Path<W>,
    },
    Conflict {
        weight: W,
        derivation: Derivation,
    },
}

impl<W: Copy> Pending<W> {
    pub(super) fn weight(&self) -> W {
        match self {
            Pending::Tuple { weight, .. } | Pending::Conflict { weight, .. } => *weight,
            Pending::Edge { edge, .. } => edge.weight,
            Pending::Path { path, .. } => path.weight,
        }
    }
}

pub(super) struct Queue<W> {
    levels: BTreeMap<u64, VecDeque<Pending<W>>>,
}

impl<W> Default for Queue<W> {
    fn default() -> Self {
        Queue {
            levels: BTreeMap::new(),
        }
    }
}

impl<W> Queue<W> {
    pub(super) fn push(&mut self, level: u64, pending: Pending<W>) {
        let waiting = self.levels.entry(level).or_default();
        match pending {
            // What rests on the same need not be looked at any more.
            Pending::Conflict { .. } => waiting.push_front(pending),
            _ => waiting.push_back(pending),
        }
    }

    /// The lowest level at which something waits.
    pub(super) fn next_level(&mut self) -> Option<u64> {
        let (&level, _) = self.levels.first_key_value()?;
        Some(level)
    }

    /// The next of a level; the level is forgotten when nothing is left.
    pub(super) fn pop(&mut self, level: u64) -> Option<Pending<W>> {
        let waiting = self.levels.get_mut(&level)?;
        let next = waiting.pop_front();
        if next.is_none() {
            self.levels.remove(&level);
        }
        next
    }
}
