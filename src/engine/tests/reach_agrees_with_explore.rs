//! On small random programs, the engines `predicate` and `control` say in every mode what
//! exhaustive exploration says, or that they do not know.
//!
//! `HEDDLE_CASES` and `HEDDLE_SEED` make it a longer campaign.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;
mod reach_engines;

use heddle_engine::reach::{Limits, Options, Scoping};
use heddle_interpret::{Exploration, NondetRange, explore};
use heddle_program::{Program, Verdict};
use random_program::random_program;
use reach_engines::{ABSTRACTIONS, ENGINES, Engine};
use std::env;
use std::time::{Duration, Instant};

const SCOPINGS: [Scoping; 2] = [Scoping::Global, Scoping::PerLocation];

fn number(variable: &str, default: u64) -> u64 {
    let given = env::var(variable).ok();
    given.map_or(default, |given| given.parse().expect("a number"))
}

/// Panics if the verdict contradicts the exploration; says whether it is one.
fn agrees(program: &Program, exploration: &Exploration, engine: Engine, options: Options) -> bool {
    let (abstraction, scoping) = (options.abstraction, options.scoping);
    let outcome = engine.check(program, options);
    let context = || {
        let verdict = &outcome.verdict;
        format!("{engine:?}, {abstraction}, {scoping}, says {verdict} of\n{program}")
    };
    match &outcome.verdict {
        // With inputs from outside of the range there may be more to find.
        Verdict::Unsafe => assert!(
            exploration.violation.is_some() || exploration.range.is_some(),
            "{}",
            context()
        ),
        Verdict::Safe => assert!(
            exploration.violation.is_none() && exploration.bounds.is_empty(),
            "{}",
            context()
        ),
        Verdict::SafeUpTo(_) => unreachable!("random programs name no bound"),
        Verdict::Unknown(reason) => {
            // Neither is a spurious path found twice, nor an invariant refuted.
            assert!(!reason.contains("bug"), "{reason}: {}", context());
            assert!(
                !reason.contains("not accepted: it"),
                "{reason}: {}",
                context()
            );
            return false;
        }
    }
    true
}

#[test]
fn in_every_mode() {
    let first = number("HEDDLE_SEED", 0);
    let cases = number("HEDDLE_CASES", 60);
    let mut decided = 0;
    let mut decidable = 0;
    for seed in first..first + cases {
        let mut random = fastrand::Rng::with_seed(seed);
        let choices: Vec<u16> = (0..random.usize(1..200)).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let exploration = explore(
            &program,
            &heddle_interpret::Options {
                range: NondetRange { low: -2, high: 2 },
                max_states: Some(20_000),
                ..heddle_interpret::Options::default()
            },
        );
        if exploration.stop.is_some() {
            continue;
        }
        let verdict = exploration.verdict(&program);
        let is_decidable = matches!(verdict, Verdict::Safe | Verdict::Unsafe);
        for engine in ENGINES {
            let modes = ABSTRACTIONS.iter().flat_map(|&a| SCOPINGS.map(|s| (a, s)));
            for (abstraction, scoping) in modes {
                let options = Options {
                    abstraction,
                    scoping,
                    limits: Limits::until(Instant::now() + Duration::from_millis(300)),
                    ..Options::default()
                };
                let is_decided = agrees(&program, &exploration, engine, options);
                decidable += u64::from(is_decidable);
                decided += u64::from(is_decided && is_decidable);
            }
        }
    }
    println!("{decided} of {decidable} questions with an answer were answered");
    // Otherwise nothing was compared.
    assert!(decided * 10 >= decidable * 7, "{decided} of {decidable}");
}
