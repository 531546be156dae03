//! Weights for explanations: the height of a proof. Lower is better.

use super::algebra::Algebra;
use crate::facts::LiteralName;
use std::ops::Range;

/// A tuple's weight is the height of its lowest proof: 0 for a fact, also for one that the rule
/// file states, and one more than the highest premise for a rule.
///
/// A path's weight is the height of its highest step, and whether there are other steps. A path of
/// one step is that step's proof; a longer one is a node above its steps. How many steps it has
/// does not count: among equally high paths, a [short one](super::fewest_steps) is found later, for
/// those pairs that are shown.
pub(super) struct Heights;

const STEP_BITS: u32 = 2;
const SEVERAL: u64 = 2;

fn path(height: u64, steps: u64) -> u64 {
    height << STEP_BITS | steps.min(SEVERAL)
}

/// The height of a path's highest step.
pub(super) fn highest(path: u64) -> u64 {
    path >> STEP_BITS
}

fn steps(path: u64) -> u64 {
    path & ((1 << STEP_BITS) - 1)
}

impl Algebra for Heights {
    type Weight = u64;
    const NOTHING: u64 = 0;
    const HAS_PARTS: bool = false;
    const CHAINS_ARE_FREE: bool = false;

    fn fact(&mut self, _literal: LiteralName) -> Option<u64> {
        Some(0)
    }

    fn and(&mut self, one: u64, other: u64) -> Option<u64> {
        Some(one.max(other))
    }

    fn may_fit<const N: usize>(&mut self, _weights: [u64; N]) -> bool {
        true
    }

    fn head(&self, body: u64) -> u64 {
        body + 1
    }

    fn covers(&self, one: u64, other: u64) -> bool {
        one <= other
    }

    fn level(&self, weight: u64) -> u64 {
        path(weight, 0)
    }

    fn is_dead(&mut self, _weight: u64) -> bool {
        false
    }

    fn parts(&mut self, _weight: u64) -> Option<Range<u32>> {
        None
    }

    fn part(&self, _number: u32) -> u64 {
        Self::NOTHING
    }

    fn is_full(&mut self, _weight: u64) -> bool {
        false
    }

    fn found_conflict(&mut self, _weight: u64) {}

    fn stop_above(&mut self, _level: u64) {}

    fn edge(&self, tuple: u64) -> u64 {
        path(tuple, 1)
    }

    fn chain_step(&mut self, from: u64, to: u64) -> Option<u64> {
        Some(path(from.max(to) + 1, 1))
    }

    fn append(&mut self, one: u64, rest: u64) -> Option<u64> {
        Some(path(
            highest(one).max(highest(rest)),
            steps(one) + steps(rest),
        ))
    }

    fn pair(&self, path: u64) -> u64 {
        highest(path) + u64::from(steps(path) > 1)
    }

    fn path_level(&self, path: u64) -> u64 {
        path
    }
}
