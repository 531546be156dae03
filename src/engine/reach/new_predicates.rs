//! Refinement of the data abstraction: predicates with which a path is no longer possible.

use super::abstract_post::AbstractPost;
use super::linear_combination::{Factors, linear_combinations};
use super::path::{Path, SymbolicExecution};
use super::predicates::{Cube, PredicateId, Predicates};
use super::strongest_postcondition::known_values;
use super::system::System;
use super::weakest_precondition::{Preconditions, atoms, preconditions};
use crate::words::words;
use heddle_program::{Op, Term, TermId, Terms};
use heddle_solver::Reason;
use std::collections::BTreeSet;

/// So many values of a variable are predicates before other sources are asked first.
const MOST_VALUES: usize = 3;

/// Where new predicates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Atoms of weakest preconditions of the core's guards.
    WeakestPrecondition,
    /// Values that variables are known to have.
    StrongestPostcondition,
    /// Linear combinations of the core's guards, carried back.
    LinearCombination,
}

impl Source {
    pub const ALL: [Source; 3] = [
        Source::LinearCombination,
        Source::StrongestPostcondition,
        Source::WeakestPrecondition,
    ];
}

words!(Source, "predicates come from `wp`, `sp` or `linear`", {
    WeakestPrecondition => "wp",
    StrongestPostcondition => "sp",
    LinearCombination => "linear",
});

/// A path whose data cannot go along it, because of the guards at the positions of the core.
pub(crate) struct Infeasible<'a> {
    pub(crate) path: &'a Path,
    pub(crate) core: Vec<usize>,
    pub(crate) execution: SymbolicExecution,
}

/// New predicates that exclude the path if all are tracked everywhere; none if nobody found
/// any.
pub(crate) fn new_predicates(
    system: &mut System,
    post: &mut AbstractPost,
    predicates: &Predicates,
    infeasible: &Infeasible<'_>,
    sources: &[Source],
    factors: &mut Factors,
) -> Result<Vec<TermId>, Reason> {
    let preconditions = preconditions(system, infeasible.path, &infeasible.core);
    let mut all = BTreeSet::new();
    for &source in sources {
        let mut found = from(source, system, infeasible, &preconditions, factors)?;
        all.extend(found.iter().copied());
        if source == Source::StrongestPostcondition {
            found.retain(|&value| !has_many_values(&system.terms, predicates, value));
        }
        if let Some(new) = try_these(system, post, predicates, infeasible.path, &found)? {
            return Ok(new);
        }
    }
    // A conjunction of literals may not be able to say that a conjunction does not hold.
    for conjuncts in &preconditions.0 {
        all.insert(system.terms.and(conjuncts));
    }
    let new = try_these(system, post, predicates, infeasible.path, &all)?;
    Ok(new.unwrap_or_default())
}

/// Whether so many values of the variable are told apart that one more is probably not the
/// last: a loop counts, and other sources may see where it leads to.
fn has_many_values(terms: &Terms, predicates: &Predicates, value: TermId) -> bool {
    let variables = terms.variables_of(value);
    let tracked = predicates.ids().map(|id| predicates.get(id).term);
    let values = tracked.filter(|&term| {
        let is_value = is_equation_with_constant(terms, term);
        is_value && terms.variables_of(term) == variables
    });
    is_equation_with_constant(terms, value) && values.count() >= MOST_VALUES
}

fn is_equation_with_constant(terms: &Terms, term: TermId) -> bool {
    match terms.get(term) {
        Term::Apply {
            op: Op::Eq,
            arguments,
        } => arguments
            .iter()
            .any(|&side| terms.as_constant(side).is_some()),
        _ => false,
    }
}

fn from(
    source: Source,
    system: &mut System,
    infeasible: &Infeasible<'_>,
    preconditions: &Preconditions,
    factors: &mut Factors,
) -> Result<BTreeSet<TermId>, Reason> {
    let path = infeasible.path;
    Ok(match source {
        Source::LinearCombination => linear_combinations(system, path, &infeasible.core, factors)?,
        Source::WeakestPrecondition => {
            let conditions = preconditions.0.iter().flatten();
            conditions
                .flat_map(|&term| atoms(&system.terms, term))
                .collect()
        }
        Source::StrongestPostcondition => {
            known_values(system, path, &infeasible.execution, preconditions)
        }
    })
}

/// Those of the candidates that are needed to exclude the path; `None` if all of them are not
/// enough.
fn try_these(
    system: &mut System,
    post: &mut AbstractPost,
    predicates: &Predicates,
    path: &Path,
    candidates: &BTreeSet<TermId>,
) -> Result<Option<Vec<TermId>>, Reason> {
    let mut needed: Vec<TermId> = candidates
        .iter()
        .copied()
        .filter(|&term| !predicates.contains(term) && system.terms.as_constant(term).is_none())
        .collect();
    // The largest ones are spared first.
    needed.sort_by_key(|&term| std::cmp::Reverse((system.terms.subterms(&[term]).len(), term)));
    if needed.is_empty() || !excludes(system, post, predicates, path, &needed)? {
        return Ok(None);
    }
    let mut index = 0;
    while index < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(index);
        if !fewer.is_empty() && excludes(system, post, predicates, path, &fewer)? {
            needed = fewer;
        } else {
            index += 1;
        }
    }
    Ok(Some(needed))
}

/// Whether the path is impossible in the abstraction by the predicates and these new ones.
fn excludes(
    system: &mut System,
    post: &mut AbstractPost,
    predicates: &Predicates,
    path: &Path,
    new: &[TermId],
) -> Result<bool, Reason> {
    let mut extended = predicates.clone();
    for &term in new {
        extended.add(&mut system.terms, term);
    }
    excluded(system, post, &extended, path, |_| extended.ids().collect())
}

/// Whether the path, whatever its control, is impossible in the abstraction by predicates, of
/// which those are tracked that are given for the number of steps taken.
pub(crate) fn excluded(
    system: &mut System,
    post: &mut AbstractPost,
    predicates: &Predicates,
    path: &Path,
    tracked: impl Fn(usize) -> Vec<PredicateId>,
) -> Result<bool, Reason> {
    let start = system.initialisation;
    let actions = path.0.iter().map(|&step| system.step(step).action);
    let actions: Vec<_> = std::iter::once(start).chain(actions).collect();
    let mut cubes: BTreeSet<Cube> = BTreeSet::from([Cube::default()]);
    for (steps, action) in actions.into_iter().enumerate() {
        let tracked = tracked(steps);
        let mut next = BTreeSet::new();
        for cube in &cubes {
            next.extend(post.successors(system, predicates, &tracked, action, cube)?);
        }
        cubes = next;
    }
    Ok(cubes.is_empty())
}
