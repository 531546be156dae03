//! The models of "Predicate Abstraction with Under-Approximation Refinement", with the figures
//! that its tables have for them. What differs, and why, is in `docs/papers.md`.

mod matching_models;

use heddle_engine::matching::{Iteration, Options, Outcome, check};
use heddle_front::hd::condition;
use heddle_program::{Program, Verdict};
use matching_models::model;

fn run(program: &Program) -> Outcome {
    check(program, &Options::default(), &mut ())
}

fn states(outcome: &Outcome) -> Vec<(u64, u64)> {
    let iterations = outcome.statistics.iterations.iter();
    iterations
        .map(|iteration| (iteration.concrete_states, iteration.abstract_states))
        .collect()
}

fn new_predicates(iteration: &Iteration) -> Vec<&str> {
    let mut predicates: Vec<&str> = iteration
        .new_predicates
        .iter()
        .map(String::as_str)
        .collect();
    predicates.sort_unstable();
    predicates
}

#[test]
fn ticket2_is_proved_in_four_iterations() {
    let outcome = run(&model("ticket2"));
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert_eq!(states(&outcome), [(15, 9); 4]);
    assert_eq!(outcome.statistics.new_predicates(), 6);
    assert!(outcome.statistics.queries() <= 124);
}

#[test]
fn ticket3_is_proved_with_the_predicates_of_table_2() {
    let outcome = run(&model("ticket3"));
    assert_eq!(outcome.verdict, Verdict::Safe);
    let expected = [(52, 25), (58, 31), (58, 31), (58, 31), (58, 31)];
    assert_eq!(states(&outcome), expected);
    let iterations = &outcome.statistics.iterations;
    let expected: [&[&str]; 5] = [
        &["a1 <= s + 1", "a2 <= s + 1", "a3 <= s + 1", "t <= s"],
        &[
            "a1 <= s + 2",
            "a2 <= s + 2",
            "a3 <= s + 2",
            "t + 1 <= s",
            "t <= s + 1",
        ],
        &["t <= s + 2"],
        &["t <= s + 3"],
        &[],
    ];
    for (iteration, expected) in iterations.iter().zip(expected) {
        assert_eq!(new_predicates(iteration), expected);
    }
    assert!(outcome.statistics.queries() <= 603);
}

#[test]
fn the_error_of_ticket2_is_found_in_the_second_iteration() {
    let outcome = run(&model("ticket2-err"));
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(states(&outcome), [(15, 9), (31, 17)]);
    assert!(outcome.statistics.queries() <= 38);
}

#[test]
fn the_error_of_ticket3_is_found_in_the_first_iteration() {
    let outcome = run(&model("ticket3-err"));
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(states(&outcome), [(112, 49)]);
}

/// The paper's trace has eight steps: it shows that many states.
#[test]
fn the_deadlock_of_rax_is_found_in_the_first_iteration() {
    let outcome = run(&model("rax"));
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(states(&outcome), [(69, 44)]);
    assert_eq!(outcome.trace.unwrap().steps.len() + 1, 8);
}

#[test]
fn rax_goes_on_for_ever_with_the_predicates_of_table_3() {
    let program = model("rax-quotient");
    let options = Options {
        max_iterations: Some(4),
        ..Options::default()
    };
    let outcome = check(&program, &options, &mut ());
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
    assert_eq!(
        states(&outcome),
        [(69, 44), (101, 65), (101, 65), (101, 65)]
    );
    for (number, iteration) in outcome.statistics.iterations.iter().enumerate() {
        let expected = ["e1", "e2"].map(|counter| format!("{counter} = {}", -(number as i32)));
        assert_eq!(new_predicates(iteration), expected);
        assert!(iteration.questions.queries <= [10, 20, 26, 32][number]);
    }
}

#[test]
fn rax_is_proved_once_its_counters_are_known_not_to_be_negative() {
    let mut program = model("rax-quotient");
    let options = Options {
        predicates: ["e1 >= 0", "e2 >= 0"]
            .map(|text| condition(&mut program, "predicate", text).unwrap())
            .into(),
        ..Options::default()
    };
    let outcome = check(&program, &options, &mut ());
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert_eq!(states(&outcome), [(69, 44), (101, 65)]);
    assert_eq!(outcome.statistics.new_predicates(), 2);
    assert!(outcome.statistics.queries() <= 40);
}

#[test]
fn bakery_and_driver_have_the_papers_verdicts() {
    for (name, iterations, verdict) in [
        ("bakery", 5, Verdict::Safe),
        ("bakery-err", 1, Verdict::Unsafe),
        ("driver", 1, Verdict::Safe),
        ("driver-err", 1, Verdict::Unsafe),
    ] {
        let outcome = run(&model(name));
        assert_eq!(outcome.verdict, verdict, "{name}");
        assert_eq!(outcome.statistics.iterations.len(), iterations, "{name}");
    }
}
