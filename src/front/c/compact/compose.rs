//! Two steps in sequence as one.

use super::super::ir::Node;
use super::super::lower::{LoweredEdge, Operation, Step, Waits};
use super::Compact;
use heddle_program::{Op, Place, Role, Term, TermId, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms are not grown beyond this many operators by putting steps together.
const MAX_TERM: u32 = 300;

/// The effect of a step on terms that are evaluated after it.
#[derive(Default)]
struct Substitution {
    values: FxHashMap<VarId, TermId>,
    any: FxHashSet<VarId>,
}

impl Compact<'_> {
    /// Two edges as one: `None` if that is not possible, `Some(None)` if no execution takes
    /// both.
    pub(super) fn compose(
        &mut self,
        first: &LoweredEdge,
        second: &LoweredEdge,
        alone: bool,
    ) -> Option<Option<LoweredEdge>> {
        let Operation::Step(one) = &first.operation else {
            return self.append_skip(first, second, alone);
        };
        let span = match self.touches_shared(one) {
            true => first.span,
            false => second.span,
        };
        let with = |operation| {
            Some(Some(LoweredEdge {
                from: first.from,
                to: second.to,
                operation,
                span,
            }))
        };
        if self.is_skip(one) {
            return with(second.operation.clone());
        }
        match &second.operation {
            Operation::Step(two) => {
                let step = self.compose_steps(one, two, second.to, alone)?;
                match self.lowered.terms.is_false(step.guard) && step.waits == Waits::Never {
                    true => Some(None),
                    false => with(Operation::Step(step)),
                }
            }
            Operation::Assert(condition, message) => {
                let is_free = self.lowered.terms.is_true(one.guard);
                let unused = one
                    .updates
                    .iter()
                    .all(|(place, _)| !self.live.is_live(second.to, place.variable()));
                if !is_free || !unused || one.waits != Waits::Never || self.writes_shared(one) {
                    return None;
                }
                let substitution = self.substitution(one)?;
                let reads = self.term_touches_shared(*condition);
                if reads && self.touches_shared(one) {
                    return None;
                }
                let condition = self.substituted(*condition, &substitution)?;
                if self.reads_several(condition) {
                    return None;
                }
                with(Operation::Assert(condition, message.clone()))
            }
            _ => None,
        }
    }

    /// Anything followed by nothing.
    fn append_skip(
        &mut self,
        first: &LoweredEdge,
        second: &LoweredEdge,
        alone: bool,
    ) -> Option<Option<LoweredEdge>> {
        match &second.operation {
            Operation::Step(step) if self.is_skip(step) && alone => Some(Some(LoweredEdge {
                to: second.to,
                ..first.clone()
            })),
            _ => None,
        }
    }

    fn is_skip(&self, step: &Step) -> bool {
        self.lowered.terms.is_true(step.guard)
            && step.updates.is_empty()
            && step.role == Role::Command
    }

    fn compose_steps(&mut self, one: &Step, two: &Step, to: Node, alone: bool) -> Option<Step> {
        let (shared_one, shared_two) = (self.touches_shared(one), self.touches_shared(two));
        if shared_one && shared_two {
            return None;
        }
        let (special_one, special_two) = (one.role != Role::Command, two.role != Role::Command);
        if special_one && special_two {
            return None;
        }
        let free_one = self.lowered.terms.is_true(one.guard);
        let free_two = self.lowered.terms.is_true(two.guard);
        let waits = match (one.waits, two.waits) {
            (Waits::Never, Waits::Never) => Waits::Never,
            // A write that others see must not wait for what comes after it.
            (Waits::Never, Waits::Assumes) if free_one && !self.writes_shared(one) => {
                Waits::Assumes
            }
            (Waits::Never, Waits::Blocks) if !shared_one => Waits::Blocks,
            (Waits::Blocks, Waits::Never) if free_two || !alone => Waits::Blocks,
            (Waits::Assumes, Waits::Never) if free_two && two.updates.is_empty() => Waits::Assumes,
            _ => return None,
        };
        if special_one && !free_two && one.waits != Waits::Blocks {
            return None;
        }
        let substitution = self.substitution(one)?;
        let mut guard = self.substituted(two.guard, &substitution)?;
        let mut updates: Vec<(Place, Update)> = Vec::new();
        for &(place, update) in &two.updates {
            let place = match place {
                Place::Variable(variable) => Place::Variable(variable),
                Place::Element(variable, index) => {
                    // The same array twice in one step.
                    if one
                        .updates
                        .iter()
                        .any(|(other, _)| other.variable() == variable)
                    {
                        return None;
                    }
                    Place::Element(variable, self.substituted(index, &substitution)?)
                }
            };
            let update = match update {
                Update::Any => Update::Any,
                Update::Value(value) => self.updated_value(value, one, two, &substitution, to)?,
            };
            updates.push((place, update));
        }
        for &(place, update) in &one.updates {
            let variable = place.variable();
            let overwritten = two
                .updates
                .iter()
                .any(|(other, _)| other.variable() == variable);
            let needed =
                !overwritten && (!self.is_local(variable) || self.live.is_live(to, variable));
            if needed {
                updates.push((place, update));
            }
        }
        guard = self.lowered.terms.and(&[one.guard, guard]);
        if waits == Waits::Assumes && (!updates.is_empty() || self.reads_several(guard)) {
            return None;
        }
        if self.size(guard) > MAX_TERM {
            return None;
        }
        let role = match special_one {
            true => one.role,
            false => match two.role {
                Role::Lock(place) => Role::Lock(self.moved_place(place, &substitution)?),
                Role::Unlock(place) => Role::Unlock(self.moved_place(place, &substitution)?),
                other => other,
            },
        };
        Some(Step {
            guard,
            updates,
            waits,
            role,
        })
    }

    fn moved_place(&mut self, place: Place, substitution: &Substitution) -> Option<Place> {
        Some(match place {
            Place::Variable(variable) => Place::Variable(variable),
            Place::Element(variable, index) => {
                Place::Element(variable, self.substituted(index, substitution)?)
            }
        })
    }

    /// The value of the second step in terms of the state before the first. A variable with
    /// any value may only be handed on.
    fn updated_value(
        &mut self,
        value: TermId,
        one: &Step,
        two: &Step,
        substitution: &Substitution,
        to: Node,
    ) -> Option<Update> {
        if let Some(variable) = self.lowered.terms.as_variable(value)
            && substitution.any.contains(&variable)
        {
            let uses = two
                .updates
                .iter()
                .filter(|(_, update)| {
                    matches!(update, Update::Value(v)
                    if self.lowered.terms.variables_of(*v).contains(&variable))
                })
                .count();
            let in_guard = self
                .lowered
                .terms
                .variables_of(two.guard)
                .contains(&variable);
            let overwritten = two
                .updates
                .iter()
                .any(|(place, _)| place.variable() == variable);
            let lives_on = self.live.is_live(to, variable) && !overwritten;
            let is_plain = one.updates.len() == 1;
            return (uses == 1 && !in_guard && !lives_on && is_plain).then_some(Update::Any);
        }
        Some(Update::Value(self.substituted(value, substitution)?))
    }

    /// What each variable is after a step, in terms of the state before it.
    fn substitution(&mut self, step: &Step) -> Option<Substitution> {
        let mut substitution = Substitution::default();
        for &(place, update) in &step.updates {
            match (place, update) {
                (Place::Variable(variable), Update::Value(value)) => {
                    substitution.values.insert(variable, value);
                }
                (Place::Element(variable, index), Update::Value(value)) => {
                    // One step may write several elements.
                    let array = match substitution.values.get(&variable) {
                        Some(&array) => array,
                        None => self.lowered.terms.variable(variable),
                    };
                    let stored = self.lowered.terms.store(array, index, value);
                    substitution.values.insert(variable, stored);
                }
                (place, Update::Any) => {
                    substitution.any.insert(place.variable());
                }
            }
        }
        Some(substitution)
    }

    fn substituted(&mut self, term: TermId, substitution: &Substitution) -> Option<TermId> {
        let variables = self.lowered.terms.variables_of(term);
        if variables.iter().any(|v| substitution.any.contains(v)) {
            return None;
        }
        if !variables
            .iter()
            .any(|v| substitution.values.contains_key(v))
        {
            return Some(term);
        }
        let result = self.lowered.terms.substitute(term, |_, variable| {
            substitution.values.get(&variable).copied()
        });
        // Only the element that is read should be, not the array around it.
        let terms = &self.lowered.terms;
        let is_store =
            |inner: &&TermId| matches!(terms.get(**inner), Term::Apply { op: Op::Store, .. });
        let stores = |root: TermId| terms.subterms(&[root]).iter().filter(is_store).count();
        if stores(result) > stores(term) {
            return None;
        }
        (self.size(result) <= MAX_TERM).then_some(result)
    }

    /// The number of operators of a term written out, up to a limit.
    fn size(&mut self, term: TermId) -> u32 {
        let mut order = vec![term];
        while let Some(&next) = order.last() {
            if self.sizes.contains_key(&next) {
                order.pop();
                continue;
            }
            let arguments = self.lowered.terms.arguments(next);
            let open: Vec<TermId> = arguments
                .iter()
                .copied()
                .filter(|argument| !self.sizes.contains_key(argument))
                .collect();
            if open.is_empty() {
                let size = arguments.iter().fold(1u32, |sum, argument| {
                    sum.saturating_add(self.sizes[argument])
                });
                self.sizes.insert(next, size);
                order.pop();
            } else {
                order.extend(open);
            }
        }
        self.sizes[&term]
    }
}
