//! Syntax trees to a checked [`RuleSet`], one idea a file.
//!
//! Every check reports all it finds; what could not be resolved is marked, so that later
//! checks keep quiet about what only follows from it.

mod binding;
mod choices;
mod clause;
mod dependencies;
mod desugar;
mod flatten;
mod lower;
mod names;
mod orders;
mod strata;
mod subtypes;
mod types;
mod unused;

pub(crate) use lower::automatic_name;
pub(crate) use names::counted;

use crate::ruleset::RuleSet;
use crate::syntax::{Item, Rule};
use clause::Clause;
use dependencies::Dependencies;
use heddle_diagnostics::Diagnostic;
use names::Relations;
use subtypes::Types;

/// More than a person reads at once; the rest shows when these are mended.
pub(crate) const MAX_DIAGNOSTICS: usize = 100;

/// The rule set, if there is no error in `diagnostics` afterwards.
pub(crate) fn check(items: &[Item], diagnostics: &mut Vec<Diagnostic>) -> Option<RuleSet> {
    let types = Types::collect(items, diagnostics);
    let relations = Relations::collect(items, &types, diagnostics);
    orders::check(&relations, &types, diagnostics);

    let mut rules: Vec<Clause> = Vec::new();
    let mut conflicts: Vec<Clause> = Vec::new();
    for item in items {
        match item {
            Item::Rule(rule) => rules.extend(clauses_of_rule(rule, &relations, diagnostics)),
            Item::Conflict(conflict) => {
                for body in desugar::alternatives(&conflict.body, 1, diagnostics) {
                    conflicts.push(flatten::clause(
                        &relations,
                        conflict.name.as_ref(),
                        None,
                        &body,
                        conflict.span,
                        diagnostics,
                    ));
                }
            }
            _ => {}
        }
    }

    let mut checked = |clauses: &mut Vec<Clause>| -> Vec<Vec<_>> {
        clauses
            .iter_mut()
            .map(|clause| {
                choices::check_head(clause, &relations, diagnostics);
                let kinds = types::check(clause, &relations, &types, diagnostics);
                binding::order(clause, diagnostics);
                kinds
            })
            .collect()
    };
    let rule_kinds = checked(&mut rules);
    let conflict_kinds = checked(&mut conflicts);

    let dependencies = Dependencies::collect(&relations, &rules);
    let strata = strata::strata(&relations, &dependencies, diagnostics);
    choices::check_conflicts(&rules, &conflicts, &relations, &dependencies, diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return None;
    }

    unused::relations(&relations, rules.iter().chain(&conflicts), diagnostics);
    unused::variables(items, diagnostics);
    unused::names(items, diagnostics);
    lower::lower(
        relations,
        &types,
        rules.into_iter().zip(rule_kinds).collect(),
        conflicts.into_iter().zip(conflict_kinds).collect(),
        strata,
        &dependencies,
    )
}

/// One clause for each head and each alternative of the body.
fn clauses_of_rule(
    rule: &Rule,
    relations: &Relations,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Clause> {
    let bodies = match &rule.body {
        Some(body) => desugar::alternatives(body, rule.heads.len(), diagnostics),
        None => vec![Vec::new()],
    };
    let mut clauses = Vec::with_capacity(rule.heads.len() * bodies.len());
    for head in &rule.heads {
        for body in &bodies {
            clauses.push(flatten::clause(
                relations,
                rule.name.as_ref(),
                Some(head),
                body,
                rule.span,
                diagnostics,
            ));
        }
    }
    clauses
}
