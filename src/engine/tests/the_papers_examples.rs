//! The running example and the butterfly of the paper.

use heddle_engine::schedule::{Options, Outcome, Reasons, check};
use heddle_program::Verdict;
use std::fs;
use std::path::Path;

fn outcome(example: &str) -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let path = folder.join("scheduling-constraint").join(example);
    let text = fs::read_to_string(path).unwrap();
    let (program, _) = heddle_front::hd::read(example, &text).unwrap();
    let options = Options {
        reasons: Reasons::Kernel,
        ..Options::new(heddle_datalog::theory::built_in("sc").unwrap())
    };
    check(&program, &options, &mut ()).unwrap()
}

#[test]
fn the_running_example_is_safe_within_three_rounds() {
    let outcome = outcome("running-example.hd");
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert!(outcome.statistics.rounds() <= 3, "{:?}", outcome.statistics);
}

#[test]
fn the_broken_running_example_is_unsafe_with_a_trace() {
    let outcome = outcome("running-example-broken.hd");
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert!(outcome.trace.is_some());
}

#[test]
fn the_butterfly_is_safe_by_the_exact_check() {
    let outcome = outcome("butterfly.hd");
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert!(
        outcome.statistics.exact_conflicts > 0,
        "{:?}",
        outcome.statistics
    );
}
