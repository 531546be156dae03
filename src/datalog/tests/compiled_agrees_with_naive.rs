//! Compiled rule sets derive exactly what the oracle derives: the built-in ones, and those
//! of `tests/rules`, which together use everything that a rule can say. The latter are
//! compiled twice, so that the last event before another is also compared with all.

mod common;

use fastrand::Rng;
use heddle_datalog::compiled::{self, BuiltIn, Compiled};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value;
use heddle_language::RuleSet;
use heddle_language::ruleset::{RelationId, RelationKind, ValueKind};
use std::sync::Arc;

// Generated, and expanded by a macro: lints for people do not apply.
#[allow(for_loops_over_fallibles, clippy::all)]
mod test_rules {
    include!(concat!(env!("OUT_DIR"), "/test_rules.rs"));
}

const CASES: u64 = 400;

#[test]
fn on_the_built_in_rule_sets() {
    for built_in in compiled::built_in() {
        agrees(built_in);
    }
}

#[test]
fn on_everything_that_a_rule_can_say() {
    for built_in in test_rules::ALL {
        agrees(built_in);
    }
}

fn agrees(built_in: &'static BuiltIn) {
    let rules = common::load(built_in.text);
    let mut derived = 0;
    for seed in 0..CASES {
        let mut oracle = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
        let mut compiled = theory(&rules, built_in);
        fill(&mut oracle, &mut Rng::with_seed(seed));
        fill(&mut compiled, &mut Rng::with_seed(seed));
        let facts = facts_of(&oracle);
        let (right, tried) = (oracle.settle(), compiled.settle());
        assert_eq!(
            right.is_err(),
            tried.is_err(),
            "{}, seed {seed}: {right:?}, {tried:?}\n{facts:#?}",
            built_in.name
        );
        if right.is_err() {
            continue;
        }
        let (right, tried) = (common::model(&oracle), common::model(&compiled));
        derived += right.len() - facts.len();
        assert!(
            right == tried,
            "{}, seed {seed}\nmissing: {:?}\ntoo much: {:?}\nfacts: {facts:#?}",
            built_in.name,
            right.difference(&tried).collect::<Vec<_>>(),
            tried.difference(&right).collect::<Vec<_>>(),
        );
        assert_eq!(
            violated(&oracle),
            violated(&compiled),
            "{}, seed {seed}",
            built_in.name
        );
    }
    assert!(derived > 0, "{} derives nothing", built_in.name);
}

fn theory(rules: &Arc<RuleSet>, built_in: &'static BuiltIn) -> Theory {
    let make = |_, symbols: &mut _| Some(Box::new(Compiled::of(built_in, symbols)) as _);
    Theory::with_backend(rules.clone(), make).unwrap()
}

fn facts_of(theory: &Theory) -> Vec<String> {
    let rules = theory.rules();
    let show = |relation| {
        let rows = theory.facts().rows(relation);
        rows.map(move |row| heddle_datalog::show::tuple(rules, theory.symbols(), relation, row))
    };
    rules.relation_ids().flat_map(show).collect()
}

fn violated(theory: &Theory) -> Vec<String> {
    let conflicts = theory.violated_conflicts();
    conflicts
        .iter()
        .map(|conflict| conflict.name.clone())
        .collect()
}

const SYMBOLS: [&str; 8] = ["a", "b", "c", "d", "e", "f", "u", "v"];

/// Random facts: many for relations without rules, few for the others.
fn fill(theory: &mut Theory, rng: &mut Rng) {
    let rules = theory.rules().clone();
    let most = rng.usize(1..12);
    for relation in rules.relation_ids() {
        let derived = rules
            .rules
            .iter()
            .any(|rule| rule.head.relation == relation);
        let is_event = is_event_relation(&rules, relation);
        let count = match derived {
            _ if is_event && !derived => 8,
            true if rng.u8(0..4) > 0 || is_event => 0,
            true => rng.usize(..3),
            false => rng.usize(..=most),
        };
        for _ in 0..count {
            let columns = &rules.relation(relation).columns;
            let mut row: Vec<Value> = columns
                .iter()
                .map(|column| match column.kind {
                    ValueKind::Symbol => symbol(theory, rng.usize(..SYMBOLS.len())),
                    ValueKind::Number => Value(rng.i64(-2..5)),
                })
                .collect();
            if is_event {
                // Every event has a fixed place. Two events are in no chain.
                let event = rng.usize(..6);
                row = vec![
                    symbol(theory, event),
                    symbol(theory, event % 2),
                    Value(event as i64 / 2 - 1),
                ];
            }
            theory.insert(relation, row);
        }
    }
}

fn symbol(theory: &mut Theory, number: usize) -> Value {
    theory.symbols_mut().intern(SYMBOLS[number])
}

fn is_event_relation(rules: &RuleSet, relation: RelationId) -> bool {
    rules
        .relations
        .iter()
        .any(|other| matches!(other.kind, RelationKind::Order(order) if order.event == relation))
}
