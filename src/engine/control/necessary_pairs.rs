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
use super::telling_apart::key;
use crate::reach::{Path, PointId, StepId};
use rustc_hash::{FxHashMap, FxHashSet};

/// So many states after jumps are followed.
const MOST_STATES: usize = 20_000;
/// And so many after one of them, if there is no end of states.
const MOST_STATES_A_JUMP: usize = 1_000;

/// Spurious paths that have one pair of locations each as their only reason, each pair once.
pub(super) fn necessary_pairs(found: &mut ConcreteStates<'_>) -> Vec<Path> {
    let mut search = Search {
        runs: &mut found.runs,
        states: &found.states,
        states_left: MOST_STATES,
        endings: FxHashMap::default(),
        told_apart: FxHashSet::default(),
        paths: Vec::new(),
    };
    for number in 0..search.states.len() {
        if search.jump_from(number).is_err() {
            break;
        }
    }
    search.paths
}

struct Search<'s, 'a> {
    runs: &'s mut Runs<'a>,
    states: &'s [(Packed, Arrival)],
    states_left: usize,
    /// For states that were looked at, steps that lead to an error, if there are any.
    endings: FxHashMap<Packed, Option<Vec<StepId>>>,
    told_apart: FxHashSet<(PointId, PointId)>,
    paths: Vec<Path>,
}

impl Search<'_, '_> {
    /// Lets each thread jump from the state.
    fn jump_from(&mut self, number: usize) -> Result<(), Ended> {
        let is_open = |from, to| !self.told_apart.contains(&key(from, to));
        for (from, to, jumped) in self.runs.jumps(&self.states[number].0, is_open) {
            let Some(ending) = self.ending(jumped)? else {
                continue;
            };
            let mut path = steps_to(self.states, number);
            path.extend(ending);
            let path = Path(path);
            if self.has_only_reason(&path, from, to) && self.told_apart.insert(key(from, to)) {
                self.paths.push(path);
            }
        }
        Ok(())
    }

    fn has_only_reason(&self, path: &Path, at: PointId, needed: PointId) -> bool {
        let indices = safe_indices(self.runs.system, path);
        let is_this = |index: &SafeIndex| index.at == at && index.needed == [needed];
        !indices.is_empty() && indices.iter().all(is_this)
    }

    /// Steps from the state to an error.
    fn ending(&mut self, state: Packed) -> Result<Option<Vec<StepId>>, Ended> {
        if let Some(known) = self.endings.get(&state) {
            return Ok(known.clone());
        }
        let mut seen = FxHashSet::from_iter([state.clone()]);
        let mut states: Vec<(Packed, Arrival)> = vec![(state, None)];
        let mut looked_at = 0;
        while looked_at < states.len() {
            let number = looked_at;
            looked_at += 1;
            let state = states[number].0.clone();
            let successors = match self.endings.get(&state).cloned() {
                Some(Some(ending)) => {
                    return Ok(Some(self.note_ending(&states, number, ending)));
                }
                Some(None) => continue,
                None if looked_at > MOST_STATES_A_JUMP => return Ok(None),
                None => self.successors(&state)?,
            };
            if let Some(&violation) = successors.violations.first() {
                return Ok(Some(self.note_ending(&states, number, vec![violation])));
            }
            for (step, next) in successors.next {
                if seen.insert(next.clone()) {
                    states.push((next, Some((number, step))));
                }
            }
        }
        // All that can be reached from here was looked at.
        let endless = states.into_iter().map(|(state, _)| (state, None));
        self.endings.extend(endless);
        Ok(None)
    }

    fn successors(&mut self, state: &Packed) -> Result<Successors, Ended> {
        let left = self.states_left.checked_sub(1);
        self.states_left = left.ok_or(Ended::EnoughStates)?;
        self.runs.successors(state)
    }

    /// Notes the steps to an error for all states on the way, and returns those from the first.
    fn note_ending(
        &mut self,
        states: &[(Packed, Arrival)],
        last: usize,
        mut ending: Vec<StepId>,
    ) -> Vec<StepId> {
        let mut number = last;
        loop {
            let (state, arrival) = &states[number];
            self.endings.insert(state.clone(), Some(ending.clone()));
            let Some((before, step)) = *arrival else {
                return ending;
            };
            ending.insert(0, step);
            number = before;
        }
    }
}
