//! What may depend on a `choice`.
//!
//! A choice's tuples come with literals, from outside: no rule derives one. A reason for
//! a conflict is a set of literals that suffices for it, whatever else is true; so what a
//! conflict depends on must only grow with the choices, and may not negate or aggregate
//! anything that depends on one.

use super::MAX_DIAGNOSTICS;
use super::clause::{Atom, Clause, Goal, Use};
use super::dependencies::{Dependencies, How};
use super::names::Relations;
use super::strata::MAX_SHOWN;
use crate::ruleset::{RelationId, RelationKind};
use heddle_diagnostics::Diagnostic;

/// Rules that derive a `choice`.
pub(crate) fn check_head(
    clause: &Clause,
    relations: &Relations,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(head) = &clause.head else {
        return;
    };
    let Some(relation) = head.relation.map(|id| relations.get(id)) else {
        return;
    };
    if relation.kind == RelationKind::Choice {
        diagnostics.push(
            Diagnostic::error(
                head.span,
                format!("`{}` is a choice, so no rule can derive it", relation.name),
            )
            .related(relation.span, "declared as `choice`")
            .hint("its tuples carry literals and come from facts; derive another relation"),
        );
    }
}

/// Conflicts that do not only grow with the choices.
pub(crate) fn check_conflicts(
    rules: &[Clause],
    conflicts: &[Clause],
    relations: &Relations,
    dependencies: &Dependencies,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let check = Check {
        relations,
        dependencies,
        relevant: relevant(conflicts, relations, dependencies),
        chosen: chosen(relations, dependencies),
    };
    for conflict in conflicts {
        for goal in &conflict.body {
            if let Goal::Aggregate(aggregate) = goal {
                diagnostics.push(
                    Diagnostic::error(
                        aggregate.span,
                        "an aggregate in a `.conflict` is not supported",
                    )
                    .hint("derive a relation with it, and state the conflict over that"),
                );
            }
        }
        check.clause(conflict, diagnostics);
    }
    for rule in rules {
        let head = rule.head.as_ref().and_then(|head| head.relation);
        if head.is_some_and(|head| check.relevant[head.index()]) {
            check.clause(rule, diagnostics);
        }
    }
    check.events(diagnostics);
}

/// For each relation: whether a conflict depends on it.
fn relevant(conflicts: &[Clause], relations: &Relations, dependencies: &Dependencies) -> Vec<bool> {
    let mut open: Vec<RelationId> = Vec::new();
    for conflict in conflicts {
        conflict.for_each_atom(&mut |atom, _| open.extend(atom.relation));
    }
    let mut relevant = vec![false; relations.relations.len()];
    while let Some(relation) = open.pop() {
        if !std::mem::replace(&mut relevant[relation.index()], true) {
            open.extend(dependencies.of(relation).iter().map(|d| d.to));
        }
    }
    relevant
}

/// For each relation: whether it depends on a choice.
fn chosen(relations: &Relations, dependencies: &Dependencies) -> Vec<bool> {
    let mut users: Vec<Vec<RelationId>> = vec![Vec::new(); relations.relations.len()];
    for dependency in dependencies.all() {
        users[dependency.to.index()].push(dependency.from);
    }
    let mut open: Vec<RelationId> = relations
        .ids()
        .filter(|id| relations.get(*id).kind == RelationKind::Choice)
        .collect();
    let mut chosen = vec![false; relations.relations.len()];
    while let Some(relation) = open.pop() {
        if !std::mem::replace(&mut chosen[relation.index()], true) {
            open.extend(&users[relation.index()]);
        }
    }
    chosen
}

struct Check<'a> {
    relations: &'a Relations,
    dependencies: &'a Dependencies,
    relevant: Vec<bool>,
    chosen: Vec<bool>,
}

impl Check<'_> {
    fn clause(&self, clause: &Clause, diagnostics: &mut Vec<Diagnostic>) {
        clause.for_each_atom(&mut |atom: &Atom, usage| {
            let what = match usage {
                Use::Positive => return,
                // No aggregate may stand in a conflict itself, whatever it is over.
                Use::Aggregated(_) if clause.head.is_none() => return,
                Use::Negated => "negates",
                Use::Aggregated(_) => "aggregates",
            };
            let Some(relation) = atom.relation else {
                return;
            };
            if self.chosen[relation.index()] && diagnostics.len() < MAX_DIAGNOSTICS {
                let message = format!(
                    "a conflict depends on this, which {what} `{}`, which depends on a choice",
                    self.relations.get(relation).name
                );
                diagnostics.push(self.explain(Diagnostic::error(atom.span, message), relation));
            }
        });
    }

    /// The places of events are no matter of choice.
    fn events(&self, diagnostics: &mut Vec<Diagnostic>) {
        for dependency in self.dependencies.all() {
            if dependency.how == How::Event
                && self.relevant[dependency.from.index()]
                && self.chosen[dependency.to.index()]
            {
                let message = format!(
                    "a conflict depends on the order `{}`, whose chains in `{}` depend on a choice",
                    self.relations.get(dependency.from).name,
                    self.relations.get(dependency.to).name,
                );
                let error = Diagnostic::error(dependency.span, message);
                diagnostics.push(
                    self.explain(error, dependency.to).hint(
                        "which events are executed may be a choice: `order(event, executed)`",
                    ),
                );
            }
        }
    }

    /// Adds how `relation` depends on a choice.
    fn explain(&self, mut error: Diagnostic, relation: RelationId) -> Diagnostic {
        let name = |id: RelationId| self.relations.get(id).name.as_str();
        let is_choice = |id: RelationId| self.relations.get(id).kind == RelationKind::Choice;
        let path = self
            .dependencies
            .path(relation, is_choice, |_| true)
            .unwrap_or_default();
        let mut text = name(relation).to_string();
        let choice = path.last().map_or(relation, |dependency| dependency.to);
        for dependency in path.iter().take(MAX_SHOWN) {
            text += " -> ";
            text += name(dependency.to);
            error = error.related(
                dependency.span,
                format!(
                    "`{}` is derived from `{}`",
                    name(dependency.from),
                    name(dependency.to)
                ),
            );
        }
        if path.len() > MAX_SHOWN {
            text += " -> … -> ";
            text += name(choice);
        }
        error = error.related(self.relations.get(choice).span, "the choice");
        if !path.is_empty() {
            error = error.hint(format!("the way to the choice: {text}"));
        }
        error.hint("a reason must hold however the other choices are made")
    }
}
