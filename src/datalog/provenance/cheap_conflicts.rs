//! Violated conflicts in the order of what their derivations cost.
//!
//! Where an order must have no cycle, each edge gives one: the edge itself and the cheapest
//! way back. So there are many to choose from although only one path is kept between two
//! events.

use super::costs::{Cost, Costs};
use super::derivation::Pair;
use super::fixpoint::{FactLists, Fixpoint, Limits, Mark, Outcome};
use super::kernel_search::{Found, violated_anyway};
use super::orders::EdgeId;
use super::program::{ClauseId, OrderId, Program};
use super::steps::{Cut, Steps};
use super::used::Used;
use crate::backend::SettleError;
use crate::facts::LiteralName;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

/// What a violated conflict was found to rest on.
pub(super) struct Candidate {
    /// Sorted.
    pub(super) literals: Vec<LiteralName>,
    pub(super) clauses: Vec<ClauseId>,
}

/// Where to look for violated conflicts.
pub(super) struct Scope<'a> {
    pub(super) facts: &'a FactLists,
    /// The only ones to consider.
    pub(super) literals: &'a [LiteralName],
    /// How many derivations to try.
    pub(super) work: u64,
}

/// How to derive a violated conflict.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// By position among the violations.
    Derived(usize),
    Cycle(ClauseId, OrderId, EdgeId),
}

/// Finds violated conflicts, over facts that are the same but for those that rest on
/// literals.
pub(super) struct CheapConflicts {
    fixpoint: Fixpoint<Costs>,
    mark: Mark,
    always: LiteralName,
    /// A conflict that holds anyway.
    pub(super) violated: Option<Found>,
    /// What is found until then is enough.
    pub(super) deadline: Option<Instant>,
}

impl CheapConflicts {
    /// `settled` are the facts that hold anyway.
    pub(super) fn new(
        program: &Arc<Program>,
        settled: &FactLists,
        always: LiteralName,
        deadline: Option<Instant>,
    ) -> Result<Self, SettleError> {
        let costs = Costs::new(always, &[]);
        let mut fixpoint = Fixpoint::new(program.clone(), costs);
        fixpoint.limits.deadline = deadline;
        fixpoint.settle(settled)?;
        let mark = fixpoint.mark();
        Ok(CheapConflicts {
            violated: violated_anyway(&fixpoint),
            fixpoint,
            mark,
            always,
            deadline,
        })
    }

    /// Calls `offer` for each violated conflict, the cheapest first, until it says that there are
    /// enough. No two of them rest on the same literals.
    pub(super) fn search(
        &mut self,
        scope: &Scope,
        offer: &mut dyn FnMut(Candidate) -> bool,
    ) -> Outcome {
        self.search_ways(scope, &mut |_, candidate| offer(candidate))
    }

    /// Derivations of violated conflicts, the cheapest, at least `limit` of them if there are
    /// so many, cut into steps.
    pub(super) fn steps(
        &mut self,
        facts: &FactLists,
        literals: &[LiteralName],
        limit: usize,
    ) -> Steps {
        let mut found = Vec::new();
        let scope = Scope {
            facts,
            literals,
            work: u64::MAX,
        };
        let outcome = self.search_ways(&scope, &mut |way, _| {
            found.push(way);
            found.len() >= limit
        });
        let mut cut = Cut::new(&self.fixpoint, &self.mark, self.always);
        for way in found {
            match way {
                Way::Derived(position) => {
                    cut.conflict(self.fixpoint.violations[position].derivation)
                }
                Way::Cycle(clause, order, edge) => cut.cycle(clause, order, edge),
            }
        }
        Steps {
            list: cut.finish(),
            is_complete: outcome != Outcome::GaveUp,
        }
    }

    fn search_ways(
        &mut self,
        scope: &Scope,
        offer: &mut dyn FnMut(Way, Candidate) -> bool,
    ) -> Outcome {
        let CheapConflicts {
            fixpoint,
            mark,
            always,
            deadline,
            ..
        } = self;
        let costs = Costs::new(*always, scope.literals);
        fixpoint.rollback(mark, costs);
        fixpoint.limits = Limits {
            work: scope.work,
            deadline: *deadline,
            ..Limits::NONE
        };
        let mut offered = Offered::default();
        let mut offer_up_to = |fixpoint: &Fixpoint<Costs>, cost: Cost| {
            let ways = ways(fixpoint, cost).into_iter();
            let mut new =
                ways.filter_map(|(_, way)| Some((way, offered.candidate(fixpoint, way)?)));
            new.any(|(way, candidate)| offer(way, candidate))
        };
        // All paths that are as cheap as the level are known, so all cycles that are dearer by
        // one literal.
        let outcome = fixpoint.extend_until(scope.facts, mark, &mut |fixpoint, level| {
            offer_up_to(fixpoint, level as Cost + 1)
        });
        if outcome != Outcome::Enough && offer_up_to(fixpoint, Cost::MAX) {
            return Outcome::Enough;
        }
        outcome
    }
}

/// The conflicts that are violated at no more than this cost, the cheapest first.
fn ways(fixpoint: &Fixpoint<Costs>, most: Cost) -> Vec<(Cost, Way)> {
    let violations = fixpoint.violations.iter().enumerate();
    let mut ways: Vec<(Cost, Way)> = violations
        .map(|(position, violation)| (violation.weight, Way::Derived(position)))
        .collect();
    for join in fixpoint.program.joins.iter().filter(|j| j.is_acyclicity) {
        let order = &fixpoint.orders[join.order.index()];
        for edge in order.edge_ids() {
            let (first, last) = (order.edge(edge).first, order.edge(edge).last);
            if let Some((back, _)) = order.cheapest(last, first) {
                let cost = order.edge(edge).weight.saturating_add(back);
                ways.push((cost, Way::Cycle(join.clause, join.order, edge)));
            }
        }
    }
    ways.retain(|&(cost, _)| cost <= most);
    ways.sort_by_key(|&(cost, _)| cost);
    ways
}

/// The cheapest way from the end of an edge to its beginning.
pub(super) fn way_back(fixpoint: &Fixpoint<Costs>, order: OrderId, edge: EdgeId) -> Option<Pair> {
    let store = &fixpoint.orders[order.index()];
    let (first, last) = (store.edge(edge).last, store.edge(edge).first);
    let (_, path) = store.cheapest(first, last)?;
    Some(Pair { first, last, path })
}

/// What was offered before.
#[derive(Default)]
struct Offered {
    ways: FxHashSet<Way>,
    literals: FxHashSet<Vec<LiteralName>>,
}

impl Offered {
    /// `None` if the way, or another one that rests on the same literals, was offered before.
    fn candidate(&mut self, fixpoint: &Fixpoint<Costs>, way: Way) -> Option<Candidate> {
        if !self.ways.insert(way) {
            return None;
        }
        let mut used = Used::new(fixpoint);
        match way {
            Way::Derived(position) => used.add(fixpoint.violations[position].derivation),
            Way::Cycle(clause, order, edge) => {
                used.add_clause(clause);
                used.add_edge(order, edge);
                used.add_pair(order, way_back(fixpoint, order, edge)?);
            }
        }
        let always = fixpoint.algebra.always();
        let (clauses, mut literals) = used.finish();
        literals.retain(|&literal| literal != always);
        literals.sort_unstable();
        literals.dedup();
        self.literals.insert(literals.clone()).then_some(Candidate {
            literals,
            clauses: clauses.into_iter().collect(),
        })
    }
}
