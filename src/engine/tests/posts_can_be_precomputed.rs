//! Whether posts are computed on the fly or before anything is reached, abstractions are the
//! same, round by round.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;

use heddle_engine::predicate;
use heddle_engine::reach::{Abstraction, Limits, Options, Outcome, Posts};
use heddle_program::{Program, Verdict};
use random_program::random_program;
use std::path::Path;
use std::time::{Duration, Instant};

fn checked(program: &Program, abstraction: Abstraction, posts: Posts) -> Outcome {
    let options = Options {
        abstraction,
        posts,
        limits: Limits::until(Instant::now() + Duration::from_secs(2)),
        ..Options::default()
    };
    predicate::check(program, &options, &mut ())
}

/// Panics if it makes a difference when posts are computed; `None` if time was up.
fn compared(program: &Program, abstraction: Abstraction) -> Option<[Outcome; 2]> {
    let both =
        [Posts::OnTheFly, Posts::Precomputed].map(|posts| checked(program, abstraction, posts));
    let [one, other] = &both;
    let in_time = |outcome: &Outcome| match &outcome.verdict {
        Verdict::Unknown(reason) => !reason.contains("time"),
        _ => true,
    };
    if !in_time(one) || !in_time(other) {
        return None;
    }
    assert_eq!(one.verdict, other.verdict, "{abstraction}\n{program}");
    let rounds = |outcome: &Outcome| -> Vec<(usize, Vec<u32>)> {
        let rounds = outcome.statistics.rounds.iter();
        rounds
            .map(|round| (round.abstract_states, round.counterexample_steps.clone()))
            .collect()
    };
    assert_eq!(rounds(one), rounds(other), "{abstraction}\n{program}");
    let predicates = |outcome: &Outcome| outcome.statistics.predicates.clone();
    assert_eq!(
        predicates(one),
        predicates(other),
        "{abstraction}\n{program}"
    );
    Some(both)
}

#[test]
fn on_random_programs() {
    let mut refined = 0;
    for seed in 0..240 {
        let mut random = fastrand::Rng::with_seed(seed);
        let choices: Vec<u16> = (0..random.usize(1..200)).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        for abstraction in [Abstraction::Cartesian, Abstraction::Boolean] {
            if let Some([outcome, _]) = compared(&program, abstraction) {
                refined += usize::from(outcome.statistics.rounds.len() > 1);
            }
        }
    }
    assert!(refined >= 30, "only {refined} abstractions had a predicate");
}

#[test]
fn the_fixpoint_finds_its_answers_in_the_lists() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    let path = Path::new(path).join("control-abstraction/bluetooth.hd");
    let loaded = heddle_front::load(&path, &heddle_front::Options::default());
    let (program, _) = loaded.expect("the example is correct");
    let both = compared(&program, Abstraction::Cartesian).expect("in time");
    let uncached = both.map(|outcome| {
        let statistics = &outcome.statistics;
        statistics.posts() - statistics.cached_posts()
    });
    assert!(uncached[0] > 0, "nothing was asked on the fly");
    assert_eq!(uncached[1], 0, "asked in spite of the lists");
}
