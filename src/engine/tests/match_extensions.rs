//! Sections 6.1 and 7 of "Predicate Abstraction with Under-Approximation Refinement", each on
//! programs for which it makes a difference.

mod matching_models;

use heddle_engine::matching::{
    InputValues, Options, Outcome, PredicateScope, Proof, check, transfer,
};
use heddle_interpret::Order;
use heddle_program::{Program, Verdict};
use matching_models::model;

fn read(text: &str) -> Program {
    heddle_front::hd::read("model.hd", text)
        .expect("the model is correct")
        .0
}

fn run(program: &Program, options: Options) -> Outcome {
    let options = Options {
        max_iterations: Some(12),
        ..options
    };
    check(program, &options, &mut ())
}

fn open(program: &Program) -> Outcome {
    run(
        program,
        Options {
            inputs: InputValues::Solver,
            ..Options::default()
        },
    )
}

const LARGE_INPUT: &str = "
    shared pc, x, y: int = 0;
    pc = 0             -> pc := 1, x := *;
    pc = 1 && x > 1000 -> pc := 2, y := x;
    pc = 2 && y <= 500 -> pc := 3;
";

#[test]
fn inputs_of_all_sizes_are_tried_in_an_open_system() {
    let safe = read(&format!("{LARGE_INPUT} error: pc = 3;"));
    assert_eq!(open(&safe).verdict, Verdict::Safe);
    let broken = read(&format!("{LARGE_INPUT} error: pc = 2 && y = 4321;"));
    assert_eq!(open(&broken).verdict, Verdict::Unsafe);
}

#[test]
fn a_program_is_not_called_safe_for_a_range_of_inputs() {
    for error in ["pc = 3", "pc = 2 && y = 4321"] {
        let program = read(&format!("{LARGE_INPUT} error: {error};"));
        let outcome = run(&program, Options::default());
        let expected = "safe for inputs in -2..2 only".to_owned();
        assert_eq!(outcome.verdict, Verdict::Unknown(expected));
    }
}

#[test]
fn variables_that_start_with_any_value_are_inputs() {
    let text = "
        shared pc, y: int = 0, x: int = *;
        pc = 0 && x > 10 -> pc := 1, y := x - 10;
    ";
    let safe = read(&format!("{text} error: y < 0;"));
    assert_eq!(open(&safe).verdict, Verdict::Safe);
    let broken = read(&format!("{text} error: y = 77;"));
    let outcome = open(&broken);
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(outcome.trace.unwrap().initial.len(), 1);
}

/// What the input leads to depends on `y`, of which nothing is known at first.
#[test]
fn inputs_that_lead_elsewhere_from_other_states_are_noticed() {
    let program = read(
        "
        shared pc, x, y, n: int = 0;
        pc = 0           -> pc := 1, y := n;
        pc = 1           -> pc := 2, x := *;
        pc = 2 && x = y  -> pc := 3;
        pc = 2 && x != y -> pc := 0, n := n + 1;
        error: pc = 3 && y = 3;
    ",
    );
    let outcome = open(&program);
    assert_eq!(outcome.verdict, Verdict::Unsafe);
}

#[test]
fn predicates_of_single_steps_tell_fewer_states_apart_and_take_longer() {
    for name in ["ticket2", "ticket3", "bakery"] {
        let program = model(name);
        let everywhere = run(&program, Options::default());
        let local = run(
            &program,
            Options {
                scope: PredicateScope::OfTheirSteps,
                ..Options::default()
            },
        );
        assert_eq!(local.verdict, Verdict::Safe, "{name}");
        let states = |outcome: &Outcome| {
            outcome
                .statistics
                .iterations
                .last()
                .unwrap()
                .abstract_states
        };
        assert!(states(&local) <= states(&everywhere), "{name}");
        let iterations = |outcome: &Outcome| outcome.statistics.iterations.len();
        assert!(iterations(&local) > iterations(&everywhere), "{name}");
    }
}

#[test]
fn refinement_without_a_prover_asks_nothing_and_may_find_the_structure_all_the_same() {
    let program = read(
        "
        shared pc, x: int = 0;
        pc = 0 && x = 0 -> pc := 1, x := 1 - x;
        pc = 1 && x = 1 -> pc := 0, x := 1 - x;
        error: pc = 1 && x = 0;
    ",
    );
    let without = Options {
        proof: Proof::Syntactic,
        ..Options::default()
    };
    let outcome = run(&program, without.clone());
    assert_eq!(outcome.verdict, Verdict::Safe);
    assert_eq!(outcome.statistics.queries(), 0);
    let outcome = run(&model("rax"), without.clone());
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    // Nothing keeps it from refining for ever.
    let outcome = run(&model("ticket2"), without);
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
}

#[test]
fn depth_first_search_agrees() {
    for (name, verdict) in [
        ("ticket3", Verdict::Safe),
        ("ticket3-err", Verdict::Unsafe),
        ("rax", Verdict::Unsafe),
        ("bakery", Verdict::Safe),
    ] {
        let options = Options {
            order: Order::DepthFirst,
            ..Options::default()
        };
        assert_eq!(run(&model(name), options).verdict, verdict, "{name}");
    }
}

#[test]
fn an_error_ends_the_search_where_that_is_wanted() {
    let at_once = Options {
        after_error: 0,
        ..Options::default()
    };
    let outcome = run(&model("rax"), at_once);
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert!(outcome.statistics.iterations[0].concrete_states < 69);
}

#[test]
fn predicates_and_states_go_from_one_run_to_the_next() {
    let mut program = model("ticket2");
    let first = run(
        &program,
        Options {
            states: 100,
            ..Options::default()
        },
    );
    assert_eq!(first.states.len(), 9);
    // Each is the first concrete state of its kind, so no two are the same.
    let variables = program.variables.len();
    assert!(first.states.iter().all(|state| state.len() == variables));
    for (number, state) in first.states.iter().enumerate() {
        assert!(!first.states[..number].contains(state));
    }

    let mut terms = std::mem::take(&mut program.terms);
    let predicates = first.predicates.iter().map(|&predicate| {
        transfer(&program, &first.terms, predicate, &mut terms).expect("a term of the program")
    });
    let predicates = predicates.collect();
    program.terms = terms;
    let second = run(
        &program,
        Options {
            predicates,
            ..Options::default()
        },
    );
    assert_eq!(second.verdict, Verdict::Safe);
    assert_eq!(second.statistics.iterations.len(), 1);
}
