//! The search for kernel reasons.
//!
//! The fixpoint over [literal sets](super::literal_sets) finds them. Tuples can rest on far
//! too many sets, though, so the search goes up in steps: first the reasons of one literal,
//! then those of two, and so on, each time over all sets of at most that size, which is
//! exact. What is known already prunes the next step, since no kernel reason contains
//! another.
//!
//! When a step becomes too expensive, [a few literals](super::nearly_consistent) that are part of
//! all reasons make it cheaper where the facts are nearly consistent, and it stays exact. Otherwise
//! it is enough to look where reasons are: within [candidates](super::candidates), sets that are
//! known to violate a conflict. Only shorter reasons with other literals may be missed.

use super::algebra::Algebra;
use super::candidates::resting_on;
use super::cores::Cores;
use super::fixpoint::{FactLists, Fixpoint, Limits, Mark, Outcome};
use super::ground_order::GroundOrder;
use super::known_reasons::KnownReasons;
use super::literal_sets::{LiteralIndex, LiteralSets};
use super::program::ClauseId;
use super::reasons::{Coverage, OnDemand};
use super::used::Used;
use crate::backend::SettleError;
use crate::facts::LiteralName;
use heddle_language::ruleset::RuleId;
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::time::Instant;

/// A reason as positions in the sorted list of literals.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) literals: Vec<LiteralIndex>,
    pub(super) conflict: usize,
    pub(super) rules: Vec<RuleId>,
}

/// How many derivations the first step may try: so many anyway, and more for each fact.
const FIRST_WORK: u64 = 200_000;
const FIRST_WORK_PER_FACT: u64 = 50;

/// How many derivations a later step may try, and how many times as many as the step before
/// it is expected to try at least.
const NEXT_WORK: u64 = 10_000;
const GROWTH: u64 = 5;

/// The fewer literals there are, the fewer are their sets, and the more likely is a search that
/// comes to its end. How many derivations all later steps together may try, times the number of
/// literals, and how many at most.
const WORK_OF_ONE_LITERAL: u64 = 4_000_000;
const FEW_LITERALS_WORK: u64 = 200_000;

/// How many literals are so few whoever waits.
const FEW_LITERALS: usize = 20;

/// One search.
pub(super) struct Search<'a> {
    pub(super) fixpoint: &'a mut Fixpoint<LiteralSets>,
    /// Up to here, nothing rests on literals.
    pub(super) mark: &'a Mark,
    /// Those that rest on literals.
    pub(super) facts: &'a FactLists,
    /// Whether the last step left out none of them.
    took_all_facts: bool,
    pub(super) always: LiteralName,
    /// Sorted by name.
    pub(super) literals: &'a [LiteralName],
    pub(super) found: Vec<Found>,
    /// The literals of what was found.
    pub(super) known: KnownReasons,
    /// The rules written out, once they are and if that is possible.
    pub(super) ground: Option<Rc<GroundOrder>>,
    /// What is found until then is enough.
    pub(super) deadline: Option<Instant>,
}

/// How one step ended.
pub(super) struct Step {
    pub(super) outcome: Outcome,
    /// Reasons that contain none of those known before, nor one another.
    pub(super) found: Vec<Found>,
    /// Whether sets were left out because they were too large.
    pub(super) cut: bool,
    pub(super) work: u64,
}

/// How many reasons to look for, and how long.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) limit: usize,
    pub(super) patience: Patience,
}

/// What it may cost that there is no shorter reason than those listed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Little: a solver waits, and asks again.
    Short,
    Long,
}

/// How much the steps may cost.
struct Effort {
    /// How many derivations the first one may try.
    first: u64,
    later: Later,
}

/// How many derivations the steps after the first may try.
enum Later {
    /// [`NEXT_WORK`] each, if the step before lets expect that this is enough.
    Each,
    /// So many together.
    Together(u64),
}

impl Later {
    fn for_literals(count: usize, patience: Patience) -> Self {
        let together = WORK_OF_ONE_LITERAL / (count.max(1) as u64);
        let may_wait = patience == Patience::Long || count <= FEW_LITERALS;
        match may_wait && together > NEXT_WORK {
            true => Later::Together(together.min(FEW_LITERALS_WORK)),
            false => Later::Each,
        }
    }

    /// What the next step may cost after one that cost `spent`; `None` if it is not worth a try.
    fn after(&mut self, spent: u64) -> Option<u64> {
        match self {
            Later::Each => (spent * GROWTH <= NEXT_WORK).then_some(NEXT_WORK),
            Later::Together(left) => {
                *left = left.saturating_sub(spent);
                (*left > 0).then_some(*left)
            }
        }
    }
}

