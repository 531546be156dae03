//! Kernel reasons: the minimal sets of literals that violate a `.conflict`
//! (*Scheduling Constraint Based Abstraction Refinement*, Section 5).
//!
//! What follows from facts that hold by themselves is derived once and kept; the
//! [search](super::kernel_search) goes on from there.

use super::cheap_conflicts::CheapConflicts;
use super::fixpoint::{FactLists, Fixpoint, Mark};
use super::kernel_search::{Found, Search, names, violated_anyway};
use super::literal_sets::LiteralSets;
use super::program::{Goal, Program};
use super::steps::{Conclusion, Step, Steps};
use crate::backend::SettleError;
use crate::constants::Constants;
use crate::facts::{Facts, LiteralName};
use crate::value::{Row, Symbols};
use heddle_language::ruleset::{RuleId, RuleSet};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

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
    /// The facts that hold anyway, for each relation.
    settled: Vec<FxHashSet<Row>>,
    /// What follows from them, once it is asked for.
    base: Option<Base>,
    /// The same for cheap conflicts.
    cheap: Option<CheapConflicts>,
    /// What is found until then is enough.
    pub(super) deadline: Option<Instant>,
}

/// What follows from the facts that hold anyway.
struct Base {
    fixpoint: Fixpoint<LiteralSets>,
    mark: Mark,
    /// A conflict that holds anyway.
    violated: Option<Found>,
}

impl Reasoner {
    pub(super) fn new(rules: Arc<RuleSet>, constants: &Constants) -> Self {
        Reasoner {
            program: Arc::new(Program::new(rules, constants, Goal::Conflicts)),
            settled: Vec::new(),
            base: None,
            cheap: None,
            deadline: None,
        }
    }

    /// Gives back the memory of a search over more facts than are likely to come again.
    pub(super) fn forget(&mut self) {
        self.base = None;
        self.cheap = None;
    }

    /// The reasons that the search finds, at most `limit` of them.
    pub(super) fn reasons(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
        find: impl FnOnce(&mut Search, OnDemand) -> Result<Coverage, SettleError>,
    ) -> Result<Reasons, SettleError> {
        self.keep_up_with(facts);
        let program = &self.program;
        let base = match &mut self.base {
            Some(base) => base,
            none => none.insert(Base::new(program, facts, self.deadline)?),
        };
        if let Some(violated) = &base.violated {
            let mut list = vec![reason(violated.clone(), &[])];
            list.truncate(limit);
            return Ok(Reasons {
                coverage: match list.is_empty() {
                    true => Coverage::Shortest,
                    false => Coverage::All,
                },
                list,
            });
        }
        let (chosen, literals) = chosen(program, symbols, facts);
        let always = facts.always();
        let mut search = Search::new(&mut base.fixpoint, &base.mark, &chosen, always, &literals);
        search.deadline = self.deadline;
        let cheap = OnDemand {
            program,
            facts,
            deadline: self.deadline,
            known: &mut self.cheap,
        };
        let coverage = find(&mut search, cheap)?;
        let mut found = search.found;
        found.sort_by(|one, other| {
            let by_length = one.literals.len().cmp(&other.literals.len());
            by_length.then_with(|| one.literals.cmp(&other.literals))
        });
        let is_all = coverage == Coverage::All && found.len() <= limit;
        found.truncate(limit);
        Ok(Reasons {
            list: found
                .into_iter()
                .map(|found| reason(found, &literals))
                .collect(),
            coverage: match coverage {
                Coverage::All if !is_all => Coverage::Shortest,
                coverage => coverage,
            },
        })
    }

    /// Violated conflicts, at least `limit` of them if there are so many, those that rest on
    /// few literals first.
    pub(super) fn conflict_steps(
        &mut self,
        symbols: &Symbols,
        facts: &Facts,
        limit: usize,
    ) -> Result<Steps, SettleError> {
        self.keep_up_with(facts);
        let cheap = OnDemand {
            program: &self.program,
            facts,
            deadline: self.deadline,
            known: &mut self.cheap,
        };
        let cheap = cheap.prepare()?;
        if let Some(violated) = &cheap.violated {
            let step = Step {
                conclusion: Conclusion::Conflict(violated.conflict),
                premises: Vec::new(),
                rules: violated.rules.clone(),
            };
            return Ok(Steps {
                list: vec![step],
                is_complete: true,
            });
        }
        let (chosen, literals) = chosen(&self.program, symbols, facts);
        Ok(cheap.steps(&chosen, &literals, limit))
    }

