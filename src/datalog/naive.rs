//! The oracle: every rule applied to everything, until nothing changes.
//!
//! Obviously right and slow. The other back ends are compared with it, so it shares no
//! code with them: no indexes, no plans, and an `order` relation is a plain set of pairs
//! with its two axioms applied like rules.

use crate::backend::{Backend, SettleError};
use crate::constants::Constants;
use crate::facts::{Change, Facts};
use crate::value::{Row, Symbols, Value};
use heddle_language::ruleset::{
    Aggregate, AggregateFunction, Atom, Comparison, Expression, Literal, Order, RelationId,
    RelationKind, Rule, RuleSet, Term, VariableId,
};
use std::collections::BTreeSet;
use std::sync::Arc;

pub struct Naive {
    rules: Arc<RuleSet>,
    constants: Constants,
    relations: Model,
}

impl Naive {
    pub fn new(rules: Arc<RuleSet>, symbols: &mut Symbols) -> Self {
        let relations = vec![BTreeSet::new(); rules.relations.len()];
        let constants = Constants::of(&rules, symbols);
        Naive {
            rules,
            constants,
            relations,
        }
    }
}

impl Backend for Naive {
    fn settle(&mut self, facts: &Facts, _changes: &[Change]) -> Result<(), SettleError> {
        self.relations = self.fixpoint(facts, &[])?;
        Ok(())
    }

    fn rows(&self, relation: RelationId) -> Vec<Row> {
        self.relations[relation.index()].iter().cloned().collect()
    }

    fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.relations[relation.index()].contains(row)
    }
}

/// All relations, by [`RelationId`].
pub type Model = Vec<BTreeSet<Row>>;

impl Naive {
    /// What follows from the facts if the `given` relations hold exactly the given tuples,
    /// whatever rules would derive for them.
    pub fn fixpoint(
        &self,
        facts: &Facts,
        given: &[(RelationId, BTreeSet<Row>)],
    ) -> Result<Model, SettleError> {
        let mut model: Model = self
            .rules
            .relation_ids()
            .map(|relation| facts.rows(relation).map(Row::from).collect())
            .collect();
        for (relation, rows) in given {
            model[relation.index()].clone_from(rows);
        }
        let is_given = |relation: RelationId| given.iter().any(|(known, _)| *known == relation);
        for stratum in &self.rules.strata {
            let orders = || {
                stratum.relations.iter().filter_map(|&relation| {
                    match self.rules.relation(relation).kind {
                        RelationKind::Order(order) => Some((relation, order)),
                        _ => None,
                    }
                })
            };
            for (_, order) in orders() {
                check_chains(&model, order)?;
            }
            loop {
                let mut derived: Vec<(RelationId, Row)> = Vec::new();
                for &rule in &stratum.rules {
                    self.apply(self.rules.rule(rule), &model, &mut derived);
                }
                for (relation, order) in orders() {
                    apply_order_axioms(relation, order, &model, &mut derived);
                }
                let mut grew = false;
                for (relation, row) in derived {
                    grew |= !is_given(relation) && model[relation.index()].insert(row);
                }
                if !grew {
                    break;
                }
            }
        }
        Ok(model)
    }

    /// What one application of a rule derives from a model, known or not.
    pub fn consequences(&self, rule: &Rule, model: &Model) -> Vec<Row> {
        let mut derived = Vec::new();
        self.apply(rule, model, &mut derived);
        derived.into_iter().map(|(_, row)| row).collect()
    }

    fn apply(&self, rule: &Rule, model: &[BTreeSet<Row>], derived: &mut Vec<(RelationId, Row)>) {
        let matcher = Matcher {
            model,
            constants: &self.constants,
        };
        let mut binding = vec![None; rule.variables.len()];
        matcher.each(&rule.body, &mut binding, &mut |binding| {
            let row: Option<Row> = rule
                .head
                .arguments
                .iter()
                .map(|argument| matcher.evaluate(argument, binding))
                .collect();
            derived.extend(row.map(|row| (rule.head.relation, row)));
        });
    }
}

