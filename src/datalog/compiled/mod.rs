//! The built-in rule sets, compiled: generated `ascent` code, made from `rules/*.dl` when
//! heddle is built.
//!
//! Every [`Backend::settle`] derives everything anew, which is the fastest way from scratch
//! and for small sets of facts. A second run of an `ascent` program would not be
//! incremental.

mod chains;
mod clocks;
mod deadline;
pub mod generated;
pub mod growth;
pub mod model;
mod risen;
mod seek;
pub mod stored;

pub use model::BuiltIn;

use crate::backend::{Backend, SettleError};
use crate::facts::{Change, Facts};
use crate::value::{Row, Symbols, Value};
use deadline::Deadline;
use heddle_language::ruleset::{RelationId, RuleSet};
use model::{Input, Model};
use std::time::Instant;

// Generated, and expanded by a macro: lints for people do not apply.
#[allow(for_loops_over_fallibles, clippy::all)]
mod built_in {
    include!(concat!(env!("OUT_DIR"), "/built_in.rs"));
}

/// The rule sets that heddle was built with, by name.
pub fn built_in() -> &'static [&'static BuiltIn] {
    built_in::ALL
}

/// Evaluates a built-in rule set.
pub struct Compiled {
    built_in: &'static BuiltIn,
    symbols: Vec<i64>,
    model: Model,
    deadline: Option<Instant>,
}

impl Compiled {
    /// `None` if the rule set is none of the built-in ones, whatever its file is called.
    pub fn new(rules: &RuleSet, symbols: &mut Symbols) -> Option<Self> {
        let text = rules.to_string();
        let built_in = built_in().iter().find(|built_in| built_in.text == text)?;
        Some(Compiled::of(built_in, symbols))
    }

    pub fn of(built_in: &'static BuiltIn, symbols: &mut Symbols) -> Self {
        let symbols = built_in
            .symbols
            .iter()
            .map(|name| symbols.intern(name).0)
            .collect();
        Compiled {
            built_in,
            symbols,
            model: Model::default(),
            deadline: None,
        }
    }
}

impl Backend for Compiled {
    fn settle(&mut self, facts: &Facts, _changes: &[Change]) -> Result<(), SettleError> {
        self.model = (self.built_in.run)(&Input {
            facts,
            symbols: &self.symbols,
            deadline: Deadline::new(self.deadline),
        })?;
        Ok(())
    }

    fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn rows(&self, relation: RelationId) -> Vec<Row> {
        let relation = self.model.relations.get(relation.index());
        relation.map_or_else(Vec::new, |relation| relation.all())
    }

    fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        let relation = self.model.relations.get(relation.index());
        relation.is_some_and(|relation| relation.contains(row))
    }

    fn violated_conflicts(&self) -> Option<Vec<usize>> {
        let held = self.model.conflicts.iter().enumerate();
        Some(
            held.filter(|(_, held)| **held)
                .map(|(index, _)| index)
                .collect(),
        )
    }
}
