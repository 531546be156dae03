//! One method an operator, for front ends and engines: `terms.add(a, b)`.
//!
//! All of them simplify, and panic on ill-sorted arguments; text from users goes through
//! [`Terms::try_apply`].

use crate::ids::TermId;
use crate::op::Op;
use crate::sort::ArraySort;
use crate::term::Terms;
use crate::value::{Constant, Value};

macro_rules! unary {
    ($($name:ident => $op:ident),* $(,)?) => {
        $(pub fn $name(&mut self, a: TermId) -> TermId {
            self.apply(Op::$op, &[a])
        })*
    };
}

macro_rules! binary {
    ($($name:ident => $op:ident),* $(,)?) => {
        $(pub fn $name(&mut self, a: TermId, b: TermId) -> TermId {
            self.apply(Op::$op, &[a, b])
        })*
    };
}

/// Constants.
impl Terms {
    pub fn bool(&mut self, value: bool) -> TermId {
        self.constant(Constant::Bool(value))
    }

    pub fn int(&mut self, value: i128) -> TermId {
        self.constant(Constant::Int(value))
    }

    /// The lowest `width` bits of a two's complement number.
    pub fn bit_vec(&mut self, width: u32, value: i128) -> TermId {
        self.constant(Constant::bit_vec(width, value))
    }

    /// The array of this sort with `element` at every index.
    pub fn const_array(&mut self, sort: ArraySort, element: TermId) -> TermId {
        self.apply(Op::ConstArray(sort), &[element])
    }

    /// A value as a term.
    pub fn value(&mut self, value: &Value) -> TermId {
        match value {
            Value::Scalar(constant) => self.constant(*constant),
            Value::Array { sort, elements } => {
                let first = elements.first().copied();
                let first = first.unwrap_or(Constant::zero(sort.element));
                let element = self.constant(first);
                let mut array = self.const_array(*sort, element);
                for (position, &element) in elements.iter().enumerate() {
                    if element != first {
                        let index = self.index_constant(*sort, position as u32);
                        let element = self.constant(element);
                        array = self.store(array, index, element);
                    }
                }
                array
            }
        }
    }

    /// A position of an array as a constant of its index sort.
    pub fn index_constant(&mut self, sort: ArraySort, position: u32) -> TermId {
        match sort.index {
            crate::Scalar::BitVec(width) => self.bit_vec(width, position.into()),
            _ => self.int(position.into()),
        }
    }
}

/// Booleans, equality and choice.
impl Terms {
    unary! { not => Not }
    binary! { eq => Eq }

    pub fn and(&mut self, arguments: &[TermId]) -> TermId {
        self.apply(Op::And, arguments)
    }

    pub fn or(&mut self, arguments: &[TermId]) -> TermId {
        self.apply(Op::Or, arguments)
    }

    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }

    /// Exclusive or of booleans.
    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    pub fn ite(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        self.apply(Op::Ite, &[condition, yes, no])
    }
}

/// Mathematical integers.
impl Terms {
    unary! { neg => Neg }
    binary! { add => Add, sub => Sub, mul => Mul, div => Div, modulo => Mod, lt => Lt, le => Le }

    pub fn gt(&mut self, a: TermId, b: TermId) -> TermId {
        self.lt(b, a)
    }

    pub fn ge(&mut self, a: TermId, b: TermId) -> TermId {
        self.le(b, a)
    }
}

/// Bit-vectors.
impl Terms {
    unary! { bv_not => BvNot, bv_neg => BvNeg }
    binary! {
        bv_and => BvAnd, bv_or => BvOr, bv_xor => BvXor,
        bv_add => BvAdd, bv_sub => BvSub, bv_mul => BvMul,
        bv_udiv => BvUdiv, bv_urem => BvUrem, bv_sdiv => BvSdiv, bv_srem => BvSrem,
        bv_shl => BvShl, bv_lshr => BvLshr, bv_ashr => BvAshr,
        bv_ult => BvUlt, bv_ule => BvUle, bv_slt => BvSlt, bv_sle => BvSle,
        concat => Concat,
    }

    pub fn extract(&mut self, high: u32, low: u32, a: TermId) -> TermId {
        self.apply(Op::Extract { high, low }, &[a])
    }

    pub fn zero_extend(&mut self, by: u32, a: TermId) -> TermId {
        self.apply(Op::ZeroExtend { by }, &[a])
    }

    pub fn sign_extend(&mut self, by: u32, a: TermId) -> TermId {
        self.apply(Op::SignExtend { by }, &[a])
    }

    /// The bit-vector cut or extended to `width` bits, as a C conversion does it.
    pub fn resize(&mut self, width: u32, signed: bool, a: TermId) -> TermId {
        let from = self.sort(a).width().expect("a bit-vector is resized");
        if width < from {
            self.extract(width - 1, 0, a)
        } else if signed {
            self.sign_extend(width - from, a)
        } else {
            self.zero_extend(width - from, a)
        }
    }
}

/// Arrays.
impl Terms {
    binary! { select => Select }

    pub fn store(&mut self, array: TermId, index: TermId, value: TermId) -> TermId {
        self.apply(Op::Store, &[array, index, value])
    }
}
