//! Joining local computation with the accesses around it leaves every behaviour of a program:
//! with and without, all interleavings lead to the same verdict.

#[path = "c_random/threads.rs"]
mod threads;

use fastrand::Rng;
use heddle_front::c;
use heddle_interpret::{Interleavings, Options, explore};
use heddle_program::Verdict;

const PROGRAMS: u64 = 60;
/// Programs with more states are not compared.
const MAX_STATES: u64 = 60_000;

fn verdict(text: &str, compact: bool, deadlock: bool) -> Verdict {
    let options = c::Options {
        compact,
        ..c::Options::default()
    };
    let (program, _) = c::translate("random.c", text, &options)
        .unwrap_or_else(|report| panic!("{report}\n{text}"));
    let problems = program.validate();
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    let interleavings = match compact {
        true => Interleavings::Enough,
        false => Interleavings::All,
    };
    let options = Options {
        interleavings,
        deadlock,
        max_states: Some(MAX_STATES),
        ..Options::default()
    };
    explore(&program, &options).verdict(&program)
}

#[test]
fn small_and_large_steps_lead_to_the_same_verdict() {
    let seed = |name| {
        std::env::var(name)
            .ok()
            .and_then(|text: String| text.parse().ok())
    };
    let first = seed("SEED").unwrap_or(0);
    let (mut compared, mut safe) = (0, 0);
    for seed in first..first + seed("PROGRAMS").unwrap_or(PROGRAMS) {
        let text = threads::random_threads(&mut Rng::with_seed(seed));
        for deadlock in [false, true] {
            let (small, large) = (
                verdict(&text, false, deadlock),
                verdict(&text, true, deadlock),
            );
            if matches!(small, Verdict::Unknown(_)) {
                continue;
            }
            assert_eq!(small, large, "seed {seed}, deadlock {deadlock}\n{text}");
            compared += 1;
            safe += u64::from(small == Verdict::Safe);
        }
    }
    println!("{compared} verdicts agree, {safe} of them safe");
    // Neither verdict is rare.
    assert!(compared > 0 && safe * 10 > compared && safe * 10 < compared * 9);
}
