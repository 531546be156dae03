//! What only follows from a mistake is not reported.

use crate::support::errors;

#[test]
fn a_broken_declaration_is_not_an_unknown_relation() {
    let text = r#".decl p(x; number)
.type T : symbol
.decl q(x: T)
.output p, q
p(x) :- q(x).
q("a").
"#;
    let expected = r#"error: expected `:`, found `;`
 --> test.dl:1:10
  |
1 | .decl p(x; number)
  |          ^
  |
  = help: a column has a type, such as `x: symbol`

error: expected `<:`, found `:`
 --> test.dl:2:9
  |
2 | .type T : symbol
  |         ^
  |
  = help: write `.type T <: symbol` or `.type T <: number`; unions and records are not supported
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn an_unknown_relation_still_binds() {
    let text = r#".decl p(x: number)
.output p
p(x + y) :- q(x), r(y, _), x < y.
p(n) :- n = max y : { q(y) ; r(y, 3) }.
"#;
    let expected = r#"error: unknown relation `q`
 --> test.dl:3:13
  |
3 | p(x + y) :- q(x), r(y, _), x < y.
  |             ^
  |
  = help: declare it: `.decl q(…)`

error: unknown relation `r`
 --> test.dl:3:19
  |
3 | p(x + y) :- q(x), r(y, _), x < y.
  |                   ^
  |
  = help: declare it: `.decl r(…)`

error: a disjunction inside of an aggregate is not supported
 --> test.dl:4:23
  |
4 | p(n) :- n = max y : { q(y) ; r(y, 3) }.
  |                       ^^^^^^^^^^^^^^
  |
  = help: derive a relation for it, and aggregate over that
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_missing_dot_does_not_hide_the_next_rule() {
    let text = r#".decl p(x: number)
.output p
p(1)
p(x) :- p(y),
  y < x
p(3).
"#;
    let expected = r#"error: this rule does not end
 --> test.dl:3:5
  |
3 | p(1)
  |     ^
  |
  = help: end it with `.`

error: nothing binds the variable `x`
 --> test.dl:5:7
  |
5 |   y < x
  |       ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: this rule does not end
 --> test.dl:5:8
  |
5 |   y < x
  |        ^
  |
  = help: end it with `.`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn alternatives_of_a_rule_have_its_mistakes_once() {
    let text = r#".decl p(x: number) .decl q(x: number)
.output p, q
p(x), q(x) :- (q(x) ; p(x)), r(x), p(y), y < z.
"#;
    let expected = r#"error: unknown relation `r`
 --> test.dl:3:30
  |
3 | p(x), q(x) :- (q(x) ; p(x)), r(x), p(y), y < z.
  |                              ^
  |
  = help: declare it: `.decl r(…)`

error: nothing binds the variable `z`
 --> test.dl:3:46
  |
3 | p(x), q(x) :- (q(x) ; p(x)), r(x), p(y), y < z.
  |                                              ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value
"#;
    assert_eq!(errors(text), expected);
}
