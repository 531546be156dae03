//! Filters go as far forward as they can; positive atoms keep their order.

use crate::support::rules;

#[test]
fn comparisons_and_negation_wait_for_their_variables() {
    let text = r#".decl p(x: number) .decl q(x: number, y: number) .decl r(x: number)
.output p
p(z) :- z = y + 1, !r(z), x < y, !r(x), r(x), q(x, y).
p(x) :- x = y, y = z, z = 3.
p(x) :- q(x, y), p(y), y = 3.
"#;
    let expected = r#".decl p(x: number)
.decl q(x: number, y: number)
.decl r(x: number)
.output p
p(z) :- r(x), !r(x), q(x, y), z = y + 1, !r(z), x < y.
p(x) :- z = 3, y = z, x = y.
p(x) :- y = 3, q(x, y), p(y).
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn expressions_in_atoms_become_comparisons() {
    let text = r#".decl p(x: number) .decl q(x: number, y: number)
.output p
p(x + 1) :- q(x, x + 1), !q(x - 1, -x), p(1 + 2), _1 = x.
p(-x) :- p(_2), p(x * 2), p(x), _2 < x.
"#;
    let expected = r#".decl p(x: number)
.decl q(x: number, y: number)
.output p
p(x + 1) :- _5 = 1 + 2, q(x, _2), _2 = x + 1, _3 = x - 1, _4 = -x, !q(_3, _4), _1 = x, p(_5).
p(-x) :- p(_2), p(_1), p(x), _1 = x * 2, _2 < x.
"#;
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn aggregates_keep_their_place() {
    let text = r#".decl p(x: number) .decl q(x: number, y: number) .decl r(x: number)
.output r
r(n) :- p(x), n = count : { q(x, _) }, p(n).
r(n) :- n = count : { y < 3, q(x, y) }, p(x), p(n).
"#;
    let expected = r#".decl p(x: number)
.decl q(x: number, y: number)
.decl r(x: number)
.output r
r(n) :- p(x), n = count : { q(x, _) }, p(n).
r(n) :- p(x), n = count : { q(x, y), y < 3 }, p(n).
"#;
    assert_eq!(rules(text).to_string(), expected);
}
