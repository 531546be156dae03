//! `.type A <: B`: a variable may be used as both.

use crate::support::{errors, rules};

#[test]
fn along_a_chain_of_subtypes() {
    let text = r#".type Write <: Event
.type Event <: symbol
.type Index <: number
.decl write(e: Write)
.decl event(e: Event, i: Index)
.decl name(s: symbol, n: number)
.output name
name(x, i + 1) :- write(x), event(x, i).
name(x, i) :- write(x), event(y, i), x = y, x != "none", i != 3.
event(x, i) :- name(x, i).
"#;
    let expected = r#".type Event <: symbol
.type Write <: Event
.type Index <: number
.decl write(e: Write)
.decl event(e: Event, i: Index)
.decl name(s: symbol, n: number)
.output name
name(x, i + 1) :- write(x), event(x, i).
name(x, i) :- write(x), x = y, x != "none", event(y, i), i != 3.
event(x, i) :- name(x, i).
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn siblings_clash() {
    let text = r#".type Event <: symbol
.type Read <: Event
.type Write <: Event
.decl read(e: Read)
.decl write(e: Write)
.decl event(e: Event)
.output event
event(x) :- read(x), write(x).
"#;
    let expected = r#"error: `x` is used as `Read` and as `Write`
 --> test.dl:8:28
  |
8 | event(x) :- read(x), write(x).
  |                  -         ^ of type `Write`
  |                  |
  |                  of type `Read`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_type_is_not_below_itself() {
    let text = r#".type A <: B
.type B <: C
.type C <: B
.type symbol <: A
.decl p(x: A)
.output p
"#;
    let expected = r#"error: the type `B` is a subtype of itself
 --> test.dl:2:7
  |
2 | .type B <: C
  |       ^
  |
  = help: every type comes from `symbol` or `number` in the end

error: the type `symbol` is built in
 --> test.dl:4:7
  |
4 | .type symbol <: A
  |       ^^^^^^
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_type_is_declared_once() {
    let text = r#".type A <: symbol
.type A <: symbol
.decl p(x: A, x: A)
.decl p(x: A)
.output p
"#;
    let expected = r#"error: the type `A` is declared twice
 --> test.dl:2:7
  |
1 | .type A <: symbol
  |       - the first declaration
2 | .type A <: symbol
  |       ^

error: the column `x` is declared twice
 --> test.dl:3:15
  |
3 | .decl p(x: A, x: A)
  |         -     ^
  |         |
  |         the first declaration

error: the relation `p` is declared twice
 --> test.dl:4:7
  |
3 | .decl p(x: A, x: A)
  |       - the first declaration
4 | .decl p(x: A)
  |       ^
"#;
    assert_eq!(errors(text), expected);
}
