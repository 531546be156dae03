//! A qualifier may stand in a line of its own, and a rule need not begin in the first column.

use crate::support::{errors, rules};

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

#[test]
fn also_in_the_same_line() {
    let text = ".decl p(x: number) p(1). .decl q(x: number) choice .input q .decl r(x: number) \
                r(x), s(x) :- p(x), q(x). .decl s(x: number) s(2) :- p(1). .output r, s";
    let expected = "\
.decl p(x: number)
.decl q(x: number) choice
.decl r(x: number)
.decl s(x: number)
.input q
.output r
.output s
p(1).
r(x) :- p(x), q(x).
s(x) :- p(x), q(x).
s(2) :- p(1).
";
    assert_eq!(rules(text).to_string(), expected);
}

#[test]
fn but_a_misspelt_qualifier_is_called_one() {
    let shown = errors(".decl lt(a: number, b: number) ordr(event, executed)\n.output lt\n");
    assert!(shown.contains("unknown qualifier `ordr`"), "{shown}");
    assert!(!shown.contains("does not end"), "{shown}");
}
