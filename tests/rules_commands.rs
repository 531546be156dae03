//! `heddle rules …` as a user calls it, on the worked fact folders.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn heddle(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .args(arguments)
        .output()
        .expect("heddle runs")
}

fn stdout(arguments: &[&str], code: i32) -> String {
    let output = heddle(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn reasons(folder: &str) -> String {
    stdout(&["rules", "reasons", "rules/sc.dl", "--facts", folder], 0)
}

#[test]
fn the_running_examples_reasons_are_those_of_the_paper() {
    assert_eq!(
        reasons("facts/running-example"),
        "s_x_4_2 s_x_5_1\ns_x_5_1 s_y_3_1\n"
    );
}

#[test]
fn as_many_reasons_as_were_asked_for_may_be_all() {
    for (limit, more) in [("3", ""), ("2", MAYBE_MORE), ("1", MAYBE_MORE)] {
        let facts = "facts/running-example";
        let command = ["rules", "reasons", "rules/sc.dl", "--facts", facts];
        let output = heddle(&[&command[..], &["--limit", limit]].concat());
        assert_eq!(String::from_utf8_lossy(&output.stderr), more, "{limit}");
    }
}

const MAYBE_MORE: &str = "note: there may be more reasons, none of them shorter\n";

/// One line is one reason, whatever its literals are called: CSV can hold any text.
#[test]
fn literals_that_look_like_several_stand_in_quotes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rules = ".decl on(e: symbol) choice\n.input on\n.conflict on(\"a\"), on(\"b\")\n";
    fs::write(path("rules.dl"), rules).expect("written");
    fs::write(
        path("on.csv"),
        "e,literal\na,x = 1\nb,\"two\nlines\"\nb,plain\n",
    )
    .expect("written");
    let shown = stdout(
        &["rules", "reasons", &path("rules.dl"), "--facts", &path("")],
        0,
    );
    assert_eq!(shown, "plain \"x = 1\"\n\"two\\nlines\" \"x = 1\"\n");
}

#[test]
fn the_butterfly_has_no_derived_conflict() {
    assert_eq!(reasons("facts/butterfly"), "");
}

#[test]
fn two_atomic_increments_do_not_read_the_same_value() {
    assert_eq!(reasons("facts/atomic-block"), "s_c_2_1 s_c_4_1\n");
}

#[test]
fn the_three_graphs_have_their_derived_orders() {
    for (graph, order) in [
        ("a", "lt(x0, x2)"),
        ("b", "lt(x0, x3)"),
        ("c", "lt(x0, x2)"),
    ] {
        let folder = format!("facts/three-graphs/{graph}");
        let proof = stdout(
            &["rules", "explain", "rules/sc.dl", "--facts", &folder, order],
            0,
        );
        let first = format!("{order}  [write-before-write]\n");
        assert!(proof.starts_with(&first), "{proof}");
    }
}

#[test]
fn a_tuple_that_does_not_hold_is_said_not_to() {
    let folder = "facts/three-graphs/a";
    let arguments = [
        "rules",
        "explain",
        "rules/sc.dl",
        "--facts",
        folder,
        "lt(x2, x0)",
    ];
    assert!(stdout(&arguments, 1).contains("lt(x2, x0)"));
}

#[test]
fn a_tuple_that_does_not_hold_is_printed_in_the_format_asked_for() {
    let explain = |format: &str| {
        let facts = "facts/three-graphs/a";
        let command = ["rules", "explain", "rules/sc.dl", "--facts", facts];
        stdout(
            &[&command[..], &["lt(x2, x0)", "--format", format]].concat(),
            1,
        )
    };
    let json = explain("json");
    assert!(json.starts_with("{\n"), "{json}");
    assert!(json.contains("\"holds\": false"), "{json}");
    let dot = explain("dot");
    assert!(dot.starts_with("digraph"), "{dot}");
    assert!(dot.ends_with("}\n"), "{dot}");
}

#[test]
fn the_three_back_ends_print_the_same() {
    let run = |backend: &str| {
        let facts = "facts/running-example";
        stdout(
            &[
                "rules",
                "run",
                "rules/sc.dl",
                "--facts",
                facts,
                "--backend",
                backend,
            ],
            0,
        )
    };
    let naive = run("naive");
    assert!(
        naive.starts_with("lt\n") && naive.contains("x5\tx2\n"),
        "{naive}"
    );
    assert_eq!(run("compiled"), naive);
    assert_eq!(run("incremental"), naive);
}

#[test]
fn updates_print_what_changes_in_each_epoch() {
    let rules = "rules/examples/ancestor.dl";
    let facts = "facts/ancestor";
    let updates = "facts/ancestor/updates.txt";
    let printed = stdout(
        &[
            "rules",
            "run",
            rules,
            "--facts",
            facts,
            "--updates",
            updates,
        ],
        0,
    );
    assert!(
        printed.starts_with("epoch 1\n+ancestor\tada\tjohn\n"),
        "{printed}"
    );
    assert!(
        printed.contains("epoch 2\n-ancestor\tada\tjack\n"),
        "{printed}"
    );
    for backend in ["naive", "incremental"] {
        let arguments = [
            "rules",
            "run",
            rules,
            "--facts",
            facts,
            "--updates",
            updates,
            "--backend",
            backend,
        ];
        assert_eq!(stdout(&arguments, 0), printed);
    }
}

#[test]
fn several_workers_print_the_same_as_one() {
    let facts = "facts/running-example";
    let one = stdout(&["rules", "run", "rules/sc.dl", "--facts", facts], 0);
    let two = [
        "rules",
        "run",
        "rules/sc.dl",
        "--facts",
        facts,
        "--workers",
        "2",
    ];
    assert_eq!(stdout(&two, 0), one);
}

#[test]
fn only_built_in_rules_are_compiled() {
    let rules = "rules/examples/ancestor.dl";
    let arguments = [
        "rules",
        "run",
        rules,
        "--facts",
        "facts/ancestor",
        "--backend",
        "compiled",
    ];
    let output = heddle(&arguments);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("these are:"));
}

