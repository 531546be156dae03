//! What one step does to the variables, as terms over the state before it.

use heddle_program::{Place, Statement, TermId, Terms, Update, VarId};
use rustc_hash::FxHashMap;

/// A step can be taken if the guard holds, and then gives these variables other values.
pub(crate) struct Transition {
    pub(crate) guard: TermId,
    pub(crate) values: FxHashMap<VarId, TermId>,
}

impl Transition {
    /// The part of a statement that concerns variables. Conditions of assertions are guards:
    /// who violates one does not go on.
    pub(crate) fn of(terms: &mut Terms, statement: &Statement) -> Transition {
        let mut transition = Transition {
            guard: terms.bool(true),
            values: FxHashMap::default(),
        };
        match statement {
            Statement::Assign { target, value } => {
                transition.update(terms, *target, Update::Value(*value));
            }
            Statement::Havoc { target } => transition.update(terms, *target, Update::Any),
            Statement::Assume(condition) | Statement::Assert { condition, .. } => {
                transition.guard = *condition;
            }
            Statement::Guarded { guard, updates, .. } => {
                transition.guard = *guard;
                for &(target, update) in updates {
                    transition.update(terms, target, update);
                }
            }
            Statement::BoundReached(_) => transition.guard = terms.bool(false),
            Statement::Skip
            | Statement::Create(_)
            | Statement::Join(_)
            | Statement::AtomicBegin
            | Statement::AtomicEnd => {}
        }
        transition
    }

    fn update(&mut self, terms: &mut Terms, target: Place, update: Update) {
        let variable = target.variable();
        let old = self.value(terms, variable);
        let sort = match target {
            Place::Variable(_) => terms.sort(old),
            Place::Element(..) => {
                let array = terms.sort(old).as_array();
                array.expect("only an array has elements").element.into()
            }
        };
        let value = match update {
            Update::Value(value) => value,
            Update::Any => {
                let name = terms.unused_name("chosen");
                let chosen = terms.declare(name, sort);
                terms.variable(chosen)
            }
        };
        let new = match target {
            Place::Variable(_) => value,
            // Indices and values are those before the step, whatever else it writes.
            Place::Element(_, index) => terms.store(old, index, value),
        };
        self.values.insert(variable, new);
    }

    /// The variable after the step.
    pub(crate) fn value(&self, terms: &Terms, variable: VarId) -> TermId {
        let written = self.values.get(&variable).copied();
        written.unwrap_or_else(|| terms.variable(variable))
    }

    /// The condition, as it is before the step if it is to hold after it.
    pub(crate) fn before(&self, terms: &mut Terms, condition: TermId) -> TermId {
        terms.substitute(condition, |_, variable| self.values.get(&variable).copied())
    }
}
