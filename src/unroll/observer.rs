//! An error condition on locations, as the assertion of an observer.
//!
//! Whether a thread is at a location becomes a shared variable that the thread's own steps
//! keep up to date, and one more thread asserts, at any one moment, that the condition does
//! not hold. Runs of the two programs correspond step by step.

use heddle_program::{
    Edge, EdgeId, Location, LocationId, Place, Program, Role, Scope, Sort, Start, StateFormula,
    Statement, TermId, Terms, Thread, ThreadId, Update, VarId, Variable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// The program itself if it has no error condition.
pub(crate) fn observe_error_condition(program: &Program) -> Cow<'_, Program> {
    let Some(error) = &program.property.error else {
        return Cow::Borrowed(program);
    };
    let mut observed = program.clone();
    observed.property.error = None;
    let terms: Vec<TermId> = program.property.terms().collect();

    let mut translation = Translation {
        inside: program.inside_atomic(),
        at: FxHashMap::default(),
        promoted: promote_locals(&mut observed, &terms),
        program: observed,
    };
    for location in program.property.locations() {
        translation.declare(program.location(location).thread, location);
    }
    for edge in program.edge_ids() {
        translation.translate(edge);
    }
    translation.add_observer(&error.formula);
    Cow::Owned(translation.program)
}

/// The observer reads the locals that the condition mentions, so they become shared.
fn promote_locals(program: &mut Program, terms: &[TermId]) -> FxHashSet<VarId> {
    let mentioned: FxHashSet<VarId> = terms
        .iter()
        .flat_map(|&term| program.terms.variables_of(term))
        .filter(|&variable| !program.is_shared(variable))
        .collect();
    for variable in &mentioned {
        program.variables[variable.index()].scope = Scope::Shared;
    }
    mentioned
}

struct Translation {
    program: Program,
    /// By location of the original program.
    inside: Vec<bool>,
    /// The variable that says whether the thread is at the location.
    at: FxHashMap<(ThreadId, LocationId), VarId>,
    promoted: FxHashSet<VarId>,
}

impl Translation {
    fn declare(&mut self, thread: ThreadId, location: LocationId) {
        if self.at.contains_key(&(thread, location)) {
            return;
        }
        let Thread {
            entry, start, name, ..
        } = self.program.thread(thread);
        let initially = *entry == location && *start == Start::AtBeginning;
        let name = format!("at({name}, {})", self.program.location_name(location));
        let initial = self.program.terms.bool(initially);
        let unique = self.program.terms.unused_name(&name);
        let variable = self.program.terms.declare(unique, Sort::Bool);
        self.program.variables.push(Variable {
            name,
            sort: Sort::Bool,
            scope: Scope::Shared,
            initial: Some(initial),
            enumeration: None,
            span: None,
        });
        self.at.insert((thread, location), variable);
    }

    /// What the step changes about who is where.
    fn moves(&mut self, edge: EdgeId) -> Vec<(Place, Update)> {
        let Edge {
            source,
            target,
            ref statement,
            ..
        } = *self.program.edge(edge);
        let thread = self.program.thread_of(edge);
        let created = match statement {
            Statement::Create(created) => Some(*created),
            _ => None,
        };
        let mut moves = Vec::new();
        let mut set = |variable: Option<&VarId>, value: bool, terms: &mut Terms| {
            let value = Update::Value(terms.bool(value));
            moves.extend(variable.map(|&variable| (Place::Variable(variable), value)));
        };
        if source != target {
            set(
                self.at.get(&(thread, source)),
                false,
                &mut self.program.terms,
            );
            set(
                self.at.get(&(thread, target)),
                true,
                &mut self.program.terms,
            );
        }
        if let Some(created) = created {
            let entry = self.program.thread(created).entry;
            set(
                self.at.get(&(created, entry)),
                true,
                &mut self.program.terms,
            );
        }
        moves
    }

