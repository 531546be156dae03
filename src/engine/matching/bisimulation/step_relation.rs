//! Statements as relations between the variables before and those after.

use heddle_program::{Place, Sort, Statement, TermId, Terms, Update, Value, VarId};
use rustc_hash::FxHashMap;

/// One statement. Variables that it does not write are the same before and after.
pub(super) struct StepRelation {
    /// Where it can be executed.
    pub(super) guard: TermId,
    /// How the variables after it have to do with those before.
    pub(super) equations: Vec<TermId>,
    /// What stands for each written variable after it.
    pub(super) after: FxHashMap<VarId, TermId>,
}

/// Makes relations, with the same variables for all of them.
#[derive(Default)]
pub(super) struct StepRelations {
    /// For each variable and sort: terms for values that have to do with it, and how many of
    /// them the current relation uses.
    values: FxHashMap<(VarId, Sort), (Vec<TermId>, usize)>,
}

impl StepRelations {
    /// The relation of a statement after which the variables of `dying` are zero.
    pub(super) fn of(
        &mut self,
        terms: &mut Terms,
        statement: &Statement,
        dying: &[VarId],
    ) -> StepRelation {
        self.values.values_mut().for_each(|(_, used)| *used = 0);
        let mut step = StepRelation {
            guard: terms.bool(true),
            equations: Vec::new(),
            after: FxHashMap::default(),
        };
        match statement {
            Statement::Assume(condition) | Statement::Assert { condition, .. } => {
                step.guard = *condition;
            }
            Statement::Assign { target, value } => {
                self.write(terms, &mut step, *target, Update::Value(*value));
            }
            Statement::Havoc { target } => self.write(terms, &mut step, *target, Update::Any),
            Statement::Guarded { guard, updates, .. } => {
                step.guard = *guard;
                for &(place, update) in updates {
                    self.write(terms, &mut step, place, update);
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
            let zero = terms.value(&Value::zero(terms.variable_sort(variable)));
            let after = self.after(terms, &mut step, variable);
            step.equations.push(terms.eq(after, zero));
        }
        step
    }

    /// Each write relates a variable to what it was after the write before.
    fn write(&mut self, terms: &mut Terms, step: &mut StepRelation, place: Place, update: Update) {
        let variable = place.variable();
        let old = step.after.get(&variable).copied();
        let old = old.unwrap_or_else(|| terms.variable(variable));
        let new = self.after(terms, step, variable);
        match (place, update) {
            (Place::Variable(_), Update::Any) => {}
            (Place::Variable(_), Update::Value(value)) => step.equations.push(terms.eq(new, value)),
            (Place::Element(_, index), update) => {
                let value = match update {
                    Update::Value(value) => value,
                    Update::Any => {
                        let sort = terms.variable_sort(variable).as_array();
                        let sort = sort.expect("only arrays have elements").element;
                        self.value(terms, variable, sort.into())
                    }
                };
                let written = terms.store(old, index, value);
                step.equations.push(terms.eq(new, written));
            }
        }
    }

    fn after(&mut self, terms: &mut Terms, step: &mut StepRelation, variable: VarId) -> TermId {
        let sort = terms.variable_sort(variable);
        let after = self.value(terms, variable, sort);
        step.after.insert(variable, after);
        after
    }

    fn value(&mut self, terms: &mut Terms, variable: VarId, sort: Sort) -> TermId {
        let (made, used) = self.values.entry((variable, sort)).or_default();
        *used += 1;
        if made.len() < *used {
            let name = format!("{}'{used}", terms.name(variable));
            let name = terms.unused_name(&name);
            let value = terms.declare(name, sort);
            made.push(terms.variable(value));
        }
        made[*used - 1]
    }
}
