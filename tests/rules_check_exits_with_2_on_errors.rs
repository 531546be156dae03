//! `heddle rules check`: messages to standard error, a line a file to standard output.

use std::path::PathBuf;
use std::process::{Command, Output};

fn check(files: &[&PathBuf]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["rules", "check"])
        .args(files)
        .output()
        .unwrap()
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn stdout(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.replace(concat!(env!("CARGO_TARGET_TMPDIR"), "/"), "")
}

#[test]
fn and_goes_on_with_the_other_files() {
    let wrong = file("check_wrong.dl", ".output p\n.output q\n");
    let right = file(
        "check_right.dl",
        ".decl p(x: number)\n.output p\np(x) :- p(x), p(y).\n",
    );
    let both = check(&[&wrong, &right]);
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(
        stdout(&both),
        "check_wrong.dl: 2 errors\n\
         check_right.dl: 1 relation, 1 rule, no conflicts, 1 warning\n"
    );
    let messages = String::from_utf8_lossy(&both.stderr).into_owned();
    assert!(
        messages.contains("error: unknown relation `q`"),
        "{messages}"
    );
    assert!(messages.contains("warning: the variable `y` occurs only once"));
}

#[test]
fn mistakes_that_are_not_shown_are_counted() {
    let many = file("check_many.dl", &".output p\n.output q\n".repeat(125));
    let output = check(&[&many]);
    assert_eq!(stdout(&output), "check_many.dl: 250 errors\n");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = "\nerror: 150 more are not shown\n";
    assert!(messages.ends_with(last), "{messages}");
}

#[test]
fn but_not_on_warnings() {
    let right = file("check_warned.dl", ".decl p(x: number)\n");
    let output = check(&[&right]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        stdout(&output),
        "check_warned.dl: 1 relation, no rules, no conflicts, 1 warning\n"
    );
}
