//! Kernel reasons of small random executions are the minimal conflicting sets, under
//! sequential consistency and under rule sets that use orders in other ways.

mod common;

use fastrand::Rng;
use heddle_datalog::facts::LiteralName;
use heddle_datalog::provenance::{Coverage, Provenance};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const SC: &str = include_str!("../../../rules/sc.dl");

/// Relation, fields, literal.
type Fact = (&'static str, Vec<String>, String);

/// Threads of reads and writes, some guarded, with links that need not make sense.
fn execution(rng: &mut Rng) -> Vec<Fact> {
    let mut facts: Vec<Fact> = Vec::new();
    let mut accesses: Vec<Vec<(String, bool)>> = vec![Vec::new(); 2];
    let always = || "true".to_string();
    let guards = rng.usize(1..4);
    let mut events = Vec::new();
    for thread in 0..rng.usize(2..4) {
        for index in 0..rng.usize(1..5) {
            let event = format!("e{thread}{index}");
            let variable = rng.usize(..2);
            let is_write = rng.bool();
            let place = vec![event.clone(), format!("t{thread}"), index.to_string()];
            facts.push(("event", place, always()));
            let kind = if is_write { "write" } else { "read" };
            facts.push((kind, vec![event.clone(), format!("v{variable}")], always()));
            match rng.u8(..10) {
                0 => {}
                1..4 => {
                    let guard = format!("g{}", rng.usize(..guards));
                    facts.push(("executed", vec![event.clone()], guard));
                }
                _ => facts.push(("executed", vec![event.clone()], always())),
            }
            if rng.u8(..5) == 0 {
                let block = format!("k{thread}{}", index / 2);
                facts.push(("atomic", vec![event.clone(), block], always()));
            }
            accesses[variable].push((event.clone(), is_write));
            events.push(event);
        }
    }
    if rng.u8(..3) == 0 {
        let pick = |rng: &mut Rng| events[rng.usize(..events.len())].clone();
        facts.push(("po", vec![pick(rng), pick(rng)], always()));
    }
    let mut links = 0;
    for accesses in &accesses {
        let writes: Vec<&String> = accesses
            .iter()
            .filter(|access| access.1)
            .map(|access| &access.0)
            .collect();
        for (read, _) in accesses.iter().filter(|access| !access.1) {
            for _ in 0..rng.usize(..3) {
                if !writes.is_empty() && links < 6 {
                    let write = writes[rng.usize(..writes.len())].clone();
                    let literal = match rng.u8(..8) {
                        0 => always(),
                        _ => format!("s{links}"),
                    };
                    facts.push(("rf", vec![write, read.clone()], literal));
                    links += 1;
                }
            }
        }
    }
    facts.sort();
    facts.dedup();
    facts
}

fn theory(rules: &Arc<RuleSet>, facts: &[Fact], holds: impl Fn(&str) -> bool) -> Theory {
    let mut theory = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
    for (relation, fields, literal) in facts.iter().filter(|fact| holds(&fact.2)) {
        let Some(id) = rules.find(relation) else {
            continue;
        };
        let mut fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        if rules.relation(id).kind == RelationKind::Choice {
            fields.push(literal);
        }
        let row = common::row(&mut theory, relation, &fields);
        let literal = theory.symbols_mut().intern(literal);
        theory.insert_by(id, row, literal);
    }
    theory
}

fn retract(theory: &mut Theory, (relation, fields, literal): &Fact) {
    let id = theory.rules().find(relation).unwrap();
    let mut fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    fields.push(literal);
    let row = common::row(theory, relation, &fields);
    let literal = theory.symbols_mut().intern(literal);
    theory.retract_by(id, &row, literal);
}

fn by_brute_force(rules: &Arc<RuleSet>, facts: &[Fact]) -> BTreeSet<Vec<String>> {
    let names: BTreeSet<&String> = facts.iter().map(|fact| &fact.2).collect();
    let names: Vec<&String> = names.into_iter().filter(|name| *name != "true").collect();
    let mut violating: Vec<usize> = Vec::new();
    let mut sets: Vec<usize> = (0..1 << names.len()).collect();
    sets.sort_by_key(|set| set.count_ones());
    for set in sets {
        if violating.iter().any(|smaller| smaller & set == *smaller) {
            continue;
        }
        let mut theory = theory(rules, facts, |literal| {
            let place = names.iter().position(|name| *name == literal);
            place.is_none_or(|place| set >> place & 1 == 1)
        });
        theory.settle().unwrap();
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

fn compare(text: &str, seed: u64) {
    compare_facts(text, &execution(&mut Rng::with_seed(seed)), seed);
}

/// All reasons.
fn by_provenance(theory: &Theory, provenance: &mut Provenance) -> BTreeSet<Vec<String>> {
    let reasons = provenance
        .reasons(theory.symbols(), theory.facts(), usize::MAX)
        .unwrap();
    assert_eq!(reasons.coverage, Coverage::All);
    let name = |&literal| theory.symbols().name(literal).to_string();
    let reasons = reasons.list.iter();
    reasons
        .map(|reason| reason.literals.iter().map(name).collect())
        .collect()
}

fn compare_facts(text: &str, facts: &[Fact], seed: u64) {
    let rules = common::load(text);
    let mut theory = theory(&rules, facts, |_| true);
    let mut provenance = Provenance::new(rules.clone(), theory.symbols_mut());
    let found = by_provenance(&theory, &mut provenance);
    let expected = by_brute_force(&rules, facts);
    assert_eq!(found, expected, "seed {seed}\n{facts:#?}");
    compare_lemmas(&mut theory, facts, &expected, seed);
}

/// Lemmas are the small ones of them, but for those with two links of one read.
fn compare_lemmas(theory: &mut Theory, facts: &[Fact], reasons: &BTreeSet<Vec<String>>, seed: u64) {
    let mut links: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (_, ends, literal) in facts.iter().filter(|fact| fact.0 == "rf") {
        if literal != "true" {
            links.entry(&ends[1]).or_default().insert(literal);
        }
    }
    let exclusive: Vec<Vec<LiteralName>> = links
        .values()
        .map(|group| {
            group
                .iter()
                .map(|link| theory.symbols_mut().intern(link))
                .collect()
        })
        .collect();
    let has_two = |reason: &Vec<String>| {
        let within = |group: &&BTreeSet<&String>| {
            reason
                .iter()
                .filter(|literal| group.contains(literal))
                .count()
                > 1
        };
        links.values().any(|group| within(&group))
    };
    for size in 1..=3 {
        for exclusive in [&[][..], &exclusive] {
            let lemmas = theory.lemmas(size, usize::MAX, exclusive).unwrap();
            assert_ne!(lemmas.coverage, Coverage::Some, "seed {seed}");
            let name = |&literal| theory.symbols().name(literal).to_string();
            let found: BTreeSet<Vec<String>> = lemmas
                .list
                .iter()
                .map(|lemma| lemma.literals.iter().map(name).collect())
                .collect();
            let is_wanted = |reason: &&Vec<String>| {
                reason.len() <= size && (exclusive.is_empty() || !has_two(reason))
            };
            let expected: BTreeSet<Vec<String>> =
                reasons.iter().filter(is_wanted).cloned().collect();
            assert_eq!(found, expected, "seed {seed}, at most {size} literals");
        }
    }
}

#[test]
fn sequential_consistency() {
    (0..200).for_each(|seed| compare(SC, seed));
}

/// Most events are in blocks of up to four, and in most executions all of them are executed anyway.
fn execution_in_blocks(rng: &mut Rng) -> Vec<Fact> {
    let mut facts = execution(rng);
    facts.retain(|fact| fact.0 != "atomic");
    if rng.u8(..4) > 0 {
        for fact in facts.iter_mut().filter(|fact| fact.0 == "executed") {
            fact.2 = "true".to_string();
        }
    }
    let events: Vec<Vec<String>> = facts
        .iter()
        .filter(|fact| fact.0 == "event")
        .map(|fact| fact.1.clone())
        .collect();
    let mut block = 0;
    for events in events.chunk_by(|one, other| one[1] == other[1]) {
        let mut left = 0;
        for event in events {
            if left == 0 {
                left = rng.usize(1..5);
                block += 1;
            }
            left -= 1;
            if rng.u8(..8) > 0 {
                let fields = vec![event[0].clone(), format!("k{block}")];
                facts.push(("atomic", fields, "true".to_string()));
            }
        }
    }
    facts
}

#[test]
fn atomic_blocks() {
    for seed in 0..200 {
        let facts = execution_in_blocks(&mut Rng::with_seed(seed));
        compare_facts(SC, &facts, seed);
    }
}

/// What the choices of one relation left behind is gone when only others are left.
#[test]
fn choices_that_are_gone() {
    let rules = common::load(SC);
    // In the last one, a conflict needs rows of tables that were made again for nothing.
    for seed in (0..150).chain([217]) {
        let facts = execution_in_blocks(&mut Rng::with_seed(seed));
        let mut provenance = None;
        for gone in ["", "executed", "rf", ""] {
            let left: Vec<Fact> = facts
                .iter()
                .filter(|fact| fact.0 != gone || fact.2 == "true")
                .cloned()
                .collect();
            let mut theory = theory(&rules, &facts, |_| true);
            let provenance = provenance
                .get_or_insert_with(|| Provenance::new(rules.clone(), theory.symbols_mut()));
            for fact in facts.iter().filter(|fact| !left.contains(fact)) {
                retract(&mut theory, fact);
            }
            let found = by_provenance(&theory, provenance);
            let expected = by_brute_force(&rules, &left);
            assert_eq!(found, expected, "seed {seed}, without {gone:?}\n{left:#?}");
        }
    }
}

/// The end of a block comes first only before what is seen, for reasons of its own; and what comes
/// before a block need not access the same variables.
const BLOCKS_OF_OTHER_KINDS: &str = r#"
.decl event(e: symbol, thread: symbol, index: number)
.decl read(e: symbol, v: symbol)
.decl executed(e: symbol) choice
.decl rf(w: symbol, r: symbol) choice
.decl atomic(e: symbol, block: symbol)
.decl lt(a: symbol, b: symbol) order(event, executed)
.decl seen(e: symbol)
lt(w, r) :- rf(w, r).
seen(e) :- lt(_, e), read(e, _).
lt(last, e) :- lt(some, e), atomic(some, k), atomic(last, k), seen(e).
lt(e, first) :- lt(e, some), atomic(some, k), atomic(first, k), !atomic(e, k).
.conflict lt(e, e)
"#;

#[test]
fn blocks_of_other_kinds() {
    for seed in 0..200 {
        let facts = execution_in_blocks(&mut Rng::with_seed(seed));
        compare_facts(BLOCKS_OF_OTHER_KINDS, &facts, seed);
    }
}

/// An ordinary relation that is derived together with the order.
const THROUGH_ANOTHER_RELATION: &str = r#"
.decl event(e: symbol, thread: symbol, index: number)
.decl read(e: symbol, v: symbol)
.decl write(e: symbol, v: symbol)
.decl executed(e: symbol) choice
.decl rf(w: symbol, r: symbol) choice
.decl lt(a: symbol, b: symbol) order(event, executed)
.decl from_read(r: symbol, w: symbol)
lt(w, r) :- rf(w, r).
from_read(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), w2 != w.
lt(r, w) :- from_read(r, w), executed(w).
lt(w2, w) :- from_read(r, w2), rf(w, r), lt(w2, r).
.conflict lt(e, e)
.conflict from_read(r, w), lt(w, r), write(w, v), read(r, v).
"#;

#[test]
fn through_another_relation() {
    (0..200).for_each(|seed| compare(THROUGH_ANOTHER_RELATION, seed));
}

/// Executed events and the conflict's own relation are derived; constants, wildcards and two
/// order atoms in a body; an order of a lower stratum, and two orders.
const UNUSUAL: &str = r#"
.decl event(e: symbol, thread: symbol, index: number)
.decl read(e: symbol, v: symbol)
.decl write(e: symbol, v: symbol)
.decl executed(e: symbol) choice
.decl rf(w: symbol, r: symbol) choice
.decl runs(e: symbol)
runs(e) :- executed(e).
runs(r) :- rf(_, r).
.decl lt(a: symbol, b: symbol) order(event, runs)
.decl seen(a: symbol, b: symbol) order(event)
lt(w, r) :- rf(w, r).
lt(a, "e00") :- lt(a, "e01"), rf(a, b), read(b, _).
lt(a, d) :- lt(a, b), lt(c, d), rf(a, d), write(b, v), write(c, v).
lt(a, b) :- lt(_, a), lt(_, b), rf(b, _), write(a, v), write(b, v), a != b.
seen(a, b) :- lt(a, b), write(a, v), read(b, v).
.decl twice(e: symbol, n: number)
twice(e, n) :- event(e, _, n), seen(e, _), n + 1 < 4.
.conflict lt(e, e), write(e, _)
.conflict seen(e, e)
.conflict twice(e, n), seen(a, e), lt(a, b), event(b, _, n), rf(a, _)
"#;

#[test]
fn unusual_uses_of_orders() {
    (0..200).for_each(|seed| compare(UNUSUAL, seed));
}

/// What a rule says of the earlier event, here a constant, must not be lost when the later
/// one is looked at alone.
const CONSTANT_FIRST: &str = r#"
.decl event(e: symbol, thread: symbol, index: number)
.decl read(e: symbol, v: symbol)
.decl write(e: symbol, v: symbol)
.decl executed(e: symbol) choice
.decl rf(w: symbol, r: symbol) choice
.decl lt(a: symbol, b: symbol) order(event, executed)
lt(w, r) :- rf(w, r).
.conflict write(a, _), lt("e01", b), a = b.
.conflict read(r, v), lt("e10", r), lt(w, "e11"), write(w, v).
"#;

#[test]
fn constants_in_atoms_of_orders() {
    (0..200).for_each(|seed| compare(CONSTANT_FIRST, seed));
}

/// The tables of the conflict are made when nothing rests on literals, and stay.
#[test]
fn only_a_link_rests_on_a_literal() {
    let event = |name: &str, thread: &str, index: &str| -> Fact {
        let fields = [name, thread, index].map(str::to_string).to_vec();
        ("event", fields, "true".to_string())
    };
    let fact = |relation, fields: &[&str], literal: &str| -> Fact {
        let fields = fields.iter().map(|field| field.to_string()).collect();
        (relation, fields, literal.to_string())
    };
    let facts = [
        event("e01", "t0", "1"),
        event("e10", "t1", "0"),
        event("e11", "t1", "1"),
        fact("write", &["e01", "x"], "true"),
        fact("read", &["e10", "x"], "true"),
        fact("write", &["e11", "x"], "true"),
        fact("executed", &["e01"], "true"),
        fact("executed", &["e10"], "true"),
        fact("executed", &["e11"], "true"),
        fact("rf", &["e01", "e10"], "s"),
    ];
    compare_facts(CONSTANT_FIRST, &facts, 0);
}