#[test]
fn the_rules_of_sequential_consistency_are_sound() {
    let tested = stdout(&["rules", "test", "rules/sc.dl", "--cases", "1000"], 0);
    assert!(tested.contains("\nsound: "), "{tested}");
}

#[test]
fn a_wrong_rule_is_found_and_named() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let out = out.path().join("unsound");
    let out = out.to_str().expect("a UTF-8 path");
    let arguments = ["rules", "test", "rules/examples/wrong.dl", "--out", out];
    let tested = stdout(&arguments, 1);
    assert!(tested.contains("by rule `write-before-write`"), "{tested}");
    let wrong = "rules/examples/wrong.dl";
    assert_ne!(stdout(&["rules", "reasons", wrong, "--facts", out], 0), "");
}

#[test]
fn a_wrong_rule_is_named_even_if_the_execution_cannot_be_saved() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let out = file.join("unsound").display().to_string();
    let arguments = ["rules", "test", "rules/examples/wrong.dl", "--out", &out];
    let output = heddle(&arguments);
    assert_eq!(output.status.code(), Some(2));
    let tested = String::from_utf8_lossy(&output.stdout);
    assert!(tested.contains("by rule `write-before-write`"), "{tested}");
    assert!(!tested.contains("saved"), "{tested}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("cannot write to"), "{errors}");
}

/// `po` may be added to by rules; here the rule about it is wrong.
const WRONG_ABOUT_PO: &str = "
.decl event(e: symbol, t: symbol, i: number)
.decl po(a: symbol, b: symbol)
.decl executed(e: symbol) choice
.decl lt(a: symbol, b: symbol) order(event, executed)
.input event, po, executed
.output lt
po(a, c) :- po(a, b), po(b, c).
lt(b, a) :- po(a, b), executed(a), executed(b).
";

#[test]
fn a_wrong_rule_can_be_explained_from_the_folder_even_if_rules_add_to_its_facts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (rules, out) = (path("wrong.dl"), path("unsound"));
    fs::write(&rules, WRONG_ABOUT_PO).expect("a file");
    let shown = stdout(&["rules", "test", &rules, "--out", &out], 1);
    let command = shown.lines().last().expect("a command");
    let tuple = command.split('\'').nth(1).expect("a tuple in quotes");
    let proof = stdout(&["rules", "explain", &rules, "--facts", &out, tuple], 0);
    assert!(proof.contains("  [fact]"), "{proof}");
}

#[test]
fn more_workers_than_memory_could_hold_are_refused() {
    let facts = "facts/ancestor";
    let rules = "rules/examples/ancestor.dl";
    for workers in ["0", "257", "99999999999", "two"] {
        let command = [
            "rules",
            "run",
            rules,
            "--facts",
            facts,
            "--workers",
            workers,
        ];
        let output = heddle(&command);
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(errors.contains("from 1 to 256"), "{errors}");
    }
}

