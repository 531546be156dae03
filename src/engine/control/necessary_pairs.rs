//! Pairs of locations that every partition has to tell apart.
//!
//! If a thread that jumps once from ℓ to ℓ′ takes the program to an error, the run without the
//! jump is a spurious path for the single reason that ℓ and ℓ′ are in one class: it leaves the
//! partition no choice. Such paths are worth much more than those that have several reasons.
//! They are looked for by running the program: whether an error can be reached from where a
//! jump leads to does not depend on the jump, so one search answers for all pairs.

use super::concrete_states::ConcreteStates;
use super::runs::{Arrival, Ended, Packed, Runs, Successors, steps_to};
use super::safe_indices::{SafeIndex, safe_indices};
use super::telling_apart::{Worth, key};
use crate::reach::{Path, PointId, StepId, System};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many states after jumps are followed.
const MOST_STATES: usize = 20_000;
/// And so many after one of them, if there is no end of states.
const MOST_STATES_A_JUMP: usize = 1_000;

/// What jumps from the states of the program lead to.
#[derive(Default)]
pub(super) struct Jumps {
    /// Spurious paths that have one pair of locations each as their only reason, each pair once.
    pub(super) paths: Vec<Path>,
    /// For each pair of points, how many states there are from which a jump from one to the other
    /// leads where the program never is.
    pub(super) elsewhere: Worth,
}

/// Lets each thread jump from each state.
pub(super) fn jumps(found: &mut ConcreteStates<'_>) -> Jumps {
    let mut jumps = Jumps::default();
    let mut endings = Endings {
        states_left: MOST_STATES,
        known: FxHashMap::default(),
    };
    let mut told_apart = FxHashSet::default();
    for number in 0..found.states.len() {
        for (from, to, jumped) in found.jumps_elsewhere(number) {
            let pair = key(from, to);
            *jumps.elsewhere.entry(pair).or_default() += 1;
            if told_apart.contains(&pair) {
                continue;
            }
            // What cannot be found out is not known to be necessary.
            let Ok(Some(ending)) = endings.get(found, jumped) else {
                continue;
            };
            let mut path = steps_to(&found.states, number);
            path.extend(ending);
            let path = Path(path);
            if is_only_reason(found.runs.system, &path, from, to) {
                told_apart.insert(pair);
                jumps.paths.push(path);
            }
        }
    }
    jumps
}

fn is_only_reason(system: &System, path: &Path, at: PointId, needed: PointId) -> bool {
    let indices = safe_indices(system, path);
    let is_this = |index: &SafeIndex| index.at == at && index.needed == [needed];
    !indices.is_empty() && indices.iter().all(is_this)
}

/// Ways from states to errors.
struct Endings {
    states_left: usize,
    /// For states that were looked at, steps that lead to an error, if there are any.
    known: FxHashMap<Packed, Option<Vec<StepId>>>,
}

impl Endings {
    /// Steps from the state to an error.
    fn get(
        &mut self,
        found: &mut ConcreteStates<'_>,
        state: Packed,
    ) -> Result<Option<Vec<StepId>>, Ended> {
        if let Some(known) = self.known.get(&state) {
            return Ok(known.clone());
        }
        let mut seen = FxHashSet::from_iter([state.clone()]);
        let mut states: Vec<(Packed, Arrival)> = vec![(state, None)];
        let mut looked_at = 0;
        while looked_at < states.len() {
            let number = looked_at;
            looked_at += 1;
            let state = states[number].0.clone();
            let successors = match self.known.get(&state).cloned() {
                Some(Some(ending)) => {
                    return Ok(Some(self.note(&states, number, ending)));
                }
                Some(None) => continue,
                // The program itself does not go wrong, as far as anybody knows.
                None if found.contains(&state) => continue,
                None if looked_at > MOST_STATES_A_JUMP => return Ok(None),
                None => self.successors(&mut found.runs, &state)?,
            };
            if let Some(&violation) = successors.violations.first() {
                return Ok(Some(self.note(&states, number, vec![violation])));
            }
            for (step, next) in successors.next {
                if seen.insert(next.clone()) {
                    states.push((next, Some((number, step))));
                }
            }
        }
        // All that can be reached from here was looked at.
        let endless = states.into_iter().map(|(state, _)| (state, None));
        self.known.extend(endless);
        Ok(None)
    }

    fn successors(&mut self, runs: &mut Runs<'_>, state: &Packed) -> Result<Successors, Ended> {
        let left = self.states_left.checked_sub(1);
        self.states_left = left.ok_or(Ended::EnoughStates)?;
        runs.successors(state)
    }

    /// Notes the steps to an error for all states on the way, and returns those from the first.
    fn note(
        &mut self,
        states: &[(Packed, Arrival)],
        last: usize,
        mut ending: Vec<StepId>,
    ) -> Vec<StepId> {
        let mut number = last;
        loop {
            let (state, arrival) = &states[number];
            self.known.insert(state.clone(), Some(ending.clone()));
            let Some((before, step)) = *arrival else {
                return ending;
            };
            ending.insert(0, step);
            number = before;
        }
    }
}
