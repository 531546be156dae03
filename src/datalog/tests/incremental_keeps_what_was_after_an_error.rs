//! Chains that are not in order are an error, after which everything is as it was before,
//! and stays usable.

mod common;

use heddle_datalog::backend::SettleError;
use heddle_datalog::theory::{BackendKind, Theory};

/// The events are facts, or derived from facts: then the mistake is seen when they are.
const GIVEN: &str = ".decl event(e: symbol, t: symbol, i: number)
     .decl lt(a: symbol, b: symbol) order(event)";
const DERIVED: &str = ".decl fact(e: symbol, t: symbol, i: number)
     .decl event(e: symbol, t: symbol, i: number)
     .decl lt(a: symbol, b: symbol) order(event)
     .output lt
     event(e, t, i) :- fact(e, t, i).";

fn change(theory: &mut Theory, relation: &str, fields: &[&str], insert: bool) {
    let row = common::row(theory, relation, fields);
    let relation = theory.rules().find(relation).unwrap();
    if insert {
        theory.insert(relation, row);
    } else {
        assert!(theory.retract(relation, &row));
    }
}

fn check(text: &str, relation: &str) {
    for kind in [BackendKind::Naive, BackendKind::Incremental] {
        let mut theory = Theory::new(common::load(text), kind).unwrap();
        change(&mut theory, relation, &["a", "t", "0"], true);
        change(&mut theory, relation, &["b", "t", "1"], true);
        theory.settle().unwrap();
        let before = common::model(&theory);
        assert!(before.contains("lt(a, b)"), "{kind:?}");

        change(&mut theory, relation, &["c", "t", "2"], true);
        change(&mut theory, relation, &["d", "t", "1"], true);
        let error = theory.settle().unwrap_err();
        let SettleError::SharedPlace { first, second, .. } = error else {
            panic!("{error:?}");
        };
        let names = [first, second].map(|event| theory.symbols().name(event).to_string());
        assert_eq!(names, ["b", "d"], "{kind:?}");
        assert_eq!(common::model(&theory), before, "{kind:?}");

        change(&mut theory, relation, &["d", "t", "1"], false);
        change(&mut theory, relation, &["b", "u", "5"], true);
        let error = theory.settle().unwrap_err();
        assert!(
            matches!(error, SettleError::SeveralPlaces { .. }),
            "{error:?}"
        );
        assert_eq!(common::model(&theory), before, "{kind:?}");

        change(&mut theory, relation, &["b", "t", "1"], false);
        let lt = theory.rules().find("lt").unwrap();
        let changes = theory.settle_with_changes(&[lt]).unwrap();
        assert_eq!(changes.len(), 2, "a < b goes, a < c comes: {changes:?}");
        let after = common::model(&theory);
        assert!(after.contains("lt(a, c)") && !after.contains("lt(a, b)"));
    }
}

#[test]
fn where_the_events_are_facts() {
    check(GIVEN, "event");
}

#[test]
fn where_the_events_are_derived() {
    check(DERIVED, "fact");
}

#[test]
fn even_in_the_first_settle() {
    let rules = common::load(&format!("{GIVEN} .decl one(n: number) .output one one(1)."));
    let mut theory = Theory::new(rules, BackendKind::Incremental).unwrap();
    change(&mut theory, "event", &["a", "t", "0"], true);
    change(&mut theory, "event", &["b", "t", "0"], true);
    theory.settle().unwrap_err();
    assert!(common::model(&theory).is_empty());
    change(&mut theory, "event", &["b", "t", "0"], false);
    theory.settle().unwrap();
    let model: Vec<String> = common::model(&theory).into_iter().collect();
    assert_eq!(model, ["event(a, t, 0)", "one(1)"]);
}