    fn translate(&mut self, edge: EdgeId) {
        let moves = self.moves(edge);
        let statement = self.program.edge(edge).statement.clone();
        let accesses_promoted = self
            .program
            .reads(&statement)
            .into_iter()
            .chain(self.program.writes(&statement))
            .any(|variable| self.promoted.contains(&variable));
        if moves.is_empty() && !accesses_promoted {
            return;
        }
        if let Some(guarded) = self.as_guarded(&statement, &moves) {
            self.program.edges[edge.index()].statement = guarded;
            return;
        }
        let update = Statement::command(self.program.terms.bool(true), moves);
        let source = self.program.edge(edge).source;
        let sequence = match statement {
            Statement::AtomicBegin => vec![Statement::AtomicBegin, update],
            Statement::AtomicEnd => vec![update, Statement::AtomicEnd],
            other if self.inside[source.index()] => vec![other, update],
            other => vec![Statement::AtomicBegin, other, update, Statement::AtomicEnd],
        };
        self.replace_by(edge, sequence);
    }

    /// The same step, with the moves made in it, if a guarded step can say that.
    fn as_guarded(
        &mut self,
        statement: &Statement,
        moves: &[(Place, Update)],
    ) -> Option<Statement> {
        let (guard, updates) = statement.as_guarded(&mut self.program.terms)?;
        let role = match statement {
            Statement::Guarded { role, .. } => *role,
            _ => Role::Command,
        };
        let updates = updates.into_iter().chain(moves.iter().copied()).collect();
        Some(Statement::Guarded {
            guard,
            updates,
            role,
        })
    }

    fn replace_by(&mut self, edge: EdgeId, sequence: Vec<Statement>) {
        let Edge {
            source,
            target,
            span,
            ..
        } = self.program.edge(edge).clone();
        let thread = self.program.location(source).thread;
        let last = sequence.len() - 1;
        let mut from = source;
        for (index, statement) in sequence.into_iter().enumerate() {
            let to = if index == last {
                target
            } else {
                self.location(thread)
            };
            if index == 0 {
                let first = &mut self.program.edges[edge.index()];
                first.statement = statement;
                first.target = to;
            } else {
                self.add_edge(from, statement, to, span);
            }
            from = to;
        }
    }

    fn location(&mut self, thread: ThreadId) -> LocationId {
        let id = LocationId::from_index(self.program.locations.len());
        self.program.locations.push(Location {
            thread,
            label: None,
            outgoing: Vec::new(),
            span: None,
        });
        id
    }

    fn add_edge(
        &mut self,
        source: LocationId,
        statement: Statement,
        target: LocationId,
        span: Option<heddle_diagnostics::Span>,
    ) {
        let id = EdgeId::from_index(self.program.edges.len());
        self.program.edges.push(Edge {
            source,
            target,
            statement,
            span,
        });
        self.program.locations[source.index()].outgoing.push(id);
    }

    fn add_observer(&mut self, formula: &StateFormula) {
        let thread = ThreadId::from_index(self.program.threads.len());
        let entry = self.location(thread);
        self.program.threads.push(Thread {
            name: "observer".into(),
            entry,
            start: Start::AtBeginning,
            span: None,
        });
        let error = self.term(formula);
        let condition = self.program.terms.not(error);
        let statements = [
            Statement::AtomicBegin,
            Statement::assert(condition, "the error condition does not hold"),
            Statement::AtomicEnd,
        ];
        let mut from = entry;
        for statement in statements {
            let to = self.location(thread);
            self.add_edge(from, statement, to, None);
            from = to;
        }
    }

    fn term(&mut self, formula: &StateFormula) -> TermId {
        match formula {
            StateFormula::At(thread, location) => {
                self.program.terms.variable(self.at[&(*thread, *location)])
            }
            StateFormula::Term(term) => *term,
            StateFormula::Not(inner) => {
                let inner = self.term(inner);
                self.program.terms.not(inner)
            }
            StateFormula::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.term(part)).collect();
                self.program.terms.and(&parts)
            }
            StateFormula::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.term(part)).collect();
                self.program.terms.or(&parts)
            }
        }
    }
}
