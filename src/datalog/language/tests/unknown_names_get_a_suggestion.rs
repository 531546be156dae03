//! Relations and types that are not declared.

use crate::support::errors;

#[test]
fn a_misspelt_relation() {
    let text = r#".decl write(e: symbol)
.output write
write(x) :- wriet(x).
"#;
    let expected = r#"error: unknown relation `wriet`
 --> test.dl:3:13
  |
3 | write(x) :- wriet(x).
  |             ^^^^^
  |
  = help: did you mean `write`?
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_relation_that_resembles_none() {
    let text = r#".decl write(e: symbol)
.output write
write(x) :- ancestor(x, _).
"#;
    let expected = r#"error: unknown relation `ancestor`
 --> test.dl:3:13
  |
3 | write(x) :- ancestor(x, _).
  |             ^^^^^^^^
  |
  = help: declare it: `.decl ancestor(…)`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn in_a_head_an_output_and_an_order() {
    let text = r#".decl event(e: symbol, t: symbol, i: number)
.decl lt(a: symbol, b: symbol) order(events, execute)
.output ltt
lte(a, b) :- event(a, _, _), event(b, _, _).
"#;
    let expected = r#"error: unknown relation `events`
 --> test.dl:2:38
  |
2 | .decl lt(a: symbol, b: symbol) order(events, execute)
  |                                      ^^^^^^
  |
  = help: did you mean `event`?

error: unknown relation `execute`
 --> test.dl:2:46
  |
2 | .decl lt(a: symbol, b: symbol) order(events, execute)
  |                                              ^^^^^^^
  |
  = help: declare it: `.decl execute(…)`

error: unknown relation `ltt`
 --> test.dl:3:9
  |
3 | .output ltt
  |         ^^^
  |
  = help: did you mean `lt`?

error: unknown relation `lte`
 --> test.dl:4:1
  |
4 | lte(a, b) :- event(a, _, _), event(b, _, _).
  | ^^^
  |
  = help: did you mean `lt`?
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_misspelt_type() {
    let text = r#".type Event <: simbol
.type Var <: symbol
.decl p(a: vra, b: unsigned, c: Thread, d: Event)
.output p
"#;
    let expected = r#"error: unknown type `simbol`
 --> test.dl:1:16
  |
1 | .type Event <: simbol
  |                ^^^^^^
  |
  = help: did you mean `symbol`?

error: unknown type `vra`
 --> test.dl:3:12
  |
3 | .decl p(a: vra, b: unsigned, c: Thread, d: Event)
  |            ^^^
  |
  = help: did you mean `Var`?

error: unknown type `unsigned`
 --> test.dl:3:20
  |
3 | .decl p(a: vra, b: unsigned, c: Thread, d: Event)
  |                    ^^^^^^^^
  |
  = help: the built-in types are `symbol` and `number`

error: unknown type `Thread`
 --> test.dl:3:33
  |
3 | .decl p(a: vra, b: unsigned, c: Thread, d: Event)
  |                                 ^^^^^^
  |
  = help: declare it: `.type Thread <: symbol`
"#;
    assert_eq!(errors(text), expected);
}
