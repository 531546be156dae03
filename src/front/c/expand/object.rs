//! Objects: where they come from, and their addresses.
//!
//! A pointer names its object in its high bits and counts bytes in its low bits, so that the
//! null pointer and every other small number name no object.

use super::super::ir::{
    Access, Base, Initial, InitialValue, Object, ObjectId, ObjectKind, Pointer, Sources, Thread,
    ThreadIndex, Value,
};
use super::super::layout::{self, Leaf, LeafKind};
use super::super::typed::{
    FunctionId, GlobalId, GlobalValue, Lvalue, LvalueKind, StringId, VariableId,
};
use super::super::types::Type;
use super::super::visit;
use super::Expander;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::TermId;
use std::rc::Rc;

/// The number in the high bits of a pointer; 0 is for the null pointer.
pub(crate) fn object_number(object: ObjectId) -> u64 {
    u64::from(object.0) + 1
}

impl Expander<'_> {
    pub(super) fn add_object(
        &mut self,
        name: String,
        kind: ObjectKind,
        size: u64,
        leaves: Vec<Leaf>,
        initial: Initial,
    ) -> ObjectId {
        let model = self.options.data_model;
        let id = ObjectId(self.objects.len() as u32);
        if object_number(id) > model.max_objects() || size > model.max_object_size() {
            let problem = match size > model.max_object_size() {
                true => format!("`{name}` is too large: {size} bytes"),
                false => "the program has too many objects".to_owned(),
            };
            self.report(Diagnostic::error(self.span, problem));
        }
        self.objects.push(Object {
            name,
            kind,
            leaves: Rc::new(leaves),
            initial,
            span: Some(self.span),
        });
        id
    }

    /// An object of a C type.
    pub(super) fn add_typed_object(
        &mut self,
        name: &str,
        kind: ObjectKind,
        ty: &Type,
        initial: Initial,
    ) -> ObjectId {
        let size = self.program.types.size(ty).unwrap_or(0);
        // Laying out something enormous would only exhaust memory before the report.
        let leaves = match size > self.options.data_model.max_object_size() {
            true => Vec::new(),
            false => layout::leaves(&self.program.types, ty),
        };
        self.add_object(name.to_owned(), kind, size, leaves, initial)
    }

    /// The address of the first byte of an object.
    pub(super) fn address(&mut self, object: ObjectId) -> Value {
        let pointer = Pointer::to(Base::Object(object));
        Value {
            term: self.address_term(object, 0),
            sources: Sources::Exactly(pointer),
        }
    }

    pub(super) fn address_term(&mut self, object: ObjectId, bytes: i64) -> TermId {
        let model = self.options.data_model;
        let base = i128::from(object_number(object)) << model.offset_width();
        self.terms
            .bit_vec(model.pointer_width(), base + i128::from(bytes))
    }

    /// An access to the start of an object.
    pub(super) fn object_access(&self, object: ObjectId, ty: Type) -> Access {
        Access {
            pointer: Pointer::to(Base::Object(object)),
            bits: None,
            ty,
        }
    }

    /// Whether nothing but the text of its function can access the object.
    pub(super) fn is_private(&self, object: ObjectId) -> bool {
        self.private_objects.contains(&object)
    }

    pub(super) fn has_unions(&self, object: ObjectId) -> bool {
        self.objects[object.index()]
            .leaves
            .iter()
            .any(|leaf| leaf.kind == LeafKind::Bytes)
            || self.union_objects.contains(&object)
    }

    pub(super) fn global(&mut self, global: GlobalId) -> ObjectId {
        let is_thread_local = self.program.globals[global.index()].thread_local;
        if is_thread_local {
            return self.thread_local(global);
        }
        if let Some(&object) = self.globals.get(&global) {
            return object;
        }
        self.add_global(global, ObjectKind::Global)
    }

    fn add_global(&mut self, global: GlobalId, kind: ObjectKind) -> ObjectId {
        let info = &self.program.globals[global.index()];
        let outer = std::mem::replace(&mut self.span, info.span);
        let object = self.add_typed_object(&info.name, kind.clone(), &info.ty.ty, Initial::Any);
        match kind {
            ObjectKind::Local(thread) => {
                self.thread_locals.insert((global, thread), object);
            }
            _ => {
                self.globals.insert(global, object);
            }
        }
        // The object is known by now: it may contain its own address.
        let initial = match &info.value {
            GlobalValue::Defined(initializer) => {
                Initial::Values(self.static_values(&info.ty.ty, initializer))
            }
            GlobalValue::External => {
                self.assume_note(
                    format!(
                        "`{}` is defined elsewhere: it starts with any value",
                        info.name
                    ),
                    Some(info.span),
                );
                Initial::Any
            }
        };
        self.objects[object.index()].initial = initial;
        self.span = outer;
        object
    }

    fn thread_local(&mut self, global: GlobalId) -> ObjectId {
        match self.thread_locals.get(&(global, self.thread)) {
            Some(&object) => object,
            None => self.add_global(global, ObjectKind::Local(self.thread)),
        }
    }

    pub(super) fn string(&mut self, string: StringId) -> ObjectId {
        if let Some(&object) = self.strings.get(&string) {
            return object;
        }
        let bytes = &self.program.strings[string.index()];
        let ty = Type::array_of(Type::CHAR, bytes.len() as u64);
        let mut values = Vec::new();
        for (index, &byte) in bytes.iter().enumerate() {
            if byte != 0 {
                values.push(InitialValue {
                    offset: 8 * index as u64,
                    bits: None,
                    ty: Type::CHAR,
                    value: self.number(&Type::CHAR, byte.into()),
                });
            }
        }
        let initial = Initial::Values(values);
        let object = self.add_typed_object("string", ObjectKind::Global, &ty, initial);
        self.strings.insert(string, object);
        object
    }

    pub(super) fn function_object(&mut self, function: FunctionId) -> ObjectId {
        if let Some(&object) = self.functions.get(&function) {
            return object;
        }
        let name = self.program.functions[function.index()].name.clone();
        let kind = ObjectKind::Function(function);
        let initial = Initial::Values(Vec::new());
        let object = self.add_object(name, kind, 1, Vec::new(), initial);
        self.functions.insert(function, object);
        object
    }

    /// A thread that runs the function.
    pub(super) fn add_thread(&mut self, function: FunctionId) -> ThreadIndex {
        let info = &self.program.functions[function.index()];
        let base = info.name.clone();
        let count = self.thread_names.entry(base.clone()).or_insert(0);
        *count += 1;
        let name = match *count {
            1 => base,
            count => format!("{base}#{count}"),
        };
        let thread = ThreadIndex(self.threads.len() as u32);
        let kind = ObjectKind::Thread(thread);
        let none = Initial::Values(Vec::new());
        let object = self.add_object(name.clone(), kind, 1, Vec::new(), none);
        let entry = self.node_of(thread);
        self.reached[entry.index()] = true;
        let exit = self.node_of(thread);
        self.threads.push(Thread {
            name,
            entry,
            exit,
            span: info.span,
            object,
            result: None,
        });
        thread
    }

    /// The arguments of `main`: any number of words of any text, up to a bound.
    pub(super) fn main_arguments(&mut self, thread: ThreadIndex) -> Vec<Value> {
        let main = self.program.main;
        let Some(body) = &self.program.functions[main.index()].body else {
            return Vec::new();
        };
        self.enter_thread(thread);
        let mut used = Vec::new();
        visit::statement(&body.statement, &mut |item| {
            if let visit::Item::Lvalue(Lvalue {
                kind: LvalueKind::Variable(VariableId::Local(local)),
                ..
            }) = item
            {
                used.push(*local);
            }
        });
        if !body.parameters.iter().any(|local| used.contains(local)) {
            let zero = self.terms.bit_vec(32, 0);
            return vec![zero.into(); body.parameters.len()];
        }
        let most = self.options.max_array;
        let count = self.any(&Type::INT);
        let (low, high) = (
            self.terms.bit_vec(32, 0),
            self.terms.bit_vec(32, i128::from(most)),
        );
        let enough = self.terms.bv_sle(low, count.term);
        let few = self.terms.bv_slt(count.term, high);
        let both = self.terms.and(&[enough, few]);
        self.emit(super::Action::Assume(both, super::Waiting::Assumption));
        self.assume_note(
            format!("`main` gets fewer than {most} arguments, each shorter than {most} characters"),
            Some(self.program.functions[main.index()].span),
        );
        if body.parameters.len() == 1 {
            return vec![count];
        }
        let word_type = Type::array_of(Type::CHAR, most.into());
        let pointer = Type::pointer_to(Type::CHAR);
        let step = u64::from(self.pointer_width());
        let mut values = Vec::new();
        // After the last word there is a null pointer.
        for index in 0..most.saturating_sub(1) {
            let word =
                self.add_typed_object("argument", ObjectKind::Global, &word_type, Initial::Any);
            let end = i64::from(most) - 1;
            let zero = self.number(&Type::CHAR, 0);
            self.store(
                Access {
                    pointer: Pointer::to(Base::Object(word)).moved(end),
                    bits: None,
                    ty: Type::CHAR,
                },
                zero,
            );
            values.push(InitialValue {
                offset: u64::from(index) * step,
                bits: None,
                ty: pointer.clone(),
                value: self.address(word),
            });
        }
        let ty = Type::array_of(pointer.clone(), most.into());
        let words = self.add_typed_object(
            "arguments",
            ObjectKind::Global,
            &ty,
            Initial::Values(values),
        );
        let mut last = Pointer::to(Base::Object(words));
        let index = self.convert(count.clone(), &Type::INT, &self.program.types.size_type());
        last.scaled.push((index.term, step / 8));
        let null = self.number(&pointer, 0);
        self.store(
            Access {
                pointer: last,
                bits: None,
                ty: pointer,
            },
            null,
        );
        let words = self.address(words);
        let environment = self.any(&Type::pointer_to(Type::Void));
        vec![count, words, environment]
    }

    /// Marks a local object that only its own function accesses.
    pub(super) fn mark_private(&mut self, object: ObjectId, ty: &Type) {
        self.private_objects.insert(object);
        if contains_union(&self.program.types, ty) {
            self.union_objects.insert(object);
        }
    }

    pub(super) fn local_object(&mut self, name: &str, ty: &Type, span: Span) -> ObjectId {
        let outer = std::mem::replace(&mut self.span, span);
        let kind = ObjectKind::Local(self.thread);
        let object = self.add_typed_object(name, kind, ty, Initial::Any);
        self.span = outer;
        object
    }
}

fn contains_union(types: &super::super::types::Types, ty: &Type) -> bool {
    match ty {
        Type::Array(element, _) => contains_union(types, &element.ty),
        Type::Record(id) => {
            let record = types.record(*id);
            record.is_union
                || record
                    .fields
                    .iter()
                    .flatten()
                    .any(|field| contains_union(types, &field.ty.ty))
        }
        _ => false,
    }
}
