//! The operators of terms and their sorts: SMT-LIB's theories of booleans, integers,
//! fixed-size bit-vectors and arrays. What they mean is in `semantics.rs`.

use crate::sort::{ArraySort, MAX_WIDTH, Scalar, Sort};
use std::fmt;

/// An operator. Bit-vector operators start with `Bv`; the ones without are on integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    Not,
    /// Any number of arguments.
    And,
    /// Any number of arguments.
    Or,
    /// Condition, then, else; the branches may be of any sort.
    Ite,
    /// Two arguments of the same sort, any sort.
    Eq,

    Neg,
    Add,
    Sub,
    Mul,
    /// Rounds so that the remainder is never negative. Without a value for divisor 0.
    Div,
    /// Never negative. Without a value for divisor 0.
    Mod,
    Lt,
    Le,

    BvNot,
    BvNeg,
    BvAnd,
    BvOr,
    BvXor,
    BvAdd,
    BvSub,
    BvMul,
    /// All ones for divisor 0.
    BvUdiv,
    /// The dividend for divisor 0.
    BvUrem,
    /// Rounds towards zero; for divisor 0 as SMT-LIB defines it by `bvudiv`.
    BvSdiv,
    /// The sign of the dividend; the dividend for divisor 0.
    BvSrem,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    /// The first argument becomes the high bits.
    Concat,
    /// The bits `high` down to `low`, both included.
    Extract {
        high: u32,
        low: u32,
    },
    ZeroExtend {
        by: u32,
    },
    SignExtend {
        by: u32,
    },

    /// Array, index.
    Select,
    /// Array, index, value.
    Store,
    /// The array of this sort with the argument at every index.
    ConstArray(ArraySort),
}

/// Why an operator does not fit its arguments, in words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortError(pub String);

impl fmt::Display for SortError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SortError {}

impl Op {
    /// The sort of the operator applied to arguments of the given sorts.
    pub fn result_sort(self, arguments: &[Sort]) -> Result<Sort, SortError> {
        use Op::*;
        match self {
            And | Or => {
                self.all(arguments, Sort::Bool)?;
                Ok(Sort::Bool)
            }
            Not => {
                self.count(arguments, 1)?;
                self.all(arguments, Sort::Bool)?;
                Ok(Sort::Bool)
            }
            Ite => {
                self.count(arguments, 3)?;
                self.all(&arguments[..1], Sort::Bool)?;
                self.all(&arguments[2..], arguments[1])?;
                Ok(arguments[1])
            }
            Eq => {
                self.count(arguments, 2)?;
                self.all(&arguments[1..], arguments[0])?;
                Ok(Sort::Bool)
            }
            Neg => {
                self.count(arguments, 1)?;
                self.all(arguments, Sort::Int)?;
                Ok(Sort::Int)
            }
            Add | Sub | Mul | Div | Mod | Lt | Le => {
                self.count(arguments, 2)?;
                self.all(arguments, Sort::Int)?;
                Ok(match self {
                    Lt | Le => Sort::Bool,
                    _ => Sort::Int,
                })
            }
            BvNot | BvNeg => {
                self.count(arguments, 1)?;
                self.width(arguments[0])?;
                Ok(arguments[0])
            }
            BvAnd | BvOr | BvXor | BvAdd | BvSub | BvMul | BvUdiv | BvUrem | BvSdiv | BvSrem
            | BvShl | BvLshr | BvAshr | BvUlt | BvUle | BvSlt | BvSle => {
                self.count(arguments, 2)?;
                self.width(arguments[0])?;
                self.all(&arguments[1..], arguments[0])?;
                Ok(match self {
                    BvUlt | BvUle | BvSlt | BvSle => Sort::Bool,
                    _ => arguments[0],
                })
            }
            Concat => {
                self.count(arguments, 2)?;
                self.of_width(self.width(arguments[0])? + self.width(arguments[1])?)
            }
            Extract { high, low } => {
                self.count(arguments, 1)?;
                let width = self.width(arguments[0])?;
                if low > high || high >= width {
                    return Err(SortError(format!(
                        "bits {high} down to {low} are not part of {width} bits"
                    )));
                }
                Ok(Sort::BitVec(high - low + 1))
            }
            ZeroExtend { by } | SignExtend { by } => {
                self.count(arguments, 1)?;
                self.of_width(self.width(arguments[0])?.saturating_add(by))
            }
            Select => {
                self.count(arguments, 2)?;
                let array = self.array(arguments[0])?;
                self.all(&arguments[1..], array.index.into())?;
                Ok(array.element.into())
            }
            Store => {
                self.count(arguments, 3)?;
                let array = self.array(arguments[0])?;
                self.all(&arguments[1..2], array.index.into())?;
                self.all(&arguments[2..], array.element.into())?;
                Ok(arguments[0])
            }
            ConstArray(sort) => {
                self.count(arguments, 1)?;
                self.all(arguments, sort.element.into())?;
                if sort.index == Scalar::Bool {
                    return Err(SortError("an array is not indexed by Bool".into()));
                }
                Ok(Sort::Array(sort))
            }
        }
    }

