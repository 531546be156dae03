//! Makes the program small: local computation joins the shared accesses around it.
//!
//! Two steps in sequence become one if at most one of them touches shared memory, so that
//! every interleaving of shared accesses stays. Local variables that nobody reads any more
//! disappear.

use super::ir::{Node, ThreadIndex};
use super::liveness::{Liveness, live};
use super::lower::{Lowered, LoweredEdge, Operation, Step, Waits};
use heddle_program::{Place, Role, TermId, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms are not grown beyond this many operators by putting steps together.
const MAX_TERM: u32 = 300;

pub(crate) struct Compact<'a> {
    pub(crate) lowered: &'a mut Lowered,
    /// Edges by number; `None` once removed.
    edges: Vec<Option<LoweredEdge>>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
    /// Entries and exits of threads stay.
    fixed: FxHashSet<Node>,
    live: Liveness,
    sizes: FxHashMap<TermId, u32>,
}

/// Whether a variable belongs to one thread only.
pub(crate) fn is_local(lowered: &Lowered, registers: usize, variable: VarId) -> bool {
    match lowered.leaf_variables.get(&variable) {
        Some(leaf) => leaf.local_to.is_some(),
        None => variable.index() < registers,
    }
}

/// Compacts the program in place. `ends` are the entry and the exit of each thread.
pub(crate) fn compact(lowered: &mut Lowered, registers: usize, ends: &[(Node, Node)]) {
    remove_unreachable(lowered, ends);
    let mut live = live(lowered, registers);
    while remove_dead_updates(lowered, &live) {
        live = self::live(lowered, registers);
    }
    let nodes = lowered.node_threads.len();
    let edges: Vec<Option<LoweredEdge>> = std::mem::take(&mut lowered.edges)
        .into_iter()
        .map(Some)
        .collect();
    let mut incoming = vec![Vec::new(); nodes];
    let mut outgoing = vec![Vec::new(); nodes];
    for (number, edge) in edges.iter().enumerate() {
        if let Some(edge) = edge {
            incoming[edge.to.index()].push(number);
            outgoing[edge.from.index()].push(number);
        }
    }
    let mut compact = Compact {
        lowered,
        edges,
        incoming,
        outgoing,
        fixed: ends
            .iter()
            .flat_map(|&(entry, exit)| [entry, exit])
            .collect(),
        live,
        sizes: FxHashMap::default(),
    };
    loop {
        let merged = compact.merge_nodes();
        let unwrapped = compact.unwrap_sections();
        if !merged && !unwrapped {
            break;
        }
    }
    compact.lowered.edges = compact.edges.into_iter().flatten().collect();
    remove_unreachable(lowered, ends);
}

/// Drops edges that no execution takes, and what is behind them.
fn remove_unreachable(lowered: &mut Lowered, ends: &[(Node, Node)]) {
    let terms = &lowered.terms;
    let possible = |edge: &LoweredEdge| match &edge.operation {
        // An assumption that fails is still where its executions end.
        Operation::Step(step) => step.waits != Waits::Never || !terms.is_false(step.guard),
        _ => true,
    };
    lowered.edges.retain(possible);
    let mut outgoing: FxHashMap<Node, Vec<usize>> = FxHashMap::default();
    for (number, edge) in lowered.edges.iter().enumerate() {
        outgoing.entry(edge.from).or_default().push(number);
    }
    let mut reached: FxHashSet<Node> = FxHashSet::default();
    let mut pending: Vec<Node> = Vec::new();
    // A thread is reached once its creation is; `main` is the first.
    let enter = |thread: ThreadIndex, pending: &mut Vec<Node>, reached: &mut FxHashSet<Node>| {
        let entry = ends[thread.index()].0;
        if reached.insert(entry) {
            pending.push(entry);
        }
    };
    enter(ThreadIndex(0), &mut pending, &mut reached);
    while let Some(node) = pending.pop() {
        for &number in outgoing.get(&node).into_iter().flatten() {
            let edge = &lowered.edges[number];
            if let Operation::Create(thread) = edge.operation {
                enter(thread, &mut pending, &mut reached);
            }
            let stops = match &edge.operation {
                Operation::Step(step) => lowered.terms.is_false(step.guard),
                Operation::Bound(_) => true,
                Operation::Assert(condition, _) => lowered.terms.is_false(*condition),
                _ => false,
            };
            if !stops && reached.insert(edge.to) {
                pending.push(edge.to);
            }
        }
    }
    lowered.edges.retain(|edge| reached.contains(&edge.from));
}

/// Drops local updates whose value nobody reads; whether there were any.
fn remove_dead_updates(lowered: &mut Lowered, live: &Liveness) -> bool {
    let mut changed = false;
    let (terms, leaf_variables) = (&lowered.terms, &lowered.leaf_variables);
    let is_shared = |variable: VarId| {
        leaf_variables
            .get(&variable)
            .is_some_and(|leaf| leaf.local_to.is_none())
    };
    for edge in &mut lowered.edges {
        let to = edge.to;
        if let Operation::Step(step) = &mut edge.operation {
            let before = step.updates.len();
            step.updates.retain(|(place, update)| {
                // A read of shared memory stays a step.
                let reads_shared = matches!(step.role, Role::Command)
                    && matches!(update, Update::Value(value)
                        if terms.variables_of(*value).into_iter().any(is_shared));
                reads_shared || live.is_live(to, place.variable())
            });
            changed |= step.updates.len() != before;
        }
    }
    changed
}

