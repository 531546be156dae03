//! All legal total orders of an execution, by brute force over their prefixes.
//!
//! A total order of the executed events is legal under sequential consistency if it
//! respects each thread's own order and `po`, lets every linked read follow its write with
//! no other write of the variable in between, and lets no other thread do anything between
//! the events of an atomic block. An event that reads and writes reads first: what it takes
//! its value from is the last write before it, and what comes later may read what it wrote.
//!
//! Whether a legal prefix can go on depends only on the set of events in it and on the
//! last write of each variable, so prefixes are identified by these.

use crate::execution::{EventId, Execution};
use std::collections::HashMap;

/// What holds in all legal total orders of an execution.
#[derive(Clone, Debug)]
pub struct LegalOrders {
    feasible: bool,
    /// `placed_before[b]` has bit a if some legal order places b before a.
    placed_before: Vec<u64>,
}

impl LegalOrders {
    pub fn of(execution: &Execution) -> Self {
        let mut search = Search::new(execution);
        let feasible = search.completes(Prefix::default());
        LegalOrders {
            feasible,
            placed_before: search.placed_before,
        }
    }

    /// Whether there is a legal order at all.
    pub fn feasible(&self) -> bool {
        self.feasible
    }

    /// Whether `a` comes before `b` in every legal order. Both must be executed.
    pub fn always_before(&self, a: EventId, b: EventId) -> bool {
        a != b && self.placed_before[b.0] & (1 << a.0) == 0 || !self.feasible
    }
}

/// A legal order in which `first` comes before `second`, if there is one.
pub fn legal_order_with(
    execution: &Execution,
    first: EventId,
    second: EventId,
) -> Option<Vec<EventId>> {
    let mut constrained = execution.clone();
    constrained.po.push((first, second));
    any_legal_order(&constrained)
}

/// Some legal order, if there is one.
pub fn any_legal_order(execution: &Execution) -> Option<Vec<EventId>> {
    let mut search = Search::new(execution);
    if !search.completes(Prefix::default()) {
        return None;
    }
    let mut order = Vec::new();
    let mut prefix = Prefix::default();
    while prefix.events != search.executed {
        let next = execution.ids().find(|&id| {
            search.may_follow(prefix, id) && search.completes(prefix.with(id, execution))
        })?;
        order.push(next);
        prefix = prefix.with(next, execution);
    }
    Some(order)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Prefix {
    /// The events in it, as bits.
    events: u64,
    /// The last write of each variable: event number + 1, a byte each.
    last_writes: u64,
}

impl Prefix {
    fn contains(self, id: EventId) -> bool {
        self.events & (1 << id.0) != 0
    }

    fn last_write(self, variable: usize) -> Option<EventId> {
        let number = (self.last_writes >> (8 * variable)) & 0xff;
        (number > 0).then(|| EventId(number as usize - 1))
    }

    fn with(self, id: EventId, execution: &Execution) -> Prefix {
        let event = execution.event(id);
        let mut next = Prefix {
            events: self.events | 1 << id.0,
            ..self
        };
        if event.access.writes() {
            let shift = 8 * event.variable;
            next.last_writes &= !(0xff << shift);
            next.last_writes |= (id.0 as u64 + 1) << shift;
        }
        next
    }
}

struct Search<'a> {
    execution: &'a Execution,
    executed: u64,
    completes: HashMap<Prefix, bool>,
    placed_before: Vec<u64>,
}

impl<'a> Search<'a> {
    fn new(execution: &'a Execution) -> Self {
        assert!(
            execution.events.len() <= 64,
            "brute force is for small executions"
        );
        assert!(execution.events.iter().all(|event| event.variable < 8));
        let executed = execution
            .ids()
            .filter(|&id| execution.event(id).executed)
            .fold(0, |bits, id| bits | 1 << id.0);
        Search {
            execution,
            executed,
            completes: HashMap::new(),
            placed_before: vec![0; execution.events.len()],
        }
    }

    /// Whether the prefix is the start of a legal order; if so, notes which events it has
    /// placed before which others.
    fn completes(&mut self, prefix: Prefix) -> bool {
        if let Some(&known) = self.completes.get(&prefix) {
            return known;
        }
        let mut completes = prefix.events == self.executed;
        for id in self.execution.ids() {
            if self.may_follow(prefix, id) {
                completes |= self.completes(prefix.with(id, self.execution));
            }
        }
        if completes {
            let missing = self.executed & !prefix.events;
            for id in self.execution.ids().filter(|&id| prefix.contains(id)) {
                self.placed_before[id.0] |= missing;
            }
        }
        self.completes.insert(prefix, completes);
        completes
    }

    fn may_follow(&self, prefix: Prefix, id: EventId) -> bool {
        let execution = self.execution;
        let event = execution.event(id);
        let waits =
            |earlier: EventId| execution.event(earlier).executed && !prefix.contains(earlier);
        event.executed
            && !prefix.contains(id)
            && !(0..id.0)
                .map(EventId)
                .any(|earlier| execution.event(earlier).thread == event.thread && waits(earlier))
            && !execution
                .po
                .iter()
                .any(|&(before, after)| after == id && waits(before))
            && execution
                .source_of(id)
                .is_none_or(|write| prefix.last_write(event.variable) == Some(write))
            && !self.intrudes(prefix, id)
    }

    /// Whether another thread's atomic block is half done when `id` comes.
    fn intrudes(&self, prefix: Prefix, id: EventId) -> bool {
        let execution = self.execution;
        let event = execution.event(id);
        execution.ids().any(|inside| {
            let block = execution.event(inside).block;
            let of_block = |other: &EventId| {
                block.is_some()
                    && execution.event(*other).block == block
                    && execution.event(*other).executed
            };
            execution.event(inside).thread != event.thread
                && of_block(&inside)
                && execution
                    .ids()
                    .filter(of_block)
                    .any(|other| prefix.contains(other))
                && execution
                    .ids()
                    .filter(of_block)
                    .any(|other| !prefix.contains(other))
        })
    }
}
