//! Pairs of locations that every partition has to tell apart.
//!
//! A thread that may jump from ℓ to ℓ′ is a thread with one edge more. If the program with
//! that edge has a concrete run to an error, the run without its jumps is a spurious path for
//! the single reason that ℓ and ℓ′ are in one class: it leaves the partition no choice. Such
//! paths are worth much more than those that have several reasons, so for each pair that
//! occurs in one of these, a short exploration looks for one.

use super::safe_indices::{SafeIndex, safe_indices};
use crate::reach::{Origin, Path, Point, PointId, StepId, System};
use heddle_interpret::{Options, Trace, Violation, explore};
use heddle_program::{Edge, EdgeId, LocationId, Program, Statement};
use rustc_hash::FxHashSet;

/// What is not found soon is not looked for.
const MOST_STATES: u64 = 4_000;

pub(crate) struct NecessaryPairs {
    /// The program, to which one edge at a time is added.
    program: Program,
    inside_atomic: Vec<bool>,
    tried: FxHashSet<(LocationId, LocationId)>,
}

impl NecessaryPairs {
    pub(crate) fn new(program: &Program) -> NecessaryPairs {
        NecessaryPairs {
            program: program.clone(),
            inside_atomic: program.inside_atomic(),
            tried: FxHashSet::default(),
        }
    }

    /// A path to an error whose only shortcut, if it has one at all, is from `at` to `needed`.
    /// Each pair is looked at once.
    pub(crate) fn path(&mut self, system: &System, at: PointId, needed: PointId) -> Option<Path> {
        let (at, needed) = (location(system, at)?, location(system, needed)?);
        let is_inside = |location: LocationId| self.inside_atomic[location.index()];
        if is_inside(at) != is_inside(needed) || !self.tried.insert((at, needed)) {
            return None;
        }
        let jump = self.add_jump(at, needed);
        let options = Options {
            max_states: Some(MOST_STATES),
            ..Options::default()
        };
        let violation = explore(&self.program, &options).violation;
        self.remove_jump(jump);
        let candidates = paths(system, &violation?, jump);
        candidates.into_iter().find(|path| {
            let indices = safe_indices(system, path);
            let only = [PointId::of(needed)];
            let is_this = |index: &SafeIndex| index.at == PointId::of(at) && index.needed == only;
            indices.iter().all(is_this)
        })
    }

    fn add_jump(&mut self, source: LocationId, target: LocationId) -> EdgeId {
        let jump = EdgeId::from_index(self.program.edges.len());
        self.program.edges.push(Edge {
            source,
            target,
            statement: Statement::Skip,
            span: None,
        });
        self.program.locations[source.index()].outgoing.push(jump);
        jump
    }

    fn remove_jump(&mut self, jump: EdgeId) {
        if let Some(edge) = self.program.edges.pop() {
            let outgoing = &mut self.program.locations[edge.source.index()].outgoing;
            outgoing.retain(|&other| other != jump);
        }
    }
}

/// The trace without its jumps, as paths of the system: one for each case of the error
/// condition that it may end in.
fn paths(system: &System, trace: &Trace, jump: EdgeId) -> Vec<Path> {
    let with_origin = |origin: Origin| {
        let steps = system.step_ids();
        steps.filter(move |&step| system.step(step).origin == origin)
    };
    let mut steps: Vec<StepId> = Vec::new();
    for step in trace.steps.iter().filter(|step| step.edge != jump) {
        steps.extend(with_origin(Origin::Edge(step.edge)));
    }
    let ends: Vec<StepId> = match trace.violation {
        Violation::Assertion(violated) => {
            steps.pop();
            with_origin(Origin::Violation(violated)).collect()
        }
        Violation::ErrorState => with_origin(Origin::ErrorState).collect(),
        Violation::Deadlock => Vec::new(),
    };
    let with_end = |end| Path(steps.iter().copied().chain([end]).collect());
    ends.into_iter().map(with_end).collect()
}

fn location(system: &System, point: PointId) -> Option<LocationId> {
    match system.points[point.index()] {
        Point::Location(location) => Some(location),
        Point::Unborn(_) | Point::Owner(_) => None,
    }
}
