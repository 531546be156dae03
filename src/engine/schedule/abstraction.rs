//! The abstraction: each thread alone, and every read returns the value of some write.
//!
//! Section 3.1 of *Scheduling Constraint Based Abstraction Refinement for Multi-Threaded
//! Program Verification*: φ0 = φ_init ∧ ρ ∧ ζ, with one literal for each candidate
//! read-from link. What the links mean for the order of events is left out.

use heddle_program::{TermId, VarId};
use heddle_solver::{Backend, Limits, Literal, Reason, Solver, Unsupported};
use heddle_unroll::{EventGraph, EventId, EventKind, Limit};
use rustc_hash::FxHashMap;
use std::fmt;

/// A read-from link that a model may choose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub write: EventId,
    pub read: EventId,
    /// True only if both events are executed and the values agree.
    pub literal: Literal,
}

pub(crate) struct Abstraction {
    pub solver: Box<dyn Solver>,
    /// By event: true exactly if it is executed.
    pub guards: Vec<Literal>,
    pub links: Vec<Link>,
    /// Some assertion fails.
    pub violation: Literal,
    /// Some loop would go round more often than the bound allows.
    pub loop_cut: Literal,
    /// Some execution would go on beyond a bound of the front end.
    pub front_end_cut: Literal,
    /// Some execution creates a thread that was created before.
    pub second_creation: Literal,
    /// By cut of the graph: whether an execution is cut there.
    pub cuts: Vec<Literal>,
    /// By variable, if reads may be without a link: those of the variable have one.
    pub linked: FxHashMap<VarId, Literal>,
}

/// Whether every read returns the value of some write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Linked,
    /// Only where that is assumed, variable by variable.
    LinkedIfAssumed,
}

/// So many clauses, with what the solver learns from them, take most of a gigabyte.
const MOST_CLAUSES: u64 = 4_000_000;

/// Among so few literals, it takes fewer clauses to exclude each pair.
const FEW_LITERALS: usize = 5;

/// Why a program has no abstraction.
pub(crate) enum NotEncoded {
    Unsupported(Unsupported),
    TooLarge,
    Limit(Reason),
}

impl From<Unsupported> for NotEncoded {
    fn from(unsupported: Unsupported) -> Self {
        NotEncoded::Unsupported(unsupported)
    }
}

impl fmt::Display for NotEncoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotEncoded::Unsupported(unsupported) => unsupported.fmt(f),
            NotEncoded::TooLarge => {
                write!(f, "the abstraction has more than {MOST_CLAUSES} clauses")
            }
            NotEncoded::Limit(reason) => reason.fmt(f),
        }
    }
}

impl Abstraction {
    pub(crate) fn new(
        graph: &mut EventGraph,
        candidates: &[(EventId, EventId)],
        solver: Option<Backend>,
        reads: Reads,
        limits: Limits,
    ) -> Result<Self, NotEncoded> {
        let mut solver = solver.unwrap_or_else(|| solver_for(graph)).open();
        solver.set_limits(limits.clone());
        for read in graph.read_ranges() {
            solver.promise_range(&graph.terms, read.symbol, read.least..=read.most);
        }
        let mut guards = Vec::with_capacity(graph.events.len());
        for (number, event) in graph.events.iter().enumerate() {
            if number % 64 == 0 {
                is_within_limits(&*solver, &limits)?;
            }
            guards.push(solver.literal(&graph.terms, event.guard)?);
        }
        for (number, &definition) in graph.definitions.iter().enumerate() {
            if number % 64 == 0 {
                is_within_limits(&*solver, &limits)?;
            }
            solver.assert(&graph.terms, definition)?;
        }
        let mut links = Vec::with_capacity(candidates.len());
        let mut sources: FxHashMap<EventId, Vec<Literal>> = FxHashMap::default();
        let mut choices: FxHashMap<EventId, usize> = FxHashMap::default();
        for &(_, read) in candidates {
            *choices.entry(read).or_default() += 1;
        }
        for (number, &(write, read)) in candidates.iter().enumerate() {
            if number % 1024 == 0 {
                is_within_limits(&*solver, &limits)?;
            }
            let (
                EventKind::Write { value: written, .. },
                EventKind::Read {
                    value: returned, ..
                },
            ) = (graph.event(write).kind, graph.event(read).kind)
            else {
                continue;
            };
            let equal = graph.terms.eq(returned, written);
            // A read that has no choice takes its only link whenever it is executed; also one
            // that need not be linked, because that costs nothing.
            let literal = match choices[&read] {
                1 => guards[read.index()],
                _ => solver.new_literal(),
            };
            for implied in [guards[write.index()], guards[read.index()]] {
                solver.add_clause(&[!literal, implied]);
            }
            solver.imply(&graph.terms, literal, equal)?;
            sources.entry(read).or_default().push(literal);
            links.push(Link {
                write,
                read,
                literal,
            });
        }
        is_within_limits(&*solver, &limits)?;
        let mut linked: FxHashMap<VarId, Literal> = FxHashMap::default();
        for chain in &graph.chains {
            for &event in &chain.events {
                if let EventKind::Read { cell, .. } = graph.event(event).kind {
                    let mut clause = sources.remove(&event).unwrap_or_default();
                    clause.push(!guards[event.index()]);
                    if reads == Reads::LinkedIfAssumed {
                        let variable = graph.cell(cell).variable;
                        let linked = linked.entry(variable);
                        clause.push(!*linked.or_insert_with(|| solver.new_literal()));
                    }
                    solver.add_clause(&clause);
                }
            }
        }
        let violations: Vec<TermId> = graph.violations.iter().map(|v| v.condition).collect();
        let violation = graph.terms.or(&violations);
        let kinds = [Limit::Unwinding, Limit::FrontEnd, Limit::SecondCreation];
        let [loop_cut, front_end_cut, second_creation] = kinds.map(|limit| {
            let cuts = graph.cuts.iter().filter(|cut| cut.limit == limit);
            let guards: Vec<TermId> = cuts.map(|cut| cut.guard).collect();
            graph.terms.or(&guards)
        });
        let mut cuts = Vec::with_capacity(graph.cuts.len());
        for cut in &graph.cuts {
            cuts.push(solver.literal(&graph.terms, cut.guard)?);
        }
        Ok(Abstraction {
            violation: solver.literal(&graph.terms, violation)?,
            loop_cut: solver.literal(&graph.terms, loop_cut)?,
            front_end_cut: solver.literal(&graph.terms, front_end_cut)?,
            second_creation: solver.literal(&graph.terms, second_creation)?,
            cuts,
            linked,
            solver,
            guards,
            links,
        })
    }

