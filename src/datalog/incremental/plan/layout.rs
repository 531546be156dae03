//! Which variables travel where: from actions to stages.
//!
//! Between two stages an assignment is a pair of tuples: the key that the next stage looks
//! things up by, and the values of the other variables that something later needs.

use super::{
    Action, AggregateAction, CandidateSet, Formula, PlanAtom, PlanTerm, Seek, Source, Test, Var,
};
use heddle_language::ruleset::{AggregateFunction, Comparison, RelationId};
use std::collections::{BTreeMap, BTreeSet};

/// The evaluation of a body: rows of the base, through all stages.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) base: Base,
    /// What becomes of a row of the base, which is the left tuple.
    pub(crate) first: Emission,
    pub(crate) stages: Vec<Stage>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Base {
    Scan(Source),
    /// Rows that the renderer provides.
    Given,
}

#[derive(Clone, Debug)]
pub(crate) struct Stage {
    pub(crate) input: Input,
    pub(crate) operation: Operation,
    pub(crate) emission: Emission,
}

/// What a stage works on.
#[derive(Clone, Debug)]
pub(crate) enum Input {
    /// What the previous stage emits.
    Emitted,
    /// The base as it is, with these columns as the key and the others as the value. Other
    /// plans may use the same arrangement.
    Shared(Arranging),
}

/// A source, arranged by some columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Arranging {
    pub(crate) source: Source,
    pub(crate) key: Vec<usize>,
}

/// What to do with an assignment; what is found for it is the right tuple.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// Right: the other columns.
    Join(Arranging),
    /// Right: the other columns for the tests, nothing for the emission.
    Absent {
        arranging: Arranging,
        /// Several tuples may agree with the key, and count once.
        several: bool,
        tests: Vec<Test<Slot>>,
    },
    /// Key: the event. Right: its kind, chain and index.
    Locate { order: RelationId },
    /// Key: kind and chain. Right: the event and its index.
    Expand { order: RelationId },
    /// Key: kind, chain and what the candidates depend on. Right: the event and its index.
    Seek {
        candidates: CandidateSet,
        limit: Slot,
        split: Option<Slot>,
        tests: Vec<Test<Slot>>,
    },
    /// Key: the groups. Right: the result.
    Aggregate {
        function: AggregateFunction,
        /// Of the groups, to the groups and the value.
        body: Box<Plan>,
    },
}

/// What becomes of an assignment and what was found for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Emission {
    pub(crate) steps: Vec<Step>,
    pub(crate) key: Vec<Column>,
    pub(crate) value: Vec<Column>,
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Test(Test<Slot>),
    Compute(Formula<Slot>),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    Slot(Slot),
    Constant(i64),
}

/// Where a value is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Key(usize),
    Left(usize),
    Right(usize),
    Computed(usize),
}

impl Plan {
    /// `given` are the columns of the rows that the plan starts from, if not those of a
    /// source.
    pub(super) fn new(
        actions: Vec<Action>,
        given: Option<&[Var]>,
        key: &[Formula<Var>],
        value: &[Formula<Var>],
    ) -> Plan {
        let mut actions = actions;
        let (base, terms) = match (given, actions.first()) {
            (Some(given), _) => {
                let terms = given.iter().copied().map(PlanTerm::Variable).collect();
                (Base::Given, terms)
            }
            (None, Some(Action::Join(atom))) => {
                let PlanAtom { source, terms } = atom.clone();
                actions.remove(0);
                (Base::Scan(source), terms)
            }
            (None, _) => (Base::Scan(Source::Unit), Vec::new()),
        };
        let mut bound = variables_of(&terms);
        let mut works: Vec<Work> = Vec::new();
        let mut smalls: Vec<Vec<Action>> = vec![Vec::new()];
        for action in actions {
            match Work::new(&action, &mut bound) {
                Some(work) => {
                    works.push(work);
                    smalls.push(Vec::new());
                }
                None => smalls.last_mut().expect("there is one").push(action),
            }
        }
        let lives = live_variables(&works, &smalls, key, value);
        let shared = match (base, works.first()) {
            (Base::Scan(source), Some(first)) if smalls[0].is_empty() => {
                first.shared_input(source, &terms)
            }
            _ => None,
        };

        let mut builder = Builder::default();
        builder.match_row(&terms);
        builder.take(&smalls[0]);
        let mut emissions = Vec::new();
        let mut operations = Vec::new();
        for (index, work) in works.into_iter().enumerate() {
            let (left, input) = match &shared {
                Some(arranging) if index == 0 => {
                    emissions.push(Emission::default());
                    let left = other_variables(&terms, arranging);
                    (left, Input::Shared(arranging.clone()))
                }
                _ => {
                    let left = work.carried(&lives[index]);
                    emissions.push(builder.finish(&work.key, &left));
                    (left.into_iter().map(Some).collect(), Input::Emitted)
                }
            };
            builder = Builder::default();
            builder.receive(&work, &left);
            builder.match_right(&work);
            let operation = work.operation.resolve(&builder.slots);
            operations.push((input, operation));
            builder.take(&smalls[index + 1]);
        }
        emissions.push(builder.finish_with(key, value));
        let mut emissions = emissions.into_iter();
        let first = emissions.next().expect("one was just pushed");
        let stages = operations.into_iter().zip(emissions);
        Plan {
            base,
            first,
            stages: stages
                .map(|((input, operation), emission)| Stage {
                    input,
                    operation,
                    emission,
                })
                .collect(),
        }
    }
}

