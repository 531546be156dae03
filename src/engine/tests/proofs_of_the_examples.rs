//! What the engines `predicate` and `control` say of the examples, and on what it rests.

mod reach_engines;

use heddle_engine::control::Scheme;
use heddle_engine::reach::{Abstraction, Limits, Options, Outcome};
use heddle_interpret::replay;
use heddle_program::{Program, Verdict};
use reach_engines::{ABSTRACTIONS, ENGINES, Engine};
use rustc_hash::FxHashSet;
use std::path::Path;
use std::time::{Duration, Instant};

const NON_MONOTONIC: Engine = Engine::Control(Scheme::NonMonotonic);
const MONOTONIC: Engine = Engine::Control(Scheme::Monotonic);

fn load(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let loaded = heddle_front::load(&folder.join(name), &heddle_front::Options::default());
    loaded.expect("the examples are correct").0
}

fn within(seconds: u64) -> Limits {
    Limits::until(Instant::now() + Duration::from_secs(seconds))
}

fn options(abstraction: Abstraction) -> Options {
    Options {
        abstraction,
        limits: within(60),
        ..Options::default()
    }
}

#[track_caller]
fn assert_proved(program: &Program, outcome: &Outcome) {
    assert_eq!(outcome.verdict, Verdict::Safe);
    let certificate = outcome
        .certificate
        .as_ref()
        .expect("a proof has an invariant");
    let invariant = heddle_certificate::read(program, &certificate.text).expect("it is readable");
    let accepted = heddle_certificate::check(program, &invariant, within(60));
    assert_eq!(accepted.expect("it is an invariant").up_to, None);
}

#[track_caller]
fn assert_refuted(program: &Program, outcome: &Outcome) {
    assert_eq!(outcome.verdict, Verdict::Unsafe);
    let trace = outcome.trace.as_ref().expect("an error has a trace");
    replay(program, trace).expect("it can be replayed");
}

/// Theorem 1.
#[track_caller]
fn assert_no_path_comes_back(outcome: &Outcome) {
    let mut seen = FxHashSet::default();
    for round in &outcome.statistics.rounds {
        let path = &round.counterexample_steps;
        assert!(
            path.is_empty() || seen.insert(path),
            "{:?}",
            round.counterexample
        );
    }
}

#[test]
fn loops_for_all_executions() {
    for name in ["count-up", "spurious", "four-counters"] {
        let program = load(&format!("lecture-loops/{name}.hd"));
        let broken = load(&format!("lecture-loops/{name}-broken.hd"));
        let outcome = Engine::Predicate.check(&program, options(Abstraction::Cartesian));
        assert_proved(&program, &outcome);
        assert_no_path_comes_back(&outcome);
        let outcome = Engine::Predicate.check(&broken, options(Abstraction::Cartesian));
        assert_refuted(&broken, &outcome);
    }
}

#[test]
fn table_1_by_every_engine_and_abstraction() {
    for name in [
        "bakery-atomic",
        "mozilla-order-fixed",
        "time-varying-mutex",
        "bluetooth",
    ] {
        let program = load(&format!("control-abstraction/{name}.hd"));
        let broken = name.trim_end_matches("-fixed");
        let broken = load(&format!("control-abstraction/{broken}-broken.hd"));
        for engine in ENGINES {
            for abstraction in ABSTRACTIONS {
                let outcome = engine.check(&program, options(abstraction));
                assert_proved(&program, &outcome);
                assert_no_path_comes_back(&outcome);
                let outcome = engine.check(&broken, options(abstraction));
                assert_refuted(&broken, &outcome);
            }
        }
    }
}

/// The number of classes by both schemes.
#[track_caller]
fn classes(name: &str) -> (usize, usize) {
    let program = load(&format!("control-abstraction/{name}"));
    let [few, many] = [NON_MONOTONIC, MONOTONIC].map(|engine| {
        let outcome = engine.check(&program, options(Abstraction::Cartesian));
        assert_proved(&program, &outcome);
        assert_no_path_comes_back(&outcome);
        outcome.statistics.classes
    });
    (few, many)
}

#[test]
fn non_monotonic_refinement_needs_no_more_classes_than_the_paper_says() {
    let table = [
        ("bakery-atomic.hd", 7),
        ("bakery-atomic.c", 7),
        ("bakery.hd", 10),
        ("bakery.c", 10),
        ("bluetooth.hd", 5),
        ("bluetooth.c", 5),
        ("mozilla-order-fixed.hd", 3),
        ("mozilla-order-fixed.c", 3),
        ("time-varying-mutex.hd", 7),
        ("time-varying-mutex.c", 7),
    ];
    for (name, most) in table {
        let (few, many) = classes(name);
        assert!(few <= most, "{name}: {few} classes");
        assert!(few <= many, "{name}: {few} classes, {many} by splitting");
    }
}

#[test]
fn the_lectures_spurious_counterexample_disappears_with_its_predicate() {
    let mut program = load("lecture-loops/spurious.hd");
    let mut given = |texts: &[&str]| -> Options {
        let condition = |text: &&str| {
            heddle_front::hd::condition(&mut program, "given", text).expect("a condition")
        };
        let predicates = texts.iter().map(condition).collect();
        Options {
            predicates,
            graph: true,
            ..options(Abstraction::Cartesian)
        }
    };
    let few = given(&["x >= 0", "y <= 0", "x >= 1"]);
    let enough = given(&["x >= 0", "y <= 0", "x >= 1", "y <= -1"]);
    let outcome = Engine::Predicate.check(&program, few);
    let first = &outcome.statistics.rounds[0];
    let path = ["r1", "r2", "r3", "r4", "r4", "r4", "l_error"];
    assert_eq!(first.counterexample, path);
    assert_proved(&program, &outcome);
    let outcome = Engine::Predicate.check(&program, enough);
    assert_eq!(outcome.statistics.rounds.len(), 1);
    assert_proved(&program, &outcome);
}

#[test]
fn the_graph_of_the_lectures_loop_is_as_drawn() {
    let mut program = load("lecture-loops/count-up.hd");
    let predicates = ["x > 0", "x < 0"]
        .map(|text| heddle_front::hd::condition(&mut program, "given", text).expect("a condition"));
    let options = Options {
        predicates: predicates.to_vec(),
        graph: true,
        ..options(Abstraction::Cartesian)
    };
    let outcome = Engine::Predicate.check(&program, options);
    let graph = r#"digraph reachability {
  node [shape=box, fontname="monospace"];
  s0 [label="main: l0"];
  s1 [label="main: l1\n0 < x\n!(x < 0)"];
  s0 -> s1 [label="x := 1"];
  s1 -> s1 [label="true -> x := x + 1"];
}
"#;
    assert_eq!(outcome.graph.as_deref(), Some(graph));
}

#[test]
fn an_error_condition_that_mentions_no_location_is_looked_for() {
    let unsafe_model = load("abstract-matching/ticket2-err.hd");
    let safe_model = load("abstract-matching/ticket2.hd");
    for engine in ENGINES {
        let outcome = engine.check(&unsafe_model, options(Abstraction::Cartesian));
        assert_refuted(&unsafe_model, &outcome);
        let outcome = engine.check(&safe_model, options(Abstraction::Cartesian));
        assert_proved(&safe_model, &outcome);
    }
}
