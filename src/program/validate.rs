//! What every program must satisfy, checked: front ends run this in their tests, and the
//! reader of program facts on every input.

use crate::ids::{EdgeId, LocationId, TermId, ThreadId, VarId};
use crate::program::{Program, Scope, Start, StateFormula};
use crate::sort::{MAX_WIDTH, Scalar, Sort};
use crate::statement::{Place, Role, Statement, Update};
use heddle_diagnostics::{Diagnostic, Span};
use rustc_hash::FxHashMap;

impl Program {
    /// Every violation of what this representation promises to its readers; empty for a
    /// well-formed program.
    pub fn validate(&self) -> Vec<Diagnostic> {
        let mut validator = Validator {
            program: self,
            diagnostics: Vec::new(),
        };
        validator.variables();
        validator.threads();
        // The remaining checks follow the ids that these two have found to be sound.
        if validator.graph() {
            let inside = validator.atomic_sections();
            for edge in self.edge_ids() {
                validator.statement(edge, &inside);
            }
            if let Some(error) = &self.property.error {
                validator.formula(&error.formula, error.span);
            }
        }
        validator.diagnostics
    }
}

struct Validator<'a> {
    program: &'a Program,
    diagnostics: Vec<Diagnostic>,
}

impl Validator<'_> {
    fn error(&mut self, span: Option<Span>, message: impl Into<String>) {
        self.diagnostics.push(match span {
            Some(span) => Diagnostic::error(span, message),
            None => Diagnostic::without_place(message),
        });
    }

    /// Adds a hint to the last error.
    fn hint(&mut self, hint: &str) {
        let last = self.diagnostics.pop();
        self.diagnostics.extend(last.map(|error| error.hint(hint)));
    }

    fn variables(&mut self) {
        let program = self.program;
        if program.variables.len() > program.terms.variable_count() {
            self.error(None, "the arena does not know all variables of the program");
            return;
        }
        for id in program.variable_ids() {
            let variable = program.variable(id);
            let name = program.terms.name(id);
            let sort = variable.sort;
            if program.terms.variable_sort(id) != sort {
                self.error(
                    variable.span,
                    format!("variable `{name}` has another sort in the arena"),
                );
            }
            self.name("variable", name, variable.span);
            if let Some(problem) = unusable(sort) {
                self.error(variable.span, format!("variable `{name}` {problem}"));
            }
            if let Scope::Local(thread) = variable.scope
                && thread.index() >= program.threads.len()
            {
                self.error(
                    variable.span,
                    format!("variable `{name}` is local to a thread that does not exist"),
                );
            }
            if let Some(initial) = variable.initial {
                if program.terms.sort(initial) != sort {
                    self.error(
                        variable.span,
                        format!(
                            "the initial value of `{name}` is of sort {}, not {sort}",
                            program.terms.sort(initial)
                        ),
                    );
                }
                if !program.terms.variables_of(initial).is_empty() {
                    self.error(
                        variable.span,
                        format!("the initial value of `{name}` mentions a variable"),
                    );
                }
            }
        }
    }

    /// Names are written as symbols and in columns of tables.
    fn name(&mut self, kind: &str, name: &str, span: Option<Span>) {
        if name.is_empty() || name.contains(['|', '\\', '\t', '\n', '\r']) {
            self.error(
                span,
                format!("the name of {kind} {name:?} cannot be written as a symbol"),
            );
        }
    }

    fn threads(&mut self) {
        let program = self.program;
        let mut names: FxHashMap<&str, ThreadId> = FxHashMap::default();
        for id in program.thread_ids() {
            let thread = program.thread(id);
            self.name("thread", &thread.name, thread.span);
            if names.insert(&thread.name, id).is_some() {
                self.error(
                    thread.span,
                    format!("there are two threads named `{}`", thread.name),
                );
            }
        }
        let mut labels: FxHashMap<(ThreadId, &str), LocationId> = FxHashMap::default();
        for id in program.location_ids() {
            let location = program.location(id);
            let Some(label) = &location.label else {
                continue;
            };
            self.name("location", label, location.span);
            if labels.insert((location.thread, label), id).is_some() {
                self.error(
                    location.span,
                    format!("label `{label}` occurs twice in its thread"),
                );
            }
        }
    }

    /// Whether all ids of threads, locations and edges are sound.
    fn graph(&mut self) -> bool {
        let program = self.program;
        let before = self.diagnostics.len();
        let location_thread = |location: LocationId| {
            let location = program.locations.get(location.index())?;
            Some(location.thread)
        };
        for id in program.thread_ids() {
            let thread = program.thread(id);
            if location_thread(thread.entry) != Some(id) {
                self.error(
                    thread.span,
                    format!("thread `{}` has no entry location of its own", thread.name),
                );
            }
        }
        for location in &program.locations {
            if location.thread.index() >= program.threads.len() {
                self.error(location.span, "a location of a thread that does not exist");
            }
        }
        for edge in &program.edges {
            let source = location_thread(edge.source);
            if source.is_none() || source != location_thread(edge.target) {
                self.error(
                    edge.span,
                    "an edge does not join two locations of one thread",
                );
            }
        }
        for id in program.location_ids() {
            let location = program.location(id);
            let own = |edge: &EdgeId| {
                program
                    .edges
                    .get(edge.index())
                    .is_some_and(|edge| edge.source == id)
            };
            if !location.outgoing.iter().all(own) {
                self.error(
                    location.span,
                    "a location lists an edge that starts elsewhere",
                );
            }
        }
        let listed: usize = program.locations.iter().map(|l| l.outgoing.len()).sum();
        if listed != program.edges.len() {
            self.error(None, "an edge is not listed by its source, or twice");
        }
        self.diagnostics.len() == before
    }

    /// Reports sections that overlap or depend on the path; the state of each location.
    fn atomic_sections(&mut self) -> Vec<bool> {
        let program = self.program;
        let inside = program.inside_atomic();
        for edge in &program.edges {
            let here = inside[edge.source.index()];
            let after = match edge.statement {
                Statement::AtomicBegin if here => {
                    self.error(edge.span, "an atomic section begins inside another");
                    continue;
                }
                Statement::AtomicEnd if !here => {
                    self.error(edge.span, "an atomic section ends that has not begun");
                    continue;
                }
                Statement::AtomicBegin => true,
                Statement::AtomicEnd => false,
                _ => here,
            };
            if inside[edge.target.index()] != after {
                self.error(
                    edge.span,
                    "whether the target is inside an atomic section depends on the path",
                );
            }
        }
        inside
    }

    fn statement(&mut self, id: EdgeId, inside_atomic: &[bool]) {
        let program = self.program;
        let edge = program.edge(id);
        let (span, thread) = (edge.span, program.thread_of(id));
        let before = self.diagnostics.len();
        match &edge.statement {
            Statement::Assign { target, value } => {
                if let Some(sort) = self.place(*target, thread, span) {
                    self.term(*value, sort, Some(thread), span);
                }
            }
            Statement::Havoc { target } => {
                self.place(*target, thread, span);
            }
            Statement::Assume(condition) | Statement::Assert { condition, .. } => {
                self.term(*condition, Sort::Bool, Some(thread), span);
            }
            Statement::Guarded {
                guard,
                updates,
                role,
            } => {
                self.term(*guard, Sort::Bool, Some(thread), span);
                for &(target, update) in updates {
                    let sort = self.place(target, thread, span);
                    if let (Some(sort), Update::Value(value)) = (sort, update) {
                        self.term(value, sort, Some(thread), span);
                    }
                }
                if let Role::Lock(mutex) | Role::Unlock(mutex) = role {
                    self.place(*mutex, thread, span);
                }
                self.distinct_targets(updates, span);
            }
            Statement::Create(created) => match program.threads.get(created.index()) {
                None => self.error(span, "a thread is created that does not exist"),
                Some(created) if created.start == Start::AtBeginning => self.error(
                    span,
                    format!(
                        "thread `{}` is created, though it runs from the beginning",
                        created.name
                    ),
                ),
                Some(_) => {}
            },
            Statement::Join(joined) => {
                if joined.index() >= program.threads.len() {
                    self.error(span, "a thread is joined that does not exist");
                }
            }
            Statement::Skip
            | Statement::AtomicBegin
            | Statement::AtomicEnd
            | Statement::BoundReached(_) => {}
        }
        let sound = self.diagnostics.len() == before;
        let is_guarded = matches!(edge.statement, Statement::Guarded { .. });
        if sound && !is_guarded && !inside_atomic[edge.source.index()] {
            let accesses = program.shared_accesses(&edge.statement);
            if accesses > 1 {
                self.error(
                    span,
                    format!("one step makes {accesses} accesses to shared memory"),
                );
                self.hint(
                    "make each a step of its own, with a local variable between them, or all of \
                     them one step by a guard or an atomic section",
                );
            }
        }
    }

    fn distinct_targets(&mut self, updates: &[(Place, Update)], span: Option<Span>) {
        for (position, (target, _)) in updates.iter().enumerate() {
            let clashes = updates[..position].iter().any(|(earlier, _)| {
                earlier.variable() == target.variable()
                    && (earlier == target
                        || matches!(earlier, Place::Variable(_))
                        || matches!(target, Place::Variable(_)))
            });
            if clashes {
                let name = self.program.terms.name(target.variable()).to_owned();
                self.error(span, format!("one step writes `{name}` twice"));
            }
        }
    }

    /// The sort of what is at the place, if it is one that the thread may access.
    fn place(&mut self, place: Place, thread: ThreadId, span: Option<Span>) -> Option<Sort> {
        let variable = place.variable();
        if !self.accessible(variable, Some(thread), span) {
            return None;
        }
        let sort = self.program.variable(variable).sort;
        match place {
            Place::Variable(_) => Some(sort),
            Place::Element(_, index) => {
                let Sort::Array(array) = sort else {
                    let name = self.program.terms.name(variable);
                    self.error(span, format!("`{name}` is indexed but is not an array"));
                    return None;
                };
                self.term(index, array.index.into(), Some(thread), span);
                Some(array.element.into())
            }
        }
    }

    fn accessible(
        &mut self,
        variable: VarId,
        thread: Option<ThreadId>,
        span: Option<Span>,
    ) -> bool {
        let program = self.program;
        let Some(declared) = program.variables.get(variable.index()) else {
            self.error(span, "a variable is used that the program does not have");
            return false;
        };
        if let (Scope::Local(owner), Some(thread)) = (declared.scope, thread)
            && owner != thread
        {
            self.error(
                span,
                format!(
                    "thread `{}` uses `{}`, which is local to another thread",
                    program.thread(thread).name,
                    program.terms.name(variable)
                ),
            );
            return false;
        }
        true
    }

    /// Checks sort and variables; `thread` is `None` where all threads' locals are visible.
    fn term(&mut self, term: TermId, sort: Sort, thread: Option<ThreadId>, span: Option<Span>) {
        if term.index() >= self.program.terms.len() {
            self.error(span, "a term is used that the arena does not have");
            return;
        }
        let found = self.program.terms.sort(term);
        if found != sort {
            self.error(
                span,
                format!("a term of sort {found} is used where {sort} is expected"),
            );
        }
        for variable in self.program.terms.variables_of(term) {
            self.accessible(variable, thread, span);
        }
    }

    fn formula(&mut self, formula: &StateFormula, span: Option<Span>) {
        match formula {
            StateFormula::At(thread, location) => {
                let found = self.program.locations.get(location.index());
                if found.map(|location| location.thread) != Some(*thread) {
                    self.error(
                        span,
                        "the error condition names a location of another thread",
                    );
                }
            }
            StateFormula::Term(term) => self.term(*term, Sort::Bool, None, span),
            StateFormula::Not(inner) => self.formula(inner, span),
            StateFormula::And(parts) | StateFormula::Or(parts) => {
                for part in parts {
                    self.formula(part, span);
                }
            }
        }
    }
}

/// What is wrong with the sort of a variable, as the end of a sentence.
fn unusable(sort: Sort) -> Option<String> {
    let scalar = |scalar: Scalar| match scalar {
        Scalar::BitVec(width) if width == 0 || width > MAX_WIDTH => {
            Some(format!("has {width} bits; 1 to {MAX_WIDTH} are supported"))
        }
        _ => None,
    };
    match sort {
        Sort::Array(array) if array.index == Scalar::Bool => {
            Some("is an array indexed by Bool".into())
        }
        Sort::Array(array) if array.length == 0 => Some("is an array without elements".into()),
        Sort::Array(array) => scalar(array.index).or_else(|| scalar(array.element)),
        other => scalar(other.scalar()?),
    }
}
