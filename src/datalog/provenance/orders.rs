//! An `order` relation: events in chains, the edges that facts and rules give, and the
//! [paths](super::paths) that they make.
//!
//! A chain step needs both of its events to be present, which may rest on literals of its
//! own: the weights of an event's *presence*. An event without a place in a chain is a chain
//! of its own.

use super::algebra::Algebra;
use super::derivation::Derivation;
use super::event_numbers::EventNumbers;
use super::paths::{Entry, PathId, PathLists};
use super::shelves::Shelves;
use super::store::ItemId;
use crate::value::Value;
use std::hash::Hash;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EventId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChainId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EdgeId(pub u32);

pub(super) struct OrderStore<W> {
    pub(super) events: Vec<Event<W>>,
    by_value: EventNumbers,
    chains: Vec<Chain>,
    edges: Vec<Edge<W>>,
    /// The edges that begin in a chain and have a certain weight, but for free ones, with
    /// their positions.
    alike: Shelves<(ChainId, W), (u32, EdgeId)>,
    /// The events that got a presence, in that order.
    presences: Vec<EventId>,
    pub(super) paths: PathLists<W>,
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
    /// The paths that end here.
    into: Vec<PathId>,
}

/// One way in which an event is in its chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presence<W> {
    pub(super) weight: W,
    pub(super) event: ItemId,
    pub(super) executed: Option<ItemId>,
}

struct Chain {
    events: Vec<EventId>,
    /// The positions of events at which edges begin, sorted.
    departures: Vec<u32>,
    /// The positions of events at which paths end, sorted.
    arrivals: Vec<u32>,
    /// The edges that weigh nothing, with their positions.
    free: Vec<(u32, EdgeId)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Edge<W> {
    pub(super) first: EventId,
    pub(super) last: EventId,
    pub(super) weight: W,
    pub(super) derivation: Derivation,
}

/// How much was in the store at some time.
pub(super) struct OrderMark {
    events: usize,
    edges: usize,
    presences: usize,
    paths: usize,
}

impl OrderMark {
    /// Whether the edge was there at that time.
    pub(super) fn has_edge(&self, edge: EdgeId) -> bool {
        (edge.0 as usize) < self.edges
    }
}

impl<W: Copy + Eq + Hash> OrderStore<W> {
    pub(super) fn new() -> Self {
        OrderStore {
            events: Vec::new(),
            by_value: EventNumbers::default(),
            chains: Vec::new(),
            edges: Vec::new(),
            alike: Shelves::new(),
            presences: Vec::new(),
            paths: PathLists::new(),
        }
    }

    /// Adds a chain of events that have no presence yet.
    pub(super) fn add_chain(&mut self, values: impl Iterator<Item = Value>) -> ChainId {
        let chain = ChainId(self.chains.len() as u32);
        let mut events = Vec::new();
        for (position, value) in (0..).zip(values) {
            let event = EventId(self.events.len() as u32);
            self.events.push(Event {
                value,
                chain,
                position,
                place: None,
                presence: Vec::new(),
                is_certain: false,
                out: Vec::new(),
                into: Vec::new(),
            });
            self.by_value.insert(value, event);
            events.push(event);
        }
        self.chains.push(Chain {
            events,
            departures: Vec::new(),
            arrivals: Vec::new(),
            free: Vec::new(),
        });
        chain
    }

    /// An event that is in no chain so far becomes a chain of its own.
    pub(super) fn event_of(&mut self, value: Value) -> EventId {
        if let Some(event) = self.by_value.get(value) {
            return event;
        }
        let chain = self.add_chain(std::iter::once(value));
        self.chains[chain.0 as usize].events[0]
    }

