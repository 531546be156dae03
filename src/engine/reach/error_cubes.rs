//! The error condition as a disjunction of cubes: where each thread is, and what holds of the
//! data.

use heddle_program::{LocationId, Program, StateFormula, TermId, Terms, ThreadId};
use std::collections::BTreeMap;
use std::fmt;

const MOST_CUBES: usize = 1_000;

/// Where one thread has to be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// Here, if anywhere is asked for.
    pub(crate) at: Option<LocationId>,
    pub(crate) not_at: Vec<LocationId>,
}

impl Whereabouts {
    pub(crate) fn allows(&self, location: LocationId) -> bool {
        self.at.is_none_or(|at| at == location) && !self.not_at.contains(&location)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ErrorCube {
    pub(crate) places: BTreeMap<ThreadId, Whereabouts>,
    pub(crate) guard: TermId,
}

/// The error condition has too many cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyCubes;

impl fmt::Display for TooManyCubes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the error condition has more than {MOST_CUBES} cases")
    }
}

/// The cubes of which the program's error condition is the disjunction.
pub(crate) fn error_cubes(
    program: &Program,
    terms: &mut Terms,
) -> Result<Vec<ErrorCube>, TooManyCubes> {
    let Some(error) = &program.property.error else {
        return Ok(Vec::new());
    };
    cubes(&error.formula, true, terms)
}

/// The cubes of the formula, or of its negation.
fn cubes(
    formula: &StateFormula,
    positive: bool,
    terms: &mut Terms,
) -> Result<Vec<ErrorCube>, TooManyCubes> {
    let cube = |places, guard| Ok(vec![ErrorCube { places, guard }]);
    match (formula, positive) {
        (StateFormula::Not(inner), _) => cubes(inner, !positive, terms),
        (StateFormula::Term(term), true) => cube(BTreeMap::new(), *term),
        (StateFormula::Term(term), false) => cube(BTreeMap::new(), terms.not(*term)),
        (StateFormula::At(thread, location), _) => {
            let place = match positive {
                true => Whereabouts {
                    at: Some(*location),
                    not_at: Vec::new(),
                },
                false => Whereabouts {
                    at: None,
                    not_at: vec![*location],
                },
            };
            cube(BTreeMap::from([(*thread, place)]), terms.bool(true))
        }
        (StateFormula::Or(parts), true) | (StateFormula::And(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(cubes(part, positive, terms)?);
                if all.len() > MOST_CUBES {
                    return Err(TooManyCubes);
                }
            }
            Ok(all)
        }
        (StateFormula::And(parts), true) | (StateFormula::Or(parts), false) => {
            let mut all = vec![ErrorCube {
                places: BTreeMap::new(),
                guard: terms.bool(true),
            }];
            for part in parts {
                let of_part = cubes(part, positive, terms)?;
                if all.len() * of_part.len() > MOST_CUBES {
                    return Err(TooManyCubes);
                }
                all = all
                    .iter()
                    .flat_map(|left| of_part.iter().map(move |right| (left, right)))
                    .filter_map(|(left, right)| conjunction(left, right, terms))
                    .collect();
            }
            Ok(all)
        }
    }
}

/// `None` if no state satisfies both.
fn conjunction(left: &ErrorCube, right: &ErrorCube, terms: &mut Terms) -> Option<ErrorCube> {
    let mut places = left.places.clone();
    for (thread, place) in &right.places {
        let both = places.entry(*thread).or_default();
        match (both.at, place.at) {
            (Some(one), Some(other)) if one != other => return None,
            (None, at) => both.at = at,
            _ => {}
        }
        both.not_at.extend(&place.not_at);
        if both.at.is_some_and(|at| !both.allows(at)) {
            return None;
        }
    }
    let guard = terms.and(&[left.guard, right.guard]);
    Some(ErrorCube { places, guard })
}
