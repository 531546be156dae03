//! Aggregates in expressions are computed before them.

use crate::support::rules;

#[test]
fn wherever_they_occur() {
    let text = r#".decl p(x: number, y: number) .decl q(x: number) .decl r(x: number, n: number)
.output r
r(x, n) :- q(x), n = count : { p(x, _) }.
r(x, n) :- q(x), n = sum y * 2 : { p(x, y), y > 0 }.
r(x, count : p(x, _)) :- q(x).
r(x, n) :- q(x), q(n), 2 * n = max y : { p(x, y) } + 1.
r(x, m) :- q(x), min y : { p(x, y), !q(y + 1) } = m.
r(x, x) :- q(x), 3 < count : { p(y, _) }, 4 > count : { p(_, y) }.
r(x, x) :- q(x), !q(max y : { p(x, y) }).
"#;
    let expected = r#".decl p(x: number, y: number)
.decl q(x: number)
.decl r(x: number, n: number)
.output r
r(x, n) :- q(x), n = count : { p(x, _) }.
r(x, n) :- q(x), n = sum y * 2 : { p(x, y), y > 0 }.
r(x, _1) :- q(x), _1 = count : { p(x, _) }.
r(x, n) :- q(x), q(n), _1 = max y : { p(x, y) }, 2 * n = _1 + 1.
r(x, m) :- q(x), m = min y : { p(x, y), _1 = y + 1, !q(_1) }.
r(x, x) :- q(x), _1 = count : { p(y, _) }, 3 < _1, _2 = count : { p(_, y) }, 4 > _2.
r(x, x) :- q(x), _1 = max y : { p(x, y) }, !q(_1).
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn their_values_may_use_variables_from_outside() {
    let text = ".decl b(x: number) .decl c(x: number)
.output c
c(sum x / n : { b(x) }) :- b(n).
c(s) :- s = sum n : { b(_) }, b(n).
";
    let expected = ".decl b(x: number)
.decl c(x: number)
.output c
c(_1) :- b(n), _1 = sum x / n : { b(x) }.
c(s) :- b(n), s = sum n : { b(_) }.
";
    assert_eq!(rules(text).to_string(), expected);
}
