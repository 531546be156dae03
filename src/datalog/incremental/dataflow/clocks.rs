//! Orders as chain clocks.
//!
//! Program order cuts the events into chains, so all events before an event `b` are, for
//! each chain, those up to some index: the *clock* of `b`. It holds n times as many entries as
//! there are chains, where the order holds n² pairs. [`clocks`] keeps the clocks that follow
//! from the edges; it is one operator, not a loop of joins, so that rounds are only needed
//! where rules derive edges from clocks.
//!
//! Where a rule looks for the last event of a chain before another ([`SeekLast`]), a later
//! event may replace an earlier one from one round to the next, and the edge that the
//! earlier one gave goes away. What followed from it still holds, but only follows again
//! some rounds later. That is why an edge, once there, stays for all later rounds: clocks only
//! grow, so that the rounds come to an end, and they never say more than what follows,
//! because every edge did.
//!
//! [`SeekLast`]: super::emit::SeekLast

use super::super::closure::{ChainName, Closure, Edge, Entry, Share};
use super::super::plan::{Arranging, CHAINED, Column, Emission, Slot, Source};
use super::super::running_maximum::running_maximum;
use super::super::time::{Epoch, Rounds};
use super::super::tuple::Tuple;
use super::super::{Diff, Pairs};
use super::arrangement::{Arrangement, Spine};
use super::emit::{Emit, apply_loose};
use super::sources::{OuterSources, Sources};
use differential_dataflow::AsCollection;
use differential_dataflow::trace::implementations::ValBuilder;
use heddle_language::ruleset::{Order, RelationId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::vec::Broadcast;
use timely::dataflow::operators::{Capability, Operator};

/// The executed events in their chains: (event, [`CHAINED`], chain, index).
pub(super) fn places<'scope>(
    sources: &mut OuterSources<'scope>,
    order: Order,
) -> Pairs<'scope, Epoch> {
    let by_event = |relation: RelationId| Arranging {
        source: Source::Relation(relation),
        key: vec![0],
    };
    match order.executed {
        None => sources
            .pairs(Source::Relation(order.event))
            .map(|(row, _)| {
                let place = [row.get(0), CHAINED, row.get(1), row.get(2)];
                (Tuple::of(&place), Tuple::EMPTY)
            }),
        Some(executed) => {
            let events = sources.arrangement(&by_event(order.event));
            let executed = sources.arrangement(&by_event(executed));
            let place = Emission {
                key: vec![
                    Column::Slot(Slot::Key(0)),
                    Column::Constant(CHAINED),
                    Column::Slot(Slot::Left(0)),
                    Column::Slot(Slot::Left(1)),
                ],
                ..Emission::default()
            };
            events.join(executed, Emit::Once(place))
        }
    }
}

/// An edge from each executed event to the next of its chain: (from, to, kind, chain, index).
pub(super) fn successions<'scope>(
    sources: &mut OuterSources<'scope>,
    order: RelationId,
) -> Pairs<'scope, Epoch> {
    let chains = sources.pairs(Source::Places(order)).map(|(place, _)| {
        let (event, chain, index) = (place.get(0), place.get(2), place.get(3));
        (Tuple::of(&[chain]), Tuple::of(&[index, event]))
    });
    let edges = chains.reduce_named("Successions", |chain, members, edges| {
        for neighbours in members.windows(2) {
            let (from, to) = (neighbours[0].0, neighbours[1].0);
            let edge = [from.get(1), to.get(1), CHAINED, chain.get(0), from.get(0)];
            edges.push((Tuple::of(&edge), 1));
        }
    });
    edges.map(|(_, edge)| (edge, Tuple::EMPTY))
}

/// The tuples of a relation, followed by the places of the events in a column.
pub(super) fn placed<'scope>(
    sources: &mut OuterSources<'scope>,
    relation: RelationId,
    column: usize,
    order: RelationId,
) -> Pairs<'scope, Epoch> {
    let arity = sources.arity(relation);
    let rows = Arranging {
        source: Source::Relation(relation),
        key: vec![column],
    };
    let rows = sources.arrangement(&rows);
    with_places(sources, rows, arity, column, order)
}

