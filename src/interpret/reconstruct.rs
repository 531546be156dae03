//! From a state that was reached back to the start: the trace, with all values spelt out.
//!
//! The store keeps only where each state was reached from. What happened in between is found
//! by expanding the earlier state once more.

use crate::expand::{Expander, Found, Happening};
use crate::layout::{Slot, decode};
use crate::machine::{Machine, Scratch};
use crate::nondet::NondetRange;
use crate::reduction::Reduction;
use crate::step::choices;
use crate::store::{StateId, Store};
use crate::trace::{Trace, TraceStep, Violation};
use heddle_program::{Constant, Value, VarId};
use std::ops::ControlFlow;

pub(crate) fn reconstruct(
    machine: &Machine<'_>,
    reduction: Option<&Reduction>,
    range: NondetRange,
    store: &mut Store,
    state: Option<StateId>,
    after: &[Happening],
    violation: Violation,
) -> Trace {
    let mut path = Vec::new();
    let mut next = state;
    while let Some(id) = next {
        path.push(id);
        next = store.parent(id);
    }
    path.reverse();

    let mut expander =
        Expander::new(machine, reduction, range).expect("the initial values were evaluated");
    let mut current = machine
        .layout
        .initial(machine.program)
        .expect("the initial values were evaluated");
    let mut happenings = Vec::new();
    for (position, &id) in path.iter().enumerate() {
        let mut between = None;
        let mut look = |found: Found<'_>| match found {
            Found::State {
                configuration,
                happenings,
                ..
            } if store.is(id, configuration) => {
                between = Some(happenings.to_vec());
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        };
        if position == 0 {
            let _ = expander
                .roots(&mut look)
                .expect("the initial values were evaluated");
        } else {
            let _ = expander.expand(&current, &mut look);
        }
        happenings.extend(between.expect("a state is a successor of its parent"));
        store.load(id, &mut current);
    }
    happenings.extend_from_slice(after);
    concretise(machine, &happenings, violation)
}

/// Where the value of an undefined slot belongs in a trace.
#[derive(Clone, Copy)]
enum Origin {
    Initial,
    /// The step, and which of its choices.
    Step(usize, usize),
}

/// Moves every choice to where the value came into being.
fn concretise(machine: &Machine<'_>, happenings: &[Happening], violation: Violation) -> Trace {
    let (program, layout) = (machine.program, &machine.layout);
    let mut configuration = layout
        .initial(program)
        .expect("the initial values were evaluated");
    let mut scratch = Scratch::default();
    let mut origins = vec![Origin::Initial; layout.slot_count()];
    let mut initial: Vec<(Slot, Constant)> = Vec::new();
    let mut steps: Vec<TraceStep> = Vec::new();
    for &happening in happenings {
        match happening {
            Happening::Edge(edge) => {
                let sorts = choices(program, &program.edge(edge).statement);
                for (number, slot) in machine
                    .undefined_by(&mut configuration, edge, &mut scratch)
                    .into_iter()
                    .enumerate()
                {
                    origins[slot.index()] = Origin::Step(steps.len(), number);
                }
                steps.push(TraceStep {
                    edge,
                    choices: sorts.into_iter().map(Constant::zero).collect(),
                });
            }
            Happening::Choice(slot, word) => {
                let value = decode(layout.sort(slot), word);
                match origins[slot.index()] {
                    Origin::Initial => initial.push((slot, value)),
                    Origin::Step(step, number) => steps[step].choices[number] = value,
                }
                configuration.define(slot, word);
            }
        }
    }
    Trace {
        initial: initial_values(machine, &initial),
        steps,
        violation,
    }
}

/// The variables of which some part was chosen, with zero for the other parts.
fn initial_values(machine: &Machine<'_>, chosen: &[(Slot, Constant)]) -> Vec<(VarId, Value)> {
    let mut values: Vec<(VarId, Value)> = Vec::new();
    for &(slot, constant) in chosen {
        let (variable, element) = machine.layout.variable(slot);
        let position = values.iter().position(|(id, _)| *id == variable);
        let position = position.unwrap_or_else(|| {
            let sort = machine.program.variable(variable).sort;
            values.push((variable, Value::zero(sort)));
            values.len() - 1
        });
        match &mut values[position].1 {
            Value::Scalar(scalar) => *scalar = constant,
            Value::Array { elements, .. } => elements[element] = constant,
        }
    }
    values.sort_by_key(|(variable, _)| *variable);
    values
}