    fn count(self, arguments: &[Sort], expected: usize) -> Result<(), SortError> {
        if arguments.len() == expected {
            return Ok(());
        }
        let plural = if expected == 1 { "" } else { "s" };
        Err(SortError(format!(
            "`{self}` takes {expected} argument{plural}, not {}",
            arguments.len()
        )))
    }

    fn all(self, arguments: &[Sort], expected: Sort) -> Result<(), SortError> {
        match arguments.iter().find(|&&sort| sort != expected) {
            None => Ok(()),
            Some(Sort::Array(found))
                if matches!(expected, Sort::Array(other)
                if other.index == found.index && other.element == found.element) =>
            {
                Err(SortError(format!(
                    "`{self}` is applied to arrays of different lengths"
                )))
            }
            Some(found) => Err(SortError(format!(
                "`{self}` expects {expected} here, not {found}"
            ))),
        }
    }

    fn width(self, sort: Sort) -> Result<u32, SortError> {
        sort.width()
            .ok_or_else(|| SortError(format!("`{self}` expects a bit-vector, not {sort}")))
    }

    fn array(self, sort: Sort) -> Result<ArraySort, SortError> {
        sort.as_array()
            .ok_or_else(|| SortError(format!("`{self}` expects an array, not {sort}")))
    }

    fn of_width(self, width: u32) -> Result<Sort, SortError> {
        if width > MAX_WIDTH {
            return Err(SortError(format!(
                "`{self}` would give {width} bits; at most {MAX_WIDTH} are supported"
            )));
        }
        Ok(Sort::BitVec(width))
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Ite => "ite",
            Op::Eq => "=",
            Op::Neg | Op::Sub => "-",
            Op::Add => "+",
            Op::Mul => "*",
            Op::Div => "div",
            Op::Mod => "mod",
            Op::Lt => "<",
            Op::Le => "<=",
            Op::BvNot => "bvnot",
            Op::BvNeg => "bvneg",
            Op::BvAnd => "bvand",
            Op::BvOr => "bvor",
            Op::BvXor => "bvxor",
            Op::BvAdd => "bvadd",
            Op::BvSub => "bvsub",
            Op::BvMul => "bvmul",
            Op::BvUdiv => "bvudiv",
            Op::BvUrem => "bvurem",
            Op::BvSdiv => "bvsdiv",
            Op::BvSrem => "bvsrem",
            Op::BvShl => "bvshl",
            Op::BvLshr => "bvlshr",
            Op::BvAshr => "bvashr",
            Op::BvUlt => "bvult",
            Op::BvUle => "bvule",
            Op::BvSlt => "bvslt",
            Op::BvSle => "bvsle",
            Op::Concat => "concat",
            Op::Extract { high, low } => return write!(f, "(_ extract {high} {low})"),
            Op::ZeroExtend { by } => return write!(f, "(_ zero_extend {by})"),
            Op::SignExtend { by } => return write!(f, "(_ sign_extend {by})"),
            Op::Select => "select",
            Op::Store => "store",
            Op::ConstArray(sort) => return write!(f, "(as const {})", Sort::Array(*sort)),
        };
        f.write_str(name)
    }
}
