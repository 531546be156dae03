//! Predicates that are tracked only where they are needed prove the same programs, and find the
//! same errors.

use heddle_engine::predicate;
use heddle_engine::reach::{Options, Outcome, Refinement, Scoping};
use heddle_program::{Program, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn example(name: &str) -> Program {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
    let path = Path::new(folder).join("control-abstraction").join(name);
    let loaded = heddle_front::load(&path, &heddle_front::Options::default());
    loaded.expect("the example is correct").0
}

fn checked(program: &Program) -> Outcome {
    let options = Options {
        scoping: Scoping::PerLocation,
        ..Options::default()
    };
    predicate::check(program, &options, &mut ())
}

/// Where each predicate was tracked in the end.
fn scopes(outcome: &Outcome) -> BTreeMap<String, BTreeSet<String>> {
    let mut last = BTreeMap::new();
    for round in &outcome.statistics.rounds {
        if let Some(Refinement::Data { scopes, .. }) = &round.refinement {
            for (predicate, points) in scopes {
                last.insert(predicate.clone(), points.iter().cloned().collect());
            }
        }
    }
    last
}

#[test]
fn the_papers_programs_are_proved_and_their_broken_versions_refuted() {
    for name in ["bakery", "bluetooth", "time-varying-mutex"] {
        let safe = checked(&example(&format!("{name}.hd")));
        assert_eq!(safe.verdict, Verdict::Safe, "{name}");
        let broken = checked(&example(&format!("{name}-broken.hd")));
        assert_eq!(broken.verdict, Verdict::Unsafe, "{name}");
    }
}

#[test]
fn no_predicate_of_bakery_is_needed_everywhere() {
    let program = example("bakery.hd");
    let outcome = checked(&program);
    let scopes = scopes(&outcome);
    assert_eq!(scopes.len(), outcome.statistics.predicates.len());
    let of_a_thread = program.locations.len() / program.threads.len();
    for (predicate, points) in scopes {
        assert!(!points.is_empty(), "{predicate}");
        assert!(points.len() < of_a_thread, "{predicate}: {points:?}");
    }
}
