//! The run that leads through given states, with all inputs spelt out.

use super::structure::{StateId, Structure};
use heddle_interpret::{OpenPlace, Runner, Trace, TraceStep, Violation, choices};
use heddle_program::{Constant, Program, Value, VarId};

/// `states` begin at the start of a run, and each was discovered from the one before.
pub(crate) fn trace(
    runner: &Runner<'_>,
    structure: &Structure,
    states: &[StateId],
    violation: Violation,
) -> Trace {
    let program = runner.program();
    let mut trace = Trace {
        initial: Vec::new(),
        steps: Vec::new(),
        violation,
    };
    for &state in states {
        let state = structure.state(state);
        let inputs = structure.inputs.get(state.inputs.0);
        match state.reached {
            None => {
                for (place, &value) in runner.start().1.iter().zip(inputs.iter()) {
                    set_initial(program, &mut trace.initial, place, value);
                }
            }
            Some((_, edge)) => {
                // Inputs that nothing reads were not chosen.
                let sorts = choices(program, &program.edge(edge).statement);
                let choices = match inputs.is_empty() {
                    true => sorts.into_iter().map(Constant::zero).collect(),
                    false => inputs.to_vec(),
                };
                trace.steps.push(TraceStep { edge, choices });
            }
        }
    }
    trace
}

fn set_initial(
    program: &Program,
    initial: &mut Vec<(VarId, Value)>,
    place: &OpenPlace,
    value: Constant,
) {
    let position = initial
        .iter()
        .position(|(variable, _)| *variable == place.variable);
    let position = position.unwrap_or_else(|| {
        let sort = program.variable(place.variable).sort;
        initial.push((place.variable, Value::zero(sort)));
        initial.len() - 1
    });
    match &mut initial[position].1 {
        Value::Scalar(scalar) => *scalar = value,
        Value::Array { elements, .. } => elements[place.element] = value,
    }
}
