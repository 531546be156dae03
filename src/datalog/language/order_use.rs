//! How a rule uses an order that it helps to derive: does it need every event before
//! `b`, or is the last one of each chain enough?
//!
//! An order relation `lt` is kept as chain clocks: for an event `b` and a chain, how far
//! along the chain the events before `b` reach. A body atom `lt(a, b)` of a rule in the same
//! stratum as `lt` then stands for all events `a` of the chain up to that point, and
//! evaluating each of them spells out the n² pairs that the clocks avoid. Often it is
//! enough to take the *last* such `a` that meets the other conditions of the body; what
//! the earlier ones would derive follows by transitivity. [`order_uses`] decides that for
//! each atom, from the rule's text alone.
//!
//! Let the head be over `lt` as well, and let `a` and `b` be different variables.
//!
//! **The head is `lt(a, y)`: the last `a`** (rule 2 of *Scheduling Constraint Based
//! Abstraction Refinement*, Section 4.2). Fix everything but `a`. Take two events `a0` and
//! `a1` of one chain, `a0` first, that both meet the conditions on `a`. The rule gives
//! `lt(a1, y)`, the chain gives `lt(a0, a1)`, so `lt(a0, y)` follows. The conditions must
//! therefore be tests once the rest is fixed: each literal that mentions `a` has no other
//! variables than those that are bound without `a`, and is not over a relation of this
//! stratum. `event(a, t, _)` is allowed too: it says the same of all events of a chain.
//!
//! **The head is `lt(x, b)`: the last `a`, if it could stand in for `b`** (rule 3). Suppose
//! that whatever the body demands of `b`, it demands of `a` too. Let `a1` be the last event
//! of its chain before `b` that meets those demands, and `a0` an earlier one for which the
//! body holds. Then the body also holds with `a1` for `b`: the chain gives `lt(a0, a1)`, the
//! demands on `b` are met by `a1`, and nothing else mentions `b`. So `lt(x, a1)` is derived,
//! and with `lt(a1, b)` follows `lt(x, b)`. Three demands on `b` need no counterpart: `a != b`,
//! because two events of one chain differ; `x != b`, because if `a1` is `x`, then `lt(a1, b)` is
//! what was to be derived; and `executed(b)`, because only executed events are in chains.
//!
//! This second argument leans on the rule at (`a0`, `a1`), which may lean on the rule at
//! (`a0`, `a2`) with `a2` between the two, and so on until nothing lies between. This ends
//! only if the events leaned on come closer and closer. In the chain of `b` itself that
//! needs care where the order has a cycle, and `lt(a, b)` may hold for an `a` that comes
//! after `b` in their chain:
//!
//! > **In the chain of `b`, two events are to be taken: the last one in front of `b`, and,
//! > if the clock of `b` reaches `b` itself or further, the last one from `b` onwards.**
//!
//! Then each step stays in one chain and goes towards `a0`: the rule at (`a0`, `b`) with
//! `a0` after `b` leans on (`a0`, `a1`) with `a1` after `a0`, and from there on all events
//! lie between `a0` and `a1`.
//!
//! **The head is `lt(y, b)`: the first `b`**, where the above does not apply (atomic
//! blocks). Fix everything but `b`. Of the events of one chain that meet the conditions on
//! `b` and come after `a`, only the first needs the rule; the later ones follow by the
//! chain. Seen from `b`: the rule needs no `a` that is also before the previous event of
//! `b`'s chain that meets the conditions. For that event to be found before `a` is known,
//! the literals that mention `b` must not depend on other literals. `y != b` needs no such
//! event: if it is `y`, the chain orders it before `b`.
//!
//! **`a` occurs nowhere else: the last `a`.** Any event will do, and the last is one.
//!
//! What is not in one of these forms gets [`Witness::All`], which is always right.

use crate::ruleset::{
    Aggregate, Atom, Comparison, Expression, Literal, Order, RelationId, RelationKind, Rule,
    RuleSet, Stratum, Term, VariableId,
};

/// A body atom `lt(a, b)` over an order of the same stratum as the rule's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderUse {
    /// Position in [`Rule::body`].
    pub literal: usize,
    pub witness: Witness,
}

