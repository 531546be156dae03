//! C's operators on terms: what each does to bits (C11 6.3, 6.5).
//!
//! Constants fold while the terms are built, so the same functions evaluate constant
//! expressions.

use super::typed::{BinaryOp, Comparison};
use super::types::{Type, Types};
use heddle_program::{Op, Term, TermId, Terms};

/// Whether a scalar is not zero.
pub(crate) fn truth(terms: &mut Terms, types: &Types, ty: &Type, value: TermId) -> TermId {
    if *ty == Type::Bool {
        return value;
    }
    is_nonzero(terms, types.width(ty), value, CHOICES)
}

/// How deep the truth of a choice is looked for in its branches.
const CHOICES: u32 = 4;

fn is_nonzero(terms: &mut Terms, width: u32, value: TermId, depth: u32) -> TermId {
    if depth > 0
        && let Term::Apply {
            op: Op::Ite,
            arguments,
        } = terms.get(value)
        && let &[condition, yes, no] = &arguments[..]
    {
        let yes = is_nonzero(terms, width, yes, depth - 1);
        let no = is_nonzero(terms, width, no, depth - 1);
        return terms.ite(condition, yes, no);
    }
    let zero = terms.bit_vec(width, 0);
    terms.ne(value, zero)
}

/// 0 or 1 of an integer type.
pub(crate) fn from_truth(terms: &mut Terms, types: &Types, ty: &Type, truth: TermId) -> TermId {
    if *ty == Type::Bool {
        return truth;
    }
    let width = types.width(ty);
    let (one, zero) = (terms.bit_vec(width, 1), terms.bit_vec(width, 0));
    terms.ite(truth, one, zero)
}

pub(crate) fn constant(terms: &mut Terms, types: &Types, ty: &Type, value: i128) -> TermId {
    match ty {
        Type::Bool => terms.bool(value != 0),
        other => terms.bit_vec(types.width(other), value),
    }
}

/// The conversion between two scalar types (C11 6.3.1, 6.3.2.3).
pub(crate) fn convert(
    terms: &mut Terms,
    types: &Types,
    from: &Type,
    to: &Type,
    value: TermId,
) -> TermId {
    match (from, to) {
        (_, Type::Bool) => truth(terms, types, from, value),
        (Type::Bool, _) => from_truth(terms, types, to, value),
        _ => terms.resize(types.width(to), types.is_signed(from), value),
    }
}

/// Both operands are of type `ty`, except for the right operand of a shift, which is of
/// `right_type`. Division by zero gives some value; callers guard against it.
pub(crate) fn binary(
    terms: &mut Terms,
    types: &Types,
    op: BinaryOp,
    ty: &Type,
    left: TermId,
    right: TermId,
    right_type: &Type,
) -> TermId {
    let signed = types.is_signed(ty);
    match op {
        BinaryOp::Add => terms.bv_add(left, right),
        BinaryOp::Sub => terms.bv_sub(left, right),
        BinaryOp::Mul => terms.bv_mul(left, right),
        BinaryOp::Div if signed => terms.bv_sdiv(left, right),
        BinaryOp::Div => terms.bv_udiv(left, right),
        BinaryOp::Rem if signed => terms.bv_srem(left, right),
        BinaryOp::Rem => terms.bv_urem(left, right),
        BinaryOp::And => terms.bv_and(left, right),
        BinaryOp::Or => terms.bv_or(left, right),
        BinaryOp::Xor => terms.bv_xor(left, right),
        BinaryOp::Shl | BinaryOp::Shr => {
            let width = types.width(ty);
            let count = shift_count(terms, types, width, right, right_type);
            match op {
                BinaryOp::Shl => terms.bv_shl(left, count),
                _ if signed => terms.bv_ashr(left, count),
                _ => terms.bv_lshr(left, count),
            }
        }
    }
}

/// The count of a shift at the width of what is shifted. Counts that are too large stay too
/// large; callers guard against them.
fn shift_count(
    terms: &mut Terms,
    types: &Types,
    width: u32,
    count: TermId,
    count_type: &Type,
) -> TermId {
    let count_width = types.width(count_type);
    if count_width <= width {
        return terms.resize(width, false, count);
    }
    let limit = terms.bit_vec(count_width, i128::from(width));
    let in_range = terms.bv_ult(count, limit);
    let narrow = terms.resize(width, false, count);
    let too_large = terms.bit_vec(width, i128::from(width));
    terms.ite(in_range, narrow, too_large)
}

/// The truth of a comparison of two values of one scalar type.
pub(crate) fn compare(
    terms: &mut Terms,
    types: &Types,
    op: Comparison,
    ty: &Type,
    left: TermId,
    right: TermId,
) -> TermId {
    let signed = types.is_signed(ty);
    match op {
        Comparison::Equal => terms.eq(left, right),
        Comparison::NotEqual => terms.ne(left, right),
        Comparison::Less if signed => terms.bv_slt(left, right),
        Comparison::Less => terms.bv_ult(left, right),
        Comparison::LessOrEqual if signed => terms.bv_sle(left, right),
        Comparison::LessOrEqual => terms.bv_ule(left, right),
        Comparison::Greater => compare(terms, types, Comparison::Less, ty, right, left),
        Comparison::GreaterOrEqual => {
            compare(terms, types, Comparison::LessOrEqual, ty, right, left)
        }
    }
}

/// Whether a signed operation stays in the range of its type.
pub(crate) fn no_overflow(
    terms: &mut Terms,
    types: &Types,
    op: BinaryOp,
    ty: &Type,
    left: TermId,
    right: TermId,
) -> Option<TermId> {
    if !types.is_signed(ty) {
        return None;
    }
    let width = types.width(ty);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            let wide = 2 * width;
            let (l, r) = (
                terms.resize(wide, true, left),
                terms.resize(wide, true, right),
            );
            let (exact, wrapped) = match op {
                BinaryOp::Add => (terms.bv_add(l, r), terms.bv_add(left, right)),
                BinaryOp::Sub => (terms.bv_sub(l, r), terms.bv_sub(left, right)),
                _ => (terms.bv_mul(l, r), terms.bv_mul(left, right)),
            };
            let wrapped = terms.resize(wide, true, wrapped);
            Some(terms.eq(exact, wrapped))
        }
        BinaryOp::Div | BinaryOp::Rem => {
            let least = terms.bit_vec(width, 1 << (width - 1));
            let minus_one = terms.bit_vec(width, -1);
            let a = terms.ne(left, least);
            let b = terms.ne(right, minus_one);
            Some(terms.or(&[a, b]))
        }
        _ => None,
    }
}

/// The number that a constant term stands for, signed if its type is.
pub(crate) fn constant_value(
    terms: &Terms,
    types: &Types,
    ty: &Type,
    term: TermId,
) -> Option<i128> {
    use heddle_program::Constant;
    Some(match terms.as_constant(term)? {
        Constant::Bool(value) => i128::from(value),
        Constant::Int(value) => value,
        Constant::BitVec { width, bits } if types.is_signed(ty) => {
            heddle_program::to_signed(width, bits)
        }
        Constant::BitVec { bits, .. } => bits as i128,
    })
}
