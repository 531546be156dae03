//! The search for kernel reasons.
//!
//! The fixpoint over [literal sets](super::literal_sets) finds them. Tuples can rest on far
//! too many sets, though, so the search goes up in steps: first the reasons of one literal,
//! then those of two, and so on, each time over all sets of at most that size, which is
//! exact. What is known already prunes the next step, since no kernel reason contains
//! another. When a step becomes too expensive, the rest is searched with a limited number of
//! sets a tuple; what is found then violates a conflict but has to be minimised, and shorter
//! reasons may be missed.

use super::fixpoint::{FactLists, Fixpoint, Limits, Mark, Outcome};
use super::known_reasons::KnownReasons;
use super::literal_sets::{LiteralIndex, LiteralSets};
use super::reasons::Coverage;
use super::used::clauses_used;
use crate::facts::LiteralName;
use heddle_language::ruleset::RuleId;

/// A reason as positions in the sorted list of literals.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) literals: Vec<LiteralIndex>,
    pub(super) conflict: usize,
    pub(super) rules: Vec<RuleId>,
}

/// How many derivations an exact step may try: so many anyway, and more for each fact.
const WORK: u64 = 200_000;
const WORK_PER_FACT: u64 = 50;

/// How many sets a tuple may have when there are too many for an exact step, and how much
/// more work the search may then do.
const WIDTH: usize = 4;
const NARROW_WORK: u64 = 4;

/// One search.
pub(super) struct Search<'a> {
    fixpoint: &'a mut Fixpoint<LiteralSets>,
    /// Up to here, nothing rests on literals.
    mark: &'a Mark,
    /// Those that rest on literals.
    facts: &'a FactLists,
    always: LiteralName,
    /// Sorted by name.
    literals: &'a [LiteralName],
    pub(super) found: Vec<Found>,
    /// The literals of what was found.
    known: KnownReasons,
}

/// How one step ended.
struct Step {
    outcome: Outcome,
    /// Reasons that contain none of those known before, nor one another.
    found: Vec<Found>,
    /// Whether sets were left out because they were too large.
    cut: bool,
    work: u64,
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
            always,
            literals,
            found: Vec::new(),
            known: KnownReasons::default(),
        }
    }

    /// Looks for the shortest reasons, `limit` of them or more, of at most `largest`
    /// literals. No conflict holds without literals.
    pub(super) fn search(&mut self, largest: usize, limit: usize) -> Coverage {
        let facts: usize = self.facts.iter().map(Vec::len).sum();
        let work = WORK + WORK_PER_FACT * facts as u64;
        // All reasons of so many literals are known.
        let mut complete = 0;
        let mut cap = 1.min(largest);
        loop {
            let limits = Limits {
                violations: limit.saturating_sub(self.found.len()),
                work,
                width: usize::MAX,
            };
            let step = self.step(cap, limits);
            if step.outcome == Outcome::GaveUp {
                self.add_kernels(step.found, complete);
                break;
            }
            self.add(step.found);
            if !step.cut {
                return Coverage::All;
            }
            if self.found.len() >= limit || cap == largest {
                return Coverage::Shortest;
            }
            complete = cap;
            // A step that costs next to nothing tells that sets are few.
            let few = step.work < work / 100;
            cap = if few { largest } else { cap + 1 };
        }
        let is_short = |found: &&Found| found.literals.len() <= complete + 1;
        if self.found.iter().filter(is_short).count() >= limit {
            return Coverage::Shortest;
        }
        let limits = Limits {
            violations: limit.saturating_sub(self.found.len()),
            work: work.saturating_mul(NARROW_WORK),
            width: WIDTH,
        };
        let step = self.step(largest, limits);
        self.add_kernels(step.found, complete);
        Coverage::Some
    }

    /// Adds reasons that contain none of those known before, nor one another.
    fn add(&mut self, found: Vec<Found>) {
        for reason in found {
            self.known.add(&reason.literals);
            self.found.push(reason);
        }
    }

    /// Adds a kernel reason within each set of literals, each of which violates a conflict.
    /// All reasons of `complete` literals are known.
    fn add_kernels(&mut self, found: Vec<Found>, complete: usize) {
        for candidate in found {
            let kernel = match candidate.literals.len() <= complete + 1 {
                true => candidate,
                false => self.kernel_of(candidate),
            };
            // One kernel contains another only if they are the same.
            if !self.known.any_within(&kernel.literals) {
                self.add(vec![kernel]);
            }
        }
    }

    /// Leaves out one literal after the other, as long as a conflict is still violated.
    fn kernel_of(&mut self, candidate: Found) -> Found {
        let literals = candidate.literals.clone();
        let mut kernel = candidate;
        for literal in literals {
            if let Ok(place) = kernel.literals.binary_search(&literal) {
                let mut fewer = kernel.literals.clone();
                fewer.remove(place);
                if let Some(smaller) = self.violation_by(&fewer) {
                    kernel = smaller;
                }
            }
        }
        kernel
    }

    /// Some set among the given literals that violates a conflict.
    fn violation_by(&mut self, literals: &[LiteralIndex]) -> Option<Found> {
        let names = names(literals, self.literals);
        let mut search = Search::new(self.fixpoint, self.mark, self.facts, self.always, &names);
        // One set a tuple is enough to find out whether it holds.
        let limits = Limits {
            violations: 1,
            work: u64::MAX,
            width: 1,
        };
        let step = search.step(usize::MAX, limits);
        let in_all = |place: LiteralIndex| literals[place as usize];
        step.found.into_iter().next().map(|found| Found {
            literals: found.literals.into_iter().map(in_all).collect(),
            ..found
        })
    }

    /// Looks for reasons of at most `cap` literals that contain no known one.
    fn step(&mut self, cap: usize, limits: Limits) -> Step {
        let mut algebra = LiteralSets::new(self.always, self.literals, cap);
        algebra.set_reasons(self.known.clone());
        self.fixpoint.rollback(self.mark, algebra);
        self.fixpoint.limits = limits;
        let outcome = self.fixpoint.extend(self.facts, self.mark);
        Step {
            outcome,
            found: minimal(violations(self.fixpoint)),
            cut: self.fixpoint.algebra.was_cut(),
            work: self.fixpoint.work,
        }
    }
}

pub(super) fn names(literals: &[LiteralIndex], all: &[LiteralName]) -> Vec<LiteralName> {
    let name = |&literal: &LiteralIndex| all[literal as usize];
    literals.iter().map(name).collect()
}

/// The conflicts that were found violated.
pub(super) fn violations(fixpoint: &Fixpoint<LiteralSets>) -> Vec<Found> {
    let rules = fixpoint.program.rules.rules.len();
    let violations = fixpoint.violations.iter().map(|violation| {
        let used = clauses_used(fixpoint, violation.derivation);
        let (used, conflicts): (Vec<usize>, Vec<usize>) = used
            .into_iter()
            .map(|clause| clause.index())
            .partition(|&clause| clause < rules);
        Found {
            literals: fixpoint.algebra.members(violation.weight).to_vec(),
            conflict: conflicts[0] - rules,
            rules: used.into_iter().map(|rule| RuleId(rule as u32)).collect(),
        }
    });
    violations.collect()
}

/// Those that contain no other, each once.
fn minimal(mut found: Vec<Found>) -> Vec<Found> {
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
