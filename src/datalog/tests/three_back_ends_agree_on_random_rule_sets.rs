//! Random rule sets, facts that come and go: after every settle the compiled and the
//! incremental back end hold exactly what the oracle derives, and violate the same
//! conflicts.

mod common;

use common::facts::{Step, apply, epoch};
use common::random_files;
use fastrand::Rng;
use heddle_datalog::compiled::{BuiltIn, Compiled};
use heddle_datalog::theory::{BackendKind, Theory};
use std::fs;
use std::path::Path;

// Generated, and expanded by a macro: lints for people do not apply.
#[allow(for_loops_over_fallibles, clippy::all)]
mod random_rules {
    include!(concat!(env!("OUT_DIR"), "/random_rules.rs"));
}

/// Together with 32 rule sets and the epochs: 6,400 comparisons of the three.
const CASES: u64 = 40;
const EPOCHS: usize = 5;

#[test]
fn after_every_change_of_the_facts() {
    let mut derived = 0;
    for rules in random_rules::ALL {
        for seed in 0..CASES {
            derived += usize::from(compare(rules, seed));
        }
    }
    let all = random_rules::ALL.len() * CASES as usize;
    assert!(
        derived > all / 2,
        "{derived} of {all} cases derive anything"
    );
}

/// Whether anything was derived in the last epoch.
fn compare(compiled: &'static BuiltIn, seed: u64) -> bool {
    let rules = common::load(compiled.text);
    let mut rng = Rng::with_seed(seed);
    let mut present = Vec::new();
    let epochs: Vec<Vec<Step>> = (0..EPOCHS)
        .map(|_| epoch(&mut rng, &rules, &mut present))
        .collect();

    let mut oracle = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
    let incremental = Theory::new(rules.clone(), BackendKind::Incremental).unwrap();
    let make = |_, symbols: &mut _| Some(Box::new(Compiled::of(compiled, symbols)) as _);
    let compiled_theory = Theory::with_backend(rules.clone(), make).unwrap();
    let mut others = [("incremental", incremental), ("compiled", compiled_theory)];
    for (number, steps) in epochs.iter().enumerate() {
        steps.iter().for_each(|step| apply(&mut oracle, step));
        oracle.settle().unwrap();
        let expected = common::model(&oracle);
        for (name, theory) in &mut others {
            steps.iter().for_each(|step| apply(theory, step));
            theory.settle().unwrap();
            let at = format!("{name}, {}, seed {seed}, epoch {number}", compiled.name);
            assert_eq!(
                common::model(theory),
                expected,
                "{at}: the relations (left) differ\n{}\n{epochs:#?}",
                compiled.text
            );
            assert_eq!(
                violated(theory),
                violated(&oracle),
                "{at}: the conflicts (left) differ\n{}\n{epochs:#?}",
                compiled.text
            );
        }
    }
    common::model(&oracle).len() > present_tuples(&oracle)
}

fn present_tuples(theory: &Theory) -> usize {
    let relations = theory.rules().relation_ids();
    relations.map(|id| theory.facts().rows(id).count()).sum()
}

fn violated(theory: &Theory) -> Vec<&str> {
    let conflicts = theory.violated_conflicts().into_iter();
    conflicts.map(|conflict| conflict.name.as_str()).collect()
}

#[test]
fn the_rule_files_are_what_the_generator_makes() {
    let made = random_files::all();
    let differ = |(name, text): &&(String, String)| {
        fs::read_to_string(random_files::folder().join(name)).ok() != Some(text.clone())
    };
    if made.iter().any(|file| differ(&file)) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random");
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in &made {
            fs::write(folder.join(name), text).unwrap();
        }
        panic!(
            "tests/rules/random is not what the generator makes. If the generator was meant to \
             change, copy {}/*.dl there",
            folder.display()
        );
    }
    let compiled: Vec<&str> = random_rules::ALL.iter().map(|rules| rules.name).collect();
    let made: Vec<&str> = made
        .iter()
        .map(|(name, _)| name.trim_end_matches(".dl"))
        .collect();
    assert_eq!(compiled, made, "every file is compiled, and no other");
}
