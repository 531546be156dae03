//! Printing a rule set and reading it again changes nothing but the places.

use crate::support::rules;
use heddle_language::RuleSet;
use proptest::prelude::*;
use std::fmt::Write;

/// Everything about a rule set but the places.
fn without_spans(rules: &RuleSet) -> String {
    let text = format!("{rules:?}");
    let mut parts = text.split("Span {");
    let mut result = parts.next().unwrap_or_default().to_string();
    for part in parts {
        result += part.split_once('}').map_or("", |(_, rest)| rest);
    }
    result
}

fn assert_reads_back(text: &str) {
    let first = rules(text);
    let second = rules(&first.to_string());
    assert_eq!(without_spans(&first), without_spans(&second));
}

const DECLARATIONS: &str = "
.type Node <: symbol
.type Small <: number
.decl edge(a: Node, b: Node) choice
.decl link(a: Node, b: Node)
.decl node(n: Node)
.decl size(n: Node, s: Small)
.decl number(x: number)
.decl place(n: Node, chain: symbol, index: number)
.decl before(a: Node, b: Node) order(place, node)
.decl result(n: Node, x: number)
.decl truth()
.input edge, node
.output result
";

/// An expression over variables that hold numbers.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_string()),
        Just("s".to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
    ];
    leaf.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), "[-+*/%]", inner.clone())
                .prop_map(|(left, operator, right)| format!("({left}) {operator} {right}")),
            (inner.clone(), "[-+*/%]", inner.clone())
                .prop_map(|(left, operator, right)| format!("{left} {operator} ({right})")),
            inner.prop_map(|operand| format!("-({operand})")),
        ]
    })
}

/// A literal that is right wherever `n: Node`, `x: number` and `s: Small` are bound.
fn literal() -> impl Strategy<Value = String> {
    let comparison = prop::sample::select(vec!["=", "!=", "<", "<=", ">", ">="]);
    prop_oneof![
        Just("edge(n, m)".to_string()),
        Just("edge(\"a\\\"\\n\", n)".to_string()),
        Just("truth()".to_string()),
        Just("before(n, _)".to_string()),
        expression().prop_map(|e| format!("number({e})")),
        expression().prop_map(|e| format!("!size(n, {e})")),
        Just("!size(_, x)".to_string()),
        Just("n != \"b\"".to_string()),
        (expression(), comparison, expression()).prop_map(|(l, c, r)| format!("{l} {c} {r}")),
        expression().prop_map(|e| format!("z = {e}")),
        expression().prop_map(|e| format!("{e} < count : {{ size(n, _), link(k, n) }}")),
        expression()
            .prop_map(|e| format!("s = max y + 1 : {{ size(n, y), y > {e}, !number(y + 2) }}")),
        Just("number(sum y : size(_, y))".to_string()),
    ]
}

fn body() -> impl Strategy<Value = String> {
    let conjunction = prop::collection::vec(literal(), 0..4).prop_map(|literals| {
        let bound = "size(n, s), number(x)".to_string();
        [vec![bound], literals].concat().join(", ")
    });
    prop::collection::vec(conjunction, 1..3).prop_map(|parts| parts.join(" ; "))
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn rules_of_every_form(
        bodies in prop::collection::vec((body(), expression(), any::<bool>()), 1..5),
        name in "[a-z \"\\\\é]{1,5}",
    ) {
        let mut text = DECLARATIONS.to_string();
        for (body, expression, named) in bodies {
            if named && !name.trim().is_empty() {
                let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
                writeln!(text, "@name(\"{escaped}\")").unwrap();
            }
            writeln!(text, "result(n, {expression}), before(n, \"last\") :- {body}.").unwrap();
        }
        text += "@name(\"never\")\n.conflict before(n, n), !place(n, \"t\", 1).\n";
        assert_reads_back(&text);
    }
}

#[test]
fn an_empty_rule_set() {
    assert_reads_back("");
}

#[test]
fn variables_that_only_look_alike() {
    assert_reads_back(
        ".decl p(x: number) .decl r(a: number, b: number)
.output r
r(a, b) :- a = count : { p(x), x > 1 }, b = count : { p(x), p(_1), _1 < x }, p(a + b), p(_2).
",
    );
}
