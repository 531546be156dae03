//! Predicates from weakest preconditions along an infeasible path.
//!
//! The guards of the core are carried back through the path. What has to hold before a
//! position so that the rest of the core can be gone along from there is a conjunction, which
//! is impossible at the start; its atoms are the predicates.

use super::path::Path;
use super::system::System;
use crate::action::Action;
use heddle_program::{Op, Sort, Term, TermId, Terms};

/// Before each position of the path, and before its end: conjuncts that the rest of the core
/// needs, as far as they can be said without its choices. Empty from where on nothing is needed.
pub(crate) struct Preconditions(pub(crate) Vec<Vec<TermId>>);

pub(crate) fn preconditions(system: &mut System, path: &Path, core: &[usize]) -> Preconditions {
    let mut before = vec![Vec::new(); path.len() + 1];
    let mut needed: Vec<TermId> = Vec::new();
    for position in (0..path.len()).rev() {
        let action = system.action_of(path.0[position]).clone();
        needed = carried_back(&mut system.terms, &action, &needed);
        if core.contains(&position) {
            needed.extend(conjuncts(&system.terms, action.guard));
        }
        needed.retain(|&term| !system.terms.is_true(term));
        needed.sort_unstable();
        needed.dedup();
        before[position] = needed.clone();
        if needed.iter().any(|&term| system.terms.is_false(term)) {
            // Nobody can go along the rest, wherever he comes from.
            break;
        }
    }
    Preconditions(before)
}

/// What has to hold before the updates so that the conjuncts can hold after them, or less than
/// that.
fn carried_back(terms: &mut Terms, action: &Action, after: &[TermId]) -> Vec<TermId> {
    let images = action.all_before(terms, after);
    let mut before: Vec<TermId> = after.iter().map(|term| images[term]).collect();
    for &choice in &action.choices {
        let (mut with, without): (Vec<TermId>, Vec<TermId>) = before
            .into_iter()
            .partition(|&term| terms.variables_of(term).contains(&choice));
        before = without;
        if with.is_empty() {
            continue;
        }
        // ∃ over a boolean is a disjunction; over anything else only a choice that a single
        // equation determines is eliminated. What is said of other choices is left out: where
        // they are made it says nothing of the state.
        if terms.variable_sort(choice) == Sort::Bool {
            let all = terms.and(&with);
            let cases = [true, false].map(|value| {
                let value = terms.bool(value);
                terms.substitute(all, |_, variable| (variable == choice).then_some(value))
            });
            before.push(terms.or(&cases));
        } else if let Some(solved) = with.iter().find_map(|&t| solution(terms, t, choice)) {
            for term in &mut with {
                *term =
                    terms.substitute(*term, |_, variable| (variable == choice).then_some(solved));
            }
            before.extend(with);
        }
    }
    before
}

/// `t`, if the term is the equation `choice = t`.
fn solution(terms: &Terms, term: TermId, choice: heddle_program::VarId) -> Option<TermId> {
    let Term::Apply {
        op: Op::Eq,
        arguments,
    } = terms.get(term)
    else {
        return None;
    };
    let sides = [(arguments[0], arguments[1]), (arguments[1], arguments[0])];
    sides.into_iter().find_map(|(one, other)| {
        let solves =
            terms.as_variable(one) == Some(choice) && !terms.variables_of(other).contains(&choice);
        solves.then_some(other)
    })
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(terms: &Terms, term: TermId) -> Vec<TermId> {
    match terms.get(term) {
        Term::Apply {
            op: Op::And,
            arguments,
        } => arguments.to_vec(),
        _ => vec![term],
    }
}

/// The atoms of a boolean term, without negations.
pub(crate) fn atoms(terms: &Terms, term: TermId) -> Vec<TermId> {
    let mut atoms = Vec::new();
    let mut pending = vec![term];
    while let Some(term) = pending.pop() {
        match terms.get(term) {
            Term::Constant(_) => {}
            Term::Apply {
                op: Op::And | Op::Or | Op::Not,
                arguments,
            } => pending.extend(arguments.iter()),
            Term::Apply {
                op: Op::Ite | Op::Eq,
                arguments,
            } if arguments.iter().all(|&a| terms.sort(a) == Sort::Bool) => {
                pending.extend(arguments.iter());
            }
            _ => atoms.push(term),
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}
