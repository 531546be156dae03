//! The operators of terms, their sorts and their meaning: SMT-LIB's theories of booleans,
//! integers, fixed-size bit-vectors and arrays.

use crate::sort::{ArraySort, MAX_WIDTH, Scalar, Sort};
use crate::value::{Constant, EvalError, Value, mask, to_signed};
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

    /// The value of the operator applied to well-sorted values.
    ///
    /// # Panics
    /// If the arguments are not well-sorted.
    pub fn evaluate(self, arguments: &[Value]) -> Result<Value, EvalError> {
        match (self, arguments) {
            (Op::Ite, [Value::Scalar(condition), yes, no]) => {
                let condition = condition.as_bool().expect("well-sorted");
                Ok(if condition { yes.clone() } else { no.clone() })
            }
            (Op::Eq, [a, b]) => Ok(Constant::Bool(a == b).into()),
            (Op::Select, [Value::Array { elements, .. }, Value::Scalar(index)]) => {
                Ok(elements[position(*index, elements.len())?].into())
            }
            (
                Op::Store,
                [
                    Value::Array { sort, elements },
                    Value::Scalar(index),
                    Value::Scalar(value),
                ],
            ) => {
                let mut elements = elements.clone();
                let position = position(*index, elements.len())?;
                elements[position] = *value;
                Ok(Value::Array {
                    sort: *sort,
                    elements,
                })
            }
            (Op::ConstArray(sort), [Value::Scalar(value)]) => Ok(Value::Array {
                sort,
                elements: vec![*value; sort.length as usize],
            }),
            _ => {
                let scalars: Vec<Constant> = arguments
                    .iter()
                    .map(|value| value.as_scalar().expect("well-sorted"))
                    .collect();
                self.fold(&scalars).map(Value::Scalar)
            }
        }
    }

    /// [`Op::evaluate`] for scalars.
    ///
    /// # Panics
    /// If the arguments are not well-sorted, or the operator is one of arrays.
    pub fn fold(self, arguments: &[Constant]) -> Result<Constant, EvalError> {
        use Constant::{BitVec, Bool, Int};
        let overflow = EvalError::IntegerOverflow;
        Ok(match (self, arguments) {
            (Op::And, _) => Bool(arguments.iter().all(|&a| a == Bool(true))),
            (Op::Or, _) => Bool(arguments.contains(&Bool(true))),
            (Op::Not, &[Bool(a)]) => Bool(!a),
            (Op::Ite, &[Bool(condition), yes, no]) => {
                if condition {
                    yes
                } else {
                    no
                }
            }
            (Op::Eq, &[a, b]) => Bool(a == b),

            (Op::Neg, &[Int(a)]) => Int(a.checked_neg().ok_or(overflow)?),
            (Op::Add, &[Int(a), Int(b)]) => Int(a.checked_add(b).ok_or(overflow)?),
            (Op::Sub, &[Int(a), Int(b)]) => Int(a.checked_sub(b).ok_or(overflow)?),
            (Op::Mul, &[Int(a), Int(b)]) => Int(a.checked_mul(b).ok_or(overflow)?),
            (Op::Div | Op::Mod, &[Int(_), Int(0)]) => return Err(EvalError::DivisionByZero),
            (Op::Div, &[Int(a), Int(b)]) => Int(a.checked_div_euclid(b).ok_or(overflow)?),
            // The remainder by -1 is 0 even where the quotient overflows.
            (Op::Mod, &[Int(a), Int(b)]) => Int(a.checked_rem_euclid(b).unwrap_or(0)),
            (Op::Lt, &[Int(a), Int(b)]) => Bool(a < b),
            (Op::Le, &[Int(a), Int(b)]) => Bool(a <= b),

            (Op::BvNot, &[BitVec { width, bits }]) => bv(width, !bits),
            (Op::BvNeg, &[BitVec { width, bits }]) => bv(width, bits.wrapping_neg()),
            (Op::Concat, &[BitVec { width: w1, bits: a }, BitVec { width: w2, bits: b }]) => {
                bv(w1 + w2, (a << w2) | b)
            }
            (Op::Extract { high, low }, &[BitVec { bits, .. }]) => bv(high - low + 1, bits >> low),
            (Op::ZeroExtend { by }, &[BitVec { width, bits }]) => bv(width + by, bits),
            (Op::SignExtend { by }, &[BitVec { width, bits }]) => {
                bv(width + by, to_signed(width, bits) as u128)
            }
            (_, &[BitVec { width, bits: a }, BitVec { width: w2, bits: b }]) if width == w2 => {
                binary_bit_vec(self, width, a, b)
            }
            _ => panic!("internal error: `{self}` is applied to {arguments:?}"),
        })
    }
}

fn bv(width: u32, bits: u128) -> Constant {
    Constant::BitVec {
        width,
        bits: bits & mask(width),
    }
}

fn binary_bit_vec(op: Op, width: u32, a: u128, b: u128) -> Constant {
    let (signed_a, signed_b) = (to_signed(width, a), to_signed(width, b));
    let in_range = b < u128::from(width);
    match op {
        Op::BvAnd => bv(width, a & b),
        Op::BvOr => bv(width, a | b),
        Op::BvXor => bv(width, a ^ b),
        Op::BvAdd => bv(width, a.wrapping_add(b)),
        Op::BvSub => bv(width, a.wrapping_sub(b)),
        Op::BvMul => bv(width, a.wrapping_mul(b)),
        Op::BvUdiv => bv(width, a.checked_div(b).unwrap_or(u128::MAX)),
        Op::BvUrem => bv(width, a.checked_rem(b).unwrap_or(a)),
        // SMT-LIB: a negative dividend over zero is 1, any other is all ones.
        Op::BvSdiv if b == 0 => bv(width, if signed_a < 0 { 1 } else { u128::MAX }),
        Op::BvSdiv => bv(width, signed_a.wrapping_div(signed_b) as u128),
        Op::BvSrem if b == 0 => bv(width, a),
        Op::BvSrem => bv(width, signed_a.wrapping_rem(signed_b) as u128),
        Op::BvShl => bv(width, if in_range { a << b } else { 0 }),
        Op::BvLshr => bv(width, if in_range { a >> b } else { 0 }),
        Op::BvAshr => bv(width, (signed_a >> if in_range { b } else { 127 }) as u128),
        Op::BvUlt => Constant::Bool(a < b),
        Op::BvUle => Constant::Bool(a <= b),
        Op::BvSlt => Constant::Bool(signed_a < signed_b),
        Op::BvSle => Constant::Bool(signed_a <= signed_b),
        _ => panic!("internal error: `{op}` is not a binary bit-vector operator"),
    }
}

/// The element that an index means.
fn position(index: Constant, length: usize) -> Result<usize, EvalError> {
    let index = index.as_index().expect("well-sorted");
    usize::try_from(index)
        .ok()
        .filter(|&position| position < length)
        .ok_or(EvalError::IndexOutOfRange {
            index,
            length: length as u32,
        })
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
