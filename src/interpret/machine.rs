//! A program compiled for fast stepping.

use crate::code::{Code, Context, Failure, element};
use crate::layout::{Configuration, Layout, Slot};
use heddle_program::{
    EdgeId, LocationId, Place, Program, Sort, StateFormula, Statement, TermId, ThreadId, Update,
    Value, VarId,
};

/// What becomes of an attempt to take an edge of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    Taken,
    Blocked,
    Violated,
    BoundReached,
    CreatedTwice(ThreadId),
}

#[derive(Clone, Debug)]
enum Target {
    Slot(Slot),
    Element {
        first: Slot,
        length: u32,
        index: Code,
    },
    Array(VarId),
}

/// What is written into a target.
#[derive(Clone, Debug)]
enum Source {
    Code(Code),
    /// A whole array, by the reference evaluator.
    Array(TermId, Box<[VarId]>),
    /// A value that is chosen when it is first read.
    Any,
}

#[derive(Clone, Debug)]
enum Action {
    Skip,
    Write(Target, Source),
    Assume(Code),
    Assert(Code),
    Guarded(Code, Box<[(Target, Source)]>),
    Create(ThreadId),
    Join(ThreadId),
    AtomicBegin,
    AtomicEnd,
    BoundReached,
}

#[derive(Debug)]
struct CompiledEdge {
    thread: ThreadId,
    target: LocationId,
    action: Action,
}

#[derive(Debug)]
enum CompiledFormula {
    At(ThreadId, LocationId),
    Term(Code),
    Not(Box<CompiledFormula>),
    And(Vec<CompiledFormula>),
    Or(Vec<CompiledFormula>),
}

#[derive(Debug)]
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) layout: Layout,
    edges: Vec<CompiledEdge>,
    error: Option<CompiledFormula>,
}

/// Space that steps reuse.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    stack: Vec<i128>,
    writes: Vec<(Slot, Option<i128>)>,
}

impl Scratch {
    pub(crate) fn stack(&mut self) -> &mut Vec<i128> {
        &mut self.stack
    }

