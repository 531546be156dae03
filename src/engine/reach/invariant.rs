//! What a closed abstraction proves: for each combination of places where the threads may
//! be, what is known of the data there. Nobody is told before another crate, which knows
//! nothing of abstractions, has checked the text of it.
//!
//! States that are covered need not be said: the one that covers them says less.

use super::exploration::Exploration;
use super::gave_up::GaveUp;
use super::predicates::Cube;
use super::shorter_cubes::shorter_cubes;
use super::system::Point;
use heddle_certificate::{Accepted, Cell, Position, check, read, write};
use heddle_program::{LocationId, Program, TermId, ThreadId};
use heddle_solver::Limits;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// An invariant that the checker accepted.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// In the format of `heddle check-invariant`.
    pub text: String,
    pub cells: usize,
    pub accepted: Accepted,
}

/// The invariant of a closed abstraction, checked.
pub(crate) fn certificate(
    program: &Program,
    exploration: &mut Exploration,
    limits: Limits,
) -> Result<Certificate, GaveUp> {
    let cells = cells(program, exploration);
    let text = write(program, &exploration.system.terms, &cells);
    let invariant = read(program, &text).map_err(|errors| {
        let first = errors.first().map_or("", |error| &error.message);
        GaveUp(format!(
            "the invariant cannot be read, which is a bug: {first}"
        ))
    })?;
    match check(program, &invariant, limits) {
        Ok(accepted) => Ok(Certificate {
            text,
            cells: cells.len(),
            accepted,
        }),
        Err(rejected) => Err(GaveUp(format!(
            "the invariant was not accepted: {}",
            rejected.summary()
        ))),
    }
}

/// Where a thread may be.
type Positions = BTreeSet<Position>;

/// The disjuncts of the invariant, in terms of the system's arena.
fn cells(program: &Program, exploration: &mut Exploration) -> Vec<Cell> {
    let control = ControlFlow::new(program);
    let covered: FxHashSet<_> = exploration.fixpoint.covered().into_iter().collect();
    let mut cubes: BTreeMap<Vec<Positions>, Vec<Cube>> = BTreeMap::new();
    for state in exploration.fixpoint.reached() {
        if covered.contains(&state) {
            continue;
        }
        let (control_state, valuation) = state;
        let mut positions = vec![Positions::new(); program.threads.len()];
        let mut owner = None;
        for (component, class) in exploration.fixpoint.digits(control_state) {
            let points = exploration.system.component(component).points.iter();
            let class_of = |point| i64::from(exploration.partition.class(point).0);
            for point in points.filter(|&&point| class_of(point) == class) {
                match exploration.system.points[point.index()] {
                    Point::Location(location) => {
                        positions[component.index()].insert(Some(location));
                    }
                    Point::Unborn(thread) => {
                        positions[thread.index()].insert(None);
                    }
                    Point::Owner(thread) => owner = thread,
                }
            }
        }
        for thread in program.thread_ids() {
            let inside = owner == Some(thread);
            positions[thread.index()].retain(|&position| control.allows(position, inside));
        }
        if positions.iter().any(BTreeSet::is_empty) {
            continue;
        }
        let cube = exploration.valuations.cube(valuation);
        cubes.entry(positions).or_default().push(cube.into());
    }
    let terms = &mut exploration.system.terms;
    let predicates = &exploration.predicates;
    let cell = |(positions, cubes): (Vec<Positions>, Vec<Cube>)| {
        let mut conditions = Vec::new();
        for cube in shorter_cubes(cubes) {
            let literals = cube.iter().map(|&literal| predicates.term_of(literal));
            let literals: Vec<TermId> = literals.collect();
            conditions.push(terms.and(&literals));
        }
        let by_thread = program.thread_ids().zip(positions);
        Cell {
            at: by_thread
                .map(|(thread, positions)| (thread, positions.into_iter().collect()))
                .collect(),
            holds: terms.or(&conditions),
        }
    };
    cubes.into_iter().map(cell).collect()
}

/// Which thread is inside an atomic section follows from where it is, so a class needs to
/// stand only for those of its locations that fit; and for those that have a way to them.
struct ControlFlow {
    reachable: Vec<bool>,
    inside_atomic: Vec<bool>,
}

impl ControlFlow {
    fn new(program: &Program) -> ControlFlow {
        let mut reachable = vec![false; program.locations.len()];
        let entry = |thread: ThreadId| program.thread(thread).entry;
        let mut pending: Vec<LocationId> = program.thread_ids().map(entry).collect();
        while let Some(location) = pending.pop() {
            if !std::mem::replace(&mut reachable[location.index()], true) {
                let edges = program.outgoing(location).iter();
                pending.extend(edges.map(|&edge| program.edge(edge).target));
            }
        }
        ControlFlow {
            reachable,
            inside_atomic: program.inside_atomic(),
        }
    }

    fn allows(&self, position: Position, inside: bool) -> bool {
        match position {
            Some(location) => {
                self.reachable[location.index()] && self.inside_atomic[location.index()] == inside
            }
            None => !inside,
        }
    }
}
