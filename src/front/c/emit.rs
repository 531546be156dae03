//! The finished steps as a [`Program`], with only the variables that they mention.

use super::ir::{Expanded, Node, ThreadIndex};
use super::lower::{Lowered, LoweredEdge, Operation, Step, Waits};
use heddle_diagnostics::Sources;
use heddle_program::{
    Bound, LocationId, Place, Program, ProgramBuilder, Role, Start, Statement, Term, TermId,
    ThreadId, Update, VarId,
};
use rustc_hash::FxHashMap;

pub(crate) fn emit(expanded: &Expanded, lowered: &Lowered, sources: Sources) -> Program {
    let mut emitter = Emitter {
        expanded,
        lowered,
        builder: ProgramBuilder::new(sources),
        threads: FxHashMap::default(),
        locations: FxHashMap::default(),
        variables: FxHashMap::default(),
        terms: FxHashMap::default(),
    };
    emitter.run();
    emitter.builder.finish()
}

struct Emitter<'a> {
    expanded: &'a Expanded,
    lowered: &'a Lowered,
    builder: ProgramBuilder,
    threads: FxHashMap<ThreadIndex, ThreadId>,
    locations: FxHashMap<Node, LocationId>,
    variables: FxHashMap<VarId, VarId>,
    terms: FxHashMap<TermId, TermId>,
}

