//! Kernel reasons within candidates: sets of few literals that violate a conflict.
//!
//! [The cheapest conflicts](super::cheap_conflicts) are such sets. Where every reason contains one
//! of a few suspects, it takes much less to find those that do, though not all of them.

use super::cheap_conflicts::{Candidate, CheapConflicts, Scope};
use super::fixpoint::{FactLists, Limits, Outcome};
use super::kernel_search::{Found, Patience, Search, Wanted, names};
use super::literal_sets::LiteralIndex;
use super::reasons::Coverage;
use crate::facts::LiteralName;
use crate::value::Row;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// How many derivations the search for cheap conflicts may try: so many anyway, and more for
/// each fact.
const WORK: u64 = 100_000;
const WORK_PER_FACT: u64 = 150;

/// The same for those that contain a suspect, before all are searched.
const AROUND_WORK: u64 = 20_000;
const AROUND_WORK_PER_FACT: u64 = 100;

/// The sets of more literals are too many to go through.
const SMALL: usize = 10;
const SMALL_WORK: u64 = 10_000;

const VIOLATES: &str = "a candidate violates a conflict";

impl Search<'_> {
    /// Looks for as many more reasons as are wanted, where all of `complete` literals are known.
    pub(super) fn go_on_with_candidates(
        &mut self,
        complete: usize,
        wanted: Wanted,
        cheap: &mut CheapConflicts,
    ) -> Coverage {
        let outcome = self.add_cheapest(wanted, cheap);
        if outcome == Outcome::Finished && self.found.is_empty() {
            // There is no conflict at all.
            return Coverage::All;
        }
        match self.has_enough(complete, wanted) {
            true => Coverage::Shortest,
            false => Coverage::Some,
        }
    }

    fn add_cheapest(&mut self, wanted: Wanted, cheap: &mut CheapConflicts) -> Outcome {
        let facts = self.fact_count();
        if !self.suspects.is_empty() {
            let work = AROUND_WORK + AROUND_WORK_PER_FACT * facts;
            let suspects = self.suspects.clone();
            let outcome = self.add_cheapest_within(wanted, &suspects, work, cheap);
            // A solver is content with what comes to hand.
            let suffices = match wanted.patience {
                Patience::Short => 1,
                Patience::Long => wanted.limit.div_ceil(4).max(1),
            };
            if outcome == Outcome::Enough || self.found.len() >= suffices {
                return outcome;
            }
        }
        let work = WORK + WORK_PER_FACT * facts;
        let outcome = self.add_cheapest_within(wanted, &[], work, cheap);
        if self.found.is_empty() && outcome == Outcome::GaveUp {
            // Whether anything is violated is not to be left open.
            let any = Wanted { limit: 1, ..wanted };
            return self.add_cheapest_within(any, &[], u64::MAX, cheap);
        }
        outcome
    }

    /// Adds the kernel reasons of the cheapest conflicts until there are enough; where there are
    /// suspects, only of those that are easily found with their help.
    fn add_cheapest_within(
        &mut self,
        wanted: Wanted,
        suspects: &[LiteralIndex],
        work: u64,
        cheap: &mut CheapConflicts,
    ) -> Outcome {
        let missing = wanted.limit.saturating_sub(self.found.len());
        let all = 0..self.literals.len() as LiteralIndex;
        let is_usable = |index: &LiteralIndex| !self.known.any_within(&[*index]);
        let usable: Vec<LiteralIndex> = all.filter(is_usable).collect();
        let usable_names = names(&usable, self.literals);
        let suspects = names(suspects, self.literals);
        let scope = Scope {
            facts: self.facts,
            literals: &usable_names,
            suspects: (!suspects.is_empty()).then_some(&suspects),
            work,
        };
        let indexes: FxHashMap<LiteralName, LiteralIndex> =
            usable_names.iter().copied().zip(usable).collect();
        let known_before = self.known.clone();
        let mut candidates = 0;
        let mut large: Vec<Vec<LiteralIndex>> = Vec::new();
        let mut outcome = cheap.search(&scope, &mut |candidate| {
            let literals = candidate.literals.iter().map(|literal| indexes[literal]);
            let mut literals: Vec<LiteralIndex> = literals.collect();
            literals.sort_unstable();
            candidates += usize::from(!known_before.any_within(&literals));
            if !self.known.any_within(&literals) {
                match self.all_kernels(&literals) {
                    Some(kernels) => self.add_kernels(kernels),
                    None => large.push(literals),
                }
            }
            match wanted.patience {
                Patience::Short => candidates >= missing,
                Patience::Long => self.found.len() + large.len() >= wanted.limit,
            }
        });
        for candidate in large {
            if self.found.len() < wanted.limit && !self.known.any_within(&candidate) {
                match self.one_kernel(&candidate, cheap) {
                    Some(kernel) => self.add_kernels([kernel]),
                    // There is a reason, and no time to find it.
                    None => outcome = Outcome::GaveUp,
                }
            }
        }
        outcome
    }

    /// Adds those that are not known.
    fn add_kernels(&mut self, kernels: impl IntoIterator<Item = Found>) {
        for kernel in kernels {
            // One kernel contains another only if they are the same.
            if !self.known.any_within(&kernel.literals) {
                self.add([kernel]);
            }
        }
    }

    /// All reasons within a candidate, if it is so small that they are easily found.
    fn all_kernels(&mut self, candidate: &[LiteralIndex]) -> Option<Vec<Found>> {
        if candidate.len() > SMALL {
            return None;
        }
        let names = names(candidate, self.literals);
        let facts = resting_on(self.facts, &names);
        let mut within = Search::new(self.fixpoint, self.mark, &facts, self.always, &names);
        let limits = Limits {
            work: SMALL_WORK,
            deadline: self.deadline,
            ..Limits::NONE
        };
        let step = within.step(candidate.len(), limits);
        if step.outcome != Outcome::Finished {
            return None;
        }
        debug_assert!(!step.found.is_empty(), "{VIOLATES}");
        let kernels = step.found.into_iter().map(|found| found.among(candidate));
        Some(kernels.collect())
    }

    /// Leaves out one literal after the other, as long as a conflict is still violated.
    fn one_kernel(&self, candidate: &[LiteralIndex], cheap: &mut CheapConflicts) -> Option<Found> {
        let facts = resting_on(self.facts, &names(candidate, self.literals));
        let Some(mut kernel) = self.violation_by(candidate, &facts, cheap) else {
            let is_late = |deadline: Instant| Instant::now() >= deadline;
            debug_assert!(self.deadline.is_some_and(is_late), "{VIOLATES}");
            return None;
        };
        for literal in candidate {
            if let Ok(place) = kernel.literals.binary_search(literal) {
                let mut fewer = kernel.literals.clone();
                fewer.remove(place);
                if let Some(smaller) = self.violation_by(&fewer, &facts, cheap) {
                    kernel = smaller;
                }
            }
        }
        Some(kernel)
    }

    /// Some set among the given literals that violates a conflict. `facts` has all that rest on
    /// them.
    fn violation_by(
        &self,
        literals: &[LiteralIndex],
        facts: &FactLists,
        cheap: &mut CheapConflicts,
    ) -> Option<Found> {
        let names = names(literals, self.literals);
        let scope = Scope {
            facts,
            literals: &names,
            suspects: None,
            work: u64::MAX,
        };
        let mut first = None;
        cheap.search(&scope, &mut |candidate| {
            first = Some(candidate);
            true
        });
        let Candidate {
            literals: found,
            clauses,
        } = first?;
        let is_used = |index: &&LiteralIndex| {
            let name = &self.literals[**index as usize];
            found.binary_search(name).is_ok()
        };
        Some(Found::new(
            literals.iter().filter(is_used).copied().collect(),
            clauses,
            self.fixpoint.program.rules.rules.len(),
        ))
    }
}

/// The facts that rest on one of these literals.
pub(super) fn resting_on(facts: &FactLists, literals: &[LiteralName]) -> FactLists {
    let literals: FxHashSet<LiteralName> = literals.iter().copied().collect();
    let rests_on_one = |fact: &&(Row, LiteralName)| literals.contains(&fact.1);
    let of_relation = |list: &Vec<_>| list.iter().filter(rests_on_one).cloned().collect();
    facts.iter().map(of_relation).collect()
}
