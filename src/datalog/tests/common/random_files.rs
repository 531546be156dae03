//! `tests/rules/random`: rule sets that the generator made, kept as files because what is
//! compiled must be there when the tests are built.

use super::rules::{Shape, random};
use fastrand::Rng;
use std::path::PathBuf;

/// Four of each shape.
const FILES: u64 = 32;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules/random")
}

/// The name and the text of each file.
pub(crate) fn all() -> Vec<(String, String)> {
    (0..FILES)
        .map(|seed| {
            let shape = Shape {
                order: seed & 1 == 0,
                negation: seed & 2 == 0,
                conflicts: seed & 4 == 0,
            };
            let rules = random(&mut Rng::with_seed(seed), shape);
            let text = format!("// Random, from seed {seed}: see tests/common/rules.rs.\n{rules}");
            (format!("random_{seed:02}.dl"), text)
        })
        .collect()
}
