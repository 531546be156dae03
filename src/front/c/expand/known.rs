//! What is constant at a point of the expansion.

use super::super::ir::{Access, Base, ObjectId, Reg, Value};
use super::Expander;
use std::collections::HashMap;

/// Registers, and parts of private objects (place in bits), with a constant value.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    registers: HashMap<Reg, Value>,
    cells: HashMap<(ObjectId, u64), Value>,
    /// In an atomic section, the values that shared variables have: nobody interferes.
    section: HashMap<(ObjectId, u64), Value>,
}

impl Known {
    pub(super) fn register(&self, register: Reg) -> Option<&Value> {
        self.registers.get(&register)
    }

    pub(super) fn set_register(&mut self, register: Reg, value: Option<Value>) {
        match value {
            Some(value) => self.registers.insert(register, value),
            None => self.registers.remove(&register),
        };
    }

    pub(super) fn forget_object(&mut self, object: ObjectId) {
        self.cells.retain(|(of, _), _| *of != object);
        self.section.retain(|(of, _), _| *of != object);
    }

    /// What holds on both ways to a point.
    pub(super) fn meet(&mut self, other: &Known) {
        self.registers
            .retain(|register, value| other.registers.get(register) == Some(value));
        self.cells
            .retain(|cell, value| other.cells.get(cell) == Some(value));
        self.section
            .retain(|cell, value| other.section.get(cell) == Some(value));
    }

    /// At the borders of atomic sections, and where control comes from several places.
    pub(super) fn forget_section(&mut self) {
        self.section.clear();
    }
}

impl Expander<'_> {
    /// The cell of a private object that an access is about, if its place is fixed.
    fn private_cell(&self, access: &Access) -> Option<(ObjectId, Option<u64>)> {
        let Base::Object(object) = access.pointer.base else {
            return None;
        };
        if !self.is_private(object) {
            return None;
        }
        let fixed = access.pointer.scaled.is_empty() && !access.pointer.scrambled;
        let bit = access.bits.map_or(0, |(bit, _)| bit);
        let place = u64::try_from(access.pointer.constant)
            .ok()
            .filter(|_| fixed)
            .map(|bytes| 8 * bytes + bit);
        Some((object, place))
    }

    pub(super) fn known_cell(&self, access: &Access) -> Option<Value> {
        let value = match self.private_cell(access) {
            Some((object, place)) => self.known.cells.get(&(object, place?))?,
            None => self.known.section.get(&self.section_cell(access)?)?,
        };
        let sort = self.program.types.sort(&access.ty);
        (self.terms.sort(value.term) == sort).then(|| value.clone())
    }

    /// The cell of a named variable of scalar type, which other names cannot overlap, if
    /// control is in an atomic section.
    fn section_cell(&self, access: &Access) -> Option<(ObjectId, u64)> {
        let Base::Object(object) = access.pointer.base else {
            return None;
        };
        let fixed = access.pointer.scaled.is_empty() && access.bits.is_none();
        let whole = self.objects[object.index()].leaves.len() == 1
            && !self.objects[object.index()].leaves[0].is_array()
            && access.pointer.constant == 0;
        (self.atomic && fixed && whole).then_some((object, 0))
    }

    /// In an atomic section a variable keeps the value that was read or written.
    pub(super) fn note_section(&mut self, access: &Access, value: &Value) {
        if !self.atomic || self.dead {
            return;
        }
        let is_stable = self.terms.arguments(value.term).is_empty()
            && self
                .terms
                .as_variable(value.term)
                .is_none_or(|register| self.temporaries.contains(&register));
        if let Some(cell) = self.section_cell(access) {
            match is_stable {
                true => self.known.section.insert(cell, value.clone()),
                false => self.known.section.remove(&cell),
            };
        }
    }

    /// Keeps track of a write; `None` is any value.
    pub(super) fn note_store(&mut self, access: &Access, value: Option<&Value>) {
        if self.dead {
            return;
        }
        let Some((object, place)) = self.private_cell(access) else {
            match (access.pointer.base, value) {
                (Base::Object(object), Some(value)) => {
                    // The write may be to a part of what is known.
                    self.known.forget_object(object);
                    self.note_section(access, value);
                }
                (Base::Object(object), None) => self.known.forget_object(object),
                // Through a pointer, anything may have changed.
                _ => self.known.section.clear(),
            }
            return;
        };
        let whole = access.bits.is_none() && !self.has_unions(object);
        match (place, value) {
            (Some(place), Some(value)) if whole && self.terms.as_constant(value.term).is_some() => {
                self.known.cells.insert((object, place), value.clone());
            }
            (Some(place), _) if whole => {
                self.known.cells.remove(&(object, place));
            }
            _ => self.known.forget_object(object),
        }
    }
}
