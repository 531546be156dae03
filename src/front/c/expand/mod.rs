//! Inlines all functions into the threads that call them.
//!
//! One pass over the typed program, thread by thread, that plays the role of an abstract
//! machine: it emits one action for each effect and keeps, as *known*, the registers whose
//! value is a constant at the current point. Loops that create threads are unrolled, so that
//! each thread has a creation of its own; all others stay loops.

mod address;
mod atomics;
mod bits;
mod builtin;
mod call;
mod condition;
mod expression;
mod heap;
mod jumps;
mod keys;
mod known;
mod library;
mod loops;
mod mutex;
mod object;
mod overflow;
mod place;
mod pthread;
mod record;
mod statement;
mod static_value;
mod sync;
mod traits;
mod wrapping;

use super::elaborate::TypedProgram;
use super::ir::{
    Access, Action, Base, Edge, Expanded, Node, Object, ObjectId, Pointer, Reg, Register, Sources,
    Thread, ThreadIndex, Value, Waiting,
};
use super::options::{Integers, Options};
use super::pointers::holds_pointers;
use super::typed::{FunctionId, GlobalId, LabelId, LocalId, StringId};
use super::types::{IntKind, Nature, Type};
use super::visit::{self, Summary};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Sort, TermId, Terms};
use known::Known;
pub(crate) use object::object_number;
use std::collections::{HashMap, HashSet, VecDeque};

/// Actions after which a program counts as too large.
const MAX_EDGES: usize = 400_000;

/// Where a local variable lives.
#[derive(Clone, Debug)]
enum Slot {
    /// Not declared yet.
    Nowhere,
    Register(Reg),
    /// A parameter that is never changed is its argument.
    Bound(Value),
    Object(ObjectId),
}

/// A function that is being expanded.
struct Frame {
    function: FunctionId,
    slots: Vec<Slot>,
    labels: HashMap<LabelId, Node>,
    defined_labels: HashSet<LabelId>,
    case_known: statement::CaseKnown,
    /// Where `break` and `continue` go, and the innermost last.
    breaks: Vec<Node>,
    continues: Vec<Node>,
    return_node: Node,
    result: ResultPlace,
    /// The constants that it returned so far, `None` for what is not constant.
    results: Vec<Option<Value>>,
}

enum ResultPlace {
    Nothing,
    Register(Reg),
    Object(ObjectId),
    /// The value of the only return, once it is known.
    Direct(Option<Value>),
}

/// A thread that is created but not expanded yet.
struct PendingThread {
    thread: ThreadIndex,
    function: FunctionId,
    argument: ThreadArgument,
}

enum ThreadArgument {
    Constant(Value),
    /// Kept in this object by the creator.
    Object(ObjectId),
}

pub(crate) struct Expander<'a> {
    program: &'a TypedProgram,
    options: &'a Options,
    summaries: Vec<Summary>,
    /// Whether mutexes of another kind than the normal one are used.
    mutex_kinds: bool,
    /// Whether a join asks for a result.
    results_used: bool,
    /// Whether a thread may wait for `main`.
    main_joinable: bool,
    /// Whether keys of thread-specific data are deleted.
    deletes_keys: bool,
    /// The library's `errno`, if the program uses it.
    errno: Option<GlobalId>,

    terms: Terms,
    registers: Vec<Register>,
    objects: Vec<Object>,
    threads: Vec<Thread>,
    node_threads: Vec<ThreadIndex>,
    /// Whether some edge leads to the node.
    reached: Vec<bool>,
    node_labels: Vec<(Node, String, Span)>,
    edges: Vec<Edge>,

    globals: HashMap<GlobalId, ObjectId>,
    thread_locals: HashMap<(GlobalId, ThreadIndex), ObjectId>,
    strings: HashMap<StringId, ObjectId>,
    functions: HashMap<FunctionId, ObjectId>,
    /// Local objects that only their function accesses, and those with unions among them.
    private_objects: HashSet<ObjectId>,
    union_objects: HashSet<ObjectId>,
    pending_threads: VecDeque<PendingThread>,
    /// The thread that created each thread, and the function that each runs.
    creators: Vec<(Option<ThreadIndex>, FunctionId)>,
    keys: Vec<keys::Key>,
    key_slots: HashMap<ThreadIndex, ObjectId>,
    /// Which keys have been deleted, if any are.
    deleted_keys: Option<ObjectId>,
    /// Where `main` gets by `pthread_exit`.
    main_exits: Option<Node>,
    thread_names: HashMap<String, u32>,

    thread: ThreadIndex,
    current: Node,
    /// Whether the current point cannot be reached.
    dead: bool,
    frames: Vec<Frame>,
    known: Known,
    /// Registers that only one action writes.
    temporaries: HashSet<Reg>,
    /// How many loops, without those that are unrolled, are around the current point.
    loops: u32,
    /// How many loops around the current point have created as many threads as they may.
    no_more_threads: u32,
    /// Whether the current point is certainly in an atomic section.
    atomic: bool,
    /// How many functions that are atomic as a whole are being expanded.
    atomic_functions: u32,
    span: Span,
    /// Whether overflow is no violation in what is being computed.
    suppress_overflow: bool,

    assumptions: Vec<(String, Option<Span>)>,
    diagnostics: Vec<Diagnostic>,
    bound: Option<u32>,
    too_large: bool,
}

