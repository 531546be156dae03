//! `__builtin_add_overflow` and the like: arithmetic without bounds, and whether its result fits.

use super::super::ir::Value;
use super::super::typed::{BinaryOp, Expr};
use super::super::types::Type;
use super::Expander;
use heddle_program::{Sort, TermId};

impl Expander<'_> {
    /// Writes what is left of the result in the type that the last argument points to. The
    /// value is whether that is not the result.
    pub(super) fn overflow(&mut self, op: BinaryOp, arguments: &[Expr]) -> Value {
        let (left, right) = (self.value(&arguments[0]), self.value(&arguments[1]));
        let output = self.output_place(&arguments[2]);
        let to = match arguments[2].ty.pointee() {
            Some(to) => to.ty.clone(),
            None => Type::INT,
        };
        let types = &self.program.types;
        let widest = [&arguments[0].ty, &arguments[1].ty, &to].map(|ty| types.width(ty));
        // At twice the width only a result that fits is the same after wrapping around, even
        // though the product of two large unsigned numbers has the bits of a negative one.
        let wide = 2 * widest.into_iter().fold(32, u32::max);
        let left_wide = self.widened(wide, &arguments[0].ty, &left);
        let right_wide = self.widened(wide, &arguments[1].ty, &right);
        let exact = match op {
            BinaryOp::Add => self.terms.bv_add(left_wide, right_wide),
            BinaryOp::Sub => self.terms.bv_sub(left_wide, right_wide),
            _ => self.terms.bv_mul(left_wide, right_wide),
        };
        let types = &self.program.types;
        let wrapped = self.terms.resize(types.width(&to), false, exact);
        let back = self.terms.resize(wide, types.is_signed(&to), wrapped);
        let differs = self.terms.ne(exact, back);
        // The operands may be what is written to.
        let overflows = self.register("overflows", Sort::Bool);
        self.set(overflows, differs.into());
        let written = Value {
            term: wrapped,
            sources: left.sources.scrambled().or(&right.sources.scrambled()),
        };
        self.write_output(output, written);
        self.read(overflows, &Type::Bool)
    }

    fn widened(&mut self, width: u32, ty: &Type, value: &Value) -> TermId {
        let promoted = self.program.types.promote(ty);
        let value = self.convert(value.clone(), ty, &promoted);
        let signed = self.program.types.is_signed(&promoted);
        self.terms.resize(width, signed, value.term)
    }
}
