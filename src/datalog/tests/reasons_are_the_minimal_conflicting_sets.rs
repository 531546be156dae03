//! The kernel reasons are exactly the minimal sets of literals that violate a conflict: on
//! random rule sets and facts, all subsets of the literals are tried by the naive evaluator.

mod common;

use common::facts::{self, Fact, Step};
use common::rules::{self, Shape};
use fastrand::Rng;
use heddle_datalog::provenance::{Coverage, Provenance};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_language::RuleSet;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

fn theory(rules: &Arc<RuleSet>, facts: &[Fact]) -> Theory {
    let mut theory = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
    for fact in facts {
        facts::apply(&mut theory, &Step::Insert(fact.clone()));
    }
    theory
}

/// Sets of literal names that violate a conflict and contain no smaller such set.
fn by_brute_force(rules: &Arc<RuleSet>, facts: &[Fact]) -> BTreeSet<Vec<String>> {
    let names: BTreeSet<&String> = facts.iter().map(|fact| &fact.literal).collect();
    let names: Vec<&String> = names.into_iter().filter(|name| *name != "true").collect();
    let mut violating: Vec<usize> = Vec::new();
    let mut sets: Vec<usize> = (0..1 << names.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    for set in sets {
        if violating.iter().any(|smaller| smaller & set == *smaller) {
            continue;
        }
        let holds = |fact: &&Fact| {
            let place = names.iter().position(|name| **name == fact.literal);
            place.is_none_or(|place| set >> place & 1 == 1)
        };
        let facts: Vec<Fact> = facts.iter().filter(holds).cloned().collect();
        let mut theory = theory(rules, &facts);
        theory.settle().expect("places of events agree");
        if !theory.violated_conflicts().is_empty() {
            violating.push(set);
        }
    }
    let members = |set: usize| {
        let chosen = names
            .iter()
            .enumerate()
            .filter(|(place, _)| set >> place & 1 == 1);
        chosen.map(|(_, name)| name.to_string()).collect()
    };
    violating.into_iter().map(members).collect()
}

fn by_provenance(theory: &mut Theory, provenance: &mut Provenance) -> BTreeSet<Vec<String>> {
    let reasons = provenance
        .reasons(theory.symbols(), theory.facts(), usize::MAX)
        .expect("places of events agree");
    assert_eq!(reasons.coverage, Coverage::All);
    let lengths: Vec<usize> = reasons
        .list
        .iter()
        .map(|reason| reason.literals.len())
        .collect();
    assert!(lengths.is_sorted(), "the shortest come first");
    let name = |&literal| theory.symbols().name(literal).to_string();
    let names = reasons
        .list
        .iter()
        .map(|reason| reason.literals.iter().map(name).collect());
    names.collect()
}

/// How many facts come or go before each comparison.
const FEW: Range<usize> = 1..12;
const MANY: Range<usize> = 15..25;

fn compare(seed: u64, shape: Shape, changes: Range<usize>) {
    let mut rng = Rng::with_seed(seed);
    let text = rules::random(&mut rng, shape);
    let rules = common::load(&text);
    let mut present: Vec<Fact> = Vec::new();
    let mut theory = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
    let mut provenance = Provenance::new(rules.clone(), theory.symbols_mut());
    for _ in 0..3 {
        for _ in 0..rng.usize(changes.clone()) {
            if !present.is_empty() && rng.u8(0..4) == 0 {
                let gone = present.swap_remove(rng.usize(..present.len()));
                facts::apply(&mut theory, &Step::Retract(gone));
            } else {
                let mut fact = facts::random(&mut rng, &rules);
                if rng.u8(0..5) == 0 {
                    fact.literal = "true".into();
                }
                if !present.contains(&fact) {
                    facts::apply(&mut theory, &Step::Insert(fact.clone()));
                    present.push(fact);
                }
            }
        }
        let expected = by_brute_force(&rules, &present);
        let found = by_provenance(&mut theory, &mut provenance);
        assert_eq!(found, expected, "seed {seed}\n{text}\n{present:#?}");
    }
}

#[test]
fn without_orders() {
    let shape = Shape {
        order: false,
        negation: false,
        conflicts: true,
    };
    (0..400).for_each(|seed| compare(seed, shape, FEW));
}

#[test]
fn with_orders() {
    let shape = Shape {
        order: true,
        negation: false,
        conflicts: true,
    };
    (0..600).for_each(|seed| compare(seed, shape, FEW));
}

#[test]
fn with_negation_and_aggregates_away_from_choices() {
    let shape = Shape {
        order: true,
        negation: true,
        conflicts: true,
    };
    (0..400).for_each(|seed| compare(seed, shape, FEW));
}

#[test]
fn with_orders_and_many_facts() {
    let shape = Shape {
        order: true,
        negation: false,
        conflicts: true,
    };
    (0..300).for_each(|seed| compare(seed, shape, MANY));
}

/// Every event is executed by several literals, so that each derivation combines many sets.
#[test]
fn of_a_small_graph_however_its_literals_combine() {
    let text = "
        .decl event(e: symbol, t: symbol, i: number)
        .decl executed(e: symbol) choice
        .decl start(e: symbol)
        .decl lt(a: symbol, b: symbol) order(event, executed)
        .output lt
        lt(\"z\", c) :- start(c).
        lt(b, a) :- executed(a), lt(c, b), lt(d, c).
        .conflict lt(e, e)";
    let rules = common::load(text);
    let fact = |relation: &str, fields: &[&str], literal: &str| Fact {
        relation: relation.to_string(),
        fields: fields.iter().map(|field| field.to_string()).collect(),
        literal: literal.to_string(),
    };
    let present = [
        fact("event", &["c", "y", "8"], "true"),
        fact("event", &["a", "y", "9"], "true"),
        fact("start", &["c"], "true"),
        fact("executed", &["a"], "l2"),
        fact("executed", &["a"], "l4"),
        fact("executed", &["c"], "l5"),
        fact("executed", &["c"], "l6"),
    ];
    let mut theory = theory(&rules, &present);
    let mut provenance = Provenance::new(rules.clone(), theory.symbols_mut());
    let found = by_provenance(&mut theory, &mut provenance);
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(found, by_brute_force(&rules, &present));
}
