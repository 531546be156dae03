//! Which links are worth a literal: `rules/candidates.dl`.

use super::validation::{insert, insert_program_order};
use heddle_datalog::backend::SettleError;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value;
use heddle_program::Program;
use heddle_unroll::{CellId, EventGraph, EventId, EventKind};
use rustc_hash::FxHashMap;

/// The (write, read) pairs that program order does not exclude.
pub(crate) fn candidates(
    program: &Program,
    graph: &EventGraph,
) -> Result<Vec<(EventId, EventId)>, SettleError> {
    let rules = heddle_datalog::theory::built_in("candidates").expect("a built-in rule set");
    let mut theory =
        Theory::new(rules.clone(), BackendKind::Compiled).expect("built-in rule sets are compiled");
    let names = insert_program_order(&mut theory, program, graph);
    for (a, b) in implications(graph) {
        insert(
            &mut theory,
            "implies",
            &[names[a.index()], names[b.index()]],
        );
    }
    theory.settle()?;
    let events: FxHashMap<Value, EventId> = graph
        .chains
        .iter()
        .flat_map(|chain| &chain.events)
        .map(|&event| (names[event.index()], event))
        .collect();
    let candidate = rules.find("candidate").expect("a relation of the rule set");
    let mut pairs: Vec<(EventId, EventId)> = theory
        .rows(candidate)
        .iter()
        .map(|row| (events[&row[0]], events[&row[1]]))
        .collect();
    pairs.sort_unstable();
    Ok(pairs)
}

/// The implications between guards that the rules ask for: of an event and the marks of
/// its chain, of the two ends of an order, of the accesses of one cell.
fn implications(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let mut pairs: Vec<(EventId, EventId)> = graph
        .orders
        .iter()
        .map(|&(before, after)| (after, before))
        .collect();
    let mut accesses: FxHashMap<CellId, Vec<EventId>> = FxHashMap::default();
    for chain in &graph.chains {
        let mut marks: Vec<EventId> = Vec::new();
        for &event in &chain.events {
            match graph.event(event).kind {
                EventKind::Mark => marks.push(event),
                kind => accesses
                    .entry(kind.cell().expect("an access"))
                    .or_default()
                    .push(event),
            }
            pairs.extend(marks.iter().map(|&mark| (event, mark)));
        }
    }
    for events in accesses.values() {
        for &a in events {
            let writes = events
                .iter()
                .filter(|&&b| matches!(graph.event(b).kind, EventKind::Write { .. }));
            pairs.extend(writes.map(|&b| (a, b)));
        }
    }
    pairs.retain(|&(a, b)| graph.implies(a, b));
    pairs
}
