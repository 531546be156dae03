//! Operators and constants as Z3 has them.
//!
//! An array of ours has a length, one of Z3 has not, so two arrays are equal here if they
//! agree below the length.

use ::z3::ast::{Array, BV, Bool, Dynamic, Int};
use heddle_program::{ArraySort, Constant, Op, Scalar, Sort, mask};

pub(super) fn sort(sort: Sort) -> ::z3::Sort {
    match sort {
        Sort::Bool => ::z3::Sort::bool(),
        Sort::Int => ::z3::Sort::int(),
        Sort::BitVec(width) => ::z3::Sort::bitvector(width),
        Sort::Array(sort) => ::z3::Sort::array(
            &self::sort(sort.index.into()),
            &self::sort(sort.element.into()),
        ),
    }
}

pub(super) fn constant(constant: Constant) -> Dynamic {
    match constant {
        Constant::Bool(value) => Bool::from_bool(value).into(),
        Constant::Int(value) => match i64::try_from(value) {
            Ok(value) => Int::from_i64(value).into(),
            Err(_) => Int::from_i128(value).into(),
        },
        Constant::BitVec { width, bits } => match u64::try_from(bits) {
            Ok(bits) => BV::from_u64(bits, width).into(),
            Err(_) => {
                let numeral = BV::from_str(width, &bits.to_string());
                numeral.expect("decimal digits are a numeral").into()
            }
        },
    }
}

pub(super) fn index(sort: ArraySort, position: u32) -> Dynamic {
    constant(match sort.index {
        Scalar::BitVec(width) => Constant::bit_vec(width, position.into()),
        _ => Constant::Int(position.into()),
    })
}

pub(super) fn equal_arrays(sort: ArraySort, a: &Array, b: &Array) -> Bool {
    let reachable = match sort.index {
        Scalar::BitVec(width) => u128::from(sort.length).min(mask(width).saturating_add(1)),
        _ => u128::from(sort.length),
    };
    let agreeing: Vec<Bool> = (0..reachable as u32)
        .map(|position| {
            let index = index(sort, position);
            a.select(&index).eq(b.select(&index))
        })
        .collect();
    Bool::and(&agreeing)
}

const ILL_SORTED: &str = "internal error: an argument of another sort";

pub(super) fn bool(term: &Dynamic) -> Bool {
    term.as_bool().expect(ILL_SORTED)
}

pub(super) fn int(term: &Dynamic) -> Int {
    term.as_int().expect(ILL_SORTED)
}

pub(super) fn bits(term: &Dynamic) -> BV {
    term.as_bv().expect(ILL_SORTED)
}

pub(super) fn array(term: &Dynamic) -> Array {
    term.as_array().expect(ILL_SORTED)
}

pub(super) fn apply(op: Op, arguments: &[&Dynamic]) -> Dynamic {
    match (op, arguments) {
        (Op::And | Op::Or, _) => {
            let formulas: Vec<Bool> = arguments.iter().map(|a| bool(a)).collect();
            match op {
                Op::And => Bool::and(&formulas).into(),
                _ => Bool::or(&formulas).into(),
            }
        }
        (Op::Ite, [condition, yes, no]) => bool(condition).ite(*yes, *no),
        (Op::Eq, [a, b]) => (*a).eq(*b).into(),
        (Op::Select, [a, index]) => array(a).select(*index),
        (Op::Store, [a, index, value]) => array(a).store(*index, *value).into(),
        (Op::ConstArray(sort), [element]) => {
            Array::const_array(&self::sort(sort.index.into()), *element).into()
        }
        (Op::Not, [a]) => bool(a).not().into(),
        (Op::Neg, [a]) => int(a).unary_minus().into(),
        (Op::BvNot, [a]) => bits(a).bvnot().into(),
        (Op::BvNeg, [a]) => bits(a).bvneg().into(),
        (Op::Extract { high, low }, [a]) => bits(a).extract(high, low).into(),
        (Op::ZeroExtend { by }, [a]) => bits(a).zero_ext(by).into(),
        (Op::SignExtend { by }, [a]) => bits(a).sign_ext(by).into(),
        (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Lt | Op::Le, [a, b]) => {
            integers(op, int(a), int(b))
        }
        (_, [a, b]) => bit_vectors(op, &bits(a), bits(b)),
        _ => panic!("internal error: `{op}` with {} arguments", arguments.len()),
    }
}

fn integers(op: Op, a: Int, b: Int) -> Dynamic {
    match op {
        Op::Add => Int::add(&[a, b]).into(),
        Op::Sub => Int::sub(&[a, b]).into(),
        Op::Mul => Int::mul(&[a, b]).into(),
        Op::Div => a.div(b).into(),
        Op::Mod => a.modulo(b).into(),
        Op::Lt => a.lt(b).into(),
        Op::Le => a.le(b).into(),
        _ => panic!("internal error: `{op}` is not a binary integer operator"),
    }
}

fn bit_vectors(op: Op, a: &BV, b: BV) -> Dynamic {
    match op {
        Op::BvAnd => a.bvand(b).into(),
        Op::BvOr => a.bvor(b).into(),
        Op::BvXor => a.bvxor(b).into(),
        Op::BvAdd => a.bvadd(b).into(),
        Op::BvSub => a.bvsub(b).into(),
        Op::BvMul => a.bvmul(b).into(),
        Op::BvUdiv => a.bvudiv(b).into(),
        Op::BvUrem => a.bvurem(b).into(),
        Op::BvSdiv => a.bvsdiv(b).into(),
        Op::BvSrem => a.bvsrem(b).into(),
        Op::BvShl => a.bvshl(b).into(),
        Op::BvLshr => a.bvlshr(b).into(),
        Op::BvAshr => a.bvashr(b).into(),
        Op::BvUlt => a.bvult(b).into(),
        Op::BvUle => a.bvule(b).into(),
        Op::BvSlt => a.bvslt(b).into(),
        Op::BvSle => a.bvsle(b).into(),
        Op::Concat => a.concat(b).into(),
        _ => panic!("internal error: `{op}` is not a binary bit-vector operator"),
    }
}
