//! What a person or a program is shown of an explanation.

mod common;

use heddle_datalog::provenance::{Explanation, Proof, WhyNot};
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Row;
use heddle_language::ruleset::{Constant, RelationId};
use serde_json::json;

/// A theory with facts such as `edge(a,b)`.
fn theory(rules: &str, facts: &str) -> Theory {
    let rules = common::load(rules);
    let mut theory = Theory::new(rules, BackendKind::Naive).unwrap();
    for fact in facts.split_whitespace() {
        let (relation, row) = tuple(&mut theory, fact);
        theory.insert(relation, row);
    }
    theory
}

fn tuple(theory: &mut Theory, text: &str) -> (RelationId, Row) {
    let (relation, rest) = text.split_once('(').unwrap();
    let fields: Vec<&str> = rest.trim_end_matches(')').split(',').collect();
    let row = common::row(theory, relation, &fields);
    (theory.rules().find(relation).unwrap(), row)
}

fn explain(theory: &mut Theory, text: &str) -> Explanation {
    let (relation, row) = tuple(theory, text);
    theory.explain(relation, &row).unwrap()
}

fn proof(theory: &mut Theory, text: &str) -> Proof {
    match explain(theory, text) {
        Explanation::Holds(proof) => proof,
        Explanation::DoesNotHold(why_not) => panic!("{text} holds: {why_not:?}"),
    }
}

fn why_not(theory: &mut Theory, text: &str) -> WhyNot {
    match explain(theory, text) {
        Explanation::Holds(proof) => panic!("{text} does not hold: {proof:?}"),
        Explanation::DoesNotHold(why_not) => why_not,
    }
}

const PATHS: &str = ".decl e(a: symbol, b: symbol)
     .decl p(a: symbol, b: symbol)
     .output p
     p(a, b) :- e(a, b).
     p(a, c) :- p(a, b), p(b, c).";

#[test]
fn a_variable_is_not_mistaken_for_a_symbol_of_the_same_name() {
    let mut theory = theory(PATHS, "e(a,b) e(b,c) e(c,d) e(d,e)");
    let shown = why_not(&mut theory, "p(b,a)").to_text(theory.rules(), theory.symbols());
    let expected = "\
p(b, a) does not hold
  p#1: not e(b, a)
  p#2: p(b, ?b); but not p(?b, a)
";
    assert_eq!(shown, expected);
}

#[test]
fn the_variables_of_an_aggregate_are_marked_in_proofs_too() {
    let rules = ".decl e(a: symbol, b: symbol)
         .decl degree(a: symbol, n: number)
         .output degree
         degree(a, n) :- e(a, _), n = count : { e(a, b), e(b, _) }.";
    let mut theory = theory(rules, "e(a,b) e(b,c)");
    let shown = proof(&mut theory, "degree(a,1)").to_text(theory.rules(), theory.symbols());
    let expected = "\
degree(a, 1)  [degree#1]
├─ e(a, b)  [fact]
└─ 1 = count : { e(a, ?b), e(?b, _) }  [computed]
";
    assert_eq!(shown, expected);
}

#[test]
fn what_does_not_hold_is_json_and_a_graph_too() {
    let mut theory = theory(PATHS, "e(a,b) e(b,c)");
    let why_not = why_not(&mut theory, "p(b,a)");
    let expected = json!({
        "holds": false,
        "claim": "p(b, a)",
        "relation": "p",
        "arguments": ["b", "a"],
        "rules": [
            { "rule": "p#1", "holds": [], "fails": "e(b, a)" },
            { "rule": "p#2", "holds": ["p(b, ?b)"], "fails": "p(?b, a)" },
        ],
    });
    assert_eq!(why_not.to_json(theory.rules(), theory.symbols()), expected);
    let expected = r#"digraph proof {
  node [shape=box, fontname="monospace"];
  n0 [label="p(b, a) does not hold", style=dashed];
  n1 [label="p#1\nnot e(b, a)", style=rounded];
  n0 -> n1;
  n2 [label="p#2\np(b, ?b); but not p(?b, a)", style=rounded];
  n0 -> n2;
}
"#;
    assert_eq!(why_not.to_dot(theory.rules(), theory.symbols()), expected);
}

