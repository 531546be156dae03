//! Every mistake in a fact folder is named, with its file, line and column.

use heddle_front::facts;
use std::fs;

/// A correct folder, with some files replaced; what is reported about it.
fn mistakes(replaced: &[(&str, &str)]) -> String {
    let correct = [
        ("thread.facts", "p\tstart\tbeginning\nq\tstart\tcreate\n"),
        ("location.facts", "p\tstart\np\tend\nq\tstart\n"),
        (
            "variable.facts",
            "x\tInt\t0\nok\tBool\t0\na\t(Array Int Int)\t3\nq.y\tInt\t0\n",
        ),
        ("local.facts", "q.y\tq\n"),
        ("edge.facts", "e1\tp\tstart\tend\n"),
        ("assign.facts", "e1\tx\t-\t(+ x 1)\n"),
        ("initial.facts", "a\t((as const (Array Int Int)) 7)\n"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in correct.iter().chain(replaced) {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    match facts::read(folder.path()) {
        Ok((_, report)) => report.to_string(),
        Err(report) => report
            .to_string()
            .replace(&format!("{}/", folder.path().display()), ""),
    }
}

#[track_caller]
fn assert_mistake(file: &str, text: &str, expected: &[&str]) {
    let found = mistakes(&[("assign.facts", ""), (file, text)]);
    for part in expected {
        assert!(found.contains(part), "{part}\nis not in\n{found}");
    }
}

#[test]
fn a_correct_folder_has_none_except_the_two_accesses_of_its_assignment() {
    assert_eq!(mistakes(&[("assign.facts", "e1\tx\t-\t1\n")]), "");
    let found = mistakes(&[]);
    assert!(found.contains("assign.facts:1:1"), "{found}");
    assert!(found.contains("one step makes 2 accesses"), "{found}");
    assert!(found.contains("a local variable between them"), "{found}");
}

#[test]
fn a_mistake_in_every_line_does_not_bury_what_is_wrong_in_other_files() {
    let lines: String = (0..5_000).map(|n| format!("e{n}\tz\t-\t0\n")).collect();
    let found = mistakes(&[("assign.facts", &lines), ("initial.facts", "w\t1\n")]);
    assert_eq!(found.matches("--> assign.facts").count(), 10, "{found}");
    assert!(
        found.contains(" more errors in this file are not shown"),
        "{found}"
    );
    assert!(found.contains("--> initial.facts:1:1\n"), "{found}");
}

#[test]
fn a_wrong_number_of_columns() {
    assert_mistake(
        "edge.facts",
        "e1\tp\tstart\n",
        &[
            "`edge` has 4 columns, but this line has 3",
            "edge.facts:1:1",
            "the columns are: edge, thread, source, target",
        ],
    );
}

#[test]
fn names_that_were_not_declared() {
    assert_mistake(
        "edge.facts",
        "e1\tp\tstart\tend\ne2\tr\tstart\tend\n",
        &["there is no thread `r`", "edge.facts:2:4"],
    );
    assert_mistake(
        "edge.facts",
        "e1\tp\tstart\tende\n",
        &["there is no location `ende`", "edge.facts:1:12", "`end`"],
    );
    assert_mistake(
        "havoc.facts",
        "e1\tz\t-\n",
        &["there is no variable `z`", "havoc.facts:1:4"],
    );
    assert_mistake(
        "havoc.facts",
        "e9\tx\t-\n",
        &["there is no edge `e9`", "havoc.facts:1:1"],
    );
    assert_mistake(
        "create.facts",
        "e1\tqq\n",
        &["there is no thread `qq`", "create.facts:1:4"],
    );
    assert_mistake(
        "error.facts",
        "(and (at p end) (at q end))\n",
        &["thread `q` has no location `end`", "error.facts:1:23"],
    );
}

#[test]
fn terms_of_the_wrong_sort() {
    assert_mistake(
        "assume.facts",
        "e1\t(and ok (+ x ok))\n",
        &["`+` expects Int here, not Bool", "assume.facts:1:12"],
    );
    assert_mistake(
        "assert.facts",
        "e1\tx\tmessage\n",
        &[
            "a term of sort Bool is expected here, not Int",
            "assert.facts:1:4",
        ],
    );
    assert_mistake(
        "assign.facts",
        "e1\ta\tok\t1\n",
        &[
            "a term of sort Int is expected here, not Bool",
            "assign.facts:1:6",
        ],
    );
    assert_mistake(
        "assign.facts",
        "e1\tx\t0\t1\n",
        &["variable `x` is not an array", "assign.facts:1:6"],
    );
    assert_mistake(
        "variable.facts",
        "x\tReal\t0\n",
        &[
            "`Real` is not a sort that heddle knows",
            "variable.facts:1:3",
        ],
    );
}

#[test]
fn two_statements_for_one_edge() {
    let found = mistakes(&[
        ("assign.facts", "e1\tx\t-\t1\n"),
        ("assume.facts", "e1\tok\n"),
    ]);
    assert!(found.contains("edge `e1` has two statements"), "{found}");
}

#[test]
fn a_byte_order_mark_is_none() {
    let assigned = ("assign.facts", "\u{feff}e1\tx\t-\t1\n");
    assert_eq!(mistakes(&[assigned]), "");
}

#[test]
fn equal_lines_count_once() {
    assert_eq!(
        mistakes(&[("assign.facts", "e1\tx\t-\t1\ne1\tx\t-\t1\n")]),
        ""
    );
}

#[test]
fn an_update_without_a_guard() {
    assert_mistake(
        "update.facts",
        "e1\t0\tx\t-\t1\n",
        &["edge `e1` has no guard", "update.facts:1:1"],
    );
}

#[test]
fn a_thread_that_uses_what_is_local_to_another() {
    assert_mistake(
        "assign.facts",
        "e1\tq.y\t-\t1\n",
        &["thread `p` uses `q.y`, which is local to another thread"],
    );
}

#[test]
fn several_mistakes_are_reported_at_once() {
    let found = mistakes(&[
        ("edge.facts", "e1\tp\tstart\tend\ne2\tp\tstart\n"),
        ("assign.facts", "e1\tx\t-\t(+ x\n"),
        ("assume.facts", "e1\tzz\n"),
    ]);
    for part in [
        "this line has 3",
        "this parenthesis is not closed",
        "there is no variable `zz`",
    ] {
        assert!(found.contains(part), "{part}\nis not in\n{found}");
    }
}

#[test]
fn a_file_name_that_is_nearly_right_gets_a_warning() {
    let found = mistakes(&[
        ("assign.facts", "e1\tx\t-\t1\n"),
        ("errors.facts", "(at p end)\n"),
    ]);
    assert!(found.contains("no relation is called `errors`"), "{found}");
    assert!(found.contains("`error.facts`"), "{found}");
}

#[test]
fn comma_separated_files_have_a_header() {
    let assign = "edge,variable,index,value\ne1,a,\"0\",\"(select a 1)\"\n";
    let folder = [
        ("assign.csv", assign),
        ("atomic_begin.facts", ""),
        ("local.facts", "q.y\tq\na\tp\n"),
    ];
    let found = mistakes(&[&folder[..], &[("assign.facts", "")]].concat());
    assert!(found.contains("relation `assign` has two files"), "{found}");

    let temporary = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(temporary.path().join(name), text).expect("a file");
    };
    write(
        "thread.csv",
        "thread,entry,start\n\"p\",\"a, b\",beginning\r\n",
    );
    write("location.csv", "thread,location\np,\"a, b\"\n");
    write("variable.csv", "variable,sort,length\nx,(_ BitVec 8),0\n");
    let (program, _) = facts::read(temporary.path()).expect("a program");
    assert_eq!(program.location_name(program.threads[0].entry), "a, b");
    write("variable.csv", "variable,length,sort\nx,0,(_ BitVec 8)\n");
    let report = facts::read(temporary.path()).expect_err("a wrong header");
    assert!(report.to_string().contains("variable,sort,length"));
}

#[test]
fn an_empty_folder_is_not_a_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let report = facts::read(folder.path()).expect_err("no threads");
    assert!(
        report
            .to_string()
            .contains("has no threads in `thread.facts`")
    );
    assert!(!report.to_string().contains("event facts"));
    std::fs::write(folder.path().join("event.facts"), "e\tt\t0\n").expect("written");
    let report = facts::read(folder.path()).expect_err("no threads");
    assert!(report.to_string().contains("these are event facts"));
    let missing = folder.path().join("missing");
    let report = facts::read(&missing).expect_err("no folder");
    assert!(report.to_string().contains("cannot read"));
}

#[test]
fn an_initial_value_is_one() {
    let file = "initial.facts";
    let expected = [
        "initial.facts:1:3",
        "this has no value: an integer is divided by zero",
    ];
    assert_mistake(file, "x\t(div 1 0)\n", &expected);
}

#[test]
fn a_state_holds_every_element_of_an_array() {
    assert_mistake(
        "variable.facts",
        "a\t(Array Int Int)\t4294967295\n",
        &[
            "an array has at most 16777216 elements",
            "variable.facts:1:19",
        ],
    );
}

#[test]
fn the_order_of_two_updates_is_not_that_of_their_lines() {
    let found = mistakes(&[
        ("assign.facts", ""),
        ("guard.facts", "e1\ttrue\n"),
        ("update.facts", "e1\t0\ta\tx\t1\ne1\t0\ta\t0\t2\n"),
    ]);
    for part in ["edge `e1` has two updates here", "update.facts:2:4"] {
        assert!(found.contains(part), "{part}\nis not in\n{found}");
    }
}

#[test]
fn what_is_wrong_with_a_statement_is_shown_where_it_is_written() {
    assert_mistake(
        "assert.facts",
        "e1\t(= q.y 0)\tmessage\n",
        &["which is local to another thread", "assert.facts:1:1"],
    );
    assert_mistake(
        "atomic_end.facts",
        "e1\n",
        &[
            "an atomic section ends that has not begun",
            "atomic_end.facts:1:1",
        ],
    );
}