/// How the steps ended.
pub(super) struct Exact {
    /// `None` if the next step would be too expensive.
    pub(super) coverage: Option<Coverage>,
    /// All reasons of so many literals are known.
    pub(super) complete: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        fixpoint: &'a mut Fixpoint<LiteralSets>,
        mark: &'a Mark,
        facts: &'a FactLists,
        always: LiteralName,
        literals: &'a [LiteralName],
    ) -> Self {
        Search {
            fixpoint,
            mark,
            facts,
            took_all_facts: false,
            always,
            literals,
            found: Vec::new(),
            known: KnownReasons::default(),
            ground: None,
            deadline: None,
        }
    }

    /// Looks for the shortest reasons, as many as are wanted or more. No conflict holds
    /// without literals.
    pub(super) fn search(
        &mut self,
        wanted: Wanted,
        cheap: OnDemand<'_>,
    ) -> Result<Coverage, SettleError> {
        let facts = self.fact_count();
        let effort = Effort {
            first: FIRST_WORK + FIRST_WORK_PER_FACT * facts,
            later: Later::for_literals(self.literals.len(), wanted.patience),
        };
        let mut exact = self.go_up(0, wanted, effort);
        if exact.coverage.is_none() && exact.complete > 0 {
            exact = self.go_on_with_cores(exact.complete, wanted);
        }
        if let Some(coverage) = exact.coverage {
            return Ok(coverage);
        }
        Ok(self.go_on_with_candidates(exact.complete, wanted, cheap.prepare()?))
    }

    pub(super) fn is_late(&self) -> bool {
        let is_late = |deadline: Instant| Instant::now() >= deadline;
        self.deadline.is_some_and(is_late)
    }

    pub(super) fn fact_count(&self) -> u64 {
        self.facts.iter().map(|list| list.len() as u64).sum()
    }

    /// Whether no others are shorter than those found, where all of `complete` literals are
    /// known.
    pub(super) fn has_enough(&self, complete: usize, wanted: Wanted) -> bool {
        let is_short = |found: &&Found| found.literals.len() <= complete + 1;
        self.found.iter().filter(is_short).count() >= wanted.limit
    }

    /// One step after the other. All reasons of `complete` literals are known.
    ///
    /// A step that costs next to nothing tells that sets are few. Then several sizes are tried
    /// at once, and if this turns out to be expensive, one after the other, which prunes.
    fn go_up(&mut self, mut complete: usize, wanted: Wanted, effort: Effort) -> Exact {
        let limit = wanted.limit;
        let Effort {
            first: mut work,
            mut later,
        } = effort;
        let mut cap = complete + 1;
        let mut may_leap = true;
        loop {
            let leaps = cap > complete + 1;
            let limits = Limits {
                violations: limit.saturating_sub(self.found.len()),
                work: if leaps { work.min(NEXT_WORK) } else { work },
                deadline: self.deadline,
            };
            let step = self.step(cap, limits);
            if step.outcome == Outcome::GaveUp {
                // Larger ones need not be minimal.
                let found = step.found.into_iter();
                self.add(found.filter(|found| found.literals.len() <= complete + 1));
                let coverage = self
                    .has_enough(complete, wanted)
                    .then_some(Coverage::Shortest);
                if leaps && coverage.is_none() {
                    may_leap = false;
                    cap = complete + 1;
                    continue;
                }
                return Exact { coverage, complete };
            }
            self.add(step.found);
            let coverage = match step.cut {
                false => Some(Coverage::All),
                true if self.found.len() >= limit => Some(Coverage::Shortest),
                true => None,
            };
            if coverage.is_some() {
                return Exact { coverage, complete };
            }
            complete = cap;
            work = match later.after(step.work) {
                Some(work) => work,
                None => return Exact { coverage, complete },
            };
            let costs_nothing = step.work < NEXT_WORK / 100;
            cap = match may_leap && costs_nothing {
                true => 2 * cap,
                false => cap + 1,
            };
        }
    }

    /// Adds reasons that contain none of those known before, nor one another.
    pub(super) fn add(&mut self, found: impl IntoIterator<Item = Found>) {
        for reason in found {
            self.known.add(&reason.literals);
            self.found.push(reason);
        }
    }

    /// Looks for reasons of at most `cap` literals that contain no known one.
    pub(super) fn step(&mut self, cap: usize, limits: Limits) -> Step {
        let algebra = LiteralSets::new(self.always, self.literals, cap);
        self.step_with(algebra, self.facts, limits)
    }

    /// The same where every reason that is not known contains one of the cores, which are
    /// smaller than the cap by one. Goes on from a smaller step that came to its end.
    pub(super) fn step_around(&mut self, cores: &Cores, cap: usize, limits: Limits) -> Step {
        if self.took_all_facts && !self.fixpoint.has_presences_since(self.mark) {
            let algebra = &mut self.fixpoint.algebra;
            algebra.widen(cap, cores, self.known.clone());
            self.fixpoint.limits = limits;
            let outcome = self.fixpoint.resume();
            return self.end_step(outcome);
        }
        let mut algebra = LiteralSets::new(self.always, self.literals, cap);
        algebra.set_cores(cores);
        self.step_with(algebra, self.facts, limits)
    }

    /// The same where every such reason consists of these literals.
    pub(super) fn step_among(
        &mut self,
        literals: &FxHashSet<LiteralIndex>,
        cores: &Cores,
        cap: usize,
        limits: Limits,
    ) -> Step {
        let literals: Vec<LiteralIndex> = literals.iter().copied().collect();
        let facts = resting_on(self.facts, &names(&literals, self.literals));
        let mut algebra = LiteralSets::new(self.always, self.literals, cap);
        algebra.set_cores(cores);
        let step = self.step_with(algebra, &facts, limits);
        self.took_all_facts = false;
        // Larger reasons may consist of others.
        Step { cut: true, ..step }
    }

    fn step_with(&mut self, mut algebra: LiteralSets, facts: &FactLists, limits: Limits) -> Step {
        algebra.set_reasons(self.known.clone());
        self.fixpoint.rollback(self.mark, algebra);
        self.fixpoint.limits = limits;
        self.took_all_facts = true;
        let outcome = self.fixpoint.extend(facts, self.mark);
        self.end_step(outcome)
    }

    fn end_step(&self, outcome: Outcome) -> Step {
        Step {
            outcome,
            found: minimal(violations(self.fixpoint)),
            cut: self.fixpoint.algebra.was_cut(),
            work: self.fixpoint.work,
        }
    }
}