/// An action that takes a stage of its own.
struct Work {
    /// What it looks things up by.
    key: Vec<PlanTerm>,
    /// What else it reads.
    reads: Vec<Var>,
    /// The columns of what is found.
    right: Vec<PlanTerm>,
    operation: Unresolved,
}

enum Unresolved {
    Join(Arranging),
    Absent(Arranging, bool, Vec<Test<Var>>, Vec<PlanTerm>),
    Locate(RelationId),
    Expand(RelationId, Var),
    Seek(Seek),
    Aggregate(AggregateAction),
}

impl Work {
    /// `None` for an action that the stage before can do. `bound` is brought up to date.
    fn new(action: &Action, bound: &mut BTreeSet<Var>) -> Option<Work> {
        let work = match action {
            Action::Test(_) => return None,
            Action::Bind(variable, _) => {
                bound.insert(*variable);
                return None;
            }
            Action::Join(atom) => {
                let (arranging, key, right) = look_up(atom, bound);
                Work {
                    key,
                    reads: Vec::new(),
                    right,
                    operation: Unresolved::Join(arranging),
                }
            }
            Action::Absent(atom, tests) => {
                let (arranging, key, found) = look_up(atom, bound);
                let own = variables_of(&found);
                let mut reads = Vec::new();
                tests.iter().for_each(|test| test.variables(&mut reads));
                reads.retain(|variable| !own.contains(variable));
                let several = tests.is_empty() && !found.is_empty();
                Work {
                    key,
                    reads,
                    right: Vec::new(),
                    operation: Unresolved::Absent(arranging, several, tests.clone(), found),
                }
            }
            Action::Locate {
                order,
                event,
                place,
            } => Work {
                key: vec![PlanTerm::Variable(*event)],
                reads: Vec::new(),
                right: [place.chain.kind, place.chain.chain, place.index]
                    .map(PlanTerm::Variable)
                    .to_vec(),
                operation: Unresolved::Locate(*order),
            },
            Action::Expand {
                order,
                chain,
                limit,
                event,
                index,
            } => Work {
                key: [chain.kind, chain.chain].map(PlanTerm::Variable).to_vec(),
                reads: vec![*limit],
                right: [*event, *index].map(PlanTerm::Variable).to_vec(),
                operation: Unresolved::Expand(*order, *limit),
            },
            Action::Seek(seek) => {
                let mut reads: Vec<Var> = vec![seek.limit];
                reads.extend(seek.split);
                seek.tests
                    .iter()
                    .for_each(|test| test.variables(&mut reads));
                reads.retain(|&variable| variable != seek.event);
                let chain = [seek.chain.kind, seek.chain.chain];
                let key = chain.into_iter().chain(seek.key.iter().copied());
                Work {
                    key: key.map(PlanTerm::Variable).collect(),
                    reads,
                    right: [seek.event, seek.index].map(PlanTerm::Variable).to_vec(),
                    operation: Unresolved::Seek(seek.clone()),
                }
            }
            Action::Aggregate(aggregate) => {
                let groups = aggregate.groups.iter().copied();
                let known = bound.contains(&aggregate.result);
                Work {
                    key: groups.map(PlanTerm::Variable).collect(),
                    reads: known.then_some(aggregate.result).into_iter().collect(),
                    right: vec![PlanTerm::Variable(aggregate.result)],
                    operation: Unresolved::Aggregate(aggregate.clone()),
                }
            }
        };
        bound.extend(variables_of(&work.right));
        Some(work)
    }

