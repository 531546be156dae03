//! Conflicts step by step: each order that takes part in one, and what it rests on.
//!
//! One order between two events can have very many kernel reasons, and a cycle of several
//! such orders has all combinations of them. Named once, an order stands for all of its
//! reasons: a solver that has a variable for it is told by one clause how it follows, and
//! by one clause which orders contradict.

use super::cheap_conflicts::way_back;
use super::costs::Costs;
use super::derivation::{Derivation, Pair, Premise};
use super::fixpoint::{Fixpoint, Mark};
use super::orders::EdgeId;
use super::program::{ClauseId, OrderId};
use super::store::ItemId;
use super::used::PathStep;
use crate::facts::LiteralName;
use crate::value::Row;
use heddle_language::ruleset::{RelationId, RuleId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Derivations of conflicts, cut into steps.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    pub list: Vec<Step>,
    /// Whether the search came to its end: then no conflict in the list means that there is
    /// none.
    pub is_complete: bool,
}

impl Steps {
    /// The rules by which the step follows from literals alone, some more than once.
    pub fn rules_behind(&self, step: &Step) -> Vec<RuleId> {
        let mut rules = step.rules.clone();
        let mut seen = FxHashSet::default();
        let mut open: Vec<Ground> = step.premises.clone();
        while let Some(premise) = open.pop() {
            if let Ground::Step(position) = premise
                && seen.insert(position)
            {
                rules.extend(&self.list[position].rules);
                open.extend(&self.list[position].premises);
            }
        }
        rules
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub conclusion: Conclusion,
    /// What the conclusion follows from; nothing if it holds anyway.
    pub premises: Vec<Ground>,
    /// The rules by which it does, sorted.
    pub rules: Vec<RuleId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// A tuple of an order that a rule gives.
    Order(RelationId, Row),
    /// A violated conflict: its position in [`heddle_language::RuleSet::conflicts`].
    Conflict(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ground {
    Literal(LiteralName),
    /// The conclusion of the step at this position in [`Steps::list`].
    Step(usize),
}

/// Derivations of conflicts, and of what they rest on, down to what holds anyway.
pub(super) struct Cut<'a> {
    fixpoint: &'a Fixpoint<Costs>,
    /// Up to here, nothing rests on literals.
    mark: &'a Mark,
    always: LiteralName,
    steps: Vec<Step>,
    numbers: FxHashMap<(OrderId, EdgeId), usize>,
    /// Orders whose premises are not known yet.
    open: Vec<(usize, Derivation)>,
}

impl<'a> Cut<'a> {
    pub(super) fn new(fixpoint: &'a Fixpoint<Costs>, mark: &'a Mark, always: LiteralName) -> Self {
        Cut {
            fixpoint,
            mark,
            always,
            steps: Vec::new(),
            numbers: FxHashMap::default(),
            open: Vec::new(),
        }
    }

    /// Adds a violated conflict with this derivation.
    pub(super) fn conflict(&mut self, derivation: Derivation) {
        let clause = self.fixpoint.clause_of(derivation);
        let position = self.push_conflict(clause.expect("a conflict is no fact"));
        let mut body = Body::default();
        body.open.push(derivation);
        self.fill(position, body);
    }

    /// Adds the conflict that an edge and the cheapest way back violate.
    pub(super) fn cycle(&mut self, clause: ClauseId, order: OrderId, edge: EdgeId) {
        let position = self.push_conflict(clause);
        let mut body = Body::default();
        body.premises.extend(self.edge(order, edge));
        let back = way_back(self.fixpoint, order, edge).expect("the edge is on a cycle");
        self.follow(order, back, &mut body);
        self.fill(position, body);
    }

    pub(super) fn finish(mut self) -> Vec<Step> {
        while let Some((position, derivation)) = self.open.pop() {
            let mut body = Body::default();
            body.open.push(derivation);
            self.fill(position, body);
        }
        self.steps
    }

    fn push_conflict(&mut self, clause: ClauseId) -> usize {
        let rules = self.fixpoint.program.rules.rules.len();
        self.push(Conclusion::Conflict(clause.index() - rules))
    }

    fn push(&mut self, conclusion: Conclusion) -> usize {
        self.steps.push(Step {
            conclusion,
            premises: Vec::new(),
            rules: Vec::new(),
        });
        self.steps.len() - 1
    }

    /// Follows derivations down to literals and to orders that other steps derive.
    fn fill(&mut self, position: usize, mut body: Body) {
        let rules = self.fixpoint.program.rules.rules.len();
        while let Some(derivation) = body.open.pop() {
            if let Derivation::Fact(literal) = derivation
                && literal != self.always
            {
                body.premises.push(Ground::Literal(literal));
            }
            let clause = self.fixpoint.clause_of(derivation);
            body.used
                .extend(clause.filter(|clause| clause.index() < rules));
            for (_, premise) in self.fixpoint.premises_of(derivation) {
                match premise {
                    Premise::Item(item) => self.visit(item, &mut body),
                    Premise::Pair(order, pair) => self.follow(order, pair, &mut body),
                }
            }
        }
        body.premises.sort_unstable();
        body.premises.dedup();
        body.used.sort_unstable();
        body.used.dedup();
        let step = &mut self.steps[position];
        step.premises = body.premises;
        let rule_of = |clause: ClauseId| RuleId(clause.index() as u32);
        step.rules = body.used.into_iter().map(rule_of).collect();
    }

    fn visit(&self, item: ItemId, body: &mut Body) {
        if !self.mark.store.has(item) && body.seen.insert(item) {
            body.open.push(self.fixpoint.store.item(item).derivation);
        }
    }

    fn follow(&mut self, order: OrderId, pair: Pair, body: &mut Body) {
        for step in self.fixpoint.steps_of(order, pair) {
            match step {
                PathStep::Chain(first, last) => {
                    for event in [first, last] {
                        for item in self.fixpoint.presence_of(order, event) {
                            self.visit(item, body);
                        }
                    }
                }
                PathStep::Edge(edge) => body.premises.extend(self.edge(order, edge)),
            }
        }
    }

    /// The step that derives the edge, unless it holds anyway.
    fn edge(&mut self, order: OrderId, id: EdgeId) -> Option<Ground> {
        if self.mark.orders[order.index()].has_edge(id) {
            return None;
        }
        if let Some(&position) = self.numbers.get(&(order, id)) {
            return Some(Ground::Step(position));
        }
        let store = &self.fixpoint.orders[order.index()];
        let edge = store.edge(id);
        let ends = [edge.first, edge.last].map(|event| store.event(event).value);
        let relation = self.fixpoint.program.orders[order.index()].relation;
        let derivation = edge.derivation;
        let position = self.push(Conclusion::Order(relation, Box::new(ends)));
        self.numbers.insert((order, id), position);
        self.open.push((position, derivation));
        Some(Ground::Step(position))
    }
}

/// What one step was found to rest on.
#[derive(Default)]
struct Body {
    premises: Vec<Ground>,
    used: Vec<ClauseId>,
    seen: FxHashSet<ItemId>,
    open: Vec<Derivation>,
}
