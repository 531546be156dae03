//! What Soufflé has and this language has not is called by its name.

use crate::support::errors;

#[test]
fn directives() {
    let text = r#".comp Graph { }
.functor f(): number
.pragma "legacy"
.printsize p
.plan 1:(1,2)
.symbol_type T
.declare p(x: number)
.query p
"#;
    let expected = r#"error: Soufflé's `.comp` is not supported
 --> test.dl:1:1
  |
1 | .comp Graph { }
  | ^^^^^
  |
  = help: components are not supported; use `.include`

error: Soufflé's `.functor` is not supported
 --> test.dl:2:1
  |
2 | .functor f(): number
  | ^^^^^^^^
  |
  = help: user-defined functors are not supported

error: Soufflé's `.pragma` is not supported
 --> test.dl:3:1
  |
3 | .pragma "legacy"
  | ^^^^^^^
  |
  = help: options are given on the command line

error: Soufflé's `.printsize` is not supported
 --> test.dl:4:1
  |
4 | .printsize p
  | ^^^^^^^^^^
  |
  = help: write `.output` and count the tuples

error: Soufflé's `.plan` is not supported
 --> test.dl:5:1
  |
5 | .plan 1:(1,2)
  | ^^^^^
  |
  = help: the engine chooses the join order; atoms keep theirs

error: Soufflé's `.symbol_type` is not supported
 --> test.dl:6:1
  |
6 | .symbol_type T
  | ^^^^^^^^^^^^
  |
  = help: write `.type Name <: symbol`

error: unknown directive `.declare`
 --> test.dl:7:1
  |
7 | .declare p(x: number)
  | ^^^^^^^^
  |
  = help: did you mean `.decl`?

error: unknown directive `.query`
 --> test.dl:8:1
  |
8 | .query p
  | ^^^^^^
  |
  = help: the directives are .type .decl .input .output .include .conflict
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn parameters_and_qualifiers() {
    let text = r#".decl p(x: number) choice-domain x
.decl q(x: number) eqrel
.decl r(x: number)
.input r(IO=file, filename="r.csv", delimiter=",")
.output r(IO=stdout), r
"#;
    let expected = r#"error: Soufflé's `choice-domain` is not supported
 --> test.dl:1:20
  |
1 | .decl p(x: number) choice-domain x
  |                    ^^^^^^^^^^^^^
  |
  = help: `choice` here means that each tuple carries a solver literal

error: unknown qualifier `eqrel`
 --> test.dl:2:20
  |
2 | .decl q(x: number) eqrel
  |                    ^^^^^
  |
  = help: a relation may be `choice` or `order(event, executed)`

error: parameters of `.input` and `.output` are not supported
 --> test.dl:4:9
  |
4 | .input r(IO=file, filename="r.csv", delimiter=",")
  |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  |
  = help: facts are read from the folder given by `--facts`

error: parameters of `.input` and `.output` are not supported
 --> test.dl:5:10
  |
5 | .output r(IO=stdout), r
  |          ^^^^^^^^^^^
  |
  = help: tuples are written to the folder given by `--out`
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn functors() {
    let text = r#".decl p(x: number, s: symbol)
.output p
p(x, cat(s, "b")) :- p(x, s).
p(max(x, y), s) :- p(x, s), p(y, s).
p(x, s) :- p(x, s), strlen(s) > 3.
p(x, s) :- p(x, s), match("a.*", s).
p(x, s) :- p(x, s), [x, s] = s.
p(x ^ 2, s) :- p(x, s).
"#;
    let expected = r#"error: `cat(…)` is used as a value, but there are no functions
 --> test.dl:3:6
  |
3 | p(x, cat(s, "b")) :- p(x, s).
  |      ^^^^^^^^^^^
  |
  = help: expressions are built with + - * / % and the aggregates

error: `min` and `max` of several values are not supported
 --> test.dl:4:3
  |
4 | p(max(x, y), s) :- p(x, s), p(y, s).
  |   ^^^^^^^^^
  |
  = help: write two rules, one with `a < b` and one with `a >= b`

error: `strlen(…)` is used as a value, but there are no functions
 --> test.dl:5:21
  |
5 | p(x, s) :- p(x, s), strlen(s) > 3.
  |                     ^^^^^^^^^
  |
  = help: expressions are built with + - * / % and the aggregates

error: unknown relation `match`
 --> test.dl:6:21
  |
6 | p(x, s) :- p(x, s), match("a.*", s).
  |                     ^^^^^
  |
  = help: Soufflé's `match` is not supported

error: unexpected character `[`
 --> test.dl:7:21
  |
7 | p(x, s) :- p(x, s), [x, s] = s.
  |                     ^
  |
  = help: records and algebraic types are not supported

error: unexpected character `]`
 --> test.dl:7:26
  |
7 | p(x, s) :- p(x, s), [x, s] = s.
  |                          ^
  |
  = help: records and algebraic types are not supported

error: unexpected character `^`
 --> test.dl:8:5
  |
8 | p(x ^ 2, s) :- p(x, s).
  |     ^
  |
  = help: the operators are + - * / %
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn aggregates() {
    let text = r#".decl p(x: number, s: symbol)
.output p
p(count, s) :- p(_, s).
p(n, s) :- p(_, s), n = count x : { p(x, s) }.
p(n, s) :- p(_, s), n = max x : { p(x, s) ; p(x, "a") }.
p(n, s) :- p(_, s), n = max x : { p(x, s), x = min y : { p(y, _) } }.
.decl q(x: number, s: symbol)
p(n, s) :- p(n, s), p(m, s), n = max m : { q(m, s) }.
p(n, s) :- p(n, s), n = sum : { p(_, s) }.
.decl max(x: number)
"#;
    let expected = r#"error: expected `:`, found `,`
 --> test.dl:3:8
  |
3 | p(count, s) :- p(_, s).
  |        ^
  |
  = help: `count` counts tuples: `n = count : { p(x, _) }`

error: expected `:`, found `x`
 --> test.dl:4:31
  |
4 | p(n, s) :- p(_, s), n = count x : { p(x, s) }.
  |                               ^
  |
  = help: `count` counts tuples: `n = count : { p(x, _) }`

error: a disjunction inside of an aggregate is not supported
 --> test.dl:5:35
  |
5 | p(n, s) :- p(_, s), n = max x : { p(x, s) ; p(x, "a") }.
  |                                   ^^^^^^^^^^^^^^^^^^^
  |
  = help: derive a relation for it, and aggregate over that

error: an aggregate inside of an aggregate is not supported
 --> test.dl:6:48
  |
6 | p(n, s) :- p(_, s), n = max x : { p(x, s), x = min y : { p(y, _) } }.
  |                                                ^^^
  |
  = help: derive the inner one's result as a relation of its own

error: `m` is aggregated here, but it is used outside, too
 --> test.dl:8:38
  |
8 | p(n, s) :- p(n, s), p(m, s), n = max m : { q(m, s) }.
  |                                      ^
  |
  = help: give the variable inside of the aggregate another name

error: expected a variable, a constant or an expression, found `:`
 --> test.dl:9:29
  |
9 | p(n, s) :- p(n, s), n = sum : { p(_, s) }.
  |                             ^

error: expected the relation's name, found the keyword `max`
  --> test.dl:10:7
   |
10 | .decl max(x: number)
   |       ^^^
   |
   = help: `count`, `sum`, `min` and `max` are reserved for aggregates
"#;
    assert_eq!(errors(text), expected);
}

#[test]
fn words_that_are_written_otherwise_here() {
    for (body, hint) in [
        ("not p(2)", "negation is written `!`"),
        ("true", "or write `0 = 0`"),
        ("false", "write `0 = 1`"),
    ] {
        let shown = errors(&format!(".decl p(x: number)\n.output p\np(1) :- {body}.\n"));
        assert!(shown.contains(hint), "{shown}");
    }
}
