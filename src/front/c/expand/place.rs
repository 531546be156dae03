//! Lvalues to places: registers, or accesses to memory.

use super::super::arithmetic;
use super::super::ir::{Access, Base, Pointer, Reg, Sources, Value};
use super::super::typed::{Expr, ExprKind, Lvalue, LvalueKind, VariableId};
use super::super::types::{RecordId, Type};
use super::{Expander, Slot};
use heddle_diagnostics::Diagnostic;
use heddle_program::TermId;

/// What an lvalue denotes.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Register(Reg),
    /// A value that cannot change.
    Fixed(Value),
    Memory(Access),
    /// An address that is no object: the execution has ended there.
    Nowhere,
}

/// Where a function writes, unless the pointer that it is given is null.
pub(super) struct OptionalOutput {
    place: Place,
    is_null: TermId,
}

impl Expander<'_> {
    pub(super) fn place(&mut self, lvalue: &Lvalue) -> Place {
        let ty = lvalue.ty.ty.clone();
        match &lvalue.kind {
            LvalueKind::Variable(VariableId::Global(global)) => {
                let object = self.global(*global);
                Place::Memory(self.object_access(object, ty))
            }
            LvalueKind::Variable(VariableId::Local(local)) => {
                let slot = match self.frames.last() {
                    Some(frame) => frame.slots[local.index()].clone(),
                    None => Slot::Nowhere,
                };
                match slot {
                    Slot::Register(register) => Place::Register(register),
                    Slot::Bound(value) => Place::Fixed(value),
                    Slot::Object(object) => Place::Memory(self.object_access(object, ty)),
                    // A jump went past the declaration: the variable exists, without value.
                    Slot::Nowhere => {
                        self.declare_slot(*local);
                        match self.frames.last() {
                            Some(_) => self.place(lvalue),
                            None => Place::Nowhere,
                        }
                    }
                }
            }
            LvalueKind::Member(inner, record, field) => {
                let place = self.place(inner);
                self.member(place, *record, *field, ty)
            }
            LvalueKind::Deref(pointer) => {
                if self.is_narrow_address(pointer) {
                    self.warn_about_address("an address is accessed here that has lost bits");
                }
                let value = self.value(pointer);
                match self.pointer_of(value) {
                    Some(pointer) => Place::Memory(Access {
                        pointer,
                        bits: None,
                        ty,
                    }),
                    None => Place::Nowhere,
                }
            }
            LvalueKind::String(string) => {
                let object = self.string(*string);
                Place::Memory(self.object_access(object, ty))
            }
            LvalueKind::CompoundLiteral(local, initializer) => {
                let object = self.declare_object(*local);
                self.initialize(object, &ty, initializer);
                Place::Memory(self.object_access(object, ty))
            }
            LvalueKind::Temporary(local, value) => {
                let object = self.declare_object(*local);
                let access = self.object_access(object, ty);
                if let Some(cells) = self.record(value) {
                    self.store_record(&access, cells);
                }
                Place::Memory(access)
            }
        }
    }

    fn member(&mut self, place: Place, record: RecordId, field: usize, ty: Type) -> Place {
        let Place::Memory(access) = place else {
            return Place::Nowhere;
        };
        let fields = self.program.types.record(record).fields.as_deref();
        let field = &fields.unwrap_or(&[])[field];
        let bytes = i64::try_from(field.offset / 8).unwrap_or(0);
        Place::Memory(Access {
            pointer: access.pointer.moved(bytes),
            bits: field.bits.map(|width| (field.offset % 8, width)),
            ty,
        })
    }

    /// A pointer as a base and a distance; `None` (and the end of the execution) for one that
    /// points nowhere.
    pub(super) fn pointer_of(&mut self, value: Value) -> Option<Pointer> {
        match value.sources {
            Sources::Exactly(pointer) if pointer.base != Base::Unknown && !pointer.scrambled => {
                Some(pointer)
            }
            Sources::None if self.terms.as_constant(value.term).is_some() => {
                let no = self.terms.bool(false);
                let null = self.terms.bit_vec(self.pointer_width(), 0);
                if value.term != null {
                    self.warn_about_address("an address that is no object's is accessed here");
                }
                self.require(no, "a null pointer is dereferenced", VALID_POINTERS);
                self.dead = true;
                None
            }
            sources => {
                let sort = self.terms.sort(value.term);
                let register = self.register("pointer", sort);
                let sources = match sources {
                    Sources::None => Sources::AnyOf(vec![Pointer::to(Base::Unknown)]),
                    other => other,
                };
                self.set(
                    register,
                    Value {
                        term: value.term,
                        sources,
                    },
                );
                Some(Pointer::to(Base::Register(register)))
            }
        }
    }

    /// Whether a pointer is made from an integer that has fewer bits: as programs for 32 bits do
    /// it, whose verdict would say nothing, since no execution gets past such an access.
    fn is_narrow_address(&self, pointer: &Expr) -> bool {
        match &pointer.kind {
            ExprKind::Cast(inner) if inner.ty.is_pointer() => self.is_narrow_address(inner),
            ExprKind::Cast(inner) => {
                self.program.types.width(&inner.ty) < self.pointer_width()
                    && !matches!(inner.kind, ExprKind::Int(_))
            }
            ExprKind::PointerAdd { pointer, .. } => self.is_narrow_address(pointer),
            _ => false,
        }
    }

    fn warn_about_address(&mut self, message: &str) {
        let hint = "a program that keeps pointers in `int` variables is for `--data-model ilp32`";
        self.report(Diagnostic::warning(self.span, message).hint(hint));
    }

    /// The value at a place.
    pub(super) fn read_place(&mut self, place: Place, ty: &Type) -> Value {
        match place {
            Place::Register(register) => self.read(register, ty),
            Place::Fixed(value) => value,
            Place::Memory(access) => self.load(access),
            Place::Nowhere => self.number(ty, 0),
        }
    }

    pub(super) fn write_place(&mut self, place: Place, value: Value) {
        match place {
            Place::Register(register) => self.set(register, value),
            Place::Memory(access) => self.store(access, value),
            Place::Fixed(_) => self.unsupported(self.span, "a change of this parameter"),
            Place::Nowhere => {}
        }
    }

    /// Where an argument that may be null points; `None` for one that certainly is.
    pub(super) fn optional_output(&mut self, argument: &Expr) -> Option<OptionalOutput> {
        if matches!(argument.kind, ExprKind::AddressOf(_)) {
            let place = self.output_place(argument)?;
            let is_null = self.terms.bool(false);
            return Some(OptionalOutput { place, is_null });
        }
        let value = self.value(argument);
        let is_null = self.is_null(argument, &value);
        if self.terms.is_true(is_null) {
            return None;
        }
        let ty = match argument.ty.pointee() {
            Some(to) if matches!(to.ty, Type::Record(_)) => to.ty.clone(),
            _ => written_type(argument),
        };
        let place = self.pointed_to(value, ty)?;
        Some(OptionalOutput { place, is_null })
    }

    /// The same for a function that must not be given a null pointer.
    pub(super) fn never_null(&mut self, output: OptionalOutput) -> OptionalOutput {
        OptionalOutput {
            is_null: self.terms.bool(false),
            ..output
        }
    }

    /// Whether the value of an argument is a null pointer.
    pub(super) fn is_null(&mut self, argument: &Expr, value: &Value) -> TermId {
        let types = &self.program.types;
        let is_object = arithmetic::truth(&mut self.terms, types, &argument.ty, value.term);
        self.terms.not(is_object)
    }

    /// Does something with the place, on the executions where the argument is not null.
    pub(super) fn unless_null(
        &mut self,
        output: Option<OptionalOutput>,
        write: impl FnOnce(&mut Self, Place),
    ) {
        let Some(OptionalOutput { place, is_null }) = output else {
            return;
        };
        if self.terms.is_false(is_null) {
            return write(self, place);
        }
        let (given, null, end) = (self.node(), self.node(), self.node());
        self.split(is_null, null, given);
        let before = self.before();
        self.continue_at(given);
        write(self, place);
        self.join_branch(end, before, null, |_| {});
    }

    /// Where an argument that is a pointer to something points; `None` for a null pointer.
    pub(super) fn output_place(&mut self, argument: &Expr) -> Option<Place> {
        if let ExprKind::AddressOf(lvalue) = &argument.kind
            && !matches!(lvalue.ty.ty, Type::Array(..))
        {
            return Some(self.place(lvalue));
        }
        let value = self.value(argument);
        let is_null = value.sources == Sources::None
            && arithmetic::constant_value(
                &self.terms,
                &self.program.types,
                &argument.ty,
                value.term,
            ) == Some(0);
        if is_null {
            return None;
        }
        self.pointed_to(value, written_type(argument))
    }

    fn pointed_to(&mut self, value: Value, ty: Type) -> Option<Place> {
        let pointer = self.pointer_of(value)?;
        Some(Place::Memory(Access {
            pointer,
            bits: None,
            ty,
        }))
    }
}

/// The type of what is written to where an argument points.
fn written_type(argument: &Expr) -> Type {
    match argument.ty.pointee() {
        Some(to) if to.ty.is_scalar() => to.ty.clone(),
        // `void *`: as wide as what is written there.
        _ => Type::pointer_to(Type::Void),
    }
}

pub(super) const VALID_POINTERS: &str = "pointers are valid where they are dereferenced: \
     executions that access memory through others are not considered";
