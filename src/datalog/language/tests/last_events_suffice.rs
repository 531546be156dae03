//! Which rules may take the last event of each chain, or the first, instead of all.

use crate::support::rules;
use heddle_language::order_use::{OrderUse, Witness, order_uses};

const DECLARATIONS: &str = r#"
    .decl event(e: symbol, thread: symbol, index: number)
    .decl executed(e: symbol) choice
    .decl rf(w: symbol, r: symbol) choice
    .decl read(e: symbol, v: symbol)
    .decl write(e: symbol, v: symbol)
    .decl hidden(e: symbol, v: symbol)
    .decl level(e: symbol, l: number)
    .decl partner(a: symbol, b: symbol)
    .input event, executed, rf, read, write, hidden, level, partner
    .decl lt(a: symbol, b: symbol) order(event, executed)
    .decl other(a: symbol, b: symbol) order(event, executed)
    .decl near(a: symbol, b: symbol)
    .output lt, other, near
"#;

/// The uses in the last rule of the text.
fn uses(text: &str) -> Vec<OrderUse> {
    let rules = rules(&format!("{DECLARATIONS}\n{text}"));
    order_uses(&rules, rules.rules.last().expect("the text has a rule"))
}

/// The witness of a rule's only use, with the conditions as sorted text.
fn witness(text: &str) -> String {
    let set = rules(&format!("{DECLARATIONS}\n{text}"));
    let rule = set.rules.last().expect("the text has a rule");
    let uses = order_uses(&set, rule);
    assert_eq!(uses.len(), 1, "{text}");
    let show = |conditions: &[usize]| {
        let mut literals: Vec<String> = conditions
            .iter()
            .map(|&position| {
                set.show_literal(&rule.variables, &rule.body[position])
                    .to_string()
            })
            .collect();
        literals.sort();
        literals.join(", ")
    };
    match &uses[0].witness {
        Witness::All => "all".to_string(),
        Witness::Last { conditions } => format!("last: {}", show(conditions)),
        Witness::First { conditions } => format!("first: {}", show(conditions)),
    }
}

#[test]
fn rule_2_takes_the_last_write_before_the_read() {
    let rule = "lt(w2, w) :- rf(w, r), lt(w2, r), write(w, v), write(w2, v), w2 != w.";
    assert_eq!(witness(rule), "last: w2 != w, write(w2, v)");
}

#[test]
fn rule_3_takes_the_last_write_before_the_write() {
    let rule =
        "lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), w != w2, executed(w2).";
    assert_eq!(witness(rule), "last: w != w2, write(w, v)");
}

#[test]
fn rule_3_may_exclude_the_read_itself() {
    let rule = "lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), w2 != w, w2 != r.";
    assert_eq!(witness(rule), "last: w2 != w, write(w, v)");
}

#[test]
fn the_last_event_stands_in_only_if_it_meets_all_demands() {
    // The last write of v before w2 need not be hidden, and then derives nothing.
    let rule =
        "lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), hidden(w2, v), w != r.";
    assert_eq!(witness(rule), "first: hidden(w2, v), write(w2, v)");
    let negated =
        "lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), !hidden(w2, v), w != w2.";
    assert_eq!(witness(negated), "all");
    let met = "lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), !hidden(w2, v), !hidden(w, v).";
    assert_eq!(witness(met), "last: !hidden(w, v), write(w, v)");
}

#[test]
fn events_joined_by_a_partner_need_all() {
    // Each event has its own partner, so the last one says nothing of the others'.
    assert_eq!(
        witness("lt(x, b) :- lt(a, b), partner(a, x), partner(b, _), a != b."),
        "all"
    );
    assert_eq!(witness("lt(a, x) :- lt(a, b), partner(a, x)."), "all");
    assert_eq!(
        witness(
            "near(a, b) :- lt(a, b). lt(b, a) :- near(a, b), partner(a, b). near(a, b) :- lt(a, b), partner(b, a)."
        ),
        "all"
    );
}

#[test]
fn demands_on_nothing_are_met_by_all() {
    assert_eq!(witness("lt(x, b) :- lt(a, b), partner(a, x)."), "last: ");
}

#[test]
fn conditions_that_depend_on_the_event_need_all() {
    // For another level another event may be the last.
    let rule = "lt(a, y) :- lt(a, b), rf(y, b), level(a, l), level(y, m), l < m.";
    assert_eq!(witness(rule), "all");
    let fixed = "lt(a, y) :- lt(a, b), rf(y, b), level(y, m), level(a, m).";
    assert_eq!(witness(fixed), "last: level(a, m)");
}

#[test]
fn the_thread_of_an_event_is_that_of_its_chain() {
    let rule = "lt(a, y) :- lt(a, b), rf(y, b), write(y, v), write(a, v), \
                event(a, t, _), event(y, u, _), t != u.";
    assert_eq!(witness(rule), "last: write(a, v)");
    let index = "lt(a, y) :- lt(a, b), rf(y, b), event(a, _, i), event(y, _, j), i < j.";
    assert_eq!(witness(index), "all");
}

#[test]
fn atomic_blocks_take_the_first_event_after() {
    let rule = "lt(last, e) :- lt(a, e), partner(a, last), read(e, v), write(last, v), \
                event(e, t, _), event(a, u, _), t != u.";
    assert_eq!(witness(rule), "first: read(e, v)");
    let later = "lt(last, e) :- lt(a, e), partner(a, last), write(last, v), !read(e, v).";
    assert_eq!(witness(later), "all");
}

#[test]
fn other_heads_need_all_unless_the_event_is_used_nowhere_else() {
    assert_eq!(
        witness("lt(a, b) :- near(a, b). near(a, b) :- lt(a, b), write(a, _)."),
        "all"
    );
    assert_eq!(
        witness("lt(a, b) :- near(a, b). near(b, b) :- lt(_, b)."),
        "last: "
    );
    assert_eq!(
        witness("lt(a, b) :- near(a, b). near(b, b) :- lt(a, b)."),
        "last: "
    );
    assert_eq!(
        witness("lt(a, b) :- other(a, b). other(a, y) :- lt(a, b), rf(y, b)."),
        "all"
    );
}

#[test]
fn constants_and_loops_need_all() {
    assert_eq!(
        witness(r#"lt(a, y) :- lt(a, "x"), rf(y, a), write(y, _)."#),
        "all"
    );
    assert_eq!(witness("lt(a, y) :- lt(a, a), rf(a, y)."), "all");
}

#[test]
fn a_condition_in_the_making_needs_all() {
    let rule = "near(a, b) :- lt(a, b), rf(a, b). lt(a, y) :- lt(a, b), near(a, b), rf(y, b).";
    assert_eq!(witness(rule), "all");
}

#[test]
fn lower_orders_are_not_uses() {
    assert_eq!(
        uses("other(a, b) :- rf(a, b). lt(a, b) :- other(a, b)."),
        []
    );
}
