//! What goes to other engines, and comes from them: predicates, and abstract states as
//! locations and conditions (Section 8.7).

use super::control::Control;
use super::predicates::Predicates;
use super::structure::{ControlState, Structure};
use heddle_program::{LocationId, Program, Term, TermId, Terms, ThreadId};
use rustc_hash::FxHashMap;

/// An abstract state that was visited, in terms of the outcome's arena.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VisitedState {
    /// By thread; `None` for one that was not created.
    pub locations: Vec<Option<LocationId>>,
    /// The thread inside an atomic section.
    pub owner: Option<ThreadId>,
    /// What holds: values of the program counter's variables, predicates, negations.
    pub conditions: Vec<TermId>,
}

pub(super) fn visited_states(
    program: &mut Program,
    control: &Control,
    predicates: &Predicates,
    structure: &Structure,
) -> Vec<VisitedState> {
    let threads: Vec<ThreadId> = program.thread_ids().collect();
    let mut states = Vec::new();
    for id in structure.state_ids() {
        let state = structure.state(id);
        let words = structure.controls.get(state.control.0);
        let counter = ControlState::new(words, threads.len());
        let mut conditions = Vec::new();
        for (position, &variable) in control.variables.iter().enumerate() {
            let variable = program.terms.variable(variable);
            let value = control.constant(position, counter.word(position));
            let value = program.terms.constant(value);
            conditions.push(program.terms.eq(variable, value));
        }
        conditions.extend(predicates.conjuncts(&structure.valuation(state.valuation)));
        states.push(VisitedState {
            locations: threads.iter().map(|&t| counter.location(t)).collect(),
            owner: counter.owner(),
            conditions,
        });
    }
    states
}

/// A term of one arena in another one of the same program. `None` if it mentions a variable
/// that the program does not have.
pub fn transfer(program: &Program, from: &Terms, term: TermId, to: &mut Terms) -> Option<TermId> {
    let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
    for part in from.subterms(&[term]) {
        let new = match from.get(part) {
            Term::Constant(constant) => to.constant(*constant),
            Term::Variable(variable) if variable.index() < program.variables.len() => {
                to.variable(*variable)
            }
            Term::Variable(_) => return None,
            Term::Apply { op, arguments } => {
                let arguments: Vec<TermId> = arguments.iter().map(|part| image[part]).collect();
                to.apply(*op, &arguments)
            }
        };
        image.insert(part, new);
    }
    Some(image[&term])
}
