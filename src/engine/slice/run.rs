//! A run of an abstraction that violates the property, with every state that it goes
//! through.

use super::abstraction::Abstraction;
use heddle_interpret::{ReplayError, State, Trace, Violation, replay};
use heddle_program::{EdgeId, Program};

#[derive(Clone, Debug)]
pub struct Run {
    pub trace: Trace,
    /// The state before the first step, then the state after each.
    pub states: Vec<State>,
}

/// A step of a run that the program has too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    /// Of the abstraction.
    pub step: EdgeId,
    /// Of the program.
    pub origin: EdgeId,
    /// Its place in the run: the state before it is the one with this number.
    pub position: usize,
    /// It is an assertion, which fails.
    pub fails: bool,
}

impl Run {
    pub fn of(program: &Program, trace: Trace) -> Result<Run, ReplayError> {
        let states = replay(program, &trace)?.states;
        Ok(Run { trace, states })
    }

    /// The steps of the run that stand for steps of the program.
    pub(crate) fn followed(&self, abstraction: &Abstraction) -> Vec<Followed> {
        let last = self.trace.steps.len().saturating_sub(1);
        let fails = matches!(self.trace.violation, Violation::Assertion(_));
        let steps = self.trace.steps.iter().enumerate();
        let followed = steps.map(|(position, step)| Followed {
            step: step.edge,
            origin: abstraction.origin[step.edge.index()],
            position,
            fails: fails && position == last,
        });
        followed.collect()
    }
}
