//! What an operator sends on for an assignment and what was found for it.

use super::super::Diff;
use super::super::plan::{Column, Emission, LOOSE, Slot, Step, Test};
use super::super::tuple::Tuple;
use smallvec::SmallVec;

type Computed = SmallVec<[i64; 4]>;

/// The tuples at hand.
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    pub(super) key: &'a Tuple,
    pub(super) left: &'a Tuple,
    pub(super) right: &'a Tuple,
}

impl Found<'_> {
    fn value(&self, slot: Slot, computed: &Computed) -> i64 {
        match slot {
            Slot::Key(column) => self.key.get(column),
            Slot::Left(column) => self.left.get(column),
            Slot::Right(column) => self.right.get(column),
            Slot::Computed(number) => computed[number],
        }
    }

    fn passes(&self, tests: &[Test<Slot>]) -> bool {
        let computed = Computed::new();
        let value = |slot| self.value(slot, &computed);
        tests.iter().all(|test| test.holds(&value))
    }
}

impl Emission {
    /// The pair to send on, if the tests hold.
    pub(super) fn apply(&self, found: Found) -> Option<(Tuple, Tuple)> {
        let mut computed = Computed::new();
        for step in &self.steps {
            match step {
                Step::Test(test) => {
                    if !test.holds(&|slot| found.value(slot, &computed)) {
                        return None;
                    }
                }
                Step::Compute(formula) => {
                    let value = formula.value(&|slot| found.value(slot, &computed))?;
                    computed.push(value);
                }
            }
        }
        let value = |column: &Column| match column {
            Column::Slot(slot) => found.value(*slot, &computed),
            Column::Constant(value) => *value,
        };
        let key = Tuple::build(self.key.len(), |i| value(&self.key[i]));
        let rest = Tuple::build(self.value.len(), |i| value(&self.value[i]));
        Some((key, rest))
    }
}

/// What a join does with each pair of matching tuples.
#[derive(Clone, Debug)]
pub(super) enum Emit {
    Once(Emission),
    /// What fails the tests does not count.
    If(Vec<Test<Slot>>, Emission),
    /// The place of the event, instead of that of an event in no chain.
    InsteadOfLoose(Emission),
    Last(SeekLast),
}

impl Emit {
    pub(super) fn each(&self, found: Found, mut send: impl FnMut((Tuple, Tuple), Diff)) {
        match self {
            Emit::Once(emission) => {
                if let Some(pair) = emission.apply(found) {
                    send(pair, 1);
                }
            }
            Emit::If(tests, emission) => {
                if found.passes(tests)
                    && let Some(pair) = emission.apply(found)
                {
                    send(pair, 1);
                }
            }
            Emit::InsteadOfLoose(emission) => {
                if let Some(pair) = emission.apply(found) {
                    send(pair, 1);
                }
                if let Some(pair) = apply_loose(emission, found.key, found.left) {
                    send(pair, -1);
                }
            }
            Emit::Last(seek) => seek.each(found, &mut send),
        }
    }
}

/// The emission with the place of an event that is in no chain; the key is the event.
pub(super) fn apply_loose(
    emission: &Emission,
    key: &Tuple,
    left: &Tuple,
) -> Option<(Tuple, Tuple)> {
    let right = &Tuple::of(&[LOOSE, key.get(0), 0]);
    emission.apply(Found { key, left, right })
}

/// Searches a list of candidates, sorted by index, that is the right tuple: index, event,
/// index, event, ….
#[derive(Clone, Debug)]
pub(super) struct SeekLast {
    pub(super) limit: Slot,
    pub(super) split: Option<Slot>,
    pub(super) tests: Vec<Test<Slot>>,
    pub(super) emission: Emission,
}

impl SeekLast {
    fn each(&self, found: Found, send: &mut impl FnMut((Tuple, Tuple), Diff)) {
        let computed = Computed::new();
        let limit = found.value(self.limit, &computed);
        let split = self.split.map(|slot| found.value(slot, &computed));
        match split {
            Some(split) if split <= limit => {
                self.last(found, split, limit, send);
                if let Some(front) = split.checked_sub(1) {
                    self.last(found, i64::MIN, front, send);
                }
            }
            _ => self.last(found, i64::MIN, limit, send),
        }
    }

    /// Sends the last candidate from one index to another that passes the tests.
    fn last(&self, found: Found, from: i64, to: i64, send: &mut impl FnMut((Tuple, Tuple), Diff)) {
        let list = found.right;
        let mut place = count_up_to(list, to);
        while place > 0 && list.get(2 * (place - 1)) >= from {
            place -= 1;
            let right = &Tuple::of(&[list.get(2 * place + 1), list.get(2 * place)]);
            let candidate = Found { right, ..found };
            if candidate.passes(&self.tests) {
                if let Some(pair) = self.emission.apply(candidate) {
                    send(pair, 1);
                }
                return;
            }
        }
    }

    /// The same for the chain of one that is an event in no other chain; the key begins with
    /// its kind and the event.
    pub(super) fn loose(&self, key: &Tuple, left: &Tuple) -> Option<(Tuple, Tuple)> {
        let right = &Tuple::of(&[key.get(1), 0]);
        let found = Found { key, left, right };
        if found.passes(&self.tests) {
            self.emission.apply(found)
        } else {
            None
        }
    }
}

/// How many candidates of a list have an index up to `limit`.
fn count_up_to(list: &Tuple, limit: i64) -> usize {
    let (mut low, mut high) = (0, list.len() / 2);
    while low < high {
        let middle = (low + high) / 2;
        if list.get(2 * middle) <= limit {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