/// Which of the rule set's conflicts hold in a model: positions in [`RuleSet::conflicts`].
pub(crate) fn violated_conflicts(
    rules: &RuleSet,
    constants: &Constants,
    model: &[BTreeSet<Row>],
) -> Vec<usize> {
    let matcher = Matcher { model, constants };
    let holds = |index: &usize| {
        let conflict = &rules.conflicts[*index];
        let mut holds = false;
        let mut binding = vec![None; conflict.variables.len()];
        matcher.each(&conflict.body, &mut binding, &mut |_| holds = true);
        holds
    };
    (0..rules.conflicts.len()).filter(holds).collect()
}

/// Transitivity, and the order of each chain's executed events.
fn apply_order_axioms(
    relation: RelationId,
    order: Order,
    model: &[BTreeSet<Row>],
    derived: &mut Vec<(RelationId, Row)>,
) {
    let pairs = &model[relation.index()];
    for first in pairs {
        for second in pairs.iter().filter(|second| second[0] == first[1]) {
            derived.push((relation, Box::new([first[0], second[1]])));
        }
    }
    let executed = |event: Value| {
        order
            .executed
            .is_none_or(|relation| model[relation.index()].contains(&[event][..]))
    };
    let events = &model[order.event.index()];
    for a in events.iter().filter(|a| executed(a[0])) {
        for b in events.iter().filter(|b| executed(b[0])) {
            if a[1] == b[1] && a[2] < b[2] {
                derived.push((relation, Box::new([a[0], b[0]])));
            }
        }
    }
}

fn check_chains(model: &[BTreeSet<Row>], order: Order) -> Result<(), SettleError> {
    let events = &model[order.event.index()];
    for a in events {
        for b in events.iter().filter(|&b| a < b) {
            if a[0] == b[0] {
                return Err(SettleError::SeveralPlaces {
                    event_relation: order.event,
                    event: a[0],
                });
            }
            if a[1] == b[1] && a[2] == b[2] {
                return Err(SettleError::SharedPlace {
                    event_relation: order.event,
                    first: a[0],
                    second: b[0],
                    chain: a[1],
                    index: a[2].0,
                });
            }
        }
    }
    Ok(())
}

type Binding = Vec<Option<Value>>;

struct Matcher<'a> {
    model: &'a [BTreeSet<Row>],
    constants: &'a Constants,
}