    /// The links of each read that has several, of which it takes one.
    pub(crate) fn choices(&self) -> Vec<Vec<Literal>> {
        let mut choices: FxHashMap<EventId, Vec<Literal>> = FxHashMap::default();
        for link in &self.links {
            choices.entry(link.read).or_default().push(link.literal);
        }
        let mut choices: Vec<(EventId, Vec<Literal>)> = choices.into_iter().collect();
        choices.retain(|(_, links)| links.len() > 1);
        choices.sort_unstable_by_key(|(read, _)| *read);
        choices.into_iter().map(|(_, links)| links).collect()
    }

    /// A counterexample of the abstraction: the executed events, and one link for each
    /// executed read; of those that count. Only after the solver has found a model.
    pub(crate) fn counterexample(&mut self, counts: impl Fn(EventId) -> Count) -> Counterexample {
        let mut executed = Vec::with_capacity(self.guards.len());
        for (index, &guard) in self.guards.iter().enumerate() {
            let counts = counts(EventId::from_index(index));
            executed.push(counts != Count::Nothing && self.solver.literal_value(guard));
        }
        let mut linked: FxHashMap<EventId, usize> = FxHashMap::default();
        for (index, link) in self.links.iter().enumerate() {
            if counts(link.read) != Count::Linked {
                continue;
            }
            // Of several writes of the same value one is enough.
            if !linked.contains_key(&link.read) && self.solver.literal_value(link.literal) {
                linked.insert(link.read, index);
            }
        }
        let mut links: Vec<usize> = linked.into_values().collect();
        links.sort_unstable();
        Counterexample { executed, links }
    }
}

/// What of an event is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    Nothing,
    /// Whether it is executed.
    Executed,
    /// That, and for a read where its value comes from.
    Linked,
}

/// What a model of the abstraction says about events.
#[derive(Clone, Debug)]
pub(crate) struct Counterexample {
    /// By event.
    pub executed: Vec<bool>,
    /// Positions in [`Abstraction::links`].
    pub links: Vec<usize>,
}

/// Tells the solver that at most one of these is true. Returns the number of clauses.
pub(crate) fn at_most_one(solver: &mut dyn Solver, literals: &[Literal]) -> usize {
    let mut clauses = Vec::new();
    if literals.len() <= FEW_LITERALS {
        for (place, &one) in literals.iter().enumerate() {
            let others = literals[place + 1..].iter();
            clauses.extend(others.map(|&other| [!one, !other]));
        }
    } else {
        // A ladder: whether one of those up to here is true (Sinz, *Towards an Optimal CNF
        // Encoding of Boolean Cardinality Constraints*).
        let mut before: Option<Literal> = None;
        for &literal in literals {
            let so_far = solver.new_literal();
            clauses.push([!literal, so_far]);
            if let Some(before) = before {
                clauses.extend([[!before, so_far], [!before, !literal]]);
            }
            before = Some(so_far);
        }
    }
    for clause in &clauses {
        solver.add_clause(clause);
    }
    clauses.len()
}

fn is_within_limits(solver: &dyn Solver, limits: &Limits) -> Result<(), NotEncoded> {
    if let Some(reason) = limits.exceeded() {
        return Err(NotEncoded::Limit(reason));
    }
    match solver.statistics().clauses > MOST_CLAUSES {
        true => Err(NotEncoded::TooLarge),
        false => Ok(()),
    }
}

/// Bit-precise terms become clauses; mathematical integers need Z3.
fn solver_for(graph: &EventGraph) -> Backend {
    match graph.has_integers() {
        true => Backend::Z3,
        false => Backend::BitBlast,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_solver::Answer;

    #[test]
    fn at_most_one_is_true() {
        for count in 2..=2 * FEW_LITERALS {
            let mut solver = Backend::BitBlast.open();
            let literals: Vec<Literal> = (0..count).map(|_| solver.new_literal()).collect();
            assert!(at_most_one(&mut *solver, &literals) >= count - 1);
            for (place, &one) in literals.iter().enumerate() {
                assert_eq!(solver.check(&[one]), Answer::Sat);
                for &other in &literals[place + 1..] {
                    assert_eq!(solver.check(&[one, other]), Answer::Unsat);
                }
            }
        }
    }
}
