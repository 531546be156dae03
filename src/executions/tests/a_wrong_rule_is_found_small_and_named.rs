//! `rules/sc.dl` with one thing changed: what is found, how small it is, and which rule is
//! blamed.

use heddle_executions::campaign::{self, Counterexample, Outcome};
use heddle_executions::culprit::{careless_order, culprit};
use heddle_executions::execution::Access;
use heddle_executions::soundness::{Subject, Violation};
use heddle_language::RuleSet;
use std::sync::Arc;

const SC: &str = include_str!("../../../rules/sc.dl");
const SC_BLOCKS: &str = include_str!("../../../rules/sc_blocks.dl");
const CASES: u64 = 2_000;

/// The rules of sequential consistency with one piece of text replaced.
fn changed(from: &str, to: &str) -> Arc<RuleSet> {
    assert_eq!(SC.matches(from).count(), 1, "`{from}` names one place");
    load(&SC.replace(from, to))
}

fn load(text: &str) -> Arc<RuleSet> {
    match heddle_language::load_text("changed.dl", text) {
        Ok(loaded) => Arc::new(loaded.rules),
        Err(report) => panic!("{report}"),
    }
}

/// The counterexample and the name of the rule that is blamed.
fn found(rules: Arc<RuleSet>) -> (Counterexample, Option<String>) {
    let subject = Subject::new(rules).unwrap();
    match campaign::run(&subject, CASES, 1).unwrap() {
        Outcome::Unsound(found) => {
            let culprit = culprit(&subject, &found.execution).unwrap();
            let name = culprit.map(|culprit| culprit.rule.name.clone());
            (found, name)
        }
        Outcome::Sound(tally) => panic!("nothing is wrong in {tally:?}"),
    }
}

#[test]
fn writes_the_wrong_way_round() {
    let (found, culprit) = found(changed("lt(w2, w) :-", "lt(w, w2) :-"));
    assert_eq!(culprit.as_deref(), Some("write-before-write"));
    // Another write before the read: two writes, one read, and its link.
    let execution = &found.execution;
    assert_eq!(execution.events.len(), 3, "{}", execution.describe());
    assert_eq!(execution.links.len(), 1, "{}", execution.describe());
}

#[test]
fn a_read_after_the_write_that_overwrites_its_value() {
    let (found, culprit) = found(changed("lt(r, w2) :-", "lt(w2, r) :-"));
    assert_eq!(culprit.as_deref(), Some("read-before-write"));
    let execution = &found.execution;
    assert_eq!(execution.events.len(), 3, "{}", execution.describe());
    assert_eq!(execution.links.len(), 1, "{}", execution.describe());
}

#[test]
fn an_update_before_itself() {
    let (found, culprit) = found(changed(", w2 != w, w2 != r.", ", w2 != w."));
    assert_eq!(culprit.as_deref(), Some("read-before-write"));
    // A write and the update that reads it.
    let execution = &found.execution;
    assert_eq!(execution.events.len(), 2, "{}", execution.describe());
    assert!(
        execution
            .events
            .iter()
            .any(|event| event.access == Access::Update)
    );
}

#[test]
fn a_single_event_before_itself() {
    let (found, culprit) = found(changed("lt(a, b) :- po(a, b), ", "lt(a, b) :- "));
    assert_eq!(culprit.as_deref(), Some("program-order"));
    let execution = &found.execution;
    assert_eq!(execution.events.len(), 1, "{}", execution.describe());
}

#[test]
fn an_update_that_may_not_read() {
    let rules = changed(
        ".conflict lt(e, e)",
        ".conflict lt(e, e)\n@name(\"a write reads\") .conflict rf(a, b), lt(a, b), write(b, _)",
    );
    let (found, _) = found(rules);
    assert_eq!(
        found.violation,
        Violation::WrongConflict {
            name: "a write reads".into()
        }
    );
    assert_eq!(found.execution.events.len(), 2);
}

#[test]
fn variables_that_are_mixed_up() {
    let (found, culprit) = found(changed(
        "lt(w2, r), read(r, v), write(w, v), write(w2, v)",
        "lt(w2, r), read(r, v), write(w, v), write(w2, _)",
    ));
    assert_eq!(culprit.as_deref(), Some("write-before-write"));
    assert_eq!(
        found.execution.events.len(),
        3,
        "{}",
        found.execution.describe()
    );
}

#[test]
fn program_order_of_what_is_not_executed() {
    let rules = changed(
        "lt(a, b) :- po(a, b), executed(a), executed(b).",
        "lt(a, b) :- po(a, b).",
    );
    let (found, culprit) = found(rules);
    assert_eq!(culprit.as_deref(), Some("program-order"));
    // Something leads on from an event that is not executed.
    let execution = &found.execution;
    assert_eq!(execution.events.len(), 3, "{}", execution.describe());
    assert!(execution.events.iter().any(|event| !event.executed));
}

#[test]
fn an_order_of_what_is_not_executed() {
    let without = changed("order(event, executed)", "order(event)");
    let other = changed(
        "order(event, executed)",
        "order(event, happens)\n.decl happens(e: Event)\nhappens(e) :- event(e, _, _).\n",
    );
    for (rules, executed) in [(without, None), (other, Some("happens"))] {
        let (found, culprit) = found(rules.clone());
        assert_eq!(culprit, None);
        let subject = Subject::new(rules).unwrap();
        let execution = &found.execution;
        let careless = careless_order(&subject, execution).unwrap().unwrap();
        let name = |relation| &*subject.rules().relation(relation).name;
        assert_eq!(name(careless.order), "lt");
        assert_eq!(careless.executed.map(name), executed);
        assert!(!execution.event(careless.event).executed);
        // It writes between a write and the read of that.
        assert_eq!(execution.events.len(), 3, "{}", execution.describe());
    }
}