/// Which of the events `a` before `b` the rule has to be tried with. An event that is in no
/// chain counts as a chain of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    All,
    /// In each chain the last one for which the literals at these positions of the body
    /// hold; in the chain of `b` two, as the module says. Apart from `a`, the variables of
    /// these literals are bound by `b` and the literals that do not mention `a`.
    Last {
        conditions: Vec<usize>,
    },
    /// Those that are not also before the previous event of `b`'s chain for which the
    /// literals at these positions hold with the same values of their other variables.
    /// These literals are bound by `b` alone. ([`Witness::All`] would be right as well.)
    First {
        conditions: Vec<usize>,
    },
}

/// The uses of same-stratum orders in the rule's body, by position.
pub fn order_uses(rules: &RuleSet, rule: &Rule) -> Vec<OrderUse> {
    let stratum = stratum_of(rules, rule.head.relation);
    let mut uses = Vec::new();
    for (position, literal) in rule.body.iter().enumerate() {
        let Literal::Positive(atom) = literal else {
            continue;
        };
        let RelationKind::Order(order) = rules.relation(atom.relation).kind else {
            continue;
        };
        if stratum.relations.contains(&atom.relation) {
            let candidate = Candidate {
                rule,
                stratum,
                order,
                position,
            };
            let last = candidate
                .last(atom)
                .map(|conditions| Witness::Last { conditions });
            let first = || {
                let conditions = candidate.first(atom)?;
                Some(Witness::First { conditions })
            };
            let witness = last.or_else(first).unwrap_or(Witness::All);
            uses.push(OrderUse {
                literal: position,
                witness,
            });
        }
    }
    uses
}

/// The stratum that derives a relation.
pub fn stratum_of(rules: &RuleSet, relation: RelationId) -> &Stratum {
    rules
        .strata
        .iter()
        .find(|stratum| stratum.relations.contains(&relation))
        .expect("every relation is in a stratum")
}

/// The question whether the last events suffice, for one atom of one rule.
struct Candidate<'a> {
    rule: &'a Rule,
    stratum: &'a Stratum,
    order: Order,
    /// Of the atom in the rule's body.
    position: usize,
}

