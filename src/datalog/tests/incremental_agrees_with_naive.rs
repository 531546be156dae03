//! Random rule sets, facts that come and go: after every settle the incremental back end
//! holds exactly what the oracle derives afresh, and reports exactly what changed.
//! `HEDDLE_CASES` and `HEDDLE_SEED` make it a longer campaign.

mod common;

use common::facts::{Step, apply, epoch};
use common::rules::{Shape, random};
use fastrand::Rng;
use heddle_datalog::facts::ChangeKind;
use heddle_datalog::theory::{BackendKind, Theory};
use std::collections::BTreeSet;

const EPOCHS: usize = 5;

#[test]
fn on_random_rule_sets_and_changes() {
    let first = common::setting("HEDDLE_SEED", 0);
    for seed in first..first + common::setting("HEDDLE_CASES", 1_500) {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            order: rng.bool(),
            negation: rng.bool(),
            conflicts: false,
        };
        let text = random(&mut rng, shape);
        let rules = common::load(&text);
        let mut present = Vec::new();
        let epochs: Vec<Vec<Step>> = (0..EPOCHS)
            .map(|_| epoch(&mut rng, &rules, &mut present))
            .collect();

        let mut oracle = Theory::new(rules.clone(), BackendKind::Naive).unwrap();
        let mut incremental = Theory::new(rules.clone(), BackendKind::Incremental).unwrap();
        let relations: Vec<_> = rules.relation_ids().collect();
        let mut before = BTreeSet::new();
        for (number, steps) in epochs.iter().enumerate() {
            for step in steps {
                apply(&mut oracle, step);
                apply(&mut incremental, step);
            }
            oracle.settle().unwrap();
            let changes = incremental.settle_with_changes(&relations).unwrap();
            let expected = common::model(&oracle);
            let actual = common::model(&incremental);
            assert_eq!(
                actual, expected,
                "seed {seed}, epoch {number}: incremental (left) differs\n{text}\n{epochs:#?}"
            );
            for change in changes {
                let line = heddle_datalog::show::tuple(
                    &rules,
                    incremental.symbols(),
                    change.relation,
                    &change.row,
                );
                let right = match change.kind {
                    ChangeKind::Insert => before.insert(line.clone()),
                    ChangeKind::Remove => before.remove(&line),
                };
                assert!(right, "seed {seed}: {line} did not change that way\n{text}");
            }
            assert_eq!(
                before, expected,
                "seed {seed}, epoch {number}: a change is missing"
            );
        }
    }
}
