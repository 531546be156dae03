//! An `order` relation as paths between chains.
//!
//! A tuple `lt(a, b)` holds by a path: edges that facts and rules give, and chain steps in
//! between. Only paths that begin and end with an edge are kept. One from position `p` of
//! chain `c` to position `u` of chain `d` stands for all pairs of an event up to `p` and an
//! event from `u` on, because a chain step can be put at either end. So there is one list
//! of paths for each pair of chains, and a path is only kept if no other one in its list
//! *covers* it: begins no earlier, ends no later, and is as good when chain steps fill the
//! gaps. If nothing but the last position counts, this is a chain clock.
//!
//! A chain step needs both of its events to be present, which may rest on literals of its
//! own: the weights of an event's *presence*. An event without a place in a chain is a chain
//! of its own.

use super::algebra::Algebra;
use super::derivation::{Derivation, Pair};
use super::store::ItemId;
use crate::value::Value;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EventId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChainId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EdgeId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PathId(pub u32);

pub(super) struct OrderStore<W> {
    events: Vec<Event<W>>,
    by_value: FxHashMap<Value, EventId>,
    chains: Vec<Chain>,
    edges: Vec<Edge<W>>,
    paths: Vec<Path<W>>,
    lists: Vec<List<W>>,
    list_of: FxHashMap<(ChainId, ChainId), u32>,
    /// The events that got a presence, in that order.
    presences: Vec<EventId>,
    /// Each covering path may stand for this many others that it only covers in place.
    pub(super) width: usize,
    /// Whether a path was dropped for want of width.
    pub(super) narrowed: bool,
}

pub(super) struct Event<W> {
    pub(super) value: Value,
    pub(super) chain: ChainId,
    /// Among the events of the chain.
    pub(super) position: u32,
    /// The tuple that says so.
    pub(super) place: Option<ItemId>,
    pub(super) presence: Vec<Presence<W>>,
    /// Whether the event is present anyway.
    pub(super) is_certain: bool,
    /// The edges that begin here.
    out: Vec<EdgeId>,
}

/// One way in which an event is in its chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence<W> {
    pub(super) weight: W,
    pub(super) event: ItemId,
    pub(super) executed: Option<ItemId>,
}

#[derive(Default)]
struct Chain {
    events: Vec<EventId>,
    /// The positions of events at which edges begin, sorted.
    departures: Vec<u32>,
    /// The chains from which paths come, with their lists.
    from: Vec<(ChainId, u32)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<W> {
    pub(super) first: EventId,
    pub(super) last: EventId,
    pub(super) weight: W,
    pub(super) derivation: Derivation,
}

/// A path that ends with `edge`. What comes before ends at the beginning of the edge, or
/// earlier in the same chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<W> {
    pub(super) first: EventId,
    pub(super) weight: W,
    pub(super) before: Option<PathId>,
    pub(super) edge: EdgeId,
}

struct List<W> {
    entries: Vec<Entry<W>>,
    /// How many of the entries are there for good.
    base: usize,
}

/// A path as its list sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<W> {
    /// Position in the chain where the path begins.
    pub(super) begin: u32,
    /// Position in the chain where it ends.
    pub(super) end: u32,
    pub(super) weight: W,
    pub(super) path: PathId,
}

/// What a path is, extended by chain steps, beside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// It does not get there.
    Not,
    /// It gets there, but the other one may be better.
    Other,
    /// The other one adds nothing.
    Covering,
}

/// A pair that holds, with the weight of its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<W> {
    pub(super) pair: Pair,
    pub(super) weight: W,
}

/// How much was in the store at some time.
pub(super) struct OrderMark {
    events: usize,
    edges: usize,
    paths: usize,
    lists: usize,
    presences: usize,
}

