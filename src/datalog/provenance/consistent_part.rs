//! A large part of the literals that violates no conflict, found by leaving out those that
//! stand in the way of running all events one after the other.
//!
//! The proof is a model: an order of events without a cycle that has all edges which the
//! remaining literals give and is closed under the rules. It may order more than the rules
//! demand, and nobody asks why, so it is [cheap to come by](super::ordering). Every reason contains
//! one of the literals left out, the *correction*. Where few choices are wrong, they are few.
//!
//! Many corrections are asked for, and most literals are in none of them. So there is one model of
//! all that nobody doubts, into which the others are [taken](super::rising_clocks) as far as they go.

use super::ground_order::GroundOrder;
use super::kernel_search::Patience;
use super::literal_sets::LiteralIndex;
use super::ordering::Run;
use super::rising_clocks::{Lookup, RisingClocks};
use rustc_hash::{FxHashMap, FxHashSet};

/// How often to start again without what was blamed.
const MOST_RUNS: usize = 8;

/// Where more literals are blamed than that, it takes long to find out which of them need not be,
/// and where some are kept besides, a core would grow into too many.
const MOST_BLAMED: usize = 64;
const MOST_BLAMED_BESIDES: usize = 8;

/// What the search for models needs.
pub(super) struct ConsistentPart<'a> {
    ground: &'a GroundOrder,
    lookup: &'a Lookup,
    patience: Patience,
    /// Likely to be left out: the literals of known conflicts.
    doubted: Vec<LiteralIndex>,
    /// Of all others, once it is asked for.
    base: Option<Model<'a>>,
}

struct Model<'a> {
    left_out: Vec<LiteralIndex>,
    clocks: RisingClocks<'a>,
    /// Whether nothing was blamed on the way. What followed from literals before they were blamed
    /// is in the way of others.
    is_tight: bool,
}

impl<'a> ConsistentPart<'a> {
    pub(super) fn new(
        ground: &'a GroundOrder,
        lookup: &'a Lookup,
        doubted: Vec<LiteralIndex>,
        patience: Patience,
    ) -> Self {
        ConsistentPart {
            ground,
            lookup,
            patience,
            doubted,
            base: None,
        }
    }

    /// Literals other than those `kept` without which nothing is violated, sorted; `None` if no
    /// model was found in time. `conflicts` are some sets that violate a conflict; what is `given`
    /// is left out where it is in doubt.
    pub(super) fn correction(
        &mut self,
        kept: &[LiteralIndex],
        given: &FxHashSet<LiteralIndex>,
        conflicts: &[Vec<LiteralIndex>],
    ) -> Option<Vec<LiteralIndex>> {
        if self.base.is_none() {
            self.base = self.tight_model();
        }
        let base = self.base.as_mut()?;
        if base.clocks.start_with(kept) {
            return Some(base.correction(given, conflicts));
        }
        let left_out = &self.base.as_ref()?.left_out;
        let mut model = self.model(kept, left_out)?;
        Some(model.correction(given, conflicts))
    }

    fn tight_model(&self) -> Option<Model<'a>> {
        let model = self.model(&[], &self.doubted)?;
        match model.is_tight {
            true => Some(model),
            false => self.model(&[], &model.left_out),
        }
    }

    /// A model of the literals that are kept, and of all that are neither doubted nor blamed on the
    /// way.
    fn model(&self, kept: &[LiteralIndex], doubted: &[LiteralIndex]) -> Option<Model<'a>> {
        let most = match kept {
            [] => MOST_BLAMED,
            _ => MOST_BLAMED_BESIDES,
        };
        let mut left_out = doubted.to_vec();
        left_out.retain(|literal| !kept.contains(literal));
        for _ in 0..MOST_RUNS {
            let mut run = Run::new(self.ground, kept, &left_out);
            let has_model = run.finds_model();
            let blamed = run.blamed().len();
            if self.patience == Patience::Short && blamed > most {
                return None;
            }
            left_out.extend_from_slice(run.blamed());
            if has_model {
                return Some(Model {
                    left_out,
                    clocks: RisingClocks::of_model(self.ground, self.lookup, run),
                    is_tight: blamed == 0,
                });
            }
            if blamed == 0 {
                break;
            }
        }
        None
    }
}

impl Model<'_> {
    /// What still has to be left out when literals are taken in, one after the other, but for those
    /// that are given. Those that are in few conflicts come in first, so that few suffice for the
    /// others.
    fn correction(
        &mut self,
        given: &FxHashSet<LiteralIndex>,
        conflicts: &[Vec<LiteralIndex>],
    ) -> Vec<LiteralIndex> {
        let counts = occurrences(conflicts);
        let mut literals = self.left_out.clone();
        literals.sort_unstable_by_key(|literal| (counts.get(literal).copied(), *literal));
        literals.retain(|literal| given.contains(literal) || !self.clocks.take_in(*literal));
        literals.sort_unstable();
        literals
    }
}

/// In how many of the sets each literal is.
fn occurrences(sets: &[Vec<LiteralIndex>]) -> FxHashMap<LiteralIndex, usize> {
    let mut counts = FxHashMap::default();
    for &literal in sets.iter().flatten() {
        *counts.entry(literal).or_default() += 1;
    }
    counts
}