#[test]
fn what_holds_says_so_in_json() {
    let mut theory = theory(PATHS, "e(a,b)");
    let proof = proof(&mut theory, "p(a,b)").to_json(theory.rules(), theory.symbols());
    assert_eq!(proof["holds"], json!(true));
    assert_eq!(proof["nodes"][1]["arguments"], json!(["a", "b"]));
}

#[test]
fn a_fact_of_the_rule_file_is_a_fact() {
    let rules = ".decl b(x: symbol) .decl c(x: symbol)
         .decl event(e: symbol, t: symbol, i: number)
         .decl lt(a: symbol, b: symbol) order(event)
         .output c
         b(\"p\").
         b(x) :- b(x), c(x).
         c(x) :- b(x), lt(\"a\", x).
         lt(\"a\", \"p\").";
    let mut theory = theory(rules, "");
    let proof = proof(&mut theory, "c(p)");
    let expected = "\
c(p)  [c#1]
├─ b(p)  [fact]
└─ lt(a, p)  [fact]
";
    assert_eq!(proof.to_text(theory.rules(), theory.symbols()), expected);
    assert_eq!(proof.root().height, 1);
}

#[test]
fn a_high_proof_goes_on_in_further_trees() {
    let rules = ".decl next(a: number, b: number)
         .decl reached(a: number)
         .output reached
         reached(0).
         reached(b) :- reached(a), next(a, b).";
    let height = 2_000;
    let facts: Vec<String> = (0..height)
        .map(|at| format!("next({at},{})", at + 1))
        .collect();
    let mut theory = theory(rules, &facts.join(" "));
    let proof = proof(&mut theory, &format!("reached({height})"));
    let text = proof.to_text(theory.rules(), theory.symbols());
    assert!(text.lines().all(|line| line.len() < 300), "{text}");
    // Each step is shown once, with its two premises.
    for at in 1..=height {
        let claim = format!("reached({at})  [reached#2]");
        let shown = text.lines().filter(|line| line.ends_with(&claim)).count();
        assert_eq!(shown, 1, "{claim}");
    }
    let trees: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(trees.len(), height / 40);
    assert!(trees[0].contains("reached(1960)  [reached#2]  (see below)"));
    assert!(trees[1].starts_with("reached(1960)  [reached#2]\n├─ reached(1959)"));
}

#[test]
fn a_symbol_that_would_be_read_as_something_else_stands_in_quotes() {
    for (symbol, shown) in [
        ("a b", "a b"),
        ("it's", "it's"),
        ("", r#""""#),
        ("_", r#""_""#),
        ("?x", r#""?x""#),
        (" a", r#"" a""#),
        ("a, b", r#""a, b""#),
        ("f(x)", r#""f(x)""#),
        ("a\n\"b\"\\", r#""a\n\"b\"\\""#),
    ] {
        let mut theory = theory(PATHS, "");
        let row = common::row(&mut theory, "e", &[symbol, symbol]);
        let relation = |theory: &Theory, name| theory.rules().find(name).unwrap();
        let (e, p) = (relation(&theory, "e"), relation(&theory, "p"));
        let Explanation::DoesNotHold(why_not) = theory.explain(p, &row).unwrap() else {
            panic!("there are no facts");
        };
        let text = why_not.to_text(theory.rules(), theory.symbols());
        let lack = format!("p#1: not e({shown}, {shown})\n");
        assert!(text.contains(&lack), "{text}");
        theory.insert(e, &row);
        let Explanation::Holds(proof) = theory.explain(p, &row).unwrap() else {
            panic!("it follows from the fact");
        };
        let text = proof.to_text(theory.rules(), theory.symbols());
        let expected = format!("p({shown}, {shown})  [p#1]\n└─ e({shown}, {shown})  [fact]\n");
        assert_eq!(text, expected);
        // Whoever sees it can ask for it.
        let asked = heddle_language::parse_atom(&format!("e({shown}, {shown})"), theory.rules());
        let values = asked.unwrap().values;
        assert_eq!(values[0], Constant::Symbol(symbol.to_string()));
    }
}

#[test]
fn a_line_is_a_tuple_however_its_literal_and_chain_are_called() {
    let rules = ".decl event(e: symbol, chain: symbol, index: number)
         .decl executed(e: symbol) choice
         .decl lt(a: symbol, b: symbol) order(event, executed)
         .output lt";
    let mut theory = theory(rules, "");
    for (event, index, literal) in [("a", "0", "and\nor"), ("b", "1", "x = 1")] {
        let (chain, relation) = ("first\tchain", |theory: &Theory, name| {
            theory.rules().find(name).unwrap()
        });
        let row = common::row(&mut theory, "event", &[event, chain, index]);
        theory.insert(relation(&theory, "event"), row);
        let row = common::row(&mut theory, "executed", &[event, literal]);
        let literal = theory.symbols_mut().intern(literal);
        theory.insert_by(relation(&theory, "executed"), row, literal);
    }
    let proof = proof(&mut theory, "lt(a,b)");
    let expected = "\
lt(a, b)  [chain \"first\\tchain\"]
├─ executed(a)  [literal \"and\\nor\"]
└─ executed(b)  [literal x = 1]
";
    assert_eq!(proof.to_text(theory.rules(), theory.symbols()), expected);
}

/// Where the second premise is `b`'s, any way from `x0` to `y` is low enough for the rule.
#[test]
fn a_premise_has_its_lowest_proof_even_if_another_one_is_higher() {
    let rules = ".decl event(e: symbol, chain: symbol, index: number)
         .decl edge(a: symbol, b: symbol)
         .decl lt(a: symbol, b: symbol) order(event)
         lt(a, b) :- edge(a, b).
         .decl once(b: symbol)
         .decl twice(b: symbol)
         once(b) :- edge(_, b).
         twice(b) :- once(b).
         .decl p(a: symbol, b: symbol)
         .output p
         p(a, b) :- twice(b), lt(a, b).";
    let facts = "event(x0,X,0) event(x1,X,1) event(y,Y,0) edge(x0,y) edge(x1,y)";
    let mut theory = theory(rules, facts);
    let shown = proof(&mut theory, "p(x0,y)").to_text(theory.rules(), theory.symbols());
    let expected = "
└─ lt(x0, y)  [lt#1]
   └─ edge(x0, y)  [fact]
";
    assert!(shown.ends_with(expected), "{shown}");
}

/// Edges lead back and forth between two chains.
#[test]
fn a_path_takes_no_more_steps_than_it_must() {
    let rules = ".decl event(e: symbol, chain: symbol, index: number)
         .decl edge(a: symbol, b: symbol)
         .decl lt(a: symbol, b: symbol) order(event)
         .output lt
         lt(a, b) :- edge(a, b).";
    let facts = "event(x0,X,0) event(x1,X,1) event(x2,X,2) event(y0,Y,0) event(y1,Y,1)
         event(y2,Y,2) event(z,Z,0) edge(x0,y0) edge(y0,x1) edge(x1,y1) edge(y1,x2) edge(x2,y2)
         edge(y2,z)";
    let mut theory = theory(rules, facts);
    let shown = proof(&mut theory, "lt(x0,z)").to_text(theory.rules(), theory.symbols());
    let expected = "\
lt(x0, z)  [order]
├─ lt(x0, y0)  [lt#1]
│  └─ edge(x0, y0)  [fact]
├─ lt(y0, y2)  [chain Y]
└─ lt(y2, z)  [lt#1]
   └─ edge(y2, z)  [fact]
";
    assert_eq!(shown, expected);
}
