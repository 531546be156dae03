//! Which rules a derivation uses.

use super::algebra::Algebra;
use super::derivation::{Derivation, Pair, Premise};
use super::fixpoint::Fixpoint;
use super::orders::{Edge, EdgeId, EventId};
use super::program::{ClauseId, OrderId};
use super::store::ItemId;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Something with a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Item(ItemId),
    Edge(OrderId, EdgeId),
}

/// The clauses in a derivation, down to facts.
pub(super) fn clauses_used<A: Algebra>(
    fixpoint: &Fixpoint<A>,
    derivation: Derivation,
) -> BTreeSet<ClauseId> {
    let mut used = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![derivation];
    while let Some(derivation) = open.pop() {
        used.extend(fixpoint.clause_of(derivation));
        for (_, premise) in fixpoint.premises_of(derivation) {
            let mut visit = |node: Node| {
                if seen.insert(node) {
                    open.push(match node {
                        Node::Item(item) => fixpoint.store.item(item).derivation,
                        Node::Edge(order, edge) => {
                            fixpoint.orders[order.index()].edge(edge).derivation
                        }
                    });
                }
            };
            match premise {
                Premise::Item(item) => visit(Node::Item(item)),
                Premise::Pair(order, pair) => {
                    for step in fixpoint.steps_of(order, pair) {
                        match step {
                            PathStep::Edge(edge) => visit(Node::Edge(order, edge)),
                            PathStep::Chain(first, last) => {
                                for event in [first, last] {
                                    for item in fixpoint.presence_of(order, event) {
                                        visit(Node::Item(item));
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    used
}

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    Edge(EdgeId),
    Chain(EventId, EventId),
}

impl<A: Algebra> Fixpoint<A> {
    pub(super) fn clause_of(&self, derivation: Derivation) -> Option<ClauseId> {
        match derivation {
            Derivation::Fact(_) => None,
            Derivation::Clause { clause, .. } => Some(clause),
            Derivation::Join { join, .. } => Some(self.program.joins[join.index()].clause),
        }
    }

    /// The premises of a derivation with the positions of their atoms, in the body's order.
    pub(super) fn premises_of(&self, derivation: Derivation) -> Vec<(u32, Premise)> {
        let mut premises = match derivation {
            Derivation::Fact(_) => Vec::new(),
            Derivation::Clause { premises, .. } => self.premises.of(premises).to_vec(),
            Derivation::Join {
                join,
                site,
                source,
                pair,
                others,
            } => {
                let plan = &self.program.joins[join.index()];
                let tables = &self.tables[join.index()];
                let rows = [tables.site(site), tables.source(source)];
                let sides = rows.into_iter().flatten();
                let mut premises = vec![(plan.atom, Premise::Pair(plan.order, pair))];
                premises.extend(sides.flat_map(|row| self.premises.of(row.premises)));
                premises.extend(self.premises.of(others));
                premises
            }
        };
        premises.sort_by_key(|&(position, _)| position);
        premises
    }

    /// The steps of a path with chain steps at its ends, from first to last.
    pub(super) fn steps_of(&self, order: OrderId, pair: Pair) -> Vec<PathStep> {
        let store = &self.orders[order.index()];
        let mut edges = Vec::new();
        let mut path = pair.path;
        while let Some(id) = path {
            edges.push(store.paths.path(id).edge);
            path = store.paths.path(id).before;
        }
        let mut steps = Vec::new();
        let mut at = pair.first;
        for &edge in edges.iter().rev() {
            let Edge { first, last, .. } = *store.edge(edge);
            if at != first {
                steps.push(PathStep::Chain(at, first));
            }
            steps.push(PathStep::Edge(edge));
            at = last;
        }
        if at != pair.last {
            steps.push(PathStep::Chain(at, pair.last));
        }
        steps
    }

    /// The tuples by which an event is present in its chain.
    pub(super) fn presence_of(&self, order: OrderId, event: EventId) -> Vec<ItemId> {
        let store = &self.orders[order.index()];
        match store.event(event).presence.first() {
            None => Vec::new(),
            Some(presence) => {
                let mut items = vec![presence.event];
                items.extend(presence.executed);
                items
            }
        }
    }
}
