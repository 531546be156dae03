//! `__builtin_popcount` and the like as terms: what the bits of a number say, one choice a bit.
//!
//! Constants fold while the terms are built, so these are constant expressions too.

use heddle_program::{TermId, Terms};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitFunction {
    /// `popcount`: how many bits are 1.
    Ones,
    /// `parity`: whether that is odd.
    Parity,
    /// `ctz`: how many zeros are below the lowest 1.
    TrailingZeros,
    /// `clz`: how many zeros are above the highest 1.
    LeadingZeros,
    /// `ffs`: the place of the lowest 1, from 1 on; 0 if there is none.
    FirstOne,
    /// `bswap16` and the like: the bytes in the other order.
    SwapBytes,
}

/// The width of `int`, in which all of them count.
const INT: u32 = 32;

impl BitFunction {
    /// Whether there is no result for zero.
    pub(crate) fn needs_a_one(self) -> bool {
        matches!(self, Self::TrailingZeros | Self::LeadingZeros)
    }

    /// The result: an `int`, or a number as wide as the argument if that is only rearranged.
    pub(crate) fn of(self, terms: &mut Terms, argument: TermId) -> TermId {
        let width = terms.sort(argument).width().expect("a number has bits");
        match self {
            Self::Ones => {
                let ones = (0..width).map(|place| one_or_zero(terms, argument, place));
                let ones = ones.collect();
                sum(terms, ones)
            }
            Self::Parity => {
                let even = terms.bool(false);
                let odd = (0..width).fold(even, |odd, place| {
                    let bit = bit(terms, argument, place);
                    terms.xor(odd, bit)
                });
                let (one, zero) = (terms.bit_vec(INT, 1), terms.bit_vec(INT, 0));
                terms.ite(odd, one, zero)
            }
            Self::TrailingZeros => first(terms, argument, (0..width).map(|place| (place, place))),
            Self::LeadingZeros => {
                let downwards = (0..width).map(|above| (width - 1 - above, above));
                first(terms, argument, downwards)
            }
            Self::FirstOne => first(terms, argument, (0..width).map(|place| (place, place + 1))),
            Self::SwapBytes => {
                let lowest = terms.extract(7, 0, argument);
                (1..width / 8).fold(lowest, |above, byte| {
                    let next = terms.extract(8 * byte + 7, 8 * byte, argument);
                    terms.concat(above, next)
                })
            }
        }
    }
}

/// What goes with the first place that holds a 1, of places and results in order; 0 if none does.
fn first(
    terms: &mut Terms,
    argument: TermId,
    places: impl DoubleEndedIterator<Item = (u32, u32)>,
) -> TermId {
    let none = terms.bit_vec(INT, 0);
    places.rev().fold(none, |otherwise, (place, result)| {
        let is_one = bit(terms, argument, place);
        let result = terms.bit_vec(INT, result.into());
        terms.ite(is_one, result, otherwise)
    })
}

/// Adds neighbours, then neighbouring sums: few bits of each sum can be other than 0.
fn sum(terms: &mut Terms, mut parts: Vec<TermId>) -> TermId {
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| match *pair {
            [left, right] => terms.bv_add(left, right),
            _ => pair[0],
        });
        parts = pairs.collect();
    }
    parts[0]
}

fn one_or_zero(terms: &mut Terms, argument: TermId, place: u32) -> TermId {
    let is_one = bit(terms, argument, place);
    let (one, zero) = (terms.bit_vec(INT, 1), terms.bit_vec(INT, 0));
    terms.ite(is_one, one, zero)
}

/// Whether there is a 1 at a place, the lowest being 0.
fn bit(terms: &mut Terms, argument: TermId, place: u32) -> TermId {
    let bit = terms.extract(place, place, argument);
    let one = terms.bit_vec(1, 1);
    terms.eq(bit, one)
}
