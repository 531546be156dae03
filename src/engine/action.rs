//! What a step does to the data: where it is possible, and what the variables become.

use heddle_program::{Place, Program, Sort, Statement, TermId, Terms, Update, VarId};
use rustc_hash::FxHashMap;

/// A guard, and updates that are all made at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Action {
    pub(crate) guard: TermId,
    pub(crate) updates: Vec<(VarId, TermId)>,
    /// A variable of the arena, not of the program, for each value that the statement leaves
    /// open, in the order of [`choices`](heddle_interpret::choices).
    pub(crate) choices: Vec<VarId>,
}

impl Action {
    /// Is possible where the guard holds, and changes nothing.
    pub(crate) fn test(guard: TermId) -> Action {
        Action {
            guard,
            updates: Vec::new(),
            choices: Vec::new(),
        }
    }

    /// The start of a run: whatever the variables were before, those with an initial value
    /// have it.
    pub(crate) fn initialisation(program: &Program, terms: &mut Terms) -> Action {
        let mut action = Action::test(terms.bool(true));
        for variable in program.variable_ids() {
            if let Some(initial) = program.variable(variable).initial {
                action.set(variable, initial);
            }
        }
        action
    }

    /// What the statement does where it can be executed. An assertion goes on where its
    /// condition holds. The variables of `dying` become zero.
    pub(crate) fn new(terms: &mut Terms, statement: &Statement, dying: &[VarId]) -> Action {
        let mut action = Action::test(terms.bool(true));
        match statement {
            Statement::Assign { target, value } => action.write(terms, *target, Some(*value)),
            Statement::Havoc { target } => action.write(terms, *target, None),
            Statement::Assume(condition) | Statement::Assert { condition, .. } => {
                action.guard = *condition;
            }
            Statement::Guarded { guard, updates, .. } => {
                action.guard = *guard;
                for &(target, update) in updates {
                    let value = match update {
                        Update::Value(value) => Some(value),
                        Update::Any => None,
                    };
                    action.write(terms, target, value);
                }
            }
            Statement::Skip
            | Statement::Create(_)
            | Statement::Join(_)
            | Statement::AtomicBegin
            | Statement::AtomicEnd
            | Statement::BoundReached(_) => {}
        }
        for &variable in dying {
            let zero = terms.value(&heddle_program::Value::zero(terms.variable_sort(variable)));
            action.set(variable, zero);
        }
        action
    }

    fn set(&mut self, variable: VarId, value: TermId) {
        match self
            .updates
            .iter_mut()
            .find(|(other, _)| *other == variable)
        {
            Some((_, old)) => *old = value,
            None => self.updates.push((variable, value)),
        }
    }

    /// One more update; `None` is any value.
    fn write(&mut self, terms: &mut Terms, target: Place, value: Option<TermId>) {
        let variable = target.variable();
        let new = match (target, terms.variable_sort(variable)) {
            (Place::Variable(_), Sort::Array(sort)) if value.is_none() => {
                let mut array = terms.variable(variable);
                for position in 0..sort.length {
                    let index = terms.index_constant(sort, position);
                    let element = self.choice(terms, variable, sort.element.into());
                    array = terms.store(array, index, element);
                }
                array
            }
            (Place::Variable(_), sort) => {
                value.unwrap_or_else(|| self.choice(terms, variable, sort))
            }
            (Place::Element(_, index), sort) => {
                let sort = sort.as_array().expect("only arrays have elements");
                let value =
                    value.unwrap_or_else(|| self.choice(terms, variable, sort.element.into()));
                // Elements of one array are written one after the other.
                let array = self.update_of(variable);
                let array = array.unwrap_or_else(|| terms.variable(variable));
                terms.store(array, index, value)
            }
        };
        self.set(variable, new);
    }

    fn choice(&mut self, terms: &mut Terms, variable: VarId, sort: Sort) -> TermId {
        let name = terms.unused_name(&format!("{}!any", terms.name(variable)));
        let choice = terms.declare(name, sort);
        self.choices.push(choice);
        terms.variable(choice)
    }

    /// What the variable becomes, if the action writes it.
    pub(crate) fn update_of(&self, variable: VarId) -> Option<TermId> {
        let update = self.updates.iter().find(|(other, _)| *other == variable);
        update.map(|&(_, value)| value)
    }

    /// What has to hold before the updates so that the term holds after them: `φ[e(x)/x]`.
    pub(crate) fn before(&self, terms: &mut Terms, after: TermId) -> TermId {
        terms.substitute(after, |_, variable| self.update_of(variable))
    }

    /// [`Action::before`] for many terms at once.
    pub(crate) fn all_before(
        &self,
        terms: &mut Terms,
        after: &[TermId],
    ) -> FxHashMap<TermId, TermId> {
        terms.substitute_all(after, |_, variable| self.update_of(variable))
    }
}
