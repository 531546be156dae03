//! Whoever waits for a thread that nobody starts waits for ever, so nothing behind the `join`
//! is ever executed.

use heddle_engine::schedule::{Options, check};
use heddle_program::Verdict;

/// Two processes that start each other, and `main` with these statements.
fn verdict(main: &str) -> Verdict {
    verdict_with("process other { start one; }", main)
}

fn verdict_with(other: &str, main: &str) -> Verdict {
    let text = format!(
        "shared x: int = 0;
         process one {{ x := 1; start other; }}
         {other}
         process main {{ {main} }}"
    );
    let (program, _) = heddle_front::hd::read("join.hd", &text).unwrap();
    let options = Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap());
    check(&program, &options, &mut ()).unwrap().verdict
}

#[test]
fn what_comes_after_joining_it_is_never_reached() {
    assert_eq!(verdict("join one; assert x = 1;"), Verdict::Safe);
    assert_eq!(verdict("join one; assert false;"), Verdict::Safe);
}

#[test]
fn what_comes_before_joining_it_is() {
    assert_eq!(verdict("assert x = 1; join one;"), Verdict::Unsafe);
}

#[test]
fn one_that_is_started_on_some_paths_is_waited_for_on_those() {
    let sometimes = "choose { start one; } or { skip; } join one; assert x = 1;";
    let other = "process other { skip; }";
    assert_eq!(verdict_with(other, sometimes), Verdict::Safe);
    let too_late = "choose { start one; } or { skip; } assert x = 1; join one;";
    assert_eq!(verdict_with(other, too_late), Verdict::Unsafe);
}