/// Edges that are given as (from, to), with the places of `from`.
pub(super) fn located<'scope>(
    sources: &mut OuterSources<'scope>,
    edges: Pairs<'scope, Epoch>,
    order: RelationId,
) -> Pairs<'scope, Epoch> {
    let by_from = edges.map(|(edge, _)| (Tuple::of(&[edge.get(0)]), Tuple::of(&[edge.get(1)])));
    let by_from = Arrangement::of(by_from, "Edges");
    with_places(sources, by_from, 2, 0, order)
}

/// Tuples that are arranged by one column, in their original form and followed by the places
/// of the events in this column.
fn with_places<'scope>(
    sources: &mut OuterSources<'scope>,
    rows: Arrangement<'scope, Epoch>,
    arity: usize,
    column: usize,
    order: RelationId,
) -> Pairs<'scope, Epoch> {
    let places = sources.arrangement(&Arranging {
        source: Source::Places(order),
        key: vec![0],
    });
    let original = (0..arity).map(|position| {
        Column::Slot(match position.cmp(&column) {
            std::cmp::Ordering::Less => Slot::Left(position),
            std::cmp::Ordering::Equal => Slot::Key(0),
            std::cmp::Ordering::Greater => Slot::Left(position - 1),
        })
    });
    let place = (0..3).map(|position| Column::Slot(Slot::Right(position)));
    let emission = Emission {
        key: original.chain(place).collect(),
        ..Emission::default()
    };
    let chained = rows
        .clone()
        .join(places, Emit::InsteadOfLoose(emission.clone()));
    let loose = rows
        .pairs()
        .flat_map(move |(key, left)| apply_loose(&emission, &key, &left));
    chained.concat(loose)
}

/// One sorted list of candidates (index, event) for each key.
pub(super) fn candidate_lists<'scope, T: Rounds>(
    candidates: Pairs<'scope, T>,
) -> Arrangement<'scope, T> {
    let grouped = candidates.arrange_by_key_named("Candidates");
    let lists = grouped.reduce_abelian::<_, ValBuilder<_, _, _, _>, Spine<T>, _, _>(
        "Candidates",
        |_, members, lists| {
            let all = Tuple::build(2 * members.len(), |i| members[i / 2].0.get(i % 2));
            lists.push((all, 1));
        },
        |batch: &mut Vec<((Tuple, Tuple), T, Diff)>, key: &Tuple, updates| {
            batch.clear();
            let updates = updates.drain(..);
            batch.extend(updates.map(|(list, time, diff)| ((key.clone(), list), time, diff)));
        },
    );
    Arrangement::Own(lists)
}

/// How far the events before any event reach: (kind, chain) and index.
pub(super) fn reach<'scope>(clocks: Pairs<'scope, Epoch>) -> Pairs<'scope, Epoch> {
    let chains = clocks.map(|(entry, index)| (Tuple::of(&[entry.get(1), entry.get(2)]), index));
    running_maximum(chains, "Reach")
}

/// The clocks that follow from edges (from, to, kind, chain, index): (event, kind, chain) and
/// index.
///
/// Every worker knows all edges and looks after its share of the chains.
pub(super) fn clocks<'scope, T: Rounds>(edges: Pairs<'scope, T>) -> Pairs<'scope, T> {
    let scope = edges.inner.scope();
    let share = Share {
        worker: scope.index() as u64,
        workers: scope.peers() as u64,
    };
    let edges = if share.workers == 1 {
        edges.inner
    } else {
        edges.inner.broadcast()
    };
    let stream = edges.unary_frontier(Pipeline, "Clocks", move |_, _| {
        let mut closure = Closure::new(share);
        let mut sent = FxHashMap::<Entry, Sent>::default();
        let mut waiting = BTreeMap::<(u32, u32), Moment<T>>::new();
        move |(input, frontier), output| {
            input.for_each(|capability, updates| {
                for ((edge, _), time, diff) in updates.drain(..) {
                    let moment = waiting
                        .entry((time.epoch(), time.round()))
                        .or_insert_with(|| Moment::new(capability.delayed(&time, 0)));
                    moment.edges.push((edge, diff));
                }
            });
            while let Some(first) = waiting.first_entry() {
                if frontier.less_equal(first.get().capability.time()) {
                    break;
                }
                let ((epoch, round), moment) = first.remove_entry();
                let capability = moment.capability;
                for (edge, diff) in moment.edges {
                    closure.change(to_edge(&edge), round, diff);
                }
                closure.settle();
                let mut touched = moment.revisits;
                touched.extend(closure.take_touched());
                touched.sort_unstable();
                touched.dedup();
                let mut session = output.session(&capability);
                for entry in touched {
                    let sent_steps = sent.entry(entry).or_default();
                    let steps = Sent::of(&closure, entry);
                    let (event, ChainName { kind, chain }) = closure.name(entry);
                    for (index, diff) in sent_steps.correct(&steps, round) {
                        let key = Tuple::of(&[event, kind, chain]);
                        let time = capability.time().clone();
                        session.give(((key, Tuple::of(&[index])), time, diff));
                    }
                    if let Some(next) = sent_steps.next_difference(&steps, round) {
                        waiting
                            .entry((epoch, next))
                            .or_insert_with(|| Moment::new(capability.delayed(&T::at(epoch, next))))
                            .revisits
                            .push(entry);
                    } else if sent_steps.0.is_empty() {
                        sent.remove(&entry);
                        closure.drop_empty(entry);
                    }
                }
            }
        }
    });
    stream.as_collection()
}

