//! `heddle verify` by the engines `predicate`, `control` and `auto`, as a user calls it.

mod as_a_user;

use as_a_user::{example, expect_bad_input, expect_verdict};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .args(["--timeout", "60"])
        .output()
        .expect("heddle runs")
}

#[track_caller]
fn assert_verdict(arguments: &[&str], verdict: &str, code: i32) -> String {
    expect_verdict(heddle(arguments), arguments, verdict, code)
}

#[track_caller]
fn assert_bad_input(arguments: &[&str], message: &str) {
    expect_bad_input(heddle(arguments), arguments, message);
}

#[test]
fn an_invariant_is_accepted_for_its_program_and_for_no_broken_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("invariant.smt2");
    let file = file.to_str().unwrap();
    let program = example("control-abstraction/bluetooth.hd");
    let broken = example("control-abstraction/bluetooth-broken.hd");
    for engine in ["predicate", "control"] {
        let arguments = ["verify", &program, "--engine", engine, "--invariant", file];
        assert_verdict(&arguments, "VERDICT: SAFE", 0);
        assert_verdict(&["check-invariant", &program, file], "VERDICT: SAFE", 0);
        let output = heddle(&["check-invariant", &broken, file]);
        assert_eq!(output.status.code(), Some(30));
        fs::remove_file(file).unwrap();
    }
}

#[test]
fn an_invariant_that_is_asked_for_is_that_of_the_answer_or_said_to_be_missing() {
    let folder = tempfile::tempdir().unwrap();
    let (file, tiny) = (folder.path().join("i.smt2"), folder.path().join("tiny.hd"));
    let text = "shared x: int = 0;\n\
                process p { l1: while x < 10 { l2: x := x + 1; } l3: assert x = 10; l4: }\n";
    fs::write(&tiny, text).unwrap();
    let (invariant, tiny) = (file.to_str().unwrap(), tiny.to_str().unwrap());

    fs::write(&file, "left by an earlier run").unwrap();
    let arguments = ["verify", tiny, "--invariant", invariant];
    assert_verdict(&arguments, "VERDICT: SAFE", 0);
    assert_verdict(&["check-invariant", tiny, invariant], "VERDICT: SAFE", 0);

    let broken = example("control-abstraction/bluetooth-broken.hd");
    for engine in ["auto", "predicate", "control"] {
        fs::write(&file, "left by an earlier run").unwrap();
        let arguments = [
            "verify",
            &broken,
            "--engine",
            engine,
            "--invariant",
            invariant,
        ];
        let output = heddle(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains("i.smt2` was not written"), "{errors}");
        assert!(!file.exists(), "{engine}");
        expect_verdict(output, &arguments, "VERDICT: UNSAFE", 10);
    }
}

#[test]
fn both_schemes_are_shown_side_by_side() {
    let program = example("control-abstraction/mozilla-order-fixed.hd");
    let arguments = ["verify", &program, "--compare-refinements"];
    let text = assert_verdict(&arguments, "VERDICT: SAFE", 0);
    let line = |name: &str| {
        let line = text.lines().find(|line| line.trim().starts_with(name));
        line.unwrap_or_else(|| panic!("{name} in\n{text}"))
            .to_owned()
    };
    assert!(line("monotonic").contains("7 classes"), "{text}");
    assert!(line("non-monotonic").contains("3 classes"), "{text}");
}

#[test]
fn statistics_show_the_partition_after_each_round() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.json");
    let program = example("control-abstraction/bakery-atomic.hd");
    let json = file.to_str().unwrap();
    let arguments = [
        "verify", &program, "--engine", "control", "--stats", "--json", json,
    ];
    let text = assert_verdict(&arguments, "VERDICT: SAFE", 0);
    for part in [
        "constraint",
        "bits(",
        "moved",
        "posts after round 3",
        "checked invariant",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    let json: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let rounds = json["statistics"]["rounds"].as_array().unwrap();
    let refinements = rounds.iter().map(|round| &round["refinement"]);
    let partitions: Vec<&Value> = refinements
        .map(|refinement| &refinement["partition"])
        .filter(|partition| !partition.is_null())
        .collect();
    assert!(!partitions.is_empty());
    let classes = json["statistics"]["classes"].as_u64().unwrap();
    assert!(classes <= 7, "{classes} classes");
    assert!(json["statistics"]["invariant"]["cells"].as_u64() > Some(0));
}

