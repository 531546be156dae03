//! `parse_atom`: `lt(a, b)` as `explain` takes it.

use crate::support::rules;
use heddle_language::ruleset::Constant::{Number, Symbol};
use heddle_language::{RuleSet, Tuple, parse_atom};

fn example() -> RuleSet {
    rules(
        ".decl lt(a: symbol, b: symbol) .output lt
         .decl event(e: symbol, thread: symbol, index: number) .output event
         .decl broken() .output broken",
    )
}

fn tuple(relation: &str, values: &[heddle_language::ruleset::Constant]) -> Tuple {
    Tuple {
        relation: example().find(relation).unwrap(),
        values: values.to_vec(),
    }
}

fn symbol(text: &str) -> heddle_language::ruleset::Constant {
    Symbol(text.to_string())
}

#[test]
fn values_need_no_quotes() {
    let read = |text: &str| parse_atom(text, &example()).unwrap();
    let expected = tuple("lt", &[symbol("a"), symbol("b")]);
    assert_eq!(read("lt(a, b)"), expected);
    assert_eq!(read("  lt (a,b ) "), expected);
    assert_eq!(read(r#"lt("a", "b")"#), expected);
    assert_eq!(
        read("lt(1, main.c:3)"),
        tuple("lt", &[symbol("1"), symbol("main.c:3")])
    );
    assert_eq!(
        read("event(e1, \"t, (1)\\n\", -3)"),
        tuple("event", &[symbol("e1"), symbol("t, (1)\n"), Number(-3)])
    );
    assert_eq!(read("broken()"), tuple("broken", &[]));
    assert_eq!(
        read(r#"lt("", "_")"#),
        tuple("lt", &[symbol(""), symbol("_")])
    );
}

#[test]
fn mistakes_have_a_place() {
    let error = |text: &str| parse_atom(text, &example()).unwrap_err().to_string();
    assert_eq!(
        error("lte(a, b)"),
        "\
error: unknown relation `lte`
 --> tuple:1:1
  |
1 | lte(a, b)
  | ^^^
  |
  = help: did you mean `lt`?
"
    );
    assert_eq!(
        error("event(e, t)"),
        "\
error: 2 values for 3 columns
 --> tuple:1:6
  |
1 | event(e, t)
  |      ^^^^^^
  |
  = help: the relation is `event(e: symbol, thread: symbol, index: number)`
"
    );
    assert_eq!(
        error("event(e, t, x)"),
        "\
error: this column holds a number
 --> tuple:1:13
  |
1 | event(e, t, x)
  |             ^
"
    );
    assert_eq!(
        error("event(e, t, -99999999999999999999)"),
        "\
error: this number does not fit into 64 bits
 --> tuple:1:13
  |
1 | event(e, t, -99999999999999999999)
  |             ^^^^^^^^^^^^^^^^^^^^^
  |
  = help: numbers go from -9223372036854775808 to 9223372036854775807
"
    );
    assert_eq!(
        error("lt(_, y)"),
        "\
error: a tuple has a value in each column
 --> tuple:1:4
  |
1 | lt(_, y)
  |    ^
  |
  = help: `_` is none; the symbol of that name is `\"_\"`
"
    );
    for text in [
        "event(e, t, _)",
        "event(e, t, 1x)",
        "event(e, t, \"1\")",
        "lt",
        "lt(",
        "lt(a",
        "lt(a,",
        "lt(a,)",
        "lt(,b)",
        "lt(\"a",
        "lt(a, b) c",
        "",
    ] {
        assert!(parse_atom(text, &example()).is_err(), "{text}");
    }
}
