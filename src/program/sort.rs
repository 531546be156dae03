//! Sorts of variables and terms.

use std::fmt;

/// The widest bit-vector. Enough for the double-width product of two 64-bit numbers.
pub const MAX_WIDTH: u32 = 128;

/// The longest array that a text may ask for: a state holds every element.
pub const MAX_LENGTH: u32 = 1 << 24;

/// A sort without structure: what an array may hold or be indexed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    Bool,
    /// A mathematical integer.
    Int,
    /// A bit-vector of 1 to [`MAX_WIDTH`] bits.
    BitVec(u32),
}

/// An array with the indices `0..length`; a bit-vector index counts as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArraySort {
    pub index: Scalar,
    pub element: Scalar,
    pub length: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    Bool,
    /// A mathematical integer.
    Int,
    /// A bit-vector of 1 to [`MAX_WIDTH`] bits.
    BitVec(u32),
    /// A fixed-length array of scalars. Front ends flatten arrays of arrays.
    Array(ArraySort),
}

impl Sort {
    /// An array of `length` elements.
    pub fn array(index: Scalar, element: Scalar, length: u32) -> Sort {
        Sort::Array(ArraySort {
            index,
            element,
            length,
        })
    }

    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bool => Some(Scalar::Bool),
            Sort::Int => Some(Scalar::Int),
            Sort::BitVec(width) => Some(Scalar::BitVec(width)),
            Sort::Array(_) => None,
        }
    }

    pub fn as_array(self) -> Option<ArraySort> {
        match self {
            Sort::Array(sort) => Some(sort),
            _ => None,
        }
    }

    /// The width of a bit-vector sort.
    pub fn width(self) -> Option<u32> {
        match self {
            Sort::BitVec(width) => Some(width),
            _ => None,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Sort {
        match scalar {
            Scalar::Bool => Sort::Bool,
            Scalar::Int => Sort::Int,
            Scalar::BitVec(width) => Sort::BitVec(width),
        }
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => write!(f, "Bool"),
            Scalar::Int => write!(f, "Int"),
            Scalar::BitVec(width) => write!(f, "(_ BitVec {width})"),
        }
    }
}

/// As SMT-LIB writes it, which leaves out the length of an array.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Array(sort) => write!(f, "(Array {} {})", sort.index, sort.element),
            Sort::Bool => Scalar::Bool.fmt(f),
            Sort::Int => Scalar::Int.fmt(f),
            Sort::BitVec(width) => Scalar::BitVec(*width).fmt(f),
        }
    }
}
