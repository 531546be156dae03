//! The states of the program, if there are not many: what is learned from them takes neither
//! predicates nor a solver.

use super::runs::{Arrival, Ended, Packed, Runs};
use crate::reach::{PointId, System};
use heddle_program::{Program, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is not found soon is not looked for.
const MOST_STATES: usize = 4_000;
/// So many states say what values variables can have.
const MOST_WITNESSES: usize = 40;

pub(super) struct ConcreteStates<'a> {
    pub(super) runs: Runs<'a>,
    /// The nearest ones first.
    pub(super) states: Vec<(Packed, Arrival)>,
    known: FxHashSet<Packed>,
    /// Whether these are all.
    pub(super) complete: bool,
}

impl<'a> ConcreteStates<'a> {
    /// `None` if the program does not even start.
    pub(super) fn new(program: &'a Program, system: &'a System) -> Option<ConcreteStates<'a>> {
        // An initial value that cannot be computed is for others to complain about.
        let runs = Runs::new(program, system).ok()?;
        let start = runs.start();
        let mut found = ConcreteStates {
            runs,
            known: FxHashSet::from_iter([start.clone()]),
            states: vec![(start, None)],
            complete: false,
        };
        // However it ended, what was found was found.
        found.complete = found.explore().is_ok();
        Some(found)
    }

    fn explore(&mut self) -> Result<(), Ended> {
        let mut number = 0;
        while number < self.states.len() {
            if number == MOST_STATES {
                return Err(Ended::EnoughStates);
            }
            let state = self.states[number].0.clone();
            for (step, next) in self.runs.successors(&state)?.next {
                if self.known.insert(next.clone()) {
                    self.states.push((next, Some((number, step))));
                }
            }
            number += 1;
        }
        Ok(())
    }

    pub(super) fn contains(&self, state: &Packed) -> bool {
        self.known.contains(state)
    }

    /// From where to where a thread can jump in the state with this number, if that leads where
    /// the program never is, and the state after the jump.
    pub(super) fn jumps_elsewhere(&self, number: usize) -> Vec<(PointId, PointId, Packed)> {
        let mut jumps = self.runs.jumps(&self.states[number].0);
        jumps.retain(|(_, _, jumped)| !self.known.contains(jumped));
        jumps
    }

    /// Values that the variables can have together.
    pub(super) fn witnesses(&self) -> Vec<FxHashMap<VarId, Value>> {
        let mut witnesses: Vec<FxHashMap<VarId, Value>> = Vec::new();
        for (state, _) in &self.states {
            let values = self.runs.values(state);
            if !witnesses.contains(&values) {
                witnesses.push(values);
            }
            if witnesses.len() == MOST_WITNESSES {
                break;
            }
        }
        witnesses
    }
}
