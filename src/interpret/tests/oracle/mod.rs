//! The obvious explorer: plain states in a set, every choice made at once.

use heddle_interpret::{NondetRange, State, Step, choices, execute, is_deadlock};
use heddle_program::{Constant, Program, Scalar, Value};
use std::collections::HashSet;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    pub violated: bool,
    pub deadlocked: bool,
    pub bound_reached: bool,
    pub failed: bool,
    pub states: usize,
    /// The length of the shortest way to a violation, counted in steps.
    pub distance: Option<usize>,
}

/// `None` if there are more states than that.
pub(crate) fn naive_exploration(
    program: &Program,
    range: NondetRange,
    max_states: usize,
) -> Option<Findings> {
    let mut findings = Findings::default();
    let mut seen: HashSet<State> = HashSet::new();
    let mut level: Vec<State> = initial_states(program, range, max_states)?;
    level.retain(|state| seen.insert(state.clone()));
    let mut depth = 0;
    while !level.is_empty() {
        let mut next_level = Vec::new();
        for state in &level {
            if seen.len() > max_states {
                return None;
            }
            match state.is_error(program) {
                Ok(true) => {
                    findings.violated = true;
                    let distance = findings.distance.get_or_insert(depth);
                    *distance = (*distance).min(depth);
                    // What happens after a violation does not matter.
                    continue;
                }
                Ok(false) => {}
                Err(_) => findings.failed = true,
            }
            if is_deadlock(program, state) == Ok(true) {
                findings.deadlocked = true;
            }
            for edge in program.edge_ids() {
                if state.location(program.thread_of(edge)) != Some(program.edge(edge).source) {
                    continue;
                }
                let sorts = choices(program, &program.edge(edge).statement);
                for values in combinations(&sorts, range) {
                    match execute(program, state, edge, &values) {
                        Ok(Step::Next(next)) => {
                            if seen.insert(next.clone()) {
                                next_level.push(next);
                            }
                        }
                        Ok(Step::Blocked) => {}
                        Ok(Step::Violated) => {
                            findings.violated = true;
                            let distance = findings.distance.get_or_insert(depth + 1);
                            *distance = (*distance).min(depth + 1);
                        }
                        Ok(Step::BoundReached) => findings.bound_reached = true,
                        Err(_) => findings.failed = true,
                    }
                }
            }
        }
        level = next_level;
        depth += 1;
    }
    findings.states = seen.len();
    Some(findings)
}

fn combinations(sorts: &[Scalar], range: NondetRange) -> Vec<Vec<Constant>> {
    let mut combinations = vec![Vec::new()];
    for &sort in sorts {
        combinations = combinations
            .into_iter()
            .flat_map(|start| {
                range.values(sort).map(move |value| {
                    let mut longer = start.clone();
                    longer.push(value);
                    longer
                })
            })
            .collect();
    }
    combinations
}

fn initial_states(program: &Program, range: NondetRange, max: usize) -> Option<Vec<State>> {
    let zero = State::initial(program, |id| Value::zero(program.variable(id).sort)).ok()?;
    let mut states = vec![zero];
    for id in program.variable_ids() {
        let variable = program.variable(id);
        if variable.initial.is_some() {
            continue;
        }
        let sorts = match variable.sort.as_array() {
            Some(array) => vec![array.element; array.length as usize],
            None => vec![variable.sort.scalar().expect("a scalar")],
        };
        let values = combinations(&sorts, range);
        if states.len() * values.len() > max {
            return None;
        }
        states = states
            .into_iter()
            .flat_map(|state| {
                values.iter().map(move |elements| {
                    let mut state = state.clone();
                    state.values[id.index()] = match variable.sort.as_array() {
                        Some(sort) => Value::Array {
                            sort,
                            elements: elements.clone(),
                        },
                        None => Value::Scalar(elements[0]),
                    };
                    state
                })
            })
            .collect();
    }
    Some(states)
}
