//! Runs a [`Plan`]: finds every way to make its literals hold, with the weight of each.

use super::algebra::Algebra;
use super::derivation::{Pair, Premise};
use super::orders::{EventId, OrderStore};
use super::paths::Found;
use super::plan::{AggregateStep, Lookup, Operand, Plan, Step};
use super::program::OrderId;
use super::store::{ItemId, Store, TupleId};
use crate::value::Value;
use heddle_language::ruleset::{AggregateFunction, VariableId};
use rustc_hash::FxHashSet;

/// What is known so far.
pub(super) struct Model<'a, A: Algebra> {
    pub(super) store: &'a Store<A::Weight>,
    pub(super) orders: &'a [OrderStore<A::Weight>],
    pub(super) algebra: &'a mut A,
}

/// Values of the variables, the weight of the premises, and the premises with the positions
/// of their atoms in the body.
pub(super) struct Match<'a, W> {
    pub(super) binding: &'a [Value],
    pub(super) weight: W,
    pub(super) premises: &'a [(u32, Premise)],
}

/// How the tuples of a step are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// Each tuple once for each of its weights.
    Weights,
    /// Each tuple once, whatever it weighs.
    Tuples,
}

/// How much a search may do, and how far it came.
struct Effort {
    /// The most steps that were made to hold together.
    deepest: usize,
    /// How many outcomes of steps may still be tried.
    left: u64,
    /// Whether to stop at the first match.
    first_only: bool,
}

impl Effort {
    fn unlimited() -> Self {
        Effort {
            deepest: 0,
            left: u64::MAX,
            first_only: false,
        }
    }
}

/// Where the search stands in one step.
struct Frame<W> {
    cursor: Cursor<W>,
    /// The weight of the premises before this step.
    weight: W,
    /// How many premises there were before this step.
    premises: usize,
}

enum Cursor<W> {
    /// A step with at most one outcome.
    Test {
        done: bool,
    },
    Tuples {
        key: Box<[Value]>,
        tuple: Option<TupleId>,
        /// The item to try next, if the tuple is a match.
        item: Option<ItemId>,
    },
    Pairs {
        found: std::vec::IntoIter<Found<W>>,
    },
}

