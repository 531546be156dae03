//! The relations of an `order(event, executed)` fit together.

use crate::support::{errors, rules};

#[test]
fn their_columns() {
    let text = r#".type Event <: symbol
.type Var <: symbol
.decl event(e: Event, thread: symbol, index: symbol)
.decl short(e: Event, thread: symbol)
.decl executed(v: Var)
.decl nobody()
.decl a(x: Event, y: Event) order(event, executed)
.decl b(x: Event, y: Var) order(short, nobody)
.decl c(x: Event) order(event)
.output a, b, c
"#;
    let expected = r#"error: `index` of `event` must be a number: the event's index in its chain
 --> test.dl:7:29
  |
3 | .decl event(e: Event, thread: symbol, index: symbol)
  |       ----- declared here
...
7 | .decl a(x: Event, y: Event) order(event, executed)
  |                             ^^^^^^^^^^^^^^^^^^^^^^

error: `x` of `a` and `v` of `executed` must be events of one type
 --> test.dl:7:29
  |
5 | .decl executed(v: Var)
  |       -------- `v` is of type `Var`
6 | .decl nobody()
7 | .decl a(x: Event, y: Event) order(event, executed)
  |       -                     ^^^^^^^^^^^^^^^^^^^^^^
  |       |
  |       `x` is of type `Event`

error: `x` of `b` and `y` of `b` must be events of one type
 --> test.dl:8:27
  |
8 | .decl b(x: Event, y: Var) order(short, nobody)
  |       -                   ^^^^^^^^^^^^^^^^^^^^
  |       |
  |       `x` is of type `Event`
  |       `y` is of type `Var`

error: `short` must have 3 columns, but it has 2
 --> test.dl:8:27
  |
4 | .decl short(e: Event, thread: symbol)
  |       ----- declared here
...
8 | .decl b(x: Event, y: Var) order(short, nobody)
  |                           ^^^^^^^^^^^^^^^^^^^^
  |
  = help: it holds each event's chain and index: (event, chain, index: number)

error: `nobody` must have 1 column, but it has none
 --> test.dl:8:27
  |
6 | .decl nobody()
  |       ------ declared here
7 | .decl a(x: Event, y: Event) order(event, executed)
8 | .decl b(x: Event, y: Var) order(short, nobody)
  |                           ^^^^^^^^^^^^^^^^^^^^
  |
  = help: it holds the events that are executed

error: `c` must have 2 columns, but it has 1
 --> test.dl:9:19
  |
9 | .decl c(x: Event) order(event)
  |       -           ^^^^^^^^^^^^
  |       |
  |       declared here
  |
  = help: an order relates two events
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn without_executed_events() {
    let text = r#".decl event(e: number, thread: symbol, index: number)
.decl lt(a: number, b: number)
  order(event)
.output lt
"#;
    let expected = r#".decl event(e: number, thread: symbol, index: number)
.decl lt(a: number, b: number) order(event)
.output lt
"#;
    assert_eq!(rules(text).to_string(), expected);
}
