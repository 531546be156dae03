//! Predicates from linear combinations of the guards of an infeasible path.
//!
//! If linear inequalities contradict each other, then some combination of them with
//! factors that are not negative says that a negative number is at least 0 (Farkas' lemma).
//! Carried back to a position of the path, the combination of the guards that come later is
//! one inequality that no state at this position satisfies: an interpolant. It often is an
//! invariant where the single guards, carried back round after round of a loop, never end.

use super::inequalities::{Inequalities, cases};
use super::path::Path;
use super::system::System;
use crate::linear::Linear;
use heddle_program::{Constant, TermId, Terms, Value};
use heddle_solver::{Answer, Backend, Limits, Reason, Solver};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// So many cases of all guards together are looked at.
const MOST_CASES: usize = 16;
/// Of so many inequalities all sums are tried.
const MOST_SUMMANDS: usize = 10;
/// Factors up to these are tried, one limit after the other.
const FACTORS: [i128; 3] = [1, 4, 1_000];

/// A guard's inequality, carried back along the path.
struct Carried {
    /// Where its guard stands.
    position: usize,
    /// The sum that is at least 0, before each position up to its own.
    before: Vec<Linear>,
    /// Before the first position, with the initial values in place of the variables.
    at_start: Linear,
    /// Coefficients of choices on the way, which must cancel out.
    choices: Vec<(usize, TermId, i128)>,
}

/// The predicates, and none where the path is infeasible for other reasons.
pub(crate) fn linear_combinations(
    system: &mut System,
    path: &Path,
    core: &[usize],
    factors: &mut Factors,
) -> Result<BTreeSet<TermId>, Reason> {
    let mut predicates = BTreeSet::new();
    for case in all_cases(system, path, core) {
        let carried: Option<Vec<Carried>> = case
            .iter()
            .flat_map(|(position, sums)| sums.iter().map(move |sum| (*position, sum)))
            .map(|(position, sum)| carry(system, path, position, sum))
            .collect();
        let Some(carried) = carried else { continue };
        let Some(factors) = factors.contradiction(&carried)? else {
            continue;
        };
        for position in 0..path.len() {
            let mut sum = Some(Linear::default());
            let later = carried.iter().zip(&factors);
            for (carried, &factor) in later.filter(|(c, _)| c.position >= position) {
                let scaled = carried.before[position].times(factor);
                sum = sum.and_then(|sum| sum.plus(&scaled?));
            }
            if let Some(opposite) = sum.and_then(|sum| sum.times(-1)) {
                let predicate = opposite.is_at_most_zero(&mut system.terms);
                if system.terms.as_constant(predicate).is_none() {
                    predicates.insert(predicate);
                }
            }
        }
    }
    Ok(predicates)
}

/// All ways to choose a case for each guard of the core.
fn all_cases(system: &System, path: &Path, core: &[usize]) -> Vec<Vec<(usize, Inequalities)>> {
    let mut all = vec![Vec::new()];
    for &position in core {
        let guard = system.action_of(path.0[position]).guard;
        let Some(of_guard) = cases(&system.terms, guard, true, MOST_CASES) else {
            return Vec::new();
        };
        if all.len() * of_guard.len() > MOST_CASES {
            return Vec::new();
        }
        all = all
            .iter()
            .flat_map(|chosen: &Vec<(usize, Inequalities)>| {
                of_guard.iter().map(move |case| {
                    let mut chosen = chosen.clone();
                    chosen.push((position, case.clone()));
                    chosen
                })
            })
            .collect();
    }
    all
}

fn carry(system: &mut System, path: &Path, position: usize, sum: &Linear) -> Option<Carried> {
    let mut before = vec![sum.clone()];
    let mut choices = Vec::new();
    let mut sum = sum.clone();
    for earlier in (0..position).rev() {
        let action = system.action_of(path.0[earlier]).clone();
        sum = substituted(&mut system.terms, &sum, |terms, term| {
            action.before(terms, term)
        })?;
        for &choice in &action.choices {
            let term = system.terms.variable(choice);
            for (&part, &coefficient) in &sum.coefficients {
                if part == term {
                    choices.push((earlier, part, coefficient));
                } else if system.terms.variables_of(part).contains(&choice) {
                    return None;
                }
            }
            sum.coefficients.remove(&term);
        }
        before.push(sum.clone());
    }
    before.reverse();
    let start = system.action(system.initialisation).clone();
    let at_start = substituted(&mut system.terms, &sum, |terms, term| {
        start.before(terms, term)
    })?;
    Some(Carried {
        position,
        before,
        at_start,
        choices,
    })
}

fn substituted(
    terms: &mut Terms,
    sum: &Linear,
    mut replace: impl FnMut(&mut Terms, TermId) -> TermId,
) -> Option<Linear> {
    let mut result = Linear {
        constant: sum.constant,
        ..Linear::default()
    };
    for (&term, &coefficient) in &sum.coefficients {
        let new = replace(terms, term);
        result = result.plus(&Linear::of(terms, new)?.times(coefficient)?)?;
    }
    Some(result)
}

/// Looks for factors, with one solver for all paths.
pub(crate) struct Factors {
    terms: Terms,
    solver: Option<Box<dyn Solver>>,
    limits: Limits,
    factors: Vec<TermId>,
}

