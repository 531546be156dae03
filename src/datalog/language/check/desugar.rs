//! Bodies without `;` and without `!( … )`: a disjunction of conjunctions.

use crate::ruleset::Comparison;
use crate::syntax::{Atom, Expression, Formula};
use heddle_diagnostics::{Diagnostic, Span};

/// A rule may stand for this many.
const MAX_ALTERNATIVES: usize = 1000;

/// A conjunction may have this many parts.
const MAX_LENGTH: usize = 10_000;

/// All conjunctions of a rule together may have this many parts.
const MAX_TOTAL: usize = 1_000_000;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Leaf<'a> {
    Atom {
        atom: &'a Atom,
        negated: bool,
    },
    Compare {
        comparison: Comparison,
        left: &'a Expression,
        right: &'a Expression,
        span: Span,
    },
}

/// The conjunctions that the body of a rule with this many heads is the disjunction of.
/// Too many of them are reported, and none is returned.
pub(crate) fn alternatives<'a>(
    body: &'a Formula,
    heads: usize,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Vec<Leaf<'a>>> {
    let alternatives = count(body, false).saturating_mul(heads);
    let length = leaves(body);
    if alternatives <= MAX_ALTERNATIVES
        && length <= MAX_LENGTH
        && alternatives * length <= MAX_TOTAL
    {
        return expand(body, false);
    }
    let (message, hint) = match alternatives {
        1 => (
            "this body is too long",
            "give a part of it a relation of its own",
        ),
        _ => (
            "this stands for too many rules",
            "give its disjunctions relations of their own",
        ),
    };
    diagnostics.push(Diagnostic::error(body.span(), message).hint(hint));
    Vec::new()
}

fn leaves(formula: &Formula) -> usize {
    match formula {
        Formula::Atom(_) | Formula::Compare { .. } => 1,
        Formula::Not(inner, _) => leaves(inner),
        Formula::All(parts) | Formula::Any(parts) => parts.iter().map(leaves).sum(),
    }
}

/// How many conjunctions there are, or a number beyond the limit.
fn count(formula: &Formula, negated: bool) -> usize {
    match formula {
        Formula::Atom(_) | Formula::Compare { .. } => 1,
        Formula::Not(inner, _) => count(inner, !negated),
        Formula::All(parts) if !negated => product(parts, negated),
        Formula::Any(parts) if negated => product(parts, negated),
        Formula::All(parts) | Formula::Any(parts) => parts
            .iter()
            .map(|part| count(part, negated))
            .fold(0, usize::saturating_add),
    }
}

fn product(parts: &[Formula], negated: bool) -> usize {
    parts
        .iter()
        .map(|part| count(part, negated))
        .fold(1, usize::saturating_mul)
}

/// Recursion is bounded by [`crate::parser::MAX_DEPTH`].
fn expand(formula: &Formula, negated: bool) -> Vec<Vec<Leaf<'_>>> {
    match formula {
        Formula::Atom(atom) => vec![vec![Leaf::Atom { atom, negated }]],
        Formula::Compare {
            comparison,
            left,
            right,
            span,
        } => vec![vec![Leaf::Compare {
            comparison: if negated {
                opposite(*comparison)
            } else {
                *comparison
            },
            left,
            right,
            span: *span,
        }]],
        Formula::Not(inner, _) => expand(inner, !negated),
        Formula::All(parts) if !negated => all(parts, negated),
        Formula::Any(parts) if negated => all(parts, negated),
        Formula::All(parts) | Formula::Any(parts) => parts
            .iter()
            .flat_map(|part| expand(part, negated))
            .collect(),
    }
}

/// Every way to choose one alternative of each part.
fn all(parts: &[Formula], negated: bool) -> Vec<Vec<Leaf<'_>>> {
    let mut result: Vec<Vec<Leaf<'_>>> = vec![Vec::new()];
    for part in parts {
        let mut alternatives = expand(part, negated);
        if alternatives.len() == 1 {
            let alternative = alternatives.remove(0);
            for conjunction in &mut result {
                conjunction.extend(alternative.iter().copied());
            }
            continue;
        }
        result = result
            .iter()
            .flat_map(|conjunction| {
                alternatives
                    .iter()
                    .map(|alternative| [conjunction.as_slice(), alternative].concat())
            })
            .collect();
    }
    result
}

fn opposite(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Equal => Comparison::NotEqual,
        Comparison::NotEqual => Comparison::Equal,
        Comparison::Less => Comparison::GreaterEqual,
        Comparison::LessEqual => Comparison::Greater,
        Comparison::Greater => Comparison::LessEqual,
        Comparison::GreaterEqual => Comparison::Less,
    }
}
