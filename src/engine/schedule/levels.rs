//! Reads of some variables unconstrained at first: the solver-level form of *Counter-Example
//! Guided Program Verification* (Section 6, "SMT based optimization").
//!
//! The sliced program is the abstraction without the links of sliced variables. What a
//! counterexample of it says about the kept variables, its links and which events are
//! executed, is *forced* by assuming these literals while all variables are linked; if
//! there is no such execution, those literals that it failed by are *forbidden* by a clause.
//! No program is translated, and both levels share what the solver has learned.
//!
//! Neither level is always the easier one: without their links, reads of sliced variables
//! also allow much that has to be excluded. So they take turns, each time for longer.

use super::abstraction::Count;
use super::forced::excluded_links;
use super::{Feasible, GaveUp, Refinement, Search};
use heddle_program::{Program, VarId};
use heddle_solver::Literal;
use heddle_unroll::{EventGraph, EventId};
use rustc_hash::FxHashSet;
use std::time::{Duration, Instant};

/// How many rounds the first turns take, and how much longer the next ones are. The sliced
/// program gets few at first: mostly its first counterexamples tell whether slicing helps.
const TURNS: [Turn; 2] = [
    Turn {
        level: Level::Kept,
        rounds: 2,
        growth: 4,
    },
    Turn {
        level: Level::All,
        rounds: 64,
        growth: 2,
    },
];

struct Turn {
    level: Level,
    rounds: usize,
    growth: usize,
}

/// Which reads are linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    /// Those of the kept variables.
    Kept,
    All,
}

/// Which variables' reads are linked at first, and what became of it.
pub(crate) struct Levels {
    kept: Option<FxHashSet<VarId>>,
    is_sliced: bool,
    /// By level: with the kept variables, if some are sliced, and with all.
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

impl LevelCounts {
    /// A search has ended.
    fn take_note(&mut self, started: Instant) {
        self.searches += 1;
        self.time += started.elapsed();
    }
}

impl Levels {
    /// Everything is linked from the beginning.
    pub(crate) fn none() -> Levels {
        Levels::new(None)
    }

    pub(crate) fn new(kept: Option<FxHashSet<VarId>>) -> Levels {
        let levels = if kept.is_some() { 2 } else { 1 };
        Levels {
            counts: vec![LevelCounts::default(); levels],
            kept,
            is_sliced: false,
        }
    }

    /// Whether anything of the unrolled program that was counted last is sliced. Variables that
    /// only other executions access, or none, are no slice.
    pub(super) fn are_none(&self) -> bool {
        !self.is_sliced
    }

    fn counts(&mut self, level: Level) -> &mut LevelCounts {
        let index = match level {
            Level::Kept => 0,
            Level::All => self.counts.len() - 1,
        };
        &mut self.counts[index]
    }

    /// Whether the events of a variable count at a level. What the observer of an error
    /// condition looks at, which the program itself does not have, does in any case.
    fn keep(&self, program: &Program, level: Level, variable: VarId) -> bool {
        match (level, &self.kept) {
            (Level::Kept, Some(kept)) => {
                kept.contains(&variable) || variable.index() >= program.variables.len()
            }
            _ => true,
        }
    }

    /// Takes note of an unrolled program.
    pub(super) fn count(&mut self, program: &Program, graph: &EventGraph) {
        let events = graph.chains.iter().flat_map(|chain| &chain.events);
        let variables: Vec<Option<VarId>> = events.map(|&event| variable(graph, event)).collect();
        let is_sliced = |of: &&Option<VarId>| {
            of.is_some_and(|variable| !self.keep(program, Level::Kept, variable))
        };
        let sliced = variables.iter().filter(is_sliced).count();
        for counts in &mut self.counts {
            counts.abstractions += 1;
            counts.events += variables.len();
        }
        self.counts(Level::Kept).sliced_events += sliced;
        self.is_sliced = sliced > 0;
    }
}

/// The variable that an event accesses, if any.
fn variable(graph: &EventGraph, event: EventId) -> Option<VarId> {
    let cell = graph.event(event).kind.cell()?;
    Some(graph.cell(cell).variable)
}

impl Refinement<'_> {
    /// An execution that is feasible with all variables, or the literals of the goal that are
    /// never true together in one.
    pub(super) fn search_by_levels(&mut self, goal: &[Literal]) -> Result<Search, GaveUp> {
        let mut turns = TURNS;
        loop {
            for turn in &mut turns {
                let found = match turn.level {
                    Level::Kept => self.search_and_confirm(goal, turn.rounds)?,
                    Level::All => self.search_at(Level::All, goal, turn.rounds)?,
                };
                match found {
                    Search::NotYet => turn.rounds = turn.rounds.saturating_mul(turn.growth),
                    found => return Ok(found),
                }
            }
        }
    }

