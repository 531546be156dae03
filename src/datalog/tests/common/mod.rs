//! Random rule sets, random facts and random changes of them, all from one seed.

#![allow(dead_code)] // each test file uses its own part

pub(crate) mod facts;
pub(crate) mod random_files;
pub(crate) mod rules;

use heddle_datalog::theory::Theory;
use heddle_datalog::value::Row;
use heddle_language::RuleSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A number from the environment, for campaigns that are longer than a test.
pub(crate) fn setting(name: &str, default: u64) -> u64 {
    let set = std::env::var(name).ok();
    set.map_or(default, |value| value.parse().expect("a number"))
}

pub(crate) fn load(text: &str) -> Arc<RuleSet> {
    match heddle_language::load_text("test.dl", text) {
        Ok(loaded) => Arc::new(loaded.rules),
        Err(report) => panic!("{report}\n{text}"),
    }
}

/// Every relation of a settled theory, as text: comparable between theories that number
/// their symbols differently.
pub(crate) fn model(theory: &Theory) -> BTreeSet<String> {
    let rules = theory.rules().clone();
    let mut model = BTreeSet::new();
    for relation in rules.relation_ids() {
        for row in theory.rows(relation) {
            let line = heddle_datalog::show::tuple(&rules, theory.symbols(), relation, &row);
            assert!(
                theory.contains(relation, &row),
                "rows() lists {line} but contains() denies it"
            );
            assert!(model.insert(line.clone()), "rows() lists {line} twice");
        }
    }
    model
}

/// A row of a theory from text fields.
pub(crate) fn row(theory: &mut Theory, relation: &str, fields: &[&str]) -> Row {
    let id = theory.rules().find(relation).expect("a declared relation");
    let fields = fields.iter().map(|field| (*field, 0..0));
    let (row, _) = heddle_datalog::fact_files::parse_row(theory, id, fields, 0..0)
        .expect("fields that fit the relation");
    row
}
