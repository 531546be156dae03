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

pub(super) type Cost = u32;

impl Costs {
    pub(super) fn new(always: LiteralName, literals: &[LiteralName]) -> Self {
        Costs {
            always,
            literals: literals.iter().copied().collect(),
        }
    }

    pub(super) fn always(&self) -> LiteralName {
        self.always
    }
}

impl Algebra for Costs {
    type Weight = Cost;
    const NOTHING: Cost = 0;
    const HAS_PARTS: bool = false;
    const CHAINS_ARE_FREE: bool = true;
    const IS_COST: bool = true;

    fn fact(&mut self, literal: LiteralName) -> Option<Cost> {
        if literal == self.always {
            return Some(0);
        }
        self.literals.contains(&literal).then_some(1)
    }

    fn and(&mut self, one: Cost, other: Cost) -> Option<Cost> {
        Some(one.saturating_add(other))
    }

    fn may_fit<const N: usize>(&mut self, _weights: [Cost; N]) -> bool {
        true
    }

    fn head(&self, body: Cost) -> Cost {
        body
    }

    fn covers(&self, one: Cost, other: Cost) -> bool {
        one <= other
    }

    fn level(&self, weight: Cost) -> u64 {
        weight.into()
    }

    fn is_dead(&mut self, _weight: Cost) -> bool {
        false
    }

    fn parts(&mut self, _weight: Cost) -> Option<Range<u32>> {
        None
    }

    fn part(&self, _number: u32) -> Cost {
        Self::NOTHING
    }

    fn is_full(&mut self, _weight: Cost) -> bool {
        false
    }

    fn is_certain(&self, _presence: Cost) -> bool {
        true
    }

    fn found_conflict(&mut self, _weight: Cost) {}

    fn stop_above(&mut self, _level: u64) {}

    fn edge(&self, tuple: Cost) -> Cost {
        tuple
    }

    fn chain_step(&mut self, _from: Cost, _to: Cost) -> Option<Cost> {
        Some(0)
    }

    fn append(&mut self, path: Cost, rest: Cost) -> Option<Cost> {
        Some(path.saturating_add(rest))
    }

    fn pair(&self, path: Cost) -> Cost {
        path
    }

    fn path_level(&self, path: Cost) -> u64 {
        path.into()
    }
}
