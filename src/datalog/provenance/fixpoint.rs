//! The fixpoint: derives tuples with their weights, stratum by stratum and within a stratum
//! in the order of levels, so that the best derivation of a tuple is found first.
//!
//! It can be run twice on top of itself: once with the facts that hold anyway, and then,
//! any number of times from the same [`Fixpoint::mark`], with facts that rest on literals.

use super::algebra::Algebra;
use super::combining::Postponed;
use super::derivation::{Derivation, Premise, Premises};
use super::join::Joiner;
use super::matcher::Model;
use super::orders::{Edge, OrderMark, OrderStore};
use super::plan::{Formula, Plan};
use super::program::{ClauseId, Head, OrderId, Program};
use super::queue::{Pending, Queue};
use super::start::Phase;
use super::store::{ItemId, Store, StoreMark};
use super::tables::Tables;
use crate::backend::SettleError;
use crate::facts::LiteralName;
use crate::value::{Row, Value};
use heddle_language::ruleset::RelationId;
use std::sync::Arc;
use std::time::Instant;

/// Facts for each relation, each with one of its literals.
pub(super) type FactLists = Vec<Vec<(Row, LiteralName)>>;

pub(super) struct Fixpoint<A: Algebra> {
    pub(super) program: Arc<Program>,
    pub(super) algebra: A,
    pub(super) store: Store<A::Weight>,
    pub(super) orders: Vec<OrderStore<A::Weight>>,
    pub(super) premises: Premises,
    /// For each join.
    pub(super) tables: Vec<Tables<A::Weight>>,
    /// The violated conflicts, none with a weight that contains an earlier one's.
    pub(super) violations: Vec<Violation<A::Weight>>,
    pub(super) limits: Limits,
    pub(super) queue: Queue<A::Weight>,
    pub(super) postponed: Vec<Postponed>,
    pub(super) emitted: Vec<Emission<A::Weight>>,
    /// Memory for the values of a clause's variables.
    binding: Vec<Value>,
    /// How many derivations were tried.
    pub(super) work: u64,
}

pub(super) struct Violation<W> {
    pub(super) weight: W,
    pub(super) derivation: Derivation,
}

/// How far to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// When there are so many violations at the end of a level, higher levels are left out.
    pub(super) violations: usize,
    /// How many derivations to try.
    pub(super) work: u64,
    /// When to stop.
    pub(super) deadline: Option<Instant>,
}

impl Limits {
    pub(super) const NONE: Limits = Limits {
        violations: usize::MAX,
        work: u64::MAX,
        deadline: None,
    };

    /// Whether this much work is enough.
    pub(super) fn are_reached(&self, work: u64) -> bool {
        let is_late = |deadline: Instant| Instant::now() >= deadline;
        // Reading the clock takes longer than most steps.
        work > self.work || work.is_multiple_of(64) && self.deadline.is_some_and(is_late)
    }
}

/// A head that was derived and is to be looked at.
pub(super) struct Emission<W> {
    pub(super) head: EmittedHead,
    pub(super) weight: W,
    pub(super) derivation: Derivation,
}

pub(super) enum EmittedHead {
    Tuple(RelationId, Row),
    Edge(OrderId, Value, Value),
    Conflict,
}

/// Puts the head of a clause in line. `weight` is the head's.
pub(super) fn emit<W>(
    emitted: &mut Vec<Emission<W>>,
    head: &Head,
    binding: &[Value],
    weight: W,
    derivation: Derivation,
) {
    let head = match head {
        Head::Tuple(relation, arguments) => {
            let row: Option<Row> = arguments.iter().map(|each| each.value(binding)).collect();
            row.map(|row| EmittedHead::Tuple(*relation, row))
        }
        Head::Edge(order, ends) => {
            let [first, last] = ends.each_ref().map(|end: &Formula| end.value(binding));
            let ends = first.zip(last);
            ends.map(|(first, last)| EmittedHead::Edge(*order, first, last))
        }
        Head::Conflict => Some(EmittedHead::Conflict),
    };
    emitted.extend(head.map(|head| Emission {
        head,
        weight,
        derivation,
    }));
}

/// A state to which a fixpoint can return.
pub(super) struct Mark {
    pub(super) store: StoreMark,
    pub(super) orders: Vec<OrderMark>,
    premises: usize,
}

/// Whether a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Finished,
    /// The limit on work or time was reached.
    GaveUp,
    /// There was enough.
    Enough,
}

