//! Atomic blocks without branches are one step: a guard and simultaneous updates.

use super::choices::Resolved;
use super::lower::{Emitter, Waiting, is_any};
use super::syntax::{Action, Assignment, Block, Expression, Form, Statement};
use super::typed::{Node, Target, Typed};
use heddle_program::{LocationId, Place, TermId, Update, VarId};
use std::collections::BTreeMap;

/// Whether the block is a plain sequence of assignments and conditions, with nothing left
/// open but what the last statement assigns.
pub(crate) fn is_one_step(block: &Block) -> bool {
    let last = block.statements.len().saturating_sub(1);
    let elements: usize = block
        .statements
        .iter()
        .filter_map(|statement| match &statement.action {
            Action::Assign(assignments) => Some(assignments),
            _ => None,
        })
        .flatten()
        .filter(|assignment| matches!(assignment.target.form, Form::Element(..)))
        .count();
    block
        .statements
        .iter()
        .enumerate()
        .all(|(position, Statement { labels, action, .. })| {
            labels.is_empty()
                && match action {
                    Action::Skip => true,
                    Action::Assign(assignments) => assignments.iter().all(|assignment| {
                        let Assignment { target, value } = assignment;
                        let any = position == last
                            && matches!(value.form, Form::Any)
                            && (matches!(target.form, Form::Name(_)) || elements == 1);
                        is_closed(target) && (any || is_closed(value))
                    }),
                    Action::Assume(condition) | Action::Await(condition) => is_closed(condition),
                    _ => false,
                }
        })
}

/// Nothing is left open. Enumerations make no difference: `*` shows by its form.
fn is_closed(expression: &Expression) -> bool {
    match &expression.form {
        Form::Any => false,
        Form::Call(function, _) if function.text == "any" => false,
        Form::Number(_) | Form::LargeNumber(_) | Form::Truth(_) | Form::Name(_) => true,
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
    /// The places that may hold anything at the end.
    open: Vec<Place>,
    guards: Vec<TermId>,
    waits: bool,
}

/// A statement of the block.
enum Simple {
    Assign(Vec<(Target, Typed)>),
    Wait(Typed, Waiting),
}

impl Emitter<'_> {
    pub(crate) fn one_step(&mut self, block: &Block, at: LocationId, next: LocationId) {
        let Some(statements) = self.simple(block) else {
            return;
        };
        // Only an enumeration is chosen from here; `*` of other types is an update.
        let values: Vec<&Typed> = statements
            .iter()
            .flat_map(|statement| match statement {
                Simple::Assign(assignments) => &assignments[..],
                Simple::Wait(..) => &[],
            })
            .map(|(_, value)| value)
            .filter(|value| !is_any(value))
            .collect();
        let (at, combinations) = self.resolve(at, &values);
        for choices in combinations {
            let mut effect = Effect::default();
            for statement in &statements {
                self.execute(statement, &choices, at, next, &mut effect);
            }
            self.finish(effect, at, next);
        }
    }

    fn finish(&mut self, effect: Effect, at: LocationId, next: LocationId) {
        let guard = self.builder.terms().and(&effect.guards);
        let updates = effect.updates();
        if updates.is_empty() {
            let waiting = match effect.waits {
                true => Waiting::Await,
                false => Waiting::Assume,
            };
            self.when(at, guard, waiting, next);
            return;
        }
        let unguarded = self.builder.terms().is_true(guard);
        let step = self.update_statement((!unguarded).then_some(guard), guard, updates);
        self.builder.edge(at, step, next);
    }

    /// The statements of the block, unless one of them is wrong.
    fn simple(&mut self, block: &Block) -> Option<Vec<Simple>> {
        let statements: Vec<Option<Simple>> = block
            .statements
            .iter()
            .filter_map(|statement| match &statement.action {
                Action::Assign(assignments) => {
                    Some(self.assignments(assignments).map(Simple::Assign))
                }
                Action::Assume(condition) => {
                    let condition = self.checker().condition(condition);
                    Some(condition.map(|condition| Simple::Wait(condition, Waiting::Assume)))
                }
                Action::Await(condition) => {
                    let condition = self.checker().condition(condition);
                    Some(condition.map(|condition| Simple::Wait(condition, Waiting::Await)))
                }
                _ => None,
            })
            .collect();
        statements.into_iter().collect()
    }

    /// Adds a statement to the effect.
    fn execute(
        &mut self,
        statement: &Simple,
        choices: &[Resolved],
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) {
        match statement {
            Simple::Assign(assignments) => {
                self.execute_assignments(assignments, choices, at, next, effect);
            }
            Simple::Wait(condition, waiting) => {
                effect.waits |= *waiting == Waiting::Await;
                let holds = self.evaluated(condition, &[], at, next, effect);
                effect.guards.push(holds);
            }
        }
    }

    fn execute_assignments(
        &mut self,
        assignments: &[(Target, Typed)],
        choices: &[Resolved],
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) {
        let mut writes = Vec::new();
        let mut choices = choices.iter();
        for (target, value) in assignments {
            let index = match target {
                Target::Variable(_) => None,
                Target::Element(_, position) => {
                    Some(self.evaluated(position, &[], at, next, effect))
                }
            };
            if is_any(value) {
                effect.open.push(match index {
                    Some(index) => Place::Element(target.variable(), index),
                    None => Place::Variable(target.variable()),
                });
                continue;
            }
            let chosen: Vec<Resolved> = match value.node {
                Node::OneOf(_) => choices.next().copied().into_iter().collect(),
                _ => Vec::new(),
            };
            let value = self.evaluated(value, &chosen, at, next, effect);
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
        choices: &[Resolved],
        at: LocationId,
        next: LocationId,
        effect: &mut Effect,
    ) -> TermId {
        let meant = self.meant(typed, choices);
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
        let open = |variable: &VarId| self.open.contains(&Place::Variable(*variable));
        let values = self.values.iter().filter(|(variable, _)| !open(variable));
        let values = values.map(|(&variable, &value)| match self.elements.get(&variable) {
            Some(elements) if elements.len() == 1 => {
                let (index, value) = elements[0];
                (Place::Element(variable, index), Update::Value(value))
            }
            _ => (Place::Variable(variable), Update::Value(value)),
        });
        let open = self.open.iter().map(|&place| (place, Update::Any));
        values.chain(open).collect()
    }
}
