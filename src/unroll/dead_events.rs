//! Events that no assertion depends on are left out: a read whose value nobody uses, a
//! write of a cell that nobody reads.

use crate::event_graph::{EventGraph, EventId, EventKind};
use heddle_program::TermId;
use rustc_hash::FxHashSet;

pub(crate) fn remove_dead_events(graph: &mut EventGraph) {
    let needed = needed_events(graph);
    let keep = |event: &EventId| needed.contains(event);
    for chain in &mut graph.chains {
        chain.events.retain(keep);
    }
    for block in &mut graph.blocks {
        block.events.retain(keep);
    }
    for step in &mut graph.steps {
        step.events.retain(keep);
    }
}

/// Marks from what the verdict looks at: definitions, violations and cuts; then, for every
/// read that is needed, all writes of its cell, with their guards and values.
fn needed_events(graph: &EventGraph) -> FxHashSet<EventId> {
    let mut search = Search {
        graph,
        terms: FxHashSet::default(),
    };
    for &definition in &graph.definitions {
        search.need(definition);
    }
    for violation in &graph.violations {
        search.need(violation.condition);
    }
    for cut in &graph.cuts {
        search.need(cut.guard);
    }
    let mut needed: FxHashSet<EventId> = FxHashSet::default();
    loop {
        let before = needed.len();
        let cells: FxHashSet<_> = graph
            .event_ids()
            .filter_map(|id| match graph.event(id).kind {
                EventKind::Read { cell, value } if search.needs(value) => Some(cell),
                _ => None,
            })
            .collect();
        for id in graph.event_ids() {
            let event = graph.event(id);
            let wanted = match event.kind {
                EventKind::Mark => true,
                EventKind::Read { value, .. } => search.needs(value),
                EventKind::Write { cell, .. } => cells.contains(&cell),
            };
            if wanted && needed.insert(id) {
                search.need(event.guard);
                if let EventKind::Write { value, .. } = event.kind {
                    search.need(value);
                }
            }
        }
        if needed.len() == before {
            return needed;
        }
    }
}

struct Search<'a> {
    graph: &'a EventGraph,
    terms: FxHashSet<TermId>,
}

impl Search<'_> {
    fn need(&mut self, term: TermId) {
        let mut pending = vec![term];
        while let Some(term) = pending.pop() {
            if self.terms.insert(term) {
                pending.extend(self.graph.terms.arguments(term));
            }
        }
    }

    fn needs(&self, symbol: TermId) -> bool {
        self.terms.contains(&symbol)
    }
}
