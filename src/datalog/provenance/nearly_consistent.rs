//! Reasons of facts that are nearly consistent: a few wrong choices are part of all of them.
//!
//! Whoever knows [cores](super::cores), of which every reason that is not known contains one, need
//! not look at sets with two literals that are not in one of them, and these are nearly all sets.
//! So the next step is cheap, and still exact; and when no core is left, all reasons are known.
//! What a step does not have to find, because all smaller reasons are known and more are wanted,
//! is read off [short cycles](super::short_cycles).

use super::consistent_part::ConsistentPart;
use super::cores::{Cores, MOST_CORES};
use super::fixpoint::{Limits, Outcome};
use super::ground_order::GroundOrder;
use super::kernel_search::{Exact, Found, Patience, Search, Step, Wanted};
use super::literal_sets::LiteralIndex;
use super::reasons::Coverage;
use super::rising_clocks::Lookup;
use super::short_cycles::{self, Cycle};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// How many derivations all steps may try: so many anyway, and more for each fact.
const WORK: u64 = 50_000;
const WORK_PER_FACT: u64 = 100;

/// Larger cores are not worth a step: it takes too long to tell which sets are parts of others.
const LARGEST_CORES: usize = 4;

/// Where there are more cores than that, a step is only worth its while if a share of the
/// reasons that are wanted is known.
const FEW_CORES: usize = 4;
const SHARE: usize = 4;

/// How many short cycles to look at. Where there are more, many choices are wrong.
const MOST_CYCLES: usize = 2_000;

impl Search<'_> {
    /// Goes on where all reasons of `complete` literals are known, as long as that is cheap.
    pub(super) fn go_on_with_cores(&mut self, complete: usize, wanted: Wanted) -> Exact {
        let gave_up = |complete: usize| Exact {
            coverage: None,
            complete,
        };
        let enough = |complete: usize, coverage: Coverage| Exact {
            coverage: Some(coverage),
            complete,
        };
        if !self.is_settled(complete) {
            return gave_up(complete);
        }
        let short = self.cycles(complete + 1, 2, None);
        self.add_cycles(short);
        if self.has_enough(complete, wanted) {
            return enough(complete, Coverage::Shortest);
        }
        let Some(ground) = GroundOrder::new(self.fixpoint) else {
            return gave_up(complete);
        };
        let ground = Rc::new(ground);
        self.ground = Some(ground.clone());
        let cycles = self.cycles(complete + 2, 3, None);
        if cycles.len() >= MOST_CYCLES {
            return gave_up(complete);
        }
        let cycles = cycles.into_iter().map(|cycle| cycle.literals);
        let cycles: Vec<Vec<LiteralIndex>> = cycles.collect();
        let lookup = Lookup::new(&ground);
        let doubted = self.literals_of_conflicts(&cycles);
        let mut part = ConsistentPart::new(&ground, &lookup, doubted, wanted.patience);
        let mut work = WORK + WORK_PER_FACT * self.fact_count();
        let mut cores = Cores::new();
        let mut complete = complete;
        loop {
            let knows_share = self.found.len() * SHARE >= wanted.limit;
            if complete > 1 && knows_share && wanted.patience == Patience::Short {
                // There are many reasons, and a solver need not know that these are the shortest.
                break;
            }
            let is_promising = complete == 1 || knows_share;
            while !cores.is_empty() && cores.size() < complete {
                let most = match is_promising || cores.size() + 1 < complete {
                    true => MOST_CORES,
                    false => FEW_CORES,
                };
                if !cores.grow(&mut part, &self.known, &self.conflicts(&cycles), most) {
                    return gave_up(complete);
                }
            }
            if cores.is_empty() {
                return enough(complete, Coverage::All);
            }
            if complete > LARGEST_CORES {
                break;
            }
            let suspects = cores.literals();
            let limits = Limits {
                work,
                deadline: self.deadline,
                ..Limits::NONE
            };
            let Some(step) = self.step_with_cores(&mut cores, &mut part, &cycles, limits) else {
                break;
            };
            // All smaller ones are known.
            self.add(step.found);
            if step.outcome == Outcome::GaveUp {
                break;
            }
            complete += 1;
            if !step.cut {
                return enough(complete, Coverage::All);
            }
            let longer = self.cycles(complete + 1, 3, Some(&suspects));
            self.add_cycles(longer);
            if self.has_enough(complete, wanted) {
                return enough(complete, Coverage::Shortest);
            }
            work = work.saturating_sub(step.work);
        }
        gave_up(complete)
    }

    /// The step to reasons of one literal more than the cores have. `None` if a model was not
    /// found.
    ///
    /// Where cores are few, it pays to know what that literal can be: the next cores are
    /// likely to be made of it anyway.
    fn step_with_cores(
        &mut self,
        cores: &mut Cores,
        part: &mut ConsistentPart,
        cycles: &[Vec<LiteralIndex>],
        limits: Limits,
    ) -> Option<Step> {
        let cap = cores.size() + 1;
        if cores.size() > 1 && cores.len() <= FEW_CORES {
            let literals = cores.with_next_literals(part, &self.conflicts(cycles))?;
            return Some(self.step_among(&literals, cores, cap, limits));
        }
        Some(self.step_around(cores, cap, limits))
    }

    /// Sets that violate a conflict, but for single literals: reasons, and these cycles.
    fn conflicts(&self, cycles: &[Vec<LiteralIndex>]) -> Vec<Vec<LiteralIndex>> {
        let found = self.found.iter().map(|found| &found.literals);
        let found = found.filter(|literals| literals.len() > 1);
        found.chain(cycles).cloned().collect()
    }

    /// All literals of reasons, and of these cycles.
    fn literals_of_conflicts(&self, cycles: &[Vec<LiteralIndex>]) -> Vec<LiteralIndex> {
        let found = self.found.iter().map(|found| &found.literals);
        let mut literals: Vec<LiteralIndex> = found.chain(cycles).flatten().copied().collect();
        literals.sort_unstable();
        literals.dedup();
        literals
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
