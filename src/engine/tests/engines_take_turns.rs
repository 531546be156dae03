//! The `auto` engine: who answers, and what engines can do together.

use heddle_engine::auto::{Member, Options, Outcome, Progress, Turn, check};
use heddle_engine::reach::Statistics;
use heddle_engine::{control, matching, schedule};
use heddle_interpret::replay;
use heddle_program::{Bound, Program, Verdict};
use heddle_solver::Limits;
use std::path::Path;
use std::time::{Duration, Instant};

fn load(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let loaded = heddle_front::load(&folder.join(name), &heddle_front::Options::default());
    loaded.expect("the examples are correct").0
}

fn run(program: &Program, members: &[Member], at_most: Duration) -> Outcome {
    run_telling(program, members, at_most, &mut ())
}

fn run_telling(
    program: &Program,
    members: &[Member],
    at_most: Duration,
    progress: &mut dyn Progress,
) -> Outcome {
    check(program, &options(members, at_most), progress).expect("a memory model")
}

fn options(members: &[Member], at_most: Duration) -> Options {
    let rules = heddle_datalog::theory::built_in("sc").expect("a built-in rule set");
    Options {
        members: members.to_vec(),
        matching: matching::Options {
            inputs: matching::InputValues::Solver,
            ..matching::Options::default()
        },
        schedule: schedule::Options::new(rules),
        control: control::Options::default(),
        limits: Limits::until(Instant::now() + at_most),
        certified: false,
        // Long enough for who can answer at all, also on a busy machine.
        first_turn: (at_most / 60).max(Duration::from_millis(100)),
    }
}

const MINUTE: Duration = Duration::from_secs(60);

#[test]
fn two_engines_prove_together_what_neither_proves_alone() {
    let program = load("together/two-parts.hd");
    for member in [Member::Match, Member::Predicate, Member::Control] {
        let alone = run(&program, &[member], Duration::from_secs(2));
        assert!(
            matches!(alone.verdict, Verdict::Unknown(_)),
            "{member}: {}",
            alone.verdict
        );
        assert_eq!(alone.answered_by, None);
    }
    for prover in [Member::Predicate, Member::Control] {
        let pair = run(&program, &[Member::Match, prover], MINUTE);
        assert_eq!(pair.verdict, Verdict::Safe, "{prover}: {:?}", pair.turns);
        let last = pair.turns.last().expect("somebody answered");
        assert_eq!(pair.answered_by, Some(last.member));
        assert!(last.given > 0, "{:?}", pair.turns);
    }
}

#[test]
fn bugs_are_looked_for_first() {
    let program = load("control-abstraction/bakery-broken.hd");
    let outcome = run(&program, &Member::ALL, MINUTE);
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    assert_eq!(outcome.answered_by, Some(Member::Match));
    let trace = outcome.trace.expect("an error has a trace");
    replay(&program, &trace).expect("it can be replayed");
}

#[test]
fn whoever_knows_answers() {
    for (name, member) in [
        ("scheduling-constraint/butterfly.hd", Member::Schedule),
        ("lecture-loops/four-counters.hd", Member::Predicate),
    ] {
        // Turns start short and are doubled: however fast the machine is, nobody gets time for a
        // long way to the answer before everybody had half of it for a short one.
        let options = Options {
            first_turn: Duration::from_millis(20),
            ..options(&Member::ALL, MINUTE)
        };
        let outcome = check(&load(name), &options, &mut ()).expect("a memory model");
        assert_eq!(outcome.verdict, Verdict::Safe, "{name}");
        assert_eq!(outcome.answered_by, Some(member), "{name}");
        let has_certificate = outcome.certificate.is_some();
        assert_eq!(has_certificate, member == Member::Predicate, "{name}");
    }
}

#[test]
fn what_was_proved_up_to_a_bound_is_said_when_time_is_up() {
    let program = load("together/two-parts.hd");
    let outcome = run(&program, &[Member::Schedule], Duration::from_secs(1));
    assert!(
        matches!(outcome.verdict, Verdict::SafeUpTo(Bound(1..))),
        "{}",
        outcome.verdict
    );
    assert_eq!(outcome.answered_by, Some(Member::Schedule));
}

#[test]
fn who_wants_a_certificate_gets_the_answer_of_a_member_that_has_one() {
    let text = "shared x: int = 0;\n\
                process p { l1: while x < 10 { l2: x := x + 1; } l3: assert x = 10; l4: }\n";
    let (program, _) = heddle_front::hd::read("tiny.hd", text).expect("a program");
    let first = run(&program, &Member::ALL, MINUTE);
    assert_eq!(first.answered_by, Some(Member::Match));
    assert!(first.certificate.is_none());
    let certified = |members: &[Member]| {
        let options = Options {
            certified: true,
            ..options(members, MINUTE)
        };
        check(&program, &options, &mut ()).expect("a memory model")
    };
    let proved = certified(&Member::ALL);
    assert_eq!(proved.verdict, Verdict::Safe);
    assert!(proved.certificate.is_some(), "{:?}", proved.answered_by);
    // What is proved without one is still true.
    let alone = certified(&[Member::Match]);
    assert_eq!(alone.verdict, Verdict::Safe);
    assert_eq!(alone.answered_by, Some(Member::Match));
    assert!(alone.certificate.is_none());
}