impl Matcher<'_> {
    /// Calls `found` for each way to make all of `body` hold. `binding` is the same
    /// before and after.
    fn each(&self, body: &[Literal], binding: &mut Binding, found: &mut dyn FnMut(&Binding)) {
        let Some((literal, rest)) = body.split_first() else {
            return found(binding);
        };
        match literal {
            Literal::Positive(atom) => {
                for row in &self.model[atom.relation.index()] {
                    let before = binding.clone();
                    if self.unify(atom, row, binding) {
                        self.each(rest, binding, found);
                    }
                    *binding = before;
                }
            }
            Literal::Negative(atom) => {
                let matches = self.model[atom.relation.index()]
                    .iter()
                    .any(|row| self.unify(atom, row, &mut binding.clone()));
                if !matches {
                    self.each(rest, binding, found);
                }
            }
            Literal::Compare(comparison, left, right) => {
                self.compare(*comparison, left, right, rest, binding, found);
            }
            Literal::Aggregate(aggregate) => {
                if let Some(value) = self.aggregate(aggregate, binding) {
                    self.with(aggregate.result, value, rest, binding, found);
                }
            }
        }
    }

    /// Makes the atom equal to the row by binding its free variables, if that can be done.
    /// After a failure the binding is of no use.
    fn unify(&self, atom: &Atom, row: &Row, binding: &mut Binding) -> bool {
        atom.arguments
            .iter()
            .zip(row.iter())
            .all(|(argument, &value)| match argument {
                Term::Wildcard => true,
                Term::Constant(constant) => self.constants.value(constant) == value,
                Term::Variable(variable) => {
                    *binding[variable.index()].get_or_insert(value) == value
                }
            })
    }

    fn compare(
        &self,
        comparison: Comparison,
        left: &Expression,
        right: &Expression,
        rest: &[Literal],
        binding: &mut Binding,
        found: &mut dyn FnMut(&Binding),
    ) {
        if comparison == Comparison::Equal {
            for (side, other) in [(left, right), (right, left)] {
                if let Expression::Variable(variable) = side
                    && binding[variable.index()].is_none()
                {
                    if let Some(value) = self.evaluate(other, binding) {
                        self.with(*variable, value, rest, binding, found);
                    }
                    return;
                }
            }
        }
        if let (Some(left), Some(right)) =
            (self.evaluate(left, binding), self.evaluate(right, binding))
            && comparison.holds(left.0, right.0)
        {
            self.each(rest, binding, found);
        }
    }

    /// Goes on with `variable` bound to `value`, unless it is bound to something else.
    fn with(
        &self,
        variable: VariableId,
        value: Value,
        rest: &[Literal],
        binding: &mut Binding,
        found: &mut dyn FnMut(&Binding),
    ) {
        let before = binding[variable.index()];
        if before.is_none_or(|bound| bound == value) {
            binding[variable.index()] = Some(value);
            self.each(rest, binding, found);
            binding[variable.index()] = before;
        }
    }

    /// `None` where a division by zero leaves the expression without a value.
    fn evaluate(&self, expression: &Expression, binding: &Binding) -> Option<Value> {
        Some(match expression {
            Expression::Variable(variable) => {
                binding[variable.index()].expect("a checked body binds before it uses")
            }
            Expression::Constant(constant) => self.constants.value(constant),
            Expression::Negate(inner) => Value(self.evaluate(inner, binding)?.0.wrapping_neg()),
            Expression::Binary(operator, left, right) => Value(operator.apply(
                self.evaluate(left, binding)?.0,
                self.evaluate(right, binding)?.0,
            )?),
        })
    }

    fn aggregate(&self, aggregate: &Aggregate, binding: &Binding) -> Option<Value> {
        let mut values = Vec::new();
        let body = name_wildcards(&aggregate.body, binding.len());
        let mut extended = binding.clone();
        extended.resize(binding.len() + count_wildcards(&aggregate.body), None);
        let mut seen = BTreeSet::new();
        self.each(&body, &mut extended, &mut |assignment| {
            if seen.insert(assignment.clone()) {
                let value = match &aggregate.value {
                    Some(expression) => self.evaluate(expression, assignment),
                    None => Some(Value(0)),
                };
                values.extend(value.map(|value| value.0));
            }
        });
        match aggregate.function {
            AggregateFunction::Count => Some(Value(values.len() as i64)),
            AggregateFunction::Sum => Some(Value(
                values.iter().fold(0, |sum, &value| sum.wrapping_add(value)),
            )),
            AggregateFunction::Min => values.iter().min().map(|&value| Value(value)),
            AggregateFunction::Max => values.iter().max().map(|&value| Value(value)),
        }
    }
}

/// An aggregate ranges over its wildcards too, so they become variables of their own.
/// (Not those of negated atoms, which bind nothing.)
fn name_wildcards(body: &[Literal], first_free: usize) -> Vec<Literal> {
    let mut body = body.to_vec();
    let wildcards = body
        .iter_mut()
        .filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        })
        .flat_map(|atom| &mut atom.arguments)
        .filter(|argument| **argument == Term::Wildcard);
    for (offset, wildcard) in wildcards.enumerate() {
        *wildcard = Term::Variable(VariableId((first_free + offset) as u32));
    }
    body
}

fn count_wildcards(body: &[Literal]) -> usize {
    body.iter()
        .filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        })
        .flat_map(|atom| &atom.arguments)
        .filter(|argument| **argument == Term::Wildcard)
        .count()
}
