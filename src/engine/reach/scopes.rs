//! Where predicates are tracked: everywhere, or at some locations of one thread.
//!
//! A predicate that excludes a path is needed on a part of the path only, and elsewhere it only
//! keeps states apart. Its scope is some points of one component, the owner, who moves where the
//! predicate is needed last. A step that takes the owner out of the scope forgets the predicate.
//! Steps of others do not know where the owner is, so they keep what they know of it: what is
//! tracked after a step depends on the step alone, and is part of its effect.

use super::abstract_post::AbstractPost;
use super::new_predicates::excluded;
use super::path::{Path, whereabouts};
use super::predicates::{PredicateId, Predicates};
use super::system::{ComponentId, PointId, StepId, System};
use crate::words::words;
use heddle_solver::Reason;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Whether new predicates are tracked everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scoping {
    #[default]
    Global,
    /// Only where they are needed to exclude the paths that were seen.
    PerLocation,
}

words!(Scoping, "the scope of predicates is `global` or `location`", {
    Global => "global",
    PerLocation => "location",
});

/// Where a predicate is tracked.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    owner: ComponentId,
    pub(crate) points: BTreeSet<PointId>,
}

/// The scopes of those predicates that are not tracked everywhere. They only grow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scopes(BTreeMap<PredicateId, Scope>);

impl Scopes {
    pub(crate) fn get(&self, predicate: PredicateId) -> Option<&Scope> {
        self.0.get(&predicate)
    }

    /// The predicates that the step takes out of their scope.
    pub(crate) fn forgotten(&self, system: &System, step: StepId) -> Vec<PredicateId> {
        let moves = &system.step(step).moves;
        let leaves = |scope: &Scope| {
            let mut targets = moves.iter().filter(|(moved, _)| *moved == scope.owner);
            targets.any(|(_, target)| !scope.points.contains(target))
        };
        let forgotten = self.0.iter().filter(|(_, scope)| leaves(scope));
        forgotten.map(|(&predicate, _)| predicate).collect()
    }

    /// Makes scopes as large as they must be to exclude a path that is impossible if all
    /// predicates are tracked everywhere. The new ones had none so far. Returns those that are
    /// larger now.
    pub(crate) fn extend(
        &mut self,
        system: &mut System,
        post: &mut AbstractPost,
        predicates: &Predicates,
        new: &[PredicateId],
        path: &Path,
    ) -> Result<Vec<PredicateId>, Reason> {
        let mut wanted = Wanted::new(self, system, predicates, new, path);
        for predicate in wanted.extended.keys().copied().collect::<Vec<_>>() {
            wanted.shrink(system, post, predicates, path, predicate)?;
        }
        let places = whereabouts(system, path);
        let extended = wanted.extended.keys().copied().collect();
        for (predicate, part) in wanted.extended {
            let last = system.step(path.0[*part.end()]);
            let mover = last.requires.first();
            let scope = self.0.entry(predicate).or_insert_with(|| Scope {
                owner: mover.map_or(ComponentId(0), |(mover, _)| *mover),
                points: BTreeSet::new(),
            });
            let owner = scope.owner.index();
            scope.points.extend(part.map(|time| places[time][owner]));
        }
        Ok(extended)
    }
}

/// A part of a path, by the numbers of steps taken before.
type Part = RangeInclusive<usize>;

/// The parts of a path where predicates have to be tracked, beyond their scopes.
struct Wanted {
    extended: BTreeMap<PredicateId, Part>,
    /// By the number of steps taken before: what the scopes leave untracked there.
    untracked: Vec<Vec<PredicateId>>,
}

impl Wanted {
    /// All predicates on the whole path.
    fn new(
        scopes: &Scopes,
        system: &System,
        predicates: &Predicates,
        new: &[PredicateId],
        path: &Path,
    ) -> Wanted {
        let mut untracked = vec![new.to_vec()];
        for &step in &path.0 {
            let mut forgotten = scopes.forgotten(system, step);
            forgotten.extend(new);
            untracked.push(forgotten);
        }
        let scoped = predicates
            .ids()
            .filter(|predicate| new.contains(predicate) || scopes.get(*predicate).is_some());
        Wanted {
            extended: scoped.map(|id| (id, 0..=path.len() - 1)).collect(),
            untracked,
        }
    }

    /// Leaves as much out of the part as possible.
    fn shrink(
        &mut self,
        system: &mut System,
        post: &mut AbstractPost,
        predicates: &Predicates,
        path: &Path,
        predicate: PredicateId,
    ) -> Result<(), Reason> {
        let whole = self.extended.remove(&predicate).expect("it is wanted");
        if self.suffices(system, post, predicates, path)? {
            return Ok(());
        }
        let (first, last) = whole.into_inner();
        let mut suffices = |part: Part| {
            self.extended.insert(predicate, part);
            self.suffices(system, post, predicates, path)
        };
        // The more is tracked, the less is possible, so one can search by halves.
        let end = least(first, last, |end| suffices(first..=end))?;
        let start = least(first, end, |start| Ok(!suffices(start + 1..=end)?))?;
        self.extended.insert(predicate, start..=end);
        Ok(())
    }

    fn suffices(
        &self,
        system: &mut System,
        post: &mut AbstractPost,
        predicates: &Predicates,
        path: &Path,
    ) -> Result<bool, Reason> {
        let is_tracked = |predicate: PredicateId, time: usize| {
            let part = self.extended.get(&predicate);
            part.is_some_and(|part| part.contains(&time))
                || !self.untracked[time].contains(&predicate)
        };
        excluded(system, post, predicates, path, |time| {
            let ids = predicates.ids();
            ids.filter(|&predicate| is_tracked(predicate, time))
                .collect()
        })
    }
}

/// The least number of the range with a property that the last one has, and that all numbers
/// have that come after one with it.
fn least(
    first: usize,
    last: usize,
    mut has: impl FnMut(usize) -> Result<bool, Reason>,
) -> Result<usize, Reason> {
    let (mut low, mut high) = (first, last);
    while low < high {
        let middle = low + (high - low) / 2;
        match has(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}
