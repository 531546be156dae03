//! Weights for finding short reasons fast: how many literals a derivation uses, each counted
//! as often as it is used. Fewer is better.
//!
//! That is no more than a guess at the size of the set of literals, but one number takes the
//! place of any number of sets. The literals by which events are in their chains are not
//! counted, so that a chain step costs nothing and one path between two events is enough.

use super::algebra::Algebra;
use crate::facts::LiteralName;
use rustc_hash::FxHashSet;
use std::ops::Range;

pub(super) struct Costs {
    always: LiteralName,
    /// The literals to consider.
    literals: FxHashSet<LiteralName>,
}

impl Costs {
    pub(super) fn new(always: LiteralName, literals: impl Iterator<Item = LiteralName>) -> Self {
        Costs {
            always,
            literals: literals.collect(),
        }
    }
}

impl Costs {
    pub(super) fn always(&self) -> LiteralName {
        self.always
    }
}

impl Algebra for Costs {
    type Weight = u32;
    const NOTHING: u32 = 0;
    const HAS_PARTS: bool = false;
    const CHAINS_ARE_FREE: bool = true;
    const IS_COST: bool = true;

    fn fact(&mut self, literal: LiteralName) -> Option<u32> {
        if literal == self.always {
            return Some(0);
        }
        self.literals.contains(&literal).then_some(1)
    }

    fn and(&mut self, one: u32, other: u32) -> Option<u32> {
        Some(one.saturating_add(other))
    }

    fn may_fit<const N: usize>(&mut self, _weights: [u32; N]) -> bool {
        true
    }

    fn head(&self, body: u32) -> u32 {
        body
    }

    fn covers(&self, one: u32, other: u32) -> bool {
        one <= other
    }

    fn level(&self, weight: u32) -> u64 {
        weight.into()
    }

    fn is_dead(&mut self, _weight: u32) -> bool {
        false
    }

    fn parts(&mut self, _weight: u32) -> Option<Range<u32>> {
        None
    }

    fn part(&self, _number: u32) -> u32 {
        Self::NOTHING
    }

    fn is_full(&mut self, _weight: u32) -> bool {
        false
    }

    fn is_certain(&self, _presence: u32) -> bool {
        true
    }

    fn found_conflict(&mut self, _weight: u32) {}

    fn stop_above(&mut self, _level: u64) {}

    fn edge(&self, tuple: u32) -> u32 {
        tuple
    }

    fn chain_step(&mut self, _from: u32, _to: u32) -> Option<u32> {
        Some(0)
    }

    fn append(&mut self, path: u32, rest: u32) -> Option<u32> {
        Some(path.saturating_add(rest))
    }

    fn pair(&self, path: u32) -> u32 {
        path
    }

    fn path_level(&self, path: u32) -> u64 {
        path.into()
    }
}