fn to_edge(edge: &Tuple) -> Edge {
    Edge {
        from: edge.get(0),
        to: edge.get(1),
        chain: ChainName {
            kind: edge.get(2),
            chain: edge.get(3),
        },
        index: edge.get(4),
    }
}

/// What is to be done once an epoch's round is complete.
struct Moment<T: Rounds> {
    capability: Capability<T>,
    edges: Vec<(Tuple, Diff)>,
    /// Entries whose steps in this round are not those that were sent.
    revisits: Vec<Entry>,
}

impl<T: Rounds> Moment<T> {
    fn new(capability: Capability<T>) -> Self {
        Moment {
            capability,
            edges: Vec::new(),
            revisits: Vec::new(),
        }
    }
}

/// In this round `index` takes over from `before`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Change {
    round: u32,
    before: Option<i64>,
    index: i64,
}

/// The changes of an entry that have been sent, by round.
#[derive(Clone, Debug, Default)]
struct Sent(SmallVec<[Change; 1]>);

impl Sent {
    /// What should be sent for an entry.
    fn of(closure: &Closure, entry: Entry) -> Self {
        let mut before = None;
        let changes = closure.steps(entry).iter().map(|step| Change {
            round: step.round,
            before: before.replace(step.index),
            index: step.index,
        });
        Sent(changes.collect())
    }

    fn at(&self, round: u32) -> Option<Change> {
        self.0.iter().find(|change| change.round == round).copied()
    }

    /// Replaces what was sent for a round by what should be, and returns the difference.
    fn correct(&mut self, right: &Sent, round: u32) -> SmallVec<[(i64, Diff); 4]> {
        let mut differences = SmallVec::new();
        let (old, new) = (self.at(round), right.at(round));
        if old == new {
            return differences;
        }
        let mut replace = |old: Option<i64>, new: Option<i64>, diff: Diff| {
            if old != new {
                differences.extend(old.map(|index| (index, -diff)));
                differences.extend(new.map(|index| (index, diff)));
            }
        };
        let index = |change: Option<Change>| change.map(|change| change.index);
        let before = |change: Option<Change>| change.and_then(|change| change.before);
        replace(index(old), index(new), 1);
        replace(before(old), before(new), -1);
        self.0.retain(|change| change.round != round);
        if let Some(new) = new {
            let place = self.0.partition_point(|change| change.round < round);
            self.0.insert(place, new);
        }
        differences
    }

    /// The next round after `round` where what was sent is not what should be.
    fn next_difference(&self, right: &Sent, round: u32) -> Option<u32> {
        let after = |changes: &Sent| changes.0.partition_point(|change| change.round <= round);
        let mut sent = self.0[after(self)..].iter();
        let mut right = right.0[after(right)..].iter();
        loop {
            match (sent.next(), right.next()) {
                (None, None) => return None,
                (Some(change), None) | (None, Some(change)) => return Some(change.round),
                (Some(one), Some(other)) if one != other => {
                    return Some(one.round.min(other.round));
                }
                _ => {}
            }
        }
    }
}
