//! `assert` counts as the property even where nobody included `<assert.h>`: as a function
//! without a body it would hold whatever happens.

use std::fs;
use std::process::Command;

#[test]
fn a_violated_assert_is_unsafe() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("assert.c");
    let text = "int x;\nint main(void) { x = 1; assert(x == 2); return 0; }\n";
    fs::write(&file, text).expect("a writable folder");
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("explore")
        .arg(&file)
        .output()
        .expect("heddle runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{printed}");
    assert!(printed.ends_with("VERDICT: UNSAFE\n"), "{printed}");
}
