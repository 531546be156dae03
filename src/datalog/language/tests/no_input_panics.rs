//! Whatever the text is: a rule set or a report with errors, and never a panic.

use crate::guarantees::assert_guarantees;
use heddle_language::{load_text, parse_atom};
use proptest::prelude::*;

/// Loads the text, reads the printed rule set back or renders the report.
fn survive(text: &str) {
    match load_text("fuzz.dl", text) {
        Ok(loaded) => {
            assert!(!loaded.warnings.has_errors());
            assert_guarantees(&loaded.rules);
            let printed = loaded.rules.to_string();
            match load_text("printed.dl", &printed) {
                Ok(again) => assert_eq!(again.rules.to_string(), printed),
                Err(report) => panic!("{text}\nprints as\n{printed}\nwhich fails:\n{report}"),
            }
        }
        Err(report) => {
            assert!(report.has_errors());
            assert!(report.render(true).contains("error"));
        }
    }
}

const TOKENS: &[&str] = &[
    ".decl",
    ".type",
    ".input",
    ".output",
    ".conflict",
    ".include",
    ".plan",
    ".",
    "\n.",
    "\n",
    "@name(\"n\")",
    "@",
    "choice",
    "order(event, executed)",
    "order(",
    "p",
    "q",
    "event",
    "executed",
    "lt",
    "Event",
    "symbol",
    "number",
    "x",
    "y",
    "_",
    "1",
    "-9223372036854775808",
    "0x1f",
    "1.5",
    "\"a\"",
    "\"",
    "(",
    ")",
    "(x)",
    "(x, y)",
    "p(x)",
    "q(x, y)",
    "lt(x, y)",
    ",",
    ";",
    ":",
    ":-",
    "<:",
    "!",
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "{",
    "}",
    "count : {",
    "max x : {",
    "sum 1 : p(x)",
    "min",
    "/*",
    "*/",
    "//",
    "|",
    "é",
    "\u{feff}",
    "#",
];

const VALID: &[&str] = &[
    ".type Event <: symbol
.type Var <: symbol
.decl event(e: Event, thread: symbol, index: number)
.decl write(e: Event, v: Var)
.decl executed(e: Event) choice
.decl rf(w: Event, r: Event) choice
.decl lt(a: Event, b: Event) order(event, executed)
.input event, write
.output lt
lt(w, r) :- rf(w, r).
@name(\"from-read\")
lt(r, w2) :- rf(w, r), lt(w, w2), write(w, v), write(w2, v), w != w2, executed(w2).
.conflict lt(e, e)
",
    ".decl p(x: number, y: number) .decl q(x: number) .decl r(x: number, n: number)
.output r
r(x, n) :- q(x), n = sum y * 2 : { p(x, y), y > 0 }.
r(x, count : p(x, _)) :- q(x).
r(x, n), q(n) :- q(x), q(n), (2 * n = x + 1 ; !p(n, x)), !(x = 1 ; x != 3 - 1).
r(x, -x % 7) :- q(x), p(x - 1, 0x10), /* no */ x < -3. // yes
@name(\"loop\") .conflict r(x, y), x >= y ; q(1).
",
];

fn mutated() -> impl Strategy<Value = String> {
    let edits = prop::collection::vec(
        (any::<prop::sample::Index>(), 0..4u8, 0..TOKENS.len()),
        1..8,
    );
    (0..VALID.len(), edits).prop_map(|(which, edits)| {
        let mut text: Vec<char> = VALID[which].chars().collect();
        for (at, kind, token) in edits {
            let at = at.index(text.len() + 1);
            let end = (at + token).min(text.len());
            match kind {
                0 => drop(text.splice(at..at, TOKENS[token].chars())),
                1 => drop(text.drain(at..end)),
                2 => drop(text.splice(at..end, TOKENS[token].chars())),
                _ => {
                    let copy: Vec<char> = text[at..end].to_vec();
                    text.splice(end..end, copy);
                }
            }
        }
        text.into_iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(1000)
    })]

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_tokens(
        tokens in prop::collection::vec((0..TOKENS.len(), any::<bool>()), 0..60),
        declared in any::<bool>(),
    ) {
        let mut text = String::new();
        if declared {
            text += ".decl p(x: number) .decl q(x: number, y: number)\n";
            text += ".decl lt(a: number, b: number) order(event)\n";
            text += ".decl event(e: number, t: symbol, i: number)\n";
        }
        for (token, space) in tokens {
            text += TOKENS[token];
            text += if space { " " } else { "" };
        }
        survive(&text);
    }

    #[test]
    fn damaged_rule_files(text in mutated()) {
        survive(&text);
    }

    #[test]
    fn tuples(text in "[a-z]{0,3}[ (]{0,2}[a-z0-9_,() \"\\\\é-]{0,20}[)]{0,2}") {
        let rules = load_text("t.dl", VALID[0]).unwrap().rules;
        if let Err(report) = parse_atom(&text, &rules) {
            prop_assert!(report.render(false).contains("error"));
        }
    }
}

#[test]
fn the_valid_files_are_valid() {
    for text in VALID {
        assert!(
            load_text("valid.dl", text).is_ok(),
            "{}",
            load_text("valid.dl", text).unwrap_err()
        );
    }
}
