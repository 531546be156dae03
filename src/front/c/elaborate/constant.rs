//! Constant expressions (C11 6.6), by the same arithmetic as all others.

use super::super::arithmetic;
use super::super::builtins::Builtin;
use super::super::elaborate::Elaborator;
use super::super::typed::{BinaryOp, Callee, Expr, ExprKind};
use super::super::types::{Type, Types};
use heddle_program::{TermId, Terms};

impl Elaborator<'_> {
    /// The value of an expression that consists of constants only.
    pub(super) fn evaluate(&self, expr: &Expr) -> Option<i128> {
        evaluate(&self.types, expr)
    }
}

/// The value of an integer expression that consists of constants only.
pub(crate) fn evaluate(types: &Types, expr: &Expr) -> Option<i128> {
    let mut terms = Terms::new();
    let term = fold(&mut terms, types, expr)?;
    arithmetic::constant_value(&terms, types, &expr.ty, term)
}

fn fold(terms: &mut Terms, types: &Types, expr: &Expr) -> Option<TermId> {
    let ty = &expr.ty;
    if !ty.is_scalar() {
        return None;
    }
    Some(match &expr.kind {
        ExprKind::Int(value) => arithmetic::constant(terms, types, ty, *value),
        ExprKind::Cast(inner) => {
            if !inner.ty.is_scalar() {
                return None;
            }
            let value = fold(terms, types, inner)?;
            arithmetic::convert(terms, types, &inner.ty, ty, value)
        }
        ExprKind::Negate(inner) => {
            let value = fold(terms, types, inner)?;
            terms.bv_neg(value)
        }
        ExprKind::Complement(inner) => {
            let value = fold(terms, types, inner)?;
            terms.bv_not(value)
        }
        ExprKind::Not(inner) => {
            let truth = fold_truth(terms, types, inner)?;
            let not = terms.not(truth);
            arithmetic::from_truth(terms, types, ty, not)
        }
        ExprKind::Binary(op, left, right) => {
            let l = fold(terms, types, left)?;
            let r = fold(terms, types, right)?;
            let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
            if divides && arithmetic::constant_value(terms, types, &right.ty, r) == Some(0) {
                return None;
            }
            arithmetic::binary(terms, types, *op, ty, l, r, &right.ty)
        }
        ExprKind::Compare(op, left, right) => {
            let l = fold(terms, types, left)?;
            let r = fold(terms, types, right)?;
            let truth = arithmetic::compare(terms, types, *op, &left.ty, l, r);
            arithmetic::from_truth(terms, types, ty, truth)
        }
        ExprKind::And(left, right) => {
            let l = fold_truth(terms, types, left)?;
            let truth = if terms.is_false(l) {
                l
            } else {
                fold_truth(terms, types, right)?
            };
            arithmetic::from_truth(terms, types, ty, truth)
        }
        ExprKind::Or(left, right) => {
            let l = fold_truth(terms, types, left)?;
            let truth = if terms.is_true(l) {
                l
            } else {
                fold_truth(terms, types, right)?
            };
            arithmetic::from_truth(terms, types, ty, truth)
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            let truth = fold_truth(terms, types, condition)?;
            if terms.is_true(truth) {
                fold(terms, types, then.as_ref()?)?
            } else {
                fold(terms, types, otherwise)?
            }
        }
        ExprKind::PointerAdd {
            pointer,
            index,
            subtract,
            element,
            ..
        } => {
            let base = fold(terms, types, pointer)?;
            let index = fold(terms, types, index)?;
            let scale = terms.bit_vec(types.model.pointer_width(), i128::from(*element));
            let distance = terms.bv_mul(index, scale);
            if *subtract {
                terms.bv_sub(base, distance)
            } else {
                terms.bv_add(base, distance)
            }
        }
        ExprKind::Call(Callee::Builtin(Builtin::Bits(function, _)), arguments) => {
            let argument = fold(terms, types, &arguments[0])?;
            let value = arithmetic::constant_value(terms, types, &arguments[0].ty, argument);
            if function.needs_a_one() && value == Some(0) {
                return None;
            }
            function.of(terms, argument)
        }
        // `&((T *)0)->field`, the old way to write `offsetof`.
        ExprKind::AddressOf(lvalue) => fold_address(terms, types, lvalue)?,
        _ => return None,
    })
}

fn fold_address(
    terms: &mut Terms,
    types: &Types,
    lvalue: &super::super::typed::Lvalue,
) -> Option<TermId> {
    use super::super::typed::LvalueKind;
    match &lvalue.kind {
        LvalueKind::Deref(pointer) => fold(terms, types, pointer),
        LvalueKind::Member(inner, record, field) => {
            let base = fold_address(terms, types, inner)?;
            let field = &types.record(*record).fields.as_ref()?[*field];
            let offset = terms.bit_vec(types.model.pointer_width(), i128::from(field.offset / 8));
            Some(terms.bv_add(base, offset))
        }
        _ => None,
    }
}

fn fold_truth(terms: &mut Terms, types: &Types, expr: &Expr) -> Option<TermId> {
    let value = fold(terms, types, expr)?;
    Some(arithmetic::truth(terms, types, &expr.ty, value))
}

/// Whether an expression is the null pointer constant (C11 6.3.2.3).
pub(super) fn is_null_pointer_constant(types: &Types, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Cast(inner) if expr.ty == Type::pointer_to(Type::Void) => {
            is_null_pointer_constant(types, inner)
        }
        _ => expr.ty.is_integer() && evaluate(types, expr) == Some(0),
    }
}
