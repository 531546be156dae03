//! Reasons of facts that are nearly consistent: a few wrong choices are part of all of them.
//!
//! Whoever knows these [suspects](super::consistent_part) need not look at sets without one
//! that are as large as the reasons in question, and these are nearly all sets. So one more
//! step is cheap, and still exact. What it does not have to find, because all smaller reasons
//! are known and more are wanted, is read off [short cycles](super::short_cycles).

use super::consistent_part::ConsistentPart;
use super::fixpoint::{Limits, Outcome};
use super::kernel_search::{Exact, Found, Search, Wanted};
use super::literal_sets::LiteralIndex;
use super::reasons::Coverage;
use super::short_cycles::{self, Cycle};
use rustc_hash::FxHashSet;

/// How many derivations the first step may try: so many anyway, and more for each fact.
const FIRST_WORK: u64 = 30_000;
const FIRST_WORK_PER_FACT: u64 = 50;

/// How many derivations a later step may try, and how many times as many as the step before
/// it is expected to try at least.
const NEXT_WORK: u64 = 30_000;
const GROWTH: u64 = 10;

/// How many short cycles to look at. Where there are more, many choices are wrong.
const MOST_CYCLES: usize = 2_000;

impl Search<'_> {
    /// Goes on where all reasons of `complete` literals are known, as long as that is cheap.
    pub(super) fn go_on_with_suspects(&mut self, complete: usize, wanted: Wanted) -> Exact {
        let gave_up = |complete: usize| Exact {
            coverage: None,
            complete,
        };
        let enough = |complete: usize, coverage: Coverage| Exact {
            coverage: Some(coverage),
            complete,
        };
        if complete >= wanted.largest || !self.is_settled(complete) {
            return gave_up(complete);
        }
        let short = self.cycles(complete + 1, 2, None);
        self.add_cycles(short);
        if self.has_enough(complete, wanted) {
            return enough(complete, Coverage::Shortest);
        }
        let Some(part) = ConsistentPart::new(self.fixpoint) else {
            return gave_up(complete);
        };
        let cycles = self.cycles(complete + 2, 3, None);
        if cycles.len() >= MOST_CYCLES {
            return gave_up(complete);
        }
        let found = self.found.iter().map(|found| &found.literals[..]);
        let found = found.filter(|literals| literals.len() > 1);
        let conflicts = found.chain(cycles.iter().map(|cycle| &cycle.literals[..]));
        let Some(suspects) = part.suspects(conflicts) else {
            return gave_up(complete);
        };
        if suspects.is_empty() {
            // All reasons are single literals.
            return enough(complete, Coverage::All);
        }
        self.suspects = Some(suspects.clone());
        let facts = self.facts.iter().map(Vec::len).sum::<usize>() as u64;
        let mut work = FIRST_WORK + FIRST_WORK_PER_FACT * facts;
        let mut complete = complete;
        while complete < wanted.largest {
            let limits = Limits {
                work,
                deadline: self.deadline,
                ..Limits::NONE
            };
            let step = self.step(complete + 1, limits);
            if step.outcome == Outcome::GaveUp {
                break;
            }
            complete += 1;
            self.add(step.found);
            if !step.cut {
                return enough(complete, Coverage::All);
            }
            let longer = self.cycles(complete + 1, 3, Some(&suspects));
            self.add_cycles(longer);
            if self.has_enough(complete, wanted) {
                return enough(complete, Coverage::Shortest);
            }
            work = NEXT_WORK;
            if step.work * GROWTH > work {
                break;
            }
        }
        gave_up(complete)
    }

    /// Makes sure that all that follows from so many literals is derived.
    fn is_settled(&mut self, complete: usize) -> bool {
        let limits = Limits {
            deadline: self.deadline,
            ..Limits::NONE
        };
        self.fixpoint.algebra.cap() == complete
            || self.step(complete, limits).outcome == Outcome::Finished
    }

    fn cycles(
        &self,
        literals: usize,
        parts: usize,
        suspects: Option<&FxHashSet<LiteralIndex>>,
    ) -> Vec<Cycle> {
        let wanted = short_cycles::Wanted {
            literals,
            parts,
            suspects,
            limit: MOST_CYCLES,
        };
        short_cycles::short_cycles(self.fixpoint, &self.known, &wanted)
    }

    /// Adds cycles that contain no known reason and are larger than all that are missing.
    fn add_cycles(&mut self, cycles: Vec<Cycle>) {
        let rules = self.fixpoint.program.rules.rules.len();
        for cycle in cycles {
            let clauses = cycle.clauses(self.fixpoint);
            self.add([Found::new(cycle.literals, clauses, rules)]);
        }
    }
}