    /// The slots that the edge that was [taken](Machine::take) last leaves undefined, in the order of its
    /// [`choices`](crate::choices).
    pub(crate) fn opened(&self) -> Vec<Slot> {
        let undefined = |&(slot, word): &(Slot, Option<i128>)| word.is_none().then_some(slot);
        self.writes.iter().filter_map(undefined).collect()
    }
}

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program) -> Machine<'p> {
        let layout = Layout::new(program);
        let compiler = Compiler {
            program,
            layout: &layout,
        };
        let edges = program.edge_ids().map(|edge| compiler.edge(edge)).collect();
        let error = program.property.error.as_ref();
        let error = error.map(|error| compiler.formula(&error.formula));
        Machine {
            program,
            layout,
            edges,
            error,
        }
    }

    fn context(&self) -> Context<'_> {
        Context {
            program: self.program,
            layout: &self.layout,
        }
    }

    /// Whether the edge can be taken, as far as its condition decides.
    pub(crate) fn probe(
        &self,
        configuration: &Configuration,
        edge: EdgeId,
        scratch: &mut Scratch,
    ) -> Result<Move, Failure> {
        let stack = &mut scratch.stack;
        let (condition, otherwise) = match &self.edges[edge.index()].action {
            Action::Assume(condition) | Action::Guarded(condition, _) => (condition, Move::Blocked),
            Action::Assert(condition) => (condition, Move::Violated),
            Action::Create(created) if configuration.location(*created).is_some() => {
                return Ok(Move::CreatedTwice(*created));
            }
            Action::Join(joined) if !self.has_ended(configuration, *joined) => {
                return Ok(Move::Blocked);
            }
            Action::BoundReached => return Ok(Move::BoundReached),
            _ => return Ok(Move::Taken),
        };
        let holds = condition.holds(&self.context(), configuration, stack)?;
        Ok(if holds { Move::Taken } else { otherwise })
    }

    fn has_ended(&self, configuration: &Configuration, thread: ThreadId) -> bool {
        let location = configuration.location(thread);
        location.is_some_and(|location| self.program.is_end(location))
    }

    /// Takes an edge whose [`probe`](Machine::probe) says that it can be taken. The
    /// configuration is changed only if nothing fails.
    pub(crate) fn take(
        &self,
        configuration: &mut Configuration,
        edge: EdgeId,
        scratch: &mut Scratch,
    ) -> Result<(), Failure> {
        let edge = &self.edges[edge.index()];
        scratch.writes.clear();
        match &edge.action {
            Action::Skip | Action::Assume(_) | Action::Assert(_) | Action::Join(_) => {}
            Action::Write(target, source) => {
                self.plan(target, source, configuration, scratch)?;
                commit(configuration, &scratch.writes);
            }
            Action::Guarded(_, updates) => {
                for (target, source) in updates {
                    self.plan(target, source, configuration, scratch)?;
                }
                commit(configuration, &scratch.writes);
            }
            Action::Create(created) => {
                configuration.set_location(*created, self.program.thread(*created).entry);
            }
            Action::AtomicBegin => configuration.atomic = edge.thread.index() as u32 + 1,
            Action::AtomicEnd => configuration.atomic = 0,
            Action::BoundReached => unreachable!("a bound cannot be passed"),
        }
        configuration.set_location(edge.thread, edge.target);
        Ok(())
    }

    /// Takes the edge, if it can be taken, and says which slots it leaves undefined: one for
    /// each of its [`choices`](crate::choices), in the same order.
    pub(crate) fn undefined_by(
        &self,
        configuration: &mut Configuration,
        edge: EdgeId,
        scratch: &mut Scratch,
    ) -> Vec<Slot> {
        if self.probe(configuration, edge, scratch) != Ok(Move::Taken)
            || self.take(configuration, edge, scratch).is_err()
        {
            return Vec::new();
        }
        scratch.opened()
    }

    /// Evaluates what is written where, in the configuration before the step.
    fn plan(
        &self,
        target: &Target,
        source: &Source,
        configuration: &Configuration,
        scratch: &mut Scratch,
    ) -> Result<(), Failure> {
        let context = self.context();
        let slot = match target {
            Target::Array(variable) => {
                let slots = self.layout.slots(*variable);
                match source {
                    Source::Any => scratch.writes.extend(slots.map(|slot| (slot, None))),
                    Source::Array(term, variables) => {
                        let value = context.evaluate(*term, variables, configuration)?;
                        let Value::Array { elements, .. } = value else {
                            unreachable!("an array is assigned an array");
                        };
                        let words = elements
                            .into_iter()
                            .map(|element| Some(crate::layout::encode(element)));
                        scratch.writes.extend(slots.zip(words));
                    }
                    Source::Code(_) => unreachable!("code is of scalar terms"),
                }
                return Ok(());
            }
            Target::Slot(slot) => *slot,
            Target::Element {
                first,
                length,
                index,
            } => {
                let index = index.run(&context, configuration, &mut scratch.stack)?;
                element(*first, *length, index)?
            }
        };
        let word = match source {
            Source::Code(code) => Some(code.run(&context, configuration, &mut scratch.stack)?),
            Source::Any => None,
            Source::Array(..) => unreachable!("a scalar is assigned a scalar"),
        };
        scratch.writes.push((slot, word));
        Ok(())
    }

    /// Whether the error condition holds. All slots that it reads must be defined.
    pub(crate) fn is_error(
        &self,
        configuration: &Configuration,
        scratch: &mut Scratch,
    ) -> Result<bool, Failure> {
        match &self.error {
            Some(formula) if configuration.atomic == 0 => {
                self.satisfies(configuration, formula, scratch)
            }
            _ => Ok(false),
        }
    }

    fn satisfies(
        &self,
        configuration: &Configuration,
        formula: &CompiledFormula,
        scratch: &mut Scratch,
    ) -> Result<bool, Failure> {
        Ok(match formula {
            CompiledFormula::At(thread, location) => {
                configuration.location(*thread) == Some(*location)
            }
            CompiledFormula::Term(code) => {
                code.holds(&self.context(), configuration, &mut scratch.stack)?
            }
            CompiledFormula::Not(inner) => !self.satisfies(configuration, inner, scratch)?,
            CompiledFormula::And(parts) | CompiledFormula::Or(parts) => {
                let decisive = matches!(formula, CompiledFormula::Or(_));
                for part in parts {
                    if self.satisfies(configuration, part, scratch)? == decisive {
                        return Ok(decisive);
                    }
                }
                !decisive
            }
        })
    }
}

