//! Negation, aggregates and orders are over complete relations.

use crate::support::errors;

#[test]
fn through_other_relations() {
    let text = r#".decl move(x: symbol, y: symbol)
.decl win(x: symbol)
.decl lose(x: symbol)
.output win
win(x) :- move(x, y), lose(y).
lose(x) :- move(x, _),
  !win(x).
"#;
    let expected = r#"error: a negation in a cycle: lose -> !win -> lose
 --> test.dl:7:4
  |
5 | win(x) :- move(x, y), lose(y).
  |                       ------- `win` is derived from `lose`
6 | lose(x) :- move(x, _),
7 |   !win(x).
  |    ^^^^^^ `lose` needs all of `win` here
  |
  = help: a relation is negated once it is complete
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn through_itself() {
    let text = r#".decl p(x: number)
.output p
p(x) :- p(x), !p(x).
p(n) :- n = count : { p(_) }.
"#;
    let expected = r#"error: a negation in a cycle: p -> !p
 --> test.dl:3:16
  |
3 | p(x) :- p(x), !p(x).
  |                ^^^^ `p` needs all of `p` here
  |
  = help: a relation is negated once it is complete

error: an aggregate in a cycle: p -> count(p)
 --> test.dl:4:23
  |
4 | p(n) :- n = count : { p(_) }.
  |                       ^^^^ `p` needs all of `p` here
  |
  = help: an aggregate is computed once its relations are complete
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn through_an_order() {
    let text = r#".decl event(e: symbol, t: symbol, i: number)
.decl executed(e: symbol)
.decl before(e: symbol)
.decl lt(a: symbol, b: symbol) order(event, executed)
.output lt
before(x) :- lt(x, _).
executed(x) :- before(x).
event(x, "t", 1) :- before(x).
"#;
    let expected = r#"error: an order in a cycle: lt -> event -> before -> lt
 --> test.dl:4:32
  |
4 | .decl lt(a: symbol, b: symbol) order(event, executed)
  |                                ^^^^^^^^^^^^^^^^^^^^^^ `lt` needs all of `event` here
5 | .output lt
6 | before(x) :- lt(x, _).
  |              -------- `before` is derived from `lt`
7 | executed(x) :- before(x).
8 | event(x, "t", 1) :- before(x).
  |                     --------- `event` is derived from `before`
  |
  = help: an order's chains must be complete before it is derived

error: an order in a cycle: lt -> executed -> before -> lt
 --> test.dl:4:32
  |
4 | .decl lt(a: symbol, b: symbol) order(event, executed)
  |                                ^^^^^^^^^^^^^^^^^^^^^^ `lt` needs all of `executed` here
5 | .output lt
6 | before(x) :- lt(x, _).
  |              -------- `before` is derived from `lt`
7 | executed(x) :- before(x).
  |                --------- `executed` is derived from `before`
  |
  = help: an order's chains must be complete before it is derived
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn every_cycle_is_reported() {
    let text = r#".decl a(x: number) .decl b(x: number) .decl c(x: number)
.output a, b, c
a(x) :- a(x), !b(x).
b(x) :- a(x).
b(x) :- a(x), !c(x).
c(x) :- c(x), n = sum y : { b(y) }, x < n.
"#;
    let expected = r#"error: a negation in a cycle: a -> !b -> a
 --> test.dl:3:16
  |
3 | a(x) :- a(x), !b(x).
  |                ^^^^ `a` needs all of `b` here
4 | b(x) :- a(x).
  |         ---- `b` is derived from `a`
  |
  = help: a relation is negated once it is complete

error: a negation in a cycle: b -> !c -> sum(b)
 --> test.dl:5:16
  |
5 | b(x) :- a(x), !c(x).
  |                ^^^^ `b` needs all of `c` here
6 | c(x) :- c(x), n = sum y : { b(y) }, x < n.
  |                             ---- `c` is derived from `b`
  |
  = help: a relation is negated once it is complete
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_long_cycle_is_shortened() {
    let mut text = String::from(".output r0\n");
    for number in 0..50 {
        let next = (number + 1) % 50;
        text += &format!(".decl r{number}(x: number)\n");
        let not = if number == 0 { "!" } else { "" };
        text += &format!("r{number}(x) :- x = 1, {not}r{next}(x).\n");
    }
    let report = errors(&text);
    let first = report.lines().next().unwrap_or_default();
    assert_eq!(
        first,
        "error: a negation in a cycle: \
         r0 -> !r1 -> r2 -> r3 -> r4 -> r5 -> r6 -> r7 -> r8 -> r9 -> r10 -> … -> r0"
    );
    assert_eq!(report.matches("is derived from").count(), 9);
}
