//! Concrete values.
//!
//! A mathematical integer is an `i128`: it is `Copy`, it covers every product of two
//! 64-bit numbers, and a computation that leaves its range is an [`EvalError`], never a
//! wrong number. Unbounded integers would make each value a heap object for programs that
//! nobody writes.

use crate::sort::{ArraySort, Scalar, Sort};
use std::fmt;

/// A value of a scalar sort. The bits of a bit-vector above its width are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constant {
    Bool(bool),
    Int(i128),
    BitVec { width: u32, bits: u128 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Scalar(Constant),
    Array {
        sort: ArraySort,
        elements: Vec<Constant>,
    },
}

/// Why a term has no value. Front ends guard against both indices and divisors; an
/// overflow is a limit of heddle and makes a verdict unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalError {
    IntegerOverflow,
    DivisionByZero,
    IndexOutOfRange { index: i128, length: u32 },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::IntegerOverflow => {
                write!(f, "an integer leaves the range of 128 bits")
            }
            EvalError::DivisionByZero => write!(f, "an integer is divided by zero"),
            EvalError::IndexOutOfRange { index, length } => {
                write!(f, "index {index} is outside of an array of length {length}")
            }
        }
    }
}

impl std::error::Error for EvalError {}

/// The lowest `width` bits set.
pub fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

/// The bits read as two's complement.
pub fn to_signed(width: u32, bits: u128) -> i128 {
    let shift = 128 - width;
    ((bits << shift) as i128) >> shift
}

impl Constant {
    /// The lowest `width` bits of a two's complement number.
    pub fn bit_vec(width: u32, value: i128) -> Constant {
        Constant::BitVec {
            width,
            bits: value as u128 & mask(width),
        }
    }

    pub fn sort(self) -> Scalar {
        match self {
            Constant::Bool(_) => Scalar::Bool,
            Constant::Int(_) => Scalar::Int,
            Constant::BitVec { width, .. } => Scalar::BitVec(width),
        }
    }

    /// What a variable of that sort holds if it starts at zero.
    pub fn zero(sort: Scalar) -> Constant {
        match sort {
            Scalar::Bool => Constant::Bool(false),
            Scalar::Int => Constant::Int(0),
            Scalar::BitVec(width) => Constant::BitVec { width, bits: 0 },
        }
    }

    pub fn as_bool(self) -> Option<bool> {
        match self {
            Constant::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The number as an array index: bit-vectors count as unsigned.
    pub fn as_index(self) -> Option<i128> {
        match self {
            Constant::Bool(_) => None,
            Constant::Int(value) => Some(value),
            Constant::BitVec { bits, .. } => Some(i128::try_from(bits).unwrap_or(i128::MAX)),
        }
    }
}

impl Value {
    pub fn sort(&self) -> Sort {
        match self {
            Value::Scalar(constant) => constant.sort().into(),
            Value::Array { sort, .. } => Sort::Array(*sort),
        }
    }

    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Array(sort) => Value::Array {
                sort,
                elements: vec![Constant::zero(sort.element); sort.length as usize],
            },
            scalar => Value::Scalar(Constant::zero(
                scalar.scalar().expect("not an array, so a scalar"),
            )),
        }
    }

    pub fn as_scalar(&self) -> Option<Constant> {
        match self {
            Value::Scalar(constant) => Some(*constant),
            Value::Array { .. } => None,
        }
    }
}

impl From<Constant> for Value {
    fn from(constant: Constant) -> Value {
        Value::Scalar(constant)
    }
}

/// For people: bit-vectors as signed numbers.
impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Constant::Bool(value) => value.fmt(f),
            Constant::Int(value) => value.fmt(f),
            Constant::BitVec { width, bits } => to_signed(width, bits).fmt(f),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Scalar(constant) => constant.fmt(f),
            Value::Array { elements, .. } => {
                f.write_str("[")?;
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    element.fmt(f)?;
                }
                f.write_str("]")
            }
        }
    }
}
