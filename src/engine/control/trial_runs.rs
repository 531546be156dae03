//! Tries a partition on concrete data: a thread takes the steps of all locations of its class.
//!
//! An error that is reached like this is a spurious path that only control can exclude, found
//! without predicates. If everything was looked at and there is none, then none is left whatever
//! the predicates will be.

use super::concrete_states::ConcreteStates;
use super::runs::{Arrival, Packed, steps_to};
use crate::reach::{Partition, Path, StepId};
use rustc_hash::FxHashSet;

/// So many errors of one partition are of interest.
const MOST_PATHS: usize = 4;
/// A partition that gives the program more than so many times its states confuses too much.
const MOST_TIMES: usize = 3;

pub(super) enum Trial {
    /// Errors are reached; these are paths to some, with as few jumps as possible.
    Failed(Vec<Path>),
    Passed,
    /// The partition makes so much possible that abstract states would become more, not fewer.
    TooManyStates,
}

/// Lets the threads jump within their classes.
pub(super) fn try_out(found: &mut ConcreteStates<'_>, partition: &Partition) -> Trial {
    let most = MOST_TIMES * found.states.len();
    let runs = &mut found.runs;
    // States that differ only in where in its class a thread is are one.
    let mut known = FxHashSet::default();
    for (state, _) in &found.states {
        known.insert(runs.representative(state, partition));
    }
    let mut states: Vec<(Packed, Arrival)> = found.states.clone();
    let mut after_a_jump: Vec<(Packed, Arrival)> = Vec::new();
    let mut paths = Vec::new();
    let mut number = 0;
    loop {
        // What is reached without another jump comes first.
        while number < states.len() {
            let state = states[number].0.clone();
            let Ok(moves) = runs.moves(&state, partition) else {
                return Trial::Passed;
            };
            for taken in moves {
                // Where the program itself goes is known.
                if number < found.states.len() && !taken.jumped {
                    continue;
                }
                let Some(next) = taken.next else {
                    paths.push(path(&states, number, taken.step));
                    continue;
                };
                let arrival = Some((number, taken.step));
                if taken.jumped {
                    after_a_jump.push((next, arrival));
                } else if known.insert(runs.representative(&next, partition)) {
                    states.push((next, arrival));
                }
            }
            number += 1;
            if paths.len() >= MOST_PATHS {
                return Trial::Failed(paths);
            }
            if known.len() > most {
                return match paths.is_empty() {
                    true => Trial::TooManyStates,
                    false => Trial::Failed(paths),
                };
            }
        }
        if !paths.is_empty() {
            return Trial::Failed(paths);
        }
        for (state, arrival) in after_a_jump.drain(..) {
            if known.insert(runs.representative(&state, partition)) {
                states.push((state, arrival));
            }
        }
        if number == states.len() {
            return Trial::Passed;
        }
    }
}

fn path(states: &[(Packed, Arrival)], number: usize, last: StepId) -> Path {
    let mut steps = steps_to(states, number);
    steps.push(last);
    Path(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::safe_indices::safe_indices;
    use crate::reach::System;

    #[test]
    fn one_class_for_all_locations_fails_and_one_for_each_passes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
        let path = std::path::Path::new(path).join("control-abstraction/bakery.hd");
        let loaded = heddle_front::load(&path, &heddle_front::Options::default());
        let program = loaded.expect("the example is correct").0;
        let system = System::new(&program).expect("it has no error condition");
        let mut found = ConcreteStates::new(&program, &system).expect("it starts");
        assert!(found.complete);
        let Trial::Failed(paths) = try_out(&mut found, &Partition::coarsest(&system)) else {
            panic!("bakery.hd needs its locations");
        };
        for path in paths {
            assert!(!safe_indices(&system, &path).is_empty(), "it is safe");
        }
        let finest = try_out(&mut found, &Partition::discrete(&system));
        assert!(matches!(finest, Trial::Passed));
    }
}