    pub(super) fn find(&self, value: Value) -> Option<EventId> {
        self.by_value.get(value)
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

    pub(super) fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<W> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn edge(&self, edge: EdgeId) -> &Edge<W> {
        &self.edges[edge.0 as usize]
    }

    pub(super) fn set_place(&mut self, event: EventId, place: ItemId) {
        self.events[event.0 as usize].place = Some(place);
    }

    pub(super) fn add_presence(&mut self, id: EventId, presence: Presence<W>, is_certain: bool) {
        let event = &mut self.events[id.0 as usize];
        event.presence.push(presence);
        event.is_certain |= is_certain;
        self.presences.push(id);
    }

    pub(super) fn add_edge<A: Algebra<Weight = W>>(&mut self, edge: Edge<W>) -> EdgeId {
        let id = EdgeId(self.edges.len() as u32);
        self.edges.push(edge);
        let event = &mut self.events[edge.first.0 as usize];
        event.out.push(id);
        let chain = &mut self.chains[event.chain.0 as usize];
        add_position(&mut chain.departures, event.position);
        if edge.weight == A::NOTHING {
            chain.free.push((event.position, id));
        } else if A::HAS_PARTS {
            self.alike
                .push((event.chain, edge.weight), (event.position, id));
        }
        id
    }

    /// The edges that begin in the chain, in a range of positions.
    pub(super) fn departures(
        &self,
        chain: ChainId,
        range: Range<u32>,
    ) -> impl Iterator<Item = EdgeId> {
        let chain = &self.chains[chain.0 as usize];
        positions_within(&chain.departures, range)
            .flat_map(|other| &self.event(chain.events[other as usize]).out)
            .copied()
    }

    /// The paths that end in the chain, in a range of positions.
    pub(super) fn arrivals(
        &self,
        chain: ChainId,
        range: Range<u32>,
    ) -> impl Iterator<Item = Entry<W>> {
        let chain = &self.chains[chain.0 as usize];
        positions_within(&chain.arrivals, range)
            .flat_map(|other| &self.event(chain.events[other as usize]).into)
            .map(|&path| self.entry(path))
    }

    /// Takes note of where a path ends.
    pub(super) fn add_arrival(&mut self, last: EventId, path: PathId) {
        let event = &mut self.events[last.0 as usize];
        event.into.push(path);
        let chain = &mut self.chains[event.chain.0 as usize];
        add_position(&mut chain.arrivals, event.position);
    }

    /// Puts those of them that have the weight into `found`.
    pub(super) fn departures_by<A: Algebra<Weight = W>>(
        &self,
        weight: W,
        chain: ChainId,
        range: Range<u32>,
        found: &mut Vec<EdgeId>,
    ) {
        let lies_within = |edge: &&(u32, EdgeId)| range.contains(&edge.0);
        if weight == A::NOTHING {
            let free = self.chains[chain.0 as usize].free.iter();
            found.extend(free.filter(lies_within).map(|edge| edge.1));
        } else {
            let alike = self.alike.get((chain, weight));
            found.extend(alike.filter(lies_within).map(|edge| edge.1));
        }
    }

    /// The weights of a path that is extended by a chain step between two events, which may
    /// be the same.
    pub(super) fn carried<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        weight: W,
        one: EventId,
        other: EventId,
    ) -> Ways<W> {
        if one == other {
            return Ways::One(weight);
        }
        let (one, other) = (self.event(one), self.event(other));
        if A::CHAINS_ARE_FREE && one.is_certain && other.is_certain {
            return Ways::One(weight);
        }
        let mut ways = Ways::None;
        for from in &one.presence {
            for to in &other.presence {
                // Most often they do not, and then the step is not to be made.
                if !algebra.may_fit([weight, from.weight, to.weight]) {
                    continue;
                }
                let step = algebra.chain_step(from.weight, to.weight);
                if let Some(carried) = step.and_then(|step| algebra.append(weight, step)) {
                    ways.push(carried);
                }
            }
        }
        ways
    }

    /// A quick look at whether a chain step from or to the event may go with these weights.
    pub(super) fn can_step<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        event: EventId,
        [one, other]: [W; 2],
        third: W,
    ) -> bool {
        let event = self.event(event);
        let mut presence = event.presence.iter();
        event.is_certain || presence.any(|by| algebra.may_fit([one, other, third, by.weight]))
    }

    /// What every chain step from or to the event rests on.
    pub(super) fn presence_at_least<A: Algebra<Weight = W>>(&self, event: EventId) -> W {
        match self.event(event).presence[..] {
            [presence] => presence.weight,
            _ => A::NOTHING,
        }
    }

