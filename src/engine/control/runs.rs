//! Running the program concretely, with threads that may be put elsewhere: where the paths come
//! from whose control does not fit together, though data can go along them.

use crate::reach::{ComponentId, Origin, Partition, Point, PointId, StepId, System};
use heddle_interpret::{Attempt, Interleavings, OpenPlace, Runner, Snapshot, StepError};
use heddle_program::{Constant, EdgeId, EvalError, LocationId, Program, ThreadId, Value, VarId};
use rustc_hash::FxHashMap;

/// A state in few bytes.
pub(super) type Packed = Box<[u8]>;

/// How a state came about: by a step from the state with this number.
pub(super) type Arrival = Option<(usize, StepId)>;

/// Why a search ended early.
#[derive(Debug)]
pub(super) enum Ended {
    EnoughStates,
    /// What cannot be executed ends the search, not the verification.
    Failed,
}

impl From<StepError> for Ended {
    fn from(_: StepError) -> Ended {
        Ended::Failed
    }
}

/// What can happen in a state.
pub(super) struct Successors {
    /// The last steps of a path to an error, where one is possible right away.
    pub(super) violations: Vec<StepId>,
    pub(super) next: Vec<(StepId, Packed)>,
}

/// A step that a thread takes, perhaps after a jump.
pub(super) struct Move {
    pub(super) step: StepId,
    pub(super) jumped: bool,
    /// What comes of it; an error, if nothing.
    pub(super) next: Option<Packed>,
}

pub(super) struct Runs<'a> {
    pub(super) system: &'a System,
    runner: Runner<'a>,
    /// Some state, to unpack others into.
    some: Snapshot,
    /// How long a packed state is.
    bytes: usize,
    taken: FxHashMap<EdgeId, StepId>,
    violated: FxHashMap<EdgeId, StepId>,
    errors: Vec<StepId>,
}

