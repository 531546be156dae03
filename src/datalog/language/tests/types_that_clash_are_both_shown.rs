//! A variable has one type, and values are compared with their like.

use crate::support::errors;

#[test]
fn a_variable_in_columns_of_two_types() {
    let text = r#".type Event <: symbol
.type Var <: symbol
.decl write(e: Event, v: Var)
.decl both(e: Event)
.output both
both(x) :- write(x, _),
           write(_, x).
"#;
    let expected = r#"error: `x` is used as `Event` and as `Var`
 --> test.dl:7:21
  |
6 | both(x) :- write(x, _),
  |                  - of type `Event`
7 |            write(_, x).
  |                     ^ of type `Var`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_comparison_of_two_types() {
    let text = r#".type Event <: symbol
.type Var <: symbol
.decl write(e: Event, v: Var)
.decl odd(e: Event)
.output odd
odd(e) :- write(e, v), v != e.
odd(e) :- write(e, v), x = v, x = e.
"#;
    let expected = r#"error: cannot compare `Var` with `Event`
 --> test.dl:6:24
  |
6 | odd(e) :- write(e, v), v != e.
  |                 -  -   ^^^^^^
  |                 |  |
  |                 |  of type `Var`
  |                 of type `Event`

error: cannot compare `Var` with `Event`
 --> test.dl:7:31
  |
7 | odd(e) :- write(e, v), x = v, x = e.
  |                 -      -      ^^^^^
  |                 |      |
  |                 |      of type `Var`
  |                 of type `Event`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn a_constant_of_the_wrong_kind() {
    let text = r#".decl age(who: symbol, years: number)
.output age
age("ann", "12").
age(ann, 12) :- age(ann, _).
age(7, 12 + "b").
age(1 + 1, 3).
age(x, 1) :- age(x, y), y = "a".
"#;
    let expected = r#"error: a string where `age` has a column of type `number`
 --> test.dl:3:12
  |
1 | .decl age(who: symbol, years: number)
  |       --- the column `years` holds numbers
2 | .output age
3 | age("ann", "12").
  |            ^^^^

error: a number where `age` has a column of type `symbol`
 --> test.dl:5:5
  |
1 | .decl age(who: symbol, years: number)
  |       --- the column `who` holds symbols
...
5 | age(7, 12 + "b").
  |     ^
  |
  = help: symbols are written in quotes

error: a string where a number is needed
 --> test.dl:5:13
  |
5 | age(7, 12 + "b").
  |             ^^^

error: a number where `age` has a column of type `symbol`
 --> test.dl:6:5
  |
1 | .decl age(who: symbol, years: number)
  |       --- the column `who` holds symbols
...
6 | age(1 + 1, 3).
  |     ^^^^^
  |
  = help: symbols are written in quotes

error: cannot compare `number` with `symbol`
 --> test.dl:7:25
  |
7 | age(x, 1) :- age(x, y), y = "a".
  |                     -   ^^^^^^^
  |                     |
  |                     of type `number`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn symbols_have_no_order() {
    let text = r#".decl p(x: symbol, n: number)
.output p
p(x, n) :- p(x, n), p(y, m), x < y, n < m.
p(x, n) :- p(x, n), x >= "m".
"#;
    let expected = r#"error: symbols have no order
 --> test.dl:3:30
  |
3 | p(x, n) :- p(x, n), p(y, m), x < y, n < m.
  |                              ^^^^^
  |
  = help: compare symbols with `=` and `!=` only

error: symbols have no order
 --> test.dl:4:21
  |
4 | p(x, n) :- p(x, n), x >= "m".
  |                     ^^^^^^^^
  |
  = help: compare symbols with `=` and `!=` only
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn symbols_have_no_arithmetic() {
    let text = r#".decl p(x: symbol, n: number)
.output p
p(x, x + n) :- p(x, n).
p(x, -x) :- p(x, _).
.decl q(x: symbol)
p(x, n) :- p(x, _), n = max y : { q(y) }.
"#;
    let expected = r#"error: `x` is used as `symbol` and as `number`
 --> test.dl:3:6
  |
3 | p(x, x + n) :- p(x, n).
  |      ^           - of type `symbol`
  |      |
  |      of type `number`

error: `x` is used as `symbol` and as `number`
 --> test.dl:4:7
  |
4 | p(x, -x) :- p(x, _).
  |       ^       - of type `symbol`
  |       |
  |       of type `number`

error: `y` is used as `symbol` and as `number`
 --> test.dl:6:29
  |
6 | p(x, n) :- p(x, _), n = max y : { q(y) }.
  |                             ^       - of type `symbol`
  |                             |
  |                             of type `number`
"#;
    assert_eq!(errors(text), expected);
}
