//! Random rule sets, facts that come and go: two and three workers hold what one holds.

mod common;

use common::facts::{Step, apply, epoch};
use common::rules::{Shape, random};
use fastrand::Rng;
use heddle_datalog::incremental::Incremental;
use heddle_datalog::theory::{BackendKind, Theory};
use std::num::NonZeroUsize;

const CASES: u64 = 60;
const EPOCHS: usize = 4;

#[test]
fn on_random_rule_sets_and_changes() {
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let shape = Shape {
            order: seed % 3 != 0,
            negation: rng.bool(),
            conflicts: false,
        };
        let text = random(&mut rng, shape);
        let rules = common::load(&text);
        let mut present = Vec::new();
        let epochs: Vec<Vec<Step>> = (0..EPOCHS)
            .map(|_| epoch(&mut rng, &rules, &mut present))
            .collect();

        let mut alone = Theory::new(rules.clone(), BackendKind::Incremental).unwrap();
        let workers = NonZeroUsize::new(2 + seed as usize % 2).unwrap();
        let mut several = Theory::with_backend(rules.clone(), |rules, symbols| {
            Some(Box::new(Incremental::with_workers(rules, symbols, workers)))
        })
        .unwrap();
        let relations: Vec<_> = rules.relation_ids().collect();
        for (number, steps) in epochs.iter().enumerate() {
            for step in steps {
                apply(&mut alone, step);
                apply(&mut several, step);
            }
            let expected = alone.settle_with_changes(&relations).unwrap();
            let actual = several.settle_with_changes(&relations).unwrap();
            let case = format!("seed {seed}, epoch {number}\n{text}\n{epochs:#?}");
            assert_eq!(actual, expected, "{case}");
            assert_eq!(common::model(&several), common::model(&alone), "{case}");
        }
    }
}