    /// Forgets what followed from other facts that hold anyway.
    fn keep_up_with(&mut self, facts: &Facts) {
        if !self.is_current(facts) {
            self.forget();
            let always = facts.always();
            let settled = fact_lists(&self.program, facts, |literal| literal == always);
            let row_set =
                |list: Vec<(Row, LiteralName)>| list.into_iter().map(|(row, _)| row).collect();
            self.settled = settled.into_iter().map(row_set).collect();
        }
    }

    /// Whether the facts that hold anyway are still the same.
    fn is_current(&self, facts: &Facts) -> bool {
        let always = facts.always();
        !self.settled.is_empty()
            && self.program.needed_relations().all(|relation| {
                let known = &self.settled[relation.index()];
                let mut count = 0;
                let all_known = facts
                    .with_literals(relation)
                    .filter(|(_, literals)| literals.contains(&always))
                    .all(|(row, _)| {
                        count += 1;
                        known.contains(row)
                    });
                all_known && count == known.len()
            })
    }
}

/// The facts that rest on literals, and these, sorted by name.
fn chosen(program: &Program, symbols: &Symbols, facts: &Facts) -> (FactLists, Vec<LiteralName>) {
    let always = facts.always();
    let chosen = fact_lists(program, facts, |literal| literal != always);
    let literals = literals_by_name(&chosen, symbols);
    (chosen, literals)
}

/// The search for cheap conflicts, which is prepared when it is needed.
pub(super) struct OnDemand<'a> {
    program: &'a Arc<Program>,
    facts: &'a Facts,
    deadline: Option<Instant>,
    known: &'a mut Option<CheapConflicts>,
}

impl<'a> OnDemand<'a> {
    pub(super) fn prepare(self) -> Result<&'a mut CheapConflicts, SettleError> {
        let always = self.facts.always();
        let cheap = match self.known {
            Some(cheap) => cheap,
            none => {
                let settled = fact_lists(self.program, self.facts, |literal| literal == always);
                let made = CheapConflicts::new(self.program, &settled, always, self.deadline)?;
                none.insert(made)
            }
        };
        cheap.deadline = self.deadline;
        Ok(cheap)
    }
}

impl Base {
    fn new(
        program: &Arc<Program>,
        facts: &Facts,
        deadline: Option<Instant>,
    ) -> Result<Self, SettleError> {
        let always = facts.always();
        let settled = fact_lists(program, facts, |literal| literal == always);
        let mut fixpoint = Fixpoint::new(program.clone(), LiteralSets::new(always, &[], 0));
        fixpoint.limits.deadline = deadline;
        fixpoint.settle(&settled)?;
        Ok(Base {
            violated: violated_anyway(&fixpoint),
            mark: fixpoint.mark(),
            fixpoint,
        })
    }
}

/// The facts that matter, with those of their literals that are wanted, sorted so that the
/// result does not depend on the order in which they were inserted.
fn fact_lists(program: &Program, facts: &Facts, wanted: impl Fn(LiteralName) -> bool) -> FactLists {
    let mut lists = vec![Vec::new(); program.rules.relations.len()];
    for relation in program.needed_relations() {
        let list: &mut Vec<(Row, LiteralName)> = &mut lists[relation.index()];
        for (row, literals) in facts.with_literals(relation) {
            // Whatever else suffices for what holds anyway is of no interest.
            let holds_anyway = literals.contains(&facts.always());
            let of_interest = |literal: &&LiteralName| !holds_anyway || **literal == facts.always();
            for &literal in literals.iter().filter(of_interest) {
                if wanted(literal) {
                    list.push((row.into(), literal));
                }
            }
        }
        list.sort_unstable();
    }
    lists
}

fn literals_by_name(facts: &FactLists, symbols: &Symbols) -> Vec<LiteralName> {
    let mut literals: Vec<LiteralName> = facts.iter().flatten().map(|fact| fact.1).collect();
    literals.sort_unstable();
    literals.dedup();
    literals.sort_unstable_by_key(|&literal| symbols.name(literal));
    literals
}

fn reason(found: Found, literals: &[LiteralName]) -> Reason {
    Reason {
        literals: names(&found.literals, literals),
        conflict: found.conflict,
        rules: found.rules,
    }
}
