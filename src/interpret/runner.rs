//! Compiled stepping, for engines that run programs themselves.
//!
//! The same machine as the explorer's. What to do with a successor, and which value an open
//! place takes, is up to the engine.

use crate::code::{Code, Context, Failure};
use crate::explore::Interleavings;
use crate::layout::{Configuration, Slot, encode};
use crate::machine::{Machine, Move, Scratch};
use crate::reduction::Reduction;
use crate::step::StepError;
use crate::store::Packing;
use heddle_program::{
    Constant, EdgeId, EvalError, LocationId, Program, Scalar, TermId, ThreadId, Value, VarId,
};

/// A concrete state of the program that a [`Runner`] runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot(Configuration);

impl Snapshot {
    /// Where the thread is; `None` if it was not created yet.
    pub fn location(&self, thread: ThreadId) -> Option<LocationId> {
        self.0.location(thread)
    }

    /// The thread inside an atomic section.
    pub fn owner(&self) -> Option<ThreadId> {
        self.0.owner()
    }

    /// Puts the thread at a location, whether or not a step leads there.
    pub fn put(&mut self, thread: ThreadId, location: LocationId) {
        self.0.set_location(thread, location);
    }
}

/// What becomes of an edge that starts where its thread is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    CanBeTaken,
    Blocked,
    /// It is an assertion that does not hold.
    Violated,
    /// The front end followed executions up to here only.
    BoundReached,
    Failed(StepError),
}

/// A scalar that has no value yet: any will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    slot: Slot,
    pub variable: VarId,
    /// The position, if the variable is an array.
    pub element: usize,
    pub sort: Scalar,
    /// Which of the step's [`choices`](crate::choices) it is; for the start of a run, the
    /// number among all open places.
    pub choice: usize,
}

/// A boolean term, compiled for one runner.
#[derive(Clone, Debug)]
pub struct Condition(Code);

/// A program compiled for stepping.
pub struct Runner<'p> {
    machine: Machine<'p>,
    reduction: Option<Reduction>,
    packing: Packing,
    scratch: Scratch,
    initial: Configuration,
}

impl<'p> Runner<'p> {
    /// Fails if an initial value has none.
    pub fn new(program: &'p Program, interleavings: Interleavings) -> Result<Self, EvalError> {
        let machine = Machine::new(program);
        let reduction = match interleavings {
            Interleavings::All => None,
            Interleavings::Enough => Some(Reduction::new(program, &machine.layout)),
        };
        let mut initial = machine.layout.initial(program)?;
        for slot in reduction.iter().flat_map(Reduction::dead_at_start) {
            initial.define(*slot, 0);
        }
        Ok(Runner {
            packing: Packing::new(program, &machine.layout),
            machine,
            reduction,
            scratch: Scratch::default(),
            initial,
        })
    }

