//! What methods tell each other: predicates, and the abstract states that `match` has visited.

use super::Member;
use crate::matching::{VisitedState, transfer};
use heddle_program::{Program, TermId, Terms};

/// So many of each method: more hinder more than they help, since each may double the abstract
/// states. The first ones are the most useful, being about the shortest paths.
const MOST_OF_EACH: usize = 6;

/// So many states that were visited: enough to differ in what matters, and few enough to evaluate
/// before each question to a solver.
pub(super) const MOST_STATES: usize = 100;

/// What each method found when it was alone.
#[derive(Default)]
pub(super) struct Exchange {
    /// In the program's arena.
    found: Vec<(Member, Vec<TermId>)>,
    /// Those of the latest concrete search.
    visited: Vec<VisitedState>,
    version: u32,
}

impl Exchange {
    /// All of them, each once.
    pub(super) fn shared(&self) -> Vec<TermId> {
        let mut shared = Vec::new();
        for &term in self.found.iter().flat_map(|(_, terms)| terms) {
            if !shared.contains(&term) {
                shared.push(term);
            }
        }
        shared
    }

    /// States that are known to be possible. Unlike predicates they do not mislead: whoever gets
    /// them finds the same, with fewer questions.
    pub(super) fn visited(&self) -> &[VisitedState] {
        &self.visited
    }

    pub(super) fn take_in_states(&mut self, visited: Vec<VisitedState>) {
        if !visited.is_empty() {
            self.visited = visited;
        }
    }

    /// Another number whenever there is something that lets a method find more.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// Takes the predicates of a method, which are of another arena, in the place of what it
    /// found before.
    pub(super) fn take_in(
        &mut self,
        program: &mut Program,
        member: Member,
        from: &Terms,
        predicates: &[TermId],
    ) {
        let mut terms = std::mem::take(&mut program.terms);
        let found = predicates.iter();
        let found: Vec<TermId> = found
            .filter_map(|&predicate| transfer(program, from, predicate, &mut terms))
            .take(MOST_OF_EACH)
            .collect();
        program.terms = terms;
        if !self.found.contains(&(member, found.clone())) {
            self.found.retain(|(who, _)| *who != member);
            self.found.push((member, found));
            self.version += 1;
        }
    }
}
