//! Threads: creation, joining, results, and thread-specific data.

use super::super::ir::{
    Access, Action, Base, Initial, ObjectId, ObjectKind, Pointer, Sources, ThreadIndex, Value,
    Waiting,
};
use super::super::typed::{Expr, FunctionId};
use super::super::types::Type;
use super::place::Place;
use super::{Expander, PendingThread, ThreadArgument, call};
use heddle_diagnostics::Diagnostic;
use heddle_program::Sort;

/// Keys of thread-specific data that a program may create.
const MAX_KEYS: u64 = 16;
/// More threads than any engine can follow.
const MAX_THREADS: usize = 250;

/// A key of thread-specific data.
pub(super) struct Key {
    destructor: Option<FunctionId>,
}

impl Expander<'_> {
    pub(super) fn thread_create(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let output = self.output_place(&arguments[0]);
        self.effects(&arguments[1]);
        let function = self.value(&arguments[2]);
        let argument = self.value(&arguments[3]);
        let argument = self.convert(argument, &arguments[3].ty, &Type::pointer_to(Type::Void));
        self.assume_note("creating a thread never fails", Some(self.span));
        if let Sources::Exactly(Pointer {
            base: Base::Object(object),
            constant: 0,
            ..
        }) = &function.sources
            && let ObjectKind::Function(function) = self.objects[object.index()].kind
        {
            self.create_instances(function, &argument, output);
            return self.number(ty, 0);
        }
        let candidates: Vec<FunctionId> = self
            .program
            .addressed_functions
            .iter()
            .copied()
            .filter(|function| {
                let ty = &self.program.function_types[function.index()];
                ty.parameters.as_ref().is_none_or(|all| all.len() <= 1)
            })
            .collect();
        self.assume_note(super::place::VALID_POINTERS, Some(self.span));
        let sort = self.terms.sort(function.term);
        let register = self.register("function", sort);
        let sources = match function.sources {
            Sources::None => Sources::AnyOf(vec![Pointer::to(Base::Unknown)]),
            other => other,
        };
        let term = function.term;
        self.set(register, Value { term, sources });
        let (start, end) = (self.current, self.node());
        let before = self.known.clone();
        let mut after: Option<super::Known> = None;
        for function in candidates {
            self.current = start;
            self.dead = false;
            self.known = before.clone();
            let object = self.function_object(function);
            self.emit(Action::Target(register, object));
            self.create_instances(function, &argument, output.clone());
            if !self.dead {
                match &mut after {
                    Some(after) => after.meet(&self.known),
                    None => after = Some(self.known.clone()),
                }
            }
            self.go(end);
        }
        self.known = after.unwrap_or(before);
        self.continue_at(end);
        self.number(ty, 0)
    }

    /// Creates the thread; in a loop that is not unrolled the next one of several.
    fn create_instances(&mut self, function: FunctionId, argument: &Value, output: Option<Place>) {
        if self.dead {
            return;
        }
        let info = &self.program.functions[function.index()];
        if info.body.is_none() {
            let message = format!("the thread function `{}` is not defined", info.name);
            self.report(Diagnostic::error(self.span, message));
            return;
        }
        let bound = self.options.max_threads.max(1);
        if self.ancestors_running(function) >= bound as usize {
            let message = format!("`{}` runs in more than {bound} threads", info.name);
            self.bound_reached(bound, message);
            return;
        }
        if self.loops == 0 {
            self.create_one(function, argument, output);
            return;
        }
        let counter = self.register("threads", Sort::BitVec(32));
        let created = self.terms.variable(counter);
        let (start, end) = (self.current, self.node());
        let known = self.known.clone();
        for number in 0..bound {
            self.current = start;
            self.dead = false;
            self.known = known.clone();
            let this = self.terms.bit_vec(32, number.into());
            let is_this = self.terms.eq(created, this);
            self.emit(Action::Assume(is_this, Waiting::Branch));
            let next = self.terms.bit_vec(32, i128::from(number) + 1);
            self.emit(Action::Set(counter, next.into()));
            self.create_one(function, argument, output.clone());
            self.go(end);
        }
        self.current = start;
        self.dead = false;
        let most = self.terms.bit_vec(32, bound.into());
        let too_many = self.terms.eq(created, most);
        self.emit(Action::Assume(too_many, Waiting::Branch));
        let name = &self.program.functions[function.index()].name;
        let message = format!("more than {bound} threads that run `{name}` are created here");
        self.bound_reached(bound, message);
        self.known = known;
        if let Some(Place::Register(register)) = output {
            self.known.set_register(register, None);
        }
        if let Some(Place::Memory(access)) = &output {
            self.dead = false;
            self.note_store(access, None);
        }
        self.continue_at(end);
    }

    /// How many of the current thread and its creators run the function.
    fn ancestors_running(&self, function: FunctionId) -> usize {
        let mut count = 0;
        let mut thread = Some(self.thread);
        while let Some(index) = thread {
            let Some(&(creator, runs)) = self.creators.get(index.index()) else {
                break;
            };
            count += usize::from(runs == function);
            thread = creator;
        }
        count
    }

    fn create_one(&mut self, function: FunctionId, argument: &Value, output: Option<Place>) {
        if self.threads.len() >= MAX_THREADS {
            let message = format!("the program has more than {MAX_THREADS} threads");
            self.report(Diagnostic::error(self.span, message));
            self.dead = true;
            return;
        }
        let thread = self.add_thread(function);
        self.note_creator(thread, Some(self.thread), function);
        let pointer = Type::pointer_to(Type::Void);
        let passed = match self.terms.as_constant(argument.term) {
            Some(_) => ThreadArgument::Constant(argument.clone()),
            None => {
                let name = format!("argument of {}", self.threads[thread.index()].name);
                let zero = Initial::Values(Vec::new());
                let object = self.add_typed_object(&name, ObjectKind::Global, &pointer, zero);
                let access = self.object_access(object, pointer);
                self.store(access, argument.clone());
                ThreadArgument::Object(object)
            }
        };
        self.emit(Action::Create(thread));
        self.pending_threads.push_back(PendingThread {
            thread,
            function,
            argument: passed,
        });
        if let Some(place) = output {
            let object = self.threads[thread.index()].object;
            let id = self.address(object);
            let id = match &place {
                Place::Memory(access) => {
                    let ty = access.ty.clone();
                    self.fit(id, &ty)
                }
                _ => id,
            };
            self.write_place(place, id);
        }
    }

    pub(super) fn note_creator(
        &mut self,
        thread: ThreadIndex,
        creator: Option<ThreadIndex>,
        function: FunctionId,
    ) {
        debug_assert_eq!(self.creators.len(), thread.index());
        self.creators.push((creator, function));
        if self.results_used && creator.is_some() {
            let name = format!("result of {}", self.threads[thread.index()].name);
            let ty = Type::pointer_to(Type::Void);
            let zero = Initial::Values(Vec::new());
            let object = self.add_typed_object(&name, ObjectKind::Global, &ty, zero);
            self.threads[thread.index()].result = Some(object);
        }
    }

    pub(super) fn thread_join(&mut self, arguments: &[Expr], ty: &Type) -> Value {
        let target = self.value(&arguments[0]);
        let wide = Type::Int(super::IntKind::ULong);
        let target = self.convert(target, &arguments[0].ty, &wide);
        let output = self.output_place(&arguments[1]);
        let pointer = Type::pointer_to(Type::Void);
        let result = output
            .is_some()
            .then(|| self.typed_register("result", &pointer));
        self.emit(Action::Join(target, result));
        if let (Some(place), Some(result)) = (output, result) {
            let value = self.read(result, &pointer);
            self.write_place(place, value);
        }
        self.number(ty, 0)
    }

    /// Keeps the result of the current thread for whoever joins it.
    pub(super) fn keep_thread_result(&mut self, ty: &Type, value: Value) {
        let Some(object) = self.threads[self.thread.index()].result else {
            return;
        };
        let pointer = Type::pointer_to(Type::Void);
        let value = self.convert(value, ty, &pointer);
        let access = self.object_access(object, pointer);
        self.store(access, value);
    }

    pub(super) fn thread_exit(&mut self, result: &Expr) {
        let value = self.value(result);
        self.keep_thread_result(&result.ty, value);
        let exit = self.threads[self.thread.index()].exit;
        self.go(exit);
    }
}