#[test]
fn no_order_is_careless_where_everything_is_executed() {
    let rules = changed(".conflict lt(e, e)", ".conflict rf(_, _)");
    let subject = Subject::new(rules.clone()).unwrap();
    let careless = careless_order(&subject, &found(rules).0.execution);
    assert_eq!(careless.unwrap(), None);
}

#[test]
fn blocks_that_nothing_may_follow() {
    let rules = changed("lt(last, e) :- lt(some, e)", "lt(e, last) :- lt(some, e)");
    let (found, culprit) = found(rules);
    assert_eq!(culprit.as_deref(), Some("after-block"));
    assert!(
        found
            .execution
            .events
            .iter()
            .any(|event| event.block.is_some())
    );
}

#[test]
fn a_conflict_that_is_none() {
    let rules = changed(
        ".conflict lt(e, e)",
        "@name(\"any link\") .conflict rf(_, _)",
    );
    let (found, culprit) = found(rules);
    assert_eq!(culprit, None);
    assert_eq!(
        found.violation,
        Violation::WrongConflict {
            name: "any link".into()
        }
    );
    assert_eq!(found.execution.events.len(), 2);
}

#[test]
fn a_conflict_that_always_holds_needs_no_event() {
    let rules = changed(".conflict lt(e, e)", ".conflict 1 = 1");
    assert_eq!(found(rules).0.execution.events.len(), 0);
}

#[test]
fn the_rules_as_they_are_find_all_that_is_infeasible() {
    for (name, text) in [("sc", SC), ("sc_blocks", SC_BLOCKS)] {
        let subject = Subject::new(load(text)).unwrap();
        let Outcome::Sound(tally) = campaign::run(&subject, CASES, 1).unwrap() else {
            panic!("rules/{name}.dl is unsound");
        };
        assert_eq!(tally.total(), CASES);
        assert!(tally.infeasible() > 100, "{tally:?}");
        assert_eq!(tally.missed, 0, "no small execution is missed: {tally:?}");
    }
}

#[test]
fn rules_that_contradict_their_own_declaration_are_told_so_in_words() {
    let rules = changed(
        "order(event, executed)\n",
        "order(place, executed)\n.decl place(e: Event, t: Thread, i: number)\nplace(e, t, 7) :- event(e, t, _).\n",
    );
    let subject = Subject::new(rules).unwrap();
    let error = campaign::run(&subject, CASES, 1).unwrap_err().to_string();
    assert!(
        error.contains("of relation `place` have the same index 7 in chain t2"),
        "{error}"
    );
    assert!(error.contains("in this execution:\n  t1: "), "{error}");
}

/// What is said of rules before any execution is tried.
fn refusal(text: &str) -> String {
    let error = Subject::new(load(text)).err().expect("it cannot be tested");
    assert!(error.place.is_some(), "{error:?}");
    error.message
}

#[test]
fn rules_that_see_no_link_are_not_called_sound() {
    let wrong = include_str!("../../../rules/examples/wrong.dl");
    let refused = refusal(
        &wrong
            .replace("rf(", "reads_from(")
            .replace(", rf", ", reads_from"),
    );
    assert!(refused.contains("no facts of `reads_from`"), "{refused}");
    assert!(refused.contains("`rf`, which is not declared"), "{refused}");
}

#[test]
fn rules_that_see_no_event_are_not_called_sound() {
    let refused = refusal(&SC.replace("executed", "happened"));
    assert_eq!(
        refused,
        "`lt` orders the events of `happened`, of which executions have no facts"
    );
    let refused = refusal(".decl event(e: symbol, t: symbol)\n");
    assert!(
        refused.contains("`event` is declared with other columns"),
        "{refused}"
    );
}

#[test]
fn what_no_execution_has_is_warned_about() {
    let warned = |text: &str| {
        let warnings = Subject::new(load(text)).unwrap().warnings();
        let messages = warnings.into_iter().map(|warning| warning.message);
        messages.collect::<Vec<_>>()
    };
    assert!(warned(SC).is_empty() && warned(SC_BLOCKS).is_empty());
    let fences = ".decl fence(e: Event)\n.input fence\nlt(a, a) :- fence(a).\n";
    assert_eq!(
        warned(&format!("{SC}{fences}")),
        ["executions have no facts of `fence`: what follows from it is not tested"]
    );
}

#[test]
fn what_the_rules_would_not_read_from_a_folder_is_not_given_to_them() {
    let wrong = SC.replace("lt(a, b) :- po(a, b), ", "lt(b, a) :- po(a, b), ");
    let closed = wrong + "\npo(a, c) :- po(a, b), po(b, c).\n";
    let (as_input, _) = found(load(&closed));
    assert_eq!(as_input.execution.po.len(), 1);
    let derived = closed.replace(
        ".input event, read, write, po, ",
        ".input event, read, write, ",
    );
    let subject = Subject::new(load(&derived)).unwrap();
    let Outcome::Sound(_) = campaign::run(&subject, CASES, 1).unwrap() else {
        panic!("`po` has no facts");
    };
    let warnings = subject.warnings();
    let [warning] = &warnings[..] else {
        panic!("one warning: {warnings:?}");
    };
    assert!(
        warning.message.contains("facts of `po` are not read"),
        "{warning:?}"
    );
}
