//! The order of events with its rules written out: all their instances, without variables.
//!
//! Whoever has these needs only arrays of clocks to see what follows, which takes a fraction of the
//! time of the [fixpoint](super::fixpoint) that has to look for what fits together.

use super::fixpoint::Fixpoint;
use super::join::{fill, holds};
use super::literal_sets::{EMPTY, LiteralIndex, LiteralSet, LiteralSets};
use super::orders::{Event, EventId, OrderStore};
use super::program::{Head, JoinId, OrderId};
use crate::value::Value;
use heddle_language::ruleset::Literal;

pub(super) struct GroundOrder {
    /// The events of each chain.
    pub(super) chains: Vec<Vec<EventId>>,
    /// For each event, its chain and its position there.
    pub(super) places: Vec<(usize, u32)>,
    /// Whether all events are in their chains anyway.
    pub(super) is_certain: bool,
    /// For each event, what has to come before it, and because of what.
    pub(super) before: Vec<Vec<Wait>>,
    pub(super) instances: Vec<Instance>,
    /// How many literals there are.
    pub(super) literals: usize,
}

/// An event that has to come first, because of a literal or anyway.
pub(super) type Wait = (EventId, Option<LiteralIndex>);

/// If the premise holds, then `before` comes before `after`, because of a literal.
pub(super) struct Instance {
    pub(super) before: EventId,
    pub(super) after: EventId,
    pub(super) literal: Option<LiteralIndex>,
    pub(super) premise: Precedence,
    pub(super) conclusion: Precedence,
}

/// That one event comes before another, as the clocks of all events tell it.
#[derive(Clone, Copy)]
pub(super) struct Precedence {
    entry: u32,
    /// Of the earlier one in its chain. Where both are the same, no entry is larger.
    position: u32,
}

impl Precedence {
    fn new(store: &OrderStore<LiteralSet>, one: EventId, other: EventId) -> Self {
        let Event {
            chain, position, ..
        } = *store.event(one);
        Precedence::of(
            one,
            (chain.0 as usize, position),
            other,
            store.chain_ids().count(),
        )
    }

    /// `place` is the chain of the first event and its position there.
    fn of(one: EventId, place: (usize, u32), other: EventId, chains: usize) -> Self {
        let (chain, position) = place;
        Precedence {
            entry: other.0 * chains as u32 + chain as u32,
            position: if one == other { u32::MAX } else { position },
        }
    }

    /// Of the clock of the later event, for the chain of the earlier one.
    pub(super) fn entry(self) -> u32 {
        self.entry
    }

    pub(super) fn holds(self, clocks: &[u32]) -> bool {
        clocks[self.entry as usize] > self.position
    }
}

/// How many instances for each event, and how many entries of clocks, are not too many.
const MOST_INSTANCES: usize = 64;
const MOST_ENTRIES: usize = 1 << 22;

impl GroundOrder {
    /// `None` if the rules are of another kind than this can deal with, or their instances are
    /// too many. All that follows from single literals is derived.
    pub(super) fn new(fixpoint: &Fixpoint<LiteralSets>) -> Option<Self> {
        let order = only_order(fixpoint)?;
        let store = &fixpoint.orders[order.index()];
        if store.chain_ids().count() * store.events.len() > MOST_ENTRIES {
            return None;
        }
        let mut instances = Vec::new();
        for &join in &fixpoint.program.orders[order.index()].joins {
            add_instances(fixpoint, join, &mut instances)?;
        }
        if instances.len() > MOST_INSTANCES * store.events.len() {
            return None;
        }
        let mut before = vec![Vec::new(); store.events.len()];
        for edge in store.edge_ids().map(|edge| store.edge(edge)) {
            // What rests on several literals follows by the instances.
            if let [] | [_] = fixpoint.algebra.members(edge.weight) {
                let literal = fixpoint.algebra.members(edge.weight).first().copied();
                before[edge.last.0 as usize].push((edge.first, literal));
            }
        }
        let is_certain = |event: &Event<LiteralSet>| {
            // There are no steps in a chain of one event.
            event.is_certain || store.chain_events(event.chain).len() == 1
        };
        let place = |event: &Event<LiteralSet>| (event.chain.0 as usize, event.position);
        Some(GroundOrder {
            chains: store
                .chain_ids()
                .map(|chain| store.chain_events(chain).to_vec())
                .collect(),
            places: store.events.iter().map(place).collect(),
            is_certain: store.events.iter().all(is_certain),
            before,
            instances,
            literals: fixpoint.algebra.count(),
        })
    }

    pub(super) fn precedence(&self, one: EventId, other: EventId) -> Precedence {
        Precedence::of(one, self.places[one.0 as usize], other, self.chains.len())
    }

    /// The earlier and the later event, which are not the same.
    pub(super) fn ends(&self, precedence: Precedence) -> [EventId; 2] {
        let Precedence { entry, position } = precedence;
        let chains = self.chains.len() as u32;
        let chain = &self.chains[(entry % chains) as usize];
        [chain[position as usize], EventId(entry / chains)]
    }
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

/// Whether the events are in one chain, and the second one does not come first.
fn comes_no_later(store: &OrderStore<LiteralSet>, one: EventId, other: EventId) -> bool {
    let (one, other) = (store.event(one), store.event(other));
    one.chain == other.chain && one.position <= other.position
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
    let sets = &fixpoint.algebra;
    let clause = &fixpoint.program.clauses[join.clause.index()];
    let Head::Edge(_, [before, after]) = &clause.head else {
        return None;
    };
    let (sites, sources) = (join.sites.as_ref()?, join.sources.as_ref()?);
    if !join.ends_in_tests() {
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
            // What follows from the premise by chain steps needs no instance.
            (Some(before), Some(after))
                if comes_no_later(store, before, at_source.event)
                    && comes_no_later(store, at_site.event, after) => {}
            (Some(before), Some(after)) => instances.push(Instance {
                premise: Precedence::new(store, at_source.event, at_site.event),
                conclusion: Precedence::new(store, before, after),
                before,
                after,
                literal: sets
                    .members(at_site.weight)
                    .iter()
                    .chain(sets.members(at_source.weight))
                    .next()
                    .copied(),
            }),
            _ => all_known = false,
        }
    });
    all_known.then_some(())
}