/// Thread-specific data.
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
        let size_type = self.program.types.pointer_difference_type();
        let value = self.value(key);
        let index = self.convert(value, &key.ty, &size_type).term;
        let object = self.slots_of(self.thread);
        let mut pointer = Pointer::to(Base::Object(object));
        let size = u64::from(self.pointer_width() / 8);
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
            ty: Type::pointer_to(Type::Void),
        }
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

    /// Where a thread ends, the destructors of its data run. `main` ends with the program.
    pub(super) fn key_destructors(&mut self) {
        let threads: Vec<ThreadIndex> = self.key_slots.keys().copied().collect();
        let destructors: Vec<(usize, FunctionId)> = self
            .keys
            .iter()
            .enumerate()
            .filter_map(|(number, key)| Some((number, key.destructor?)))
            .collect();
        for thread in threads {
            let exit = self.threads[thread.index()].exit;
            if destructors.is_empty() || thread.0 == 0 || !self.reached[exit.index()] {
                continue;
            }
            self.enter_thread(thread);
            self.continue_at(exit);
            self.span = self.threads[thread.index()].span;
            for &(number, destructor) in &destructors {
                let object = self.slots_of(thread);
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
                self.store(access, null.into());
                self.call_function(destructor, vec![call::Argument::Scalar(value)], self.span);
                self.edge(Action::Skip, yes);
                self.continue_at(yes);
            }
            let end = self.node();
            self.go(end);
            self.threads[thread.index()].exit = end;
        }
    }
}