impl<W: Copy + Eq> OrderStore<W> {
    pub(super) fn new() -> Self {
        OrderStore {
            events: Vec::new(),
            by_value: FxHashMap::default(),
            chains: Vec::new(),
            edges: Vec::new(),
            paths: Vec::new(),
            lists: Vec::new(),
            list_of: FxHashMap::default(),
            presences: Vec::new(),
            width: usize::MAX,
            narrowed: false,
        }
    }

    /// Adds a chain of events that have no presence yet.
    pub(super) fn add_chain(&mut self, values: impl Iterator<Item = Value>) -> ChainId {
        let chain = ChainId(self.chains.len() as u32);
        let mut events = Vec::new();
        for (position, value) in values.enumerate() {
            let event = EventId(self.events.len() as u32);
            self.events.push(Event {
                value,
                chain,
                position: position as u32,
                place: None,
                presence: Vec::new(),
                is_certain: false,
                out: Vec::new(),
            });
            self.by_value.insert(value, event);
            events.push(event);
        }
        self.chains.push(Chain {
            events,
            ..Chain::default()
        });
        chain
    }

    /// An event that is in no chain so far becomes a chain of its own.
    pub(super) fn event_of(&mut self, value: Value) -> EventId {
        if let Some(&event) = self.by_value.get(&value) {
            return event;
        }
        let chain = self.add_chain(std::iter::once(value));
        self.chains[chain.0 as usize].events[0]
    }

    pub(super) fn find(&self, value: Value) -> Option<EventId> {
        self.by_value.get(&value).copied()
    }

    pub(super) fn event(&self, event: EventId) -> &Event<W> {
        &self.events[event.0 as usize]
    }

    pub(super) fn chain_events(&self, chain: ChainId) -> &[EventId] {
        &self.chains[chain.0 as usize].events
    }

    pub(super) fn chain_ids(&self) -> impl Iterator<Item = ChainId> + use<W> {
        (0..self.chains.len() as u32).map(ChainId)
    }

    pub(super) fn edge(&self, edge: EdgeId) -> &Edge<W> {
        &self.edges[edge.0 as usize]
    }

    pub(super) fn path(&self, path: PathId) -> &Path<W> {
        &self.paths[path.0 as usize]
    }

    pub(super) fn last_of(&self, path: PathId) -> EventId {
        self.edge(self.path(path).edge).last
    }

    pub(super) fn path_ids(&self) -> impl Iterator<Item = PathId> + use<W> {
        (0..self.paths.len() as u32).map(PathId)
    }

    /// The edges that begin in the chain at or behind the position, before `until`.
    pub(super) fn departures(
        &self,
        chain: ChainId,
        position: u32,
        until: u32,
    ) -> impl Iterator<Item = EdgeId> {
        let chain = &self.chains[chain.0 as usize];
        let start = chain.departures.partition_point(|&other| other < position);
        chain.departures[start..]
            .iter()
            .take_while(move |&&other| other < until)
            .flat_map(|&other| &self.event(chain.events[other as usize]).out)
            .copied()
    }

    /// The paths that end at or before the event in its chain.
    pub(super) fn arrivals(&self, event: EventId) -> impl Iterator<Item = Entry<W>> {
        let event = self.event(event);
        let chain = &self.chains[event.chain.0 as usize];
        chain.from.iter().flat_map(move |&(_, list)| {
            let entries = self.lists[list as usize].entries.iter();
            entries.filter(|entry| entry.end <= event.position).copied()
        })
    }

    pub(super) fn add_presence(&mut self, id: EventId, presence: Presence<W>, is_certain: bool) {
        let event = &mut self.events[id.0 as usize];
        event.presence.push(presence);
        event.is_certain |= is_certain;
        self.presences.push(id);
    }

    pub(super) fn set_place(&mut self, event: EventId, place: ItemId) {
        self.events[event.0 as usize].place = Some(place);
    }

    pub(super) fn add_edge(&mut self, edge: Edge<W>) -> EdgeId {
        let id = EdgeId(self.edges.len() as u32);
        let event = &mut self.events[edge.first.0 as usize];
        let departures = &mut self.chains[event.chain.0 as usize].departures;
        if let Err(place) = departures.binary_search(&event.position) {
            departures.insert(place, event.position);
        }
        event.out.push(id);
        self.edges.push(edge);
        id
    }