    /// The same with all variables from the beginning.
    pub(super) fn search_at_once(&mut self, goal: &[Literal]) -> Result<Search, GaveUp> {
        let started = Instant::now();
        let found = self.search(goal, |_| Count::Linked, usize::MAX);
        self.levels.counts(Level::All).take_note(started);
        found
    }

    /// Looks for executions of the sliced program, until one is feasible with all variables.
    fn search_and_confirm(&mut self, goal: &[Literal], rounds: usize) -> Result<Search, GaveUp> {
        let mut left = rounds;
        loop {
            let before = self.statistics.rounds();
            let feasible = match self.search_at(Level::Kept, goal, left)? {
                Search::Found(feasible) => feasible,
                other => return Ok(other),
            };
            let refuted = self.statistics.rounds() - before;
            left = left.saturating_sub(refuted + 1);
            self.levels.counts(Level::Kept).counterexamples += 1;
            match self.confirm(goal, &feasible)? {
                Search::Impossible(core) => {
                    self.levels.counts(Level::Kept).spurious += 1;
                    self.refine(&core);
                }
                found => return Ok(found),
            }
        }
    }

    /// An execution with all variables that agrees with one of the sliced program, or the
    /// literals of the goal and of that execution which exclude it.
    fn confirm(&mut self, goal: &[Literal], sliced: &Feasible) -> Result<Search, GaveUp> {
        let mut forced = goal.to_vec();
        forced.extend(self.said_by(sliced));
        let excluded = excluded_links(
            self.observed,
            self.graph,
            &self.abstraction,
            &forced,
            &sliced.counterexample,
        )?;
        // The solver would take rounds to find out.
        let not_taken = excluded.iter().map(|&link| !link);
        let not_taken = not_taken.filter(|literal| literal.constant().is_none());
        let with_consequences: Vec<Literal> = forced.iter().copied().chain(not_taken).collect();
        match self.search_at(Level::All, &with_consequences, usize::MAX)? {
            // Which of the forced literals a consequence rests on is not known, and in another
            // memory model it may be none.
            Search::Impossible(core) if core.iter().any(|literal| !forced.contains(literal)) => {
                self.search_at(Level::All, &forced, usize::MAX)
            }
            found => Ok(found),
        }
    }

    /// By event, what is looked at: the accesses of linked variables, and all that orders threads
    /// and blocks. The first and the last event of a block stand for it in the rules, whatever they
    /// access.
    fn counted(&self, level: Level) -> Vec<Count> {
        let (program, graph) = (self.program, self.graph);
        let count = |event| match variable(graph, event) {
            Some(variable) if !self.levels.keep(program, level, variable) => Count::Nothing,
            _ => Count::Linked,
        };
        let mut counted: Vec<Count> = graph.event_ids().map(count).collect();
        let blocks = graph.blocks.iter();
        let ends = blocks.flat_map(|block| [block.events.first(), block.events.last()]);
        for end in ends.flatten() {
            let count = &mut counted[end.index()];
            if *count == Count::Nothing {
                *count = Count::Executed;
            }
        }
        counted
    }

    /// An execution that is feasible as far as the variables go whose reads are linked, or the
    /// asked literals that are never true together in one.
    fn search_at(
        &mut self,
        level: Level,
        asked: &[Literal],
        rounds: usize,
    ) -> Result<Search, GaveUp> {
        let program = self.program;
        let linked = self.abstraction.linked.iter();
        let linked = linked.filter(|(variable, _)| self.levels.keep(program, level, **variable));
        let mut linked: Vec<Literal> = linked.map(|(_, &literal)| literal).collect();
        linked.sort_unstable();
        let assumed = [asked, &linked].concat();
        let counted = self.counted(level);
        let started = Instant::now();
        let found = self.search(&assumed, |event| counted[event.index()], rounds);
        self.levels.counts(level).take_note(started);
        Ok(match found? {
            Search::Impossible(mut core) => {
                // In the executions of the program all reads are linked.
                core.retain(|literal| asked.contains(literal));
                Search::Impossible(core)
            }
            found => found,
        })
    }

    /// What a counterexample says about the kept variables.
    fn said_by(&self, feasible: &Feasible) -> Vec<Literal> {
        let counterexample = &feasible.counterexample;
        let links = counterexample.links.iter();
        let mut literals: Vec<Literal> = links
            .map(|&link| self.abstraction.links[link].literal)
            .collect();
        for (index, &executed) in counterexample.executed.iter().enumerate() {
            let variable = variable(self.graph, EventId::from_index(index));
            let kept = |variable| self.levels.keep(self.program, Level::Kept, variable);
            if executed && variable.is_some_and(kept) {
                literals.push(self.abstraction.guards[index]);
            }
        }
        literals.retain(|literal| literal.constant().is_none());
        literals.sort_unstable();
        literals.dedup();
        literals
    }
}
