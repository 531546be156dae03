//! Functions of the C library that touch memory, `memset`, `memcpy`, `scanf`, and `rand`.
//!
//! The functions on strings are C themselves: `library.c`.

use super::super::arithmetic;
use super::super::builtins::NullArgument;
use super::super::ir::{Access, Action, Pointer, Value};
use super::super::layout;
use super::super::typed::{Comparison, Expr, ExprKind};
use super::super::types::{IntKind, Type};
use super::Expander;
use super::place::Place;
use heddle_program::Sort;

/// As in `stdlib.h`.
const RAND_MAX: i128 = 0x7fff_ffff;

/// The order in which bytes are accessed.
#[derive(Clone, Copy)]
enum Direction {
    Up,
    Down,
}

impl Expander<'_> {
    /// Sets memory: part by part where the type is known and the value is 0, otherwise byte
    /// by byte.
    pub(super) fn memset(&mut self, arguments: &[Expr]) -> Value {
        let pointer = self.value(&arguments[0]);
        let byte = self.value(&arguments[1]);
        let byte = self.convert(byte, &arguments[1].ty, &Type::Int(IntKind::UChar));
        let (size, size_term) = self.size_argument(&arguments[2]);
        let Some(to) = self.pointer_of(pointer.clone()) else {
            return pointer;
        };
        let types = &self.program.types;
        let is_zero =
            arithmetic::constant_value(&self.terms, types, &Type::Int(IntKind::UChar), byte.term)
                == Some(0);
        if is_zero && let Some((element, count)) = self.whole_elements(&arguments[0], size) {
            for index in 0..count {
                let bytes = self.program.types.size(&element).unwrap_or(0);
                let access = self.element_access(&to, &element, index * bytes);
                let Some(cells) = layout::cells(&self.program.types, &element) else {
                    continue;
                };
                for cell in cells {
                    let part = self.cell_access(&access, &cell);
                    let zero = match &part.ty {
                        Type::Opaque(opaque) => self.terms.bit_vec(opaque.width(), 0).into(),
                        ty => self.number(&ty.clone(), 0),
                    };
                    self.store(part, zero);
                }
            }
            return pointer;
        }
        self.byte_loop(size_term, Direction::Up, &mut |this, index| {
            let access = this.byte_access(&to, index);
            this.store(access, byte.clone());
        });
        pointer
    }

    /// `memcpy`, or `memmove` if source and target may overlap.
    pub(super) fn copy_memory(&mut self, arguments: &[Expr], may_overlap: bool) -> Value {
        let to_value = self.value(&arguments[0]);
        let from_value = self.value(&arguments[1]);
        let (size, size_term) = self.size_argument(&arguments[2]);
        let Some(to) = self.pointer_of(to_value.clone()) else {
            return to_value;
        };
        let Some(from) = self.pointer_of(from_value.clone()) else {
            return to_value;
        };
        let whole = self.whole_elements(&arguments[0], size);
        let same = whole == self.whole_elements(&arguments[1], size);
        if let Some((element, count)) = whole.filter(|_| same) {
            let bytes = self.program.types.size(&element).unwrap_or(0);
            // Everything is read first, as `memmove` must.
            let mut copied = Vec::new();
            for index in 0..count {
                let access = self.element_access(&from, &element, index * bytes);
                copied.push(self.load_record(&access).unwrap_or_default());
            }
            for (index, cells) in copied.into_iter().enumerate() {
                let access = self.element_access(&to, &element, index as u64 * bytes);
                self.store_record(&access, cells);
            }
            return to_value;
        }
        self.emit(Action::CopyPointers {
            to: to.clone(),
            from: from.clone(),
        });
        let mut copy = |this: &mut Self, index| {
            let source = this.byte_access(&from, index);
            let byte = this.load(source);
            let target = this.byte_access(&to, index);
            this.store(target, byte);
        };
        if !may_overlap {
            self.byte_loop(size_term, Direction::Up, &mut copy);
            return to_value;
        }
        // No byte is written before it has been read.
        let (down, up, end) = (self.node(), self.node(), self.node());
        let is_higher = self.terms.bv_ult(from_value.term, to_value.term);
        self.split(is_higher, down, up);
        for (start, direction) in [(down, Direction::Down), (up, Direction::Up)] {
            self.continue_at(start);
            self.byte_loop(size_term, direction, &mut copy);
            self.go(end);
        }
        self.continue_at(end);
        to_value
    }

    fn size_argument(&mut self, argument: &Expr) -> (Option<u64>, heddle_program::TermId) {
        let size_type = self.program.types.size_type();
        let value = self.value(argument);
        let term = self.convert(value, &argument.ty, &size_type).term;
        let constant =
            arithmetic::constant_value(&self.terms, &self.program.types, &size_type, term);
        (constant.and_then(|size| u64::try_from(size).ok()), term)
    }

    /// The type that a `void *` argument had before, if the size is that of some of it.
    fn whole_elements(&self, argument: &Expr, size: Option<u64>) -> Option<(Type, u64)> {
        let mut inner = argument;
        while let ExprKind::Cast(original) = &inner.kind
            && original.ty.is_pointer()
        {
            inner = original;
        }
        let element = inner.ty.pointee()?.ty.clone();
        if matches!(element, Type::Void | Type::Function(_)) {
            return None;
        }
        let one = self.program.types.size(&element).filter(|&one| one > 0)?;
        let size = size?;
        let few = size / one <= 256 && layout::cells(&self.program.types, &element).is_some();
        (size % one == 0 && few).then_some((element, size / one))
    }

    fn element_access(&self, pointer: &Pointer, element: &Type, bytes: u64) -> Access {
        Access {
            pointer: pointer.clone().moved(i64::try_from(bytes).unwrap_or(0)),
            bits: None,
            ty: element.clone(),
        }
    }

    fn byte_access(&self, pointer: &Pointer, index: heddle_program::TermId) -> Access {
        let mut pointer = pointer.clone();
        pointer.scaled.push((index, 1));
        Access {
            pointer,
            bits: None,
            ty: Type::Int(IntKind::UChar),
        }
    }

    /// `for (index = 0; index < size; index++)`, or from the last byte to the first.
    fn byte_loop(
        &mut self,
        size: heddle_program::TermId,
        direction: Direction,
        body: &mut dyn FnMut(&mut Self, heddle_program::TermId),
    ) {
        let width = self.pointer_width();
        let counter = self.register("byte", Sort::BitVec(width));
        let (zero, one) = (self.terms.bit_vec(width, 0), self.terms.bit_vec(width, 1));
        let first = match direction {
            Direction::Up => zero,
            Direction::Down => size,
        };
        self.set(counter, first.into());
        self.known.set_register(counter, None);
        let (head, inside, end) = (self.node(), self.node(), self.node());
        self.edge(Action::Skip, head);
        self.known.forget_section();
        self.continue_at(head);
        let index = self.terms.variable(counter);
        let more = match direction {
            Direction::Up => self.terms.bv_ult(index, size),
            Direction::Down => self.terms.ne(index, zero),
        };
        self.split(more, inside, end);
        self.continue_at(inside);
        let next = match direction {
            Direction::Up => self.terms.bv_add(index, one),
            Direction::Down => self.terms.bv_sub(index, one),
        };
        match direction {
            Direction::Up => {
                body(self, index);
                self.emit(Action::Set(counter, next.into()));
            }
            Direction::Down => {
                self.emit(Action::Set(counter, next.into()));
                body(self, index);
            }
        }
        self.go(head);
        self.known.forget_section();
        self.continue_at(end);
    }

    /// Functions of the library, and those that nobody knows, may set `errno` to anything.
    pub(super) fn any_errno(&mut self) {
        if let Some(access) = self.errno_access() {
            self.note_store(&access, None);
            self.emit(Action::StoreAny(access));
        }
    }

    /// Sets `errno` where a function that returns -1 for an error has failed.
    pub(super) fn errno_if_failed(&mut self, status: &Value, ty: &Type, number: i128) {
        let Some(access) = self.errno_access() else {
            return;
        };
        let failed = self.number(ty, -1).term;
        let has_failed = self.terms.eq(status.term, failed);
        let (failure, end) = (self.node(), self.node());
        self.split(has_failed, failure, end);
        let known = self.known.clone();
        self.continue_at(failure);
        let number = self.number(&Type::INT, number);
        self.store(access, number);
        self.go(end);
        self.known.meet(&known);
        self.continue_at(end);
    }

    fn errno_access(&mut self) -> Option<Access> {
        let object = self.errno.filter(|_| !self.dead)?;
        let object = self.global(object);
        Some(self.object_access(object, Type::INT))
    }

    /// A number from 0 to `RAND_MAX`, and any value for what the arguments point to.
    pub(super) fn random(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let value = self.scan(arguments, 0, NullArgument::IsInvalid, ty);
        if !ty.is_integer() || self.program.types.width(ty) < 32 {
            return value;
        }
        let (least, most) = (self.number(ty, 0).term, self.number(ty, RAND_MAX).term);
        let ordered = |this: &mut Self, a, b| {
            let types = &this.program.types;
            arithmetic::compare(&mut this.terms, types, Comparison::LessOrEqual, ty, a, b)
        };
        let bounds = [
            ordered(self, least, value.term),
            ordered(self, value.term, most),
        ];
        let in_range = self.terms.and(&bounds);
        self.assume(in_range);
        value
    }

    /// Input: everything that the arguments point to gets any value.
    pub(super) fn scan(
        &mut self,
        arguments: &[Expr],
        first: usize,
        null: NullArgument,
        ty: &Type,
    ) -> Value {
        for argument in arguments.iter().take(first) {
            self.effects(argument);
        }
        for argument in arguments.iter().skip(first) {
            let Some(to) = argument.ty.pointee() else {
                self.effects(argument);
                continue;
            };
            match &to.ty {
                Type::Int(IntKind::Char) | Type::Array(..) => {
                    self.unsupported(argument.span, "reading a text from the input");
                }
                inner if inner.is_scalar() || matches!(inner, Type::Record(_)) => {
                    let inner = inner.clone();
                    let output = self.optional_output(argument);
                    let output = output.map(|output| match null {
                        NullArgument::IsSkipped => output,
                        NullArgument::IsInvalid => self.never_null(output),
                    });
                    self.unless_null(output, |this, place| this.write_any(place, &inner));
                }
                _ => self.effects(argument),
            }
        }
        match ty.is_scalar() {
            true => self.any(ty),
            false => self.placeholder(ty),
        }
    }

    /// Writes any value of the type.
    fn write_any(&mut self, place: Place, ty: &Type) {
        match place {
            Place::Memory(access) if matches!(ty, Type::Record(_)) => self.havoc_record(&access),
            Place::Memory(access) if !ty.is_pointer() => {
                self.note_store(&access, None);
                self.emit(Action::StoreAny(access));
            }
            place => {
                let any = self.any(ty);
                self.write_place(place, any);
            }
        }
    }
}
