//! Kernel reasons within candidates: sets of few literals that violate a conflict.
//!
//! [The cheapest conflicts](super::cheap_conflicts) are such sets, and so are
//! [the cheapest cycles](super::cheapest_cycles), which are found much faster where all conflicts are
//! cycles of an order whose rules can be written out.

use super::cheap_conflicts::{Candidate, CheapConflicts, Scope};
use super::cheapest_cycles::CheapestCycles;
use super::fixpoint::{FactLists, Limits, Outcome};
use super::ground_order::GroundOrder;
use super::kernel_search::{Found, Patience, Search, Wanted, names};
use super::known_reasons::KnownReasons;
use super::literal_sets::LiteralIndex;
use super::reasons::Coverage;
use super::rising_clocks::{Lookup, RisingClocks};
use crate::facts::LiteralName;
use crate::value::Row;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many derivations the search for cheap conflicts may try: so many anyway, and more for
/// each fact.
const WORK: u64 = 100_000;
const WORK_PER_FACT: u64 = 150;

/// How many of the cheapest cycles to look at, and how many for each reason that a solver wants;
/// how dear they may be.
const MOST_CYCLES: usize = 1_000;
const CYCLES_PER_REASON: usize = 4;
const MOST_COST: usize = 24;

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
        if let Some(ground) = self.ground.clone().filter(|ground| ground.is_certain) {
            let outcome = self.add_cheapest_cycles(wanted, &ground, cheap);
            if !self.found.is_empty() {
                return outcome;
            }
        }
        let work = WORK + WORK_PER_FACT * self.fact_count();
        let outcome = self.add_cheapest_conflicts(wanted, work, cheap);
        if self.found.is_empty() && outcome == Outcome::GaveUp {
            // Whether anything is violated is not to be left open.
            let any = Wanted { limit: 1, ..wanted };
            return self.add_cheapest_conflicts(any, u64::MAX, cheap);
        }
        outcome
    }

    /// How many reasons are wanted besides those found.
    fn missing(&self, wanted: Wanted) -> usize {
        wanted.limit.saturating_sub(self.found.len())
    }

    /// Adds the kernel reasons of the cheapest cycles until there are enough.
    fn add_cheapest_cycles(
        &mut self,
        wanted: Wanted,
        ground: &GroundOrder,
        cheap: &mut CheapConflicts,
    ) -> Outcome {
        let known = self.known.clone();
        let is_usable = |literal: LiteralIndex| !known.any_within(&[literal]);
        let mut cycles = CheapestCycles::new(ground, is_usable);
        let most = match wanted.patience {
            Patience::Short => self.missing(wanted).saturating_mul(CYCLES_PER_REASON),
            Patience::Long => MOST_CYCLES,
        };
        let mut kernels = Kernels::new(self, wanted, most);
        let mut offered = FxHashSet::default();
        let outcome = loop {
            cycles.go_on();
            let new = cycles.new_cycles();
            let mut new = new.filter(|cycle| offered.insert(cycle.clone()));
            if new.any(|cycle| kernels.add(cycle)) {
                break Outcome::Enough;
            }
            if cycles.is_finished() {
                break Outcome::Finished;
            }
            if cycles.cost() >= MOST_COST || kernels.search.is_late() {
                break Outcome::GaveUp;
            }
        };
        if kernels.large.is_empty() {
            return outcome;
        }
        let lookup = Lookup::new(ground);
        let mut clocks = RisingClocks::new(ground, &lookup);
        kernels.finish(outcome, |search, cycle| {
            search.violation_by(&clocks.kernel(cycle), cheap)
        })
    }

    /// Adds the kernel reasons of the cheapest conflicts until there are enough.
    fn add_cheapest_conflicts(
        &mut self,
        wanted: Wanted,
        work: u64,
        cheap: &mut CheapConflicts,
    ) -> Outcome {
        let all = 0..self.literals.len() as LiteralIndex;
        let is_usable = |index: &LiteralIndex| !self.known.any_within(&[*index]);
        let usable: Vec<LiteralIndex> = all.filter(is_usable).collect();
        let usable_names = names(&usable, self.literals);
        let scope = Scope {
            facts: self.facts,
            literals: &usable_names,
            work,
        };
        let indexes: FxHashMap<LiteralName, LiteralIndex> =
            usable_names.iter().copied().zip(usable).collect();
        let most = match wanted.patience {
            // A solver is content with what comes to hand.
            Patience::Short => self.missing(wanted),
            Patience::Long => usize::MAX,
        };
        let mut kernels = Kernels::new(self, wanted, most);
        let outcome = cheap.search(&scope, &mut |candidate| {
            let literals = candidate.literals.iter().map(|literal| indexes[literal]);
            let mut literals: Vec<LiteralIndex> = literals.collect();
            literals.sort_unstable();
            kernels.add(literals)
        });
        kernels.finish(outcome, |search, candidate| {
            search.one_kernel(candidate, cheap)
        })
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
        let mut kernel = self.violation_by(candidate, cheap)?;
        for literal in candidate {
            if let Ok(place) = kernel.literals.binary_search(literal) {
                let mut fewer = kernel.literals.clone();
                fewer.remove(place);
                if let Some(smaller) = self.violation_by(&fewer, cheap) {
                    kernel = smaller;
                }
            }
        }
        Some(kernel)
    }

    /// Some set among the given literals that violates a conflict.
    fn violation_by(&self, literals: &[LiteralIndex], cheap: &mut CheapConflicts) -> Option<Found> {
        let names = names(literals, self.literals);
        let scope = Scope {
            facts: &resting_on(self.facts, &names),
            literals: &names,
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

/// The search, while kernel reasons within candidates are added to it.
struct Kernels<'a, 'b> {
    search: &'a mut Search<'b>,
    wanted: Wanted,
    known_before: KnownReasons,
    /// How many candidates there were that contain none of those known before, and how many are
    /// enough.
    candidates: usize,
    most: usize,
    /// Those whose kernels are not easily found.
    large: Vec<Vec<LiteralIndex>>,
}

impl<'a, 'b> Kernels<'a, 'b> {
    fn new(search: &'a mut Search<'b>, wanted: Wanted, most: usize) -> Self {
        Kernels {
            known_before: search.known.clone(),
            search,
            wanted,
            candidates: 0,
            most,
            large: Vec::new(),
        }
    }

    /// Adds the kernels of a candidate, which is sorted. Returns whether there are enough.
    fn add(&mut self, candidate: Vec<LiteralIndex>) -> bool {
        self.candidates += usize::from(!self.known_before.any_within(&candidate));
        if !self.search.known.any_within(&candidate) {
            match self.search.all_kernels(&candidate) {
                Some(kernels) => self.search.add_kernels(kernels),
                None => self.large.push(candidate),
            }
        }
        self.candidates >= self.most
            || self.search.found.len() + self.large.len() >= self.wanted.limit
    }

    /// Adds a kernel of each large candidate, as long as more are wanted. Returns how the search
    /// ended, which ended with the given outcome before.
    fn finish(
        self,
        mut outcome: Outcome,
        mut kernel: impl FnMut(&Search, &[LiteralIndex]) -> Option<Found>,
    ) -> Outcome {
        let search = self.search;
        for candidate in self.large {
            if search.found.len() < self.wanted.limit && !search.known.any_within(&candidate) {
                match kernel(search, &candidate) {
                    Some(kernel) => search.add_kernels([kernel]),
                    // There is a reason, and no time to find it.
                    None => {
                        debug_assert!(search.is_late(), "{VIOLATES}");
                        outcome = Outcome::GaveUp;
                    }
                }
            }
        }
        outcome
    }
}

/// The facts that rest on one of these literals.
pub(super) fn resting_on(facts: &FactLists, literals: &[LiteralName]) -> FactLists {
    let literals: FxHashSet<LiteralName> = literals.iter().copied().collect();
    let rests_on_one = |fact: &&(Row, LiteralName)| literals.contains(&fact.1);
    let of_relation = |list: &Vec<_>| list.iter().filter(rests_on_one).cloned().collect();
    facts.iter().map(of_relation).collect()
}
