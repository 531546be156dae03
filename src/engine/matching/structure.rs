//! What a search explored: abstract states, each with the concrete state that was found for
//! it first, and the steps between them.

use super::predicates::Valuation;
use heddle_interpret::{StepError, Violation};
use heddle_program::{Constant, EdgeId, LocationId, ThreadId};
use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::rc::Rc;

/// An abstract state, numbered in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub(crate) u32);

impl StateId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ControlId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ValuationId(pub(crate) u32);

/// The values that a step took for what its statement leaves open; the first is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct InputsId(pub(crate) u32);

impl InputsId {
    pub(crate) const NONE: InputsId = InputsId(0);
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct AbstractState {
    pub(crate) control: ControlId,
    pub(crate) valuation: ValuationId,
    /// `None` for a state at the start of a run.
    pub(crate) reached: Option<(StateId, EdgeId)>,
    pub(crate) inputs: InputsId,
}

/// What became of a step whose outcome depends on more than the program counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    To(StateId, InputsId),
    Blocked,
}

/// The locations of the threads, the owner of the atomic section, and the variables of the
/// program counter, as words: see [`ControlState`].
pub(crate) type ControlWords = [i128];

/// A reading of [`ControlWords`].
#[derive(Clone, Copy)]
pub(crate) struct ControlState<'a> {
    words: &'a ControlWords,
    threads: usize,
}

impl<'a> ControlState<'a> {
    pub(crate) fn new(words: &'a ControlWords, threads: usize) -> Self {
        ControlState { words, threads }
    }

    /// The words of a state, of which those of the variables are still missing.
    pub(crate) fn begin(
        words: &mut Vec<i128>,
        locations: impl Iterator<Item = Option<LocationId>>,
        owner: Option<ThreadId>,
    ) {
        words.clear();
        let number = |index: Option<usize>| index.map_or(0, |index| index as i128 + 1);
        words.extend(locations.map(|location| number(location.map(LocationId::index))));
        words.push(number(owner.map(ThreadId::index)));
    }

    pub(crate) fn location(&self, thread: ThreadId) -> Option<LocationId> {
        let number = self.words[thread.index()].checked_sub(1)?;
        usize::try_from(number).ok().map(LocationId::from_index)
    }

    pub(crate) fn owner(&self) -> Option<ThreadId> {
        let number = self.words[self.threads].checked_sub(1)?;
        usize::try_from(number).ok().map(ThreadId::from_index)
    }

    /// The value of the variable of the program counter at this position.
    pub(crate) fn word(&self, position: usize) -> i128 {
        self.words[self.threads + 1 + position]
    }
}

/// Equal values under one number, counted from 0.
#[derive(Debug)]
pub(crate) struct Interner<T: ?Sized> {
    numbers: FxHashMap<Rc<T>, u32>,
    values: Vec<Rc<T>>,
}

impl<T: ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Interner {
            numbers: FxHashMap::default(),
            values: Vec::new(),
        }
    }
}

impl<T: ?Sized + Eq + Hash> Interner<T> {
    pub(crate) fn number<'q>(&mut self, value: &'q T) -> u32
    where
        Rc<T>: Borrow<T>,
        &'q T: Into<Rc<T>>,
    {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).expect("fewer than 2^32 values");
        let value: Rc<T> = value.into();
        self.numbers.insert(value.clone(), number);
        self.values.push(value);
        number
    }
}

impl<T: ?Sized> Interner<T> {
    pub(crate) fn get(&self, number: u32) -> &Rc<T> {
        &self.values[number as usize]
    }
}

/// Packed concrete states, one behind the other.
#[derive(Debug, Default)]
struct Packed {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Packed {
    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    fn get(&self, index: usize) -> &[u8] {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.bytes[start..self.ends[index]]
    }
}

#[derive(Debug, Default)]
pub(crate) struct Structure {
    pub(crate) controls: Interner<ControlWords>,
    pub(crate) valuations: Interner<[u64]>,
    pub(crate) inputs: Interner<[Constant]>,
    pub(crate) states: Vec<AbstractState>,
    numbers: FxHashMap<(ControlId, ValuationId), StateId>,
    concrete: Packed,
    /// The steps of all expanded states, and where those of each state are.
    steps: Vec<(EdgeId, Outcome)>,
    steps_of: Vec<Option<(usize, usize)>>,
    /// States that violate the property.
    pub(crate) errors: Vec<(StateId, Violation)>,
    /// How many concrete states were generated, the initial ones included.
    pub(crate) generated: u64,
    /// How many of the states are abstract states, and not just the end of a trace.
    pub(crate) visited: u64,
    /// Inputs were taken from a range that is not all there is.
    pub(crate) range_used: bool,
    /// The solver could not choose inputs for all valuations.
    pub(crate) inputs_missed: bool,
    /// The edges that ended at a bound of the front end.
    pub(crate) bounds: Vec<EdgeId>,
    /// The first thing that could not be executed.
    pub(crate) failure: Option<(Option<EdgeId>, StepError)>,
    /// The search ended before all states were expanded, because an error was found.
    pub(crate) incomplete: bool,
}

impl Structure {
    pub(crate) fn new() -> Structure {
        let mut structure = Structure::default();
        structure.inputs.number(&[]);
        structure
    }

    /// The state of a control state and a valuation, if it was visited.
    pub(crate) fn find(&self, control: ControlId, valuation: ValuationId) -> Option<StateId> {
        self.numbers.get(&(control, valuation)).copied()
    }

    /// A state that was not visited before. It is found again unless it is only the end of a
    /// trace.
    pub(crate) fn add(&mut self, state: AbstractState, packed: &[u8], is_end: bool) -> StateId {
        let number = u32::try_from(self.states.len()).expect("fewer than 2^32 states");
        let id = StateId(number);
        self.states.push(state);
        self.concrete.push(packed);
        self.steps_of.push(None);
        if !is_end {
            self.visited += 1;
            self.numbers.insert((state.control, state.valuation), id);
        }
        id
    }

    pub(crate) fn state(&self, id: StateId) -> &AbstractState {
        &self.states[id.index()]
    }

    pub(crate) fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }

    /// The concrete state that stands for the abstract one, packed.
    pub(crate) fn packed(&self, id: StateId) -> &[u8] {
        self.concrete.get(id.index())
    }

    pub(crate) fn valuation(&self, id: ValuationId) -> Valuation {
        Valuation::from_words(self.valuations.get(id.0))
    }

    pub(crate) fn begin_steps(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn push_step(&mut self, edge: EdgeId, outcome: Outcome) {
        self.steps.push((edge, outcome));
    }

    pub(crate) fn end_steps(&mut self, state: StateId, start: usize) {
        self.steps_of[state.index()] = Some((start, self.steps.len()));
    }

    /// What was noted of the steps of a state: every one that was taken, and those that were
    /// not for a reason beyond the program counter. `None` if it was not expanded.
    pub(crate) fn steps(&self, state: StateId) -> Option<&[(EdgeId, Outcome)]> {
        let (start, end) = self.steps_of[state.index()]?;
        Some(&self.steps[start..end])
    }

    pub(crate) fn transitions(&self) -> usize {
        self.steps
            .iter()
            .filter(|(_, outcome)| *outcome != Outcome::Blocked)
            .count()
    }
}