impl<A: Algebra> Fixpoint<A> {
    pub(super) fn new(program: Arc<Program>, algebra: A) -> Self {
        Fixpoint {
            algebra,
            store: Store::new(&program.indexes),
            orders: program.orders.iter().map(|_| OrderStore::new()).collect(),
            premises: Premises::default(),
            tables: program.joins.iter().map(|_| Tables::new()).collect(),
            violations: Vec::new(),
            limits: Limits::NONE,
            queue: Queue::default(),
            postponed: Vec::new(),
            emitted: Vec::new(),
            binding: Vec::new(),
            work: 0,
            program,
        }
    }

    pub(super) fn mark(&mut self) -> Mark {
        Mark {
            store: self.store.mark(),
            orders: self.orders.iter().map(OrderStore::mark).collect(),
            premises: self.premises.len(),
        }
    }

    /// Returns to the mark, with another algebra that has the same weights for what was
    /// derived up to there.
    pub(super) fn rollback(&mut self, mark: &Mark, algebra: A) {
        self.store.rollback(&mark.store);
        for (order, mark) in self.orders.iter_mut().zip(&mark.orders) {
            let had_presences = order.rollback(mark);
            if A::IS_COST {
                order.arrange(&algebra, had_presences);
            }
        }
        self.premises.truncate(mark.premises);
        self.violations.clear();
        self.queue = Queue::default();
        self.postponed.clear();
        self.emitted.clear();
        self.work = 0;
        self.algebra = algebra;
    }

    /// Derives whatever follows from the facts. The error may be that there was no more time.
    pub(super) fn settle(&mut self, facts: &FactLists) -> Result<(), SettleError> {
        self.settle_until(facts, &mut |_, _| false)
    }

    /// The same, until `enough` says so at the end of a level of some stratum.
    pub(super) fn settle_until(
        &mut self,
        facts: &FactLists,
        enough: &mut dyn FnMut(&mut Self, u64) -> bool,
    ) -> Result<(), SettleError> {
        for stratum in 0..self.program.strata.len() {
            self.place_events(stratum)?;
            self.start(stratum, facts, Phase::First);
            match self.drain(enough) {
                Outcome::Finished => {}
                Outcome::Enough => return Ok(()),
                Outcome::GaveUp => {
                    return Err(SettleError::Stopped("there was no more time".to_string()));
                }
            }
        }
        Ok(())
    }

    /// Derives what more facts add to all that was derived up to the mark. After giving up,
    /// all that was derived is right but there may be more.
    pub(super) fn extend(&mut self, facts: &FactLists, mark: &Mark) -> Outcome {
        self.extend_until(facts, mark, &mut |fixpoint, level| {
            if fixpoint.violations.len() >= fixpoint.limits.violations {
                fixpoint.algebra.stop_above(level);
            }
            false
        })
    }

    /// The same, until `enough` says so at the end of a level of some stratum.
    pub(super) fn extend_until(
        &mut self,
        facts: &FactLists,
        mark: &Mark,
        enough: &mut dyn FnMut(&mut Self, u64) -> bool,
    ) -> Outcome {
        for stratum in 0..self.program.strata.len() {
            self.start(stratum, facts, Phase::Then(mark));
            match self.drain(enough) {
                Outcome::Finished => {}
                outcome => return outcome,
            }
        }
        Outcome::Finished
    }

    /// Whether events are present by what came after the mark.
    pub(super) fn has_presences_since(&self, mark: &Mark) -> bool {
        let mut orders = self.orders.iter().zip(&mark.orders);
        orders.any(|(order, mark)| order.has_presences_since(mark))
    }

    /// Processes what is in line, level by level.
    pub(super) fn drain(&mut self, enough: &mut dyn FnMut(&mut Self, u64) -> bool) -> Outcome {
        loop {
            for postponed in std::mem::take(&mut self.postponed) {
                if self.limits.are_reached(self.work) {
                    return Outcome::GaveUp;
                }
                self.combine_postponed(postponed);
            }
            let Some(level) = self.queue.next_level() else {
                return Outcome::Finished;
            };
            while let Some(pending) = self.queue.pop(level) {
                if self.limits.are_reached(self.work) {
                    return Outcome::GaveUp;
                }
                self.process(pending);
            }
            if enough(self, level) {
                return Outcome::Enough;
            }
        }
    }

