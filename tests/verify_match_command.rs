//! `heddle verify --engine match`, as a user calls it.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn verify(model: &str, arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("verify")
        .arg(root.join("docs/examples").join(model))
        .args(["--engine", "match"])
        .args(arguments)
        .output()
        .expect("heddle runs")
}

#[track_caller]
fn assert_verdict(model: &str, arguments: &[&str], verdict: &str, code: i32) -> String {
    let output = verify(model, arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let last = text.lines().last();
    assert_eq!(last, Some(verdict), "{model} {arguments:?}\n{errors}");
    assert_eq!(output.status.code(), Some(code), "{model} {arguments:?}");
    text
}

const QUOTIENT: &str = "abstract-matching/rax-quotient.hd";
const COUNTERS: [&str; 4] = ["--predicate", "e1 >= 0", "--predicate", "e2 >= 0"];

#[test]
fn infinite_state_models_are_proved_and_errors_shown() {
    assert_verdict("abstract-matching/ticket2.hd", &[], "VERDICT: SAFE", 0);
    let text = assert_verdict("abstract-matching/rax.hd", &[], "VERDICT: UNSAFE", 10);
    assert!(text.contains("21: pc2 = 4 -> w2 := 1, pc2 := 5"), "{text}");
}

#[test]
fn given_predicates_help_where_refinement_has_no_end() {
    let unknown = "VERDICT: UNKNOWN (no exact abstraction after 3 iterations)";
    assert_verdict(QUOTIENT, &["--max-iterations", "3"], unknown, 30);
    assert_verdict(QUOTIENT, &COUNTERS, "VERDICT: SAFE", 0);
}

#[test]
fn time_that_is_up_ends_the_refinement() {
    let started = Instant::now();
    let unknown = "VERDICT: UNKNOWN (timeout after 0.5 s)";
    assert_verdict(QUOTIENT, &["--timeout", "0.5"], unknown, 30);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn statistics_say_what_each_iteration_did() {
    let stats: Vec<&str> = COUNTERS.into_iter().chain(["--stats"]).collect();
    let text = assert_verdict(QUOTIENT, &stats, "VERDICT: SAFE", 0);
    for part in [
        "iteration 1            69 concrete, 44 abstract states",
        "new                  e1 = 0, e2 = 0",
        "iteration 2            101 concrete, 65 abstract states",
        "checked structure      65 states",
    ] {
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn statistics_and_structure_are_written_to_files() {
    let folder = tempfile::tempdir().unwrap();
    let [json, dot] = ["answer.json", "structure.dot"].map(|name| folder.path().join(name));
    let arguments = [
        "--json",
        json.to_str().unwrap(),
        "--dot",
        dot.to_str().unwrap(),
    ];
    assert_verdict(
        "abstract-matching/ticket2.hd",
        &arguments,
        "VERDICT: SAFE",
        0,
    );
    let json: Value = serde_json::from_str(&fs::read_to_string(json).unwrap()).unwrap();
    assert_eq!(json["engine"], "match");
    let iterations = json["statistics"]["iterations"].as_array().unwrap();
    assert_eq!(iterations.len(), 4);
    assert_eq!(iterations[0]["concrete_states"], 15);
    assert_eq!(iterations[0]["abstract_states"], 9);
    let dot = fs::read_to_string(dot).unwrap();
    assert_eq!(
        dot.lines().filter(|line| line.contains(" -> s")).count(),
        14
    );
    assert_eq!(
        dot.lines()
            .filter(|line| line.contains("[label=\"pc1"))
            .count(),
        9
    );
}

#[test]
fn mistakes_in_predicates_are_shown_with_a_caret() {
    for (predicate, message, caret) in [
        ("e1 >=", "expected an expression", "     ^"),
        ("e1 + 1", "expected `bool`, but this is `int`", "^^^^^^"),
        ("e11 >= 0", "did you mean `e1`?", "^^^"),
        (
            "e1 >= 0 e2",
            "the expression ends before this",
            "        ^^",
        ),
        ("e1 = *", "a condition leaves nothing open", "^^^^^^"),
        (
            "system.x = 1",
            "there is no local `x` of `system`",
            "^^^^^^^^",
        ),
    ] {
        let output = verify(QUOTIENT, &["--predicate", predicate]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{predicate}");
        assert!(errors.contains(message), "{predicate}\n{errors}");
        assert!(
            errors.contains(&format!("| {caret}")),
            "{predicate}\n{errors}"
        );
        assert!(output.stdout.is_empty(), "no verdict about bad input");
    }
}

#[test]
fn c_programs_are_run_too() {
    assert_verdict("classics/peterson.c", &[], "VERDICT: SAFE", 0);
    assert_verdict("classics/peterson-broken.c", &[], "VERDICT: UNSAFE", 10);
    assert_verdict(
        "classics/ticket-lock.c",
        &["--concrete-after", "3"],
        "VERDICT: SAFE",
        0,
    );
    assert_verdict(
        "classics/peterson.c",
        &["--predicate", "turn = 1"],
        "VERDICT: SAFE",
        0,
    );
}
