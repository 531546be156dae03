//! What goes to other engines, and comes from them: predicates, and the abstract states that
//! were visited (Section 8.7).

use super::structure::Structure;
use heddle_interpret::Runner;
use heddle_program::{Program, Term, TermId, Terms, Value, VarId};
use rustc_hash::FxHashMap;

/// An abstract state that was visited, by the concrete state that was found for it first.
/// Variables that nothing reads any more are zero.
pub type VisitedState = FxHashMap<VarId, Value>;

/// The first abstract states, at most so many.
pub(super) fn visited_states(
    runner: &Runner<'_>,
    structure: &Structure,
    at_most: usize,
) -> Vec<VisitedState> {
    let (mut snapshot, _) = runner.start();
    let states = structure.state_ids().take(at_most).map(|id| {
        runner.unpack(structure.packed(id), &mut snapshot);
        let variables = runner.program().variable_ids();
        let values = variables.map(|variable| (variable, runner.value(&snapshot, variable)));
        values.collect()
    });
    states.collect()
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