impl Factors {
    pub(crate) fn new(limits: Limits) -> Factors {
        Factors {
            terms: Terms::new(),
            solver: None,
            limits,
            factors: Vec::new(),
        }
    }

    /// Factors with which the inequalities add up to "a negative number is at least 0".
    fn contradiction(&mut self, carried: &[Carried]) -> Result<Option<Vec<i128>>, Reason> {
        if carried.is_empty() {
            return Ok(None);
        }
        if let Some(factors) = contradicting_sum(carried) {
            return Ok(Some(factors));
        }
        let terms = &mut self.terms;
        while self.factors.len() < carried.len() {
            let name = format!("factor{}", self.factors.len());
            let factor = terms.declare(name, heddle_program::Sort::Int);
            self.factors.push(terms.variable(factor));
        }
        let factors = &self.factors[..carried.len()];
        let mut needed = Vec::new();
        let zero = terms.int(0);
        // Whatever is not known at the start cancels out, and so does every choice.
        let parts = carried.iter().flat_map(|c| c.at_start.coefficients.keys());
        for part in parts.copied().collect::<BTreeSet<TermId>>() {
            let of_part = carried
                .iter()
                .map(|c| c.at_start.coefficients.get(&part).copied().unwrap_or(0));
            let sum = weighted(terms, factors, of_part);
            needed.push(terms.eq(sum, zero));
        }
        let choices = carried.iter().flat_map(|carried| &carried.choices);
        let choices: BTreeSet<(usize, TermId)> = choices.map(|&(at, c, _)| (at, c)).collect();
        for choice in choices {
            let of_choice = carried.iter().map(|carried| {
                let same = |&&(at, term, _): &&(usize, TermId, i128)| (at, term) == choice;
                carried.choices.iter().find(same).map_or(0, |c| c.2)
            });
            let sum = weighted(terms, factors, of_choice);
            needed.push(terms.eq(sum, zero));
        }
        let constants = carried.iter().map(|c| c.at_start.constant);
        let constant = weighted(terms, factors, constants);
        needed.push(terms.lt(constant, zero));

        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Backend::Z3.open();
            solver.set_limits(self.limits.clone());
            solver
        });
        for most in FACTORS {
            let most = terms.int(most);
            let mut conjuncts = needed.clone();
            for &factor in factors {
                conjuncts.extend([terms.le(zero, factor), terms.le(factor, most)]);
            }
            let answer = solver.check_terms(terms, &conjuncts);
            match answer.map_err(|why| Reason::Incomplete(why.to_string()))? {
                Answer::Unsat => continue,
                Answer::Unknown(Reason::Incomplete(_)) => return Ok(None),
                Answer::Unknown(reason) => return Err(reason),
                Answer::Sat => {
                    let value = |&factor: &TermId| match solver.value(terms, factor) {
                        Ok(Value::Scalar(Constant::Int(value))) => Some(value),
                        _ => None,
                    };
                    return Ok(factors.iter().map(value).collect());
                }
            }
        }
        Ok(None)
    }
}

/// What a carried inequality is about: parts of the values at the start, and choices by where they
/// are made.
type Unknown = (Option<usize>, TermId);

/// The largest set of inequalities whose sum is a contradiction, by factors of 0 and 1: the
/// more of the guards take part, the more the predicates say of how variables are related.
fn contradicting_sum(carried: &[Carried]) -> Option<Vec<i128>> {
    if carried.len() > MOST_SUMMANDS {
        return None;
    }
    let mut numbers: FxHashMap<Unknown, usize> = FxHashMap::default();
    let rows: Vec<Vec<(usize, i128)>> = carried
        .iter()
        .map(|carried| {
            let parts = carried.at_start.coefficients.iter();
            let parts = parts.map(|(&part, &coefficient)| ((None, part), coefficient));
            let choices = carried.choices.iter();
            let choices = choices.map(|&(at, choice, c)| ((Some(at), choice), c));
            let all = parts.chain(choices);
            all.map(|(unknown, coefficient)| {
                let next = numbers.len();
                (*numbers.entry(unknown).or_insert(next), coefficient)
            })
            .collect()
        })
        .collect();
    let is_contradiction = |set: u32| {
        let mut sum = vec![0_i128; numbers.len()];
        let mut constant = 0_i128;
        for index in (0..carried.len()).filter(|index| set >> index & 1 == 1) {
            constant = constant.checked_add(carried[index].at_start.constant)?;
            for &(unknown, coefficient) in &rows[index] {
                sum[unknown] = sum[unknown].checked_add(coefficient)?;
            }
        }
        (constant < 0 && sum.iter().all(|&c| c == 0)).then_some(set)
    };
    let contradictions = (1_u32..1 << carried.len()).filter_map(is_contradiction);
    let largest = contradictions.max_by_key(|set| set.count_ones())?;
    let factors = (0..carried.len()).map(|index| i128::from(largest >> index & 1));
    Some(factors.collect())
}

/// The sum of the factors, each times its coefficient.
fn weighted(
    terms: &mut Terms,
    factors: &[TermId],
    coefficients: impl Iterator<Item = i128>,
) -> TermId {
    let mut sum = terms.int(0);
    for (&factor, coefficient) in factors.iter().zip(coefficients) {
        let coefficient = terms.int(coefficient);
        let product = terms.mul(coefficient, factor);
        sum = terms.add(sum, product);
    }
    sum
}
