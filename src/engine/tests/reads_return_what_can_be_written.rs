//! A read of a bit-vector is known to return what some write can have written, however often the
//! others have gone round.

use heddle_engine::schedule::{Options, Outcome, check};
use heddle_program::Verdict;
use heddle_unroll::unroll;

/// The intervals of all reads that are known, by the name of the variable.
fn ranges(text: &str, unwind: u32) -> Vec<(String, i128, i128)> {
    let (program, _) = heddle_front::hd::read("ranges.hd", text).unwrap();
    let options = heddle_unroll::Options {
        unwind,
        most_events: 20_000,
        most_steps: 1_000_000,
        deadline: None,
        small_integers: true,
    };
    let (graph, _) = unroll(&program, options).unwrap();
    let named = graph.read_ranges().into_iter().map(|range| {
        let symbol = graph.terms.as_variable(range.symbol).expect("a symbol");
        let name = graph.terms.name(symbol);
        let name = name.split('@').next().expect("a name");
        (name.to_owned(), range.least, range.most)
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named.dedup();
    named
}

fn outcome(text: &str) -> Outcome {
    let (program, _) = heddle_front::hd::read("ranges.hd", text).unwrap();
    let options = Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap());
    check(&program, &options, &mut ()).unwrap()
}

/// Both add up what the other wrote.
const SUMS: &str = "
    shared x, y: bv32 = 1;
    process p { x := y + y; x := y + y; x := y + y; }
    process q { y := x + x; y := x + x; y := x + x; }";

#[test]
fn what_all_writes_together_can_make_of_a_number_is_known() {
    let known = [("x".to_owned(), 1, 64), ("y".to_owned(), 1, 64)];
    assert_eq!(ranges(SUMS, 1), known);
}

/// The largest value takes all six writes in turns.
#[test]
fn and_the_largest_number_is_still_found() {
    let reached = format!("{SUMS} process r {{ assert bvslt(x, 64); }}");
    assert_eq!(outcome(&reached).verdict, Verdict::Unsafe);
    let beyond =
        format!("{SUMS} process r {{ assert bvsle(x, 64) && bvsle(y, 64) && bvslt(0, x); }}");
    assert_eq!(outcome(&beyond).verdict, Verdict::Safe);
}

#[test]
fn a_number_that_wraps_around_can_be_any() {
    let wraps = "
        shared x: bv8 = 127;
        process p { x := x + 1; }
        process q { assert x != -128; }";
    assert_eq!(ranges(wraps, 1), []);
    assert_eq!(outcome(wraps).verdict, Verdict::Unsafe);
}

#[test]
fn an_input_can_be_any() {
    let any = "
        shared x, y: bv8 = 0;
        process p { x := *; y := bvand(x, 3); }
        process q { assert x != 99; assert bvslt(y, 3); }";
    assert_eq!(ranges(any, 1), [("y".to_owned(), 0, 3)]);
    assert_eq!(outcome(any).verdict, Verdict::Unsafe);
}

#[test]
fn negative_numbers_keep_their_sign() {
    let negative = "
        shared x: bv32 = 0;
        process p { x := x - 3; }
        process q { x := x + 1; }
        process r { assert x != -3; }";
    // Each of the two writes may rest on the other one.
    assert_eq!(ranges(negative, 1), [("x".to_owned(), -6, 2)]);
    assert_eq!(outcome(negative).verdict, Verdict::Unsafe);
}

/// Two bits for each read instead of 32.
#[test]
fn few_values_take_few_clauses() {
    let text = "
        shared x: bv32 = 0;
        process p { x := 1; x := 2; x := 3; }
        process q { local a: bv32 = 0; a := x; assert bvsle(0, a); a := x; assert bvslt(a, 4); }";
    let outcome = outcome(text);
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert!(
        outcome.statistics.variables < 40,
        "{:?}",
        outcome.statistics
    );
}
