//! The values that inputs take: all of a range, or, for open systems, one that the solver
//! chooses for each valuation of the predicates that is possible (Section 7.1).

use super::predicates::Predicates;
use super::prover::{Found, Prover};
use super::structure::Structure;
use crate::action::Action;
use heddle_interpret::{NondetRange, OpenPlace, Runner, Snapshot};
use heddle_program::{Constant, EdgeId, Scalar, Sort, TermId, Terms, Value, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::time::Instant;

pub(crate) enum Inputs<'a> {
    Range(NondetRange),
    Solver(Box<Oracle<'a>>),
}

/// Values for some open places, several times.
type List = Rc<[Box<[Constant]>]>;

/// What open places can be, one after the other.
pub(crate) enum Values {
    Listed(List, usize),
    Ranges {
        choices: Vec<Vec<Constant>>,
        /// The position in each list; `None` when all combinations were given.
        next: Option<Vec<usize>>,
    },
}

impl Iterator for Values {
    type Item = Box<[Constant]>;

    fn next(&mut self) -> Option<Box<[Constant]>> {
        match self {
            Values::Listed(values, next) => {
                *next += 1;
                values.get(*next - 1).cloned()
            }
            Values::Ranges { choices, next } => {
                let positions = next.as_mut()?;
                let chosen = choices.iter().zip(&*positions);
                let values = chosen.map(|(list, &position)| list[position]).collect();
                let mut place = choices.len();
                loop {
                    let Some(previous) = place.checked_sub(1) else {
                        *next = None;
                        break;
                    };
                    place = previous;
                    positions[place] += 1;
                    if positions[place] < choices[place].len() {
                        break;
                    }
                    positions[place] = 0;
                }
                Some(values)
            }
        }
    }
}

impl Inputs<'_> {
    /// For the variables that start with any value.
    pub(crate) fn at_start(
        &mut self,
        runner: &Runner<'_>,
        open: &[OpenPlace],
        structure: &mut Structure,
    ) -> Values {
        match self {
            Inputs::Range(range) => in_range(*range, open, structure),
            Inputs::Solver(oracle) => oracle.at_start(runner, open, structure),
        }
    }

    /// For what a step leaves open.
    pub(crate) fn of_step(
        &mut self,
        runner: &Runner<'_>,
        edge: EdgeId,
        before: &Snapshot,
        open: &[OpenPlace],
        structure: &mut Structure,
    ) -> Values {
        match self {
            Inputs::Range(range) => in_range(*range, open, structure),
            Inputs::Solver(oracle) => oracle.of_step(runner, edge, before, open, structure),
        }
    }
}

fn in_range(range: NondetRange, open: &[OpenPlace], structure: &mut Structure) -> Values {
    structure.range_used |= open.iter().any(|place| !range.is_exhaustive(place.sort));
    let choices = open.iter().map(|place| range.values(place.sort).collect());
    Values::Ranges {
        choices: choices.collect(),
        next: Some(vec![0; open.len()]),
    }
}

