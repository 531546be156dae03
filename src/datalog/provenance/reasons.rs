//! Kernel reasons: the minimal sets of literals that violate a `.conflict`
//! (*Scheduling Constraint Based Abstraction Refinement*, Section 5).
//!
//! The fixpoint over [literal sets](super::literal_sets) finds them. Tuples can rest on far
//! too many sets, though, so the search goes up in steps: first the reasons of one literal,
//! then those of two, and so on, each time over all sets of at most that size, which is
//! exact. What is known already prunes the next step, since no kernel reason contains
//! another. When a step becomes too expensive, the rest is searched with a limited number of
//! sets a tuple; what is found then is a reason, but must be minimised, and shorter ones may
//! be missed.

use super::fixpoint::{FactLists, Fixpoint, Limits, Mark, Outcome, Phase};
use super::literal_sets::{LiteralIndex, LiteralSets};
use super::program::{Goal, Program};
use super::used::clauses_used;
use crate::backend::SettleError;
use crate::constants::Constants;
use crate::facts::{Facts, LiteralName};
use crate::value::{Row, Symbols};
use heddle_language::ruleset::{RuleId, RuleSet};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A minimal set of literals that violates a conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Sorted by name.
    pub literals: Vec<LiteralName>,
    /// Position in [`RuleSet::conflicts`] of a conflict that they violate.
    pub conflict: usize,
    /// The rules by which they do, sorted.
    pub rules: Vec<RuleId>,
}

/// Kernel reasons, the shortest first, those of one length by the names of their literals.
#[derive(Clone, Debug)]
pub struct Reasons {
    pub list: Vec<Reason>,
    pub coverage: Coverage,
}

/// What is known about the reasons that are not in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Coverage {
    /// Shorter reasons than some of those listed may be missing.
    Some,
    /// Every reason that is not listed is at least as long as the longest one listed.
    Shortest,
    /// There are no others.
    All,
}

/// Finds reasons, and keeps what does not depend on literals from one call to the next.
pub(super) struct Reasoner {
    program: Arc<Program>,
    base: Option<Base>,
}

/// What follows from the facts that hold anyway.
struct Base {
    fixpoint: Fixpoint<LiteralSets>,
    mark: Mark,
    /// A conflict that holds anyway.
    violated: Option<Found>,
    /// The facts, for each relation.
    rows: Vec<FxHashSet<Row>>,
}

/// A reason as positions in the sorted list of literals.
#[derive(Clone, Debug)]
struct Found {
    literals: Vec<LiteralIndex>,
    conflict: usize,
    rules: Vec<RuleId>,
}

impl Reasoner {
    pub(super) fn new(rules: Arc<RuleSet>, constants: &Constants) -> Self {
        Reasoner {
            program: Arc::new(Program::new(rules, constants, Goal::Conflicts)),
            base: None,
        }
    }

    /// The reasons of at most `largest` literals, and at most `limit` of them.
    pub(super) fn reasons(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        largest: usize,
        limit: usize,
    ) -> Result<Reasons, SettleError> {
        self.settle_base(facts)?;
        let always = facts.always();
        let chosen = match self.base {
            Some(_) => fact_lists(&self.program, facts, |literal| literal != always),
            None => fact_lists(&self.program, facts, |_| true),
        };
        let literals = literals_by_name(&chosen, symbols, always);
        let mut search = Search {
            program: &self.program,
            base: self.base.as_mut(),
            facts: &chosen,
            always,
            literals: &literals,
            found: Vec::new(),
        };
        let coverage = search.search(largest, limit)?;
        let mut found = search.found;
        found.sort_by(|one, other| {
            let key = |found: &Found| found.literals.len();
            key(one)
                .cmp(&key(other))
                .then_with(|| one.literals.cmp(&other.literals))
        });
        let all = found.len();
        found.truncate(limit);
        let list = found.into_iter().map(|found| Reason {
            literals: names(&found.literals, &literals),
            conflict: found.conflict,
            rules: found.rules,
        });
        Ok(Reasons {
            list: list.collect(),
            coverage: match coverage {
                Coverage::All if all > limit => Coverage::Shortest,
                coverage => coverage,
            },
        })
    }

