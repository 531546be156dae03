//! Conditions on integers as linear inequalities.

use crate::linear::Linear;
use heddle_program::{Op, Sort, Term, TermId, Terms};

/// A condition that is nested deeper is not taken apart.
const MOST_NESTED: usize = 200;

/// Sums that are all at least 0: a conjunction of inequalities.
pub(crate) type Inequalities = Vec<Linear>;

/// The cases of a condition, of which at least one holds where it holds; what is not about
/// integers is left out. `None` if there are more than `most`, or if it is nested too deeply.
pub(crate) fn cases(
    terms: &Terms,
    term: TermId,
    positive: bool,
    most: usize,
) -> Option<Vec<Inequalities>> {
    cases_below(terms, term, positive, most, MOST_NESTED)
}

/// [`cases`] of a condition that may be nested so deeply.
fn cases_below(
    terms: &Terms,
    term: TermId,
    positive: bool,
    most: usize,
    depth: usize,
) -> Option<Vec<Inequalities>> {
    let depth = depth.checked_sub(1)?;
    let Term::Apply { op, arguments } = terms.get(term) else {
        return Some(vec![Vec::new()]);
    };
    let difference = |constant: i128| {
        Linear::difference(terms, arguments[1], arguments[0])?.plus_constant(constant)
    };
    let negated = |sum: Linear, constant: i128| sum.times(-1)?.plus_constant(constant);
    let is_integer = |index: usize| terms.sort(arguments[index]) == Sort::Int;
    match (op, positive) {
        (Op::Not, _) => cases_below(terms, arguments[0], !positive, most, depth),
        (Op::And, true) | (Op::Or, false) => {
            let mut all = vec![Vec::new()];
            for &argument in arguments {
                let of_argument = cases_below(terms, argument, positive, most, depth)?;
                all = all
                    .iter()
                    .flat_map(|left| {
                        let joined = |right: &Inequalities| [&left[..], &right[..]].concat();
                        of_argument.iter().map(joined)
                    })
                    .collect();
                if all.len() > most {
                    return None;
                }
            }
            Some(all)
        }
        (Op::Or, true) | (Op::And, false) => {
            let mut all = Vec::new();
            for &argument in arguments {
                all.extend(cases_below(terms, argument, positive, most, depth)?);
            }
            (all.len() <= most).then_some(all)
        }
        // a <= b
        (Op::Le, true) => Some(vec![vec![difference(0)?]]),
        // b < a
        (Op::Le, false) => Some(vec![vec![negated(difference(0)?, -1)?]]),
        (Op::Lt, true) => Some(vec![vec![difference(-1)?]]),
        (Op::Lt, false) => Some(vec![vec![negated(difference(0)?, 0)?]]),
        (Op::Eq, true) if is_integer(0) => {
            let sum = difference(0)?;
            Some(vec![vec![sum.clone(), negated(sum, 0)?]])
        }
        (Op::Eq, false) if is_integer(0) => {
            let sum = difference(0)?;
            let less = sum.clone().plus_constant(-1)?;
            Some(vec![vec![less], vec![negated(sum, -1)?]])
        }
        _ => Some(vec![Vec::new()]),
    }
}
