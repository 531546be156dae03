//! Which links are worth a literal: `rules/candidates.dl`.

use super::validation::{insert, insert_program_order};
use heddle_datalog::backend::SettleError;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value;
use heddle_program::{Program, TermId};
use heddle_unroll::{CellId, EventGraph, EventId, EventKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// The (write, read) pairs that program order does not exclude, unless it takes too long to
/// derive them.
pub(crate) fn candidates(
    program: &Program,
    graph: &EventGraph,
    deadline: Option<Instant>,
) -> Result<Vec<(EventId, EventId)>, SettleError> {
    let rules = heddle_datalog::theory::built_in("candidates").expect("a built-in rule set");
    let mut theory =
        Theory::new(rules.clone(), BackendKind::Compiled).expect("built-in rule sets are compiled");
    theory.set_deadline(deadline);
    let names = insert_program_order(&mut theory, program, graph);
    insert_guards(&mut theory, graph, &names);
    insert_neighbours(&mut theory, graph, &names);
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

/// Under which condition each event is executed, and which conditions imply which, as far
/// as the rules ask: of a read and a write of one cell, of a write and a later one in its
/// thread, and of an event and an end of an order. All pairs of accesses would be too many.
fn insert_guards(theory: &mut Theory, graph: &EventGraph, names: &[Value]) {
    let mut guards = Guards::default();
    let mut reads: BTreeMap<CellId, BTreeSet<usize>> = BTreeMap::new();
    let mut writes: BTreeMap<CellId, BTreeSet<usize>> = BTreeMap::new();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for chain in &graph.chains {
        let mut earlier: FxHashMap<CellId, Vec<usize>> = FxHashMap::default();
        for &event in &chain.events {
            let number = guards.number(theory, graph, graph.event(event).guard);
            let name = guards.list[number].name;
            insert(theory, "guard", &[names[event.index()], name]);
            match graph.event(event).kind {
                EventKind::Read { cell, .. } => {
                    reads.entry(cell).or_default().insert(number);
                }
                EventKind::Write { cell, .. } => {
                    writes.entry(cell).or_default().insert(number);
                    let earlier = earlier.entry(cell).or_default();
                    pairs.extend(earlier.iter().map(|&given| (given, number)));
                    earlier.push(number);
                }
                _ => {}
            }
        }
    }
    for (cell, reads) in &reads {
        for wanted in writes.get(cell).into_iter().flatten() {
            pairs.extend(reads.iter().map(|&given| (given, *wanted)));
        }
    }
    let ends = graph.orders.iter().flat_map(|&(a, b)| [a, b]);
    let ends: BTreeSet<usize> = ends
        .map(|event| guards.number(theory, graph, graph.event(event).guard))
        .collect();
    for given in 0..guards.list.len() {
        pairs.extend(ends.iter().map(|&wanted| (given, wanted)));
    }
    for (given, wanted) in pairs {
        let (given, wanted) = (&guards.list[given], &guards.list[wanted]);
        let covers = wanted.conjuncts.is_subset(&given.conjuncts);
        let relation = if covers { "covers" } else { "open" };
        insert(theory, relation, &[given.name, wanted.name]);
    }
}

/// The guards of all events, each once.
#[derive(Default)]
struct Guards {
    numbers: FxHashMap<TermId, usize>,
    list: Vec<Guard>,
}

struct Guard {
    name: Value,
    conjuncts: FxHashSet<TermId>,
}

impl Guards {
    fn number(&mut self, theory: &mut Theory, graph: &EventGraph, guard: TermId) -> usize {
        *self.numbers.entry(guard).or_insert_with(|| {
            let name = format!("g{}", self.list.len());
            self.list.push(Guard {
                name: theory.symbols_mut().intern(&name),
                conjuncts: graph.conjuncts(guard).into_iter().collect(),
            });
            self.list.len() - 1
        })
    }
}

/// Which accesses of a cell follow each other in a thread, and which come last before an
/// event that orders threads.
fn insert_neighbours(theory: &mut Theory, graph: &EventGraph, names: &[Value]) {
    let orders: FxHashSet<EventId> = graph.orders.iter().map(|&(before, _)| before).collect();
    for chain in &graph.chains {
        let mut latest: BTreeMap<CellId, EventId> = BTreeMap::new();
        for &event in &chain.events {
            let name = names[event.index()];
            match graph.event(event).kind.cell() {
                Some(cell) => {
                    if let Some(before) = latest.insert(cell, event) {
                        insert(theory, "next", &[names[before.index()], name]);
                    }
                }
                None if orders.contains(&event) => {
                    for access in latest.values() {
                        insert(theory, "latest", &[name, names[access.index()]]);
                    }
                }
                None => {}
            }
        }
    }
}
