//! Where a block begins and ends: events that are executed whenever anything of it is.

use crate::event_graph::{BlockId, Event, EventGraph, EventId, EventKind};
use heddle_program::TermId;
use rustc_hash::FxHashMap;

/// Sees to it that the first and the last event of each block are executed whenever some
/// event of it is, by marks where that is not plain.
pub(crate) fn mark_block_ends(graph: &mut EventGraph) {
    let mut before: FxHashMap<EventId, EventId> = FxHashMap::default();
    let mut after: FxHashMap<EventId, EventId> = FxHashMap::default();
    for index in 0..graph.blocks.len() {
        let block = BlockId::from_index(index);
        let events = graph.blocks[index].events.clone();
        let (Some(&first), Some(&last)) = (events.first(), events.last()) else {
            continue;
        };
        let always = |graph: &EventGraph, end: EventId| {
            events.iter().all(|&event| graph.implies(event, end))
        };
        if !always(graph, first) {
            before.insert(first, mark(graph, block, &events));
        }
        if !always(graph, last) {
            after.insert(last, mark(graph, block, &events));
        }
    }
    if before.is_empty() && after.is_empty() {
        return;
    }
    let with_marks = |events: &[EventId]| {
        let mut result = Vec::with_capacity(events.len());
        for event in events {
            result.extend(before.get(event));
            result.push(*event);
            result.extend(after.get(event));
        }
        result
    };
    for chain in &mut graph.chains {
        chain.events = with_marks(&chain.events);
    }
    for block in &mut graph.blocks {
        block.events = with_marks(&block.events);
    }
}

/// An event that is executed if one of these is.
fn mark(graph: &mut EventGraph, block: BlockId, events: &[EventId]) -> EventId {
    let id = EventId::from_index(graph.events.len());
    let guards: Vec<TermId> = events.iter().map(|&e| graph.event(e).guard).collect();
    let guard = graph.terms.or(&guards);
    graph.events.push(Event {
        chain: graph.event(events[0]).chain,
        kind: EventKind::Mark,
        guard,
        block: Some(block),
        step: None,
    });
    id
}
