//! Where the fields of a structure lie.

use super::elaborate::Attributes;
use super::types::{Field, Qualified, Types};

/// Places fields one after the other as gcc does (C11 6.7.2.1; System V ABI for bit-fields).
pub(crate) struct LayoutBuilder {
    is_union: bool,
    packed: bool,
    /// In bits.
    position: u64,
    size: u64,
    align: u64,
    pub(crate) fields: Vec<Field>,
}

impl LayoutBuilder {
    pub(crate) fn new(is_union: bool, packed: bool) -> Self {
        LayoutBuilder {
            is_union,
            packed,
            position: 0,
            size: 0,
            align: 1,
            fields: Vec::new(),
        }
    }

    /// Adds a field of complete type (or a last array without length, of size 0).
    pub(crate) fn add(
        &mut self,
        types: &Types,
        name: Option<String>,
        ty: Qualified,
        bits: Option<u32>,
        attributes: &Attributes,
    ) {
        let size = 8 * types.size(&ty.ty).unwrap_or(0);
        let packed = self.packed || attributes.packed;
        let natural = if packed { 1 } else { types.align(&ty.ty) };
        let align = natural.max(attributes.aligned.unwrap_or(1));
        if self.is_union {
            self.position = 0;
        }
        let offset = match bits {
            // `: 0` only ends the storage unit.
            Some(0) => {
                self.position = self.position.next_multiple_of(8 * types.align(&ty.ty));
                return;
            }
            Some(width) => {
                let width = u64::from(width);
                let unit = size.max(1);
                let crosses = self.position / unit != (self.position + width - 1) / unit;
                if crosses && !packed {
                    self.position = self.position.next_multiple_of(unit);
                }
                let offset = self.position;
                self.position += width;
                offset
            }
            None => {
                let offset = self.position.next_multiple_of(8 * align);
                self.position = offset + size;
                offset
            }
        };
        // A nameless bit-field does not align its structure.
        if bits.is_none() || name.is_some() {
            self.align = self.align.max(align);
        }
        self.size = self.size.max(self.position);
        if bits.is_none() || name.is_some() {
            self.fields.push(Field {
                name,
                ty,
                offset,
                bits,
            });
        }
    }

    /// Fields, size and alignment.
    pub(crate) fn finish(self, aligned: Option<u64>) -> (Vec<Field>, u64, u64) {
        let align = self.align.max(aligned.unwrap_or(1));
        let bytes = self.size.div_ceil(8);
        (self.fields, bytes.next_multiple_of(align), align)
    }
}
