//! A concurrent program: threads of control locations joined by edges with statements.
//!
//! The one representation that all front ends produce and all engines read. It is small on
//! purpose: functions are inlined, pointers resolved, expressions lowered so that each
//! step accesses shared memory at most once, by the front ends.

use crate::ids::{EdgeId, LocationId, TermId, ThreadId, VarId};
use crate::sort::Sort;
use crate::statement::Statement;
use crate::term::Terms;
use crate::verdict::Bound;
use heddle_diagnostics::{Sources, Span};
use rustc_hash::FxHashSet;
use std::sync::Arc;

#[derive(Clone, Debug, Default)]
pub struct Program {
    pub terms: Terms,
    /// The variables of the program, by [`VarId`]. The arena may know more.
    pub variables: Vec<Variable>,
    pub threads: Vec<Thread>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub property: Property,
    /// What the verdict takes for granted, such as a function without a body that may
    /// return any value.
    pub assumptions: Vec<Assumption>,
    /// What the front end unfolded up to, if it unfolded something: how deep recursion, or
    /// how many threads. It is cut off where a [`Statement::BoundReached`] stands.
    pub bound: Option<Bound>,
    /// The texts that spans point into.
    pub sources: Sources,
}

#[derive(Clone, Debug)]
pub struct Variable {
    /// As in the source; need not be unique. [`Terms::name`] is.
    pub name: String,
    pub sort: Sort,
    pub scope: Scope,
    /// The value at the start of the run: a term without variables. `None` is any value.
    pub initial: Option<TermId>,
    /// The names of the values of an enumeration, for printing only.
    pub enumeration: Option<Arc<Enumeration>>,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    Shared,
    /// Read and written by one thread only.
    Local(ThreadId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    pub name: String,
    /// Value name and number; numbers are those of the variable's sort, read as signed.
    pub values: Vec<(String, i128)>,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub name: String,
    pub entry: LocationId,
    pub start: Start,
    pub span: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Runs from the beginning.
    AtBeginning,
    /// Runs once a [`Statement::Create`] was executed.
    ByCreate,
}

/// A control location. One without outgoing edges is where its thread ends.
#[derive(Clone, Debug)]
pub struct Location {
    pub thread: ThreadId,
    /// The label in the source, unique in its thread.
    pub label: Option<String>,
    pub outgoing: Vec<EdgeId>,
    pub span: Option<Span>,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub source: LocationId,
    pub target: LocationId,
    pub statement: Statement,
    pub span: Option<Span>,
}

/// What must not happen: a violated [`Statement::Assert`], or a state that satisfies
/// `error` while no thread is inside an atomic section.
#[derive(Clone, Debug, Default)]
pub struct Property {
    pub error: Option<ErrorCondition>,
}

#[derive(Clone, Debug)]
pub struct ErrorCondition {
    pub formula: StateFormula,
    pub span: Option<Span>,
}

/// A condition on a whole state. Its terms may mention variables of every thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateFormula {
    /// The thread is at the location. A thread that was not created yet is nowhere.
    At(ThreadId, LocationId),
    Term(TermId),
    Not(Box<StateFormula>),
    And(Vec<StateFormula>),
    Or(Vec<StateFormula>),
}

impl StateFormula {
    /// The formulas without parts, [`StateFormula::At`] and [`StateFormula::Term`], from left
    /// to right.
    pub fn leaves(&self) -> Vec<&StateFormula> {
        let mut leaves = Vec::new();
        let mut pending = vec![self];
        while let Some(formula) = pending.pop() {
            match formula {
                StateFormula::At(..) | StateFormula::Term(_) => leaves.push(formula),
                StateFormula::Not(inner) => pending.push(inner),
                StateFormula::And(parts) | StateFormula::Or(parts) => {
                    pending.extend(parts.iter().rev());
                }
            }
        }
        leaves
    }
}

impl Property {
    /// The locations that the error condition mentions.
    pub fn locations(&self) -> impl Iterator<Item = LocationId> {
        self.leaves().filter_map(|leaf| match leaf {
            StateFormula::At(_, location) => Some(*location),
            _ => None,
        })
    }

    /// The conditions on variables that the error condition is made of.
    pub fn terms(&self) -> impl Iterator<Item = TermId> {
        self.leaves().filter_map(|leaf| match leaf {
            StateFormula::Term(term) => Some(*term),
            _ => None,
        })
    }

