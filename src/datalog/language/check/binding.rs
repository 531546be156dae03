//! Can the body be evaluated from left to right, and in which order of its goals?
//!
//! Positive atoms stay in source order and bind their variables. A comparison or a
//! negated atom is a filter, placed as early as its variables are bound; an equality may
//! bind a variable instead. An aggregate stays in its place among the positive atoms, or
//! waits until the variables that it shares with the rest are bound.

use super::clause::{Aggregate, Clause, Expr, Goal};
use crate::ruleset::{Comparison, VariableId};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::HashMap;

/// Reorders the clause's body. Variables that nothing binds are reported, each once.
pub(crate) fn order(clause: &mut Clause, diagnostics: &mut Vec<Diagnostic>) {
    let goals = std::mem::take(&mut clause.body);
    let mut binder = Binder {
        bound: clause.variables.iter().map(|v| v.excused).collect(),
        names: clause.variables.iter().map(|v| v.name.as_str()).collect(),
        diagnostics,
    };
    let body = binder.order(goals);
    for argument in clause.head.iter().flat_map(|head| &head.arguments) {
        argument.for_each_variable(&mut |variable, span| {
            binder.blame(variable, span, Place::Head);
        });
    }
    clause.body = body;
}

/// Where an unbound variable stands.
#[derive(Clone, Copy)]
enum Place {
    Head,
    Negation,
    Comparison,
    AggregateValue,
    AggregateGroup,
}

