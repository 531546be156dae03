//! An order as the caller sees it: pairs, spelled out from clocks only when asked for.

use super::Diff;
use super::plan::{CHAINED, LOOSE};
use super::tuple::Tuple;
use crate::backend::SettleError;
use crate::facts::{Change, ChangeKind};
use crate::value::{Row, Value};
use heddle_language::ruleset::{Order, RelationId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A chain that `event` tuples make, or an event in no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Chain {
    Of(i64),
    Loose(i64),
}

impl Chain {
    fn new(kind: i64, chain: i64) -> Self {
        match kind {
            LOOSE => Chain::Loose(chain),
            _ => {
                debug_assert_eq!(kind, CHAINED);
                Chain::Of(chain)
            }
        }
    }
}

/// The events of a chain, by index.
type Members = BTreeSet<(i64, i64)>;

pub(super) struct OrderView {
    order: Order,
    clocks: FxHashMap<i64, FxHashMap<Chain, i64>>,
    /// The executed events of each chain.
    chains: FxHashMap<i64, Members>,
    /// Chain and index of each event, executed or not. Several only if that is an error.
    places: FxHashMap<i64, Vec<(i64, i64)>>,
    /// The events at each place, executed or not.
    occupants: FxHashMap<(i64, i64), Vec<i64>>,
    executed: FxHashSet<i64>,
    /// What was there before, of all that changed.
    old_clocks: FxHashMap<(i64, Chain), Option<i64>>,
    old_chains: FxHashMap<i64, Members>,
    /// Places that were taken since.
    fresh_places: Vec<(i64, i64, i64)>,
}

impl OrderView {
    pub(super) fn new(order: Order) -> Self {
        OrderView {
            order,
            clocks: FxHashMap::default(),
            chains: FxHashMap::default(),
            places: FxHashMap::default(),
            occupants: FxHashMap::default(),
            executed: FxHashSet::default(),
            old_clocks: FxHashMap::default(),
            old_chains: FxHashMap::default(),
            fresh_places: Vec::new(),
        }
    }

    pub(super) fn event_relation(&self) -> RelationId {
        self.order.event
    }

    pub(super) fn begin(&mut self) {
        self.old_clocks.clear();
        self.old_chains.clear();
        self.fresh_places.clear();
    }

    /// A change of a clock's entry: (event, kind, chain, index).
    pub(super) fn clock(&mut self, entry: &Tuple, diff: Diff) {
        let event = entry.get(0);
        let chain = Chain::new(entry.get(1), entry.get(2));
        let index = entry.get(3);
        let clock = self.clocks.entry(event).or_default();
        let before = clock.get(&chain).copied();
        self.old_clocks.entry((event, chain)).or_insert(before);
        // The old index may be taken back after the new one has come.
        if diff > 0 {
            clock.insert(chain, index);
        } else if before == Some(index) {
            clock.remove(&chain);
            if clock.is_empty() {
                self.clocks.remove(&event);
            }
        }
    }

    /// A change of some relation.
    pub(super) fn take(&mut self, relation: RelationId, tuple: &Tuple, comes: bool) {
        if Some(relation) == self.order.executed {
            let event = tuple.get(0);
            if comes {
                self.executed.insert(event);
            } else {
                self.executed.remove(&event);
            }
            for (chain, index) in self.places.get(&event).cloned().unwrap_or_default() {
                self.place(event, chain, index, comes);
            }
        }
        if relation == self.order.event {
            let (event, chain, index) = (tuple.get(0), tuple.get(1), tuple.get(2));
            let places = self.places.entry(event).or_default();
            let occupants = self.occupants.entry((chain, index)).or_default();
            if comes {
                places.push((chain, index));
                occupants.push(event);
                self.fresh_places.push((event, chain, index));
            } else {
                places.retain(|&place| place != (chain, index));
                occupants.retain(|&other| other != event);
                if places.is_empty() {
                    self.places.remove(&event);
                }
                if occupants.is_empty() {
                    self.occupants.remove(&(chain, index));
                }
            }
            if self.order.executed.is_none() || self.executed.contains(&event) {
                self.place(event, chain, index, comes);
            }
        }
    }

    fn place(&mut self, event: i64, chain: i64, index: i64, comes: bool) {
        let members = self.chains.entry(chain).or_default();
        let old = self.old_chains.entry(chain);
        old.or_insert_with(|| members.clone());
        if comes {
            members.insert((index, event));
        } else {
            members.remove(&(index, event));
        }
    }

    /// Whether every event has one place and every place one event; `events` are the tuples
    /// of the event relation. Of several mistakes the first is named, as they are sorted.
    pub(super) fn check(&self, events: &FxHashSet<Tuple>) -> Result<(), SettleError> {
        let is_wrong = |event: i64, chain: i64, index: i64| {
            let several = self
                .places
                .get(&event)
                .is_some_and(|places| places.len() > 1);
            let shared = self.occupants.get(&(chain, index));
            several || shared.is_some_and(|occupants| occupants.len() > 1)
        };
        let mut fresh = self.fresh_places.iter();
        if !fresh.any(|&(event, chain, index)| is_wrong(event, chain, index)) {
            return Ok(());
        }
        let mut wrong: Vec<(i64, i64, i64)> = events
            .iter()
            .map(|tuple| (tuple.get(0), tuple.get(1), tuple.get(2)))
            .filter(|&(event, chain, index)| is_wrong(event, chain, index))
            .collect();
        wrong.sort_unstable();
        for (number, &(first, chain, index)) in wrong.iter().enumerate() {
            for &(second, other_chain, other_index) in &wrong[number + 1..] {
                if first == second {
                    return Err(SettleError::SeveralPlaces {
                        event_relation: self.order.event,
                        event: Value(first),
                    });
                }
                if (chain, index) == (other_chain, other_index) {
                    return Err(SettleError::SharedPlace {
                        event_relation: self.order.event,
                        first: Value(first),
                        second: Value(second),
                        chain: Value(chain),
                        index,
                    });
                }
            }
        }
        Ok(())
    }

    pub(super) fn contains(&self, a: Value, b: Value) -> bool {
        let Some(clock) = self.clocks.get(&b.0) else {
            return false;
        };
        let counts = self.order.executed.is_none() || self.executed.contains(&a.0);
        match self.places.get(&a.0).map(Vec::as_slice) {
            Some(&[(chain, index), ..]) if counts => {
                let reached = clock.get(&Chain::Of(chain));
                reached.is_some_and(|&limit| index <= limit)
            }
            _ => clock.contains_key(&Chain::Loose(a.0)),
        }
    }

    pub(super) fn pairs(&self) -> Vec<Row> {
        let mut pairs = Vec::new();
        for (&b, clock) in &self.clocks {
            for (&chain, &limit) in clock {
                let members = members(&self.chains, chain, limit);
                pairs.extend(members.into_iter().map(|a| pair(a, b)));
            }
        }
        pairs
    }

    /// How the pairs changed since [`OrderView::begin`].
    pub(super) fn changes(&self, relation: RelationId) -> Vec<Change> {
        let mut entries: FxHashSet<(i64, Chain)> = self.old_clocks.keys().copied().collect();
        for (&b, clock) in &self.clocks {
            let moved = clock.keys().filter(
                |chain| matches!(chain, Chain::Of(chain) if self.old_chains.contains_key(chain)),
            );
            entries.extend(moved.map(|&chain| (b, chain)));
        }
        // An event that enters a chain or leaves it changes chains, but may stay before `b`.
        let mut net: FxHashMap<(i64, i64), i8> = FxHashMap::default();
        for (b, chain) in entries {
            let limit = self
                .clocks
                .get(&b)
                .and_then(|clock| clock.get(&chain))
                .copied();
            let old_limit = match self.old_clocks.get(&(b, chain)) {
                Some(old) => *old,
                None => limit,
            };
            let old_chain = match chain {
                Chain::Of(number) => self.old_chains.get(&number),
                Chain::Loose(_) => None,
            };
            let before: BTreeSet<i64> = match (old_limit, old_chain) {
                (None, _) => BTreeSet::new(),
                (Some(limit), None) => members(&self.chains, chain, limit).into_iter().collect(),
                (Some(limit), Some(old)) => up_to(old, limit).collect(),
            };
            let after: BTreeSet<i64> = match limit {
                None => BTreeSet::new(),
                Some(limit) => members(&self.chains, chain, limit).into_iter().collect(),
            };
            for &a in before.difference(&after) {
                *net.entry((a, b)).or_default() -= 1;
            }
            for &a in after.difference(&before) {
                *net.entry((a, b)).or_default() += 1;
            }
        }
        net.retain(|_, diff| *diff != 0);
        let change = |((a, b), diff)| Change {
            relation,
            row: pair(a, b),
            kind: if diff > 0 {
                ChangeKind::Insert
            } else {
                ChangeKind::Remove
            },
        };
        net.into_iter().map(change).collect()
    }
}

fn members(chains: &FxHashMap<i64, Members>, chain: Chain, limit: i64) -> Vec<i64> {
    match chain {
        Chain::Loose(event) => vec![event],
        Chain::Of(number) => match chains.get(&number) {
            Some(members) => up_to(members, limit).collect(),
            None => Vec::new(),
        },
    }
}

fn up_to(members: &Members, limit: i64) -> impl Iterator<Item = i64> {
    let reached = members.range(..=(limit, i64::MAX));
    reached.map(|&(_, event)| event)
}

fn pair(a: i64, b: i64) -> Row {
    Box::new([Value(a), Value(b)])
}
