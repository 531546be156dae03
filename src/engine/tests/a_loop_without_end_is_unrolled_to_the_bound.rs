//! Rounds that constants decide do not count. That must not make an endless loop long.

use heddle_unroll::{Options, TooLarge, unroll};

fn steps(text: &str, unwind: u32) -> usize {
    unrolled(text, unwind).unwrap()
}

fn unrolled(text: &str, unwind: u32) -> Result<usize, TooLarge> {
    let (program, _) = heddle_front::hd::read("loop.hd", text).unwrap();
    let options = Options {
        unwind,
        most_events: 20_000,
        most_steps: 1_000_000,
        deadline: None,
        small_integers: true,
    };
    let (graph, _) = unroll(&program, options)?;
    Ok(graph.steps.len())
}

#[test]
fn where_only_the_way_into_the_loop_rules_its_exit_out() {
    let endless = "
        process p {
            local on: bool = *; local x: bool;
            assume on;
            while on { x := *; }
        }";
    assert!(steps(endless, 1) < 20);
    assert!(steps(endless, 4) < 40);
}

#[test]
fn but_one_that_counts_to_a_constant_is_unrolled_to_its_end() {
    let counts = "
        process p {
            local i: int = 0; local x: bool;
            while i < 100 { x := *; i := i + 1; }
            assert i = 100;
        }";
    assert!(steps(counts, 1) > 200);
}

#[test]
fn a_bound_that_would_take_too_many_steps_is_refused_even_if_they_make_no_events() {
    let endless = "process p { local i: int; while true { i := i + 1; } }";
    let found = unrolled(endless, u32::MAX).expect_err("a limit");
    assert_eq!(found, TooLarge::Steps(1_000_000));
}
