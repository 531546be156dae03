//! A large part of the literals that violates no conflict, found by leaving out those that
//! stand in the way of running all events one after the other.
//!
//! The proof is a model: an order of events without a cycle that has all edges which the
//! remaining literals give and is closed under the rules. It may order more than the rules
//! demand, and nobody asks why, so it is cheap to come by: edges are added round by round, and
//! when a cycle comes up, some literal is blamed and left out. Every reason contains one of
//! those left out, the *suspects*. Where few choices are wrong, they are few.

use super::fixpoint::Fixpoint;
use super::join::{fill, holds};
use super::literal_sets::{EMPTY, LiteralIndex, LiteralSet, LiteralSets};
use super::orders::{ChainId, EventId, OrderStore};
use super::plan::Step;
use super::program::{Head, JoinId, OrderId};
use crate::value::Value;
use heddle_language::ruleset::Literal;
use rustc_hash::{FxHashMap, FxHashSet};

/// If `first` comes before `last`, then `before` comes before `after`, because of a literal.
struct Instance {
    first: EventId,
    last: EventId,
    before: EventId,
    after: EventId,
    weight: LiteralSet,
}

/// How many instances for each event, and how many entries of clocks, are not too many.
const MOST_INSTANCES: usize = 64;
const MOST_ENTRIES: usize = 1 << 22;

/// How often edges are added.
const MOST_ROUNDS: usize = 64;

/// What the search for a model needs.
pub(super) struct ConsistentPart<'a> {
    store: &'a OrderStore<LiteralSet>,
    sets: &'a LiteralSets,
    instances: Vec<Instance>,
}

impl<'a> ConsistentPart<'a> {
    /// `None` if the rules are of another kind than this can deal with, or their instances are
    /// too many. All that follows from single literals is derived.
    pub(super) fn new(fixpoint: &'a Fixpoint<LiteralSets>) -> Option<Self> {
        let order = only_order(fixpoint)?;
        let store = &fixpoint.orders[order.index()];
        let mut instances = Vec::new();
        for &join in &fixpoint.program.orders[order.index()].joins {
            add_instances(fixpoint, join, &mut instances)?;
        }
        let chains = store.chain_ids().count();
        let is_large = instances.len() > MOST_INSTANCES * store.events.len()
            || chains * store.events.len() > MOST_ENTRIES;
        (!is_large).then_some(ConsistentPart {
            store,
            sets: &fixpoint.algebra,
            instances,
        })
    }

    /// Literals of which every reason contains one, if it is not a single literal; `None` if no
    /// model was found. `conflicts` are some sets that violate one.
    pub(super) fn suspects<'b>(
        &self,
        conflicts: impl Iterator<Item = &'b [LiteralIndex]>,
    ) -> Option<FxHashSet<LiteralIndex>> {
        let mut run = Run::new(self.store, self.sets, hitting_set(conflicts));
        for _ in 0..MOST_ROUNDS {
            if !run.order_events() {
                return None;
            }
            if !run.add_edges(&self.instances) {
                return Some(run.blamed);
            }
        }
        None
    }
}

/// Some literals so that each of the sets contains one: those that are in most sets first.
fn hitting_set<'a>(sets: impl Iterator<Item = &'a [LiteralIndex]>) -> FxHashSet<LiteralIndex> {
    let mut left: Vec<&[LiteralIndex]> = sets.collect();
    let mut hitting = FxHashSet::default();
    while !left.is_empty() {
        let mut counts: FxHashMap<LiteralIndex, usize> = FxHashMap::default();
        for &literal in left.iter().copied().flatten() {
            *counts.entry(literal).or_default() += 1;
        }
        let counts = counts.into_iter();
        let Some((literal, _)) = counts.max_by_key(|&(literal, count)| (count, literal)) else {
            break;
        };
        hitting.insert(literal);
        left.retain(|set| !set.contains(&literal));
    }
    hitting
}

