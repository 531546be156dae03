//! `heddle explore` and `heddle facts`, as a user calls them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .output()
        .expect("heddle runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn last_line(output: &Output) -> String {
    stdout(output).lines().last().unwrap_or("").to_owned()
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("docs/examples").join(name).display().to_string()
}

#[track_caller]
fn assert_verdict(arguments: &[&str], verdict: &str, code: i32) -> Output {
    let output = heddle(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(last_line(&output), verdict, "{arguments:?}\n{errors}");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    output
}

#[test]
fn the_last_line_is_the_verdict_and_the_exit_code_says_it_too() {
    let safe = example("classics/peterson.hd");
    let broken = example("classics/peterson-broken.hd");
    for mode in ["--bfs", "--dfs", "--shortest", "--all-interleavings"] {
        assert_verdict(&["explore", &safe, mode], "VERDICT: SAFE", 0);
        assert_verdict(&["explore", &broken, mode], "VERDICT: UNSAFE", 10);
    }
    assert_verdict(
        &["explore", &safe, "--max-states", "5"],
        "VERDICT: UNKNOWN (stopped after 5 states)",
        30,
    );
}

#[test]
fn the_trace_has_one_column_a_thread_and_the_lines_of_the_source() {
    let output = heddle(&["explore", &example("classics/peterson-broken.hd")]);
    let text = stdout(&output);
    let header = text.lines().next().expect("a table");
    assert!(header.contains("p[0]") && header.contains("p[1]"), "{text}");
    assert!(text.contains("flag[i] := true"), "{text}");
    assert!(text.contains("flag[0] = true"), "{text}");
    assert!(text.contains("error state"), "{text}");
}

#[test]
fn trace_and_json_go_to_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let (trace, json) = (folder.path().join("t.txt"), folder.path().join("r.json"));
    let output = heddle(&[
        "explore",
        &example("variable-slicing/two-processes.hd"),
        "--trace",
        trace.to_str().expect("UTF-8"),
        "--json",
        json.to_str().expect("UTF-8"),
    ]);
    let table = fs::read_to_string(trace).expect("the trace");
    assert!(stdout(&output).contains(&table));
    let text = fs::read_to_string(json).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["verdict"]["kind"], "unsafe");
    assert_eq!(report["trace"]["violation"]["kind"], "assertion");
    let steps = report["trace"]["steps"].as_array().expect("steps");
    assert!(!steps.is_empty());
    assert!(steps.iter().all(|step| step["place"]["line"].is_u64()));
}

#[test]
fn a_deadlock_is_a_violation_if_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wait.hd");
    fs::write(&file, "shared x: int = 0;\nprocess p { await x = 1; }\n").expect("a file");
    let file = file.to_str().expect("UTF-8");
    let output = assert_verdict(&["explore", file], "VERDICT: SAFE", 0);
    assert!(stdout(&output).contains("1 deadlocked state"));
    assert_verdict(&["explore", file, "--deadlock"], "VERDICT: UNSAFE", 10);
}

#[test]
fn values_of_a_range_are_not_all_values() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("any.hd");
    let text = "shared x: int = 0;\nprocess p { x := *; assert x < 7; }\n";
    fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("UTF-8");
    assert_verdict(
        &["explore", file, "--nondet-range", "-1..3"],
        "VERDICT: UNKNOWN (safe for non-deterministic values in -1..3 only)",
        30,
    );
    assert_verdict(
        &["explore", file, "--nondet-range", "0..7"],
        "VERDICT: UNSAFE",
        10,
    );
}

#[test]
fn bad_input_and_usage_end_in_exit_code_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.hd");
    fs::write(&file, "process p { x := 1; }\n").expect("a file");
    let missing = folder.path().join("missing.hd");
    let safe = example("classics/peterson.hd");
    let cases: [&[&str]; 6] = [
        &["explore", file.to_str().expect("UTF-8")],
        &["explore", missing.to_str().expect("UTF-8")],
        &["explore", folder.path().to_str().expect("UTF-8")],
        &["explore", &safe, "--nondet-range", "5..1"],
        &["explore", &safe, "--bfs", "--dfs"],
        &["explore", &safe, "--timeout", "-1"],
    ];
    for arguments in cases {
        let output = heddle(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(errors.contains("error"), "{errors}");
    }
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of examples") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "hd") {
            found.push(path);
        }
    }
}

#[test]
fn a_program_written_as_facts_keeps_its_verdict() {
    let mut examples = Vec::new();
    programs(Path::new(&example("")), &mut examples);
    assert!(examples.len() > 20);
    for path in examples {
        let path = path.to_str().expect("UTF-8");
        let folder = tempfile::tempdir().expect("a folder");
        let facts = folder.path().join("facts");
        let facts = facts.to_str().expect("UTF-8");
        assert!(heddle(&["facts", path, "-o", facts]).status.success());
        let limit = ["--max-states", "20000"];
        let before = heddle(&["explore", path, limit[0], limit[1]]);
        let after = heddle(&["explore", facts, limit[0], limit[1]]);
        assert_eq!(last_line(&before), last_line(&after), "{path}");
        assert!(last_line(&before).starts_with("VERDICT: "), "{path}");
    }
}