#[test]
fn a_declaration_that_orders_what_is_not_executed_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rules = fs::read_to_string("rules/sc.dl").expect("it is there");
    let rules = rules.replace("order(event, executed)", "order(event)");
    fs::write(path("rules.dl"), rules).expect("written");
    let arguments = ["rules", "test", &path("rules.dl"), "--out", &path("out")];
    let tested = stdout(&arguments, 1);
    let declared = "since `lt`, declared as an `order` without `executed`, orders W";
    assert!(tested.contains(declared), "{tested}");
}

#[test]
fn facts_that_do_not_fit_end_in_exit_code_2() {
    let arguments = ["rules", "run", "rules/sc.dl", "--facts", "facts/nowhere"];
    assert_eq!(heddle(&arguments).status.code(), Some(2));
}

/// A folder of events of one chain, as rows, and what is said of them.
fn complaint_about_events(rows: &str, updates: &str) -> String {
    complaint_about_more_events("", rows, updates)
}

/// The same, where the rule file has more to say, from its sixth line on.
fn complaint_about_more_events(more_rules: &str, rows: &str, updates: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let rules = ".decl event(e: symbol, chain: symbol, index: number)\n.input event\n\
                 .decl lt(a: symbol, b: symbol) order(event)\n.output lt\n.conflict lt(e, e)\n";
    fs::write(path("rules.dl"), rules.to_owned() + more_rules).expect("written");
    fs::write(path("event.facts"), rows).expect("written");
    fs::write(path("updates"), updates).expect("written");
    let files = [&path("rules.dl"), "--facts", &path("")];
    let shown = |command: &str, more: &[&str]| {
        let output = heddle(&[&["rules", command], &files[..], more].concat());
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).expect("UTF-8");
        errors.replace(&path(""), "")
    };
    let run = shown("run", &["--updates", &path("updates")]);
    if updates.is_empty() {
        assert_eq!(shown("reasons", &[]), run);
        assert_eq!(shown("explain", &["lt(a, b)"]), run);
    }
    run
}

#[test]
fn an_event_with_two_places_is_shown_with_both() {
    let shown = complaint_about_events("a\tt\t0\nb\tt\t1\na\tt\t99\n", "");
    assert!(shown.contains("event a has several places"), "{shown}");
    assert!(shown.contains("--> event.facts:3:1\n"), "{shown}");
    assert!(
        shown.contains("1 | a    t    0\n  | -----------\n"),
        "{shown}"
    );
}

#[test]
fn two_events_in_one_place_are_both_shown() {
    let shown = complaint_about_events("a\tt\t0\nb\tt\t1\n\nc\tt\t01\n", "");
    assert!(
        shown.contains("have the same index 1 in chain t"),
        "{shown}"
    );
    assert!(shown.contains("--> event.facts:4:1\n"), "{shown}");
    assert!(shown.contains("2 | b    t    1\n"), "{shown}");
}

#[test]
fn an_update_that_moves_an_event_to_a_taken_place_is_shown() {
    let updates = "+event\tc\tt\t7\ncommit\n-event\tc\tt\t7\n+event\tc\tt\t1\ncommit\n";
    let shown = complaint_about_events("a\tt\t0\nb\tt\t1\n", updates);
    assert!(
        shown.contains("have the same index 1 in chain t"),
        "{shown}"
    );
    assert!(shown.contains("--> updates:4:1\n"), "{shown}");
    assert!(shown.contains("::: event.facts:2:1\n"), "{shown}");
}

#[test]
fn events_of_the_rule_file_in_one_place_are_both_shown() {
    let more = "event(\"a\", \"t\", 7).\nevent(\"b\", \"u\", 7).\nevent(\"c\", \"t\", 7).\n";
    let shown = complaint_about_more_events(more, "", "");
    let events = "events a and c of relation `event` have the same index 7 in chain t";
    assert!(shown.contains(events), "{shown}");
    assert!(shown.contains("--> rules.dl:8:1\n"), "{shown}");
    let lines = [
        "6 | event(\"a\", \"t\", 7).",
        "  | -------------------",
        "7 | event(\"b\", \"u\", 7).",
        "8 | event(\"c\", \"t\", 7).",
        "  | ^^^^^^^^^^^^^^^^^^^",
    ];
    assert!(shown.contains(&lines.join("\n")), "{shown}");
}