impl Candidate<'_> {
    /// The conditions on `a` if the last events suffice.
    fn last(&self, atom: &Atom) -> Option<Vec<usize>> {
        let [before, after] = atom.arguments.as_slice() else {
            return None;
        };
        let b = match after {
            Term::Variable(b) => Some(*b),
            Term::Wildcard => None,
            Term::Constant(_) => return None,
        };
        let a = match before {
            Term::Variable(a) if Some(*a) != b => *a,
            Term::Wildcard => return Some(Vec::new()),
            _ => return None,
        };
        if !self.in_head(a) && self.mentioning(a).is_empty() {
            return Some(Vec::new());
        }
        if self.rule.head.relation != atom.relation {
            return None;
        }
        let [Expression::Variable(x), Expression::Variable(y)] = self.rule.head.arguments[..]
        else {
            return None;
        };
        let bound = self.bound_without(a, b);
        if x == a && y != a {
            let mut conditions = self.mentioning(a);
            conditions.retain(|&literal| !self.is_uniform(a, literal));
            return conditions
                .iter()
                .all(|&literal| self.is_condition(a, literal, &bound))
                .then_some(conditions);
        }
        if Some(y) == b && x != y {
            return self.last_in_place_of(a, x, y, &bound);
        }
        None
    }

    /// The conditions on `b` if the first events suffice.
    fn first(&self, atom: &Atom) -> Option<Vec<usize>> {
        let [Term::Variable(a), Term::Variable(b)] = atom.arguments.as_slice() else {
            return None;
        };
        let [Expression::Variable(y), Expression::Variable(last)] = self.rule.head.arguments[..]
        else {
            return None;
        };
        if self.rule.head.relation != atom.relation || a == b || last != *b || y == *b {
            return None;
        }
        let mut conditions = self.mentioning(*b);
        conditions.retain(|&position| !is_disequality(&self.rule.body[position], y, *b));
        let mut bound = vec![false; self.rule.variables.len()];
        bound[b.index()] = true;
        for &position in &conditions {
            let literal = &self.rule.body[position];
            bind(literal, &mut bound);
            if mentions(literal, *a) || !self.is_condition(*b, position, &bound) {
                return None;
            }
        }
        conditions.retain(|&literal| !self.is_uniform(*b, literal));
        Some(conditions)
    }

    /// The second form, `lt(x, b)`: the conditions on `a`, if it may stand in for `b`. They are
    /// no more than what is demanded of `b`.
    fn last_in_place_of(
        &self,
        a: VariableId,
        x: VariableId,
        b: VariableId,
        bound: &[bool],
    ) -> Option<Vec<usize>> {
        let mut conditions = Vec::new();
        for position in self.mentioning(b) {
            let literal = &self.rule.body[position];
            if mentions(literal, a) {
                if !is_disequality(literal, a, b) {
                    return None;
                }
                conditions.push(position);
            } else if !is_disequality(literal, x, b) && !self.holds_in_chains(literal, b) {
                let demand_on_a = renamed(literal, b, a)?;
                let same = |&other: &usize| same_literal(&demand_on_a, &self.rule.body[other]);
                let counterpart = self.mentioning(a).into_iter().find(same)?;
                if !self.is_condition(a, counterpart, bound) {
                    return None;
                }
                if !self.is_uniform(a, counterpart) {
                    conditions.push(counterpart);
                }
            }
        }
        conditions.sort_unstable();
        Some(conditions)
    }

    fn in_head(&self, variable: VariableId) -> bool {
        let arguments = &self.rule.head.arguments;
        arguments
            .iter()
            .any(|argument| expression_mentions(argument, variable))
    }

    /// The other literals that mention the variable.
    fn mentioning(&self, variable: VariableId) -> Vec<usize> {
        (0..self.rule.body.len())
            .filter(|&other| other != self.position && mentions(&self.rule.body[other], variable))
            .collect()
    }

    /// Which variables have a value once `b` has one and all literals without `a` hold.
    fn bound_without(&self, a: VariableId, b: Option<VariableId>) -> Vec<bool> {
        let mut bound = vec![false; self.rule.variables.len()];
        if let Some(b) = b {
            bound[b.index()] = true;
        }
        for (position, literal) in self.rule.body.iter().enumerate() {
            if position == self.position || mentions(literal, a) {
                continue;
            }
            bind(literal, &mut bound);
        }
        bound
    }

    /// Whether the literal is a test of `a` once the `bound` variables have values, and one
    /// whose outcome does not change while the stratum is derived.
    fn is_condition(&self, a: VariableId, position: usize, bound: &[bool]) -> bool {
        let known = |variable: VariableId| variable == a || bound[variable.index()];
        match &self.rule.body[position] {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                !self.stratum.relations.contains(&atom.relation)
                    && atom.arguments.iter().all(|argument| match argument {
                        Term::Variable(variable) => known(*variable),
                        Term::Constant(_) | Term::Wildcard => true,
                    })
            }
            Literal::Compare(_, left, right) => {
                let mut variables = Vec::new();
                collect_variables(left, &mut variables);
                collect_variables(right, &mut variables);
                variables.into_iter().all(known)
            }
            Literal::Aggregate(_) => false,
        }
    }

    /// Whether the literal demands of `event` what every event of a chain meets.
    fn holds_in_chains(&self, literal: &Literal, event: VariableId) -> bool {
        let Literal::Positive(atom) = literal else {
            return false;
        };
        let [first, rest @ ..] = atom.arguments.as_slice() else {
            return false;
        };
        (Some(atom.relation) == self.order.executed || atom.relation == self.order.event)
            && *first == Term::Variable(event)
            && rest.iter().all(|argument| *argument == Term::Wildcard)
    }

    /// Whether the literal says the same of all events of one chain: `executed(event)`, or
    /// which chain it is.
    fn is_uniform(&self, event: VariableId, position: usize) -> bool {
        let literal = &self.rule.body[position];
        let names_chain = match literal {
            Literal::Positive(atom) if atom.relation == self.order.event => {
                matches!(atom.arguments.as_slice(), [first, chain, Term::Wildcard]
                    if *first == Term::Variable(event) && *chain != Term::Variable(event))
            }
            _ => false,
        };
        names_chain || self.holds_in_chains(literal, event)
    }
}