    /// Brings what follows without literals up to date. There is no such part if the places
    /// of events rest on literals.
    fn settle_base(&mut self, facts: &Facts) -> Result<(), SettleError> {
        let program = &self.program;
        let places_rest_on_literals = program
            .orders
            .iter()
            .any(|order| program.conditional[order.declaration.event.index()]);
        let is_current = |base: &Base| base.is_current(program, facts);
        if places_rest_on_literals || self.base.as_ref().is_some_and(is_current) {
            return Ok(());
        }
        self.base = None;
        let always = facts.always();
        let settled = fact_lists(program, facts, |literal| literal == always);
        let algebra = LiteralSets::new(always, &[], 0);
        let mut fixpoint = Fixpoint::new(program.clone(), algebra);
        fixpoint.run(&settled, Phase::First)?;
        let violated = take_found(&fixpoint).into_iter().next();
        let mark = fixpoint.mark();
        let row_set =
            |list: Vec<(Row, LiteralName)>| list.into_iter().map(|(row, _)| row).collect();
        self.base = Some(Base {
            fixpoint,
            mark,
            violated,
            rows: settled.into_iter().map(row_set).collect(),
        });
        Ok(())
    }
}

impl Base {
    /// Whether the facts that hold anyway are still the same.
    fn is_current(&self, program: &Program, facts: &Facts) -> bool {
        let always = facts.always();
        program.needed_relations().all(|relation| {
            let known = &self.rows[relation.index()];
            let mut count = 0;
            let all_known = facts
                .rows(relation)
                .filter(|row| facts.literals(relation, row).contains(&always))
                .all(|row| {
                    count += 1;
                    known.contains(row)
                });
            all_known && count == known.len()
        })
    }
}

/// The facts that matter, with those of their literals that are wanted, sorted so that the
/// result does not depend on the order in which they were inserted.
fn fact_lists(program: &Program, facts: &Facts, wanted: impl Fn(LiteralName) -> bool) -> FactLists {
    let mut lists = vec![Vec::new(); program.rules.relations.len()];
    for relation in program.needed_relations() {
        let list: &mut Vec<(Row, LiteralName)> = &mut lists[relation.index()];
        for row in facts.rows(relation) {
            let literals = facts.literals(relation, row);
            // Whatever else suffices for what holds anyway is of no interest.
            let holds_anyway = literals.contains(&facts.always());
            let of_interest = |literal: &&LiteralName| !holds_anyway || **literal == facts.always();
            for &literal in literals.iter().filter(of_interest) {
                if wanted(literal) {
                    list.push((row.clone(), literal));
                }
            }
        }
        list.sort_unstable();
    }
    lists
}

fn literals_by_name(facts: &FactLists, symbols: &Symbols, always: LiteralName) -> Vec<LiteralName> {
    let mut literals: Vec<LiteralName> = facts.iter().flatten().map(|fact| fact.1).collect();
    literals.sort_unstable();
    literals.dedup();
    literals.retain(|&literal| literal != always);
    literals.sort_unstable_by_key(|&literal| symbols.name(literal));
    literals
}

fn names(literals: &[LiteralIndex], all: &[LiteralName]) -> Vec<LiteralName> {
    literals
        .iter()
        .map(|&literal| all[literal as usize])
        .collect()
}

/// The violated conflicts of a run.
fn take_found(fixpoint: &Fixpoint<LiteralSets>) -> Vec<Found> {
    let violations = fixpoint.violations.iter().map(|violation| {
        let used = clauses_used(fixpoint, violation.derivation);
        let rules = fixpoint.program.rules.rules.len();
        let (rules_used, conflict): (Vec<_>, Vec<_>) =
            used.into_iter().partition(|clause| clause.index() < rules);
        Found {
            literals: fixpoint.algebra.members(violation.weight).to_vec(),
            conflict: conflict[0].index() - rules,
            rules: rules_used
                .into_iter()
                .map(|clause| RuleId(clause.0))
                .collect(),
        }
    });
    violations.collect()
}

/// How many derivations an exact step may try: so many anyway, and more for each fact.
const WORK: u64 = 200_000;
const WORK_PER_FACT: u64 = 50;

/// How many sets a tuple may have when there are too many for an exact step.
const WIDTH: usize = 4;

/// One call.
struct Search<'a> {
    program: &'a Arc<Program>,
    base: Option<&'a mut Base>,
    facts: &'a FactLists,
    always: LiteralName,
    literals: &'a [LiteralName],
    found: Vec<Found>,
}

/// How one step ended.
struct Step {
    outcome: Outcome,
    /// Whether sets were left out because they were too large.
    cut: bool,
    /// Whether sets were left out because a tuple had too many.
    narrowed: bool,
    work: u64,
}

