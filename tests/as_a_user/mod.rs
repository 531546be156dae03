//! What tests of `heddle verify` expect of a run.

use std::path::Path;
use std::process::Output;

/// The path of a program in `docs/examples`.
pub(crate) fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("docs/examples").join(name).display().to_string()
}

/// The last line is the verdict, and the exit code says it too. Returns the whole text.
#[track_caller]
pub(crate) fn expect_verdict(
    output: Output,
    arguments: &[&str],
    verdict: &str,
    code: i32,
) -> String {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(
        text.lines().last(),
        Some(verdict),
        "{arguments:?}\n{errors}"
    );
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    text
}

/// Nothing but a message that contains this, and exit code 2.
#[track_caller]
pub(crate) fn expect_bad_input(output: Output, arguments: &[&str], message: &str) {
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains(message), "{arguments:?}\n{errors}");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "no verdict about bad input");
}
