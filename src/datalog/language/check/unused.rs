//! What was written for nothing: relations that nobody reads, variables that occur once,
//! names that two rules share. These are warnings.

use super::clause::Clause;
use super::names::Relations;
use crate::ruleset::RelationKind;
use crate::syntax::{Item, Name, Within};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::HashMap;

/// Relations that neither a body nor an order reads and that are no output.
pub(crate) fn relations<'a>(
    relations: &Relations,
    clauses: impl Iterator<Item = &'a Clause>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut read = vec![false; relations.relations.len()];
    let mut derived = vec![false; relations.relations.len()];
    for clause in clauses {
        clause.for_each_atom(&mut |atom, _| {
            if let Some(relation) = atom.relation {
                read[relation.index()] = true;
            }
        });
        if let Some(relation) = clause.head.as_ref().and_then(|head| head.relation) {
            derived[relation.index()] = true;
        }
    }
    for relation in &relations.relations {
        if let RelationKind::Order(order) = relation.kind {
            read[order.event.index()] = true;
            if let Some(executed) = order.executed {
                read[executed.index()] = true;
            }
        }
    }
    for id in relations.ids() {
        let relation = relations.get(id);
        if read[id.index()] || relation.output || relation.name.starts_with('_') {
            continue;
        }
        let (what, hint) = match derived[id.index()] {
            true => (
                "is derived, but nothing reads it",
                "make it an `.output`, or use it in a rule or a `.conflict`",
            ),
            false => ("is never used", "remove it, or make it an `.output`"),
        };
        diagnostics.push(
            Diagnostic::warning(
                relation.span,
                format!("the relation `{}` {what}", relation.name),
            )
            .hint(hint),
        );
    }
}

/// Variables that occur once in a rule: `_` would do, or the name is misspelt.
pub(crate) fn variables(items: &[Item], diagnostics: &mut Vec<Diagnostic>) {
    for item in items {
        let mut occurrences: HashMap<&str, (Span, usize)> = HashMap::new();
        let mut visit = |name, span, _| occurrences.entry(name).or_insert((span, 0)).1 += 1;
        match item {
            Item::Rule(rule) => {
                for head in &rule.heads {
                    head.for_each_variable(Within::Rule, &mut visit);
                }
                if let Some(body) = &rule.body {
                    body.for_each_variable(Within::Rule, &mut visit);
                }
            }
            Item::Conflict(conflict) => {
                conflict.body.for_each_variable(Within::Rule, &mut visit);
            }
            _ => continue,
        }
        for (name, (span, count)) in occurrences {
            if count == 1 && !name.starts_with('_') {
                diagnostics.push(
                    Diagnostic::warning(span, format!("the variable `{name}` occurs only once"))
                        .hint(format!("write `_`, or `_{name}` to keep the name")),
                );
            }
        }
    }
}

/// Rules and conflicts of the same name cannot be told apart in explanations.
pub(crate) fn names(items: &[Item], diagnostics: &mut Vec<Diagnostic>) {
    let mut first: HashMap<&str, &Name> = HashMap::new();
    for item in items {
        let name = match item {
            Item::Rule(rule) => &rule.name,
            Item::Conflict(conflict) => &conflict.name,
            _ => continue,
        };
        let Some(name) = name else {
            continue;
        };
        match first.get(name.text.as_str()) {
            None => {
                first.insert(&name.text, name);
            }
            Some(other) => diagnostics.push(
                Diagnostic::warning(
                    name.span,
                    format!("two rules have the name `{}`", name.text),
                )
                .related(other.span, "the first one")
                .hint("explanations and statistics tell rules apart by their names"),
            ),
        }
    }
}
