//! Integers become bit-vectors where no execution makes them large, and nowhere else.

use heddle_engine::schedule::{Options, check};
use heddle_program::Verdict;
use heddle_unroll::unroll;

fn has_integers(text: &str) -> bool {
    let (program, _) = heddle_front::hd::read("small.hd", text).unwrap();
    let options = heddle_unroll::Options {
        unwind: 3,
        most_events: 20_000,
        most_steps: 1_000_000,
        deadline: None,
        small_integers: true,
    };
    let (graph, _) = unroll(&program, options).unwrap();
    graph.has_integers()
}

fn verdict(text: &str) -> Verdict {
    let (program, _) = heddle_front::hd::read("small.hd", text).unwrap();
    let options = Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap());
    check(&program, &options, &mut ()).unwrap().verdict
}

/// Both add up what the other wrote: no interval contains the results of all rounds, but
/// there are only so many writes.
const SUMS: &str = "
    shared x, y: int = 1;
    process p { x := y + y; x := y + y; x := y + y; }
    process q { y := x + x; y := x + x; y := x + x; }";

#[test]
fn values_that_only_so_many_writes_make_larger() {
    assert!(!has_integers(SUMS));
}

/// The largest value takes all six writes in turns.
#[test]
fn and_the_largest_value_still_fits() {
    let reached = format!("{SUMS} process r {{ assert x < 64; }}");
    assert_eq!(verdict(&reached), Verdict::Unsafe);
    let beyond = format!("{SUMS} process r {{ assert x <= 64 && y <= 64 && x > 0; }}");
    assert_eq!(verdict(&beyond), Verdict::Safe);
}

#[test]
fn but_not_any_number() {
    let any = "
        shared x: int = 0;
        process p { x := *; }
        process q { assert x = x * 1; assert x < 7; }";
    assert!(has_integers(any));
    assert_eq!(verdict(any), Verdict::Unsafe);
}

#[test]
fn nor_numbers_that_multiply_beyond_what_is_small() {
    let large = "
        shared x: int = 1000;
        process p { x := x * 1000; }
        process q { x := x * 1000; }
        process r { assert x <= 1000000000; }";
    assert!(has_integers(large));
    assert_eq!(verdict(large), Verdict::Safe);
}

#[test]
fn nor_quotients() {
    let divided = "
        shared x: int = 7;
        process p { x := x / 2; }
        process q { assert x > 2; }";
    assert!(has_integers(divided));
    assert_eq!(verdict(divided), Verdict::Safe);
}
