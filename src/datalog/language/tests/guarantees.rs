//! What `ruleset.rs` promises the back ends, checked again and independently.

use heddle_language::RuleSet;
use heddle_language::ruleset::{
    Aggregate, Atom, Comparison, Constant, Expression, Literal, RelationId, RelationKind, Term,
    ValueKind, Variable, VariableId,
};
use std::collections::{BTreeSet, HashMap};

/// Panics if the rule set breaks a promise.
pub(crate) fn assert_guarantees(rules: &RuleSet) {
    let stratum_of = strata(rules);
    for relation in rules.relation_ids() {
        if let RelationKind::Order(order) = rules.relation(relation).kind {
            let lower = |other: RelationId| stratum_of[&other] < stratum_of[&relation];
            assert!(lower(order.event) && order.executed.is_none_or(lower));
            assert_eq!(rules.relation(order.event).arity(), 3);
            assert_eq!(
                rules.relation(order.event).columns[2].kind,
                ValueKind::Number
            );
            assert_eq!(rules.relation(relation).arity(), 2);
        }
    }
    for rule in &rules.rules {
        let head = rules.relation(rule.head.relation);
        assert_ne!(head.kind, RelationKind::Choice);
        let walk = Walk {
            rules,
            variables: &rule.variables,
            below: Some((stratum_of[&rule.head.relation], &stratum_of)),
        };
        let mut bound = BTreeSet::new();
        walk.body(&rule.body, &mut bound);
        assert_eq!(head.arity(), rule.head.arguments.len());
        for (argument, column) in rule.head.arguments.iter().zip(&head.columns) {
            assert_eq!(walk.expression(argument, &bound), column.kind);
        }
        assert_eq!(
            all_variables(&rule.body).len().max(bound.len()),
            rule.variables.len()
        );
    }
    let chosen = chosen(rules);
    for conflict in &rules.conflicts {
        let walk = Walk {
            rules,
            variables: &conflict.variables,
            below: None,
        };
        walk.body(&conflict.body, &mut BTreeSet::new());
        let has_aggregate = |literal: &Literal| matches!(literal, Literal::Aggregate(_));
        assert!(!conflict.body.iter().any(has_aggregate));
        assert_monotone(rules, &chosen, &conflict.body, &mut BTreeSet::new());
    }
}

/// The number of each relation's stratum.
fn strata(rules: &RuleSet) -> HashMap<RelationId, usize> {
    let mut stratum_of = HashMap::new();
    let mut rule_count = 0;
    for (number, stratum) in rules.strata.iter().enumerate() {
        for relation in &stratum.relations {
            assert_eq!(stratum_of.insert(*relation, number), None);
        }
        for rule in &stratum.rules {
            assert!(stratum.relations.contains(&rules.rule(*rule).head.relation));
            rule_count += 1;
        }
    }
    assert_eq!(stratum_of.len(), rules.relations.len());
    assert_eq!(rule_count, rules.rules.len());
    stratum_of
}

fn all_variables(body: &[Literal]) -> BTreeSet<VariableId> {
    let mut all = BTreeSet::new();
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => all.extend(of_atom(atom)),
            Literal::Compare(_, left, right) => {
                of_expression(left, &mut all);
                of_expression(right, &mut all);
            }
            Literal::Aggregate(aggregate) => {
                all.insert(aggregate.result);
                all.extend(of_aggregate(aggregate));
            }
        }
    }
    all
}

fn of_atom(atom: &Atom) -> impl Iterator<Item = VariableId> {
    atom.arguments.iter().filter_map(|argument| match argument {
        Term::Variable(variable) => Some(*variable),
        _ => None,
    })
}

fn of_expression(expression: &Expression, all: &mut BTreeSet<VariableId>) {
    match expression {
        Expression::Variable(variable) => drop(all.insert(*variable)),
        Expression::Constant(_) => {}
        Expression::Negate(operand) => of_expression(operand, all),
        Expression::Binary(_, left, right) => {
            of_expression(left, all);
            of_expression(right, all);
        }
    }
}

fn of_aggregate(aggregate: &Aggregate) -> BTreeSet<VariableId> {
    let mut all = all_variables(&aggregate.body);
    if let Some(value) = &aggregate.value {
        of_expression(value, &mut all);
    }
    all
}

/// Goes through a body from left to right.
struct Walk<'a> {
    rules: &'a RuleSet,
    variables: &'a [Variable],
    /// The head's stratum; what is negated must lie below it.
    below: Option<(usize, &'a HashMap<RelationId, usize>)>,
}

