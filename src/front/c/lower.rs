//! From actions to steps: every memory access becomes an access of one variable.

use super::ir::{
    Access, Action, Base, Edge, Expanded, Node, Pointer, Sources, ThreadIndex, UpdateRole, Value,
    Waiting,
};
use super::layout::LeafKind;
use super::memory::{Choice, LeafVariable, Memory, Problem};
use super::options::Options;
use super::pointers::{PointsTo, points_to};
use super::types::{Nature, Types};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Place, Role, TermId, Terms, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a step does, and when it can be taken.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) guard: TermId,
    pub(crate) updates: Vec<(Place, Update)>,
    pub(crate) waits: Waits,
    pub(crate) role: Role,
}

/// What it means that the guard does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waits {
    /// Another edge of the same location is taken.
    Never,
    /// The execution is not considered.
    Assumes,
    /// The thread waits.
    Blocks,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Step(Step),
    Assert(TermId, String),
    Create(ThreadIndex),
    Join(ThreadIndex),
    AtomicBegin,
    AtomicEnd,
    Bound(String),
}

#[derive(Clone, Debug)]
pub(crate) struct LoweredEdge {
    pub(crate) from: Node,
    pub(crate) to: Node,
    pub(crate) operation: Operation,
    pub(crate) span: Span,
}

/// The program as steps over variables: registers, and the leaves of objects.
pub(crate) struct Lowered {
    pub(crate) terms: Terms,
    pub(crate) edges: Vec<LoweredEdge>,
    pub(crate) node_threads: Vec<ThreadIndex>,
    pub(crate) leaf_variables: FxHashMap<VarId, LeafVariable>,
    pub(crate) assumptions: Vec<(String, Option<Span>)>,
}

const VALID_POINTERS: &str = "pointers are valid where they are dereferenced: executions that \
     access memory through others are not considered";

const SEPARATE_BIT_FIELDS: &str = "no two threads write bit-fields of one unit at the same \
     time: a machine writes them together";

pub(crate) fn lower(
    expanded: &Expanded,
    types: &Types,
    options: &Options,
) -> Result<Lowered, Vec<Diagnostic>> {
    let points_to = points_to(expanded);
    let mut lowerer = Lowerer {
        memory: Memory::new(expanded, &points_to, types),
        expanded,
        points_to: &points_to,
        options,
        edges: Vec::new(),
        node_threads: expanded.node_threads.clone(),
        checked_nodes: FxHashSet::default(),
        invalid: FxHashMap::default(),
        in_section: false,
        fences: FxHashMap::default(),
        assumptions: expanded.assumptions.clone(),
        diagnostics: Vec::new(),
    };
    let depths = lowerer.atomic_depths();
    for edge in &expanded.edges {
        lowerer.edge(edge, &depths);
    }
    lowerer.close_dead_ends(&depths);
    match lowerer.diagnostics.is_empty() {
        true => Ok(Lowered {
            terms: lowerer.memory.terms,
            edges: lowerer.edges,
            node_threads: lowerer.node_threads,
            leaf_variables: lowerer.memory.leaf_variables,
            assumptions: lowerer.assumptions,
        }),
        false => Err(lowerer.diagnostics),
    }
}

struct Lowerer<'a> {
    memory: Memory<'a>,
    expanded: &'a Expanded,
    points_to: &'a PointsTo,
    options: &'a Options,
    edges: Vec<LoweredEdge>,
    node_threads: Vec<ThreadIndex>,
    /// Nodes that have an edge for invalid pointers already.
    checked_nodes: FxHashSet<Node>,
    /// Where executions with invalid accesses end, inside and outside of atomic sections.
    invalid: FxHashMap<(ThreadIndex, bool), Node>,
    /// Whether the current edge is inside an atomic section.
    in_section: bool,
    fences: FxHashMap<ThreadIndex, VarId>,
    assumptions: Vec<(String, Option<Span>)>,
    diagnostics: Vec<Diagnostic>,
}

