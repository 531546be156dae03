//! `malloc` and its relatives: one object for each allocation, up to a bound in loops.

use super::super::arithmetic;
use super::super::builtins::Builtin;
use super::super::ir::{Action, Base, Initial, ObjectId, ObjectKind, Pointer, Sources, Value};
use super::super::layout;
use super::super::typed::{Callee, Expr, ExprKind};
use super::super::types::Type;
use super::Expander;

/// What an allocation asks for.
struct Request {
    /// Bytes, if they are a constant.
    size: Option<u64>,
    size_term: heddle_program::TermId,
    zero: bool,
}

impl Expander<'_> {
    /// An allocation whose result is converted to a pointer type, which says what is going
    /// to be there. `None` for any other expression.
    pub(super) fn allocation(&mut self, expr: &Expr, to: &Type) -> Option<Value> {
        match &expr.kind {
            ExprKind::Cast(inner) if expr.ty.is_pointer() => self.allocation(inner, to),
            ExprKind::Call(Callee::Builtin(builtin), arguments) => {
                let is_allocation = matches!(
                    builtin,
                    Builtin::Malloc | Builtin::Calloc | Builtin::AlignedAlloc | Builtin::Alloca
                );
                let content = to.pointee()?.ty.clone();
                if !is_allocation {
                    return None;
                }
                let outer = std::mem::replace(&mut self.span, expr.span);
                let value = self.allocate(*builtin, arguments, &content);
                self.span = outer;
                Some(value)
            }
            _ => None,
        }
    }

    pub(super) fn allocate(
        &mut self,
        builtin: Builtin,
        arguments: &[Expr],
        content: &Type,
    ) -> Value {
        let size_type = self.program.types.size_type();
        let mut sizes = Vec::new();
        for argument in arguments {
            let value = self.value(argument);
            sizes.push(self.convert(value, &argument.ty, &size_type).term);
        }
        let size_term = match builtin {
            Builtin::Calloc => self.terms.bv_mul(sizes[0], sizes[1]),
            Builtin::AlignedAlloc => sizes[1],
            _ => sizes[0],
        };
        let size =
            arithmetic::constant_value(&self.terms, &self.program.types, &size_type, size_term);
        let request = Request {
            size: size.and_then(|size| u64::try_from(size).ok()),
            size_term,
            zero: builtin == Builtin::Calloc,
        };
        let value = self.allocated(&request, content);
        if self.options.malloc_may_fail && builtin != Builtin::Alloca {
            self.any_errno();
            return self.or_null(value);
        }
        if builtin != Builtin::Alloca {
            self.assume_note("memory allocation never fails", Some(self.span));
        }
        value
    }

    fn allocated(&mut self, request: &Request, content: &Type) -> Value {
        let element = match content {
            Type::Void | Type::Function(_) => None,
            content => self.program.types.size(content).filter(|&size| size > 0),
        };
        let limit = self.options.data_model.max_object_size();
        let size = match request.size {
            Some(size) if size > limit => {
                self.unsupported(self.span, "an allocation of this size");
                return self.number(&Type::pointer_to(Type::Void), 0);
            }
            Some(size) => size,
            None => {
                let size = u64::from(self.options.max_array) * element.unwrap_or(1);
                self.limit_size(request, size);
                size
            }
        };
        let (layout, initial) = (
            match element {
                Some(element) if size == element => layout::leaves(&self.program.types, content),
                Some(element) if size % element == 0 => {
                    let array = Type::array_of(content.clone(), size / element);
                    layout::leaves(&self.program.types, &array)
                }
                _ => layout::raw_leaves(size),
            },
            match request.zero {
                true => Initial::Values(Vec::new()),
                false => Initial::Any,
            },
        );
        let kind = ObjectKind::Heap(self.thread);
        if self.loops == 0 {
            let object = self.add_object("heap".to_owned(), kind, size, layout, initial);
            return self.address(object);
        }
        let count = self.options.max_heap_objects.max(1);
        let objects: Vec<ObjectId> = (0..count)
            .map(|_| {
                self.add_object(
                    "heap".to_owned(),
                    kind.clone(),
                    size,
                    layout.clone(),
                    initial.clone(),
                )
            })
            .collect();
        self.next_of(&objects, count)
    }

    /// More than this is beyond the bound.
    fn limit_size(&mut self, request: &Request, size: u64) {
        let width = self.pointer_width();
        let most = self.terms.bit_vec(width, i128::from(size));
        let fits = self.terms.bv_ule(request.size_term, most);
        let (yes, no) = (self.node(), self.node());
        self.split(fits, yes, no);
        self.continue_at(no);
        let elements = self.options.max_array;
        let message = format!("an object of variable size gets more than {elements} elements");
        self.bound_reached(elements, message);
        self.note_capacity();
        self.continue_at(yes);
    }

    /// The room of an object of variable size is fixed.
    pub(super) fn note_capacity(&mut self) {
        let most = self.options.max_array;
        self.assume_note(
            format!(
                "objects whose size is not a constant are accessed within their size: accesses \
                 beyond it but within {most} elements are not noticed"
            ),
            Some(self.span),
        );
    }

    /// The next of several objects each time that control comes here.
    fn next_of(&mut self, objects: &[ObjectId], count: u32) -> Value {
        let width = self.pointer_width();
        let counter = self.register("allocations", heddle_program::Sort::BitVec(width));
        let used = self.terms.variable(counter);
        let most = self.terms.bit_vec(width, i128::from(count));
        let left = self.terms.bv_ult(used, most);
        let (yes, no) = (self.node(), self.node());
        self.split(left, yes, no);
        self.continue_at(no);
        let message = format!("more than {count} objects are allocated here");
        self.bound_reached(count, message);
        self.continue_at(yes);

        let first = self.address_term(objects[0], 0);
        let step = i128::from(self.options.data_model.offset_width());
        let step = self.terms.bit_vec(width, step);
        let distance = self.terms.bv_shl(used, step);
        let pointers = objects
            .iter()
            .map(|&object| Pointer::to(Base::Object(object)))
            .collect();
        let result = self.register("heap", heddle_program::Sort::BitVec(width));
        let value = Value {
            term: self.terms.bv_add(first, distance),
            sources: Sources::AnyOf(pointers),
        };
        self.set(result, value);
        let one = self.terms.bit_vec(width, 1);
        let next = self.terms.bv_add(used, one);
        self.emit(Action::Set(counter, next.into()));
        self.read(result, &Type::pointer_to(Type::Void))
    }

    /// The value, or a null pointer.
    fn or_null(&mut self, value: Value) -> Value {
        let fails = self.register("fails", heddle_program::Sort::Bool);
        self.havoc(fails);
        let fails = self.terms.variable(fails);
        let null = self.terms.bit_vec(self.pointer_width(), 0);
        Value {
            term: self.terms.ite(fails, null, value.term),
            sources: value.sources.inexact(),
        }
    }

    /// An object that somebody else made.
    pub(super) fn foreign_object(&mut self, content: &Type) -> Value {
        let object = self.add_typed_object("foreign", ObjectKind::Global, content, Initial::Any);
        let value = self.address(object);
        self.or_null(value)
    }
}