    fn process(&mut self, pending: Pending<A::Weight>) {
        let weight = pending.weight();
        if self.algebra.is_dead(weight) {
            return;
        }
        self.work += 1;
        match pending {
            Pending::Tuple {
                relation,
                row,
                weight,
                derivation,
            } => {
                if !self.is_known(relation, &row, weight) {
                    let item = self.store.insert(relation, &row, weight, derivation);
                    let program = self.program.clone();
                    for &(clause, delta) in &program.deltas[relation.index()] {
                        self.try_item(clause, delta, item);
                    }
                }
            }
            Pending::Edge { order, edge } => self.add_edge(order, edge),
            Pending::Path { order, path } => self.add_path(order, path),
            Pending::Conflict { weight, derivation } => {
                self.algebra.found_conflict(weight);
                self.violations.push(Violation { weight, derivation });
            }
        }
    }

    /// Whether the tuple has a weight that covers this one.
    fn is_known(&self, relation: RelationId, row: &[Value], weight: A::Weight) -> bool {
        let Some(tuple) = self.store.tuples(relation).find(row) else {
            return false;
        };
        let mut items = self.store.items(relation, tuple);
        items.any(|(_, other)| self.algebra.covers(other, weight))
    }

    /// Fires a clause with the item in the place of one of its atoms.
    pub(super) fn try_item(&mut self, id: ClauseId, delta: usize, item: ItemId) {
        let program = self.program.clone();
        let clause = &program.clauses[id.index()];
        let delta = &clause.deltas[delta];
        let mut binding = vec![Value::default(); clause.variables];
        if delta.pattern.bind(self.store.row(item), &mut binding) {
            let weight = self.store.item(item).weight;
            let premises = vec![(delta.atom, Premise::Item(item))];
            self.match_clause(id, &delta.plan, &mut binding, weight, premises);
        }
        self.take_in();
    }

    pub(super) fn match_clause(
        &mut self,
        id: ClauseId,
        plan: &Plan,
        binding: &mut [Value],
        weight: A::Weight,
        mut before: Vec<(u32, Premise)>,
    ) {
        let program = self.program.clone();
        let clause = &program.clauses[id.index()];
        let head = &clause.head;
        let is_stated = clause.is_stated();
        let mut model = Model {
            store: &self.store,
            orders: &self.orders,
            algebra: &mut self.algebra,
        };
        let (emitted, premises) = (&mut self.emitted, &mut self.premises);
        model.matches(plan, binding, weight, &mut before, &mut |algebra, found| {
            let premises = premises.keep(found.premises.iter().copied());
            let derivation = Derivation::Clause {
                clause: id,
                premises,
            };
            let weight = match is_stated {
                true => found.weight,
                false => algebra.head(found.weight),
            };
            emit(emitted, head, found.binding, weight, derivation);
        });
    }

    pub(super) fn with_joiner(&mut self, work: impl FnOnce(&mut Joiner<A>, &[Tables<A::Weight>])) {
        let mut joiner = Joiner {
            program: &self.program,
            store: &self.store,
            orders: &self.orders,
            algebra: &mut self.algebra,
            premises: &mut self.premises,
            emitted: &mut self.emitted,
            binding: &mut self.binding,
        };
        work(&mut joiner, &self.tables);
    }

    /// Puts what was emitted in line, unless it adds nothing.
    pub(super) fn take_in(&mut self) {
        let mut emitted = std::mem::take(&mut self.emitted);
        for emission in emitted.drain(..) {
            self.work += 1;
            let Emission {
                head,
                weight,
                derivation,
            } = emission;
            let pending = match head {
                EmittedHead::Tuple(relation, row) => {
                    if self.is_known(relation, &row, weight) {
                        continue;
                    }
                    Pending::Tuple {
                        relation,
                        row,
                        weight,
                        derivation,
                    }
                }
                EmittedHead::Edge(order, first, last) => {
                    let store = &mut self.orders[order.index()];
                    let (first, last) = (store.event_of(first), store.event_of(last));
                    let path = self.algebra.edge(weight);
                    if store.is_covered(&mut self.algebra, first, last, path) {
                        continue;
                    }
                    let edge = Edge {
                        first,
                        last,
                        weight,
                        derivation,
                    };
                    Pending::Edge { order, edge }
                }
                EmittedHead::Conflict => Pending::Conflict { weight, derivation },
            };
            self.queue.push(self.algebra.level(weight), pending);
        }
        self.emitted = emitted;
    }
}
