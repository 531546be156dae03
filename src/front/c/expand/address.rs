//! Arithmetic on addresses: a pointer stays a base and a distance from it.

use super::super::arithmetic;
use super::super::ir::{Base, Pointer, Sources, Value};
use super::super::typed::BinaryOp;
use super::super::types::Type;
use super::Expander;

impl Expander<'_> {
    pub(super) fn pointer_value(&mut self, pointer: Pointer) -> Value {
        let width = self.pointer_width();
        let mut term = match pointer.base {
            Base::Object(object) => self.address_term(object, 0),
            Base::Register(register) => self.terms.variable(register),
            Base::Unknown => self.terms.bit_vec(width, 0),
        };
        for &(index, factor) in &pointer.scaled {
            let factor = self.terms.bit_vec(width, i128::from(factor));
            let distance = self.terms.bv_mul(index, factor);
            term = self.terms.bv_add(term, distance);
        }
        let constant = self.terms.bit_vec(width, i128::from(pointer.constant));
        Value {
            term: self.terms.bv_add(term, constant),
            sources: Sources::Exactly(pointer),
        }
    }

    pub(super) fn move_pointer(&mut self, pointer: Value, bytes: i64) -> Value {
        let distance = self.terms.bit_vec(self.pointer_width(), i128::from(bytes));
        let sources = match pointer.sources {
            Sources::None => Sources::None,
            Sources::Exactly(pointer) => Sources::Exactly(pointer.moved(bytes)),
            Sources::AnyOf(all) => Sources::AnyOf(
                all.into_iter()
                    .map(|pointer| pointer.moved(bytes))
                    .collect(),
            ),
        };
        Value {
            term: self.terms.bv_add(pointer.term, distance),
            sources,
        }
    }

    pub(super) fn pointer_add(
        &mut self,
        pointer: Value,
        index: Value,
        subtract: bool,
        element: u64,
    ) -> Value {
        let model_type = self.program.types.pointer_difference_type();
        let number =
            arithmetic::constant_value(&self.terms, &self.program.types, &model_type, index.term);
        if let Some(number) = number {
            let count = if subtract { -number } else { number };
            let bytes = count.wrapping_mul(i128::from(element)) as i64;
            return self.move_pointer(pointer, bytes);
        }
        let index = match subtract {
            true => self.terms.bv_neg(index.term),
            false => index.term,
        };
        let step = |mut pointer: Pointer| {
            pointer.scaled.push((index, element));
            pointer
        };
        let sources = match pointer.sources {
            Sources::None => Sources::None,
            Sources::Exactly(pointer) => Sources::Exactly(step(pointer)),
            Sources::AnyOf(all) => Sources::AnyOf(all.into_iter().map(step).collect()),
        };
        let factor = self
            .terms
            .bit_vec(self.pointer_width(), i128::from(element));
        let distance = self.terms.bv_mul(index, factor);
        Value {
            term: self.terms.bv_add(pointer.term, distance),
            sources,
        }
    }

    /// A pointer that is kept in an integer is moved like any other.
    pub(super) fn address_arithmetic(
        &mut self,
        op: BinaryOp,
        ty: &Type,
        left: &Value,
        right: &Value,
    ) -> Option<Value> {
        let subtract = match op {
            BinaryOp::Add => false,
            BinaryOp::Sub => true,
            _ => return None,
        };
        if self.program.types.width(ty) != self.pointer_width() {
            return None;
        }
        match (&left.sources, &right.sources) {
            (Sources::None, Sources::None) => None,
            (_, Sources::None) => Some(self.pointer_add(left.clone(), right.clone(), subtract, 1)),
            (Sources::None, _) if !subtract => {
                Some(self.pointer_add(right.clone(), left.clone(), false, 1))
            }
            _ => None,
        }
    }
}
