//! The values that a non-deterministic choice ranges over.

use heddle_program::{Constant, Scalar};
use std::fmt;

/// Both ends belong to the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NondetRange {
    pub low: i64,
    pub high: i64,
}

impl Default for NondetRange {
    fn default() -> Self {
        NondetRange { low: -2, high: 2 }
    }
}

impl fmt::Display for NondetRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

impl NondetRange {
    fn count(self) -> u128 {
        (i128::from(self.high) - i128::from(self.low) + 1).max(0) as u128
    }

    /// Whether [`NondetRange::values`] gives every value of the sort.
    pub fn is_exhaustive(self, sort: Scalar) -> bool {
        match sort {
            Scalar::Bool => true,
            Scalar::Int => false,
            Scalar::BitVec(width) => width < 64 && self.count() >= 1 << width,
        }
    }

    /// The values of the sort that are tried: both booleans, the integers of the range, and
    /// the bit-vectors that they are modulo 2 to the power of the width; each once.
    pub fn values(self, sort: Scalar) -> impl Iterator<Item = Constant> {
        let (low, count) = match sort {
            Scalar::Bool => (0, 2),
            Scalar::Int => (i128::from(self.low), self.count()),
            Scalar::BitVec(width) if width < 64 => {
                (i128::from(self.low), self.count().min(1 << width))
            }
            Scalar::BitVec(_) => (i128::from(self.low), self.count()),
        };
        (0..count).map(move |offset| {
            let number = low + offset as i128;
            match sort {
                Scalar::Bool => Constant::Bool(number == 1),
                Scalar::Int => Constant::Int(number),
                Scalar::BitVec(width) => Constant::bit_vec(width, number),
            }
        })
    }
}

/// `LO..HI`, as on the command line; both ends belong to the range.
impl std::str::FromStr for NondetRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || "a range is written LO..HI, such as -2..2".to_owned();
        let (low, high) = text.split_once("..").ok_or_else(expected)?;
        let number = |text: &str| text.trim().parse::<i64>().map_err(|_| expected());
        let (low, high) = (number(low)?, number(high)?);
        if low > high {
            return Err(format!("the range {low}..{high} is empty"));
        }
        Ok(NondetRange { low, high })
    }
}
