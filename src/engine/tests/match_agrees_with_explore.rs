//! On small random programs, every mode of the engine says what exhaustive exploration says, or
//! that it does not know.
//!
//! `HEDDLE_CASES` and `HEDDLE_SEED` make it a longer campaign.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;

use heddle_engine::matching::{InputValues, Options, PredicateScope, Proof, check};
use heddle_interpret::{Exploration, Interleavings, NondetRange, Order, explore};
use heddle_program::{Program, Verdict};
use random_program::random_program;
use std::env;
use std::time::{Duration, Instant};

const RANGE: NondetRange = NondetRange { low: -2, high: 2 };

fn number(variable: &str, default: u64) -> u64 {
    let given = env::var(variable).ok();
    given.map_or(default, |given| given.parse().expect("a number"))
}

fn modes() -> Vec<(&'static str, Options)> {
    let plain = Options {
        max_iterations: Some(8),
        after_error: 0,
        ..Options::default()
    };
    vec![
        ("breadth-first", plain.clone()),
        (
            "depth-first, all interleavings",
            Options {
                order: Order::DepthFirst,
                interleavings: Interleavings::All,
                ..plain.clone()
            },
        ),
        (
            "with concrete states",
            Options {
                concrete_after: Some(2),
                ..plain.clone()
            },
        ),
        (
            "with local predicates",
            Options {
                scope: PredicateScope::OfTheirSteps,
                ..plain.clone()
            },
        ),
        (
            "without a prover",
            Options {
                proof: Proof::Syntactic,
                ..plain.clone()
            },
        ),
        (
            "with inputs by the solver",
            Options {
                inputs: InputValues::Solver,
                ..plain
            },
        ),
    ]
}

/// Panics if the verdict contradicts the exploration; says whether it is one.
fn agrees(program: &Program, exploration: &Exploration, mode: &str, options: &Options) -> bool {
    let options = Options {
        deadline: Some(Instant::now() + Duration::from_secs(2)),
        ..options.clone()
    };
    let outcome = check(program, &options, &mut ());
    let context = || format!("{mode} says {} of\n{program}", outcome.verdict);
    let is_limited = exploration.range.is_some();
    match &outcome.verdict {
        // With inputs from outside of the range there may be more to find.
        Verdict::Unsafe => assert!(
            exploration.violation.is_some() || is_limited && options.inputs == InputValues::Solver,
            "{}",
            context()
        ),
        Verdict::Safe => assert!(
            exploration.violation.is_none()
                && exploration.error.is_none()
                && exploration.bounds.is_empty()
                && (!is_limited || options.inputs == InputValues::Solver),
            "{}",
            context()
        ),
        Verdict::SafeUpTo(_) => {
            unreachable!("random programs name no bound")
        }
        Verdict::Unknown(reason) => {
            assert!(!reason.contains("bug"), "{}", context());
            return false;
        }
    }
    true
}

#[test]
fn in_every_mode() {
    let first = number("HEDDLE_SEED", 0);
    let cases = number("HEDDLE_CASES", 150);
    let mut decided = vec![0; modes().len()];
    let mut decidable = 0;
    for seed in first..first + cases {
        let mut random = fastrand::Rng::with_seed(seed);
        let choices: Vec<u16> = (0..random.usize(1..200)).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let exploration = explore(
            &program,
            &heddle_interpret::Options {
                range: RANGE,
                max_states: Some(20_000),
                ..heddle_interpret::Options::default()
            },
        );
        if exploration.stop.is_some() {
            continue;
        }
        decidable += u64::from(matches!(
            exploration.verdict(&program),
            Verdict::Safe | Verdict::Unsafe
        ));
        for (number, (mode, options)) in modes().iter().enumerate() {
            decided[number] += u64::from(agrees(&program, &exploration, mode, options));
        }
    }
    println!("{decidable} programs are safe or unsafe; decided by each mode: {decided:?}");
    // Otherwise nothing was compared.
    for (count, (mode, _)) in decided.iter().zip(modes()) {
        assert!(
            count * 10 >= decidable * 7,
            "{mode} decides {count} of {decidable}"
        );
    }
}