    fn leaves(&self) -> impl Iterator<Item = &StateFormula> {
        let error = self.error.iter();
        error.flat_map(|error| error.formula.leaves())
    }
}

#[derive(Clone, Debug)]
pub struct Assumption {
    pub text: String,
    pub span: Option<Span>,
}

macro_rules! by_id {
    ($($method:ident, $all:ident: $field:ident, $id:ident => $item:ident;)*) => {
        $(
            pub fn $method(&self, id: $id) -> &$item {
                &self.$field[id.index()]
            }

            pub fn $all(&self) -> impl DoubleEndedIterator<Item = $id> + ExactSizeIterator + use<> {
                (0..self.$field.len()).map($id::from_index)
            }
        )*
    };
}

/// Access by id: `program.edge(id)`, `program.edge_ids()`.
impl Program {
    by_id! {
        variable, variable_ids: variables, VarId => Variable;
        thread, thread_ids: threads, ThreadId => Thread;
        location, location_ids: locations, LocationId => Location;
        edge, edge_ids: edges, EdgeId => Edge;
    }

    pub fn is_shared(&self, variable: VarId) -> bool {
        self.variable(variable).scope == Scope::Shared
    }

    /// Whether a thread at this location has ended.
    pub fn is_end(&self, location: LocationId) -> bool {
        self.location(location).outgoing.is_empty()
    }

    pub fn outgoing(&self, location: LocationId) -> &[EdgeId] {
        &self.location(location).outgoing
    }

    /// The edges into each location, by [`LocationId`].
    pub fn incoming(&self) -> Vec<Vec<EdgeId>> {
        let mut incoming = vec![Vec::new(); self.locations.len()];
        for edge in self.edge_ids() {
            incoming[self.edge(edge).target.index()].push(edge);
        }
        incoming
    }

    /// The thread whose step the edge is.
    pub fn thread_of(&self, edge: EdgeId) -> ThreadId {
        self.location(self.edge(edge).source).thread
    }

    pub fn find_thread(&self, name: &str) -> Option<ThreadId> {
        self.thread_ids()
            .find(|&thread| self.thread(thread).name == name)
    }

    /// The location with this label in the thread.
    pub fn find_label(&self, thread: ThreadId, label: &str) -> Option<LocationId> {
        self.location_ids().find(|&id| {
            let location = self.location(id);
            location.thread == thread && location.label.as_deref() == Some(label)
        })
    }

    /// The label of a location, or `L` and its number for one without, with a prime for as long
    /// as that is the label of another: names are unique in their thread.
    pub fn location_name(&self, location: LocationId) -> String {
        let thread = self.location(location).thread;
        self.name_beside(location, |name| self.find_label(thread, name).is_some())
    }

    /// The [name](Program::location_name) of each location, by id.
    pub fn location_names(&self) -> Vec<String> {
        let labels = self.locations.iter();
        let labels: FxHashSet<(ThreadId, &str)> = labels
            .filter_map(|location| Some((location.thread, location.label.as_deref()?)))
            .collect();
        self.location_ids()
            .map(|id| {
                let thread = self.location(id).thread;
                self.name_beside(id, |name| labels.contains(&(thread, name)))
            })
            .collect()
    }

    fn name_beside(&self, location: LocationId, is_label: impl Fn(&str) -> bool) -> String {
        if let Some(label) = &self.location(location).label {
            return label.clone();
        }
        let mut name = format!("L{}", location.index());
        while is_label(&name) {
            name.push('\'');
        }
        name
    }

    /// For each location, by id, whether it is inside an atomic section of its thread.
    /// Meaningful for programs that [`validate`](Program::validate) accepts.
    pub fn inside_atomic(&self) -> Vec<bool> {
        let mut inside = vec![None; self.locations.len()];
        let mut pending: Vec<(LocationId, bool)> = self
            .threads
            .iter()
            .map(|thread| (thread.entry, false))
            .collect();
        while let Some((location, state)) = pending.pop() {
            if inside[location.index()].is_some() {
                continue;
            }
            inside[location.index()] = Some(state);
            for &edge in self.outgoing(location) {
                let edge = self.edge(edge);
                let state = match edge.statement {
                    Statement::AtomicBegin => true,
                    Statement::AtomicEnd => false,
                    _ => state,
                };
                pending.push((edge.target, state));
            }
        }
        inside
            .into_iter()
            .map(|state| state.unwrap_or(false))
            .collect()
    }
}
