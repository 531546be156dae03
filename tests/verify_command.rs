//! `heddle verify`, as a user calls it.

mod as_a_user;

use as_a_user::{example, expect_bad_input, expect_verdict};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn verify(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("verify")
        .args(arguments)
        .output()
        .expect("heddle runs")
}

#[track_caller]
fn assert_verdict(arguments: &[&str], verdict: &str, code: i32) -> String {
    expect_verdict(verify(arguments), arguments, verdict, code)
}

#[track_caller]
fn assert_bad_input(arguments: &[&str], message: &str) {
    expect_bad_input(verify(arguments), arguments, message);
}

#[test]
fn the_last_line_is_the_verdict_and_the_exit_code_says_it_too() {
    let safe = example("scheduling-constraint/running-example.c");
    assert_verdict(&[&safe], "VERDICT: SAFE", 0);
    let broken = example("scheduling-constraint/running-example-broken.hd");
    let text = assert_verdict(&[&broken], "VERDICT: UNSAFE", 10);
    assert!(text.contains("violated: assertion"), "{text}");
    let endless = example("classics/ticket-lock.c");
    assert_verdict(
        &[&endless, "--unwind", "2"],
        "VERDICT: SAFE UP TO BOUND 2",
        20,
    );
}

#[test]
fn limits_end_in_unknown_and_say_which() {
    let hard = example("classics/bounded-buffer.c");
    let started = Instant::now();
    assert_verdict(
        &[&hard, "--unwind", "4", "--timeout", "0.5"],
        "VERDICT: UNKNOWN (timeout after 0.5 s)",
        30,
    );
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_verdict(
        &[&hard, "--unwind", "4", "--memory-limit", "5"],
        "VERDICT: UNKNOWN (memory limit of 5 MiB reached)",
        30,
    );
}

#[test]
fn what_was_proved_before_memory_ends_is_the_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("answer.json").display().to_string();
    let endless = example("classics/ticket-lock.c");
    let arguments = ["--engine", "schedule", "--memory-limit", "64"];
    let output = verify(&[&[&*endless, "--json", &json], &arguments[..]].concat());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("VERDICT: SAFE UP TO BOUND"), "{text}");
    assert_eq!(output.status.code(), Some(20));
    let answer = fs::read_to_string(json).expect("the file is written");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    let proved = answer["verdict"]["bound"].as_u64();
    assert!(proved >= Some(1), "{answer}");
    assert!(answer["statistics"]["bound"].as_u64() > proved, "{answer}");
}

/// Nobody writes to this pipe, so reading the program takes for ever.
#[test]
fn time_that_ends_while_the_program_is_read_is_written_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (program, json) = (path("endless.hd"), path("answer.json"));
    let made = Command::new("mkfifo").arg(&program).status();
    assert!(made.expect("mkfifo runs").success());
    fs::write(&json, "of an earlier run").expect("a file");
    let arguments = [&*program, "--timeout", "0.1", "--json", &json];
    assert_verdict(&arguments, "VERDICT: UNKNOWN (timeout after 0.1 s)", 30);
    let answer = fs::read_to_string(json).expect("the file is written");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["verdict"]["kind"], "unknown");
}

#[test]
fn statistics_and_trace_are_written_as_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answer.json");
    let broken = example("scheduling-constraint/running-example-broken.hd");
    let json = file.display().to_string();
    let text = assert_verdict(
        &[&broken, "--engine", "schedule", "--stats", "--json", &json],
        "VERDICT: UNSAFE",
        10,
    );
    assert!(text.contains("refinement rounds"), "{text}");
    let answer = fs::read_to_string(file).expect("the file is written");
    let answer: Value = serde_json::from_str(&answer).expect("JSON");
    assert_eq!(answer["engine"], "schedule");
    assert_eq!(answer["verdict"]["kind"], "unsafe");
    assert!(answer["statistics"]["events"].as_u64() > Some(0));
    assert!(
        answer["trace"]["steps"]
            .as_array()
            .is_some_and(|steps| !steps.is_empty())
    );
}

#[test]
fn a_memory_model_is_replaced_and_extended_by_rule_files() {
    let safe = example("scheduling-constraint/running-example.hd");
    let folder = tempfile::tempdir().expect("a folder");
    let rules = folder.path().join("mine.dl");
    let file = rules.display().to_string();

    fs::write(&rules, "@name(\"again\")\nlt(w, r) :- rf(w, r).\n").expect("written");
    let text = assert_verdict(&[&safe, "--rules", &file], "VERDICT: SAFE", 0);
    assert!(
        text.contains(&format!("the rules of {file} are sound")),
        "{text}"
    );

    fs::write(&rules, "lt(w, r) :- wirte(w, _), rf(w, r).\n").expect("written");
    assert_bad_input(&[&safe, "--rules", &file], "did you mean");

    fs::write(&rules, ".decl nothing(x: number)\n.input nothing\n").expect("written");
    assert_bad_input(&[&safe, "--model", &file], "declares no relation");
    // `forced` is built in too, but no memory model.
    for unknown in ["tos", "forced"] {
        assert_bad_input(
            &[&safe, "--model", unknown],
            "these are built in: sc, sc_blocks",
        );
    }
}

#[test]
fn no_engine_overlooks_an_index_outside_of_its_array_in_a_fact_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("thread.facts", "p\ta\tbeginning\nq\ta\tbeginning\n"),
        ("location.facts", "p\ta\np\tb\np\tc\nq\ta\nq\tb\n"),
        (
            "variable.facts",
            "A\t(Array Int Int)\t2\ni\tInt\t0\nx\tInt\t0\n",
        ),
        (
            "initial.facts",
            "A\t((as const (Array Int Int)) 0)\ni\t0\nx\t0\n",
        ),
        ("edge.facts", "e1\tp\ta\tb\ne2\tp\tb\tc\nf1\tq\ta\tb\n"),
        ("guard.facts", "e1\ttrue\n"),
        ("update.facts", "e1\t0\tx\t-\t(select A i)\n"),
        ("assign.facts", "f1\ti\t-\t5\n"),
        ("assert.facts", "e2\t(= x 0)\tm\n"),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    let path = folder.path().display().to_string();
    let reason = format!("{path}/guard.facts:1:1: edge `e1` uses an index outside of its array");
    let verdict = format!("VERDICT: UNKNOWN ({reason})");
    for engine in ["schedule", "slice", "match", "predicate", "control"] {
        assert_verdict(&[&path, "--engine", engine], &verdict, 30);
    }
}

#[test]
fn assumptions_are_written_as_json_with_their_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("p.c");
    let text = "int unknown(void);\nint main() {\n  int x = unknown();\n  return x;\n}\n";
    fs::write(&program, text).expect("a file");
    let (program, json) = (program.display().to_string(), folder.path().join("a.json"));
    let path = json.display().to_string();
    for command in ["verify", "explore"] {
        let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args([command, &program, "--json", &path])
            .output()
            .expect("heddle runs");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let answer = fs::read_to_string(&json).expect("the file is written");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        let assumption = &answer["assumptions"][0];
        let place = &assumption["place"];
        let shown = format!(
            "  {}:{}:{}: {}\n",
            place["file"].as_str().expect("a file"),
            place["line"],
            place["column"],
            assumption["text"].as_str().expect("a text")
        );
        assert!(text.contains(&shown), "{shown}\n{text}");
        assert_eq!(place["line"], 3, "{answer}");
    }
}
