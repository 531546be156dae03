//! Random concurrent programs have the verdict that trying all interleavings gives, with the
//! rules of sequential consistency and with a rule set that misses most conflicts.
//!
//! `HEDDLE_CASES` and `HEDDLE_SEED` make a longer campaign out of it, case by case the same
//! for the same seed.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;
mod random_text;

use fastrand::Rng;
use heddle_engine::schedule::{Options, Reasons, check};
use heddle_interpret::{Exploration, explore};
use heddle_language::RuleSet;
use heddle_program::{Program, Verdict};
use heddle_solver::Backend;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many states the oracle may look at.
const MOST_STATES: u64 = 20_000;

/// A violation that the oracle finds has to be found with at most this bound.
const LARGEST_BOUND: u32 = 16;

const WEAK: &str = include_str!("rules/without_rules_2_and_3.dl");

fn weak_rules() -> Arc<RuleSet> {
    let loaded = heddle_language::load_text("without_rules_2_and_3.dl", WEAK);
    Arc::new(loaded.expect("a correct rule file").rules)
}

fn setting(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |value| value.parse().expect("a number"))
}

struct Campaign {
    ways: Vec<(&'static str, Options)>,
    compared: u64,
    unsafe_ones: u64,
    skipped: u64,
}

impl Campaign {
    fn new() -> Campaign {
        let sc = heddle_datalog::theory::built_in("sc_blocks").unwrap();
        Campaign {
            ways: vec![
                ("sc", Options::new(sc.clone())),
                (
                    "sc, kernel reasons",
                    Options {
                        reasons: Reasons::Kernel,
                        ..Options::new(sc.clone())
                    },
                ),
                (
                    "sc, by Z3",
                    Options {
                        solver: Some(Backend::Z3),
                        ..Options::new(sc)
                    },
                ),
                ("without rules 2 and 3", Options::new(weak_rules())),
            ],
            compared: 0,
            unsafe_ones: 0,
            skipped: 0,
        }
    }

    /// Compares one program; `text` is what to show if the verdicts differ.
    fn compare(&mut self, program: &Program, text: &str) {
        let exploration = explore(
            program,
            &heddle_interpret::Options {
                max_states: Some(MOST_STATES),
                timeout: Some(Duration::from_secs(2)),
                ..Default::default()
            },
        );
        if exploration.stop.is_some() || exploration.error.is_some() {
            self.skipped += 1;
            return;
        }
        self.unsafe_ones += u64::from(exploration.violation.is_some());
        for (name, options) in &self.ways {
            match agreement(program, &exploration, options) {
                Agreement::Same => self.compared += 1,
                Agreement::Skipped => self.skipped += 1,
                Agreement::Different(why) => panic!("{name}: {why}\n{text}\n{program}"),
            }
        }
    }

    fn finish(&self, least_unsafe: u64) {
        let all = self.compared + self.skipped;
        assert!(
            self.skipped * 20 <= all,
            "{} of {all} comparisons were skipped",
            self.skipped
        );
        let programs = self.compared / self.ways.len() as u64;
        assert!(self.unsafe_ones * 100 >= programs * least_unsafe);
    }
}

enum Agreement {
    Same,
    /// One of the two gave up.
    Skipped,
    Different(String),
}

fn agreement(program: &Program, exploration: &Exploration, options: &Options) -> Agreement {
    let mut bound = 2;
    loop {
        let options = Options {
            unwind: Some(bound),
            deadline: Some(Instant::now() + Duration::from_secs(2)),
            reasons_a_round: 16,
            ..options.clone()
        };
        let outcome = check(program, &options, &mut ()).expect("a memory model");
        let different = || {
            let found = exploration.verdict(program);
            Agreement::Different(format!(
                "{} by exploring, {} by scheduling",
                found, outcome.verdict
            ))
        };
        return match (&outcome.verdict, exploration.violation.is_some()) {
            (Verdict::Unsafe, true) => Agreement::Same,
            // The oracle chooses numbers from a range; a trace that was replayed may not.
            (Verdict::Unsafe, false) if exploration.range.is_some() => Agreement::Same,
            (Verdict::Unsafe, false) => different(),
            (Verdict::Safe, true) => different(),
            (Verdict::Safe, false) if !exploration.bounds.is_empty() => different(),
            (Verdict::Safe, false) => Agreement::Same,
            (Verdict::SafeUpTo(_), true) if bound < LARGEST_BOUND => {
                bound *= 2;
                continue;
            }
            (Verdict::SafeUpTo(_), true) => different(),
            (Verdict::SafeUpTo(_), false) => Agreement::Same,
            (Verdict::Unknown(reason), _) if reason.contains("bug") => different(),
            (Verdict::Unknown(_), false) if !exploration.bounds.is_empty() => Agreement::Same,
            (Verdict::Unknown(_), _) => Agreement::Skipped,
        };
    }
}

#[test]
fn on_programs_over_all_kinds_of_statements() {
    let mut campaign = Campaign::new();
    let seed = setting("HEDDLE_SEED", 1);
    for case in 0..setting("HEDDLE_CASES", 200) {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let length = rng.usize(1..160);
        let choices: Vec<u16> = (0..length).map(|_| rng.u16(..)).collect();
        let program = random_program::random_program(&choices);
        campaign.compare(&program, &format!("case {case} of seed {seed}"));
    }
    campaign.finish(10);
}

/// Compares programs in `.hd`.
fn compare_models(cases: u64, random: impl Fn(&mut Rng) -> String) {
    let mut campaign = Campaign::new();
    let seed = setting("HEDDLE_SEED", 1);
    for case in 0..setting("HEDDLE_CASES", cases) {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let text = random(&mut rng);
        let program = match heddle_front::hd::read("random.hd", &text) {
            Ok((program, _)) => program,
            Err(report) => panic!("{report:?}\n{text}"),
        };
        campaign.compare(&program, &format!("case {case} of seed {seed}\n{text}"));
    }
    campaign.finish(10);
}

#[test]
fn on_models_in_which_schedules_matter() {
    compare_models(30, random_text::hd_program);
}

#[test]
fn on_loops_in_loops() {
    compare_models(100, random_text::nested_loops);
}

#[test]
fn on_c_programs_with_pointers() {
    let mut campaign = Campaign::new();
    let seed = setting("HEDDLE_SEED", 1);
    for case in 0..setting("HEDDLE_CASES", 100) {
        let mut rng = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let text = random_text::c_program(&mut rng);
        let program = match heddle_front::c::translate("random.i", &text, &Default::default()) {
            Ok((program, _)) => program,
            Err(report) => panic!("{report:?}\n{text}"),
        };
        campaign.compare(&program, &format!("case {case} of seed {seed}\n{text}"));
    }
    campaign.finish(10);
}