impl<'a> Runs<'a> {
    pub(super) fn new(program: &'a Program, system: &'a System) -> Result<Runs<'a>, EvalError> {
        let runner = Runner::new(program, Interleavings::All)?;
        let mut runs = Runs {
            system,
            some: runner.start().0,
            runner,
            bytes: 0,
            taken: FxHashMap::default(),
            violated: FxHashMap::default(),
            errors: Vec::new(),
        };
        for step in system.step_ids() {
            match system.step(step).origin {
                Origin::Edge(edge) => {
                    runs.taken.insert(edge, step);
                }
                Origin::Violation(edge) => {
                    runs.violated.insert(edge, step);
                }
                Origin::ErrorState => runs.errors.push(step),
                Origin::Bound(_) => {}
            }
        }
        runs.bytes = runs.start().len();
        Ok(runs)
    }

    pub(super) fn start(&self) -> Packed {
        let (mut start, open) = self.runner.start();
        self.define(&mut start, &open);
        self.pack(&start)
    }

    pub(super) fn values(&self, state: &[u8]) -> FxHashMap<VarId, Value> {
        let state = self.unpack(state);
        let variables = self.runner.program().variable_ids();
        variables
            .map(|v| (v, self.runner.value(&state, v)))
            .collect()
    }

    pub(super) fn successors(&mut self, state: &[u8]) -> Result<Successors, Ended> {
        let state = self.unpack(state);
        let mut successors = Successors {
            violations: Vec::new(),
            next: Vec::new(),
        };
        let in_section = state.owner().is_some();
        if !in_section && self.runner.is_error(&state).map_err(StepError::Eval)? {
            successors.violations.extend(&self.errors);
        }
        let mut attempts = Vec::new();
        self.runner.attempts(&state, &mut attempts);
        let mut after = state.clone();
        let mut open = Vec::new();
        for (edge, attempt) in attempts {
            match attempt {
                Attempt::Violated => successors.violations.extend(self.violated.get(&edge)),
                Attempt::CanBeTaken => {
                    self.runner.take(&state, edge, &mut after, &mut open)?;
                    self.define(&mut after, &open);
                    let step = self.taken[&edge];
                    successors.next.push((step, self.pack(&after)));
                }
                Attempt::Blocked | Attempt::BoundReached | Attempt::Failed(_) => {}
            }
        }
        Ok(successors)
    }

    /// The steps that threads can take from any location of their classes.
    pub(super) fn moves(
        &mut self,
        state: &[u8],
        partition: &Partition,
    ) -> Result<Vec<Move>, Ended> {
        let state = self.unpack(state);
        let mut moves = Vec::new();
        let mut attempts = Vec::new();
        let mut open = Vec::new();
        let system = self.system;
        for thread in self.runner.program().thread_ids() {
            if state.owner().is_some_and(|owner| owner != thread) {
                continue;
            }
            let from = self.point(thread, state.location(thread));
            for &point in &system.component(ComponentId::of(thread)).points {
                let Some(at) = location(system, point) else {
                    continue;
                };
                let jumped = point != from;
                if partition.class(point) != partition.class(from) {
                    continue;
                }
                let mut before = state.clone();
                before.put(thread, at);
                attempts.clear();
                self.runner.attempts_of(&before, thread, &mut attempts);
                let mut after = before.clone();
                for (edge, attempt) in attempts.drain(..) {
                    match attempt {
                        Attempt::Violated => {
                            let step = self.violated.get(&edge);
                            moves.extend(step.map(|&step| Move {
                                step,
                                jumped,
                                next: None,
                            }));
                        }
                        Attempt::CanBeTaken => {
                            self.runner.take(&before, edge, &mut after, &mut open)?;
                            self.define(&mut after, &open);
                            let next = Some(self.pack(&after));
                            let step = self.taken[&edge];
                            moves.push(Move { step, jumped, next });
                        }
                        Attempt::Blocked | Attempt::BoundReached | Attempt::Failed(_) => {}
                    }
                }
            }
        }
        Ok(moves)
    }

    /// The state with each thread at the first location of its class.
    pub(super) fn representative(&self, state: &[u8], partition: &Partition) -> Packed {
        let mut state = self.unpack(state);
        for thread in self.runner.program().thread_ids() {
            let at = self.point(thread, state.location(thread));
            let points = &self.system.component(ComponentId::of(thread)).points;
            let mut same = points
                .iter()
                .filter(|&&p| partition.class(p) == partition.class(at));
            if let Some(first) = same.find_map(|&point| location(self.system, point)) {
                state.put(thread, first);
            }
        }
        self.pack(&state)
    }

    /// The states after one jump: from where to where a thread jumps, and what comes of it. Who
    /// is inside an atomic section is always known, also if a jump leads out of it.
    pub(super) fn jumps(&self, state: &[u8]) -> Vec<(PointId, PointId, Packed)> {
        let program = self.runner.program();
        let before = self.unpack(state);
        let mut jumps = Vec::new();
        for thread in program.thread_ids() {
            let from = self.point(thread, before.location(thread));
            let mut jumped = before.clone();
            for &to in &self.system.component(ComponentId::of(thread)).points {
                if let Some(target) = location(self.system, to)
                    && to != from
                {
                    jumped.put(thread, target);
                    jumps.push((from, to, self.pack(&jumped)));
                }
            }
        }
        jumps
    }

    fn point(&self, thread: ThreadId, location: Option<LocationId>) -> PointId {
        match location {
            Some(location) => PointId::of(location),
            // A thread that was not created yet is where it begins.
            None => self.system.component(ComponentId::of(thread)).initial,
        }
    }

    /// Any value would do; zero it is.
    fn define(&self, snapshot: &mut Snapshot, open: &[OpenPlace]) {
        for place in open {
            self.runner
                .define(snapshot, place, Constant::zero(place.sort));
        }
    }

    fn pack(&self, snapshot: &Snapshot) -> Packed {
        let mut bytes = Vec::with_capacity(self.bytes);
        self.runner.pack(snapshot, &mut bytes);
        bytes.into()
    }

    fn unpack(&self, bytes: &[u8]) -> Snapshot {
        let mut snapshot = self.some.clone();
        self.runner.unpack(bytes, &mut snapshot);
        snapshot
    }
}

fn location(system: &System, point: PointId) -> Option<LocationId> {
    match system.points[point.index()] {
        Point::Location(location) => Some(location),
        Point::Unborn(_) | Point::Owner(_) => None,
    }
}

/// The steps by which the state was reached.
pub(super) fn steps_to(states: &[(Packed, Arrival)], mut number: usize) -> Vec<StepId> {
    let mut steps = Vec::new();
    while let Some((before, step)) = states[number].1 {
        steps.push(step);
        number = before;
    }
    steps.reverse();
    steps
}
