//! From a total order of events to a trace that the interpreter replays.

use super::unwatched::Unwatched;
use heddle_interpret::{Trace, TraceStep, Violation};
use heddle_program::{Constant, Program, ThreadId, Value, VarId};
use heddle_solver::Solver;
use heddle_unroll::{EventGraph, EventId, Step, StepId};
use rustc_hash::FxHashMap;

/// The steps that the model takes, each thread's in program order, interleaved as the
/// events say, up to the first assertion that fails. Only after the solver has found a
/// model.
pub(crate) fn trace_of(
    original: &Program,
    observed: &Program,
    graph: &EventGraph,
    solver: &mut dyn Solver,
    order: &[EventId],
) -> Option<Trace> {
    let mut unwatched = Unwatched::new(graph, solver);
    let violated: Vec<StepId> = graph
        .violations
        .iter()
        .filter(|violation| unwatched.holds(violation.condition, solver))
        .map(|violation| violation.step)
        .collect();
    let position: FxHashMap<EventId, usize> = order
        .iter()
        .enumerate()
        .map(|(index, &event)| (event, index))
        .collect();

    // A step without events comes right after what its thread did before; a section's steps
    // stay together, at the place of its first event.
    let mut placed: Vec<(usize, usize, StepId)> = Vec::new();
    // A thread does nothing before its start, which is the first event of its chain.
    let mut now: FxHashMap<ThreadId, usize> = graph
        .chains
        .iter()
        .filter_map(|chain| Some((chain.thread?, *position.get(chain.events.first()?)?)))
        .collect();
    let mut section: FxHashMap<_, usize> = FxHashMap::default();
    for index in 0..graph.steps.len() {
        let id = StepId::from_index(index);
        let step = graph.step(id);
        let thread = now.entry(step.thread).or_insert(0);
        if !unwatched.decides(step.guard) && !unwatched.holds(step.guard, solver) {
            placed.push((*thread, step.thread.index(), id));
            continue;
        }
        let own = step
            .events
            .iter()
            .filter_map(|event| position.get(event))
            .min();
        let first = match step.block {
            Some(block) => match section.get(&block) {
                Some(&place) => Some(place),
                None => {
                    let of_block = graph.blocks[block.index()].events.iter();
                    let place = of_block
                        .filter_map(|event| position.get(event))
                        .min()
                        .copied();
                    let place = place.unwrap_or(*thread);
                    section.insert(block, place);
                    Some(place)
                }
            },
            None => own.copied(),
        };
        let place = first.map_or(*thread, |first| first.max(*thread));
        *thread = place;
        placed.push((place, step.thread.index(), id));
    }
    placed.sort();

    let mut steps = Vec::new();
    let mut violation = None;
    for (_, _, id) in placed {
        let step = graph.step(id);
        unwatched.take(id, solver);
        if !unwatched.holds(step.guard, solver) {
            continue;
        }
        let is_violated = violated.contains(&id);
        if step.edge.index() < original.edges.len() {
            steps.push(TraceStep {
                edge: step.edge,
                choices: choices(graph, step, solver),
            });
        }
        if is_violated {
            violation = Some(violation_at(original, observed, step, &mut steps));
            break;
        }
    }
    Some(Trace {
        initial: initial_values(original, graph, solver),
        steps,
        violation: violation?,
    })
}

/// The observer's assertion stands for the error condition; any other is one of the
/// program, perhaps as part of a longer step.
fn violation_at(
    original: &Program,
    observed: &Program,
    step: &Step,
    steps: &mut [TraceStep],
) -> Violation {
    let observer = observed.thread_of(step.edge).index() >= original.threads.len();
    match steps.last() {
        Some(last) if !observer => Violation::Assertion(last.edge),
        _ => Violation::ErrorState,
    }
}

fn choices(graph: &EventGraph, step: &Step, solver: &mut dyn Solver) -> Vec<Constant> {
    let mut constants = Vec::new();
    for &choice in &step.choices {
        match solver.value(&graph.terms, choice) {
            Ok(Value::Scalar(constant)) => constants.push(constant),
            Ok(Value::Array { elements, .. }) => constants.extend(elements.iter().copied()),
            Err(_) => {}
        }
    }
    constants
}

fn initial_values(
    original: &Program,
    graph: &EventGraph,
    solver: &mut dyn Solver,
) -> Vec<(VarId, Value)> {
    let mut values = Vec::new();
    for &(variable, symbol) in &graph.initial_choices {
        if variable.index() < original.variables.len()
            && let Ok(value) = solver.value(&graph.terms, symbol)
        {
            values.push((variable, value));
        }
    }
    values
}
