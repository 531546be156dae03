//! On random small programs the `slice` engine says what exploration says, whatever it
//! checks sliced programs with and whatever it excludes.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;
mod random_text;

use heddle_engine::schedule;
use heddle_engine::slice::checker::{Checker, Control, Explore, Match, Predicate, Schedule};
use heddle_engine::slice::{Exclude, Options, Outcome, check, check_in_solver};
use heddle_interpret::{Options as Exploring, explore, replay};
use heddle_program::{Program, Verdict};
use random_program::random_program;
use std::time::{Duration, Instant};

fn exploring() -> Exploring {
    Exploring {
        max_states: Some(20_000),
        ..Exploring::default()
    }
}

/// Programs about which exploration is certain.
fn cases(seed: u64, count: usize) -> Vec<(Program, Verdict)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let choices: Vec<u16> = (0..80).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let verdict = explore(&program, &exploring()).verdict(&program);
        let wanted = match cases.len() % 2 {
            0 => Verdict::Safe,
            _ => Verdict::Unsafe,
        };
        if verdict == wanted {
            cases.push((program, verdict));
        }
    }
    cases
}

/// Checks all cases; how often there was a certain verdict, and how often a variable was
/// sliced away on the way to it.
fn agree(
    cases: &[(Program, Verdict)],
    exclude: Exclude,
    new: fn() -> Box<dyn Checker>,
) -> [usize; 2] {
    let (mut certain, mut sliced) = (0, 0);
    for (program, expected) in cases {
        let options = options(exclude, Some(Instant::now() + Duration::from_secs(2)));
        let outcome = check(program, &options, &mut *new(), &mut ()).unwrap();
        certain += usize::from(is_certain(program, expected, &outcome));
        let first = outcome.statistics.levels.first();
        sliced += usize::from(first.is_some_and(|level| !level.sliced.is_empty()));
    }
    [certain, sliced]
}

fn options(exclude: Exclude, deadline: Option<Instant>) -> Options {
    Options {
        keep: None,
        depth: 0,
        exclude,
        deadline,
    }
}

/// Whether the verdict, which is never wrong, is one about all executions.
fn is_certain(program: &Program, expected: &Verdict, outcome: &Outcome) -> bool {
    if let Some(trace) = &outcome.trace {
        replay(program, trace).unwrap();
    }
    match outcome.verdict {
        Verdict::Unsafe | Verdict::Safe => {
            assert_eq!(outcome.verdict, *expected, "{program}");
            true
        }
        Verdict::SafeUpTo(_) => {
            assert_eq!(*expected, Verdict::Safe, "{program}");
            false
        }
        Verdict::Unknown(_) => false,
    }
}

fn with_explore() -> Box<dyn Checker> {
    Box::new(Explore {
        options: exploring(),
    })
}

fn with_schedule() -> Box<dyn Checker> {
    let sc = heddle_datalog::theory::built_in("sc").unwrap();
    Box::new(Schedule::new(schedule::Options::new(sc)))
}

fn with_match() -> Box<dyn Checker> {
    Box::new(Match {
        options: heddle_engine::matching::Options {
            max_iterations: Some(10),
            ..heddle_engine::matching::Options::default()
        },
    })
}

fn with_predicate() -> Box<dyn Checker> {
    Box::new(Predicate {
        options: heddle_engine::reach::Options::default(),
    })
}

fn with_control() -> Box<dyn Checker> {
    Box::new(Control {
        options: heddle_engine::control::Options::default(),
    })
}

#[test]
fn with_predicate_excluding_orders() {
    let [certain, sliced] = agree(&cases(17, 16), Exclude::Orders, with_predicate);
    assert!(certain >= 8 && sliced >= 4, "{certain}, {sliced}");
}

#[test]
fn with_control_excluding_orders() {
    let [certain, sliced] = agree(&cases(18, 16), Exclude::Orders, with_control);
    assert!(certain >= 8 && sliced >= 4, "{certain}, {sliced}");
}

#[test]
fn with_match_excluding_orders() {
    let [certain, sliced] = agree(&cases(15, 16), Exclude::Orders, with_match);
    assert!(certain >= 8 && sliced >= 4, "{certain}, {sliced}");
}

#[test]
fn with_explore_excluding_runs() {
    let [certain, sliced] = agree(&cases(11, 120), Exclude::Runs, with_explore);
    assert!(certain >= 100 && sliced >= 30, "{certain}, {sliced}");
}

#[test]
fn with_explore_excluding_orders() {
    let [certain, sliced] = agree(&cases(12, 120), Exclude::Orders, with_explore);
    assert!(certain >= 100 && sliced >= 30, "{certain}, {sliced}");
}

#[test]
fn with_schedule_excluding_runs() {
    let [certain, sliced] = agree(&cases(13, 16), Exclude::Runs, with_schedule);
    assert!(certain >= 10 && sliced >= 4, "{certain}, {sliced}");
}

/// No program is translated, so there is time for more and larger ones.
#[test]
fn with_schedule_excluding_links() {
    let schedule = schedule::Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap());
    let mut random = fastrand::Rng::with_seed(16);
    let (mut compared, mut certain, mut sliced, mut spurious) = (0, 0, 0, 0);
    for number in 0..300 {
        let program = match number % 5 {
            0 | 1 => {
                let text = random_text::c_program(&mut random);
                heddle_front::c::translate("random.i", &text, &Default::default())
            }
            2 => heddle_front::hd::read("random.hd", &random_text::nested_loops(&mut random)),
            _ => heddle_front::hd::read("random.hd", &random_text::hd_program(&mut random)),
        };
        let (program, _) = program.expect("a program");
        let expected = explore(&program, &exploring()).verdict(&program);
        if !matches!(expected, Verdict::Safe | Verdict::Unsafe) {
            continue;
        }
        compared += 1;
        let deadline = Some(Instant::now() + Duration::from_secs(1));
        let options = Options {
            // The rules choose well. Nothing at all is a bad choice, which shows more.
            keep: (number % 2 == 1).then(Vec::new),
            ..options(Exclude::Orders, deadline)
        };
        // What is safe up to a small bound need not be up to a larger one.
        let outcomes = [2, 16].into_iter().map(|bound| {
            let schedule = schedule::Options {
                unwind: Some(bound),
                deadline,
                ..schedule.clone()
            };
            check_in_solver(&program, &options, &schedule, &mut ()).unwrap()
        });
        let beyond = |outcome: &Outcome| {
            expected == Verdict::Unsafe && matches!(outcome.verdict, Verdict::SafeUpTo(_))
        };
        let mut outcomes = outcomes.skip_while(beyond);
        let outcome = outcomes.next().expect("a verdict with the larger bound");
        certain += usize::from(is_certain(&program, &expected, &outcome));
        let first = &outcome.statistics.levels[0];
        sliced += usize::from(!first.sliced.is_empty());
        spurious += first.spurious;
    }
    assert!(
        compared >= 200 && 3 * certain >= compared && 3 * sliced >= compared && spurious >= 10,
        "{compared}, {certain}, {sliced}, {spurious}"
    );
}

#[test]
fn with_schedule_excluding_orders() {
    let [certain, sliced] = agree(&cases(14, 16), Exclude::Orders, with_schedule);
    assert!(certain >= 10 && sliced >= 4, "{certain}, {sliced}");
}
