//! Which rules and literals a derivation uses.

use super::algebra::Algebra;
use super::derivation::{Derivation, Pair, Premise};
use super::fixpoint::Fixpoint;
use super::orders::{Edge, EdgeId, EventId};
use super::program::{ClauseId, OrderId};
use super::store::ItemId;
use crate::facts::LiteralName;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Something with a derivation.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Item(ItemId),
    Edge(OrderId, EdgeId),
}

/// The clauses and literals in derivations, down to facts.
pub(super) struct Used<'a, A: Algebra> {
    fixpoint: &'a Fixpoint<A>,
    clauses: BTreeSet<ClauseId>,
    literals: Vec<LiteralName>,
    seen: FxHashSet<Node>,
    open: Vec<Derivation>,
}

impl<'a, A: Algebra> Used<'a, A> {
    pub(super) fn new(fixpoint: &'a Fixpoint<A>) -> Self {
        Used {
            fixpoint,
            clauses: BTreeSet::new(),
            literals: Vec::new(),
            seen: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, derivation: Derivation) {
        self.open.push(derivation);
    }

    pub(super) fn add_clause(&mut self, clause: ClauseId) {
        self.clauses.insert(clause);
    }

    pub(super) fn add_edge(&mut self, order: OrderId, edge: EdgeId) {
        if self.seen.insert(Node::Edge(order, edge)) {
            let order = &self.fixpoint.orders[order.index()];
            self.open.push(order.edge(edge).derivation);
        }
    }

    pub(super) fn add_pair(&mut self, order: OrderId, pair: Pair) {
        for step in self.fixpoint.steps_of(order, pair) {
            match step {
                PathStep::Edge(edge) => self.add_edge(order, edge),
                PathStep::Chain(first, last) => {
                    for event in [first, last] {
                        for item in self.fixpoint.presence_of(order, event) {
                            self.add_item(item);
                        }
                    }
                }
            }
        }
    }

    fn add_item(&mut self, item: ItemId) {
        if self.seen.insert(Node::Item(item)) {
            self.open.push(self.fixpoint.store.item(item).derivation);
        }
    }

    /// The clauses, and the literals of facts in no order, some more than once.
    pub(super) fn finish(mut self) -> (BTreeSet<ClauseId>, Vec<LiteralName>) {
        while let Some(derivation) = self.open.pop() {
            self.clauses.extend(self.fixpoint.clause_of(derivation));
            if let Derivation::Fact(literal) = derivation {
                self.literals.push(literal);
            }
            for (_, premise) in self.fixpoint.premises_of(derivation) {
                match premise {
                    Premise::Item(item) => self.add_item(item),
                    Premise::Pair(order, pair) => self.add_pair(order, pair),
                }
            }
        }
        (self.clauses, self.literals)
    }
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
