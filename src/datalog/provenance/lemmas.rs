//! All reasons of a few literals, among all candidates of all choices at once.
//!
//! Two candidates of one choice, such as two links of one read, are most of all reasons of two
//! literals. They are known beforehand, and nothing is derived from them. The others are nearly all
//! cycles of two paths: as soon as all that follows from single literals is known, these are [read
//! off](super::short_cycles), and nothing is derived from them either. What is left is few.

use super::algebra::Algebra;
use super::fixpoint::{Fixpoint, Limits, Outcome};
use super::kernel_search::{Found, Search, minimal, violations};
use super::known_reasons::KnownReasons;
use super::literal_sets::LiteralSets;
use super::reasons::Coverage;
use super::short_cycles::{Wanted, short_cycles};
use crate::facts::LiteralName;
use rustc_hash::FxHashMap;

impl Search<'_> {
    /// Looks for all reasons of at most `size` literals, until time is up. Two literals of one of
    /// the `exclusive` groups are known to be one.
    pub(super) fn lemmas(
        &mut self,
        size: usize,
        limit: usize,
        exclusive: &[Vec<LiteralName>],
    ) -> Coverage {
        let mut sets = LiteralSets::new(self.always, self.literals, size);
        sets.set_reasons(KnownReasons::exclusive(self.groups(exclusive)));
        self.fixpoint.rollback(self.mark, sets);
        self.fixpoint.limits = Limits {
            deadline: self.deadline,
            ..Limits::NONE
        };
        let mut found: Vec<Found> = Vec::new();
        let mut look_for_cycles = |fixpoint: &mut Fixpoint<LiteralSets>, level: u64| {
            if level >= 1 && level < size as u64 {
                found.extend(take_short_cycles(fixpoint, level as usize + 1, limit));
            }
            if found.len() + fixpoint.violations.len() >= limit {
                fixpoint.algebra.stop_above(level);
            }
            false
        };
        let (facts, mark) = (self.facts, self.mark);
        let outcome = (self.fixpoint).extend_until(facts, mark, &mut look_for_cycles);
        found.extend(violations(self.fixpoint));
        self.add(minimal(found));
        match outcome {
            Outcome::GaveUp => Coverage::Some,
            _ if self.fixpoint.algebra.was_cut() => Coverage::Shortest,
            _ => Coverage::All,
        }
    }

    /// For each literal, the number of its group.
    fn groups(&self, exclusive: &[Vec<LiteralName>]) -> Vec<u32> {
        let mut numbers: FxHashMap<LiteralName, u32> = FxHashMap::default();
        for (number, group) in (0..).zip(exclusive) {
            numbers.extend(group.iter().map(|&literal| (literal, number)));
        }
        // One that is in no group is a group of its own.
        let mut next = exclusive.len() as u32;
        let mut number = |literal: &LiteralName| {
            numbers.get(literal).copied().unwrap_or_else(|| {
                next += 1;
                next
            })
        };
        self.literals.iter().map(&mut number).collect()
    }
}

/// The cycles of two paths that have so many literals, one more than all that was derived. From now
/// on, they are known.
fn take_short_cycles(
    fixpoint: &mut Fixpoint<LiteralSets>,
    literals: usize,
    limit: usize,
) -> Vec<Found> {
    let wanted = Wanted {
        literals,
        parts: 2,
        suspects: None,
        limit,
    };
    let rules = fixpoint.program.rules.rules.len();
    let mut found = Vec::new();
    for cycle in short_cycles(fixpoint, fixpoint.algebra.reasons(), &wanted) {
        let clauses = cycle.clauses(fixpoint);
        fixpoint.algebra.add_reason(&cycle.literals);
        found.push(Found::new(cycle.literals, clauses, rules));
    }
    found
}