/// Expands `main` and every thread that it creates.
pub(crate) fn expand(
    program: &TypedProgram,
    options: &Options,
) -> Result<Expanded, Vec<Diagnostic>> {
    let mut expander = Expander::new(program, options);
    expander.run();
    if expander.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(expander.diagnostics);
    }
    let mut assumptions = program.assumptions.clone();
    assumptions.append(&mut expander.assumptions);
    Ok(Expanded {
        terms: expander.terms,
        registers: expander.registers,
        objects: expander.objects,
        threads: expander.threads,
        node_threads: expander.node_threads,
        labels: expander.node_labels,
        edges: expander.edges,
        warnings: expander.diagnostics,
        assumptions,
        bound: expander.bound,
    })
}

impl<'a> Expander<'a> {
    fn new(program: &'a TypedProgram, options: &'a Options) -> Self {
        let traits = traits::ProgramTraits::of(program);
        Expander {
            program,
            options,
            summaries: summaries(program),
            mutex_kinds: traits.mutex_kinds,
            results_used: traits.results_used,
            main_joinable: traits.main_joinable,
            deletes_keys: traits.deletes_keys,
            errno: traits.errno,
            terms: match options.integers {
                Integers::Bits => Terms::new(),
                Integers::Mathematical => Terms::without_wrapping(),
            },
            registers: Vec::new(),
            objects: Vec::new(),
            threads: Vec::new(),
            node_threads: Vec::new(),
            reached: Vec::new(),
            node_labels: Vec::new(),
            edges: Vec::new(),
            globals: HashMap::new(),
            thread_locals: HashMap::new(),
            strings: HashMap::new(),
            functions: HashMap::new(),
            private_objects: HashSet::new(),
            union_objects: HashSet::new(),
            pending_threads: VecDeque::new(),
            creators: Vec::new(),
            keys: Vec::new(),
            key_slots: HashMap::new(),
            deleted_keys: None,
            main_exits: None,
            thread_names: HashMap::new(),
            thread: ThreadIndex(0),
            current: Node(0),
            dead: false,
            frames: Vec::new(),
            known: Known::default(),
            temporaries: HashSet::new(),
            loops: 0,
            no_more_threads: 0,
            atomic: false,
            atomic_functions: 0,
            span: program.functions[program.main.index()].span,
            suppress_overflow: false,
            assumptions: Vec::new(),
            diagnostics: Vec::new(),
            bound: None,
            too_large: false,
        }
    }

    fn run(&mut self) {
        let main = self.program.main;
        let thread = self.add_thread(main);
        self.note_creator(thread, None, main);
        let arguments = self.main_arguments(thread);
        self.expand_body(thread, main, arguments);
        self.expand_pending();
        self.key_destructors();
        self.end_main();
        self.expand_pending();
    }

    fn expand_pending(&mut self) {
        while let Some(pending) = self.pending_threads.pop_front() {
            self.enter_thread(pending.thread);
            let argument = match pending.argument {
                ThreadArgument::Constant(value) => value,
                ThreadArgument::Object(object) => {
                    let ty = Type::pointer_to(Type::Void);
                    let access = self.object_access(object, ty);
                    self.load(access)
                }
            };
            self.expand_body(pending.thread, pending.function, vec![argument]);
        }
    }

    /// Makes a thread current at its entry.
    fn enter_thread(&mut self, thread: ThreadIndex) {
        self.thread = thread;
        self.current = self.threads[thread.index()].entry;
        self.dead = false;
        self.known = Known::default();
        self.loops = 0;
        self.no_more_threads = 0;
        self.atomic = false;
        self.atomic_functions = 0;
    }

