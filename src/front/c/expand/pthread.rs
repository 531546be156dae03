//! Threads: creation, joining, results, and thread-specific data.

use super::super::ir::{
    Action, Base, Initial, ObjectKind, Pointer, Sources, ThreadIndex, Value, Waiting,
};
use super::super::typed::{Expr, FunctionId};
use super::super::types::Type;
use super::place::Place;
use super::{Expander, Node, PendingThread, ThreadArgument};
use heddle_diagnostics::Diagnostic;
use heddle_program::Sort;

/// More threads than any engine can follow.
const MAX_THREADS: usize = 250;

/// The thread that runs `main`.
pub(super) const MAIN: ThreadIndex = ThreadIndex(0);

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
        let register = self.callee(function);
        let (start, end) = (self.current, self.node());
        let before = self.known.clone();
        let mut after: Option<super::Known> = None;
        self.no_target(register, &candidates);
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
        if self.no_more_threads > 0 {
            self.too_many_threads();
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
        if self.results_used && (creator.is_some() || self.main_joinable) {
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
        let output = self.optional_output(&arguments[1]);
        let pointer = Type::pointer_to(Type::Void);
        let result = output
            .is_some()
            .then(|| self.typed_register("result", &pointer));
        self.emit(Action::Join(target, result));
        if let Some(result) = result {
            self.unless_null(output, |this, place| {
                let value = this.read(result, &pointer);
                this.write_place(place, value);
            });
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
        let exit = self.exit_of(self.thread);
        self.go(exit);
    }

    /// Where a thread gets by `pthread_exit`. For `main` that is not its end, which is the
    /// program's.
    pub(super) fn exit_of(&mut self, thread: ThreadIndex) -> Node {
        match (thread, self.main_exits) {
            (MAIN, Some(node)) => node,
            (MAIN, None) => {
                let node = self.node_of(MAIN);
                self.main_exits = Some(node);
                node
            }
            _ => self.threads[thread.index()].exit,
        }
    }

    /// `main` has left by `pthread_exit`, and its destructors have run.
    pub(super) fn end_main(&mut self) {
        if let Some(node) = self.main_exits {
            self.enter_thread(MAIN);
            self.continue_at(node);
            let exit = self.threads[MAIN.index()].exit;
            self.go(exit);
        }
    }
}
