//! Every violating run of a small program, by the reference semantics and nothing else.

use heddle_interpret::{NondetRange, State, Step, Trace, TraceStep, Violation, choices, execute};
use heddle_program::{Constant, Program, Scalar, Value, VarId};

pub(crate) struct Limits {
    pub range: NondetRange,
    /// Gives up on programs with longer runs, or with more of them.
    pub steps: usize,
    pub runs: usize,
}

/// The runs that end in a violation, or `None` if that goes beyond the limits.
pub(crate) fn violating_runs(program: &Program, limits: &Limits) -> Option<Vec<Trace>> {
    let open: Vec<VarId> = program
        .variable_ids()
        .filter(|&id| program.variable(id).initial.is_none())
        .collect();
    let mut search = Search {
        program,
        limits,
        found: Vec::new(),
        tried: 0,
    };
    let sorts: Vec<Scalar> = open.iter().flat_map(|&id| scalars(program, id)).collect();
    for values in all_values(&sorts, limits.range) {
        let mut values = values.into_iter();
        let initial: Vec<(VarId, Value)> = open
            .iter()
            .map(|&id| (id, value_of(program, id, &mut values)))
            .collect();
        let state = State::initial(program, |id| {
            let given = initial.iter().find(|(variable, _)| *variable == id);
            given.expect("all open variables have a value").1.clone()
        });
        let state = state.ok()?;
        search.from(&initial, &state, &mut Vec::new())?;
    }
    Some(search.found)
}

fn scalars(program: &Program, variable: VarId) -> Vec<Scalar> {
    let sort = program.variable(variable).sort;
    match sort.as_array() {
        Some(array) => vec![array.element; array.length as usize],
        None => vec![sort.scalar().expect("not an array")],
    }
}

fn value_of(
    program: &Program,
    variable: VarId,
    values: &mut impl Iterator<Item = Constant>,
) -> Value {
    match program.variable(variable).sort.as_array() {
        Some(sort) => Value::Array {
            sort,
            elements: values.take(sort.length as usize).collect(),
        },
        None => Value::Scalar(values.next().expect("one value a scalar")),
    }
}

fn all_values(sorts: &[Scalar], range: NondetRange) -> Vec<Vec<Constant>> {
    let mut all = vec![Vec::new()];
    for &sort in sorts {
        let longer = |values: &Vec<Constant>| {
            let values = values.clone();
            range.values(sort).map(move |value| {
                let mut values = values.clone();
                values.push(value);
                values
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

struct Search<'a> {
    program: &'a Program,
    limits: &'a Limits,
    found: Vec<Trace>,
    tried: usize,
}

impl Search<'_> {
    fn from(
        &mut self,
        initial: &[(VarId, Value)],
        state: &State,
        steps: &mut Vec<TraceStep>,
    ) -> Option<()> {
        self.tried += 1;
        if self.tried > self.limits.runs * 50 || steps.len() > self.limits.steps {
            return None;
        }
        let trace = |steps: &Vec<TraceStep>, violation| Trace {
            initial: initial.to_vec(),
            steps: steps.clone(),
            violation,
        };
        // What comes after an error state is of no interest.
        if state.is_error(self.program).ok()? {
            self.found.push(trace(steps, Violation::ErrorState));
            return (self.found.len() <= self.limits.runs).then_some(());
        }
        for thread in self.program.thread_ids() {
            let Some(location) = state.location(thread) else {
                continue;
            };
            for &edge in self.program.outgoing(location) {
                let sorts = choices(self.program, &self.program.edge(edge).statement);
                for values in all_values(&sorts, self.limits.range) {
                    let outcome = execute(self.program, state, edge, &values).ok()?;
                    steps.push(TraceStep {
                        edge,
                        choices: values,
                    });
                    match outcome {
                        Step::Blocked | Step::BoundReached => {}
                        Step::Violated => {
                            self.found.push(trace(steps, Violation::Assertion(edge)));
                            if self.found.len() > self.limits.runs {
                                return None;
                            }
                        }
                        Step::Next(next) => self.from(initial, &next, steps)?,
                    }
                    steps.pop();
                }
            }
        }
        Some(())
    }
}
