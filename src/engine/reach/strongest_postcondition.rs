//! Predicates from strongest postconditions along an infeasible path: what a variable is
//! known to be at a position, if later guards of the core depend on it.

use super::path::{Path, SymbolicExecution};
use super::system::System;
use super::weakest_precondition::Preconditions;
use heddle_program::{Sort, TermId};
use std::collections::BTreeSet;

pub(crate) fn known_values(
    system: &mut System,
    path: &Path,
    execution: &SymbolicExecution,
    preconditions: &Preconditions,
) -> BTreeSet<TermId> {
    let terms = &mut system.terms;
    let mut predicates = BTreeSet::new();
    for position in 0..path.len() {
        for &condition in &preconditions.0[position] {
            for variable in terms.variables_of(condition) {
                let Some(&value) = execution.states[position].values.get(&variable) else {
                    continue;
                };
                // What depends on choices or unknown initial values cannot be said in terms
                // of the program's variables alone.
                if !terms.variables_of(value).is_empty() {
                    continue;
                }
                let term = terms.variable(variable);
                predicates.insert(match terms.sort(term) {
                    Sort::Bool => term,
                    _ => terms.eq(term, value),
                });
            }
        }
    }
    predicates
}
