//! How good a derivation is: the one thing in which explanations and reasons differ.
//!
//! The fixpoint of this module tree derives tuples together with *weights* and keeps, for
//! each tuple, the weights that no other one covers. For explanations the weight is the
//! height of the proof ([`super::heights`]), for reasons the set of literals that the proof
//! rests on ([`super::literal_sets`]) or, where these would be too many, their number
//! ([`super::costs`]).
//!
//! A tuple of an `order` relation is a *path*: rule-derived edges and chain steps. Paths
//! have weights of their own, because a proof shows a path as one node however many steps
//! it has.

use crate::facts::LiteralName;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::Range;

/// Several possibilities of which no two go together, such as the links of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Choice(pub u32);

/// How a weight lies to [cores](super::cores).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It consists of literals of cores.
    Within,
    /// It has one literal that is in no core, so it goes only with what has no other such literal.
    Beside(u32),
    Elsewhere,
}

pub(super) trait Algebra {
    type Weight: Copy + Eq + Hash + Debug;

    /// The weight of what holds anyway.
    const NOTHING: Self::Weight;

    /// Whether a chain step between two events that are present anyway leaves a path's
    /// weight as it is.
    const CHAINS_ARE_FREE: bool;

    /// Whether [`Algebra::parts`] ever gives anything.
    const HAS_PARTS: bool;

    /// Whether weights are their levels, so that one path between two events is enough: the
    /// first that is found.
    const IS_COST: bool = false;

    /// The weight of a fact that holds by this literal; `None` if the literal is not
    /// considered.
    fn fact(&mut self, literal: LiteralName) -> Option<Self::Weight>;

    /// The weight of two premises together; `None` if nothing of interest can come of it.
    fn and(&mut self, one: Self::Weight, other: Self::Weight) -> Option<Self::Weight>;

    /// A quick look at whether [`Algebra::and`] may give something for all of these.
    fn may_fit<const N: usize>(&mut self, weights: [Self::Weight; N]) -> bool;

    /// The weight of a rule's head, from that of its body.
    fn head(&self, body: Self::Weight) -> Self::Weight;

    /// Whether a derivation of weight `other` adds nothing to one of weight `one`. Never
    /// false again for a combination of `one` with something if it is false for `one`.
    fn covers(&self, one: Self::Weight, other: Self::Weight) -> bool;

    /// Weights of lower levels are derived first. No combination has a lower level than
    /// its parts.
    fn level(&self, weight: Self::Weight) -> u64;

    /// Whether a weight has become of no interest since it was combined.
    fn is_dead(&mut self, weight: Self::Weight) -> bool;

    /// All weights that cover this one, by numbers, if they are few.
    fn parts(&mut self, weight: Self::Weight) -> Option<Range<u32>>;

    /// The weight of a number that [`Algebra::parts`] gave.
    fn part(&self, number: u32) -> Self::Weight;

    /// Whether nothing of interest comes of combining the weight with one that does not
    /// cover it.
    fn is_full(&mut self, weight: Self::Weight) -> bool;

    /// The only weights that can be combined with this one, by numbers, if they are few.
    fn only_partners(&mut self, weight: Self::Weight) -> Option<Range<u32>> {
        if self.is_full(weight) {
            self.parts(weight)
        } else {
            None
        }
    }

    /// How the weight lies to the [cores](super::cores), if there are any.
    fn place(&self, _weight: Self::Weight) -> Place {
        Place::Elsewhere
    }

    /// Whether [`Algebra::choice`] ever gives anything.
    fn has_choices(&self) -> bool {
        false
    }

    /// The choice of which something with this weight is one possibility, if that is known.
    fn choice(&self, _weight: Self::Weight) -> Option<Choice> {
        None
    }

    /// Whether an event that is present by this weight is present anyway.
    fn is_certain(&self, presence: Self::Weight) -> bool {
        presence == Self::NOTHING
    }

    /// A conflict has this weight.
    fn found_conflict(&mut self, weight: Self::Weight);

    /// From now on, nothing above this level is of interest.
    fn stop_above(&mut self, level: u64);

    /// The path that consists of one edge, a tuple of this weight.
    fn edge(&self, tuple: Self::Weight) -> Self::Weight;

    /// The path that consists of one chain step between events of these presences.
    fn chain_step(&mut self, from: Self::Weight, to: Self::Weight) -> Option<Self::Weight>;

    /// Two paths, one after the other.
    fn append(&mut self, path: Self::Weight, rest: Self::Weight) -> Option<Self::Weight>;

    /// The tuple that a path proves.
    fn pair(&self, path: Self::Weight) -> Self::Weight;

    fn path_level(&self, path: Self::Weight) -> u64;
}
