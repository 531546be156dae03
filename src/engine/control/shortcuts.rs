//! Fills in what a path skips, to learn more from it.
//!
//! A path whose control does not fit together takes shortcuts: a thread is at one location,
//! and the next step starts at another one of the same class. Often the thread could have
//! gone there along its edges, and the rest of the path would be possible all the same. Then
//! the path with these steps filled in is spurious for fewer reasons, so it asks more of the
//! partition: whatever excludes it excludes the path with the shortcut, too. A path without
//! any shortcut left is a counterexample.

use super::safe_indices::{SafeIndex, safe_indices};
use crate::reach::{ComponentId, Origin, Point, PointId, StepId, System, whereabouts};
use crate::reach::{DataFeasibility, Feasibility, Path, SymbolicState};
use heddle_solver::Reason;
use std::collections::{BTreeSet, VecDeque};

/// So many ways around one shortcut are tried.
const MOST_DETOURS: usize = 6;
/// So many partial ways are looked at in search of one.
const MOST_WORK: usize = 150;

/// The pairs of points that a partition must not tell apart if the path is to be possible.
type Shortcuts = BTreeSet<(PointId, Vec<PointId>)>;

fn shortcuts(system: &System, path: &Path) -> Shortcuts {
    let indices = safe_indices(system, path).into_iter();
    indices.map(|index| (index.at, index.needed)).collect()
}

/// The path with as many shortcuts filled in as the data allows. `path` must be one that
/// data can go along; so is the result.
pub(crate) fn without_shortcuts(
    system: &mut System,
    feasibility: &mut Feasibility,
    path: &Path,
) -> Result<Path, Reason> {
    let mut path = path.clone();
    let mut left = shortcuts(system, &path);
    'again: loop {
        for index in safe_indices(system, &path) {
            for candidate in filled_in(system, feasibility, &path, &index) {
                let fewer = shortcuts(system, &candidate);
                if fewer.len() >= left.len() || !fewer.is_subset(&left) {
                    continue;
                }
                let execution = feasibility.execute(system, &candidate);
                let result = feasibility.check(system, &execution)?;
                if matches!(result, DataFeasibility::Feasible) {
                    (path, left) = (candidate, fewer);
                    continue 'again;
                }
            }
        }
        return Ok(path);
    }
}

/// The path with a way in the place of a shortcut. The way may be gone at any time from when
/// the component arrives to when it has to be elsewhere.
fn filled_in(
    system: &mut System,
    feasibility: &mut Feasibility,
    path: &Path,
    index: &SafeIndex,
) -> Vec<Path> {
    let arrival = index.k;
    let departure = index.k + index.j - 1;
    let mut work = MOST_WORK;
    let mut paths = Vec::new();
    let execution = feasibility.execute(system, &Path(path.0[..departure].to_vec()));
    let whereabouts = whereabouts(system, path);
    for position in (arrival..=departure).rev() {
        let now = Situation {
            steps: Vec::new(),
            control: whereabouts[position].clone(),
            data: execution.states[position].clone(),
        };
        let (component, needed) = (index.component, &index.needed);
        for detour in detours(system, feasibility, now, component, needed, &mut work) {
            let mut steps = path.0[..position].to_vec();
            steps.extend(detour.steps);
            steps.extend(&path.0[position..]);
            paths.push(Path(steps));
        }
    }
    paths
}

/// Where a way has led to.
#[derive(Clone)]
struct Situation {
    steps: Vec<StepId>,
    control: Vec<PointId>,
    data: SymbolicState,
}

impl Situation {
    fn at(&self, component: ComponentId) -> PointId {
        self.control[component.index()]
    }

    /// `None` if the step is not possible.
    fn after(
        &self,
        system: &mut System,
        feasibility: &mut Feasibility,
        step: StepId,
    ) -> Option<Situation> {
        let requires = &system.step(step).requires;
        let mut fits = requires
            .iter()
            .map(|(c, points)| points.contains(&self.at(*c)));
        if !fits.all(|fits| fits) {
            return None;
        }
        let data = feasibility.step(system, &self.data, step)?;
        let mut next = Situation {
            steps: self.steps.clone(),
            control: self.control.clone(),
            data,
        };
        next.steps.push(step);
        for &(component, point) in &system.step(step).moves {
            next.control[component.index()] = point;
        }
        Some(next)
    }
}

/// Ways on which the component goes to one of the points without being anywhere twice, the
/// shortest first. A thread that does not exist yet is created on the way.
fn detours(
    system: &mut System,
    feasibility: &mut Feasibility,
    start: Situation,
    component: ComponentId,
    targets: &[PointId],
    work: &mut usize,
) -> Vec<Situation> {
    let mut found = Vec::new();
    let mut pending = VecDeque::from([(start, Vec::new())]);
    while let Some((now, mut seen)) = pending.pop_front() {
        let at = now.at(component);
        if targets.contains(&at) {
            found.push(now);
            if found.len() == MOST_DETOURS {
                break;
            }
            continue;
        }
        seen.push(at);
        let steps: Vec<StepId> = system
            .step_ids()
            .filter(|&step| leads_away(system, step, component, at))
            .collect();
        for step in steps {
            if *work == 0 {
                return found;
            }
            *work -= 1;
            let starts = match system.points[at.index()] {
                // Whoever creates the thread has to go there first.
                Point::Unborn(_) => {
                    let (creator, source) = system.step(step).requires[0].clone();
                    detours(system, feasibility, now.clone(), creator, &source, work)
                }
                _ => vec![now.clone()],
            };
            for start in starts {
                if let Some(next) = start.after(system, feasibility, step)
                    && !seen.contains(&next.at(component))
                {
                    pending.push_back((next, seen.clone()));
                }
            }
        }
    }
    found
}

/// Whether the step takes the component from the point to another one.
fn leads_away(system: &System, step: StepId, component: ComponentId, from: PointId) -> bool {
    let step = system.step(step);
    matches!(step.origin, Origin::Edge(_))
        && step.moves.iter().any(|&(moved, _)| moved == component)
        && step
            .requires
            .iter()
            .any(|(required, points)| *required == component && points.contains(&from))
}
