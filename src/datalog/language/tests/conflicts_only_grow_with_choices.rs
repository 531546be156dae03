//! What a `.conflict` depends on negates and aggregates nothing that depends on a choice.

use crate::support::{errors, rules};

#[test]
fn negation_in_the_conflict_itself() {
    let text = r#".type Event <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.conflict lt(a, b), !rf(a, b)
"#;
    let expected = r#"error: a conflict depends on this, which negates `rf`, which depends on a choice
 --> test.dl:6:22
  |
4 | .decl rf(w: Event, r: Event) choice
  |       -- the choice
5 | .decl lt(a: Event, b: Event) order(event, executed)
6 | .conflict lt(a, b), !rf(a, b)
  |                      ^^^^^^^^
  |
  = help: a reason must hold however the other choices are made
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn negation_in_a_rule_below() {
    let text = r#".type Event <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.decl linked(r: Event)
.decl free(r: Event)
linked(r) :- rf(_, r).
free(r) :- event(r, _, _), !linked(r).
lt(r, e) :- free(r), event(e, _, _), r != e.
.conflict lt(e, e)
"#;
    let expected = r#"error: a conflict depends on this, which negates `linked`, which depends on a choice
 --> test.dl:9:29
  |
4 | .decl rf(w: Event, r: Event) choice
  |       -- the choice
...
8 | linked(r) :- rf(_, r).
  |              -------- `linked` is derived from `rf`
9 | free(r) :- event(r, _, _), !linked(r).
  |                             ^^^^^^^^^
  |
  = help: the way to the choice: linked -> rf
  = help: a reason must hold however the other choices are made
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn an_aggregate_over_an_order() {
    let text = r#".type Event <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.decl busy(e: Event)
busy(e) :- event(e, _, _), n = count : { lt(_, e) }, n > 3.
.conflict busy(_), lt(e, e)
"#;
    let expected = r#"error: a conflict depends on this, which aggregates `lt`, which depends on a choice
 --> test.dl:7:42
  |
3 | .decl executed(e: Event) choice
  |       -------- the choice
4 | .decl rf(w: Event, r: Event) choice
5 | .decl lt(a: Event, b: Event) order(event, executed)
  |                              ---------------------- `lt` is derived from `executed`
6 | .decl busy(e: Event)
7 | busy(e) :- event(e, _, _), n = count : { lt(_, e) }, n > 3.
  |                                          ^^^^^^^^
  |
  = help: the way to the choice: lt -> executed
  = help: a reason must hold however the other choices are made
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn an_aggregate_in_the_conflict() {
    let text = r#".decl p(x: number)
.conflict count : { p(_) } > 3
"#;
    let expected = r#"error: an aggregate in a `.conflict` is not supported
 --> test.dl:2:11
  |
2 | .conflict count : { p(_) } > 3
  |           ^^^^^^^^^^^^^^^^
  |
  = help: derive a relation with it, and state the conflict over that
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn chains_that_depend_on_a_choice() {
    let text = r#".decl place(e: symbol, t: symbol, i: number) choice
.decl event(e: symbol, t: symbol, i: number)
.decl lt(a: symbol, b: symbol) order(event)
event(e, t, i) :- place(e, t, i).
.conflict lt(e, e)
"#;
    let expected = r#"error: a conflict depends on the order `lt`, whose chains in `event` depend on a choice
 --> test.dl:3:32
  |
1 | .decl place(e: symbol, t: symbol, i: number) choice
  |       ----- the choice
2 | .decl event(e: symbol, t: symbol, i: number)
3 | .decl lt(a: symbol, b: symbol) order(event)
  |                                ^^^^^^^^^^^^
4 | event(e, t, i) :- place(e, t, i).
  |                   -------------- `event` is derived from `place`
  |
  = help: the way to the choice: event -> place
  = help: a reason must hold however the other choices are made
  = help: which events are executed may be a choice: `order(event, executed)`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn what_depends_on_no_choice_may_be_negated() {
    let text = r#".type Event <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.decl atomic(e: Event)
.decl plain(e: Event)
.decl unlinked(e: Event)
.output unlinked
plain(e) :- event(e, _, _), !atomic(e).
unlinked(e) :- event(e, _, _), !rf(_, e).
.conflict lt(e, e), plain(e), !atomic(e)
"#;
    let expected = r#".type Event <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.decl atomic(e: Event)
.decl plain(e: Event)
.decl unlinked(e: Event)
.output unlinked
plain(e) :- event(e, _, _), !atomic(e).
unlinked(e) :- event(e, _, _), !rf(_, e).
.conflict lt(e, e), !atomic(e), plain(e).
"#;
    assert_eq!(rules(text).to_string(), expected);
}