/// Marks the variables that have a value once the literal holds.
fn bind(literal: &Literal, bound: &mut [bool]) {
    match literal {
        Literal::Positive(atom) => {
            for argument in &atom.arguments {
                if let Term::Variable(variable) = argument {
                    bound[variable.index()] = true;
                }
            }
        }
        Literal::Aggregate(aggregate) => bound[aggregate.result.index()] = true,
        Literal::Compare(Comparison::Equal, left, right) => {
            for (side, other) in [(left, right), (right, left)] {
                if let Expression::Variable(variable) = side
                    && all_bound(other, bound)
                {
                    bound[variable.index()] = true;
                }
            }
        }
        Literal::Compare(..) | Literal::Negative(_) => {}
    }
}

fn is_disequality(literal: &Literal, a: VariableId, b: VariableId) -> bool {
    let (a, b) = (Expression::Variable(a), Expression::Variable(b));
    matches!(literal, Literal::Compare(Comparison::NotEqual, left, right)
        if (*left == a && *right == b) || (*left == b && *right == a))
}

fn mentions(literal: &Literal, variable: VariableId) -> bool {
    let in_atom = |atom: &Atom| atom.arguments.contains(&Term::Variable(variable));
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => in_atom(atom),
        Literal::Compare(_, left, right) => {
            expression_mentions(left, variable) || expression_mentions(right, variable)
        }
        Literal::Aggregate(Aggregate {
            result,
            value,
            body,
            groups,
            ..
        }) => {
            *result == variable
                || groups.contains(&variable)
                || value
                    .as_ref()
                    .is_some_and(|value| expression_mentions(value, variable))
                || body.iter().any(|literal| mentions(literal, variable))
        }
    }
}

fn expression_mentions(expression: &Expression, variable: VariableId) -> bool {
    let mut variables = Vec::new();
    collect_variables(expression, &mut variables);
    variables.contains(&variable)
}

fn all_bound(expression: &Expression, bound: &[bool]) -> bool {
    let mut variables = Vec::new();
    collect_variables(expression, &mut variables);
    variables.iter().all(|variable| bound[variable.index()])
}

fn collect_variables(expression: &Expression, variables: &mut Vec<VariableId>) {
    match expression {
        Expression::Variable(variable) => variables.push(*variable),
        Expression::Constant(_) => {}
        Expression::Negate(inner) => collect_variables(inner, variables),
        Expression::Binary(_, left, right) => {
            collect_variables(left, variables);
            collect_variables(right, variables);
        }
    }
}

/// The literal with `to` for `from`; `None` for an aggregate, which is not looked into.
fn renamed(literal: &Literal, from: VariableId, to: VariableId) -> Option<Literal> {
    let rename_atom = |atom: &Atom| {
        let mut atom = atom.clone();
        for argument in &mut atom.arguments {
            if *argument == Term::Variable(from) {
                *argument = Term::Variable(to);
            }
        }
        atom
    };
    Some(match literal {
        Literal::Positive(atom) => Literal::Positive(rename_atom(atom)),
        Literal::Negative(atom) => Literal::Negative(rename_atom(atom)),
        Literal::Compare(comparison, left, right) => Literal::Compare(
            *comparison,
            renamed_expression(left, from, to),
            renamed_expression(right, from, to),
        ),
        Literal::Aggregate(_) => return None,
    })
}

fn renamed_expression(expression: &Expression, from: VariableId, to: VariableId) -> Expression {
    match expression {
        Expression::Variable(variable) if *variable == from => Expression::Variable(to),
        Expression::Variable(_) | Expression::Constant(_) => expression.clone(),
        Expression::Negate(inner) => {
            Expression::Negate(Box::new(renamed_expression(inner, from, to)))
        }
        Expression::Binary(operator, left, right) => Expression::Binary(
            *operator,
            Box::new(renamed_expression(left, from, to)),
            Box::new(renamed_expression(right, from, to)),
        ),
    }
}

/// Whether two literals say the same, wherever they stand.
fn same_literal(left: &Literal, right: &Literal) -> bool {
    let same_atom = |left: &Atom, right: &Atom| {
        left.relation == right.relation && left.arguments == right.arguments
    };
    match (left, right) {
        (Literal::Positive(left), Literal::Positive(right))
        | (Literal::Negative(left), Literal::Negative(right)) => same_atom(left, right),
        (Literal::Compare(one, a, b), Literal::Compare(other, c, d)) => {
            let symmetric = matches!(one, Comparison::Equal | Comparison::NotEqual);
            one == other && ((a == c && b == d) || (symmetric && a == d && b == c))
        }
        _ => false,
    }
}
