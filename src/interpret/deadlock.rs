//! Deadlock: threads wait, and nothing can ever happen again.

use crate::state::State;
use crate::step::{Step, choices, execute};
use heddle_program::{Constant, EvalError, Program, Statement};

/// Whether no thread can take a step, some thread waits in a guarded step or a join, and no
/// thread is stuck in an assumption or at a bound (then the run is discarded).
pub fn is_deadlock(program: &Program, state: &State) -> Result<bool, EvalError> {
    let mut waiting = false;
    for thread in program.thread_ids() {
        let Some(location) = state.location(thread) else {
            continue;
        };
        if program.is_end(location) {
            continue;
        }
        for &edge in program.outgoing(location) {
            let statement = &program.edge(edge).statement;
            // Which values are chosen does not matter for whether a step can be taken.
            let values: Vec<Constant> = choices(program, statement)
                .into_iter()
                .map(Constant::zero)
                .collect();
            match execute(program, state, edge, &values) {
                Ok(Step::Blocked) => {}
                Err(crate::StepError::Eval(error)) => return Err(error),
                _ => return Ok(false),
            }
        }
        let held_up = state.atomic.is_some_and(|owner| owner != thread);
        if can_wait(program, location) {
            waiting = true;
        } else if !held_up {
            return Ok(false);
        }
    }
    Ok(waiting)
}

/// Whether a thread that cannot go on from this location waits, rather than having assumed
/// something false.
pub(crate) fn can_wait(program: &Program, location: heddle_program::LocationId) -> bool {
    program.outgoing(location).iter().any(|&edge| {
        matches!(
            program.edge(edge).statement,
            Statement::Guarded { .. } | Statement::Join(_)
        )
    })
}