    /// The variables that travel in the value, given those needed before this action.
    fn carried(&self, live: &BTreeSet<Var>) -> Vec<Var> {
        let key = variables_of(&self.key);
        live.difference(&key).copied().collect()
    }

    /// If the base's rows are needed as they are: how they are to be arranged.
    fn shared_input(&self, source: Source, terms: &[PlanTerm]) -> Option<Arranging> {
        let distinct = variables_of(terms).len();
        let any = terms.iter().filter(|term| **term == PlanTerm::Any).count();
        if distinct + any != terms.len() {
            return None;
        }
        let column = |term: &PlanTerm| match term {
            PlanTerm::Variable(_) => terms.iter().position(|other| other == term),
            _ => None,
        };
        let key: Option<Vec<usize>> = self.key.iter().map(column).collect();
        let key = key.filter(|key| variables_of(&self.key).len() == key.len())?;
        Some(Arranging { source, key })
    }
}

/// How to look up an atom when the bound variables are known: the arrangement, the key, and
/// the other columns.
fn look_up(atom: &PlanAtom, bound: &BTreeSet<Var>) -> (Arranging, Vec<PlanTerm>, Vec<PlanTerm>) {
    let known = |term: &PlanTerm| match term {
        PlanTerm::Variable(variable) => bound.contains(variable),
        PlanTerm::Constant(_) => true,
        PlanTerm::Any => false,
    };
    let mut columns = Vec::new();
    let mut key = Vec::new();
    let mut others = Vec::new();
    for (column, term) in atom.terms.iter().enumerate() {
        if known(term) {
            columns.push(column);
            key.push(*term);
        } else {
            others.push(*term);
        }
    }
    let arranging = Arranging {
        source: atom.source,
        key: columns,
    };
    (arranging, key, others)
}

impl Unresolved {
    fn resolve(self, slots: &BTreeMap<Var, Slot>) -> Operation {
        let place = |variable: Var| slots[&variable];
        match self {
            Unresolved::Join(arranging) => Operation::Join(arranging),
            Unresolved::Absent(arranging, several, tests, found) => {
                let place = |variable: Var| {
                    let own = found
                        .iter()
                        .position(|term| *term == PlanTerm::Variable(variable));
                    own.map_or_else(|| place(variable), Slot::Right)
                };
                Operation::Absent {
                    arranging,
                    several,
                    tests: tests.iter().map(|test| test.map(&place)).collect(),
                }
            }
            Unresolved::Locate(order) => Operation::Locate { order },
            Unresolved::Expand(order, ..) => Operation::Expand { order },
            Unresolved::Seek(seek) => Operation::Seek {
                limit: place(seek.limit),
                split: seek.split.map(place),
                tests: seek
                    .tests
                    .iter()
                    .map(|test| {
                        test.map(&|variable| {
                            if variable == seek.event {
                                Slot::Right(0)
                            } else {
                                place(variable)
                            }
                        })
                    })
                    .collect(),
                candidates: seek.candidates,
            },
            Unresolved::Aggregate(aggregate) => {
                let groups: Vec<Formula<Var>> = aggregate
                    .groups
                    .iter()
                    .copied()
                    .map(Formula::Variable)
                    .collect();
                let value: Vec<Formula<Var>> = match aggregate.value {
                    Some(value) => vec![value],
                    None => vec![Formula::Constant(0)],
                };
                let body = Plan::new(aggregate.body, Some(&aggregate.groups), &groups, &value);
                Operation::Aggregate {
                    function: aggregate.function,
                    body: Box::new(body),
                }
            }
        }
    }
}

/// Before each work: the variables that it or something later needs and that come from
/// before it.
fn live_variables(
    works: &[Work],
    smalls: &[Vec<Action>],
    key: &[Formula<Var>],
    value: &[Formula<Var>],
) -> Vec<BTreeSet<Var>> {
    let mut wanted = Vec::new();
    for formula in key.iter().chain(value) {
        formula.variables(&mut wanted);
    }
    let mut live: BTreeSet<Var> = wanted.into_iter().collect();
    let mut lives = Vec::new();
    for (work, small) in works.iter().zip(&smalls[1..]).rev() {
        for action in small.iter().rev() {
            let mut reads = Vec::new();
            match action {
                Action::Test(test) => test.variables(&mut reads),
                Action::Bind(variable, formula) => {
                    live.remove(variable);
                    formula.variables(&mut reads);
                }
                _ => {}
            }
            live.extend(reads);
        }
        for variable in variables_of(&work.right) {
            live.remove(&variable);
        }
        live.extend(variables_of(&work.key));
        live.extend(work.reads.iter().copied());
        lives.push(live.clone());
    }
    lives.reverse();
    lives
}