/// What `auto` told: how many turns had ended, and what was proved.
#[derive(Default)]
struct Told(Vec<(usize, Option<(Member, Verdict)>)>);

impl Progress for Told {
    fn turn(&mut self, _: Member, _: Duration) {}

    fn so_far(&mut self, turns: &[Turn], proved: Option<(Member, Verdict)>) {
        self.0.push((turns.len(), proved));
    }
}

#[test]
fn turns_and_bounds_are_told_as_soon_as_they_are_known() {
    let program = load("together/two-parts.hd");
    let mut told = Told::default();
    let members = [Member::Predicate, Member::Schedule];
    let outcome = run_telling(&program, &members, Duration::from_secs(2), &mut told);
    assert_eq!(told.0.first(), Some(&(1, None)), "one turn has ended");
    let mut during_the_second = told.0.iter().filter(|(turns, _)| *turns == 1);
    let proved = during_the_second.any(|(_, proved)| proved.is_some());
    assert!(proved, "{:?}", told.0);
    let (turns, proved) = told.0.pop().expect("turns ended");
    assert_eq!(turns, outcome.turns.len());
    assert_eq!(proved, Some((Member::Schedule, outcome.verdict)));
}

#[test]
fn time_that_is_up_ends_all_turns() {
    let program = load("together/two-parts.hd");
    let started = Instant::now();
    let outcome = run(&program, &[Member::Predicate], Duration::from_millis(500));
    assert!(matches!(outcome.verdict, Verdict::Unknown(_)));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_turn_that_would_take_for_ever_leaves_time_for_the_next() {
    // Where the threads are matters to nobody, but `predicate` tells 5 to the power of 14
    // combinations apart, all of them in one fixpoint.
    let mut text = String::from("shared x: int = 0;\n");
    for thread in 0..14 {
        let steps = (1..=5).map(|n| format!("a{n}: x := x + {n};"));
        let steps: Vec<String> = steps.collect();
        text += &format!(
            "process p{thread} {{ while true {{ {} }} }}\n",
            steps.join(" ")
        );
    }
    text += "error: x < 0;\n";
    let (program, _) = heddle_front::hd::read("wide.hd", &text).expect("a program");
    let pair = [Member::Predicate, Member::Control];
    let outcome = run(&program, &pair, MINUTE);
    assert_eq!(outcome.verdict, Verdict::Safe, "{:?}", outcome.turns);
    assert_eq!(outcome.answered_by, Some(Member::Control));
    assert_eq!(outcome.turns[0].member, Member::Predicate);
    assert!(
        outcome.turns[0].time < Duration::from_secs(15),
        "{:?}",
        outcome.turns
    );
}

#[test]
fn states_that_match_visited_answer_questions_of_the_provers() {
    // `match` alone does not prove it, so that it is the turn of `control`, too.
    let program = load("together/two-parts.hd");
    let pair = [Member::Match, Member::Control];
    let outcome = run(&program, &pair, Duration::from_secs(10));
    let mut provers = outcome.turns.iter().filter(|t| t.member == Member::Control);
    assert!(
        provers.any(|turn| turn.states_given > 0 && turn.answered_by_states > 0),
        "{:?}",
        outcome.turns
    );
}

#[test]
fn the_same_is_proved_with_visited_states_and_fewer_questions() {
    let program = load("control-abstraction/bakery.hd");
    let few_iterations = matching::Options {
        max_iterations: Some(2),
        states: 100,
        ..matching::Options::default()
    };
    let visited = matching::check(&program, &few_iterations, &mut ()).states;
    assert!(!visited.is_empty());
    let prove = |witnesses| {
        let mut options = control::Options::default();
        options.reach.witnesses = witnesses;
        control::check(&program, &options, &mut ())
    };
    let (alone, told) = (prove(Vec::new()), prove(visited));
    assert_eq!(alone.verdict, Verdict::Safe);
    assert_eq!(told.verdict, Verdict::Safe);
    assert_eq!(alone.statistics.predicates, told.statistics.predicates);
    assert!(told.statistics.witnessed > 0);
    let decided = |statistics: Statistics| statistics.solver_calls + statistics.decided;
    let (without, with) = (decided(alone.statistics), decided(told.statistics));
    assert!(
        with < without,
        "{with} questions with states, {without} without"
    );
}