impl Walk<'_> {
    fn kind(&self, variable: VariableId) -> ValueKind {
        self.variables[variable.index()].kind
    }

    fn body(&self, body: &[Literal], bound: &mut BTreeSet<VariableId>) {
        for literal in body {
            match literal {
                Literal::Positive(atom) => {
                    self.atom(atom, false);
                    bound.extend(of_atom(atom));
                }
                Literal::Negative(atom) => {
                    self.atom(atom, true);
                    assert!(of_atom(atom).all(|variable| bound.contains(&variable)));
                }
                Literal::Compare(comparison, left, right) => {
                    for (side, other) in [(left, right), (right, left)] {
                        if let Expression::Variable(variable) = side
                            && *comparison == Comparison::Equal
                            && !bound.contains(variable)
                        {
                            self.expression(other, bound);
                            bound.insert(*variable);
                        }
                    }
                    let kind = self.expression(left, bound);
                    assert_eq!(kind, self.expression(right, bound));
                    let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                    assert!(equality || kind == ValueKind::Number);
                }
                Literal::Aggregate(aggregate) => self.aggregate(aggregate, bound),
            }
        }
    }

    fn aggregate(&self, aggregate: &Aggregate, bound: &mut BTreeSet<VariableId>) {
        let groups: BTreeSet<VariableId> = aggregate.groups.iter().copied().collect();
        let inside = of_aggregate(aggregate);
        assert_eq!(groups, inside.intersection(bound).copied().collect());
        let mut bound_inside = groups;
        self.body(&aggregate.body, &mut bound_inside);
        for literal in &aggregate.body {
            assert!(!matches!(literal, Literal::Aggregate(_)));
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                self.atom(atom, true);
            }
        }
        match &aggregate.value {
            Some(value) => assert_eq!(self.expression(value, &bound_inside), ValueKind::Number),
            None => assert_eq!(aggregate.function.to_string(), "count"),
        }
        assert_eq!(self.kind(aggregate.result), ValueKind::Number);
        bound.insert(aggregate.result);
    }

    fn atom(&self, atom: &Atom, strict: bool) {
        let relation = self.rules.relation(atom.relation);
        assert_eq!(relation.arity(), atom.arguments.len());
        for (argument, column) in atom.arguments.iter().zip(&relation.columns) {
            match argument {
                Term::Variable(variable) => assert_eq!(self.kind(*variable), column.kind),
                Term::Constant(constant) => assert_eq!(kind_of(constant), column.kind),
                Term::Wildcard => {}
            }
        }
        if let Some((stratum, stratum_of)) = self.below {
            let other = stratum_of[&atom.relation];
            assert!(other < stratum || other == stratum && !strict);
        }
    }

    /// What the expression's value is; its variables must be bound.
    fn expression(&self, expression: &Expression, bound: &BTreeSet<VariableId>) -> ValueKind {
        match expression {
            Expression::Variable(variable) => {
                assert!(bound.contains(variable));
                self.kind(*variable)
            }
            Expression::Constant(constant) => kind_of(constant),
            Expression::Negate(operand) => {
                assert_eq!(self.expression(operand, bound), ValueKind::Number);
                ValueKind::Number
            }
            Expression::Binary(_, left, right) => {
                assert_eq!(self.expression(left, bound), ValueKind::Number);
                assert_eq!(self.expression(right, bound), ValueKind::Number);
                ValueKind::Number
            }
        }
    }
}

fn kind_of(constant: &Constant) -> ValueKind {
    match constant {
        Constant::Symbol(_) => ValueKind::Symbol,
        Constant::Number(_) => ValueKind::Number,
    }
}

/// All relations that depend on a choice, by repeating until nothing changes.
fn chosen(rules: &RuleSet) -> BTreeSet<RelationId> {
    let mut chosen: BTreeSet<RelationId> = rules
        .relation_ids()
        .filter(|id| rules.relation(*id).kind == RelationKind::Choice)
        .collect();
    loop {
        let before = chosen.len();
        for rule in &rules.rules {
            if relations_of(&rule.body)
                .iter()
                .any(|(id, _)| chosen.contains(id))
            {
                chosen.insert(rule.head.relation);
            }
        }
        for id in rules.relation_ids() {
            if let RelationKind::Order(order) = rules.relation(id).kind
                && (chosen.contains(&order.event)
                    || order
                        .executed
                        .is_some_and(|executed| chosen.contains(&executed)))
            {
                chosen.insert(id);
            }
        }
        if chosen.len() == before {
            return chosen;
        }
    }
}

/// The relations of a body, and whether each is negated or aggregated.
fn relations_of(body: &[Literal]) -> Vec<(RelationId, bool)> {
    let mut relations = Vec::new();
    for literal in body {
        match literal {
            Literal::Positive(atom) => relations.push((atom.relation, false)),
            Literal::Negative(atom) => relations.push((atom.relation, true)),
            Literal::Compare(..) => {}
            Literal::Aggregate(aggregate) => {
                let inside = relations_of(&aggregate.body);
                relations.extend(inside.into_iter().map(|(relation, _)| (relation, true)));
            }
        }
    }
    relations
}

/// What the body depends on negates and aggregates nothing that depends on a choice.
fn assert_monotone(
    rules: &RuleSet,
    chosen: &BTreeSet<RelationId>,
    body: &[Literal],
    seen: &mut BTreeSet<RelationId>,
) {
    for (relation, strict) in relations_of(body) {
        assert!(!(strict && chosen.contains(&relation)));
        let mut open = vec![relation];
        if let RelationKind::Order(order) = rules.relation(relation).kind {
            assert!(!chosen.contains(&order.event));
            open.push(order.event);
            open.extend(order.executed);
        }
        for relation in open {
            if seen.insert(relation) {
                let deriving = rules.rules.iter();
                for rule in deriving.filter(|rule| rule.head.relation == relation) {
                    assert_monotone(rules, chosen, &rule.body, seen);
                }
            }
        }
    }
}
