//! Rust names for relations, variables and tables.

use crate::ruleset::{RelationId, RuleSet, Variable};
use std::collections::HashSet;

/// Words that cannot name a field or variable in an `ascent` program, or that the
/// generated text uses itself.
const RESERVED: &str = "\
    Self abstract add agg as ascent_run async await become box break const continue count \
    crate divide do dyn else enum expr extern facts false final fn for fresh gen ident if \
    impl in include_source lattice let loop macro match max min mod move multiply mut negate \
    override priv program pub ref relation remainder return rise run self static struct \
    subtract sum super symbol trait true try tuples type typeof unsafe unsized use virtual \
    where while yield";

/// Turns names of rule files into Rust names, different ones into different ones.
///
/// No result contains two underscores in a row. The generated text has names of its own
/// that do, such as `lt__order`, so that the two never clash.
#[derive(Clone, Debug)]
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn new() -> Self {
        Names {
            taken: RESERVED.split_whitespace().map(str::to_string).collect(),
        }
    }

    /// The wish, as far as it can be had.
    fn fresh(&mut self, wish: &str) -> String {
        let mut name = String::new();
        for character in wish.chars() {
            match character {
                'a'..='z' | 'A'..='Z' | '0'..='9' => name.push(character),
                _ if name.ends_with('_') => {}
                _ => name.push('_'),
            }
        }
        let name = name.trim_matches('_');
        let name = match name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            true => name.to_string(),
            false => format!("v{name}"),
        };
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        let free = std::iter::once(name.clone())
            .chain(numbered)
            .find(|name| !self.taken.contains(name))
            .expect("there are infinitely many numbers");
        self.taken.insert(free.clone());
        free
    }
}

/// The names that all rules of a rule set share.
#[derive(Clone, Debug)]
pub(super) struct SharedNames {
    relations: Vec<String>,
    names: Names,
}

impl SharedNames {
    pub(super) fn new(rules: &RuleSet) -> Self {
        let mut names = Names::new();
        let relations = rules
            .relations
            .iter()
            .map(|relation| names.fresh(&relation.name))
            .collect();
        SharedNames { relations, names }
    }

    pub(super) fn relation(&self, id: RelationId) -> &str {
        &self.relations[id.index()]
    }

    /// What an `order` relation is kept as.
    pub(super) fn order(&self, id: RelationId) -> String {
        format!("{}__order", self.relation(id))
    }

    /// Names for one rule's variables that hide none of the shared ones.
    pub(super) fn variables(&self, variables: &[Variable]) -> Vec<String> {
        let mut names = self.names.clone();
        variables
            .iter()
            .map(|variable| names.fresh(&variable.name))
            .collect()
    }
}
