//! The tuples of a `choice` come with literals, from facts.

use crate::support::errors;

#[test]
fn neither_by_a_rule_nor_by_a_fact() {
    let text = r#".decl po(a: symbol, b: symbol)
.decl rf(w: symbol, r: symbol) choice
.output rf
rf(a, b) :- po(a, b).
rf("w", "r").
"#;
    let expected = r#"error: `rf` is a choice, so no rule can derive it
 --> test.dl:4:1
  |
2 | .decl rf(w: symbol, r: symbol) choice
  |       -- declared as `choice`
3 | .output rf
4 | rf(a, b) :- po(a, b).
  | ^^^^^^^^
  |
  = help: its tuples carry literals and come from facts; derive another relation

error: `rf` is a choice, so no rule can derive it
 --> test.dl:5:1
  |
2 | .decl rf(w: symbol, r: symbol) choice
  |       -- declared as `choice`
...
5 | rf("w", "r").
  | ^^^^^^^^^^^^
  |
  = help: its tuples carry literals and come from facts; derive another relation
"#;
    assert_eq!(errors(text), expected);
}
