//! Arithmetic that C lets wrap around, where other arithmetic is mathematical.
//!
//! A conversion between `int` and `unsigned` leaves no trace in a term, so with `--integers
//! mathematical` such arithmetic is done at twice the width and cut: a cut says that bits matter,
//! whatever becomes of the operands. `mathematical.rs` takes the detour out again.

use super::super::arithmetic;
use super::super::options::Integers;
use super::super::typed::BinaryOp;
use super::super::types::Type;
use super::Expander;
use heddle_program::TermId;

impl Expander<'_> {
    /// As [`arithmetic::binary`].
    pub(super) fn binary(
        &mut self,
        op: BinaryOp,
        ty: &Type,
        left: TermId,
        right: TermId,
        right_type: &Type,
    ) -> TermId {
        let types = &self.program.types;
        let may_overflow = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul);
        if !may_overflow || !self.has_to_wrap(ty) {
            return arithmetic::binary(&mut self.terms, types, op, ty, left, right, right_type);
        }
        let width = types.width(ty);
        let [left, right] =
            [left, right].map(|operand| self.terms.resize(2 * width, false, operand));
        let types = &self.program.types;
        let wide = arithmetic::binary(&mut self.terms, types, op, ty, left, right, ty);
        self.terms.resize(width, false, wide)
    }

    pub(super) fn negated(&mut self, ty: &Type, value: TermId) -> TermId {
        if !self.has_to_wrap(ty) {
            return self.terms.bv_neg(value);
        }
        let zero = self.number(ty, 0).term;
        self.binary(BinaryOp::Sub, ty, zero, value, ty)
    }

    fn has_to_wrap(&self, ty: &Type) -> bool {
        let wraps = self.suppress_overflow || !self.program.types.is_signed(ty);
        wraps && self.options.integers == Integers::Mathematical
    }
}
