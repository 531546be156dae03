//! Orders as chain clocks.
//!
//! Program order cuts the events into chains, so all events before an event `b` are, for
//! each chain, those up to some index: the *clock* of `b`. It holds n times as many entries as
//! there are chains, where the order holds n² pairs. An edge from `a` to `b` raises the clock of
//! `b` to the place of `a` and to the clock of `a`; so does the next event of each chain.
//!
//! Where a rule looks for the last event of a chain before another ([`SeekLast`]), a later
//! event may replace an earlier one from one round to the next, and the edge that the
//! earlier one gave goes away. What followed from it still holds, but only follows again
//! some rounds later. That is why clocks keep the largest index that they have had: they only
//! grow, so that the rounds come to an end, and they never say more than what follows,
//! because every edge did.
//!
//! [`SeekLast`]: super::emit::SeekLast

use super::super::plan::{Arranging, CHAINED, Column, Emission, LOOSE, Slot, Source};
use super::super::running_maximum::running_maximum;
use super::super::time::{Epoch, Round, Rounds};
use super::super::tuple::Tuple;
use super::super::{Diff, Pairs};
use super::arrangement::{Arrangement, Spine};
use super::emit::Emit;
use super::sources::{InnerSources, OuterSources, Sources};
use differential_dataflow::trace::implementations::ValBuilder;
use heddle_language::ruleset::{Order, RelationId};

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

/// An edge from each executed event to the next of its chain.
pub(super) fn successions<'scope>(
    sources: &mut OuterSources<'scope>,
    order: RelationId,
) -> Pairs<'scope, Epoch> {
    let chains = sources.pairs(Source::Places(order)).map(|(place, _)| {
        let (event, chain, index) = (place.get(0), place.get(2), place.get(3));
        (Tuple::of(&[chain]), Tuple::of(&[index, event]))
    });
    let edges = chains.reduce_named("Successions", |_, members, edges| {
        for next_to in members.windows(2) {
            let edge = [next_to[0].0.get(1), next_to[1].0.get(1)];
            edges.push((Tuple::of(&edge), 1));
        }
    });
    edges.map(|(_, edge)| (edge, Tuple::EMPTY))
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

/// The clocks that follow in one round from the edges, and from the clocks of the round
/// before.
pub(super) fn next_clocks<'scope>(
    sources: &mut InnerSources<'scope, '_, '_>,
    order: RelationId,
    edges: Pairs<'scope, Round>,
) -> Pairs<'scope, Round> {
    let by_event = |source| Arranging {
        source,
        key: vec![0],
    };
    let places = sources.arrangement(&by_event(Source::Places(order)));
    let clocks = sources.arrangement(&by_event(Source::Clocks(order)));
    let edges = running_maximum(edges, "Edges")
        .map(|(edge, _)| (Tuple::of(&[edge.get(0)]), Tuple::of(&[edge.get(1)])));
    let by_source = Arrangement::of(edges.clone(), "Edges");

    let target = Column::Slot(Slot::Left(0));
    let raise = |kind: usize, chain: usize, index: usize| Emission {
        key: vec![
            target,
            Column::Slot(Slot::Right(kind)),
            Column::Slot(Slot::Right(chain)),
        ],
        value: vec![Column::Slot(Slot::Right(index))],
        ..Emission::default()
    };
    let raise = raise(0, 1, 2);
    let by_place = by_source
        .clone()
        .join(places, Emit::InsteadOfLoose(raise.clone()));
    let by_loose_place = edges.map(|(from, to)| {
        let entry = Tuple::of(&[to.get(0), LOOSE, from.get(0)]);
        (entry, Tuple::of(&[0]))
    });
    let by_clock = by_source.join(clocks, Emit::Once(raise));
    let raises = by_place.concat(by_loose_place).concat(by_clock);
    running_maximum(raises, "Clocks")
}

/// How far the events before any event reach: (kind, chain) and index.
pub(super) fn reach<'scope>(clocks: Pairs<'scope, Epoch>) -> Pairs<'scope, Epoch> {
    let chains = clocks.map(|(entry, index)| (Tuple::of(&[entry.get(1), entry.get(2)]), index));
    running_maximum(chains, "Reach")
}
