//! Provenance, for any rule set: why a tuple holds, and which literals a violated
//! `.conflict` rests on.

mod algebra;
mod approach;
mod candidates;
mod cheap_conflicts;
mod cheapest_cycles;
mod closest;
mod combining;
mod consistent_part;
mod cores;
mod costs;
mod derivation;
mod event_numbers;
mod explain;
mod fewest_steps;
mod fixpoint;
mod ground_order;
mod groups;
mod heights;
mod join;
mod join_plan;
mod kernel_search;
mod known_reasons;
mod lemmas;
mod literal_sets;
mod matcher;
mod nearly_consistent;
mod ordering;
mod orders;
mod pairs;
mod paths;
mod plan;
mod preparation;
mod program;
mod proof;
mod queue;
mod reasons;
mod resuming;
mod rising_clocks;
mod shelves;
mod short_cycles;
mod start;
mod steps;
mod store;
mod stretches;
mod tables;
mod used;
mod why_not;

pub use explain::Explanation;
pub use proof::{By, Claim, Node, NodeId, Proof};
pub use reasons::{Coverage, Reason, Reasons};
pub use steps::{Conclusion, Ground, Step, Steps};
pub use why_not::{Attempt, WhyNot};

use crate::backend::SettleError;
use crate::constants::Constants;
use crate::facts::{Facts, LiteralName};
use crate::value::{Row, Symbols, Value};
use explain::Explainer;
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use kernel_search::{Patience, Search, Wanted};
use reasons::{OnDemand, Reasoner};
use std::sync::Arc;
use std::time::Instant;

/// Answers why, about one rule set and facts that change from call to call.
pub struct Provenance {
    rules: Arc<RuleSet>,
    constants: Constants,
    explainer: Option<Explainer>,
    reasoner: Option<Reasoner>,
    deadline: Option<Instant>,
}

impl Provenance {
    pub fn new(rules: Arc<RuleSet>, symbols: &mut Symbols) -> Self {
        let constants = Constants::of(&rules, symbols);
        Provenance {
            rules,
            constants,
            explainer: None,
            reasoner: None,
            deadline: None,
        }
    }

    /// Why a tuple holds, by a proof of least height, or why it does not.
    ///
    /// The first call derives only what it takes to prove the tuple. The second one derives whatever
    /// the relation depends on, which is used again as long as the facts and the relation are the
    /// same.
    pub fn explain(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        relation: RelationId,
        row: &[Value],
    ) -> Result<Explanation, SettleError> {
        let explainer = self.explainer(facts, relation, Some(row))?;
        Ok(explainer.explain(symbols, row))
    }

    /// [`Provenance::explain`] for many tuples of one relation, which looks only once whether
    /// the facts are the same.
    pub fn explain_all(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        relation: RelationId,
        rows: &[Row],
    ) -> Result<Vec<Explanation>, SettleError> {
        let explainer = self.explainer(facts, relation, None)?;
        let explanations = rows.iter().map(|row| explainer.explain(symbols, row));
        Ok(explanations.collect())
    }

    /// One that knows about a row, or about all.
    fn explainer(
        &mut self,
        facts: &Facts,
        relation: RelationId,
        row: Option<&[Value]>,
    ) -> Result<&mut Explainer, SettleError> {
        let is_current = |known: &Explainer| known.goal == relation && known.is_current(facts);
        let known = self.explainer.take().filter(is_current);
        // Who asks about the same facts again may do so many times.
        let only = row.filter(|_| known.is_none());
        let explainer = match known.filter(|known| known.knows(row)) {
            Some(explainer) => explainer,
            None => Explainer::new(self.rules.clone(), &self.constants, facts, relation, only)?,
        };
        Ok(self.explainer.insert(explainer))
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
        self.find_reasons(symbols, facts, limit, Patience::Long)
    }

    /// [`Provenance::reasons`] for a solver that waits: more often, shorter ones than those
    /// listed are missing, or there are fewer than could be found.
    pub fn quick_reasons(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
    ) -> Result<Reasons, SettleError> {
        self.find_reasons(symbols, facts, limit, Patience::Short)
    }

    fn find_reasons(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
        patience: Patience,
    ) -> Result<Reasons, SettleError> {
        let wanted = Wanted { limit, patience };
        let find = |search: &mut Search, cheap: OnDemand<'_>| search.search(wanted, cheap);
        self.reasoner().reasons(symbols, facts, limit, find)
    }

    /// All kernel reasons of at most `size` literals, but at most `limit` of them. If the deadline
    /// came before all were found, their coverage says so.
    ///
    /// The facts need not be a model: over all candidates of all choices at once, this is
    /// every small lemma that a solver can be told before its first call. Two literals of one of
    /// the `exclusive` groups are known never to go together, so no reason has both.
    pub fn lemmas(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        size: usize,
        limit: usize,
        exclusive: &[Vec<LiteralName>],
    ) -> Result<Reasons, SettleError> {
        let find = |search: &mut Search, _: OnDemand<'_>| Ok(search.lemmas(size, limit, exclusive));
        let found = self.reasoner().reasons(symbols, facts, limit, find);
        self.reasoner().forget();
        found
    }

    /// Violated conflicts, `limit` of them or more, cut into steps; see [`Steps`].
    pub fn conflict_steps(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
    ) -> Result<Steps, SettleError> {
        self.reasoner().conflict_steps(symbols, facts, limit)
    }

    /// From then on, searches for reasons end with what they have found.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    fn reasoner(&mut self) -> &mut Reasoner {
        let reasoner = self
            .reasoner
            .get_or_insert_with(|| Reasoner::new(self.rules.clone(), &self.constants));
        reasoner.deadline = self.deadline;
        reasoner
    }
}