#[test]
fn a_place_that_is_taken_in_the_rule_file_is_shown_there_too() {
    let more = "event(\"a\", \"t\", 7).\n";
    let shown = complaint_about_more_events(more, "b\tt\t7\n", "");
    assert!(shown.contains("--> event.facts:1:1\n"), "{shown}");
    assert!(shown.contains("::: rules.dl:6:1\n"), "{shown}");
    let updates = "+event\tb\tt\t7\ncommit\n";
    let shown = complaint_about_more_events(more, "", updates);
    assert!(shown.contains("--> updates:1:1\n"), "{shown}");
    assert!(shown.contains("::: rules.dl:6:1\n"), "{shown}");
}

#[test]
fn a_rule_that_derives_a_place_that_is_taken_is_shown() {
    let more = "event(e, \"u\", 7) :- event(e, \"t\", _).\n";
    let shown = complaint_about_more_events(more, "a\tt\t1\n", "");
    assert!(shown.contains("event a has several places"), "{shown}");
    assert!(shown.contains("--> event.facts:1:1\n"), "{shown}");
    assert!(shown.contains("::: rules.dl:6:1\n"), "{shown}");
    assert!(shown.contains("a rule that derives such facts"), "{shown}");
}

#[test]
fn two_rule_sets_are_compared_program_by_program() {
    let examples = "docs/examples/scheduling-constraint";
    let arguments = ["rules", "compare", "rules/sc.dl"];
    let same = stdout(
        &[&arguments[..], &["rules/sc_blocks.dl", examples]].concat(),
        0,
    );
    assert!(same.contains("running-example.hd"), "{same}");
    assert!(same.ends_with("no verdict changed\n"), "{same}");
    let wrong = ["rules/examples/wrong.dl", examples];
    let changed = stdout(&[&arguments[..], &wrong].concat(), 1);
    let line = changed
        .lines()
        .find(|line| line.starts_with("running-example-broken.hd"));
    let line = line.expect("each program has a line");
    assert!(line.contains("UNSAFE -> SAFE"), "{line}");
    assert!(line.ends_with("CHANGED"), "{line}");
    assert!(changed.ends_with("verdicts changed: 2\n"), "{changed}");
}

#[cfg(unix)]
#[test]
fn a_program_is_compared_once_even_if_links_lead_back_to_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let example = "docs/examples/scheduling-constraint/running-example.hd";
    fs::copy(example, folder.path().join("one.hd")).unwrap();
    for link in ["again", "and-again"] {
        std::os::unix::fs::symlink(folder.path(), folder.path().join(link)).unwrap();
    }
    let programs = folder.path().to_str().unwrap();
    let compare = ["rules", "compare", "rules/sc.dl", "rules/sc.dl", programs];
    let compared = stdout(&compare, 0);
    assert_eq!(compared.matches("one.hd").count(), 1, "{compared}");
}

#[test]
fn a_program_that_cannot_be_read_does_not_pass_for_compared() {
    let folder = tempfile::tempdir().unwrap();
    let example = "docs/examples/scheduling-constraint/running-example.hd";
    fs::copy(example, folder.path().join("good.hd")).unwrap();
    fs::write(folder.path().join("bad.hd"), "var x = ;").unwrap();
    let programs = folder.path().to_str().unwrap();
    let arguments = ["rules", "compare", "rules/sc.dl", "rules/sc_blocks.dl"];
    let table = stdout(&[&arguments[..], &[programs]].concat(), 2);
    assert!(table.contains("bad.hd   not read\n"), "{table}");
    assert!(table.contains("good.hd  SAFE"), "{table}");
    assert!(table.ends_with("no verdict changed\n"), "{table}");
}

#[test]
fn what_is_no_memory_model_cannot_be_compared() {
    let output = heddle(&[
        "rules",
        "compare",
        "rules/sc.dl",
        "rules/examples/ancestor.dl",
        "docs/examples/scheduling-constraint",
    ]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        errors.contains("`rules/examples/ancestor.dl` is no memory model"),
        "{errors}"
    );
}

#[test]
fn the_events_of_a_program_are_facts_for_the_rules() {
    let folder = tempfile::tempdir().unwrap();
    let events = folder.path().join("events");
    let events = events.to_str().unwrap();
    let program = "docs/examples/scheduling-constraint/running-example.hd";
    stdout(&["facts", program, "--events", "-o", events], 0);
    let reasons = reasons(events);
    assert_eq!(reasons.lines().count(), 28, "{reasons}");
    assert!(reasons.lines().all(|line| line.split(' ').count() == 2));
}
