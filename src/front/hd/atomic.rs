//! Atomic blocks without branches are one step: a guard and simultaneous updates.

use super::lower::Emitter;
use super::syntax::{Action, Block, Expression, Form, Statement};
use super::typed::{Target, Typed};
use heddle_program::{LocationId, Place, Statement as Step, TermId, Update, VarId};
use std::collections::BTreeMap;

/// Whether the block is a plain sequence of assignments and conditions, nothing left open.
pub(crate) fn is_one_step(block: &Block) -> bool {
    block.statements.iter().all(|statement| {
        let Statement { labels, action, .. } = statement;
        labels.is_empty()
            && match action {
                Action::Skip => true,
                Action::Assign(assignments) => assignments.iter().all(|assignment| {
                    is_closed(&assignment.target) && is_closed(&assignment.value)
                }),
                Action::Assume(condition) | Action::Await(condition) => is_closed(condition),
                Action::Atomic(inner) => is_one_step(inner),
                _ => false,
            }
    })
}

/// Nothing is left open. Enumerations make no difference: `*` shows by its form.
fn is_closed(expression: &Expression) -> bool {
    match &expression.form {
        Form::Any => false,
        Form::Call(function, _) if function.text == "any" => false,
        Form::Number(_) | Form::Truth(_) | Form::Name(_) => true,
        Form::Element(a, b) | Form::Binary(_, a, b) => is_closed(a) && is_closed(b),
        Form::Member(inner, _) | Form::Unary(_, inner) => is_closed(inner),
        Form::Call(_, arguments) => arguments.iter().all(|argument| match argument {
            super::syntax::Argument::Value(value) => is_closed(value),
            super::syntax::Argument::Range(low, high) => is_closed(low) && is_closed(high),
        }),
        Form::Chain(_, operands) => operands.iter().all(is_closed),
        Form::Choice(a, b, c) => is_closed(a) && is_closed(b) && is_closed(c),
    }
}

/// The block executed symbolically.
#[derive(Default)]
struct Effect {
    /// What each written variable holds, in terms of the values at the beginning.
    values: BTreeMap<VarId, TermId>,
    /// The elements written, for arrays that are written element by element.
    elements: BTreeMap<VarId, Vec<(TermId, TermId)>>,
    guards: Vec<TermId>,
    waits: bool,
}

impl Emitter<'_> {
    pub(crate) fn one_step(&mut self, block: &Block, at: LocationId, next: LocationId) {
        let mut effect = Effect::default();
        if !self.execute(block, at, next, &mut effect) {
            return;
        }
        let guard = self.builder.terms().and(&effect.guards);
        let updates = effect.updates();
        let step = match updates[..] {
            [] if !effect.waits => {
                self.when(at, guard, super::lower::Waiting::Assume, next);
                return;
            }
            [(target, Update::Value(value))]
                if self.builder.terms().is_true(guard)
                    && self
                        .builder
                        .program()
                        .shared_accesses(&Step::Assign { target, value })
                        <= 1 =>
            {
                Step::Assign { target, value }
            }
            _ => Step::command(guard, updates),
        };
        self.builder.edge(at, step, next);
    }

    /// Adds the block's statements to the effect; false if one of them is wrong.
    fn execute(
        &mut self,
        block: &Block,
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) -> bool {
        let mut sound = true;
        for statement in &block.statements {
            sound &= match &statement.action {
                Action::Assign(assignments) => match self.assignments(assignments) {
                    Some(assignments) => {
                        self.execute_assignments(&assignments, at, next, effect);
                        true
                    }
                    None => false,
                },
                Action::Assume(condition) | Action::Await(condition) => {
                    effect.waits |= matches!(statement.action, Action::Await(_));
                    match self.checker().condition(condition) {
                        Some(condition) => {
                            let holds = self.evaluated(&condition, at, next, effect);
                            effect.guards.push(holds);
                            true
                        }
                        None => false,
                    }
                }
                Action::Atomic(inner) => self.execute(inner, at, next, effect),
                _ => true,
            };
        }
        sound
    }

    fn execute_assignments(
        &mut self,
        assignments: &[(Target, Typed)],
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) {
        let mut writes = Vec::new();
        for (target, value) in assignments {
            let index = match target {
                Target::Variable(_) => None,
                Target::Element(_, position) => Some(self.evaluated(position, at, next, effect)),
            };
            let value = self.evaluated(value, at, next, effect);
            writes.push((target.variable(), index, value));
        }
        for (variable, index, value) in writes {
            let terms = self.builder.terms();
            match index {
                None => {
                    effect.values.insert(variable, value);
                    effect.elements.remove(&variable);
                }
                Some(index) => {
                    let known = effect.values.get(&variable).copied();
                    let array = known.unwrap_or_else(|| terms.variable(variable));
                    let array = terms.store(array, index, value);
                    effect.values.insert(variable, array);
                    if known.is_none() {
                        effect.elements.insert(variable, vec![(index, value)]);
                    } else if let Some(elements) = effect.elements.get_mut(&variable) {
                        elements.push((index, value));
                    }
                }
            }
        }
    }

    /// The value of an expression after the effect so far.
    fn evaluated(
        &mut self,
        typed: &Typed,
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) -> TermId {
        let meant = self.meant(typed, &[]);
        self.at_beginning(meant.term, meant.defined, at, next, effect)
    }

    /// Rewrites a term to the values at the beginning of the block, and sees to it that the
    /// term has a value where the block gets that far.
    fn at_beginning(
        &mut self,
        term: TermId,
        defined: TermId,
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) -> TermId {
        let terms = self.builder.terms();
        let term = terms.substitute(term, |_, variable| effect.values.get(&variable).copied());
        let defined =
            terms.substitute(defined, |_, variable| effect.values.get(&variable).copied());
        if !terms.is_true(defined) && !effect.guards.contains(&defined) {
            let so_far = terms.and(&effect.guards);
            let fine = terms.implies(so_far, defined);
            self.demand(at, fine, next);
            effect.guards.push(defined);
        }
        term
    }
}

impl Effect {
    fn updates(&self) -> Vec<(Place, Update)> {
        self.values
            .iter()
            .map(|(&variable, &value)| match self.elements.get(&variable) {
                Some(elements) if elements.len() == 1 => {
                    let (index, value) = elements[0];
                    (Place::Element(variable, index), Update::Value(value))
                }
                _ => (Place::Variable(variable), Update::Value(value)),
            })
            .collect()
    }
}
