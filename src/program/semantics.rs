//! What the operators of terms mean, as SMT-LIB defines it.

use crate::op::Op;
use crate::value::{Constant, EvalError, Value, mask, to_signed};

impl Op {
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

impl Op {
    /// Whether a signed operation on bit-vectors leaves the range of their width.
    pub(crate) fn wraps_around(self, arguments: &[Constant]) -> bool {
        let signed = |constant: &Constant| match *constant {
            Constant::BitVec { width, bits } => to_signed(width, bits),
            _ => 0,
        };
        let numbers: Vec<i128> = arguments.iter().map(signed).collect();
        let exact = match (self, &numbers[..]) {
            (Op::BvNeg, &[a]) => a.checked_neg(),
            (Op::BvAdd, &[a, b]) => a.checked_add(b),
            (Op::BvSub, &[a, b]) => a.checked_sub(b),
            (Op::BvMul, &[a, b]) => a.checked_mul(b),
            (Op::BvSdiv, &[a, b]) if b != 0 => a.checked_div(b),
            _ => return false,
        };
        self.fold(arguments).ok().as_ref().map(signed) != exact
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
