//! What is violated has a reason, however long it is, and the shortest one of a small execution is
//! found among many that are longer.

mod common;

use common::facts::{Fact, Step, apply};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use std::collections::BTreeSet;

const LIMIT: usize = 64;

fn insert(theory: &mut Theory, relation: &str, fields: &[&str], literal: &str) {
    let fact = Fact {
        relation: relation.to_string(),
        fields: fields.iter().map(ToString::to_string).collect(),
        literal: literal.to_string(),
    };
    apply(theory, &Step::Insert(fact));
}

fn reasons(theory: &mut Theory) -> Vec<BTreeSet<String>> {
    let reasons = theory.reasons(LIMIT).expect("places of events agree");
    let name = |&literal| theory.symbols().name(literal).to_string();
    let reasons = reasons.list.iter();
    reasons
        .map(|reason| reason.literals.iter().map(name).collect())
        .collect()
}

#[test]
fn a_deadlock_of_many_threads() {
    const THREADS: usize = 58;
    let rules = common::load(
        ".decl lock(thread: symbol, mutex: symbol) choice
         .decl waits(thread: symbol, mutex: symbol) choice
         .decl blocked(by: symbol, thread: symbol) .input lock, waits
         blocked(a, b) :- lock(a, m), waits(b, m), a != b.
         blocked(a, c) :- blocked(a, b), blocked(b, c).
         .conflict blocked(t, t)",
    );
    let mut theory = Theory::new(rules, BackendKind::Naive).unwrap();
    let mut all = BTreeSet::new();
    for thread in 0..THREADS {
        let [own, next] = [thread, (thread + 1) % THREADS].map(|number| format!("m{number}"));
        let thread = format!("t{thread}");
        for (relation, mutex) in [("lock", own), ("waits", next)] {
            let literal = format!("{relation}_{thread}");
            insert(&mut theory, relation, &[&thread, &mutex], &literal);
            all.insert(literal);
        }
    }
    assert_eq!(reasons(&mut theory), [all]);
}

#[test]
fn two_wrong_links_of_twenty_one_choices() {
    let mut theory = Theory::new(built_in("sc").unwrap(), BackendKind::Compiled).unwrap();
    let chains = [
        "e1 e3 e5 e11 e16 e19 e20 e22",
        "e4 e10 e13 e15 e17 e21",
        "e2 e7 e8 e9 e12 e14",
    ];
    for (thread, events) in chains.iter().enumerate() {
        for (index, event) in events.split(' ').enumerate() {
            let place = [event, &format!("t{thread}"), &index.to_string()];
            insert(&mut theory, "event", &place, "true");
            let guarded = ["e3", "e4", "e5", "e10", "e15", "e20", "e21"].contains(&event);
            let guard = event.replace('e', "g");
            let guard = if guarded { &guard } else { "true" };
            insert(&mut theory, "executed", &[event], guard);
        }
    }
    let facts = [
        ("read", "v", "e1 e2 e3 e5 e7 e8 e10 e12 e13 e14 e15 e16 e19"),
        ("write", "v", "e2 e4 e5 e9 e11 e17 e19 e20 e21 e22"),
        ("atomic", "b2", "e8 e9 e12 e14"),
        ("atomic", "b0", "e16 e19 e20"),
    ];
    for (relation, of, events) in facts {
        for event in events.split(' ') {
            insert(&mut theory, relation, &[event, of], "true");
        }
    }
    let links = "17 1,17 2,20 3,17 5,22 7,4 8,5 10,20 12,9 13,21 13,17 14,20 14,4 15,11 19";
    for link in links.split(',') {
        let (write, read) = link.split_once(' ').unwrap();
        let ends = [format!("e{write}"), format!("e{read}")];
        let ends = ends.each_ref().map(String::as_str);
        insert(&mut theory, "rf", &ends, &format!("s{read}_{write}"));
    }
    let short = ["s2_17", "s5_17"].map(String::from);
    assert!(reasons(&mut theory).contains(&BTreeSet::from(short)));
}
