//! Reads of some variables unconstrained at first: the solver-level form of *Counter-Example
//! Guided Program Verification* (Section 6, "SMT based optimization").
//!
//! The sliced program is the abstraction without the links of sliced variables. What a
//! counterexample of it says about the kept variables, its links and which events are
//! executed, is *forced* by assuming these literals while more variables are linked; if
//! there is no such execution, those literals that it failed by are *forbidden* by a clause.
//! No program is translated, and all levels share what the solver has learned.

use super::{Feasible, GaveUp, Refinement, Search};
use heddle_program::{Program, VarId};
use heddle_solver::Literal;
use heddle_unroll::{EventGraph, EventId};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// Which variables' reads are linked at each level. Beyond the last one, all are.
pub(crate) struct Levels {
    kept: Vec<FxHashSet<VarId>>,
    /// By level, the last one included where all are linked.
    pub counts: Vec<LevelCounts>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct LevelCounts {
    /// Unrolled programs, the events in them, and how many of these are of sliced variables.
    pub abstractions: usize,
    pub events: usize,
    pub sliced_events: usize,
    pub counterexamples: usize,
    pub spurious: usize,
    pub searches: usize,
    pub time: Duration,
}

impl Levels {
    /// Everything is linked from the beginning.
    pub(crate) fn none() -> Levels {
        Levels::new(Vec::new())
    }

    pub(crate) fn new(kept: Vec<FxHashSet<VarId>>) -> Levels {
        Levels {
            counts: vec![LevelCounts::default(); kept.len() + 1],
            kept,
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether the events of a variable count at a level. What the observer of an error
    /// condition looks at, which the program itself does not have, does in any case.
    fn keep(&self, program: &Program, level: usize, variable: VarId) -> bool {
        let kept = self.kept.get(level);
        kept.is_none_or(|kept| kept.contains(&variable))
            || variable.index() >= program.variables.len()
    }

    /// Takes note of an unrolled program.
    pub(super) fn count(&mut self, program: &Program, graph: &EventGraph) {
        let events = graph.chains.iter().flat_map(|chain| &chain.events);
        let variables: Vec<Option<VarId>> = events.map(|&event| variable(graph, event)).collect();
        for level in 0..self.counts.len() {
            let is_sliced = |of: &&Option<VarId>| {
                of.is_some_and(|variable| !self.keep(program, level, variable))
            };
            let sliced = variables.iter().filter(is_sliced).count();
            let counts = &mut self.counts[level];
            counts.abstractions += 1;
            counts.events += variables.len();
            counts.sliced_events += sliced;
        }
    }
}

/// The variable that an event accesses, if any.
fn variable(graph: &EventGraph, event: EventId) -> Option<VarId> {
    let cell = graph.event(event).kind.cell()?;
    Some(graph.cell(cell).variable)
}

impl Refinement<'_> {
    pub(super) fn search_by_levels(&mut self, goal: &[Literal]) -> Result<Search, GaveUp> {
        self.search_from(0, goal)
    }

    /// An execution that is feasible with all variables, or the literals of `asked` (a goal
    /// and what earlier levels force) that are never true together in one.
    fn search_from(&mut self, level: usize, asked: &[Literal]) -> Result<Search, GaveUp> {
        let is_last = level == self.levels.kept.len();
        let (program, graph) = (self.program, self.graph);
        let kept_variables = self.abstraction.linked.iter();
        let kept_variables =
            kept_variables.filter(|(variable, _)| self.levels.keep(program, level, **variable));
        let mut linked: Vec<Literal> = kept_variables.map(|(_, &literal)| literal).collect();
        linked.sort_unstable();
        let assumed = [asked, &linked].concat();
        let counted: Vec<bool> = graph
            .event_ids()
            .map(|event| {
                variable(graph, event)
                    .is_none_or(|variable| self.levels.keep(program, level, variable))
            })
            .collect();
        loop {
            let started = Instant::now();
            let found = self.search(&assumed, |event| counted[event.index()]);
            let count = &mut self.levels.counts[level];
            count.searches += 1;
            count.time += started.elapsed();
            let feasible = match found? {
                Search::Impossible(mut core) => {
                    // In the executions of the program all reads are linked.
                    core.retain(|literal| asked.contains(literal));
                    return Ok(Search::Impossible(core));
                }
                Search::Found(feasible) => feasible,
            };
            if is_last {
                return Ok(Search::Found(feasible));
            }
            self.levels.counts[level].counterexamples += 1;
            let mut forced = asked.to_vec();
            forced.extend(self.said_by(&feasible));
            match self.search_from(level + 1, &forced)? {
                Search::Found(feasible) => return Ok(Search::Found(feasible)),
                Search::Impossible(core) => {
                    self.levels.counts[level].spurious += 1;
                    self.refine(&core);
                }
            }
        }
    }

    /// What a counterexample says about the kept variables.
    fn said_by(&self, feasible: &Feasible) -> Vec<Literal> {
        let counterexample = &feasible.counterexample;
        let links = counterexample.links.iter();
        let mut literals: Vec<Literal> = links
            .map(|&link| self.abstraction.links[link].literal)
            .collect();
        for (index, &executed) in counterexample.executed.iter().enumerate() {
            let accesses = variable(self.graph, EventId::from_index(index)).is_some();
            if executed && accesses {
                literals.push(self.abstraction.guards[index]);
            }
        }
        literals.retain(|literal| literal.constant().is_none());
        literals.sort_unstable();
        literals.dedup();
        literals
    }
}
