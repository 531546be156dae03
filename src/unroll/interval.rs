//! Intervals of numbers, to bound what terms can be.

/// The numbers from the first to the second; none if the first is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval(pub i128, pub i128);

impl Interval {
    pub(crate) const EMPTY: Interval = Interval(1, 0);

    /// All signed numbers of so many bits.
    pub(crate) fn of_width(width: u32) -> Interval {
        let most = (1_i128 << (width - 1)) - 1;
        Interval(-most - 1, most)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 > self.1
    }

    pub(crate) fn contains(self, other: Interval) -> bool {
        other.is_empty() || self.0 <= other.0 && other.1 <= self.1
    }

    pub(crate) fn join(self, other: Interval) -> Interval {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => other,
            (_, true) => self,
            _ => Interval(self.0.min(other.0), self.1.max(other.1)),
        }
    }

    /// What a monotonic or bilinear operation makes of the numbers of both.
    pub(crate) fn hull(self, other: Interval, op: impl Fn(i128, i128) -> i128) -> Interval {
        if self.is_empty() || other.is_empty() {
            return Interval::EMPTY;
        }
        let corners = [
            op(self.0, other.0),
            op(self.0, other.1),
            op(self.1, other.0),
            op(self.1, other.1),
        ];
        let least = corners.into_iter().min().expect("four corners");
        let most = corners.into_iter().max().expect("four corners");
        Interval(least, most)
    }

    /// How many bits a signed number needs.
    pub(crate) fn bits(self) -> u32 {
        let magnitude = |value: i128| if value < 0 { !value } else { value };
        let magnitude = magnitude(self.0).max(magnitude(self.1));
        i128::BITS - magnitude.leading_zeros() + 1
    }
}
