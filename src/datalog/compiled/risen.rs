//! What came on top when the clocks of an order rose.

use super::chains::{Chain, Chains, Node};
use super::seek::Seek;
use std::hash::Hash;
use std::ops::Range;
use std::sync::Arc;

/// The clocks that rose in one step, as they were and as they are.
#[derive(Debug)]
pub(super) struct Risen {
    pub(super) chains: Arc<Chains>,
    pub(super) nodes: Vec<Node>,
    pub(super) events: Vec<i64>,
    /// By position in `nodes`, then by chain.
    pub(super) before: Vec<u32>,
    pub(super) now: Vec<u32>,
    /// The loose events that come on top, by position in `nodes`; empty if there are none
    /// anywhere.
    pub(super) loose: Vec<Vec<i64>>,
}

/// Everything before some event.
pub(super) struct Floor {
    /// By chain.
    pub(super) bounds: Vec<u32>,
    pub(super) loose: Vec<i64>,
}

impl Risen {
    /// The nodes of a chain that come on top.
    fn stretch(&self, slot: usize, chain: Chain) -> Range<u32> {
        let at = slot * self.chains.count() + chain.index();
        let start = self.chains.start(chain);
        start + self.before[at]..start + self.now[at]
    }

    /// The same, cut in front of the event itself if it is one of them.
    pub(super) fn stretches(&self, slot: usize, chain: Chain) -> [Range<u32>; 2] {
        let Range { start, end } = self.stretch(slot, chain);
        let node = self.nodes[slot];
        let cut = match self.chains.chain(node) == Some(chain) {
            true => node.0.clamp(start, end),
            false => start,
        };
        [start..cut, cut..end]
    }

    pub(super) fn loose(&self, slot: usize) -> &[i64] {
        self.loose.get(slot).map_or(&[], Vec::as_slice)
    }

    pub(super) fn adds(&self, slot: usize, event: i64) -> bool {
        let placed = self.chains.node(event);
        let place = placed.and_then(|node| Some((node, self.chains.chain(node)?)));
        match place {
            Some((node, chain)) => self.stretch(slot, chain).contains(&node.0),
            None => self.loose(slot).contains(&event),
        }
    }

    /// The event of the first of these nodes whose event is accepted.
    pub(super) fn first_accepted(
        &self,
        mut nodes: impl Iterator<Item = u32>,
        accepted: impl Fn(i64) -> bool,
    ) -> Option<i64> {
        nodes.find_map(|node| {
            self.chains
                .event(Node(node))
                .filter(|&event| accepted(event))
        })
    }
}

/// The events that come on top of those before one event, as far as they are not before
/// some other event.
pub struct Additions<'a> {
    risen: &'a Risen,
    slot: usize,
    floor: Option<Floor>,
}

impl<'a> Additions<'a> {
    pub(super) fn new(risen: &'a Risen, slot: usize, floor: Option<Floor>) -> Self {
        Additions { risen, slot, floor }
    }

    fn stretch(&self, chain: Chain) -> Range<u32> {
        let mut stretch = self.risen.stretch(self.slot, chain);
        if let Some(floor) = &self.floor {
            let start = self.risen.chains.start(chain) + floor.bounds[chain.index()];
            stretch.start = stretch.start.max(start);
        }
        stretch
    }

    fn loose(&self) -> impl Iterator<Item = i64> {
        let below = self.floor.as_ref().map_or(&[][..], |floor| &floor.loose);
        let loose = self.risen.loose(self.slot).iter().copied();
        loose.filter(|event| !below.contains(event))
    }

    pub fn all(&self) -> impl Iterator<Item = i64> {
        let in_chains = self.risen.chains.all().flat_map(|chain| {
            self.stretch(chain)
                .filter_map(|node| self.risen.chains.event(Node(node)))
        });
        in_chains.chain(self.loose())
    }

    /// Those of a key.
    pub fn all_of<K: Eq + Hash>(&self, table: &Seek<K>, key: K) -> impl Iterator<Item = i64> {
        let in_chains = table.segments(&key).iter().flat_map(|&segment| {
            let stretch = self.stretch(segment.chain);
            let nodes = table.nodes(segment);
            let start = nodes.partition_point(|&node| node < stretch.start);
            let inside = nodes[start..]
                .iter()
                .take_while(move |&&node| node < stretch.end);
            inside.filter_map(|&node| self.risen.chains.event(Node(node)))
        });
        in_chains.chain(
            self.loose()
                .filter(move |&event| table.has_loose(&key, event)),
        )
    }
}
