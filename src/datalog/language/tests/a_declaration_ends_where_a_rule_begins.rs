//! A qualifier may stand in a line of its own, and a rule need not begin in the first column.

use crate::support::rules;

#[test]
fn also_where_lines_are_indented() {
    let text = "
        .decl event(e: symbol, t: symbol, i: number)
        .decl link(a: symbol, b: symbol)
            choice
        .decl lt(a: symbol, b: symbol)
            order(event)
        .decl linked(a: symbol)
        linked(a) :- link(a, _).
        .output lt, linked
        lt(a, b) :- link(a, b).
    ";
    let expected = r#".decl event(e: symbol, t: symbol, i: number)
.decl link(a: symbol, b: symbol) choice
.decl lt(a: symbol, b: symbol) order(event)
.decl linked(a: symbol)
.output lt
.output linked
linked(a) :- link(a, _).
lt(a, b) :- link(a, b).
"#;
    assert_eq!(rules(text).to_string(), expected);
}
