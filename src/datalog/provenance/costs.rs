//! Weights for finding short reasons fast: how many literals a derivation uses, each counted
//! as often as it is used. Fewer is better.
//!
//! That is no more than a guess at the size of the set of literals, but one number takes the
//! place of any number of sets. The literals by which events are in their chains are not
//! counted, so that a chain step costs nothing and one path between two events is enough.
//!
//! Where every reason contains one of a few literals, the *suspects*, most of what can be derived
//! without them is of no use. So what rests on none of them is not followed far: paths as far as one
//! literal leads, and rules as far as one more does.

use super::algebra::Algebra;
use crate::facts::LiteralName;
use rustc_hash::FxHashSet;
use std::ops::Range;

pub(super) struct Costs {
    always: LiteralName,
    /// The literals to consider.
    literals: FxHashSet<LiteralName>,
    /// If they are known.
    suspects: Option<FxHashSet<LiteralName>>,
}

/// Twice the number of literals, and one more if no suspect is among them: of two derivations of
/// the same cost, the one that can be followed farther is better.
pub(super) type Cost = u32;

/// The cost of one literal more.
pub(super) const ONE: Cost = 2;

/// How far to follow what rests on no suspect.
pub(super) const FARTHEST_PATHS: Cost = ONE;
const FARTHEST_RULES: Cost = 2 * ONE;

/// Larger ones are not told apart.
const DEAREST: Cost = Cost::MAX - 1;

impl Costs {
    /// If there are `suspects`, every violated conflict rests on one of them.
    pub(super) fn new(
        always: LiteralName,
        literals: &[LiteralName],
        suspects: Option<&[LiteralName]>,
    ) -> Self {
        Costs {
            always,
            literals: literals.iter().copied().collect(),
            suspects: suspects.map(|suspects| suspects.iter().copied().collect()),
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
        let is_suspect = (self.suspects.as_ref()).is_none_or(|all| all.contains(&literal));
        let cost = ONE + Cost::from(!is_suspect);
        self.literals.contains(&literal).then_some(cost)
    }

    fn and(&mut self, one: Cost, other: Cost) -> Option<Cost> {
        together(one, other, FARTHEST_RULES)
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
        together(path, rest, FARTHEST_PATHS)
    }

    fn pair(&self, path: Cost) -> Cost {
        path
    }

    fn path_level(&self, path: Cost) -> u64 {
        path.into()
    }
}

/// `None` if it costs more than `most` and no suspect is among the literals.
pub(super) fn together(one: Cost, other: Cost, most: Cost) -> Option<Cost> {
    if one == 0 || other == 0 {
        return Some(one.max(other));
    }
    let lacks_suspects = |cost: Cost| cost % ONE == 1;
    let sum = (one - one % ONE).saturating_add(other - other % ONE);
    match lacks_suspects(one) && lacks_suspects(other) {
        true => (sum <= most).then_some(sum + 1),
        false => Some(sum.min(DEAREST)),
    }
}
