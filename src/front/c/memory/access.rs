//! Reading and writing: the bits that an access is about, out of what a leaf holds.

use super::super::ir::Access;
use super::super::layout::Leaf;
use super::super::types::Type;
use super::{Choice, Memory, View, access_bits};
use heddle_program::{Place as Target, Sort, TermId, Update};

impl Memory<'_> {
    /// Where the value of a leaf instance is.
    pub(crate) fn place(&self, choice: &Choice) -> Target {
        match choice.index {
            Some(index) => Target::Element(choice.variable, index),
            None => Target::Variable(choice.variable),
        }
    }

    pub(crate) fn is_whole(&self, choice: &Choice) -> bool {
        choice.view == View::Whole
    }

    fn instance(&mut self, choice: &Choice) -> TermId {
        let whole = self.terms.variable(choice.variable);
        match choice.index {
            Some(index) => self.terms.select(whole, index),
            None => whole,
        }
    }

    /// The value that an access reads.
    pub(crate) fn read(&mut self, choice: &Choice, access: &Access) -> TermId {
        let instance = self.instance(choice);
        let bits = match choice.view {
            View::Whole => instance,
            View::Bits { low, width } => {
                let bits = self.as_bits(instance);
                self.terms.extract(low + width - 1, low, bits)
            }
            View::Shifted { by, width } => {
                let moved = self.terms.bv_lshr(instance, by);
                self.terms.extract(width - 1, 0, moved)
            }
            View::Bytes { count } => self.bytes(choice, count),
        };
        self.value_of(bits, access)
    }

    fn bytes(&mut self, choice: &Choice, count: u32) -> TermId {
        let whole = self.terms.variable(choice.variable);
        let first = choice.index.unwrap_or_else(|| self.terms.bit_vec(32, 0));
        let mut result = self.terms.select(whole, first);
        for byte in 1..count {
            let distance = self.terms.bit_vec(32, byte.into());
            let index = self.terms.bv_add(first, distance);
            let next = self.terms.select(whole, index);
            result = self.terms.concat(next, result);
        }
        result
    }

    /// A Boolean in memory is a byte.
    pub(super) fn as_bits(&mut self, term: TermId) -> TermId {
        match self.terms.sort(term) {
            Sort::Bool => {
                let (one, zero) = (self.terms.bit_vec(8, 1), self.terms.bit_vec(8, 0));
                self.terms.ite(term, one, zero)
            }
            _ => term,
        }
    }

    /// Bits of memory as a value of the type of the access.
    fn value_of(&mut self, bits: TermId, access: &Access) -> TermId {
        let wanted = self.types.sort(&access.ty);
        if self.terms.sort(bits) == wanted {
            return bits;
        }
        let bits = self.as_bits(bits);
        match wanted {
            Sort::Bool => {
                let width = self.terms.sort(bits).width().unwrap_or(8);
                let zero = self.terms.bit_vec(width, 0);
                self.terms.ne(bits, zero)
            }
            _ => {
                let width = self.types.width(&access.ty);
                self.terms
                    .resize(width, self.types.is_signed(&access.ty), bits)
            }
        }
    }

    /// A value as the bits that the leaf holds for it.
    pub(super) fn bits_of(
        &mut self,
        value: TermId,
        bits: Option<u32>,
        ty: &Type,
        leaf: &Leaf,
    ) -> TermId {
        if Sort::from(leaf.scalar) == self.terms.sort(value) {
            return value;
        }
        let wide = self.as_bits(value);
        let width = match bits {
            Some(width) => width,
            None => access_bits(self.types, ty) as u32,
        };
        self.terms.resize(width, false, wide)
    }

    /// What to write where, so that the access gives the value.
    pub(crate) fn write(
        &mut self,
        choice: &Choice,
        access: &Access,
        value: TermId,
    ) -> Vec<(Target, Update)> {
        let place = self.place(choice);
        let one = |value| vec![(place, Update::Value(value))];
        if choice.view == View::Whole {
            return one(self.whole_value(choice, value));
        }
        let width = self.width_of(access);
        let bits = self.as_bits(value);
        let bits = self.terms.resize(width, false, bits);
        match choice.view {
            View::Whole => one(bits),
            View::Bits { low, .. } => {
                let old = self.instance(choice);
                one(self.insert(old, low, width, bits))
            }
            View::Shifted { by, .. } => {
                let old = self.instance(choice);
                let full = self.terms.sort(old).width().unwrap_or(8);
                let ones = self.terms.bit_vec(full, (1i128 << width.min(126)) - 1);
                let hole = self.terms.bv_shl(ones, by);
                let keep = self.terms.bv_not(hole);
                let kept = self.terms.bv_and(old, keep);
                let wide = self.terms.resize(full, false, bits);
                let moved = self.terms.bv_shl(wide, by);
                one(self.terms.bv_or(kept, moved))
            }
            View::Bytes { count } => {
                let first = choice.index.unwrap_or_else(|| self.terms.bit_vec(32, 0));
                let mut updates = Vec::new();
                for byte in 0..count {
                    let distance = self.terms.bit_vec(32, byte.into());
                    let index = self.terms.bv_add(first, distance);
                    let part = self.terms.extract(8 * byte + 7, 8 * byte, bits);
                    let place = Target::Element(choice.variable, index);
                    updates.push((place, Update::Value(part)));
                }
                updates
            }
        }
    }

    /// A value as an instance of the leaf holds it.
    fn whole_value(&mut self, choice: &Choice, value: TermId) -> TermId {
        let sort = match (self.terms.variable_sort(choice.variable), choice.index) {
            (Sort::Array(array), Some(_)) => array.element.into(),
            (sort, _) => sort,
        };
        match (sort, self.terms.sort(value)) {
            (wanted, found) if wanted == found => value,
            (Sort::Bool, _) => self.truth_of(value),
            (Sort::BitVec(width), _) => {
                let bits = self.as_bits(value);
                self.terms.resize(width, false, bits)
            }
            _ => value,
        }
    }

    fn truth_of(&mut self, value: TermId) -> TermId {
        match self.terms.sort(value).width() {
            Some(width) => {
                let zero = self.terms.bit_vec(width, 0);
                self.terms.ne(value, zero)
            }
            None => value,
        }
    }

    /// `old` with `width` bits from `low` on replaced.
    pub(super) fn insert(&mut self, old: TermId, low: u32, width: u32, bits: TermId) -> TermId {
        match self.terms.sort(old) {
            Sort::Bool => self.truth_of(bits),
            Sort::BitVec(full) if low == 0 && width >= full => self.terms.resize(full, false, bits),
            Sort::BitVec(full) => {
                let mut result = bits;
                if low > 0 {
                    let below = self.terms.extract(low - 1, 0, old);
                    result = self.terms.concat(result, below);
                }
                if low + width < full {
                    let above = self.terms.extract(full - 1, low + width, old);
                    result = self.terms.concat(above, result);
                }
                result
            }
            _ => bits,
        }
    }
}
