//! Convenient construction of programs, for front ends and tests.

use crate::ids::{EdgeId, LocationId, TermId, ThreadId, VarId};
use crate::program::{
    Assumption, Edge, Enumeration, ErrorCondition, Location, Program, Scope, Start, StateFormula,
    Thread, Variable,
};
use crate::sort::Sort;
use crate::statement::Statement;
use crate::term::Terms;
use crate::verdict::Bound;
use heddle_diagnostics::{Sources, Span};
use std::sync::Arc;

/// A program under construction.
///
/// ```
/// use heddle_program::{ProgramBuilder, Sort, Start, Statement};
///
/// let mut builder = ProgramBuilder::default();
/// let one = builder.terms().int(1);
/// let zero = builder.terms().int(0);
/// let x = builder.shared("x", Sort::Int).initial(zero).id();
/// let p = builder.thread("p", Start::AtBeginning);
/// let y = builder.local(p, "y", Sort::Int).id();
///
/// let entry = builder.entry(p);
/// let read = builder.read(x);
/// let middle = builder.step(entry, Statement::assign(y, read));
/// let sum = builder.read(y);
/// let sum = builder.terms().add(sum, one);
/// builder.step(middle, Statement::assign(x, sum));
///
/// let program = builder.finish();
/// assert!(program.validate().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct ProgramBuilder {
    program: Program,
    span: Option<Span>,
}

impl ProgramBuilder {
    pub fn new(sources: Sources) -> Self {
        let mut builder = Self::default();
        builder.program.sources = sources;
        builder
    }

    /// The place in the source that everything made from here on comes from.
    pub fn at(&mut self, span: impl Into<Option<Span>>) -> &mut Self {
        self.span = span.into();
        self
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.program.terms
    }

    /// What is there so far.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The value of a variable as a term.
    pub fn read(&self, variable: VarId) -> TermId {
        self.program.terms.variable(variable)
    }

    pub fn shared(&mut self, name: &str, sort: Sort) -> VariableBuilder<'_> {
        self.variable(name, name, sort, Scope::Shared)
    }

    pub fn local(&mut self, thread: ThreadId, name: &str, sort: Sort) -> VariableBuilder<'_> {
        let unique = format!("{}.{name}", self.program.thread(thread).name);
        self.variable(&unique, name, sort, Scope::Local(thread))
    }

    /// A local variable under a name that is already unique, as text refers to it. What the
    /// source calls it is the part after the thread's name, if it starts with that.
    pub fn local_named(&mut self, thread: ThreadId, unique: &str, sort: Sort) -> VarId {
        let prefix = format!("{}.", self.program.thread(thread).name);
        let name = unique.strip_prefix(&prefix).unwrap_or(unique);
        self.variable(unique, name, sort, Scope::Local(thread)).id()
    }

    /// Sets the value at the start of the run.
    pub fn set_initial(&mut self, variable: VarId, value: TermId) {
        self.program.variables[variable.index()].initial = Some(value);
    }

    pub fn set_enumeration(&mut self, variable: VarId, enumeration: Arc<Enumeration>) {
        self.program.variables[variable.index()].enumeration = Some(enumeration);
    }

    fn variable(
        &mut self,
        unique: &str,
        name: &str,
        sort: Sort,
        scope: Scope,
    ) -> VariableBuilder<'_> {
        let terms = &mut self.program.terms;
        let unique = terms.unused_name(unique);
        let id = terms.declare(unique, sort);
        assert_eq!(
            id.index(),
            self.program.variables.len(),
            "internal error: the arena has variables that the program does not have"
        );
        self.program.variables.push(Variable {
            name: name.to_owned(),
            sort,
            scope,
            initial: None,
            enumeration: None,
            span: self.span,
        });
        VariableBuilder { builder: self, id }
    }

    /// A thread with its entry location.
    pub fn thread(&mut self, name: &str, start: Start) -> ThreadId {
        let thread = ThreadId::from_index(self.program.threads.len());
        let entry = self.location(thread);
        self.program.threads.push(Thread {
            name: name.to_owned(),
            entry,
            start,
            span: self.span,
        });
        thread
    }

    pub fn entry(&self, thread: ThreadId) -> LocationId {
        self.program.thread(thread).entry
    }

    pub fn location(&mut self, thread: ThreadId) -> LocationId {
        let location = LocationId::from_index(self.program.locations.len());
        self.program.locations.push(Location {
            thread,
            label: None,
            outgoing: Vec::new(),
            span: self.span,
        });
        location
    }

    pub fn labelled(&mut self, thread: ThreadId, label: &str) -> LocationId {
        let location = self.location(thread);
        self.label(location, label);
        location
    }

    /// Names a location, and gives it the place where its label stands.
    pub fn label(&mut self, location: LocationId, label: &str) {
        let span = self.span;
        let location = &mut self.program.locations[location.index()];
        location.label = Some(label.to_owned());
        location.span = span.or(location.span);
    }

    pub fn edge(&mut self, source: LocationId, statement: Statement, target: LocationId) -> EdgeId {
        let edge = EdgeId::from_index(self.program.edges.len());
        self.program.edges.push(Edge {
            source,
            target,
            statement,
            span: self.span,
        });
        self.program.locations[source.index()].outgoing.push(edge);
        edge
    }

    /// An edge to a fresh location, which is returned.
    pub fn step(&mut self, source: LocationId, statement: Statement) -> LocationId {
        let target = self.location(self.program.location(source).thread);
        self.edge(source, statement, target);
        target
    }

    /// Both outcomes of a condition on local variables: where it holds, where it does not.
    pub fn branch(&mut self, source: LocationId, condition: TermId) -> (LocationId, LocationId) {
        let otherwise = self.terms().not(condition);
        (
            self.step(source, Statement::Assume(condition)),
            self.step(source, Statement::Assume(otherwise)),
        )
    }

    /// The states that must not be reached; several calls make a disjunction.
    pub fn error(&mut self, formula: StateFormula) {
        let property = &mut self.program.property;
        property.error = Some(match property.error.take() {
            None => ErrorCondition {
                formula,
                span: self.span,
            },
            Some(previous) => ErrorCondition {
                formula: StateFormula::Or(vec![previous.formula, formula]),
                span: previous.span,
            },
        });
    }

    /// Notes something that the verdict takes for granted.
    pub fn assumption(&mut self, text: impl Into<String>) {
        let span = self.span;
        self.program.assumptions.push(Assumption {
            text: text.into(),
            span,
        });
    }

    /// Says what [`Statement::BoundReached`] refers to.
    pub fn bound(&mut self, bound: Bound) {
        self.program.bound = Some(bound);
    }

    pub fn finish(self) -> Program {
        self.program
    }
}

/// Further properties of a variable; end with [`VariableBuilder::id`].
pub struct VariableBuilder<'a> {
    builder: &'a mut ProgramBuilder,
    id: VarId,
}

impl VariableBuilder<'_> {
    /// The value at the start of the run; without, it is any value.
    pub fn initial(self, value: TermId) -> Self {
        self.builder.program.variables[self.id.index()].initial = Some(value);
        self
    }

    pub fn enumeration(self, enumeration: Arc<Enumeration>) -> Self {
        self.builder.program.variables[self.id.index()].enumeration = Some(enumeration);
        self
    }

    pub fn id(self) -> VarId {
        self.id
    }
}