/// The one order on which all conflicts depend, if each rule instance rests on at most one
/// literal, and only orders are derived from what rests on literals: then the edges and the
/// tables have all that there is.
fn only_order(fixpoint: &Fixpoint<LiteralSets>) -> Option<OrderId> {
    let program = &fixpoint.program;
    let mut acyclic = program.joins.iter().filter(|join| join.is_acyclicity);
    let order = acyclic.next()?.order;
    let is_conditional = conditional_relations(fixpoint);
    for stratum in &program.strata {
        if stratum.orders.iter().any(|&other| other != order) {
            return None;
        }
        for &clause in &stratum.clauses {
            let joins = program.joins.iter().filter(|join| join.clause == clause);
            let joins: Vec<_> = joins.collect();
            let clause = &program.clauses[clause.index()];
            let mut conditional = 0;
            let mut orders = 0;
            for literal in &clause.body {
                if let Literal::Positive(atom) = literal {
                    orders += usize::from(program.order_of[atom.relation.index()].is_some());
                    conditional += usize::from(is_conditional[atom.relation.index()]);
                }
            }
            let is_simple = match clause.head {
                Head::Tuple(..) => conditional + orders == 0,
                Head::Edge(..) => conditional <= 1 && orders == joins.len() && orders <= 1,
                Head::Conflict => joins.iter().any(|join| join.is_acyclicity),
            };
            if !is_simple {
                return None;
            }
        }
    }
    Some(order)
}

/// For each relation, whether some fact of it rests on a literal.
fn conditional_relations(fixpoint: &Fixpoint<LiteralSets>) -> Vec<bool> {
    let mut conditional = vec![false; fixpoint.program.order_of.len()];
    for item in fixpoint.store.all_items() {
        conditional[item.relation.index()] |= item.weight != EMPTY;
    }
    conditional
}

/// All pairs of rows of a join. `None` if it is of another kind.
fn add_instances(
    fixpoint: &Fixpoint<LiteralSets>,
    id: JoinId,
    instances: &mut Vec<Instance>,
) -> Option<()> {
    let join = &fixpoint.program.joins[id.index()];
    let tables = &fixpoint.tables[id.index()];
    if join.is_acyclicity || tables.is_empty() {
        return Some(());
    }
    let store = &fixpoint.orders[join.order.index()];
    let clause = &fixpoint.program.clauses[join.clause.index()];
    let Head::Edge(_, [before, after]) = &clause.head else {
        return None;
    };
    let (sites, sources) = (join.sites.as_ref()?, join.sources.as_ref()?);
    let is_test = |step: &Step| matches!(step, Step::Test(..));
    if !join.rest.steps.iter().all(is_test) {
        return None;
    }
    let mut binding = vec![Value::default(); clause.variables];
    let mut all_known = true;
    tables.each_pair(|at_site, at_source| {
        fill(&mut binding, &sites.variables, &at_site.values);
        fill(&mut binding, &sources.variables, &at_source.values);
        if !join.rest.steps.iter().all(|step| holds(step, &binding)) {
            return;
        }
        let ends = [before, after].map(|end| end.value(&binding));
        let [Some(before), Some(after)] = ends else {
            return;
        };
        match (store.find(before), store.find(after)) {
            (Some(before), Some(after)) => instances.push(Instance {
                first: at_source.event,
                last: at_site.event,
                before,
                after,
                weight: if at_site.weight == EMPTY {
                    at_source.weight
                } else {
                    at_site.weight
                },
            }),
            _ => all_known = false,
        }
    });
    all_known.then_some(())
}

/// An order of all events in the making.
struct Run<'a> {
    store: &'a OrderStore<LiteralSet>,
    sets: &'a LiteralSets,
    chains: Vec<ChainId>,
    /// For each event, what has to come before it, and because of what.
    before: Vec<Vec<(EventId, LiteralSet)>>,
    blamed: FxHashSet<LiteralIndex>,
    /// For each event and chain, how many events of the chain come before it.
    clocks: Vec<u32>,
}

impl<'a> Run<'a> {
    fn new(
        store: &'a OrderStore<LiteralSet>,
        sets: &'a LiteralSets,
        blamed: FxHashSet<LiteralIndex>,
    ) -> Self {
        let mut before = vec![Vec::new(); store.events.len()];
        for edge in store.edge_ids() {
            let edge = store.edge(edge);
            before[edge.last.0 as usize].push((edge.first, edge.weight));
        }
        let chains: Vec<ChainId> = store.chain_ids().collect();
        Run {
            store,
            sets,
            before,
            blamed,
            clocks: vec![0; store.events.len() * chains.len()],
            chains,
        }
    }

