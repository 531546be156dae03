//! Replays a trace, statement by statement, to the violation that it claims.
//!
//! Every engine's counterexample goes through here before anyone calls a program unsafe.
//! It shares no code with the explorer's compiled machine.

use crate::deadlock::is_deadlock;
use crate::state::State;
use crate::step::{Step, StepError, execute};
use crate::trace::{Change, Trace, Violation};
use heddle_program::{EvalError, Program, Value, VarId};

/// A trace that was replayed: every state that it goes through.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The state before the first step, then the state after each. A step that violates an
    /// assertion leaves the state as it was.
    pub states: Vec<State>,
}

/// Where and why a trace is not a run of the program that ends in the claimed violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// An initial value has the wrong sort, or is of a variable that has a fixed one.
    Initial(VarId),
    InitialValue(EvalError),
    /// The step with this number, counted from 0, cannot be taken.
    Blocked(usize),
    Failed(usize, StepError),
    /// An assertion fails before the last step.
    ViolatedEarly(usize),
    BoundReached(usize),
    /// All steps can be taken, but the last state is not the claimed violation.
    NoViolation,
}

impl ReplayError {
    /// In words, with the place of the step in the source.
    pub fn describe(&self, program: &Program, trace: &Trace) -> String {
        let at = |number: usize| {
            let edge = program.edge(trace.steps[number].edge);
            let thread = &program
                .thread(program.thread_of(trace.steps[number].edge))
                .name;
            let statement = program.display_statement(&edge.statement);
            let place = edge.span.map_or(String::new(), |span| {
                format!(" at {}", program.sources.place(span))
            });
            format!("step {} (thread {thread}: {statement}{place})", number + 1)
        };
        match self {
            ReplayError::Initial(variable) => format!(
                "the trace gives `{}` an initial value that it cannot have",
                program.terms.name(*variable)
            ),
            ReplayError::InitialValue(error) => format!("an initial value: {error}"),
            ReplayError::Blocked(number) => format!("{} is blocked", at(*number)),
            ReplayError::Failed(number, error) => {
                format!("{}: {}", at(*number), error.describe(program))
            }
            ReplayError::ViolatedEarly(number) => format!(
                "{} violates its assertion, but the trace goes on",
                at(*number)
            ),
            ReplayError::BoundReached(number) => {
                format!("{} is beyond what the front end unfolded", at(*number))
            }
            ReplayError::NoViolation => {
                "all steps can be taken, but the last state violates nothing".into()
            }
        }
    }
}

/// Checks that the trace is a run that ends in its violation.
pub fn replay(program: &Program, trace: &Trace) -> Result<Replay, ReplayError> {
    let mut states = vec![initial(program, trace)?];
    for (number, step) in trace.steps.iter().enumerate() {
        let state = states.last().expect("there is an initial state");
        match execute(program, state, step.edge, &step.choices) {
            Ok(Step::Next(next)) => states.push(next),
            Ok(Step::Blocked) => return Err(ReplayError::Blocked(number)),
            Ok(Step::BoundReached) => return Err(ReplayError::BoundReached(number)),
            Ok(Step::Violated) => {
                let is_last = number + 1 == trace.steps.len();
                if !is_last {
                    return Err(ReplayError::ViolatedEarly(number));
                }
                if trace.violation != Violation::Assertion(step.edge) {
                    return Err(ReplayError::NoViolation);
                }
                states.push(state.clone());
                return Ok(Replay { states });
            }
            Err(error) => return Err(ReplayError::Failed(number, error)),
        }
    }
    let last = states.last().expect("there is an initial state");
    let confirmed = match trace.violation {
        Violation::Assertion(_) => Ok(false),
        Violation::ErrorState => last.is_error(program),
        Violation::Deadlock => is_deadlock(program, last),
    };
    match confirmed {
        Ok(true) => Ok(Replay { states }),
        Ok(false) => Err(ReplayError::NoViolation),
        Err(error) => Err(ReplayError::Failed(
            trace.steps.len().saturating_sub(1),
            StepError::Eval(error),
        )),
    }
}

fn initial(program: &Program, trace: &Trace) -> Result<State, ReplayError> {
    for (variable, value) in &trace.initial {
        let fits = program
            .variables
            .get(variable.index())
            .is_some_and(|declared| declared.initial.is_none() && declared.sort == value.sort());
        if !fits {
            return Err(ReplayError::Initial(*variable));
        }
    }
    State::initial(program, |variable| {
        let given = trace.initial.iter().find(|(id, _)| *id == variable);
        match given {
            Some((_, value)) => value.clone(),
            None => Value::zero(program.variable(variable).sort),
        }
    })
    .map_err(ReplayError::InitialValue)
}

impl Replay {
    /// What the step with this number changed.
    pub fn changes(&self, step: usize) -> Vec<Change> {
        changes(&self.states[step], &self.states[step + 1])
    }
}

fn changes(before: &State, after: &State) -> Vec<Change> {
    let mut changes = Vec::new();
    let pairs = before.values.iter().zip(&after.values).enumerate();
    for (index, (from, to)) in pairs {
        let variable = VarId::from_index(index);
        match (from, to) {
            (Value::Array { elements: old, .. }, Value::Array { elements: new, .. }) => {
                for (element, (&from, &to)) in old.iter().zip(new).enumerate() {
                    if from != to {
                        changes.push(Change {
                            variable,
                            element: Some(element),
                            from: from.into(),
                            to: to.into(),
                        });
                    }
                }
            }
            _ if from != to => changes.push(Change {
                variable,
                element: None,
                from: from.clone(),
                to: to.clone(),
            }),
            _ => {}
        }
    }
    changes
}