fn commit(configuration: &mut Configuration, writes: &[(Slot, Option<i128>)]) {
    for &(slot, word) in writes {
        match word {
            Some(word) => configuration.define(slot, word),
            None => configuration.undefine(slot),
        }
    }
}

struct Compiler<'a> {
    program: &'a Program,
    layout: &'a Layout,
}

impl Compiler<'_> {
    fn edge(&self, edge: EdgeId) -> CompiledEdge {
        let thread = self.program.thread_of(edge);
        let edge = self.program.edge(edge);
        let action = match &edge.statement {
            Statement::Skip => Action::Skip,
            Statement::Assign { target, value } => {
                Action::Write(self.target(*target), self.source(*value))
            }
            Statement::Havoc { target } => Action::Write(self.target(*target), Source::Any),
            Statement::Assume(condition) => Action::Assume(self.code(*condition)),
            Statement::Assert { condition, .. } => Action::Assert(self.code(*condition)),
            Statement::Guarded { guard, updates, .. } => {
                let updates = updates
                    .iter()
                    .map(|(target, update)| {
                        let source = match update {
                            Update::Value(value) => self.source(*value),
                            Update::Any => Source::Any,
                        };
                        (self.target(*target), source)
                    })
                    .collect();
                Action::Guarded(self.code(*guard), updates)
            }
            Statement::Create(created) => Action::Create(*created),
            Statement::Join(joined) => Action::Join(*joined),
            Statement::AtomicBegin => Action::AtomicBegin,
            Statement::AtomicEnd => Action::AtomicEnd,
            Statement::BoundReached(_) => Action::BoundReached,
        };
        CompiledEdge {
            thread,
            target: edge.target,
            action,
        }
    }

    fn code(&self, term: TermId) -> Code {
        Code::compile(self.program, self.layout, term)
    }

    fn target(&self, place: Place) -> Target {
        let variable = place.variable();
        let first = self.layout.first(variable);
        match (place, self.program.variable(variable).sort) {
            (Place::Element(_, index), Sort::Array(sort)) => Target::Element {
                first,
                length: sort.length,
                index: self.code(index),
            },
            (Place::Variable(_), Sort::Array(_)) => Target::Array(variable),
            _ => Target::Slot(first),
        }
    }

    fn source(&self, value: TermId) -> Source {
        match self.program.terms.sort(value) {
            Sort::Array(_) => {
                let variables = self.program.terms.variables_of(value);
                Source::Array(value, variables.into())
            }
            _ => Source::Code(self.code(value)),
        }
    }

    fn formula(&self, formula: &StateFormula) -> CompiledFormula {
        let all = |parts: &[StateFormula]| parts.iter().map(|part| self.formula(part)).collect();
        match formula {
            StateFormula::At(thread, location) => CompiledFormula::At(*thread, *location),
            StateFormula::Term(term) => CompiledFormula::Term(self.code(*term)),
            StateFormula::Not(inner) => CompiledFormula::Not(Box::new(self.formula(inner))),
            StateFormula::And(parts) => CompiledFormula::And(all(parts)),
            StateFormula::Or(parts) => CompiledFormula::Or(all(parts)),
        }
    }
}
