//! Why an invariant is not accepted.

use crate::invariant::Position;
use heddle_program::{EdgeId, Program, Value};
use heddle_solver::Undecided;
use std::fmt::Write;

#[derive(Clone, Debug)]
pub enum Rejected {
    Refuted(Box<Refutation>),
    /// A question that the solver did not answer.
    Undecided {
        question: String,
        why: Undecided,
    },
}

/// States that show what the invariant lacks. They satisfy it, but need not be reachable.
#[derive(Clone, Debug)]
pub enum Refutation {
    /// An initial state is in no cell.
    NotInitial(Snapshot),
    /// A step leads out of all cells.
    NotKept {
        step: EdgeId,
        before: Snapshot,
        after: Snapshot,
    },
    /// The step violates its assertion in a state of some cell.
    Violated { step: EdgeId, state: Snapshot },
    /// The error condition holds in a state of some cell.
    Error(Snapshot),
    /// The step creates a thread that is there already, in a state of some cell.
    CreatedTwice { step: EdgeId, state: Snapshot },
}

/// A state as a solver's model gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// By thread.
    pub positions: Vec<Position>,
    /// By variable; `None` for a number that is too large to show.
    pub values: Vec<Option<Value>>,
}

impl Snapshot {
    pub fn describe(&self, program: &Program) -> String {
        let mut parts = Vec::new();
        for thread in program.thread_ids() {
            let name = &program.thread(thread).name;
            parts.push(match self.positions[thread.index()] {
                Some(location) => format!("{name} at {}", program.location_name(location)),
                None => format!("{name} not created"),
            });
        }
        for variable in program.variable_ids() {
            let name = program.terms.name(variable);
            let value = match &self.values[variable.index()] {
                Some(value) => program.display_value(variable, value),
                None => "…".to_owned(),
            };
            parts.push(format!("{name} = {value}"));
        }
        parts.join(", ")
    }
}

impl Rejected {
    /// In a few words, for a verdict.
    pub fn summary(&self) -> String {
        match self {
            Rejected::Undecided { why, .. } => format!("{why}"),
            Rejected::Refuted(refutation) => match **refutation {
                Refutation::NotInitial(_) => "it does not hold initially",
                Refutation::NotKept { .. } => "a step does not keep it",
                Refutation::Violated { .. } => "it does not exclude a violated assertion",
                Refutation::Error(_) => "it does not exclude the error condition",
                Refutation::CreatedTwice { .. } => {
                    "it does not exclude that a thread is created twice"
                }
            }
            .to_owned(),
        }
    }

    /// With the states that show it, a line each.
    pub fn describe(&self, program: &Program) -> String {
        let refutation = match self {
            Rejected::Refuted(refutation) => refutation,
            Rejected::Undecided { question, why } => return format!("{question}: {why}\n"),
        };
        let mut text = String::new();
        let mut say = |what: &str, state: &Snapshot| {
            let _ = writeln!(text, "{what}: {}", state.describe(program));
        };
        match &**refutation {
            Refutation::NotInitial(state) => say("an initial state outside", state),
            Refutation::Error(state) => say("the error condition holds in", state),
            Refutation::Violated { step, state } => {
                say(&format!("{} is violated in", shown(program, *step)), state);
            }
            Refutation::CreatedTwice { step, state } => {
                say(
                    &format!("{} creates again in", shown(program, *step)),
                    state,
                );
            }
            Refutation::NotKept {
                step,
                before,
                after,
            } => {
                say(&format!("{} leads from", shown(program, *step)), before);
                say("  to", after);
            }
        }
        text
    }
}

/// A step with its thread and its place in the text.
pub(crate) fn shown(program: &Program, step: EdgeId) -> String {
    let edge = program.edge(step);
    let statement = program.display_statement(&edge.statement);
    let thread = &program.thread(program.thread_of(step)).name;
    let place = edge.span.map_or(String::new(), |span| {
        format!(" at {}", program.sources.place(span))
    });
    format!("`{statement}` of {thread}{place}")
}
