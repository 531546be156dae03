//! Provenance, for any rule set: why a tuple holds, and which literals a violated
//! `.conflict` rests on.

mod algebra;
mod derivation;
mod fixpoint;
mod heights;
mod join;
mod join_plan;
mod literal_sets;
mod matcher;
mod orders;
mod pairs;
mod plan;
mod preparation;
mod program;
mod queue;
mod reasons;
mod store;
mod tables;
mod used;

pub use reasons::{Coverage, Reason, Reasons};

use crate::backend::SettleError;
use crate::constants::Constants;
use crate::facts::Facts;
use crate::value::Symbols;
use heddle_language::RuleSet;
use reasons::Reasoner;
use std::sync::Arc;

/// Answers why, about one rule set and facts that change from call to call.
pub struct Provenance {
    rules: Arc<RuleSet>,
    constants: Constants,
    reasoner: Option<Reasoner>,
}

impl Provenance {
    pub fn new(rules: Arc<RuleSet>, symbols: &mut Symbols) -> Self {
        let constants = Constants::of(&rules, symbols);
        Provenance {
            rules,
            constants,
            reasoner: None,
        }
    }

    /// The kernel reasons of all violated conflicts, the shortest first, at most `limit`.
    ///
    /// What follows from facts that hold by themselves is derived in the first call and used
    /// again as long as only other facts change.
    pub fn reasons(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
    ) -> Result<Reasons, SettleError> {
        self.reasoner().reasons(symbols, facts, usize::MAX, limit)
    }

    /// The kernel reasons of at most `size` literals, at most `limit` of them.
    ///
    /// The facts need not be a model: over all candidates of all choices at once, this is
    /// every small lemma that a solver can be told before its first call.
    pub fn lemmas(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        size: usize,
        limit: usize,
    ) -> Result<Reasons, SettleError> {
        self.reasoner().reasons(symbols, facts, size, limit)
    }

    fn reasoner(&mut self) -> &mut Reasoner {
        self.reasoner
            .get_or_insert_with(|| Reasoner::new(self.rules.clone(), &self.constants))
    }
}