impl Emitter<'_> {
    fn run(&mut self) {
        self.add_threads();
        self.add_locations();
        let used = self.used_variables();
        for variable in used {
            self.add_variable(variable);
        }
        for edge in &self.lowered.edges {
            self.add_edge(edge);
        }
        for (text, span) in &self.lowered.assumptions {
            self.builder.at(*span).assumption(text.clone());
        }
        let bound_reached = self
            .lowered
            .edges
            .iter()
            .any(|edge| matches!(edge.operation, Operation::Bound(_)));
        if let Some(bound) = self.expanded.bound.filter(|_| bound_reached) {
            self.builder.bound(Bound(bound));
        }
    }

    /// `main`, and every thread that is created.
    fn add_threads(&mut self) {
        let created: Vec<ThreadIndex> = self
            .lowered
            .edges
            .iter()
            .filter_map(|edge| match edge.operation {
                Operation::Create(thread) => Some(thread),
                _ => None,
            })
            .collect();
        for (index, thread) in self.expanded.threads.iter().enumerate() {
            let number = ThreadIndex(index as u32);
            let start = match index {
                0 => Start::AtBeginning,
                _ if created.contains(&number) => Start::ByCreate,
                _ => continue,
            };
            self.builder.at(thread.span);
            let id = self.builder.thread(&thread.name, start);
            self.threads.insert(number, id);
            let entry = self.builder.entry(id);
            self.locations.insert(thread.entry, entry);
        }
    }

    fn add_locations(&mut self) {
        for edge in &self.lowered.edges {
            for node in [edge.from, edge.to] {
                if self.locations.contains_key(&node) {
                    continue;
                }
                let thread = self.lowered.node_threads[node.index()];
                if let Some(&thread) = self.threads.get(&thread) {
                    self.builder.at(edge.span);
                    let location = self.builder.location(thread);
                    self.locations.insert(node, location);
                }
            }
        }
        let mut taken: Vec<(ThreadIndex, String)> = Vec::new();
        for (node, label, span) in &self.expanded.labels {
            let thread = self.expanded.node_threads[node.index()];
            let key = (thread, label.clone());
            if let Some(&location) = self.locations.get(node)
                && !taken.contains(&key)
            {
                self.builder.at(*span);
                self.builder.label(location, label);
                taken.push(key);
            }
        }
    }

    /// In the order of their declaration: registers, then memory.
    fn used_variables(&self) -> Vec<VarId> {
        let mut used: Vec<VarId> = Vec::new();
        let mut roots: Vec<TermId> = Vec::new();
        for edge in &self.lowered.edges {
            match &edge.operation {
                Operation::Step(step) => {
                    roots.push(step.guard);
                    for (place, update) in &step.updates {
                        used.push(place.variable());
                        if let Place::Element(_, index) = place {
                            roots.push(*index);
                        }
                        if let Update::Value(value) = update {
                            roots.push(*value);
                        }
                    }
                    if let Role::Lock(place) | Role::Unlock(place) = step.role {
                        used.push(place.variable());
                    }
                }
                Operation::Assert(condition, _) => roots.push(*condition),
                _ => {}
            }
        }
        for term in self.lowered.terms.subterms(&roots) {
            used.extend(self.lowered.terms.as_variable(term));
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    fn add_variable(&mut self, variable: VarId) {
        let sort = self.lowered.terms.variable_sort(variable);
        let (name, local_to, initial, span) = match self.lowered.leaf_variables.get(&variable) {
            Some(leaf) => (leaf.name.clone(), leaf.local_to, leaf.initial, leaf.span),
            None => {
                let register = &self.expanded.registers[variable.index()];
                // Every register is written before it is read; a fixed start keeps the
                // number of states down.
                let zero = super::memory::zero_term(self.builder.terms(), sort);
                self.builder.at(register.span);
                let Some(&thread) = self.threads.get(&register.thread) else {
                    return;
                };
                let id = self
                    .builder
                    .local(thread, &symbol(&register.name), sort)
                    .initial(zero)
                    .id();
                self.variables.insert(variable, id);
                return;
            }
        };
        let initial = initial.map(|term| self.term(term));
        self.builder.at(span);
        let thread = local_to.and_then(|thread| self.threads.get(&thread).copied());
        let declared = match thread {
            Some(thread) => self.builder.local(thread, &symbol(&name), sort),
            None => self.builder.shared(&symbol(&name), sort),
        };
        let id = match initial {
            Some(initial) => declared.initial(initial).id(),
            None => declared.id(),
        };
        self.variables.insert(variable, id);
    }

    /// The same term in the program's own arena.
    fn term(&mut self, term: TermId) -> TermId {
        if let Some(&known) = self.terms.get(&term) {
            return known;
        }
        for inner in self.lowered.terms.subterms(&[term]) {
            if self.terms.contains_key(&inner) {
                continue;
            }
            let image = match self.lowered.terms.get(inner) {
                Term::Constant(constant) => self.builder.terms().constant(*constant),
                Term::Variable(variable) => match self.variables.get(variable) {
                    Some(&variable) => self.builder.read(variable),
                    None => continue,
                },
                Term::Apply { op, arguments } => {
                    let arguments: Vec<TermId> = arguments
                        .iter()
                        .map(|argument| self.terms[argument])
                        .collect();
                    self.builder.terms().apply(*op, &arguments)
                }
            };
            self.terms.insert(inner, image);
        }
        self.terms[&term]
    }

    fn place(&mut self, place: Place) -> Place {
        match place {
            Place::Variable(variable) => Place::Variable(self.variables[&variable]),
            Place::Element(variable, index) => {
                Place::Element(self.variables[&variable], self.term(index))
            }
        }
    }

    fn add_edge(&mut self, edge: &LoweredEdge) {
        let (Some(&from), Some(&to)) =
            (self.locations.get(&edge.from), self.locations.get(&edge.to))
        else {
            return;
        };
        let statement = match &edge.operation {
            Operation::Step(step) => self.statement(step),
            Operation::Assert(condition, message) => {
                Statement::assert(self.term(*condition), message.clone())
            }
            Operation::Create(thread) => match self.threads.get(thread) {
                Some(&thread) => Statement::Create(thread),
                None => return,
            },
            Operation::Join(thread) => match self.threads.get(thread) {
                Some(&thread) => Statement::Join(thread),
                // Nobody creates it, so nobody can wait for it with success.
                None => Statement::Assume(self.builder.terms().bool(false)),
            },
            Operation::AtomicBegin => Statement::AtomicBegin,
            Operation::AtomicEnd => Statement::AtomicEnd,
            Operation::Bound(message) => Statement::BoundReached(message.clone()),
        };
        self.builder.at(edge.span);
        self.builder.edge(from, statement, to);
    }

    fn statement(&mut self, step: &Step) -> Statement {
        let guard = self.term(step.guard);
        let is_true = self.builder.terms().is_true(guard);
        let updates: Vec<(Place, Update)> = step
            .updates
            .iter()
            .map(|&(place, update)| {
                let place = self.place(place);
                let update = match update {
                    Update::Value(value) => Update::Value(self.term(value)),
                    Update::Any => Update::Any,
                };
                (place, update)
            })
            .collect();
        let role = match step.role {
            Role::Lock(place) => Role::Lock(self.place(place)),
            Role::Unlock(place) => Role::Unlock(self.place(place)),
            other => other,
        };
        let plain = match (&updates[..], role) {
            ([], Role::Command) if is_true => Statement::Skip,
            ([], Role::Command) if step.waits != Waits::Blocks => Statement::Assume(guard),
            ([(target, Update::Value(value))], Role::Command)
                if is_true && !self.rereads(*target, *value) =>
            {
                Statement::Assign {
                    target: *target,
                    value: *value,
                }
            }
            ([(target, Update::Any)], Role::Command) if is_true => {
                Statement::Havoc { target: *target }
            }
            _ => {
                return Statement::Guarded {
                    guard,
                    updates,
                    role,
                };
            }
        };
        // Several bytes of an array are read at once.
        match self.builder.program().shared_accesses(&plain) {
            0 | 1 => plain,
            _ => Statement::Guarded {
                guard,
                updates,
                role,
            },
        }
    }

    /// Whether a write to a part of a variable has to mention the rest of it.
    fn rereads(&mut self, target: Place, value: TermId) -> bool {
        let program = self.builder.program();
        program.is_shared(target.variable())
            && program
                .terms
                .variables_of(value)
                .contains(&target.variable())
    }
}

/// A name without the characters that symbols cannot have.
fn symbol(name: &str) -> String {
    name.replace(['|', '\\', '\t', '\n', '\r'], "_")
}