impl Found {
    /// From the clauses of the derivation: those from `rules` on are conflicts.
    pub(super) fn new(
        literals: Vec<LiteralIndex>,
        clauses: impl IntoIterator<Item = ClauseId>,
        rules: usize,
    ) -> Self {
        let (used, conflicts): (Vec<usize>, Vec<usize>) = clauses
            .into_iter()
            .map(ClauseId::index)
            .partition(|&clause| clause < rules);
        Found {
            literals,
            conflict: conflicts[0] - rules,
            rules: used.into_iter().map(|rule| RuleId(rule as u32)).collect(),
        }
    }

    /// With the literals at these positions.
    pub(super) fn among(self, literals: &[LiteralIndex]) -> Self {
        let in_all = |place: LiteralIndex| literals[place as usize];
        Found {
            literals: self.literals.into_iter().map(in_all).collect(),
            ..self
        }
    }
}

pub(super) fn names(literals: &[LiteralIndex], all: &[LiteralName]) -> Vec<LiteralName> {
    let name = |&literal: &LiteralIndex| all[literal as usize];
    literals.iter().map(name).collect()
}

/// The conflicts that were found violated.
pub(super) fn violations(fixpoint: &Fixpoint<LiteralSets>) -> Vec<Found> {
    let violations = fixpoint.violations.iter().map(|violation| {
        let mut used = Used::new(fixpoint);
        used.add(violation.derivation);
        Found::new(
            fixpoint.algebra.members(violation.weight).to_vec(),
            used.finish().0,
            fixpoint.program.rules.rules.len(),
        )
    });
    violations.collect()
}

/// A conflict that is violated where nothing rests on literals.
pub(super) fn violated_anyway<A: Algebra>(fixpoint: &Fixpoint<A>) -> Option<Found> {
    let violation = fixpoint.violations.first()?;
    let mut used = Used::new(fixpoint);
    used.add(violation.derivation);
    let rules = fixpoint.program.rules.rules.len();
    Some(Found::new(Vec::new(), used.finish().0, rules))
}

/// Those that contain no other, each once.
pub(super) fn minimal(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|found| found.literals.len());
    let mut known = KnownReasons::default();
    found.retain(|candidate| {
        let is_minimal = !known.any_within(&candidate.literals);
        if is_minimal {
            known.add(&candidate.literals);
        }
        is_minimal
    });
    found
}
