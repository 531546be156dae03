//! What has come out of the dataflow: every relation, and how it changed last.

use super::Diff;
use super::dataflow::Port;
use super::order_view::OrderView;
use super::tuple::Tuple;
use crate::backend::SettleError;
use crate::facts::{Change, ChangeKind};
use crate::value::{Row, Value};
use heddle_language::ruleset::{RelationId, RelationKind, RuleSet};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) struct Relations {
    rules: Arc<RuleSet>,
    /// By port; those of orders are kept as views only.
    tuples: Vec<FxHashSet<Tuple>>,
    orders: BTreeMap<RelationId, OrderView>,
    /// How the tuples changed since [`Relations::begin`].
    changes: FxHashMap<(Port, Tuple), Diff>,
}

impl Relations {
    pub(super) fn new(rules: Arc<RuleSet>) -> Self {
        let ports = rules.relations.len() + rules.conflicts.len();
        let orders = rules
            .relation_ids()
            .filter_map(|id| match rules.relation(id).kind {
                RelationKind::Order(order) => Some((id, OrderView::new(order))),
                RelationKind::Plain | RelationKind::Choice => None,
            });
        Relations {
            tuples: vec![FxHashSet::default(); ports],
            orders: orders.collect(),
            changes: FxHashMap::default(),
            rules,
        }
    }

    /// What follows is a new set of changes.
    pub(super) fn begin(&mut self) {
        self.changes.clear();
        self.orders.values_mut().for_each(OrderView::begin);
    }

    /// Takes in changes, which may come in any order and cancel out.
    pub(super) fn apply(&mut self, updates: impl IntoIterator<Item = (Port, Tuple, Diff)>) {
        let mut net: FxHashMap<(Port, Tuple), Diff> = FxHashMap::default();
        for (port, tuple, diff) in updates {
            *net.entry((port, tuple)).or_default() += diff;
        }
        net.retain(|_, diff| *diff != 0);
        for ((port, tuple), &diff) in &net {
            let relation = RelationId(port.0);
            match self.orders.get_mut(&relation) {
                Some(view) => view.clock(tuple, diff),
                None => self.place(*port, tuple, diff),
            }
        }
        // A tuple may come and go again before the next `begin`.
        for (key, diff) in net {
            let total = self.changes.entry(key).or_default();
            *total += diff;
        }
        self.changes.retain(|_, diff| *diff != 0);
    }

    fn place(&mut self, port: Port, tuple: &Tuple, diff: Diff) {
        let tuples = &mut self.tuples[port.index()];
        let changed = if diff > 0 {
            tuples.insert(tuple.clone())
        } else {
            tuples.remove(tuple)
        };
        debug_assert!(changed && diff.abs() == 1, "relations are sets");
        let relation = RelationId(port.0);
        for view in self.orders.values_mut() {
            view.take(relation, tuple, diff > 0);
        }
    }

    /// Whether the chains of all orders are in order.
    pub(super) fn check(&self) -> Result<(), SettleError> {
        for view in self.orders.values() {
            view.check(&self.tuples[view.event_relation().index()])?;
        }
        Ok(())
    }

    pub(super) fn rows(&self, relation: RelationId) -> Vec<Row> {
        match self.orders.get(&relation) {
            Some(view) => view.pairs(),
            None => self.tuples[relation.index()]
                .iter()
                .map(Tuple::to_row)
                .collect(),
        }
    }

    pub(super) fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        match (self.orders.get(&relation), row) {
            (Some(view), &[a, b]) => view.contains(a, b),
            _ => self.tuples[relation.index()].contains(&Tuple::of_row(row)),
        }
    }

    /// Positions of the conflicts that hold.
    pub(super) fn violated_conflicts(&self) -> Vec<usize> {
        let conflicts = &self.tuples[self.rules.relations.len()..];
        (0..conflicts.len())
            .filter(|&number| !conflicts[number].is_empty())
            .collect()
    }

    /// How these relations changed since [`Relations::begin`].
    pub(super) fn changes(&self, relations: &[RelationId]) -> Vec<Change> {
        let mut changes = Vec::new();
        for ((port, tuple), &diff) in &self.changes {
            let relation = RelationId(port.0);
            if relations.contains(&relation) && !self.orders.contains_key(&relation) {
                changes.push(Change {
                    relation,
                    row: tuple.to_row(),
                    kind: if diff > 0 {
                        ChangeKind::Insert
                    } else {
                        ChangeKind::Remove
                    },
                });
            }
        }
        for (&relation, view) in &self.orders {
            if relations.contains(&relation) {
                changes.extend(view.changes(relation));
            }
        }
        changes
    }
}