impl<A: Algebra> Model<'_, A> {
    /// Calls `found` for each match. `binding` has the values of the variables that the
    /// plan was made for; those of others are lost. Matches extend `weight` and `premises`.
    pub(super) fn matches(
        &mut self,
        plan: &Plan,
        binding: &mut [Value],
        weight: A::Weight,
        premises: &mut Vec<(u32, Premise)>,
        found: &mut dyn FnMut(&mut A, Match<A::Weight>),
    ) {
        let mut effort = Effort::unlimited();
        self.search(
            plan,
            binding,
            (weight, premises),
            Counting::Weights,
            &mut effort,
            found,
        );
    }

    /// How many steps of the plan, from the first on, can be made to hold together. Gives up
    /// after some time, with what was reached by then.
    pub(super) fn depth(&mut self, plan: &Plan, binding: &[Value]) -> usize {
        let mut effort = Effort {
            deepest: 0,
            left: 1_000_000,
            first_only: true,
        };
        let premises = (A::NOTHING, &mut Vec::new());
        let binding = &mut binding.to_vec();
        self.search(
            plan,
            binding,
            premises,
            Counting::Tuples,
            &mut effort,
            &mut |_, _| {},
        );
        effort.deepest
    }

    fn search(
        &mut self,
        plan: &Plan,
        binding: &mut [Value],
        (mut weight, premises): (A::Weight, &mut Vec<(u32, Premise)>),
        counting: Counting,
        effort: &mut Effort,
        found: &mut dyn FnMut(&mut A, Match<A::Weight>),
    ) {
        let outer_premises = premises.len();
        let mut frames: Vec<Frame<A::Weight>> = Vec::with_capacity(plan.steps.len());
        loop {
            effort.deepest = effort.deepest.max(frames.len());
            if frames.len() == plan.steps.len() {
                let whole = Match {
                    binding,
                    weight,
                    premises,
                };
                found(self.algebra, whole);
                if effort.first_only {
                    effort.left = 0;
                }
            } else {
                let cursor = self.open(&plan.steps[frames.len()], binding, counting);
                frames.push(Frame {
                    cursor,
                    weight,
                    premises: premises.len(),
                });
            }
            // Go on with the innermost step that has another outcome.
            weight = loop {
                let number = frames.len();
                let Some(frame) = frames.last_mut().filter(|_| effort.left > 0) else {
                    premises.truncate(outer_premises);
                    return;
                };
                effort.left -= 1;
                premises.truncate(frame.premises);
                let step = &plan.steps[number - 1];
                let before = frame.weight;
                let cursor = &mut frame.cursor;
                match self.advance(step, cursor, binding, (before, premises), counting) {
                    Some(with_step) => break with_step,
                    None => _ = frames.pop(),
                }
            };
        }
    }

    fn open(&mut self, step: &Step, binding: &[Value], counting: Counting) -> Cursor<A::Weight> {
        match step {
            Step::Lookup(lookup) => {
                let key = key_of(lookup, binding);
                let tuple = self.store.tuples(lookup.relation).first(lookup.index, &key);
                Cursor::Tuples {
                    key,
                    tuple,
                    item: None,
                }
            }
            Step::Pairs {
                order, first, last, ..
            } => {
                let mut found = Vec::new();
                let store = &self.orders[order.index()];
                let end = |bound: bool, variable: VariableId| {
                    bound.then(|| store.find(binding[variable.index()]))
                };
                let (first_event, last_event) = (
                    end(first.bound, first.variable),
                    end(last.bound, last.variable),
                );
                let missing = [first_event, last_event].contains(&Some(None));
                let same = first.variable == last.variable;
                if !missing {
                    store.pairs(
                        self.algebra,
                        first_event.flatten(),
                        last_event.flatten(),
                        &mut |_, pair| {
                            if !same || pair.pair.first == pair.pair.last {
                                found.push(pair);
                            }
                        },
                    );
                }
                if counting == Counting::Tuples {
                    let mut seen = FxHashSet::default();
                    found.retain(|found| seen.insert((found.pair.first, found.pair.last)));
                }
                Cursor::Pairs {
                    found: found.into_iter(),
                }
            }
            _ => Cursor::Test { done: false },
        }
    }

    /// The next outcome of a step: the weight with it, or `None` if there is no other.
    fn advance(
        &mut self,
        step: &Step,
        cursor: &mut Cursor<A::Weight>,
        binding: &mut [Value],
        (weight, premises): (A::Weight, &mut Vec<(u32, Premise)>),
        counting: Counting,
    ) -> Option<A::Weight> {
        match cursor {
            Cursor::Test { done } => {
                let first_time = !std::mem::replace(done, true);
                (first_time && self.test(step, binding)).then_some(weight)
            }
            Cursor::Tuples { key, tuple, item } => {
                let Step::Lookup(lookup) = step else {
                    unreachable!("tuples are looked up");
                };
                let tuples = self.store.tuples(lookup.relation);
                loop {
                    if let Some(next) = *item {
                        *item = match counting {
                            Counting::Weights => self.store.older(next),
                            Counting::Tuples => None,
                        };
                        let with_item = match counting {
                            Counting::Weights => {
                                self.algebra.and(weight, self.store.item(next).weight)
                            }
                            Counting::Tuples => Some(weight),
                        };
                        if with_item.is_some() {
                            premises.push((lookup.atom, Premise::Item(next)));
                            return with_item;
                        }
                        continue;
                    }
                    let candidate = (*tuple)?;
                    *tuple = tuples.next(lookup.index, candidate);
                    if tuples.matches(lookup.index, candidate, key)
                        && lookup.pattern.bind(tuples.row(candidate), binding)
                    {
                        *item = self.store.latest(lookup.relation, candidate);
                    }
                }
            }
            Cursor::Pairs { found } => {
                let Step::Pairs {
                    atom,
                    order,
                    first,
                    last,
                } = step
                else {
                    unreachable!("pairs are looked up");
                };
                loop {
                    let next = found.next()?;
                    let pair = self.algebra.pair(next.weight);
                    let with_pair = match counting {
                        Counting::Weights => self.algebra.and(weight, pair),
                        Counting::Tuples => Some(weight),
                    };
                    if with_pair.is_some() {
                        let Pair {
                            first: one,
                            last: other,
                            ..
                        } = next.pair;
                        let store = &self.orders[order.index()];
                        binding[first.variable.index()] = store.event(one).value;
                        binding[last.variable.index()] = store.event(other).value;
                        premises.push((*atom, Premise::Pair(*order, next.pair)));
                        return with_pair;
                    }
                }
            }
        }
    }

    /// A step with at most one outcome.
    fn test(&mut self, step: &Step, binding: &mut [Value]) -> bool {
        match step {
            Step::Test(comparison, left, right) => {
                let values = (left.value(binding), right.value(binding));
                matches!(values, (Some(left), Some(right)) if comparison.holds(left.0, right.0))
            }
            Step::Bind(variable, formula) => match formula.value(binding) {
                Some(value) => {
                    binding[variable.index()] = value;
                    true
                }
                None => false,
            },
            Step::Absent(lookup) => !self.any_tuple(lookup, binding),
            Step::AbsentPair { order, first, last } => {
                let end = |end: &Option<Operand>| {
                    end.map(|operand| self.orders[order.index()].find(operand.value(binding)))
                };
                let (first, last) = (end(first), end(last));
                [first, last].contains(&Some(None))
                    || !self.any_pair(*order, first.flatten(), last.flatten())
            }
            Step::Aggregate(step) => match self.aggregate(step, binding) {
                Some(value) if step.result_bound => binding[step.result.index()] == value,
                Some(value) => {
                    binding[step.result.index()] = value;
                    true
                }
                None => false,
            },
            Step::Lookup(_) | Step::Pairs { .. } => unreachable!("has a cursor of its own"),
        }
    }

    fn any_tuple(&self, lookup: &Lookup, binding: &[Value]) -> bool {
        let key = key_of(lookup, binding);
        let tuples = self.store.tuples(lookup.relation);
        let mut candidate = tuples.first(lookup.index, &key);
        while let Some(tuple) = candidate {
            if tuples.matches(lookup.index, tuple, &key) {
                return true;
            }
            candidate = tuples.next(lookup.index, tuple);
        }
        false
    }

    fn any_pair(&mut self, order: OrderId, first: Option<EventId>, last: Option<EventId>) -> bool {
        self.orders[order.index()].any_pair(self.algebra, first, last)
    }

    /// The value of an aggregate; `None` for `min` and `max` of nothing.
    pub(super) fn aggregate(&mut self, step: &AggregateStep, binding: &[Value]) -> Option<Value> {
        let mut values: Vec<i64> = Vec::new();
        self.search(
            &step.plan,
            &mut binding.to_vec(),
            (A::NOTHING, &mut Vec::new()),
            Counting::Tuples,
            &mut Effort::unlimited(),
            &mut |_, found| match &step.value {
                None => values.push(0),
                Some(value) => values.extend(value.value(found.binding).map(|value| value.0)),
            },
        );
        match step.function {
            AggregateFunction::Count => Some(Value(values.len() as i64)),
            AggregateFunction::Sum => Some(Value(
                values.iter().fold(0, |sum, &value| sum.wrapping_add(value)),
            )),
            AggregateFunction::Min => values.iter().min().map(|&value| Value(value)),
            AggregateFunction::Max => values.iter().max().map(|&value| Value(value)),
        }
    }
}

fn key_of(lookup: &Lookup, binding: &[Value]) -> Box<[Value]> {
    lookup
        .key
        .iter()
        .map(|operand| operand.value(binding))
        .collect()
}