#[test]
fn the_reachability_graph_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("graph.dot");
    let program = example("lecture-loops/count-up.hd");
    let dot = file.to_str().unwrap();
    let arguments = ["verify", &program, "--engine", "predicate", "--dot", dot];
    assert_verdict(&arguments, "VERDICT: SAFE", 0);
    let graph = fs::read_to_string(&file).unwrap();
    assert!(graph.starts_with("digraph reachability {"), "{graph}");
    assert!(graph.contains("main: l1"), "{graph}");
}

#[test]
fn without_an_engine_several_take_turns_and_one_is_named() {
    let program = example("lecture-loops/four-counters.hd");
    let text = assert_verdict(&["verify", &program], "VERDICT: SAFE", 0);
    assert!(text.contains("answered by engine predicate\n"), "{text}");
}

#[test]
fn options_of_bounded_checking_ask_for_it() {
    let program = example("lecture-loops/count-up.hd");
    let bounded = ["verify", &program, "--unwind", "3"];
    assert_verdict(&bounded, "VERDICT: SAFE UP TO BOUND 3", 20);
    for engine in ["auto", "predicate", "control", "match"] {
        let arguments = ["verify", &program, "--engine", engine, "--model", "tso"];
        assert_bad_input(&arguments, "--model is for --engine schedule");
    }
    // Every engine knows sequential consistency.
    let usual = ["verify", &program, "--engine", "control", "--model", "sc"];
    assert_verdict(&usual, "VERDICT: SAFE", 0);
}

#[test]
fn a_program_cut_at_a_bound_is_never_called_safe() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("recursion.c");
    let text = "#include <assert.h>\nint x;\nvoid f(void) { if (x < 1) f(); }\n\
                int main(void) { f(); assert(x == 0); return 0; }\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    for engine in ["predicate", "control", "auto"] {
        let arguments = ["verify", file, "--engine", engine, "--recursion", "3"];
        assert_verdict(&arguments, "VERDICT: SAFE UP TO BOUND 3", 20);
    }
}

#[test]
fn options_that_the_engine_would_not_look_at_are_refused() {
    let program = example("lecture-loops/count-up.hd");
    for (arguments, message) in [
        (
            "--engine schedule --predicate x~",
            "--predicate is for --engine match, predicate, control, auto, not for schedule",
        ),
        (
            "--engine match --invariant out.smt2",
            "--invariant is for --engine predicate, control, auto, not for match",
        ),
        (
            "--engine schedule --dot out.dot",
            "--dot is for --engine match, predicate, control, not for schedule",
        ),
        ("--dot out.dot", "not for auto"),
        (
            "--engine predicate --refinement monotonic",
            "--refinement is for --engine control, auto, `slice --with control`, not for predicate",
        ),
        (
            "--engine predicate --compare-refinements",
            "not for predicate",
        ),
        ("--nondet-range 0..1", "not for auto"),
        ("--after-error 7", "not for auto"),
        ("--engine auto --unwind 3", "not for auto"),
        ("--keep x", "--keep is for --engine slice, not for auto"),
        (
            "--engine slice --with predicate --refinement monotonic",
            "not for `slice --with predicate`",
        ),
        ("--engine slice --with match --predicate x>0", "not for"),
    ] {
        let mut all = vec!["verify", &program];
        all.extend(arguments.split(' '));
        assert_bad_input(&all, message);
    }
    let program = example("variable-slicing/two-processes.hd");
    for arguments in [
        "--open --dfs --solver z3 --refinement monotonic --predicate x>=0",
        "--engine slice --with control --refinement monotonic",
        "--engine slice --with explore --dfs --nondet-range 0..1",
    ] {
        let mut all = vec!["verify", &program];
        all.extend(arguments.split(' '));
        assert_verdict(&all, "VERDICT: UNSAFE", 10);
    }
}

#[test]
fn mistakes_in_options_are_bad_input() {
    let program = example("lecture-loops/count-up.hd");
    let wrong = [
        "verify",
        &program,
        "--engine",
        "predicate",
        "--abstraction",
        "polyhedra",
    ];
    assert_bad_input(&wrong, "an abstraction is `cartesian` or `boolean`");
    let wrong = [
        "verify",
        &program,
        "--engine",
        "control",
        "--refinement",
        "none",
    ];
    assert_bad_input(&wrong, "a refinement is `non-monotonic` or `monotonic`");
    let wrong = [
        "verify",
        &program,
        "--engine",
        "predicate",
        "--predicate",
        "z >= 0",
    ];
    assert_bad_input(&wrong, "`z` is not declared");
}