    fn expand_body(
        &mut self,
        thread: ThreadIndex,
        function: FunctionId,
        mut arguments: Vec<Value>,
    ) {
        let parameters = self.program.functions[function.index()]
            .body
            .as_ref()
            .map_or(0, |body| body.parameters.len());
        arguments.truncate(parameters);
        let arguments = arguments.into_iter().map(call::Argument::Scalar).collect();
        let result_type = self.program.functions[function.index()].result.clone();
        let result = self.call_function(function, arguments, self.span);
        if thread == pthread::MAIN && self.main_joinable {
            // The end of the program: nobody joins `main` after that.
            self.stop();
        }
        if !self.dead {
            if let call::CallResult::Scalar(value) = result {
                self.keep_thread_result(&result_type, value);
            }
            let exit = self.threads[thread.index()].exit;
            self.go(exit);
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        let duplicate = self.diagnostics.iter().any(|known| {
            known.message == diagnostic.message
                && known.place.as_ref().map(|place| place.0)
                    == diagnostic.place.as_ref().map(|place| place.0)
        });
        if !duplicate {
            self.diagnostics.push(diagnostic);
        }
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.report(Diagnostic::error(span, format!("{what} is not supported")));
    }

    /// Notes something that the verdict takes for granted, once.
    fn assume_note(&mut self, text: impl Into<String>, span: Option<Span>) {
        let text = text.into();
        if !self.assumptions.iter().any(|(known, _)| *known == text) {
            self.assumptions.push((text, span));
        }
    }
}

/// The graph.
impl Expander<'_> {
    fn node(&mut self) -> Node {
        self.node_of(self.thread)
    }

    fn node_of(&mut self, thread: ThreadIndex) -> Node {
        self.node_threads.push(thread);
        self.reached.push(false);
        Node(self.node_threads.len() as u32 - 1)
    }

    /// An edge from the current point; the current point stays.
    fn edge(&mut self, action: Action, to: Node) {
        if self.dead {
            return;
        }
        if self.edges.len() >= MAX_EDGES {
            if !self.too_large {
                self.too_large = true;
                let message = "the program is too large after inlining its functions";
                self.report(Diagnostic::error(self.span, message));
            }
            self.dead = true;
            return;
        }
        self.reached[to.index()] = true;
        self.edges.push(Edge {
            from: self.current,
            to,
            action,
            span: self.span,
        });
    }

    /// An action, and the point after it.
    fn emit(&mut self, action: Action) {
        if self.dead {
            return;
        }
        let to = self.node();
        self.edge(action, to);
        self.current = to;
    }

    /// Jumps; what follows is not reached.
    fn go(&mut self, to: Node) {
        self.edge(Action::Skip, to);
        self.dead = true;
    }

    /// Continues at a node, if anything leads to it.
    fn continue_at(&mut self, node: Node) {
        self.current = node;
        self.dead = !self.reached[node.index()];
    }

    /// Both outcomes of a condition, with nothing emitted for one that is impossible.
    fn split(&mut self, condition: TermId, yes: Node, no: Node) {
        if self.terms.is_true(condition) {
            self.edge(Action::Skip, yes);
        } else if self.terms.is_false(condition) {
            self.edge(Action::Skip, no);
        } else {
            let otherwise = self.terms.not(condition);
            self.edge(Action::Assume(condition, Waiting::Branch), yes);
            self.edge(Action::Assume(otherwise, Waiting::Branch), no);
        }
        self.dead = true;
    }

    /// The execution ends here, because the program says so or because of an assumption.
    fn stop(&mut self) {
        let no = self.terms.bool(false);
        self.emit(Action::Assume(no, Waiting::Assumption));
        self.dead = true;
    }

    /// The execution leaves what was unfolded.
    fn bound_reached(&mut self, bound: u32, message: String) {
        self.bound = self.bound.max(Some(bound));
        self.emit(Action::Bound(message));
        self.dead = true;
    }

    /// Something that C leaves undefined must not happen: a violation if that is checked,
    /// otherwise an assumption.
    fn require(&mut self, condition: TermId, violated: &str, assumed: &str) {
        if self.terms.is_true(condition) || self.dead {
            return;
        }
        if self.options.check_memory {
            self.emit(Action::Assert(condition, violated.to_owned()));
        } else {
            self.assume_note(assumed, Some(self.span));
        }
        self.emit(Action::Assume(condition, Waiting::Assumption));
    }
}