struct Binder<'a> {
    bound: Vec<bool>,
    names: Vec<&'a str>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Binder<'_> {
    fn order(&mut self, goals: Vec<Goal>) -> Vec<Goal> {
        let mut ordered = Vec::with_capacity(goals.len());
        let (mut filters, mut generators): (Vec<Goal>, Vec<Goal>) = goals
            .into_iter()
            .partition(|goal| matches!(goal, Goal::Negative(_) | Goal::Compare { .. }));
        loop {
            let next = if let Some(at) = filters.iter().position(|goal| self.is_ready(goal)) {
                filters.remove(at)
            } else if let Some(at) = generators.iter().position(|goal| self.is_ready(goal)) {
                generators.remove(at)
            } else if filters.is_empty() && generators.is_empty() {
                return ordered;
            } else {
                let stuck: Vec<&Goal> = filters.iter().chain(&generators).collect();
                self.blame_one_of(&stuck);
                continue;
            };
            ordered.push(self.place(next));
        }
    }

    fn is_bound(&self, variable: VariableId) -> bool {
        self.bound[variable.index()]
    }

    fn all_bound(&self, expr: &Expr) -> bool {
        let mut all = true;
        expr.for_each_variable(&mut |variable, _| all &= self.is_bound(variable));
        all
    }

    fn is_ready(&self, goal: &Goal) -> bool {
        match goal {
            Goal::Positive(_) => true,
            Goal::Negative(atom) => {
                let mut all = true;
                atom.for_each_variable(&mut |variable, _| all &= self.is_bound(variable));
                all
            }
            Goal::Compare {
                comparison,
                left,
                right,
                ..
            } => match (self.all_bound(left), self.all_bound(right)) {
                (true, true) => true,
                (false, true) => *comparison == Comparison::Equal && left.as_variable().is_some(),
                (true, false) => *comparison == Comparison::Equal && right.as_variable().is_some(),
                (false, false) => false,
            },
            Goal::Aggregate(aggregate) => aggregate
                .groups
                .iter()
                .all(|(variable, _)| self.is_bound(*variable)),
        }
    }

    /// Binds what the goal binds, and orders the body of an aggregate.
    fn place(&mut self, goal: Goal) -> Goal {
        match goal {
            Goal::Aggregate(aggregate) => {
                let Aggregate { body, .. } = *aggregate;
                let body = self.order(body);
                if let Some(value) = &aggregate.value {
                    value.for_each_variable(&mut |variable, span| {
                        self.blame(variable, span, Place::AggregateValue);
                    });
                }
                self.bound[aggregate.result.index()] = true;
                Goal::Aggregate(Box::new(Aggregate { body, ..*aggregate }))
            }
            Goal::Positive(atom) => {
                atom.for_each_variable(&mut |variable, _| self.bound[variable.index()] = true);
                Goal::Positive(atom)
            }
            Goal::Compare {
                comparison,
                left,
                right,
                span,
            } => {
                for side in [&left, &right] {
                    if let Some(variable) = side.as_variable() {
                        self.bound[variable.index()] = true;
                    }
                }
                Goal::Compare {
                    comparison,
                    left,
                    right,
                    span,
                }
            }
            negative @ Goal::Negative(_) => negative,
        }
    }

    /// No goal can be evaluated: reports variables that are the cause, and goes on as if
    /// they were bound, so that nothing is reported that only follows from them.
    fn blame_one_of(&mut self, stuck: &[&Goal]) {
        let mut produced: HashMap<VariableId, usize> = HashMap::new();
        for variable in stuck.iter().filter_map(|goal| self.would_bind(goal)) {
            *produced.entry(variable).or_default() += 1;
        }
        for goal in stuck {
            let own = self.would_bind(goal);
            let mut causes = self.missing(goal);
            causes.retain(|(variable, ..)| {
                let by_all = produced.get(variable).copied().unwrap_or(0);
                by_all == usize::from(own == Some(*variable))
            });
            if !causes.is_empty() {
                self.blame_all(causes);
                return;
            }
        }
        // They wait for each other.
        if let Some(goal) = stuck.first() {
            let causes = self.missing(goal);
            self.blame_all(causes);
        }
    }

    fn blame_all(&mut self, causes: Vec<(VariableId, Span, Place)>) {
        for (variable, span, place) in causes {
            self.blame(variable, span, place);
        }
    }

    /// The unbound variable that a goal would bind if its other variables were bound.
    fn would_bind(&self, goal: &Goal) -> Option<VariableId> {
        match goal {
            Goal::Compare {
                comparison: Comparison::Equal,
                left,
                right,
                ..
            } => [left, right]
                .into_iter()
                .filter_map(Expr::as_variable)
                .find(|variable| !self.is_bound(*variable)),
            Goal::Aggregate(aggregate) => Some(aggregate.result),
            _ => None,
        }
    }

    /// The unbound variables that a goal waits for.
    fn missing(&self, goal: &Goal) -> Vec<(VariableId, Span, Place)> {
        let mut missing = Vec::new();
        let mut note = |variable, span, place| {
            if !self.is_bound(variable) {
                missing.push((variable, span, place));
            }
        };
        match goal {
            Goal::Positive(_) => {}
            Goal::Negative(atom) => {
                atom.for_each_variable(&mut |variable, span| note(variable, span, Place::Negation))
            }
            Goal::Compare { left, right, .. } => {
                let bindable = self.would_bind(goal);
                let sides = match bindable.is_some() && left.as_variable() == bindable {
                    true => vec![right],
                    false if bindable.is_some() => vec![left],
                    false => vec![left, right],
                };
                for side in sides {
                    side.for_each_variable(&mut |variable, span| {
                        note(variable, span, Place::Comparison);
                    });
                }
            }
            Goal::Aggregate(aggregate) => {
                for (variable, span) in &aggregate.groups {
                    note(*variable, *span, Place::AggregateGroup);
                }
            }
        }
        missing
    }

    fn blame(&mut self, variable: VariableId, span: Span, place: Place) {
        if std::mem::replace(&mut self.bound[variable.index()], true) {
            return;
        }
        let name = self.names[variable.index()];
        let (label, hint) = match place {
            Place::Head => (
                "in the head",
                "every variable of the head needs a value from the body",
            ),
            Place::Negation => (
                "in a negated atom",
                "a negated atom only tests; bind the variable in a positive one, or write `_`",
            ),
            Place::Comparison => (
                "its value is needed here",
                "bind it in a positive atom, or by `=` with a value",
            ),
            Place::AggregateValue => (
                "aggregated, but not bound",
                "bind it in a positive atom of the aggregate's body",
            ),
            Place::AggregateGroup => (
                "inside of an aggregate, which binds nothing outside",
                "it occurs outside, too: bind it in a positive atom there, or rename it here",
            ),
        };
        self.diagnostics.push(
            Diagnostic::error(span, format!("nothing binds the variable `{name}`"))
                .label(label)
                .hint(hint),
        );
    }
}
