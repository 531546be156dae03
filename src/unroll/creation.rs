//! Who starts whom, and that nobody is started twice.
//!
//! What a program means that creates a thread again is not defined, so an execution ends where
//! it would, and the verdict has to show that none gets there.

use crate::event_graph::{EventId, EventKind, Limit};
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{EdgeId, LocationId, Program, Sort, Start, Statement, TermId, ThreadId};
use rustc_hash::FxHashSet;

/// Where an execution ends because the thread was created before.
pub(crate) struct SecondCreation {
    thread: ThreadId,
    event: EventId,
}

impl Unroller<'_> {
    /// Whoever is about to create the thread goes on only if it is the first to do so.
    pub(crate) fn end_where_created_before(
        &mut self,
        edge: EdgeId,
        thread: ThreadId,
        state: &mut State,
    ) {
        let program = self.program;
        if self.created_once[thread.index()] {
            return;
        }
        let mut earlier = self.creations.get(&thread).cloned().unwrap_or_default();
        earlier.retain(|&event| self.graph.event(event).chain == self.chain);
        let earlier = self.any_executed(&earlier);
        let mut is_first = self.graph.terms.not(earlier);
        // Which of two threads comes first is a matter of order.
        if creators(program, thread).any(|creator| creator != program.thread_of(edge)) {
            let before_others = self.fresh("creates first", Sort::Bool);
            is_first = self.graph.terms.and(&[is_first, before_others]);
        }
        let mut again = state.clone();
        let is_second = self.graph.terms.not(is_first);
        again.guard.push(&self.graph.terms, is_second);
        let guard = again.guard.term(&mut self.graph.terms);
        if !self.graph.terms.is_false(guard) {
            let event = self.event(EventKind::Mark, guard, state.block);
            // It is no part of the step, which is not taken.
            self.step_events.retain(|&other| other != event);
            self.second_creations.push(SecondCreation { thread, event });
            let place = program.edge(edge).span.map_or(String::new(), |span| {
                format!("{}: ", program.sources.place(span))
            });
            let name = &program.thread(thread).name;
            let reason = format!("{place}thread `{name}` is created twice");
            self.cut(&again, reason, Limit::SecondCreation);
        }
        state.guard.push(&self.graph.terms, is_first);
    }

    /// What is known of the creations of a thread once all threads have been walked: that
    /// its start needs one, that there is only one, and that any attempt at another comes
    /// after it.
    pub(crate) fn relate_creations(&mut self) {
        for (thread, start) in std::mem::take(&mut self.open_starts) {
            let creations = self.creations.get(&thread).cloned().unwrap_or_default();
            let some = self.any_executed(&creations);
            let started = self.graph.event(start).guard;
            let definition = self.graph.terms.eq(started, some);
            self.graph.definitions.push(definition);
            let orders = creations.into_iter().map(|event| (event, start));
            self.graph.orders.extend(orders);
        }
        let chain = |unroller: &Self, event: EventId| unroller.graph.event(event).chain;
        for SecondCreation { thread, event } in std::mem::take(&mut self.second_creations) {
            let creations = self.creations.get(&thread).cloned().unwrap_or_default();
            let of_others = creations.iter();
            let of_others = of_others.filter(|&&other| chain(self, other) != chain(self, event));
            let orders: Vec<_> = of_others.map(|&other| (other, event)).collect();
            self.graph.orders.extend(orders);
            let some = self.any_executed(&creations);
            let guard = self.graph.event(event).guard;
            let definition = self.graph.terms.implies(guard, some);
            self.graph.definitions.push(definition);
        }
        for thread in self.program.thread_ids() {
            let creations = self.creations.get(&thread).cloned().unwrap_or_default();
            for (index, &a) in creations.iter().enumerate() {
                for &b in &creations[index + 1..] {
                    if chain(self, a) != chain(self, b) {
                        let guards = [a, b].map(|event| self.graph.event(event).guard);
                        let both = self.graph.terms.and(&guards);
                        let definition = self.graph.terms.not(both);
                        self.graph.definitions.push(definition);
                    }
                }
            }
        }
    }

    /// Whether one of the events is executed.
    pub(crate) fn any_executed(&mut self, events: &[EventId]) -> TermId {
        let guards = events.iter().map(|&event| self.graph.event(event).guard);
        let guards: Vec<TermId> = guards.collect();
        self.graph.terms.or(&guards)
    }
}

/// The threads that create this one, one for each place where they do.
pub(crate) fn creators(program: &Program, created: ThreadId) -> impl Iterator<Item = ThreadId> {
    let creates = move |&edge: &EdgeId| program.edge(edge).statement == Statement::Create(created);
    let edges = program.edge_ids().filter(creates);
    edges.map(|edge| program.thread_of(edge))
}

/// The threads, each after those that create it, as far as threads do not create each other.
pub(crate) fn creation_order(program: &Program) -> Vec<ThreadId> {
    let created_by = |thread: ThreadId| {
        program
            .edge_ids()
            .filter_map(move |edge| match program.edge(edge).statement {
                Statement::Create(created) if program.thread_of(edge) == thread => Some(created),
                _ => None,
            })
    };
    // Reverse postorder of a depth-first search.
    let mut seen = FxHashSet::default();
    let mut postorder = Vec::new();
    for root in program.thread_ids().rev() {
        if program.thread(root).start != Start::AtBeginning {
            continue;
        }
        let mut pending = vec![(root, false)];
        while let Some((thread, done)) = pending.pop() {
            if done {
                postorder.push(thread);
            } else if seen.insert(thread) {
                pending.push((thread, true));
                pending.extend(created_by(thread).map(|created| (created, false)));
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Where the initial threads may be after starting another one.
pub(crate) fn locations_after_create(program: &Program) -> FxHashSet<LocationId> {
    let mut reached = FxHashSet::default();
    let mut pending: Vec<LocationId> = program
        .edges
        .iter()
        .filter(|edge| matches!(edge.statement, Statement::Create(_)))
        .map(|edge| edge.target)
        .collect();
    while let Some(location) = pending.pop() {
        if reached.insert(location) {
            let outgoing = program.outgoing(location).iter();
            pending.extend(outgoing.map(|&edge| program.edge(edge).target));
        }
    }
    reached
}
