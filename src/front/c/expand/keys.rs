//! Thread-specific data: keys, what each thread keeps under them, and destructors.

use super::super::ir::{
    Access, Action, Base, Initial, ObjectId, ObjectKind, Pointer, Sources, ThreadIndex, Value,
};
use super::super::typed::{Expr, FunctionId};
use super::super::types::{IntKind, Type};
use super::place::Place;
use super::pthread::MAIN;
use super::{Expander, Node, call};

/// Keys that a program may create.
const MAX_KEYS: u64 = 16;

/// How often destructors run if they leave something behind: PTHREAD_DESTRUCTOR_ITERATIONS.
const DESTRUCTOR_ITERATIONS: u32 = 4;

/// Says of a key whether it has been deleted.
const DELETED: Type = Type::Int(IntKind::UChar);

pub(super) struct Key {
    destructor: Option<FunctionId>,
}

impl Expander<'_> {
    pub(super) fn key_create(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let output = self.output_place(&arguments[0]);
        let destructor = self.value(&arguments[1]);
        let destructor = match &destructor.sources {
            Sources::Exactly(Pointer {
                base: Base::Object(object),
                ..
            }) => match self.objects[object.index()].kind {
                ObjectKind::Function(function) => Some(function),
                _ => None,
            },
            Sources::None => None,
            _ => {
                self.unsupported(self.span, "a destructor that is not a constant");
                None
            }
        };
        if self.loops > 0 || self.keys.len() as u64 >= MAX_KEYS {
            self.unsupported(
                self.span,
                "creating thread-specific keys in a loop or so many",
            );
        }
        let number = self.keys.len() as i128;
        self.keys.push(Key { destructor });
        if let Some(place) = output {
            let key_type = match &place {
                Place::Memory(access) => access.ty.clone(),
                _ => Type::UINT,
            };
            let key = self.number(&key_type, number);
            self.write_place(place, key);
        }
        self.number(ty, 0)
    }

    fn slots_of(&mut self, thread: ThreadIndex) -> ObjectId {
        if let Some(&object) = self.key_slots.get(&thread) {
            return object;
        }
        let ty = Type::array_of(Type::pointer_to(Type::Void), MAX_KEYS);
        let zero = Initial::Values(Vec::new());
        let kind = ObjectKind::Local(thread);
        let object = self.add_typed_object("specific", kind, &ty, zero);
        self.key_slots.insert(thread, object);
        object
    }

    fn key_slot(&mut self, key: &Expr) -> Access {
        let object = self.slots_of(self.thread);
        self.element_of_key(object, Type::pointer_to(Type::Void), key)
    }

    /// For each key whether it has been deleted.
    fn deleted_keys(&mut self) -> ObjectId {
        if let Some(object) = self.deleted_keys {
            return object;
        }
        let ty = Type::array_of(DELETED, MAX_KEYS);
        let zero = Initial::Values(Vec::new());
        let object = self.add_typed_object("deleted keys", ObjectKind::Global, &ty, zero);
        self.deleted_keys = Some(object);
        object
    }

    /// What an array with an element for each key has for this one.
    fn element_of_key(&mut self, object: ObjectId, ty: Type, key: &Expr) -> Access {
        let size_type = self.program.types.pointer_difference_type();
        let value = self.value(key);
        let index = self.convert(value, &key.ty, &size_type).term;
        let mut pointer = Pointer::to(Base::Object(object));
        let size = self.program.types.size(&ty).unwrap_or(1);
        let number = super::super::arithmetic::constant_value(
            &self.terms,
            &self.program.types,
            &size_type,
            index,
        );
        match number.and_then(|number| i64::try_from(number).ok()) {
            Some(number) => pointer = pointer.moved(number.wrapping_mul(size as i64)),
            None => pointer.scaled.push((index, size)),
        }
        Access {
            pointer,
            bits: None,
            ty,
        }
    }

    /// No destructor runs for a key that is deleted; what threads keep under it stays theirs.
    pub(super) fn key_delete(&mut self, key: &Expr, ty: &Type) -> Value {
        let object = self.deleted_keys();
        let access = self.element_of_key(object, DELETED, key);
        let yes = self.number(&DELETED, 1);
        self.store(access, yes);
        self.number(ty, 0)
    }

    pub(super) fn key_get(&mut self, arguments: &[Expr]) -> Value {
        let slot = self.key_slot(&arguments[0]);
        self.load(slot)
    }

    pub(super) fn key_set(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let slot = self.key_slot(&arguments[0]);
        let value = self.value(&arguments[1]);
        let value = self.convert(value, &arguments[1].ty, &Type::pointer_to(Type::Void));
        self.store(slot, value);
        self.number(ty, 0)
    }

    /// Where a thread ends, the destructors of its data run. They do not where `main` ends
    /// with the program.
    pub(super) fn key_destructors(&mut self) {
        let mut threads: Vec<ThreadIndex> = self.key_slots.keys().copied().collect();
        threads.sort_unstable();
        let destructors: Vec<(usize, FunctionId)> = self
            .keys
            .iter()
            .enumerate()
            .filter_map(|(number, key)| Some((number, key.destructor?)))
            .collect();
        let set_again = |&(_, destructor): &(usize, FunctionId)| {
            self.summaries[destructor.index()].effects.sets_keys
        };
        let rounds = match destructors.iter().any(set_again) {
            true => DESTRUCTOR_ITERATIONS,
            false => 1,
        };
        for thread in threads {
            let exit = self.exit_of(thread);
            if destructors.is_empty() || !self.reached[exit.index()] {
                continue;
            }
            self.enter_thread(thread);
            self.continue_at(exit);
            self.span = self.threads[thread.index()].span;
            for _ in 0..rounds {
                for &(number, destructor) in &destructors {
                    self.run_destructor(number, destructor);
                }
            }
            let end = self.node();
            self.go(end);
            match thread {
                MAIN => self.main_exits = Some(end),
                thread => self.threads[thread.index()].exit = end,
            }
        }
    }

    /// Calls the destructor of a key for what the current thread has kept under it.
    fn run_destructor(&mut self, number: usize, destructor: FunctionId) {
        let object = self.slots_of(self.thread);
        let size = i64::from(self.pointer_width() / 8);
        let access = Access {
            pointer: Pointer::to(Base::Object(object)).moved(number as i64 * size),
            bits: None,
            ty: Type::pointer_to(Type::Void),
        };
        let value = self.load(access.clone());
        let null = self.terms.bit_vec(self.pointer_width(), 0);
        let is_null = self.terms.eq(value.term, null);
        let (yes, no) = (self.node(), self.node());
        self.split(is_null, yes, no);
        self.continue_at(no);
        let before = self.known.clone();
        if self.deletes_keys {
            self.unless_deleted(number, yes);
        }
        self.store(access, null.into());
        self.call_function(destructor, vec![call::Argument::Scalar(value)], self.span);
        self.edge(Action::Skip, yes);
        if self.deletes_keys {
            self.known.meet(&before);
        }
        self.continue_at(yes);
    }

    /// Leaves for `end` if the key has been deleted.
    fn unless_deleted(&mut self, number: usize, end: Node) {
        let object = self.deleted_keys();
        let deleted = self.load(Access {
            pointer: Pointer::to(Base::Object(object)).moved(number as i64),
            bits: None,
            ty: DELETED,
        });
        let zero = self.number(&DELETED, 0).term;
        let exists = self.terms.eq(deleted.term, zero);
        let run = self.node();
        self.split(exists, run, end);
        self.continue_at(run);
    }
}