/// Chooses inputs by solving.
pub(crate) struct Oracle<'a> {
    /// A copy of its own, because the search reads the original.
    terms: Terms,
    prover: Prover,
    predicates: &'a Predicates,
    /// By edge.
    actions: &'a [Action],
    /// By edge and predicate: what it says before the step.
    before: FxHashMap<(EdgeId, usize), TermId>,
    /// Conditions on inputs, and the inputs that were chosen for them.
    known: FxHashMap<(Vec<VarId>, Vec<TermId>), List>,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        terms: Terms,
        predicates: &'a Predicates,
        actions: &'a [Action],
        deadline: Option<Instant>,
    ) -> Self {
        Oracle {
            terms,
            prover: Prover::new(deadline),
            predicates,
            actions,
            before: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    pub(crate) fn questions(&self) -> super::prover::Questions {
        self.prover.questions()
    }

    fn at_start(
        &mut self,
        runner: &Runner<'_>,
        open: &[OpenPlace],
        structure: &mut Structure,
    ) -> Values {
        let (start, _) = runner.start();
        let choices: Vec<VarId> = open
            .iter()
            .map(|place| {
                let name = self.terms.name(place.variable).to_owned();
                let name = self.terms.unused_name(&format!("{name}!start"));
                self.terms.declare(name, place.sort.into())
            })
            .collect();
        let mut images: FxHashMap<VarId, TermId> = FxHashMap::default();
        for (place, &choice) in open.iter().zip(&choices) {
            let choice = self.terms.variable(choice);
            let image = match self.terms.variable_sort(place.variable) {
                Sort::Array(sort) => {
                    let array = images.get(&place.variable).copied();
                    let array = array
                        .unwrap_or_else(|| self.terms.value(&runner.value(&start, place.variable)));
                    let index = self.terms.index_constant(sort, place.element as u32);
                    self.terms.store(array, index, choice)
                }
                _ => choice,
            };
            images.insert(place.variable, image);
        }
        let conditions: Vec<TermId> = self.predicates.all.iter().map(|p| p.term).collect();
        let conditions = self.terms.substitute_all(&conditions, |terms, variable| {
            let image = images.get(&variable).copied();
            Some(image.unwrap_or_else(|| terms.value(&runner.value(&start, variable))))
        });
        let conditions: Vec<TermId> = self
            .predicates
            .all
            .iter()
            .map(|predicate| conditions[&predicate.term])
            .collect();
        self.chosen(open, &choices, conditions, structure)
    }

    fn of_step(
        &mut self,
        runner: &Runner<'_>,
        edge: EdgeId,
        before: &Snapshot,
        open: &[OpenPlace],
        structure: &mut Structure,
    ) -> Values {
        let actions = self.actions;
        let action = &actions[edge.index()];
        let choices: Vec<VarId> = open
            .iter()
            .map(|place| action.choices[place.choice])
            .collect();
        let mut conditions = Vec::new();
        for (number, predicate) in self.predicates.all.iter().enumerate() {
            let writes = |variable: &VarId| action.update_of(*variable).is_some();
            if predicate.variables.iter().any(writes) {
                let terms = &mut self.terms;
                let condition = self.before.entry((edge, number)).or_insert_with(|| {
                    action.all_before(terms, &[predicate.term])[&predicate.term]
                });
                conditions.push(*condition);
            }
        }
        let program_variables = runner.program().variables.len();
        let image = self.terms.substitute_all(&conditions, |terms, variable| {
            let of_program = variable.index() < program_variables;
            of_program.then(|| terms.value(&runner.value(before, variable)))
        });
        let conditions = conditions
            .iter()
            .map(|condition| image[condition])
            .collect();
        self.chosen(open, &choices, conditions, structure)
    }

    /// One choice for every valuation of the conditions that is possible; and of the open
    /// booleans, which may belong to the program counter.
    fn chosen(
        &mut self,
        open: &[OpenPlace],
        choices: &[VarId],
        mut conditions: Vec<TermId>,
        structure: &mut Structure,
    ) -> Values {
        for (place, &choice) in open.iter().zip(choices) {
            if place.sort == Scalar::Bool {
                conditions.push(self.terms.variable(choice));
            }
        }
        conditions.retain(|&condition| self.terms.as_constant(condition).is_none());
        conditions.sort_unstable();
        conditions.dedup();
        let key = (choices.to_vec(), conditions);
        if let Some(known) = self.known.get(&key) {
            return Values::Listed(known.clone(), 0);
        }
        let (list, complete) = self.enumerate(choices, &key.1);
        structure.inputs_missed |= !complete;
        let list: List = list.into();
        if complete {
            self.known.insert(key, list.clone());
        }
        Values::Listed(list, 0)
    }

    /// And whether these are all.
    fn enumerate(
        &mut self,
        choices: &[VarId],
        conditions: &[TermId],
    ) -> (Vec<Box<[Constant]>>, bool) {
        let mut list = Vec::new();
        let mut excluded: Vec<TermId> = Vec::new();
        loop {
            let model = self.prover.model(&self.terms, &excluded, choices);
            let values = match model {
                Ok(Found::Values(values)) => values,
                Ok(Found::Nothing) => return (list, true),
                Ok(Found::Unknown) | Err(_) => return (list, false),
            };
            let value_of = |variable: VarId| -> Value {
                let position = choices.iter().position(|&choice| choice == variable);
                values[position.expect("conditions mention choices only")].clone()
            };
            let mut others = Vec::new();
            for &condition in conditions {
                let Ok(value) = self.terms.evaluate(condition, value_of) else {
                    return (list, false);
                };
                let holds = value == Value::Scalar(Constant::Bool(true));
                others.push(match holds {
                    true => self.terms.not(condition),
                    false => condition,
                });
            }
            let scalars = values.iter().map(Value::as_scalar);
            let Some(scalars) = scalars.collect() else {
                return (list, false);
            };
            list.push(scalars);
            excluded.push(self.terms.or(&others));
        }
    }
}
