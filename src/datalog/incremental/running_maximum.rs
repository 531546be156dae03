//! The largest value that each key has had so far, round by round.
//!
//! This one operator makes sets of relations: the key is the tuple and there is a single
//! value, so the key is there from the round of its first derivation on.
//!
//! Differential dataflow's own `reduce` does the same for times of any shape, and pays for
//! it: it keeps all values of a key with their times in sorted batches and goes through them
//! whenever the key is touched. Here time is a line. Epochs are finished one after the
//! other, so only the rounds of an iteration are left to tell apart, and because an output
//! never shrinks from one round to the next, all there is to know of a value is the round in
//! which it appears. (An output that follows its input down again could go round in circles;
//! see `clocks`.)
//!
//! What the operator holds for a key is the input that it has received, and the *steps* that
//! it has sent: in which round which value took over. When the input of some round changes,
//! it computes the steps afresh, sends the difference for this round, and comes back in the
//! next round where the steps differ from those sent.

use super::time::Rounds;
use super::tuple::Tuple;
use super::{Diff, Pairs};
use differential_dataflow::{AsCollection, Hashable};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::{Capability, Operator};

/// For each key the largest value that it has, or has had in an earlier round.
pub(super) fn running_maximum<'scope, T: Rounds>(
    input: Pairs<'scope, T>,
    name: &str,
) -> Pairs<'scope, T> {
    let by_key = Exchange::new(|update: &((Tuple, Tuple), T, Diff)| update.0.0.hashed());
    let stream = input.inner.unary_frontier(by_key, name, |_, _| {
        let mut keys = FxHashMap::<Tuple, State>::default();
        let mut waiting = BTreeMap::<(u32, u32), Moment<T>>::new();
        move |(input, frontier), output| {
            input.for_each(|capability, updates| {
                for ((key, value), time, diff) in updates.drain(..) {
                    let moment = waiting
                        .entry((time.epoch(), time.round()))
                        .or_insert_with(|| Moment::new(capability.delayed(&time, 0)));
                    moment.updates.push((key, value, diff));
                }
            });
            while let Some(first) = waiting.first_entry() {
                if frontier.less_equal(first.get().capability.time()) {
                    break;
                }
                let ((epoch, round), moment) = first.remove_entry();
                let capability = moment.capability;
                let time = capability.time().clone();
                let mut touched = moment.revisits;
                for (key, value, diff) in moment.updates {
                    keys.entry(key.clone())
                        .or_default()
                        .receive(value, round, diff);
                    touched.push(key);
                }
                touched.sort_unstable();
                touched.dedup();
                let mut session = output.session(&capability);
                for key in touched {
                    let state = keys.get_mut(&key).expect("every touched key has a state");
                    let steps = state.steps();
                    for (value, diff) in state.send(&steps, round) {
                        session.give(((key.clone(), value), time.clone(), diff));
                    }
                    if let Some(next) = state.next_difference(&steps, round) {
                        waiting
                            .entry((epoch, next))
                            .or_insert_with(|| Moment::new(capability.delayed(&T::at(epoch, next))))
                            .revisits
                            .push(key);
                    } else if state.is_empty() {
                        keys.remove(&key);
                    }
                }
            }
        }
    });
    stream.as_collection()
}

/// What is to be done once an epoch's round is complete.
struct Moment<T: Rounds> {
    capability: Capability<T>,
    updates: Vec<(Tuple, Tuple, Diff)>,
    revisits: Vec<Tuple>,
}

impl<T: Rounds> Moment<T> {
    fn new(capability: Capability<T>) -> Self {
        Moment {
            capability,
            updates: Vec::new(),
            revisits: Vec::new(),
        }
    }
}

/// In this round, `value` takes over from `before`.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    round: u32,
    before: Option<Tuple>,
    value: Tuple,
}

type Steps = SmallVec<[Step; 1]>;

/// What is known of one key.
#[derive(Default)]
struct State {
    /// How often each value came or went in each round: sorted, the largest value first,
    /// then by round.
    input: SmallVec<[(Tuple, u32, Diff); 1]>,
    /// What has been sent, by round.
    sent: Steps,
}

impl State {
    fn receive(&mut self, value: Tuple, round: u32, diff: Diff) {
        let found = self
            .input
            .binary_search_by(|(other, at, _)| value.cmp(other).then_with(|| at.cmp(&round)));
        match found {
            Ok(place) => {
                self.input[place].2 += diff;
                if self.input[place].2 == 0 {
                    self.input.remove(place);
                }
            }
            Err(place) => self.input.insert(place, (value, round, diff)),
        }
    }

    /// The steps that follow from all input received: a value takes over in the round in
    /// which it appears, unless a larger one was there before.
    fn steps(&self) -> Steps {
        let mut steps = Steps::new();
        let mut earliest = u32::MAX;
        let mut rest = &self.input[..];
        while let Some((value, _, _)) = rest.first() {
            let count = rest
                .iter()
                .take_while(|(other, _, _)| other == value)
                .count();
            let mut sum = 0;
            let birth = rest[..count].iter().find_map(|(_, round, diff)| {
                sum += diff;
                (sum > 0).then_some(*round)
            });
            if let Some(round) = birth
                && round < earliest
            {
                earliest = round;
                steps.push(Step {
                    round,
                    before: None,
                    value: value.clone(),
                });
            }
            if earliest == 0 {
                break;
            }
            rest = &rest[count..];
        }
        steps.reverse();
        for i in 1..steps.len() {
            steps[i].before = Some(steps[i - 1].value.clone());
        }
        steps
    }

    /// Replaces what was sent for a round, and returns the difference.
    fn send(&mut self, steps: &[Step], round: u32) -> SmallVec<[(Tuple, Diff); 4]> {
        let mut changes = SmallVec::new();
        let sent = self.sent.iter().position(|step| step.round == round);
        let right = steps.iter().find(|step| step.round == round);
        if sent.map(|place| &self.sent[place]) == right {
            return changes;
        }
        if let Some(place) = sent {
            let step = self.sent.remove(place);
            changes.push((step.value, -1));
            changes.extend(step.before.map(|before| (before, 1)));
        }
        if let Some(step) = right {
            let place = self.sent.partition_point(|other| other.round < round);
            self.sent.insert(place, step.clone());
            changes.push((step.value.clone(), 1));
            changes.extend(step.before.clone().map(|before| (before, -1)));
        }
        changes
    }

    /// The next round after `round` where what was sent is not what follows from the input.
    fn next_difference(&self, steps: &[Step], round: u32) -> Option<u32> {
        let after = |steps: &[Step]| steps.partition_point(|step| step.round <= round);
        let mut right = steps[after(steps)..].iter();
        let mut sent = self.sent[after(&self.sent)..].iter();
        loop {
            match (right.next(), sent.next()) {
                (None, None) => return None,
                (Some(step), None) | (None, Some(step)) => return Some(step.round),
                (Some(one), Some(other)) if one != other => {
                    return Some(one.round.min(other.round));
                }
                _ => {}
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.input.is_empty() && self.sent.is_empty()
    }
}
