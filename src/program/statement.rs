//! What an edge does. One statement is one atomic step of one thread.

use crate::ids::{TermId, ThreadId, VarId};
use crate::term::Terms;

/// Where a statement writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    Variable(VarId),
    /// One element of an array. The front end sees to it that the index is in range.
    Element(VarId, TermId),
}

impl Place {
    pub fn variable(self) -> VarId {
        match self {
            Place::Variable(variable) | Place::Element(variable, _) => variable,
        }
    }
}

impl From<VarId> for Place {
    fn from(variable: VarId) -> Place {
        Place::Variable(variable)
    }
}

/// What a guarded step writes into a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Update {
    Value(TermId),
    /// Any value of the sort.
    Any,
}

/// What a guarded step is in the source, for engines that treat some of them specially.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A guarded command, or any other step that the source makes atomic.
    Command,
    /// Takes the mutex kept at this place.
    Lock(Place),
    /// Releases the mutex kept at this place.
    Unlock(Place),
    /// An atomic read-modify-write, such as compare-and-swap or fetch-and-add.
    ReadModifyWrite,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    Skip,
    Assign {
        target: Place,
        value: TermId,
    },
    /// Writes any value of the sort.
    Havoc {
        target: Place,
    },
    /// Goes on only if the condition holds. A thread that cannot go on by any of its edges
    /// is stuck; a run whose threads are stuck in assumptions only is discarded, not
    /// deadlocked.
    Assume(TermId),
    /// The property: the condition holds whenever this step is taken.
    Assert {
        condition: TermId,
        message: String,
    },
    /// Waits until the guard holds, then makes all updates at once (every term is evaluated
    /// before anything is written) in the same step. Waiting forever is a deadlock.
    Guarded {
        guard: TermId,
        updates: Vec<(Place, Update)>,
        role: Role,
    },
    /// Starts a thread. Each thread is created at most once a run.
    Create(ThreadId),
    /// Waits until the thread has ended (reached a location without edges).
    Join(ThreadId),
    /// No other thread takes a step until this one leaves the section. Whether a location
    /// is inside a section does not depend on the path to it, and sections do not nest.
    AtomicBegin,
    AtomicEnd,
    /// A bound of the front end (recursion depth, number of threads) ends the run here:
    /// whoever can reach this step may claim safety up to the bound, not more.
    BoundReached(String),
}

impl Statement {
    pub fn assign(target: impl Into<Place>, value: TermId) -> Statement {
        Statement::Assign {
            target: target.into(),
            value,
        }
    }

    pub fn havoc(target: impl Into<Place>) -> Statement {
        Statement::Havoc {
            target: target.into(),
        }
    }

    pub fn assert(condition: TermId, message: impl Into<String>) -> Statement {
        Statement::Assert {
            condition,
            message: message.into(),
        }
    }

    /// A guarded command.
    pub fn command(guard: TermId, updates: Vec<(Place, Update)>) -> Statement {
        Statement::Guarded {
            guard,
            updates,
            role: Role::Command,
        }
    }

    /// The statement as a guarded step: its guard, and what it writes. `None` if it does
    /// more than that.
    pub fn as_guarded(&self, terms: &mut Terms) -> Option<(TermId, Vec<(Place, Update)>)> {
        let always = terms.bool(true);
        Some(match self {
            Statement::Skip => (always, vec![]),
            Statement::Assign { target, value } => (always, vec![(*target, Update::Value(*value))]),
            Statement::Havoc { target } => (always, vec![(*target, Update::Any)]),
            Statement::Assume(condition) => (*condition, vec![]),
            Statement::Guarded { guard, updates, .. } => (*guard, updates.clone()),
            _ => return None,
        })
    }

    /// Where the statement writes.
    pub fn targets(&self) -> Vec<Place> {
        match self {
            Statement::Assign { target, .. } | Statement::Havoc { target } => vec![*target],
            Statement::Guarded { updates, .. } => {
                updates.iter().map(|&(target, _)| target).collect()
            }
            _ => Vec::new(),
        }
    }

    /// All terms that the statement evaluates, the indices of its targets included.
    pub fn terms(&self) -> Vec<TermId> {
        let mut terms: Vec<TermId> = self
            .targets()
            .into_iter()
            .filter_map(|target| match target {
                Place::Element(_, index) => Some(index),
                Place::Variable(_) => None,
            })
            .collect();
        match self {
            Statement::Assign { value, .. } => terms.push(*value),
            Statement::Assume(condition) | Statement::Assert { condition, .. } => {
                terms.push(*condition);
            }
            Statement::Guarded { guard, updates, .. } => {
                terms.push(*guard);
                terms.extend(updates.iter().filter_map(|(_, update)| match update {
                    Update::Value(value) => Some(*value),
                    Update::Any => None,
                }));
            }
            _ => {}
        }
        terms
    }

    /// The statement with each of its terms replaced, indices of targets included.
    pub fn map_terms(&self, mut map: impl FnMut(TermId) -> TermId) -> Statement {
        let place = |place: Place, map: &mut dyn FnMut(TermId) -> TermId| match place {
            Place::Element(variable, index) => Place::Element(variable, map(index)),
            Place::Variable(variable) => Place::Variable(variable),
        };
        match self {
            Statement::Assign { target, value } => Statement::Assign {
                target: place(*target, &mut map),
                value: map(*value),
            },
            Statement::Havoc { target } => Statement::Havoc {
                target: place(*target, &mut map),
            },
            Statement::Assume(condition) => Statement::Assume(map(*condition)),
            Statement::Assert { condition, message } => Statement::Assert {
                condition: map(*condition),
                message: message.clone(),
            },
            Statement::Guarded {
                guard,
                updates,
                role,
            } => Statement::Guarded {
                guard: map(*guard),
                updates: updates
                    .iter()
                    .map(|&(target, update)| {
                        let update = match update {
                            Update::Value(value) => Update::Value(map(value)),
                            Update::Any => Update::Any,
                        };
                        (place(target, &mut map), update)
                    })
                    .collect(),
                role: match *role {
                    Role::Lock(mutex) => Role::Lock(place(mutex, &mut map)),
                    Role::Unlock(mutex) => Role::Unlock(place(mutex, &mut map)),
                    other => other,
                },
            },
            other => other.clone(),
        }
    }
}
