//! An atom with too few or too many arguments.

use crate::support::errors;

#[test]
fn too_many_and_too_few() {
    let text = r#".decl edge(from: symbol, to: symbol)
.decl node(x: symbol)
.decl nothing()
.output node, nothing
node(x) :- edge(x).
node(x, y) :- edge(x, y).
nothing(x) :- edge(x, _).
"#;
    let expected = r#"error: `edge` has 2 columns, but 1 is given
 --> test.dl:5:12
  |
1 | .decl edge(from: symbol, to: symbol)
  |       ---- declared as edge(from, to)
...
5 | node(x) :- edge(x).
  |            ^^^^^^^

error: `node` has 1 column, but 2 are given
 --> test.dl:6:1
  |
2 | .decl node(x: symbol)
  |       ---- declared as node(x)
...
6 | node(x, y) :- edge(x, y).
  | ^^^^^^^^^^

error: `nothing` has no columns, but 1 is given
 --> test.dl:7:1
  |
3 | .decl nothing()
  |       ------- declared as nothing()
...
7 | nothing(x) :- edge(x, _).
  | ^^^^^^^^^^
"#;
    assert_eq!(errors(text), expected);
}