fn variables_of(terms: &[PlanTerm]) -> BTreeSet<Var> {
    let variables = terms.iter().filter_map(|term| match term {
        PlanTerm::Variable(variable) => Some(*variable),
        _ => None,
    });
    variables.collect()
}

/// The variables in the value of a shared arrangement.
fn other_variables(terms: &[PlanTerm], arranging: &Arranging) -> Vec<Option<Var>> {
    let others = terms
        .iter()
        .enumerate()
        .filter(|(column, _)| !arranging.key.contains(column));
    others
        .map(|(_, term)| match term {
            PlanTerm::Variable(variable) => Some(*variable),
            _ => None,
        })
        .collect()
}

/// Builds the emission of a stage.
#[derive(Default)]
struct Builder {
    slots: BTreeMap<Var, Slot>,
    steps: Vec<Step>,
    computed: usize,
}

impl Builder {
    /// A row of the base is the left tuple.
    fn match_row(&mut self, terms: &[PlanTerm]) {
        for (column, term) in terms.iter().enumerate() {
            self.unify(term, Slot::Left(column));
        }
    }

    fn receive(&mut self, work: &Work, left: &[Option<Var>]) {
        for (column, variable) in left.iter().enumerate() {
            if let Some(variable) = variable {
                self.slots.insert(*variable, Slot::Left(column));
            }
        }
        for (column, term) in work.key.iter().enumerate() {
            if let PlanTerm::Variable(variable) = term {
                self.slots.insert(*variable, Slot::Key(column));
            }
        }
    }

    fn match_right(&mut self, work: &Work) {
        for (column, term) in work.right.iter().enumerate() {
            self.unify(term, Slot::Right(column));
        }
        if let Unresolved::Expand(_, limit) = &work.operation {
            self.steps.push(Step::Test(Test {
                comparison: Comparison::LessEqual,
                left: Formula::Variable(Slot::Right(1)),
                right: Formula::Variable(self.slots[limit]),
            }));
        }
    }

    fn unify(&mut self, term: &PlanTerm, slot: Slot) {
        let known = match term {
            PlanTerm::Any => return,
            PlanTerm::Constant(value) => Formula::Constant(*value),
            PlanTerm::Variable(variable) => match self.slots.get(variable) {
                Some(known) => Formula::Variable(*known),
                None => {
                    self.slots.insert(*variable, slot);
                    return;
                }
            },
        };
        self.steps.push(Step::Test(Test {
            comparison: Comparison::Equal,
            left: Formula::Variable(slot),
            right: known,
        }));
    }

    fn take(&mut self, small: &[Action]) {
        for action in small {
            match action {
                Action::Test(test) => {
                    let test = test.map(&|variable| self.slots[&variable]);
                    self.steps.push(Step::Test(test));
                }
                Action::Bind(variable, formula) => {
                    let slot = self.compute(formula);
                    self.slots.insert(*variable, slot);
                }
                _ => {}
            }
        }
    }

    fn compute(&mut self, formula: &Formula<Var>) -> Slot {
        let formula = formula.map(&|variable| self.slots[&variable]);
        self.steps.push(Step::Compute(formula));
        self.computed += 1;
        Slot::Computed(self.computed - 1)
    }

    fn finish(self, key: &[PlanTerm], left: &[Var]) -> Emission {
        let column = |term: &PlanTerm| match term {
            PlanTerm::Variable(variable) => Column::Slot(self.slots[variable]),
            PlanTerm::Constant(value) => Column::Constant(*value),
            PlanTerm::Any => Column::Constant(0),
        };
        let value = left
            .iter()
            .map(|variable| Column::Slot(self.slots[variable]));
        Emission {
            key: key.iter().map(column).collect(),
            value: value.collect(),
            steps: self.steps,
        }
    }

    fn finish_with(mut self, key: &[Formula<Var>], value: &[Formula<Var>]) -> Emission {
        let mut column = |formula: &Formula<Var>| match formula {
            Formula::Variable(variable) => Column::Slot(self.slots[variable]),
            Formula::Constant(value) => Column::Constant(*value),
            _ => Column::Slot(self.compute(formula)),
        };
        let key = key.iter().map(&mut column).collect();
        let value = value.iter().map(&mut column).collect();
        Emission {
            key,
            value,
            steps: self.steps,
        }
    }
}
