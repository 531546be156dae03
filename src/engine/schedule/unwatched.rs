//! What the model does not say of an execution.
//!
//! Reads that no assertion depends on are no part of the abstraction, so a model gives their
//! values at random, and with them the branches that only they decide. A trace needs the
//! branches that are really taken: they follow from what memory holds.

use heddle_program::{Constant, TermId, Value, VarId};
use heddle_solver::Solver;
use heddle_unroll::{CellId, EventGraph, EventId, EventKind, StepId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The execution so far, step by step in the order of the trace.
pub(super) struct Unwatched<'a> {
    graph: &'a EventGraph,
    /// Reads that are no part of the abstraction: their symbols and what they returned.
    values: FxHashMap<VarId, Option<Value>>,
    /// By step.
    events: FxHashMap<StepId, Vec<EventId>>,
    memory: FxHashMap<CellId, Value>,
}

impl<'a> Unwatched<'a> {
    pub(super) fn new(graph: &'a EventGraph, solver: &mut dyn Solver) -> Self {
        let watched: FxHashSet<EventId> = graph
            .chains
            .iter()
            .flat_map(|chain| chain.events.iter().copied())
            .collect();
        let mut unwatched = Unwatched {
            graph,
            values: FxHashMap::default(),
            events: FxHashMap::default(),
            memory: FxHashMap::default(),
        };
        for id in graph.event_ids().filter(|id| !watched.contains(id)) {
            if let EventKind::Read { value, .. } = graph.event(id).kind {
                let symbol = graph.terms.as_variable(value);
                let symbol = symbol.expect("a read has a symbol of its own");
                unwatched.values.insert(symbol, None);
            }
        }
        for id in graph.event_ids() {
            match graph.event(id).step {
                Some(step) => unwatched.events.entry(step).or_default().push(id),
                // What memory holds before there is more than one thread.
                None => unwatched.take_event(id, solver),
            }
        }
        unwatched
    }

    /// Whether the model does not say if the term holds.
    pub(super) fn decides(&self, term: TermId) -> bool {
        let mut variables = self.graph.terms.variables_of(term).into_iter();
        !self.values.is_empty() && variables.any(|variable| self.values.contains_key(&variable))
    }

    /// Whether the term holds at this point of the execution.
    pub(super) fn holds(&self, term: TermId, solver: &mut dyn Solver) -> bool {
        let value = self.value(term, solver);
        matches!(value, Some(Value::Scalar(Constant::Bool(true))))
    }

    /// Goes on by the events of a step, as far as they are executed.
    pub(super) fn take(&mut self, step: StepId, solver: &mut dyn Solver) {
        for event in self.events.remove(&step).unwrap_or_default() {
            self.take_event(event, solver);
        }
    }

    fn take_event(&mut self, id: EventId, solver: &mut dyn Solver) {
        let event = self.graph.event(id);
        if !self.holds(event.guard, solver) {
            return;
        }
        match event.kind {
            EventKind::Mark => {}
            EventKind::Write { cell, value } => {
                if let Some(value) = self.value(value, solver) {
                    self.memory.insert(cell, value);
                }
            }
            EventKind::Read { cell, value } => {
                let symbol = self.graph.terms.as_variable(value);
                if let Some(returned) = symbol.and_then(|symbol| self.values.get_mut(&symbol)) {
                    *returned = self.memory.get(&cell).cloned();
                }
            }
        }
    }

    fn value(&self, term: TermId, solver: &mut dyn Solver) -> Option<Value> {
        let terms = &self.graph.terms;
        if !self.decides(term) {
            return solver.value(terms, term).ok();
        }
        let value = terms.evaluate(term, |variable| match self.values.get(&variable) {
            Some(Some(returned)) => returned.clone(),
            Some(None) => Value::zero(terms.variable_sort(variable)),
            None => {
                let value = solver.value(terms, terms.variable(variable));
                value.unwrap_or_else(|_| Value::zero(terms.variable_sort(variable)))
            }
        });
        value.ok()
    }
}