    /// The weights of a path that is extended by chain steps at both ends.
    pub(super) fn extended<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        entry: &Entry<W>,
        first: EventId,
        last: EventId,
    ) -> Ways<W> {
        let mut ways = Ways::None;
        for carried in self.carried(algebra, entry.weight, entry.last, last) {
            for whole in self.carried(algebra, carried, first, entry.first) {
                ways.push(whole);
            }
        }
        ways
    }

    /// The weights of a chain step.
    pub(super) fn steps<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        from: EventId,
        to: EventId,
    ) -> Ways<W> {
        let (from, to) = (self.event(from), self.event(to));
        let mut ways = Ways::None;
        for one in &from.presence {
            for other in &to.presence {
                if let Some(step) = algebra.chain_step(one.weight, other.weight) {
                    ways.push(step);
                }
            }
        }
        ways
    }

    pub(super) fn path_ids(&self) -> impl Iterator<Item = PathId> + use<W> {
        self.paths.ids()
    }

    /// Whether events are present by what came after the mark.
    pub(super) fn has_presences_since(&self, mark: &OrderMark) -> bool {
        self.presences.len() > mark.presences
    }

    pub(super) fn mark(&self) -> OrderMark {
        OrderMark {
            events: self.events.len(),
            edges: self.edges.len(),
            presences: self.presences.len(),
            paths: self.paths.len(),
        }
    }

    /// Returns to a mark up to which nothing rests on literals. Returns whether events were
    /// present by what came after it.
    pub(super) fn rollback(&mut self, mark: &OrderMark) -> bool {
        let had_presences = self.has_presences_since(mark);
        for path in (mark.paths..self.paths.len()).rev() {
            let edge = self.paths.path(PathId(path as u32)).edge;
            let event = &mut self.events[self.edges[edge.0 as usize].last.0 as usize];
            event.into.pop();
            if event.into.is_empty() {
                let chain = &mut self.chains[event.chain.0 as usize];
                remove_position(&mut chain.arrivals, event.position);
            }
        }
        self.paths.rollback(mark.paths);
        for event in self.presences.drain(mark.presences..) {
            let event = &mut self.events[event.0 as usize];
            event.presence.pop();
            event.is_certain &= !event.presence.is_empty();
        }
        self.alike.clear();
        for edge in self.edges.drain(mark.edges..).rev() {
            let event = &mut self.events[edge.first.0 as usize];
            event.out.pop();
            let chain = &mut self.chains[event.chain.0 as usize];
            if event.out.is_empty() {
                remove_position(&mut chain.departures, event.position);
            }
            // A chain step between events that rest on literals may cost nothing.
            let is_gone = |(_, free): &mut (u32, EdgeId)| free.0 as usize >= mark.edges;
            chain.free.pop_if(is_gone);
        }
        // Only chains of single events come after a mark.
        if let Some(event) = self.events.get(mark.events) {
            self.chains.truncate(event.chain.0 as usize);
        }
        for event in self.events.drain(mark.events..) {
            self.by_value.remove(event.value);
        }
        had_presences
    }
}

fn add_position(sorted: &mut Vec<u32>, position: u32) {
    if let Err(place) = sorted.binary_search(&position) {
        sorted.insert(place, position);
    }
}

fn remove_position(sorted: &mut Vec<u32>, position: u32) {
    if let Ok(place) = sorted.binary_search(&position) {
        sorted.remove(place);
    }
}

fn positions_within(sorted: &[u32], range: Range<u32>) -> impl Iterator<Item = u32> {
    let start = sorted.partition_point(|&position| position < range.start);
    let behind = sorted[start..].iter().copied();
    behind.take_while(move |&position| position < range.end)
}

/// The weights of the ways in which something can be done: mostly one.
pub(super) enum Ways<W> {
    None,
    One(W),
    Many(Vec<W>),
}

impl<W: Copy> Ways<W> {
    fn push(&mut self, way: W) {
        match self {
            Ways::None => *self = Ways::One(way),
            Ways::One(first) => *self = Ways::Many(vec![*first, way]),
            Ways::Many(ways) => ways.push(way),
        }
    }
}

impl<W: Copy> Iterator for Ways<W> {
    type Item = W;

    fn next(&mut self) -> Option<W> {
        match self {
            Ways::None => None,
            Ways::One(way) => {
                let way = *way;
                *self = Ways::None;
                Some(way)
            }
            Ways::Many(ways) => ways.pop(),
        }
    }
}