impl Compact<'_> {
    fn remove(&mut self, number: usize) {
        if let Some(edge) = self.edges[number].take() {
            self.incoming[edge.to.index()].retain(|&other| other != number);
            self.outgoing[edge.from.index()].retain(|&other| other != number);
        }
    }

    fn add(&mut self, edge: LoweredEdge) {
        let number = self.edges.len();
        self.incoming[edge.to.index()].push(number);
        self.outgoing[edge.from.index()].push(number);
        self.edges.push(Some(edge));
    }

    /// Removes nodes by putting the edges into them together with the edges out of them.
    fn merge_nodes(&mut self) -> bool {
        let mut changed = false;
        for index in 0..self.incoming.len() {
            let node = Node(index as u32);
            if self.fixed.contains(&node) {
                continue;
            }
            let (inside, outside) = (self.incoming[index].clone(), self.outgoing[index].clone());
            if inside.is_empty() || outside.is_empty() {
                continue;
            }
            if let Some(edges) = self.composed(node, &inside, &outside) {
                for number in inside.into_iter().chain(outside) {
                    self.remove(number);
                }
                for edge in edges {
                    self.add(edge);
                }
                changed = true;
            }
        }
        changed
    }

    /// The edges that replace a node; `None` if that would change the program's meaning or
    /// make it larger.
    fn composed(
        &mut self,
        node: Node,
        inside: &[usize],
        outside: &[usize],
    ) -> Option<Vec<LoweredEdge>> {
        let mut result = Vec::new();
        for &first in inside {
            let before = result.len();
            for &second in outside {
                let first = self.edges[first].clone()?;
                let second = self.edges[second].clone()?;
                if first.from == node || second.to == node {
                    return None;
                }
                let alone = outside.len() == 1;
                if let Some(edge) = self.compose(&first, &second, alone)? {
                    result.push(edge);
                }
            }
            // Some way must lead on, or the thread would seem to end.
            if result.len() == before {
                return None;
            }
        }
        (result.len() <= inside.len() + outside.len()).then_some(result)
    }

    /// Two edges as one: `None` if that is not possible, `Some(None)` if no execution takes
    /// both.
    fn compose(
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
        if waits == Waits::Assumes && !updates.is_empty() {
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
                    let array = self.lowered.terms.variable(variable);
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

    fn is_local(&self, variable: VarId) -> bool {
        match self.lowered.leaf_variables.get(&variable) {
            Some(leaf) => leaf.local_to.is_some(),
            None => true,
        }
    }

    fn term_touches_shared(&self, term: TermId) -> bool {
        self.lowered
            .terms
            .variables_of(term)
            .into_iter()
            .any(|variable| !self.is_local(variable))
    }

    fn writes_shared(&self, step: &Step) -> bool {
        step.updates
            .iter()
            .any(|(place, _)| !self.is_local(place.variable()))
    }

    fn touches_shared(&self, step: &Step) -> bool {
        self.writes_shared(step)
            || self.term_touches_shared(step.guard)
            || step.updates.iter().any(|(place, update)| {
                let in_index = match place {
                    Place::Element(_, index) => self.term_touches_shared(*index),
                    Place::Variable(_) => false,
                };
                let in_value = match update {
                    Update::Value(value) => self.term_touches_shared(*value),
                    Update::Any => false,
                };
                in_index || in_value
            })
    }

    /// An atomic section around a single step is not needed.
    fn unwrap_sections(&mut self) -> bool {
        let mut changed = false;
        for number in 0..self.edges.len() {
            let Some(begin) = self.edges[number].clone() else {
                continue;
            };
            if begin.operation != Operation::AtomicBegin {
                continue;
            }
            let inside = begin.to.index();
            let steps = self.outgoing[inside].clone();
            let only_here = self.incoming[inside].len() == 1 && !self.fixed.contains(&begin.to);
            let mut ends: Vec<Option<usize>> = Vec::new();
            for &step in &steps {
                ends.push(self.end_behind(step, &steps));
            }
            if !only_here || steps.is_empty() {
                continue;
            }
            let Some(ends) = ends.into_iter().collect::<Option<Vec<usize>>>() else {
                continue;
            };
            for (&step, &end) in steps.iter().zip(&ends) {
                let (Some(step), Some(end)) = (self.edges[step].clone(), self.edges[end].clone())
                else {
                    continue;
                };
                self.add(LoweredEdge {
                    from: begin.from,
                    to: end.to,
                    ..step
                });
            }
            let all: FxHashSet<usize> = steps.into_iter().chain(ends).chain([number]).collect();
            for number in all {
                self.remove(number);
            }
            changed = true;
        }
        changed
    }

    /// The end of the section right behind a step of a section, if nothing else leads there.
    fn end_behind(&self, step: usize, steps: &[usize]) -> Option<usize> {
        let step = self.edges[step].as_ref()?;
        let simple = matches!(step.operation, Operation::Step(_) | Operation::Assert(..));
        let behind = step.to.index();
        let [end] = self.outgoing[behind][..] else {
            return None;
        };
        let own = self.incoming[behind]
            .iter()
            .all(|edge| steps.contains(edge));
        let is_end = self.edges[end].as_ref()?.operation == Operation::AtomicEnd;
        (simple && own && is_end && !self.fixed.contains(&step.to)).then_some(end)
    }
}

/// The effect of a step on terms that are evaluated after it.
#[derive(Default)]
struct Substitution {
    values: FxHashMap<VarId, TermId>,
    any: FxHashSet<VarId>,
}
