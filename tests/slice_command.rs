//! `heddle verify --engine slice`, as a user calls it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .output()
        .expect("heddle runs")
}

fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("docs/examples/variable-slicing");
    folder.join(name).display().to_string()
}

fn slice(example: &str, options: &[&str]) -> (String, Option<i32>) {
    let arguments = [&["verify", example, "--engine", "slice"], options].concat();
    let output = heddle(&arguments);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    (text + &errors, output.status.code())
}

#[test]
fn every_back_end_and_every_way_to_exclude_finds_the_violation() {
    let translating = ["schedule", "control", "predicate", "match", "explore"];
    let translating = translating
        .into_iter()
        .flat_map(|with| [(with, "runs"), (with, "orders")]);
    for (with, exclude) in translating.chain([("schedule", "links")]) {
        let program = example("two-processes.hd");
        let options = ["--with", with, "--exclude", exclude];
        let (text, code) = slice(&program, &options);
        assert_eq!(text.lines().last(), Some("VERDICT: UNSAFE"), "{options:?}");
        assert_eq!(code, Some(10), "{options:?}");
    }
}

#[test]
fn statistics_name_the_variables_of_each_level() {
    let program = example("two-processes.hd");
    let (text, _) = slice(&program, &["--with", "explore", "--stats"]);
    for line in [
        "0: variables kept      3 (t1, t2, x)",
        "0: variables sliced    2 (y, z)",
        "0: instructions removed 4 of 11",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn dumped_programs_can_be_read_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let program = example("two-processes-safe.hd");
    // Keeping t1 alone makes the abstraction unsafe and its counterexamples spurious.
    let options = ["--with", "schedule", "--keep", "t1", "--dump"];
    let path = folder.path().display().to_string();
    let (text, code) = slice(&program, &[&options[..], &[&path]].concat());
    assert_eq!(code, Some(0), "{text}");
    let mut dumped: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    dumped.sort();
    for made in ["-abstraction", "-reconstruction-1", "-refinement-1"] {
        let made = format!("{made}.hd");
        let is_made = |file: &String| file[3..] == made;
        assert!(dumped.iter().any(is_made), "{made} in {dumped:?}");
    }
    for file in dumped {
        let file = folder.path().join(file).display().to_string();
        let output = heddle(&["explore", &file, "--max-states", "1000"]);
        let verdicts = [Some(0), Some(10), Some(30)];
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(verdicts.contains(&output.status.code()), "{file}\n{errors}");
    }
}

/// A run in which an array is kept is full of arrays of constants.
#[test]
fn dumped_programs_with_kept_arrays_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("kept.hd").display().to_string();
    let text = "
        shared a: bool[2] = false, y: bool = false, z: bool = false, i: int = 0, b: bool = false;
        process p { a[0] := true; z := y; y := z; if y { a[1] := true; } }
        process q { z := true; i := 1; b := a[i]; assert !a[1]; }";
    fs::write(&program, text).unwrap();
    for exclude in ["runs", "orders"] {
        let dumped = folder.path().join(exclude);
        let path = dumped.display().to_string();
        let options = ["--keep", "a", "--exclude", exclude, "--dump", &path];
        let (text, _) = slice(&program, &options);
        assert!(text.contains("VERDICT: "), "{text}");
        let files: Vec<_> = fs::read_dir(dumped).unwrap().collect();
        assert!(files.len() > 2, "{files:?}");
        for file in files {
            let file = file.unwrap().path().display().to_string();
            let output = heddle(&["explore", &file, "--max-states", "100"]);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_ne!(output.status.code(), Some(2), "{file}\n{errors}");
        }
    }
}

#[test]
fn an_unknown_variable_is_answered_with_those_that_there_are() {
    let program = example("two-processes.hd");
    let (text, code) = slice(&program, &["--keep", "t1,w"]);
    assert_eq!(code, Some(2), "{text}");
    let message = "no shared variable `w`; there are x, y, z, t1, t2";
    assert!(text.contains(message), "{text}");
}

#[test]
fn what_only_the_solver_can_exclude_is_refused_elsewhere() {
    let program = example("two-processes.hd");
    let (_, code) = slice(&program, &["--with", "match", "--exclude", "links"]);
    assert_eq!(code, Some(2));
}