    pub fn program(&self) -> &'p Program {
        self.machine.program
    }

    // What does not depend on a state.

    /// Whether nothing else has to be tried where a thread can take a step from here.
    pub fn is_preferred(&self, location: LocationId) -> bool {
        let reduction = self.reduction.as_ref();
        reduction.is_some_and(|reduction| reduction.preferred[location.index()])
    }

    /// The variables that nothing reads after the edge; they become zero.
    pub fn dying(&self, edge: EdgeId) -> Vec<VarId> {
        let reduction = self.reduction.as_ref();
        self.variables(reduction.map_or(&[], |reduction| reduction.dying(edge)))
    }

    /// The variables that nothing reads before they are written; they begin as zero.
    pub fn dead_at_start(&self) -> Vec<VarId> {
        let reduction = self.reduction.as_ref();
        self.variables(reduction.map_or(&[], Reduction::dead_at_start))
    }

    fn variables(&self, slots: &[Slot]) -> Vec<VarId> {
        let variables = slots
            .iter()
            .map(|&slot| self.machine.layout.variable(slot).0);
        let mut variables: Vec<VarId> = variables.collect();
        variables.dedup();
        variables
    }

    pub fn condition(&self, term: TermId) -> Condition {
        Condition(Code::compile(
            self.machine.program,
            &self.machine.layout,
            term,
        ))
    }

    // The start of a run.

    /// The state at the start, and its open places. All of them have to be given a value
    /// before anything else is done with the state.
    pub fn start(&self) -> (Snapshot, Vec<OpenPlace>) {
        let slots = (0..self.machine.layout.slot_count() as u32).map(Slot);
        let open = slots.filter(|&slot| self.initial.is_undefined(slot));
        let open = open.enumerate();
        let open = open.map(|(choice, slot)| self.open_place(slot, choice));
        (Snapshot(self.initial.clone()), open.collect())
    }

    fn open_place(&self, slot: Slot, choice: usize) -> OpenPlace {
        let (variable, element) = self.machine.layout.variable(slot);
        OpenPlace {
            slot,
            variable,
            element,
            sort: self.machine.layout.sort(slot),
            choice,
        }
    }

    pub fn define(&self, snapshot: &mut Snapshot, place: &OpenPlace, value: Constant) {
        debug_assert_eq!(value.sort(), place.sort);
        snapshot.0.define(place.slot, encode(value));
    }

    // Steps.

    /// The edges that decide what can happen next, each with what becomes of it: where one
    /// thread's steps commute with everything else, only that thread's.
    pub fn attempts(&mut self, snapshot: &Snapshot, attempts: &mut Vec<(EdgeId, Attempt)>) {
        attempts.clear();
        let program = self.machine.program;
        let reduced = self.reduction.is_some() && snapshot.owner().is_none();
        let mut others = Vec::new();
        for thread in program.thread_ids() {
            let location = snapshot.location(thread);
            if !reduced || !location.is_some_and(|location| self.is_preferred(location)) {
                others.push(thread);
                continue;
            }
            let first = attempts.len();
            self.attempts_of(snapshot, thread, attempts);
            let moves = |(_, attempt): &(EdgeId, Attempt)| *attempt != Attempt::Blocked;
            if attempts[first..].iter().any(moves) {
                return;
            }
            // It is stuck for good, and the others go on.
        }
        for thread in others {
            self.attempts_of(snapshot, thread, attempts);
        }
    }

    /// The edges of one thread, each with what becomes of it.
    pub fn attempts_of(
        &mut self,
        snapshot: &Snapshot,
        thread: ThreadId,
        attempts: &mut Vec<(EdgeId, Attempt)>,
    ) {
        let Some(location) = snapshot.location(thread) else {
            return;
        };
        if snapshot.owner().is_some_and(|owner| owner != thread) {
            return;
        }
        for &edge in self.machine.program.outgoing(location) {
            let probed = self.machine.probe(&snapshot.0, edge, &mut self.scratch);
            let attempt = match probed {
                Ok(Move::Taken) => Attempt::CanBeTaken,
                Ok(Move::Blocked) => Attempt::Blocked,
                Ok(Move::Violated) => Attempt::Violated,
                Ok(Move::BoundReached) => Attempt::BoundReached,
                Ok(Move::CreatedTwice(thread)) => Attempt::Failed(StepError::CreatedTwice(thread)),
                Err(failure) => Attempt::Failed(step_error(failure)),
            };
            attempts.push((edge, attempt));
        }
    }

    /// Takes an edge that [can be taken](Attempt::CanBeTaken), into `after`. The places that
    /// it leaves open, and that are not dead, have to be given a value next.
    pub fn take(
        &mut self,
        before: &Snapshot,
        edge: EdgeId,
        after: &mut Snapshot,
        open: &mut Vec<OpenPlace>,
    ) -> Result<(), StepError> {
        open.clear();
        after.0.copy_from(&before.0);
        self.machine
            .take(&mut after.0, edge, &mut self.scratch)
            .map_err(step_error)?;
        let opened = self.scratch.opened();
        if let Some(reduction) = &self.reduction {
            for &slot in reduction.dying(edge) {
                after.0.define(slot, 0);
            }
        }
        for (choice, slot) in opened.into_iter().enumerate() {
            if after.0.is_undefined(slot) {
                open.push(self.open_place(slot, choice));
            }
        }
        Ok(())
    }

    // States.

    pub fn holds(&mut self, condition: &Condition, snapshot: &Snapshot) -> Result<bool, EvalError> {
        let context = Context {
            program: self.machine.program,
            layout: &self.machine.layout,
        };
        let stack = self.scratch.stack();
        let holds = condition.0.holds(&context, &snapshot.0, stack);
        holds.map_err(evaluation_error)
    }

    /// Whether the error condition of the program holds.
    pub fn is_error(&mut self, snapshot: &Snapshot) -> Result<bool, EvalError> {
        let error = self.machine.is_error(&snapshot.0, &mut self.scratch);
        error.map_err(evaluation_error)
    }

    pub fn value(&self, snapshot: &Snapshot, variable: VarId) -> Value {
        let layout = &self.machine.layout;
        layout.load(self.machine.program, &snapshot.0.slots, variable)
    }

    /// The value of a scalar variable as a number, the same for equal values only.
    pub fn word(&self, snapshot: &Snapshot, variable: VarId) -> i128 {
        snapshot.0.slots[self.machine.layout.first(variable).index()]
    }

    /// The state in few bytes, the same for equal states only.
    pub fn pack(&self, snapshot: &Snapshot, bytes: &mut Vec<u8>) {
        self.packing.pack(&snapshot.0, bytes);
    }

    /// The state that was packed into these bytes.
    pub fn unpack(&self, bytes: &[u8], snapshot: &mut Snapshot) {
        self.packing.unpack(bytes, &mut snapshot.0);
    }
}

fn step_error(failure: Failure) -> StepError {
    StepError::Eval(evaluation_error(failure))
}

fn evaluation_error(failure: Failure) -> EvalError {
    match failure {
        Failure::Error(error) => error,
        Failure::Undefined(_) => unreachable!("every open place was given a value"),
    }
}