impl Lowerer<'_> {
    fn report(&mut self, span: Span, message: &str) {
        let known = self
            .diagnostics
            .iter()
            .any(|d| d.message == message && d.place.as_ref().is_some_and(|(at, _)| *at == span));
        if !known {
            self.diagnostics.push(Diagnostic::error(span, message));
        }
    }

    fn node(&mut self, thread: ThreadIndex) -> Node {
        self.node_threads.push(thread);
        Node(self.node_threads.len() as u32 - 1)
    }

    fn add(&mut self, from: Node, to: Node, operation: Operation, span: Span) {
        self.edges.push(LoweredEdge {
            from,
            to,
            operation,
            span,
        });
    }

    fn step(&mut self, edge: &Edge, guard: TermId, updates: Vec<(Place, Update)>) {
        self.step_between(edge.from, edge.to, guard, updates, edge.span);
    }

    fn step_between(
        &mut self,
        from: Node,
        to: Node,
        guard: TermId,
        updates: Vec<(Place, Update)>,
        span: Span,
    ) {
        let step = Step {
            guard,
            updates,
            waits: Waits::Never,
            role: Role::Command,
        };
        self.add(from, to, Operation::Step(step), span);
    }

    fn yes(&mut self) -> TermId {
        self.memory.terms.bool(true)
    }

    fn edge(&mut self, edge: &Edge, depths: &FxHashMap<Node, u32>) {
        let yes = self.yes();
        // What control never gets to needs no translation.
        let Some(&depth) = depths.get(&edge.from) else {
            return;
        };
        self.in_section = depth > 0;
        match &edge.action {
            // A thread that ends inside a section leaves it.
            Action::Skip if depth > 0 && self.ends_thread(edge.to) => {
                self.add(edge.from, edge.to, Operation::AtomicEnd, edge.span);
            }
            Action::Skip | Action::CopyPointers { .. } => self.step(edge, yes, Vec::new()),
            Action::Set(register, value) => {
                let update = (Place::Variable(*register), Update::Value(value.term));
                self.step(edge, yes, vec![update]);
            }
            Action::Havoc(register) => {
                self.step(edge, yes, vec![(Place::Variable(*register), Update::Any)]);
            }
            Action::Assume(condition, waiting) => {
                let step = Step {
                    guard: *condition,
                    updates: Vec::new(),
                    waits: match waiting {
                        Waiting::Branch => Waits::Never,
                        Waiting::Assumption => Waits::Assumes,
                    },
                    role: Role::Command,
                };
                self.add(edge.from, edge.to, Operation::Step(step), edge.span);
            }
            Action::Assert(condition, message) => {
                let operation = Operation::Assert(*condition, message.clone());
                self.add(edge.from, edge.to, operation, edge.span);
            }
            Action::Load(register, access) => {
                for choice in self.choices(edge, access) {
                    let value = self.memory.read(&choice, access);
                    let update = (Place::Variable(*register), Update::Value(value));
                    self.step(edge, choice.guard, vec![update]);
                }
            }
            Action::Store(access, value) => {
                for choice in self.choices(edge, access) {
                    let updates = self.memory.write(&choice, access, value.term);
                    self.note_bit_field(edge, access, &updates);
                    self.step(edge, choice.guard, updates);
                }
            }
            Action::StoreAny(access) => self.store_any(edge, access),
            Action::Update { .. } => self.update(edge),
            Action::Fill { object, zero } => self.fill(edge, *object, *zero),
            Action::Callee(register) => {
                if self.points_to.of(*register).unknown {
                    let message = "a function is called through a pointer of unknown origin";
                    self.report(edge.span, message);
                }
                self.step(edge, yes, Vec::new());
            }
            Action::Target(register, object) => {
                let targets = self.points_to.of(*register);
                if targets.places.iter().any(|place| place.object == *object) {
                    let pointer = self.memory.terms.variable(*register);
                    let address = self.memory.address(*object);
                    let here = self.memory.terms.eq(pointer, address);
                    self.step(edge, here, Vec::new());
                }
            }
            Action::NoTarget(register, functions) => self.no_target(edge, *register, functions),
            Action::Create(thread) => {
                self.add(edge.from, edge.to, Operation::Create(*thread), edge.span);
            }
            Action::Join(value, result) => self.join(edge, value, *result),
            Action::AtomicBegin => {
                let operation = match depth {
                    0 => Operation::AtomicBegin,
                    _ => return self.step(edge, yes, Vec::new()),
                };
                self.add(edge.from, edge.to, operation, edge.span);
            }
            Action::AtomicEnd => {
                let operation = match depth {
                    1 => Operation::AtomicEnd,
                    _ => return self.step(edge, yes, Vec::new()),
                };
                self.add(edge.from, edge.to, operation, edge.span);
            }
            Action::Fence => self.fence(edge),
            Action::Bound(message) => {
                let operation = Operation::Bound(message.clone());
                self.add(edge.from, edge.to, operation, edge.span);
            }
        }
    }

    /// The choices for an access; the edge for pointers that fit none of them is added.
    fn choices(&mut self, edge: &Edge, access: &Access) -> Vec<Choice> {
        let (choices, certain) = match self.memory.resolve(access) {
            Ok(resolved) => resolved,
            Err(Problem::UnknownPointer) => {
                let message = "memory is accessed through a pointer of unknown origin (a number, \
                     or the result of a function that is not defined)";
                self.report(edge.span, message);
                return Vec::new();
            }
            Err(Problem::Mismatch(object)) => {
                let name = self.expanded.objects[object.index()].name.clone();
                let message = format!(
                    "an access that covers several parts of `{name}`, or parts of another type, \
                     is not supported"
                );
                self.report(edge.span, &message);
                return Vec::new();
            }
        };
        if !certain && self.checked_nodes.insert(edge.from) {
            self.invalid_access(edge, &choices);
        }
        choices
    }

    /// The edge that is taken if the pointer is not valid.
    fn invalid_access(&mut self, edge: &Edge, choices: &[Choice]) {
        let guards: Vec<TermId> = choices.iter().map(|choice| choice.guard).collect();
        self.invalid_unless(edge, &guards, "an invalid memory access");
    }

    /// The edge that is taken if a pointer to a function is none of those it can be.
    fn no_target(&mut self, edge: &Edge, register: VarId, functions: &[super::ir::ObjectId]) {
        let targets = self.points_to.of(register);
        let pointer = self.memory.terms.variable(register);
        let mut guards = Vec::new();
        for &function in functions {
            if targets.places.iter().any(|place| place.object == function) {
                let address = self.memory.address(function);
                guards.push(self.memory.terms.eq(pointer, address));
            }
        }
        self.invalid_unless(edge, &guards, "a call through an invalid pointer");
    }

    /// The edge that is taken if none of the conditions holds.
    fn invalid_unless(&mut self, edge: &Edge, guards: &[TermId], violated: &str) {
        let valid = self.memory.terms.or(guards);
        let invalid = self.memory.terms.not(valid);
        if self.memory.terms.is_false(invalid) {
            return;
        }
        let thread = self.node_threads[edge.from.index()];
        if self.options.check_memory {
            let (bad, end) = (self.node(thread), self.node(thread));
            self.step_between(edge.from, bad, invalid, Vec::new(), edge.span);
            let no = self.memory.terms.bool(false);
            let message = violated.to_owned();
            self.add(bad, end, Operation::Assert(no, message), edge.span);
            self.stuck(end, edge.span);
            return;
        }
        self.assume_note(VALID_POINTERS, edge.span);
        let key = (thread, self.in_section);
        let node = match self.invalid.get(&key) {
            Some(&node) => node,
            None => {
                let node = self.node(thread);
                self.stuck(node, edge.span);
                self.invalid.insert(key, node);
                node
            }
        };
        self.step_between(edge.from, node, invalid, Vec::new(), edge.span);
    }

    /// Notes something that the verdict takes for granted, once.
    fn assume_note(&mut self, text: &str, span: Span) {
        if !self.assumptions.iter().any(|(known, _)| known == text) {
            self.assumptions.push((text.to_owned(), Some(span)));
        }
    }

    /// A bit-field is a variable of its own; a machine writes the whole unit.
    fn note_bit_field(&mut self, edge: &Edge, access: &Access, updates: &[(Place, Update)]) {
        let several = self.expanded.threads.len() > 1;
        let leaves = &self.memory.leaf_variables;
        let shared = updates.iter().any(|(place, _)| {
            leaves
                .get(&place.variable())
                .is_some_and(|leaf| leaf.local_to.is_none())
        });
        if access.bits.is_some() && several && shared {
            self.assume_note(SEPARATE_BIT_FIELDS, edge.span);
        }
    }

    /// A node that no execution leaves and where none counts as ended.
    fn stuck(&mut self, node: Node, span: Span) {
        let step = Step {
            guard: self.memory.terms.bool(false),
            updates: Vec::new(),
            waits: Waits::Assumes,
            role: Role::Command,
        };
        self.add(node, node, Operation::Step(step), span);
    }

    fn store_any(&mut self, edge: &Edge, access: &Access) {
        for choice in self.choices(edge, access) {
            if self.memory.is_whole(&choice) {
                let place = self.memory.place(&choice);
                self.step(edge, choice.guard, vec![(place, Update::Any)]);
                continue;
            }
            self.report(
                edge.span,
                "reading input into a part of a union is not supported",
            );
        }
    }

    fn update(&mut self, edge: &Edge) {
        let Action::Update {
            access,
            old,
            guard,
            new,
            sets,
            role,
        } = &edge.action
        else {
            return;
        };
        for choice in self.choices(edge, access) {
            let there = self.memory.read(&choice, access);
            let memory = &mut self.memory;
            let mut put = |term: TermId| {
                memory
                    .terms
                    .substitute(term, |_, variable| (variable == *old).then_some(there))
            };
            let guard_there = put(*guard);
            let new_there = new.as_ref().map(|value| put(value.term));
            let mut updates: Vec<(Place, Update)> = sets
                .iter()
                .map(|&(register, term)| (Place::Variable(register), Update::Value(put(term))))
                .collect();
            if let Some(value) = new_there {
                updates.extend(self.memory.write(&choice, access, value));
            }
            let guard = self.memory.terms.and(&[choice.guard, guard_there]);
            let place = self.memory.place(&choice);
            let step = Step {
                guard,
                updates,
                waits: Waits::Blocks,
                role: match role {
                    UpdateRole::Lock => Role::Lock(place),
                    UpdateRole::Unlock => Role::Unlock(place),
                    UpdateRole::ReadModifyWrite => Role::ReadModifyWrite,
                    UpdateRole::Other => Role::Command,
                },
            };
            self.add(edge.from, edge.to, Operation::Step(step), edge.span);
        }
    }

    fn fill(&mut self, edge: &Edge, object: super::ir::ObjectId, zero: bool) {
        let thread = self.node_threads[edge.from.index()];
        let leaves = self.expanded.objects[object.index()].leaves.clone();
        let yes = self.yes();
        let mut from = edge.from;
        for (leaf, shape) in leaves.iter().enumerate() {
            if shape.kind == LeafKind::Padding {
                continue;
            }
            let variable = self.memory.variable(object, leaf);
            let update = match zero {
                true => {
                    let sort = self.memory.terms.variable_sort(variable);
                    Update::Value(self.memory.zero_of(sort))
                }
                false => Update::Any,
            };
            let to = self.node(thread);
            let updates = vec![(Place::Variable(variable), update)];
            self.step_between(from, to, yes, updates, edge.span);
            from = to;
        }
        self.step_between(from, edge.to, yes, Vec::new(), edge.span);
    }

    fn join(&mut self, edge: &Edge, value: &Value, result: Option<VarId>) {
        if let Sources::Exactly(Pointer {
            base: Base::Object(object),
            constant: 0,
            ..
        }) = value.sources
            && let super::ir::ObjectKind::Thread(thread) =
                self.expanded.objects[object.index()].kind
        {
            self.join_thread(edge, edge.from, thread, result);
            return;
        }
        let own = self.node_threads[edge.from.index()];
        let mut threads = Vec::new();
        let mut unknown =
            value.sources.all().is_empty() && self.memory.terms.as_constant(value.term).is_none();
        for pointer in value.sources.all() {
            match pointer.base {
                Base::Unknown => unknown = true,
                Base::Object(object) => threads.push(object),
                Base::Register(register) => {
                    let targets = self.points_to.of(register);
                    unknown |= targets.unknown;
                    threads.extend(targets.places.iter().map(|place| place.object));
                }
            }
        }
        if unknown {
            self.report(edge.span, "a thread of unknown origin is joined");
        }
        threads.sort_unstable();
        threads.dedup();
        for object in threads {
            let super::ir::ObjectKind::Thread(thread) = self.expanded.objects[object.index()].kind
            else {
                continue;
            };
            let address = self.memory.address(object);
            let here = self.memory.terms.eq(value.term, address);
            let node = self.node(own);
            self.step_between(edge.from, node, here, Vec::new(), edge.span);
            self.join_thread(edge, node, thread, result);
        }
    }

    fn join_thread(&mut self, edge: &Edge, from: Node, thread: ThreadIndex, result: Option<VarId>) {
        let own = self.node_threads[edge.from.index()];
        let object = self.expanded.threads[thread.index()].result;
        let (Some(register), Some(object)) = (result, object) else {
            self.add(from, edge.to, Operation::Join(thread), edge.span);
            return;
        };
        let node = self.node(own);
        self.add(from, node, Operation::Join(thread), edge.span);
        let variable = self.memory.variable(object, 0);
        let value = self.memory.terms.variable(variable);
        let update = (Place::Variable(register), Update::Value(value));
        let yes = self.yes();
        self.step_between(node, edge.to, yes, vec![update], edge.span);
    }

    /// A step on a shared variable that nobody else accesses: no effect, but an atomic
    /// read-modify-write, which no memory model moves others across.
    fn fence(&mut self, edge: &Edge) {
        let thread = self.node_threads[edge.from.index()];
        let variable = match self.fences.get(&thread) {
            Some(&variable) => variable,
            None => {
                let name = format!("fence of {}", self.expanded.threads[thread.index()].name);
                let sort = heddle_program::Sort::Bool;
                let unique = self.memory.terms.unused_name(&name);
                let variable = self.memory.terms.declare(unique, sort);
                let initial = Some(self.memory.terms.bool(false));
                let leaf = LeafVariable {
                    name,
                    nature: Nature::Bits,
                    local_to: None,
                    initial,
                    span: Some(edge.span),
                };
                self.memory.leaf_variables.insert(variable, leaf);
                self.fences.insert(thread, variable);
                variable
            }
        };
        let no = self.memory.terms.bool(false);
        let step = Step {
            guard: self.memory.terms.bool(true),
            updates: vec![(Place::Variable(variable), Update::Value(no))],
            waits: Waits::Never,
            role: Role::ReadModifyWrite,
        };
        self.add(edge.from, edge.to, Operation::Step(step), edge.span);
    }

    /// A location without edges is where a thread ends; no other one may look like that.
    fn close_dead_ends(&mut self, depths: &FxHashMap<Node, u32>) {
        let leaves: FxHashSet<Node> = self.edges.iter().map(|edge| edge.from).collect();
        let mut ends: Vec<(Node, Span)> = self
            .edges
            .iter()
            .filter(|edge| !leaves.contains(&edge.to) && !self.ends_thread(edge.to))
            .map(|edge| (edge.to, edge.span))
            .collect();
        for thread in &self.expanded.threads {
            if depths.contains_key(&thread.entry) && !leaves.contains(&thread.entry) {
                ends.push((thread.entry, thread.span));
            }
        }
        ends.sort_unstable_by_key(|&(node, _)| node);
        ends.dedup_by_key(|&mut (node, _)| node);
        for (node, span) in ends {
            self.stuck(node, span);
        }
    }

    /// How many atomic sections each node that control reaches is inside of. Sections that
    /// depend on the path are reported.
    fn atomic_depths(&mut self) -> FxHashMap<Node, u32> {
        let mut outgoing: FxHashMap<Node, Vec<&Edge>> = FxHashMap::default();
        for edge in &self.expanded.edges {
            outgoing.entry(edge.from).or_default().push(edge);
        }
        let mut depths: FxHashMap<Node, u32> = FxHashMap::default();
        let mut pending: Vec<Node> = Vec::new();
        for thread in &self.expanded.threads {
            depths.insert(thread.entry, 0);
            pending.push(thread.entry);
        }
        let mut problems = Vec::new();
        while let Some(node) = pending.pop() {
            let depth = depths[&node];
            for edge in outgoing.get(&node).into_iter().flatten() {
                let after = match edge.action {
                    Action::AtomicBegin => depth + 1,
                    Action::AtomicEnd if depth == 0 => {
                        problems.push((edge.span, "an atomic section ends that has not begun"));
                        0
                    }
                    Action::AtomicEnd => depth - 1,
                    _ if self.ends_thread(edge.to) => 0,
                    _ => depth,
                };
                match depths.get(&edge.to) {
                    None => {
                        depths.insert(edge.to, after);
                        pending.push(edge.to);
                    }
                    Some(&known) if known != after => {
                        problems.push((
                            edge.span,
                            "whether this is inside an atomic section depends on the path to it",
                        ));
                    }
                    Some(_) => {}
                }
            }
        }
        for (span, message) in problems {
            self.report(span, message);
        }
        depths
    }

    fn ends_thread(&self, node: Node) -> bool {
        self.expanded
            .threads
            .iter()
            .any(|thread| thread.exit == node)
    }
}
