//! Figures 4, 5 and 6 of "Predicate Abstraction with Under-Approximation Refinement".

mod matching_models;

use heddle_engine::matching::{Options, Outcome, check};
use heddle_front::hd::condition;
use heddle_program::{Program, TermId, Verdict};
use matching_models::model;

/// The program with nothing to violate.
fn without_property(mut program: Program) -> Program {
    program.property.error = None;
    program
}

/// One search, without refinement, under these predicates and those of the guards.
fn search(program: &Program, predicates: Vec<TermId>) -> Outcome {
    let options = Options {
        predicates,
        max_iterations: Some(1),
        dot: true,
        ..Options::default()
    };
    check(program, &options, &mut ())
}

fn visits(outcome: &Outcome, place: &str, value: &str) -> bool {
    let dot = outcome.dot.as_deref().expect("it was asked for");
    let state = |line: &&str| line.contains(place) && line.contains(value);
    dot.lines().any(|line| state(&line))
}

#[test]
fn figure_4_is_refined_for_ever_by_weakest_preconditions() {
    let options = Options {
        max_iterations: Some(12),
        ..Options::default()
    };
    let outcome = check(&model("fig4"), &options, &mut ());
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
    let iterations = &outcome.statistics.iterations;
    assert_eq!(iterations.len(), 12);
    assert!(
        iterations
            .iter()
            .all(|i| i.abstract_states == 1 && i.new_predicates.len() == 1)
    );
}

#[test]
fn figure_4_is_safe_once_its_state_is_described() {
    let options = Options {
        concrete_after: Some(3),
        ..Options::default()
    };
    let outcome = check(&model("fig4"), &options, &mut ());
    assert_eq!(outcome.verdict, Verdict::Safe);
    let described = &outcome.statistics.iterations[2].new_predicates;
    assert!(
        ["x = 0", "y = 0"]
            .iter()
            .all(|p| described.iter().any(|d| d == p))
    );
    assert_eq!(outcome.statistics.iterations.len(), 4);
}

#[test]
fn figure_5_loses_a_state_when_a_predicate_is_added() {
    let mut program = without_property(model("fig5"));
    let [at_least_3, is_1] =
        ["x >= 3", "x = 1"].map(|text| condition(&mut program, "predicate", text).unwrap());

    let first = search(&program, vec![at_least_3]);
    assert_eq!(first.statistics.iterations[0].abstract_states, 8);
    assert!(visits(&first, "at = E", "[x = 4]") && visits(&first, "at = F", "[x = 4]"));

    let second = search(&program, vec![at_least_3, is_1]);
    assert_eq!(second.statistics.iterations[0].abstract_states, 10);
    assert!(visits(&second, "at = F", "[x = 3]"));
    assert!(!visits(&second, "at = E", "[x = 4]") && !visits(&second, "at = F", "[x = 4]"));
}

#[test]
fn figure_6a_is_executed_though_its_step_is_neither_must_plus_nor_must_minus() {
    let outcome = search(&model("fig6a"), Vec::new());
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(outcome.trace.unwrap().steps.len(), 1);
}

#[test]
fn figure_6b_reaches_only_one_of_two_labels_before_refinement() {
    let program = without_property(model("fig6b"));
    let before = search(&program, Vec::new());
    assert!(visits(&before, "pc = 3", "[x = 2]") && !visits(&before, "pc = 3", "[x = 3]"));
    let after = check(&model("fig6b"), &Options::default(), &mut ());
    assert_eq!(after.verdict, Verdict::Unsafe);
    assert_eq!(after.statistics.iterations.len(), 2);
}
