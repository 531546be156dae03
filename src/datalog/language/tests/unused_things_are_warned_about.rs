//! Warnings: what was written for nothing.

use crate::support::warnings;

#[test]
fn relations_that_nobody_reads() {
    let text = r#".decl never(x: number)
.decl _never(x: number)
.decl derived(x: number)
.decl input_only(x: number)
.decl read(x: number)
.decl out(x: number)
.input input_only, read
.output out
derived(x) :- read(x).
"#;
    let expected = r#"warning: the relation `never` is never used
 --> test.dl:1:7
  |
1 | .decl never(x: number)
  |       ^^^^^
  |
  = help: remove it, or make it an `.output`

warning: the relation `derived` is derived, but nothing reads it
 --> test.dl:3:7
  |
3 | .decl derived(x: number)
  |       ^^^^^^^
  |
  = help: make it an `.output`, or use it in a rule or a `.conflict`

warning: the relation `input_only` is never used
 --> test.dl:4:7
  |
4 | .decl input_only(x: number)
  |       ^^^^^^^^^^
  |
  = help: remove it, or make it an `.output`
"#;
    assert_eq!(warnings(text), expected);
}

#[test]
fn variables_that_occur_once() {
    let text = r#".decl p(x: number, y: number) .decl q(x: number, y: number)
.output p
p(x, n) :- p(x, y), p(_z, _), n = count : { q(x, w) }.
.conflict p(a, _)
"#;
    let expected = r#"warning: the variable `y` occurs only once
 --> test.dl:3:17
  |
3 | p(x, n) :- p(x, y), p(_z, _), n = count : { q(x, w) }.
  |                 ^
  |
  = help: write `_`, or `_y` to keep the name

warning: the variable `w` occurs only once
 --> test.dl:3:50
  |
3 | p(x, n) :- p(x, y), p(_z, _), n = count : { q(x, w) }.
  |                                                  ^
  |
  = help: write `_`, or `_w` to keep the name

warning: the variable `a` occurs only once
 --> test.dl:4:13
  |
4 | .conflict p(a, _)
  |             ^
  |
  = help: write `_`, or `_a` to keep the name
"#;
    assert_eq!(warnings(text), expected);
}

#[test]
fn names_that_two_rules_share() {
    let text = r#".decl p(x: number)
.output p
@name("same") p(1).
@name("same") p(2).
@name("same") .conflict p(3).
"#;
    let expected = r#"warning: two rules have the name `same`
 --> test.dl:4:7
  |
3 | @name("same") p(1).
  |       ------ the first one
4 | @name("same") p(2).
  |       ^^^^^^
  |
  = help: explanations and statistics tell rules apart by their names

warning: two rules have the name `same`
 --> test.dl:5:7
  |
3 | @name("same") p(1).
  |       ------ the first one
4 | @name("same") p(2).
5 | @name("same") .conflict p(3).
  |       ^^^^^^
  |
  = help: explanations and statistics tell rules apart by their names
"#;
    assert_eq!(warnings(text), expected);
}
