//! Every variable needs something that binds it; only the cause is reported.

use crate::support::errors;

#[test]
fn in_a_head() {
    let text = r#".decl p(x: number, y: number)
.output p
p(x, z) :- p(x, _).
p(x, y).
"#;
    let expected = r#"error: nothing binds the variable `z`
 --> test.dl:3:6
  |
3 | p(x, z) :- p(x, _).
  |      ^ in the head
  |
  = help: every variable of the head needs a value from the body

error: nothing binds the variable `x`
 --> test.dl:4:3
  |
4 | p(x, y).
  |   ^ in the head
  |
  = help: every variable of the head needs a value from the body

error: nothing binds the variable `y`
 --> test.dl:4:6
  |
4 | p(x, y).
  |      ^ in the head
  |
  = help: every variable of the head needs a value from the body
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn under_negation() {
    let text = r#".decl p(x: number) .decl q(x: number, y: number)
.output p
p(x) :- !q(x, _).
p(x) :- p(x), !q(x, y).
"#;
    let expected = r#"error: nothing binds the variable `x`
 --> test.dl:3:12
  |
3 | p(x) :- !q(x, _).
  |            ^ in a negated atom
  |
  = help: a negated atom only tests; bind the variable in a positive one, or write `_`

error: nothing binds the variable `y`
 --> test.dl:4:21
  |
4 | p(x) :- p(x), !q(x, y).
  |                     ^ in a negated atom
  |
  = help: a negated atom only tests; bind the variable in a positive one, or write `_`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn in_comparisons_and_expressions() {
    let text = r#".decl p(x: number)
.output p
p(x) :- x < 3.
p(x) :- p(x), y > x, z = y.
p(x) :- x = y.
p(x) :- x = x.
p(x) :- p(x + y).
p(x) :- x = y + 1, y = z + 1, z < 3.
"#;
    let expected = r#"error: nothing binds the variable `x`
 --> test.dl:3:9
  |
3 | p(x) :- x < 3.
  |         ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `y`
 --> test.dl:4:15
  |
4 | p(x) :- p(x), y > x, z = y.
  |               ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `y`
 --> test.dl:5:13
  |
5 | p(x) :- x = y.
  |             ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `x`
 --> test.dl:6:13
  |
6 | p(x) :- x = x.
  |             ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `x`
 --> test.dl:7:11
  |
7 | p(x) :- p(x + y).
  |           ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `y`
 --> test.dl:7:15
  |
7 | p(x) :- p(x + y).
  |               ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value

error: nothing binds the variable `z`
 --> test.dl:8:24
  |
8 | p(x) :- x = y + 1, y = z + 1, z < 3.
  |                        ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn shared_with_an_aggregate() {
    let text = r#".decl p(x: number) .decl q(x: number, y: number)
.output p
p(x) :- n = count : { q(x, _) }, n > 3.
p(n) :- n = max y : { q(_, _) }.
p(n) :- n = count : { q(n, _) }.
p(n) :- n = count : { q(x, _), y < x }.
"#;
    let expected = r#"error: nothing binds the variable `x`
 --> test.dl:3:25
  |
3 | p(x) :- n = count : { q(x, _) }, n > 3.
  |                         ^ inside of an aggregate, which binds nothing outside
  |
  = help: it occurs outside, too: bind it in a positive atom there, or rename it here

error: nothing binds the variable `y`
 --> test.dl:4:17
  |
4 | p(n) :- n = max y : { q(_, _) }.
  |                 ^ aggregated, but not bound
  |
  = help: bind it in a positive atom of the aggregate's body

error: nothing binds the variable `n`
 --> test.dl:5:25
  |
5 | p(n) :- n = count : { q(n, _) }.
  |                         ^ inside of an aggregate, which binds nothing outside
  |
  = help: it occurs outside, too: bind it in a positive atom there, or rename it here

error: nothing binds the variable `y`
 --> test.dl:6:32
  |
6 | p(n) :- n = count : { q(x, _), y < x }.
  |                                ^ its value is needed here
  |
  = help: bind it in a positive atom, or by `=` with a value
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_wildcard_has_no_value() {
    let text = r#".decl p(x: number)
.output p
p(_).
p(x) :- p(x), x > _.
p(x) :- p(x), p(_ + 1).
"#;
    let expected = r#"error: `_` has no value, so a head cannot use it
 --> test.dl:3:3
  |
3 | p(_).
  |   ^
  |
  = help: `_` stands for any value, as an argument of a body atom

error: `_` has no value, so a comparison cannot use it
 --> test.dl:4:19
  |
4 | p(x) :- p(x), x > _.
  |                   ^
  |
  = help: `_` stands for any value, as an argument of a body atom

error: `_` has no value, so an expression cannot use it
 --> test.dl:5:17
  |
5 | p(x) :- p(x), p(_ + 1).
  |                 ^
  |
  = help: `_` stands for any value, as an argument of a body atom
"#;
    assert_eq!(errors(text), expected);
}