    /// The weights of a path from `path`'s beginning to `to`, by a chain step at its end.
    pub(super) fn carried<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        weight: W,
        from: EventId,
        to: EventId,
        found: &mut dyn FnMut(&mut A, W),
    ) {
        if from == to {
            return found(algebra, weight);
        }
        let (from, to) = (self.event(from), self.event(to));
        if A::CHAINS_ARE_FREE && from.is_certain && to.is_certain {
            return found(algebra, weight);
        }
        for one in &from.presence {
            for other in &to.presence {
                let step = algebra.chain_step(one.weight, other.weight);
                if let Some(carried) = step.and_then(|step| algebra.append(weight, step)) {
                    found(algebra, carried);
                }
            }
        }
    }

    /// The weights of a chain step.
    pub(super) fn steps<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        from: EventId,
        to: EventId,
        found: &mut dyn FnMut(&mut A, W),
    ) {
        let (from, to) = (self.event(from), self.event(to));
        for one in &from.presence {
            for other in &to.presence {
                if let Some(step) = algebra.chain_step(one.weight, other.weight) {
                    found(algebra, step);
                }
            }
        }
    }

    /// Whether a path from `first` to `last` adds nothing.
    pub(super) fn is_covered<A: Algebra<Weight = W>>(
        &mut self,
        algebra: &mut A,
        first: EventId,
        last: EventId,
        weight: W,
    ) -> bool {
        let (begin, end) = (self.event(first), self.event(last));
        let (from, to) = (begin.chain, end.chain);
        let (begin, end) = (begin.position, end.position);
        if from == to && begin < end {
            let mut covered = false;
            self.steps(algebra, first, last, &mut |algebra, step| {
                covered |= algebra.covers(step, weight);
            });
            if covered {
                return true;
            }
        }
        let Some(&list) = self.list_of.get(&(from, to)) else {
            return false;
        };
        let mut covering = 0;
        for entry in &self.lists[list as usize].entries {
            if entry.begin >= begin && entry.end <= end {
                match self.compare(algebra, entry, first, last, weight) {
                    Reach::Covering => return true,
                    Reach::Other => covering += 1,
                    Reach::Not => {}
                }
            }
        }
        let narrowed = covering >= self.width;
        self.narrowed |= narrowed;
        narrowed
    }

    /// What the entry, with chain steps at its ends, is as a path from `first` to `last`,
    /// compared to one of the given weight.
    fn compare<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        entry: &Entry<W>,
        first: EventId,
        last: EventId,
        weight: W,
    ) -> Reach {
        if self.width == usize::MAX && !algebra.covers(entry.weight, weight) {
            return Reach::Other;
        }
        let (begins, ends) = (self.path(entry.path).first, self.last_of(entry.path));
        let mut reach = Reach::Not;
        self.carried(
            algebra,
            entry.weight,
            ends,
            last,
            &mut |algebra, carried| {
                self.carried(algebra, carried, begins, first, &mut |algebra, whole| {
                    if algebra.covers(whole, weight) {
                        reach = Reach::Covering;
                    } else if reach == Reach::Not {
                        reach = Reach::Other;
                    }
                });
            },
        );
        reach
    }

    /// Keeps a path that is not covered, and drops those that it covers.
    pub(super) fn add_path<A: Algebra<Weight = W>>(
        &mut self,
        algebra: &mut A,
        path: Path<W>,
    ) -> PathId {
        let id = PathId(self.paths.len() as u32);
        self.paths.push(path);
        let last = self.edge(path.edge).last;
        let list = self.list_between(path.first, last);
        let entry = Entry {
            begin: self.event(path.first).position,
            end: self.event(last).position,
            weight: path.weight,
            path: id,
        };
        let base = self.lists[list].base;
        let mut entries = std::mem::take(&mut self.lists[list].entries);
        let mut kept = base;
        for place in base..entries.len() {
            let other = entries[place];
            let covered = other.begin <= entry.begin
                && other.end >= entry.end
                && algebra.covers(entry.weight, other.weight)
                && {
                    let (first, last) = (self.path(other.path).first, self.last_of(other.path));
                    let reach = self.compare(algebra, &entry, first, last, other.weight);
                    reach == Reach::Covering
                };
            if !covered {
                entries[kept] = other;
                kept += 1;
            }
        }
        entries.truncate(kept);
        entries.push(entry);
        self.lists[list].entries = entries;
        id
    }

    fn list_between(&mut self, first: EventId, last: EventId) -> usize {
        let (from, to) = (self.event(first).chain, self.event(last).chain);
        let list = *self.list_of.entry((from, to)).or_insert_with(|| {
            let list = self.lists.len() as u32;
            self.lists.push(List {
                entries: Vec::new(),
                base: 0,
            });
            self.chains[to.0 as usize].from.push((from, list));
            list
        });
        list as usize
    }

    /// The first position behind the path's end from which another path makes it
    /// unnecessary.
    pub(super) fn shadowed_from<A: Algebra<Weight = W>>(&self, algebra: &A, path: PathId) -> u32 {
        let (first, last) = (self.path(path).first, self.last_of(path));
        let (begin, end) = (self.event(first), self.event(last));
        if !A::CHAINS_ARE_FREE || !begin.is_certain || !end.is_certain {
            return u32::MAX;
        }
        let weight = self.path(path).weight;
        let Some(&list) = self.list_of.get(&(begin.chain, end.chain)) else {
            return u32::MAX;
        };
        let is_certain = |event: EventId| self.event(event).is_certain;
        let mut shadow = u32::MAX;
        for entry in &self.lists[list as usize].entries {
            if entry.end > end.position
                && entry.end < shadow
                && entry.begin >= begin.position
                && algebra.covers(entry.weight, weight)
                && is_certain(self.path(entry.path).first)
                && is_certain(self.last_of(entry.path))
            {
                shadow = entry.end;
            }
        }
        shadow
    }

    pub(super) fn mark(&mut self) -> OrderMark {
        for list in &mut self.lists {
            list.base = list.entries.len();
        }
        OrderMark {
            events: self.events.len(),
            edges: self.edges.len(),
            paths: self.paths.len(),
            lists: self.lists.len(),
            presences: self.presences.len(),
        }
    }

    /// Returns to a mark. (No event that is present anyway gets another presence.)
    pub(super) fn rollback(&mut self, mark: &OrderMark) {
        for event in self.presences.drain(mark.presences..) {
            self.events[event.0 as usize].presence.pop();
        }
        for list in &mut self.lists {
            list.entries.truncate(list.base);
        }
        self.paths.truncate(mark.paths);
        for edge in self.edges.drain(mark.edges..).rev() {
            let event = &mut self.events[edge.first.0 as usize];
            event.out.pop();
            if event.out.is_empty() {
                let departures = &mut self.chains[event.chain.0 as usize].departures;
                if let Ok(place) = departures.binary_search(&event.position) {
                    departures.remove(place);
                }
            }
        }
        // Only chains of single events come later.
        let chain = self.events.get(mark.events).map(|event| event.chain);
        for event in self.events.drain(mark.events..) {
            self.by_value.remove(&event.value);
        }
        if let Some(chain) = chain {
            self.chains.truncate(chain.0 as usize);
        }
        if self.lists.len() > mark.lists {
            self.lists.truncate(mark.lists);
            let is_kept = |list: u32| (list as usize) < mark.lists;
            self.list_of.retain(|_, list| is_kept(*list));
            for chain in &mut self.chains {
                chain.from.retain(|&(_, list)| is_kept(list));
            }
        }
        self.narrowed = false;
    }
}
