//! Concrete states, in the plain form: one value a variable, one location a thread.

use heddle_program::{Constant, LocationId, Program, Start, StateFormula, ThreadId, Value, VarId};
use heddle_program::{EvalError, TermId};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Where each thread is; `None` for one that was not created yet.
    pub locations: Vec<Option<LocationId>>,
    /// The value of each variable of the program.
    pub values: Vec<Value>,
    /// The thread inside an atomic section: no other may take a step.
    pub atomic: Option<ThreadId>,
}

impl State {
    /// The state at the start of a run. `choose` picks the value of each variable that
    /// starts with any value.
    pub fn initial(
        program: &Program,
        mut choose: impl FnMut(VarId) -> Value,
    ) -> Result<State, EvalError> {
        let mut values = Vec::with_capacity(program.variables.len());
        for id in program.variable_ids() {
            values.push(match program.variable(id).initial {
                Some(initial) => initial_value(program, initial)?,
                None => choose(id),
            });
        }
        let locations = program
            .threads
            .iter()
            .map(|thread| (thread.start == Start::AtBeginning).then_some(thread.entry))
            .collect();
        Ok(State {
            locations,
            values,
            atomic: None,
        })
    }

    pub fn value(&self, variable: VarId) -> &Value {
        &self.values[variable.index()]
    }

    pub fn location(&self, thread: ThreadId) -> Option<LocationId> {
        self.locations[thread.index()]
    }

    pub fn evaluate(&self, program: &Program, term: TermId) -> Result<Value, EvalError> {
        program
            .terms
            .evaluate(term, |variable| self.value(variable).clone())
    }

    pub fn evaluate_bool(&self, program: &Program, term: TermId) -> Result<bool, EvalError> {
        let value = self.evaluate(program, term)?;
        Ok(value == Value::Scalar(Constant::Bool(true)))
    }

    /// Whether the thread was created and has reached a location without edges.
    pub fn has_ended(&self, program: &Program, thread: ThreadId) -> bool {
        self.location(thread)
            .is_some_and(|location| program.is_end(location))
    }

    /// Whether the state is one that the error condition of the program forbids.
    pub fn is_error(&self, program: &Program) -> Result<bool, EvalError> {
        match &program.property.error {
            Some(error) if self.atomic.is_none() => self.satisfies(program, &error.formula),
            _ => Ok(false),
        }
    }

    pub fn satisfies(&self, program: &Program, formula: &StateFormula) -> Result<bool, EvalError> {
        Ok(match formula {
            StateFormula::At(thread, location) => self.location(*thread) == Some(*location),
            StateFormula::Term(term) => self.evaluate_bool(program, *term)?,
            StateFormula::Not(inner) => !self.satisfies(program, inner)?,
            StateFormula::And(parts) => {
                for part in parts {
                    if !self.satisfies(program, part)? {
                        return Ok(false);
                    }
                }
                true
            }
            StateFormula::Or(parts) => {
                for part in parts {
                    if self.satisfies(program, part)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }
}

/// The value of a term without variables.
pub(crate) fn initial_value(program: &Program, initial: TermId) -> Result<Value, EvalError> {
    program.terms.evaluate(initial, |variable| {
        panic!(
            "internal error: an initial value mentions `{}`",
            program.terms.name(variable)
        )
    })
}