impl Search<'_> {
    fn search(&mut self, largest: usize, limit: usize) -> Result<Coverage, SettleError> {
        if let Some(violated) = self.base.as_ref().and_then(|base| base.violated.clone()) {
            self.found.push(violated);
            return Ok(Coverage::All);
        }
        let facts: usize = self.facts.iter().map(Vec::len).sum();
        let work = WORK + WORK_PER_FACT * facts as u64;
        let mut cap = 1.min(largest);
        let complete = loop {
            let limits = Limits {
                violations: limit.saturating_sub(self.found.len()),
                work,
                width: usize::MAX,
            };
            let step = self.step(cap, limits)?;
            if step.outcome == Outcome::GaveUp {
                break cap - 1;
            }
            if !step.cut {
                return Ok(Coverage::All);
            }
            if self.found.len() >= limit || cap == largest {
                return Ok(Coverage::Shortest);
            }
            // A step that costs next to nothing tells that sets are few.
            cap = if step.work < work / 100 {
                largest
            } else {
                cap + 1
            };
        };
        self.narrow_search(complete, largest, limit, work)?;
        Ok(Coverage::Some)
    }

    /// Looks for reasons of more than `complete` literals with few sets a tuple.
    fn narrow_search(
        &mut self,
        complete: usize,
        largest: usize,
        limit: usize,
        work: u64,
    ) -> Result<(), SettleError> {
        let known = self.found.len();
        let limits = Limits {
            violations: limit.saturating_sub(known),
            work: work.saturating_mul(4),
            width: WIDTH,
        };
        self.step(largest, limits)?;
        for candidate in self.found.split_off(known) {
            // Anything smaller would be known.
            if candidate.literals.len() <= complete + 1 {
                self.add(candidate);
            } else {
                self.minimise(&candidate)?;
            }
        }
        Ok(())
    }

    /// Adds a kernel reason within a set of literals that violates a conflict: leaves out
    /// one literal after the other, as long as a conflict is still violated.
    fn minimise(&mut self, candidate: &Found) -> Result<(), SettleError> {
        let mut kernel = candidate.clone();
        for literal in &candidate.literals {
            let Ok(place) = kernel.literals.binary_search(literal) else {
                continue;
            };
            let mut fewer = kernel.literals.clone();
            fewer.remove(place);
            if let Some(smaller) = self.violation_by(&fewer)? {
                kernel = smaller;
            }
        }
        self.add(kernel);
        Ok(())
    }

    /// Some set among the given literals that violates a conflict.
    fn violation_by(&mut self, literals: &[LiteralIndex]) -> Result<Option<Found>, SettleError> {
        let names = names(literals, self.literals);
        let mut search = Search {
            program: self.program,
            base: self.base.as_deref_mut(),
            facts: self.facts,
            always: self.always,
            literals: &names,
            found: Vec::new(),
        };
        // One set a tuple is enough to find out whether it holds.
        let limits = Limits {
            violations: 1,
            work: u64::MAX,
            width: 1,
        };
        search.step(usize::MAX, limits)?;
        Ok(search.found.pop().map(|found| Found {
            literals: found
                .literals
                .iter()
                .map(|&place| literals[place as usize])
                .collect(),
            ..found
        }))
    }

    fn add(&mut self, found: Found) {
        if self
            .found
            .iter()
            .all(|known| known.literals != found.literals)
        {
            self.found.push(found);
        }
    }

    /// Adds the reasons of at most `cap` literals that contain no known one.
    fn step(&mut self, cap: usize, limits: Limits) -> Result<Step, SettleError> {
        let mut algebra = LiteralSets::new(self.always, self.literals, cap);
        for known in &self.found {
            algebra.add_reason(&known.literals);
        }
        let mut fresh;
        let (fixpoint, phase) = match &mut self.base {
            Some(base) => {
                base.fixpoint.rollback(&base.mark, algebra);
                (&mut base.fixpoint, Phase::Then(&base.mark))
            }
            None => {
                fresh = Fixpoint::new(self.program.clone(), algebra);
                (&mut fresh, Phase::First)
            }
        };
        fixpoint.limits = limits;
        let outcome = fixpoint.run(self.facts, phase)?;
        let found = take_found(fixpoint);
        let step = Step {
            outcome,
            cut: fixpoint.algebra.was_cut(),
            narrowed: fixpoint.was_narrowed(),
            work: fixpoint.work,
        };
        if outcome == Outcome::Finished || limits.width < usize::MAX {
            self.take_minimal(found);
        }
        Ok(step)
    }

    /// Keeps those that contain no other.
    fn take_minimal(&mut self, found: Vec<Found>) {
        let contains = |one: &Found, other: &Found| {
            one.literals.len() > other.literals.len()
                && other
                    .literals
                    .iter()
                    .all(|literal| one.literals.contains(literal))
        };
        for (place, candidate) in found.iter().enumerate() {
            let is_minimal = found.iter().all(|other| !contains(candidate, other));
            let is_first = found[..place]
                .iter()
                .all(|other| other.literals != candidate.literals);
            if is_minimal && is_first {
                self.found.push(candidate.clone());
            }
        }
    }
}
