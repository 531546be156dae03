//! What one step of one thread does: the reference semantics of programs.
//!
//! Written to be read. The explorer runs compiled code instead (`machine.rs`); tests compare
//! the two, and every trace is replayed here before it is shown.

use crate::state::State;
use heddle_program::{
    Constant, EdgeId, EvalError, Place, Program, Scalar, Statement, ThreadId, Update, Value,
};

/// The outcome of one attempt to take an edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Next(State),
    /// The statement cannot be executed in this state: its condition does not hold, the
    /// thread that it waits for runs, or another thread is inside an atomic section.
    Blocked,
    /// The assertion does not hold.
    Violated,
    /// The front end followed executions up to here only.
    BoundReached,
}

/// What front ends must rule out, and the limits of the interpreter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    Eval(EvalError),
    CreatedTwice(ThreadId),
    /// The edge does not start where its thread is.
    Elsewhere,
    /// The statement takes another number of non-deterministic values, or other sorts.
    WrongChoices,
}

impl From<EvalError> for StepError {
    fn from(error: EvalError) -> StepError {
        StepError::Eval(error)
    }
}

impl StepError {
    pub fn describe(&self, program: &Program) -> String {
        match self {
            StepError::Eval(error) => error.to_string(),
            StepError::CreatedTwice(thread) => {
                format!("thread `{}` is created twice", program.thread(*thread).name)
            }
            StepError::Elsewhere => "the thread is not where this step starts".into(),
            StepError::WrongChoices => {
                "the non-deterministic values do not fit the statement".into()
            }
        }
    }
}

/// The sorts of the non-deterministic values that a statement takes, in order: one for each
/// scalar that it writes without saying what.
pub fn choices(program: &Program, statement: &Statement) -> Vec<Scalar> {
    let of_place = |place: &Place| {
        let sort = program.variable(place.variable()).sort;
        match (place, sort.as_array()) {
            (Place::Element(..), Some(array)) => vec![array.element],
            (_, Some(array)) => vec![array.element; array.length as usize],
            (_, None) => vec![sort.scalar().expect("not an array, so a scalar")],
        }
    };
    match statement {
        Statement::Havoc { target } => of_place(target),
        Statement::Guarded { updates, .. } => updates
            .iter()
            .filter(|(_, update)| *update == Update::Any)
            .flat_map(|(target, _)| of_place(target))
            .collect(),
        _ => Vec::new(),
    }
}

/// Takes the edge in the state, with these values for what the statement leaves open.
pub fn execute(
    program: &Program,
    state: &State,
    edge: EdgeId,
    choices: &[Constant],
) -> Result<Step, StepError> {
    let thread = program.thread_of(edge);
    let edge = program.edge(edge);
    if state.location(thread) != Some(edge.source) {
        return Err(StepError::Elsewhere);
    }
    let sorts = self::choices(program, &edge.statement);
    if !choices.iter().map(|choice| choice.sort()).eq(sorts) {
        return Err(StepError::WrongChoices);
    }
    if state.atomic.is_some_and(|owner| owner != thread) {
        return Ok(Step::Blocked);
    }
    let mut next = state.clone();
    match &edge.statement {
        Statement::Skip => {}
        Statement::Assign { target, value } => {
            let value = state.evaluate(program, *value)?;
            write(program, state, &mut next, *target, value)?;
        }
        Statement::Havoc { target } => {
            let value = chosen(program, *target, &mut choices.iter());
            write(program, state, &mut next, *target, value)?;
        }
        Statement::Assume(condition) => {
            if !state.evaluate_bool(program, *condition)? {
                return Ok(Step::Blocked);
            }
        }
        Statement::Assert { condition, .. } => {
            if !state.evaluate_bool(program, *condition)? {
                return Ok(Step::Violated);
            }
        }
        Statement::Guarded { guard, updates, .. } => {
            if !state.evaluate_bool(program, *guard)? {
                return Ok(Step::Blocked);
            }
            let mut choices = choices.iter();
            for (target, update) in updates {
                let value = match update {
                    Update::Value(value) => state.evaluate(program, *value)?,
                    Update::Any => chosen(program, *target, &mut choices),
                };
                write(program, state, &mut next, *target, value)?;
            }
        }
        Statement::Create(created) => {
            let location = &mut next.locations[created.index()];
            if location.is_some() {
                return Err(StepError::CreatedTwice(*created));
            }
            *location = Some(program.thread(*created).entry);
        }
        Statement::Join(joined) => {
            if !state.has_ended(program, *joined) {
                return Ok(Step::Blocked);
            }
        }
        Statement::AtomicBegin => next.atomic = Some(thread),
        Statement::AtomicEnd => next.atomic = None,
        Statement::BoundReached(_) => return Ok(Step::BoundReached),
    }
    next.locations[thread.index()] = Some(edge.target);
    Ok(Step::Next(next))
}

/// The value that the next choices make for a target.
fn chosen<'a>(
    program: &Program,
    target: Place,
    choices: &mut impl Iterator<Item = &'a Constant>,
) -> Value {
    let sort = program.variable(target.variable()).sort;
    let mut next = || *choices.next().expect("the choices were counted");
    match (target, sort.as_array()) {
        (Place::Variable(_), Some(sort)) => Value::Array {
            sort,
            elements: (0..sort.length).map(|_| next()).collect(),
        },
        _ => Value::Scalar(next()),
    }
}

/// Writes into `next`; indices are those of the state before the step.
fn write(
    program: &Program,
    before: &State,
    next: &mut State,
    target: Place,
    value: Value,
) -> Result<(), EvalError> {
    let slot = &mut next.values[target.variable().index()];
    match target {
        Place::Variable(_) => *slot = value,
        Place::Element(_, index) => {
            let index = before.evaluate(program, index)?;
            let array = std::mem::replace(slot, Value::Scalar(Constant::Bool(false)));
            *slot = heddle_program::Op::Store.evaluate(&[array, index, value])?;
        }
    }
    Ok(())
}
