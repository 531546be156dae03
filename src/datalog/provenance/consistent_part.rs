//! A large part of the literals that violates no conflict, found by leaving out those that
//! stand in the way of running all events one after the other.
//!
//! The proof is a model: an order of events without a cycle that has all edges which the
//! remaining literals give and is closed under the rules. It may order more than the rules
//! demand, and nobody asks why, so it is [cheap to come by](super::ordering). Every reason contains
//! one of the literals left out, the *correction*. Where few choices are wrong, they are few.

use super::ground_order::GroundOrder;
use super::kernel_search::Patience;
use super::literal_sets::LiteralIndex;
use super::ordering::Run;
use super::rising_clocks::{Lookup, RisingClocks};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// So few literals are not worth the time that it takes to make them fewer, where none is kept.
const FEW: usize = 3;

/// How often to start again without what was blamed.
const MOST_RUNS: usize = 8;

/// Where more literals are blamed than that, it takes long to find out which of them need not be,
/// and where some are kept besides, a core would grow into too many.
const MOST_BLAMED: usize = 64;
const MOST_BLAMED_BESIDES: usize = 8;

/// What the search for a model needs.
pub(super) struct ConsistentPart<'a> {
    ground: &'a GroundOrder,
    lookup: OnceCell<Lookup>,
    patience: Patience,
}

impl<'a> ConsistentPart<'a> {
    pub(super) fn new(ground: &'a GroundOrder, patience: Patience) -> Self {
        ConsistentPart {
            ground,
            lookup: OnceCell::new(),
            patience,
        }
    }

    /// Literals other than those `kept` without which nothing is violated; `None` if no model was
    /// found in time. `conflicts` are some sets that violate a conflict; what is `given` is left out
    /// anyway.
    pub(super) fn correction<'b>(
        &self,
        kept: &[LiteralIndex],
        given: &FxHashSet<LiteralIndex>,
        conflicts: impl Iterator<Item = &'b [LiteralIndex]>,
    ) -> Option<FxHashSet<LiteralIndex>> {
        let conflicts: Vec<&[LiteralIndex]> = conflicts.collect();
        let mut blamed = given.clone();
        hit_all(&conflicts, kept, &mut blamed);
        for _ in 0..MOST_RUNS {
            let known = blamed.len();
            let mut run = Run::new(self.ground, kept, blamed);
            let has_model = run.finds_model();
            let most = if kept.is_empty() {
                MOST_BLAMED
            } else {
                MOST_BLAMED_BESIDES
            };
            if self.patience == Patience::Short && run.blamed.len() > known + most {
                return None;
            }
            if has_model && kept.is_empty() && run.blamed.len() <= FEW {
                return Some(run.blamed);
            }
            if run.blamed.len() == known {
                return has_model.then(|| self.take_back(run, given, &conflicts));
            }
            // What followed from literals before they were blamed is in the way.
            blamed = run.blamed;
        }
        None
    }

    /// What still has to be left out when literals are taken back into a model, one after the other;
    /// what is `given` is left out anyway. Those that are in few conflicts come in first, so that
    /// few suffice for the others.
    fn take_back(
        &self,
        run: Run,
        given: &FxHashSet<LiteralIndex>,
        conflicts: &[&[LiteralIndex]],
    ) -> FxHashSet<LiteralIndex> {
        let mut blamed = run.blamed.clone();
        let counts = occurrences(conflicts);
        let mut literals: Vec<LiteralIndex> = blamed.difference(given).copied().collect();
        literals.sort_unstable_by_key(|literal| (counts.get(literal).copied(), *literal));
        if literals.len() > 1 {
            let lookup = self.lookup.get_or_init(|| Lookup::new(self.ground));
            let mut clocks = RisingClocks::of_model(self.ground, lookup, run);
            literals.retain(|&literal| clocks.take_in(literal));
            for literal in literals {
                blamed.remove(&literal);
            }
        }
        blamed
    }
}

/// Adds literals so that each of the sets contains one: those that are in most sets first.
fn hit_all(sets: &[&[LiteralIndex]], kept: &[LiteralIndex], hitting: &mut FxHashSet<LiteralIndex>) {
    let is_left = |set: &&[LiteralIndex]| !set.iter().any(|each| hitting.contains(each));
    let mut left: Vec<&[LiteralIndex]> = sets.iter().copied().filter(is_left).collect();
    while !left.is_empty() {
        let mut counts = occurrences(&left);
        counts.retain(|literal, _| !kept.contains(literal));
        let counts = counts.into_iter();
        let Some((literal, _)) = counts.max_by_key(|&(literal, count)| (count, literal)) else {
            break;
        };
        hitting.insert(literal);
        left.retain(|set| !set.contains(&literal));
    }
}

/// In how many of the sets each literal is.
fn occurrences(sets: &[&[LiteralIndex]]) -> FxHashMap<LiteralIndex, usize> {
    let mut counts = FxHashMap::default();
    for &literal in sets.iter().copied().flatten() {
        *counts.entry(literal).or_default() += 1;
    }
    counts
}
