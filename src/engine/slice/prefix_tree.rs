//! Runs that were excluded, as a tree of their prefixes; and where a run can leave it.
//!
//! The graph G_R of Section 5.3 of *Counter-Example Guided Program Verification*. A step with
//! non-deterministic values, and the start of a run where variables begin with any value,
//! are several edges of the tree: one for each value.

use super::refinement::Prefix;
use super::run::Run;
use heddle_interpret::{State, Step, TraceStep, choices, execute};
use heddle_program::{Constant, EdgeId, Program, Statement, Value, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way to leave the tree.
pub(crate) enum Deviation {
    /// By the value of a variable that begins with any value.
    Start(Values),
    /// By a step that leads to this state.
    To(Prefix, State),
    /// By an assertion that fails.
    Violation(Prefix),
    /// Beyond what the front end unfolded.
    Bound(Prefix, String),
    /// By this step of the thread, in this state, with values that it does not have in the
    /// tree.
    By(Prefix, State, EdgeId, Values),
}

/// Non-deterministic values: the first ones are given, the next one is not among some, the
/// others are any.
#[derive(Default)]
pub(crate) struct Values {
    pub given: Vec<Constant>,
    pub excluded: Vec<Constant>,
}

/// The nodes of the tree: each prefix with the state that it leads to.
struct Node {
    prefix: Prefix,
    state: State,
    /// The steps that go on in the tree, each with its non-deterministic values.
    next: FxHashMap<EdgeId, Vec<Vec<Constant>>>,
}

/// The variables that begin with any value, in order.
pub(crate) fn open_at_start(program: &Program) -> Vec<VarId> {
    let variables = program.variable_ids();
    variables
        .filter(|&variable| program.variable(variable).initial.is_none())
        .collect()
}

/// Every way to leave the prefixes of the runs.
pub(crate) fn deviations(program: &Program, runs: &[Run]) -> Vec<Deviation> {
    let open = open_at_start(program);
    if runs.is_empty() {
        return vec![Deviation::Start(Values::default())];
    }
    let mut starts: Vec<Vec<Constant>> = Vec::new();
    let mut numbers: FxHashMap<(Vec<Constant>, Vec<Taken>), usize> = FxHashMap::default();
    let mut nodes: Vec<Node> = Vec::new();
    for run in runs {
        let start = &run.states[0];
        let values: Vec<(VarId, Value)> = open
            .iter()
            .map(|&variable| (variable, start.value(variable).clone()))
            .collect();
        let constants: Vec<Constant> = values.iter().flat_map(|(_, value)| flat(value)).collect();
        starts.push(constants.clone());
        let mut taken: Vec<Taken> = Vec::new();
        for (position, step) in run.trace.steps.iter().enumerate() {
            let key = (constants.clone(), taken.clone());
            let number = *numbers.entry(key).or_insert_with(|| {
                nodes.push(Node {
                    prefix: Prefix {
                        initial: Some(values.clone()),
                        steps: run.trace.steps[..position].to_vec(),
                        fails: false,
                    },
                    state: run.states[position].clone(),
                    next: FxHashMap::default(),
                });
                nodes.len() - 1
            });
            let next = nodes[number].next.entry(step.edge).or_default();
            next.push(step.choices.clone());
            taken.push((step.edge, step.choices.clone()));
        }
    }
    let mut found: Vec<Deviation> = other_values(&starts, constants_at_start(program, &open))
        .into_iter()
        .map(Deviation::Start)
        .collect();
    let mut reached: FxHashSet<State> = FxHashSet::default();
    for node in &nodes {
        node.deviations(program, &mut reached, &mut found);
    }
    found
}

type Taken = (EdgeId, Vec<Constant>);

fn flat(value: &Value) -> Vec<Constant> {
    match value {
        Value::Scalar(constant) => vec![*constant],
        Value::Array { elements, .. } => elements.clone(),
    }
}

fn constants_at_start(program: &Program, open: &[VarId]) -> usize {
    let sorts = open.iter().map(|&variable| program.variable(variable).sort);
    sorts
        .map(|sort| sort.as_array().map_or(1, |array| array.length as usize))
        .sum()
}

/// How to differ from all of these sequences of `length` values.
fn other_values(known: &[Vec<Constant>], length: usize) -> Vec<Values> {
    let mut others = Vec::new();
    let mut seen: FxHashSet<&[Constant]> = FxHashSet::default();
    for place in 0..length {
        for sequence in known {
            let given = &sequence[..place];
            if !seen.insert(given) {
                continue;
            }
            let same = known.iter().filter(|other| other.starts_with(given));
            let mut excluded: Vec<Constant> = same.map(|other| other[place]).collect();
            excluded.sort_unstable();
            excluded.dedup();
            others.push(Values {
                given: given.to_vec(),
                excluded,
            });
        }
    }
    others
}

impl Node {
    fn deviations(
        &self,
        program: &Program,
        reached: &mut FxHashSet<State>,
        found: &mut Vec<Deviation>,
    ) {
        for thread in program.thread_ids() {
            let may_go = self.state.atomic.is_none_or(|owner| owner == thread);
            let Some(location) = self.state.location(thread).filter(|_| may_go) else {
                continue;
            };
            for &edge in program.outgoing(location) {
                self.by(program, edge, reached, found);
            }
        }
    }

    fn by(
        &self,
        program: &Program,
        edge: EdgeId,
        reached: &mut FxHashSet<State>,
        found: &mut Vec<Deviation>,
    ) {
        let statement = &program.edge(edge).statement;
        let sorts = choices(program, statement);
        let some: Vec<Constant> = sorts.iter().map(|&sort| Constant::zero(sort)).collect();
        let outcome = execute(program, &self.state, edge, &some);
        let known = self.next.get(&edge);
        let further = |fails| {
            let mut prefix = self.prefix.clone();
            prefix.steps.push(TraceStep::new(edge));
            prefix.fails = fails;
            prefix
        };
        match outcome {
            Ok(Step::Blocked) => {}
            Ok(Step::Next(state)) if sorts.is_empty() => {
                if known.is_none() && reached.insert(state.clone()) {
                    found.push(Deviation::To(further(false), state));
                }
            }
            Ok(Step::Violated) => {
                if known.is_none() {
                    found.push(Deviation::Violation(further(true)));
                }
            }
            Ok(Step::BoundReached) => {
                if let Statement::BoundReached(reason) = statement {
                    found.push(Deviation::Bound(self.prefix.clone(), reason.clone()));
                }
            }
            // What cannot be computed here is left to who checks the program.
            Ok(Step::Next(_)) | Err(_) => {
                let values = match known {
                    None => vec![Values::default()],
                    Some(known) => other_values(known, sorts.len()),
                };
                found.extend(values.into_iter().map(|values| {
                    Deviation::By(self.prefix.clone(), self.state.clone(), edge, values)
                }));
            }
        }
    }
}