/// Registers and values.
impl Expander<'_> {
    fn pointer_width(&self) -> u32 {
        self.options.data_model.pointer_width()
    }

    fn register(&mut self, name: &str, sort: Sort) -> Reg {
        let unique = format!("{}#{name}", self.registers.len());
        let register = self.terms.declare(unique, sort);
        self.registers.push(Register {
            name: name.to_owned(),
            nature: Nature::default(),
            thread: self.thread,
            span: Some(self.span),
        });
        register
    }

    fn typed_register(&mut self, name: &str, ty: &Type) -> Reg {
        let sort = self.program.types.sort(ty);
        let register = self.register(name, sort);
        self.registers[register.index()].nature = self.program.types.nature(ty);
        register
    }

    /// Where the pointers in a register come from: it may be one as a whole, or a part of one
    /// if it is narrower.
    fn register_sources(&self, register: Reg, ty: &Type) -> Sources {
        if !holds_pointers(ty) {
            return Sources::None;
        }
        let pointer = Pointer::to(Base::Register(register));
        match self.program.types.width(ty) < self.pointer_width() {
            true => Sources::AnyOf(vec![pointer]),
            false => Sources::Exactly(pointer),
        }
    }

    /// The value of a register.
    fn read(&self, register: Reg, ty: &Type) -> Value {
        if let Some(value) = self.known.register(register) {
            return value.clone();
        }
        Value {
            term: self.terms.variable(register),
            sources: self.register_sources(register, ty),
        }
    }

    fn set(&mut self, register: Reg, value: Value) {
        if self.dead {
            return;
        }
        let is_constant = self.terms.as_constant(value.term).is_some();
        self.emit(Action::Set(register, value.clone()));
        self.known
            .set_register(register, is_constant.then_some(value));
    }

    fn havoc(&mut self, register: Reg) {
        self.emit(Action::Havoc(register));
        self.known.set_register(register, None);
    }

    /// Any value of the type.
    fn any(&mut self, ty: &Type) -> Value {
        let register = self.typed_register("any", ty);
        self.havoc(register);
        let sources = match ty {
            Type::Pointer(_) => Sources::AnyOf(vec![Pointer::to(Base::Unknown)]),
            _ => Sources::None,
        };
        Value {
            term: self.terms.variable(register),
            sources,
        }
    }

    fn number(&mut self, ty: &Type, value: i128) -> Value {
        super::arithmetic::constant(&mut self.terms, &self.program.types, ty, value).into()
    }

    fn load(&mut self, access: Access) -> Value {
        let ty = access.ty.clone();
        if let Some(value) = self.known_cell(&access) {
            return value;
        }
        let name = match access.pointer.base {
            Base::Object(object) => self.objects[object.index()].name.clone(),
            _ => "value".to_owned(),
        };
        let register = self.typed_register(&name, &ty);
        self.temporaries.insert(register);
        self.emit(Action::Load(register, access.clone()));
        let value = self.read(register, &ty);
        self.note_section(&access, &value);
        value
    }

    fn store(&mut self, access: Access, value: Value) {
        self.note_store(&access, Some(&value));
        self.emit(Action::Store(access, value));
    }

    /// The local variables that the statements or expressions may change are not known any
    /// more.
    fn forget(&mut self, locals: &HashSet<LocalId>) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        for local in locals {
            match &frame.slots[local.index()] {
                Slot::Register(register) => self.known.set_register(*register, None),
                Slot::Object(object) => self.known.forget_object(*object),
                Slot::Bound(_) | Slot::Nowhere => {}
            }
        }
    }
}

/// Summaries of all functions; what callees do is inherited from them.
fn summaries(program: &TypedProgram) -> Vec<Summary> {
    let mut summaries: Vec<Summary> = program
        .functions
        .iter()
        .map(|function| match &function.body {
            Some(body) => visit::summarize(&body.statement),
            None => Summary::default(),
        })
        .collect();
    loop {
        let mut changed = false;
        for index in 0..summaries.len() {
            let by_pointer: &[FunctionId] = match summaries[index].calls_pointer {
                true => &program.addressed_functions,
                false => &[],
            };
            let callees: Vec<FunctionId> = summaries[index]
                .calls
                .iter()
                .chain(by_pointer)
                .copied()
                .collect();
            for callee in callees {
                let effects = summaries[callee.index()].effects;
                changed |= summaries[index].inherit(effects);
            }
        }
        if !changed {
            return summaries;
        }
    }
}