    fn is_blamed(&self, weight: LiteralSet) -> bool {
        let mut literals = self.sets.members(weight).iter();
        literals.any(|literal| self.blamed.contains(literal))
    }

    /// Goes through the events, each after those that have to come before it, and computes
    /// their clocks. Blames literals until that is possible; returns whether it is.
    fn order_events(&mut self) -> bool {
        let mut done = vec![0; self.chains.len()];
        let mut count = 0;
        loop {
            let before = count;
            for place in 0..self.chains.len() {
                while let Some(next) = self.next(place, &done)
                    && self.waits(next, &done).next().is_none()
                {
                    count += 1;
                    done[place] += 1;
                    self.set_clock(next);
                }
            }
            if count == self.store.events.len() {
                return true;
            }
            if count == before && !self.blame(&done) {
                return false;
            }
        }
    }

    /// The next event of a chain.
    fn next(&self, chain: usize, done: &[u32]) -> Option<EventId> {
        let events = self.store.chain_events(self.chains[chain]);
        events.get(done[chain] as usize).copied()
    }

    /// What the event waits for, and because of what.
    fn waits(&self, event: EventId, done: &[u32]) -> impl Iterator<Item = (EventId, LiteralSet)> {
        let before = self.before[event.0 as usize].iter().copied();
        before.filter(|&(other, weight)| {
            let other = self.store.event(other);
            other.position >= done[other.chain.0 as usize] && !self.is_blamed(weight)
        })
    }

    /// All chains wait for each other. To blame is what makes an event wait for one that lies
    /// much farther behind in its own chain: a right choice rarely does.
    fn blame(&mut self, done: &[u32]) -> bool {
        let mut farthest = None;
        for chain in 0..self.chains.len() {
            let Some(head) = self.next(chain, done) else {
                continue;
            };
            for (other, weight) in self.waits(head, done) {
                let distance = self.share(other) - self.share(head);
                if weight != EMPTY {
                    farthest = farthest.max(Some((distance, weight)));
                }
            }
        }
        if let Some((_, weight)) = farthest {
            self.blamed.extend(self.sets.members(weight));
        }
        farthest.is_some()
    }

    /// How much of its chain lies before the event.
    fn share(&self, event: EventId) -> i64 {
        let event = self.store.event(event);
        let events = self.store.chain_events(event.chain).len();
        (i64::from(event.position) << 16) / events as i64
    }

    fn set_clock(&mut self, id: EventId) {
        let count = self.chains.len();
        let event = self.store.event(id);
        let start = id.0 as usize * count;
        match event.position.checked_sub(1) {
            Some(position) => {
                let previous = self.store.chain_events(event.chain)[position as usize];
                let previous = previous.0 as usize * count;
                self.clocks.copy_within(previous..previous + count, start);
            }
            None => self.clocks[start..start + count].fill(0),
        }
        self.clocks[start + event.chain.0 as usize] = event.position;
        for &(other, weight) in &self.before[id.0 as usize] {
            if self.is_blamed(weight) {
                continue;
            }
            let place = self.store.event(other);
            for chain in 0..count {
                let entry = self.clocks[other.0 as usize * count + chain];
                let entry = match chain == place.chain.0 as usize {
                    true => place.position + 1,
                    false => entry,
                };
                let own = &mut self.clocks[start + chain];
                *own = (*own).max(entry);
            }
        }
    }

    /// Whether one event comes before another.
    fn is_before(&self, one: EventId, other: EventId) -> bool {
        let one = self.store.event(one);
        let entry = other.0 as usize * self.chains.len() + one.chain.0 as usize;
        self.clocks[entry] > one.position
    }

    /// Adds what the rules demand. Returns whether anything was missing.
    fn add_edges(&mut self, instances: &[Instance]) -> bool {
        let mut any = false;
        for instance in instances {
            if self.is_before(instance.first, instance.last)
                && !self.is_before(instance.before, instance.after)
                && !self.is_blamed(instance.weight)
            {
                let before = &mut self.before[instance.after.0 as usize];
                before.push((instance.before, instance.weight));
                any = true;
            }
        }
        any
    }
}
