//! Makes the program small: local computation joins the shared accesses around it.
//!
//! Two steps in sequence become one if at most one of them touches shared memory, so that
//! every interleaving of shared accesses stays. Local variables that nobody reads any more
//! disappear.

mod compose;

use super::ir::{Node, ThreadIndex};
use super::liveness::{Liveness, live};
use super::lower::{Lowered, LoweredEdge, Operation, Step, Waits};
use heddle_program::{Place, Role, TermId, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

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
pub(crate) fn remove_unreachable(lowered: &mut Lowered, ends: &[(Node, Node)]) {
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
pub(crate) fn remove_dead_updates(lowered: &mut Lowered, live: &Liveness) -> bool {
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

    /// Whether the term needs a guarded step, which waits for its guard instead of assuming or
    /// asserting it: no other may read several bytes of shared memory.
    fn reads_several(&self, term: TermId) -> bool {
        let is_shared = |variable| !self.is_local(variable);
        self.lowered.terms.accesses(&[term], is_shared) > 1
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
