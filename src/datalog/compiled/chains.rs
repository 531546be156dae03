//! The chains of an order relation: which executed event stands where.
//!
//! Events are numbered so that those of one chain follow each other: a [`Node`] is the
//! chain's first node plus the position in the chain. Events that occur in an order but in
//! no chain are *loose*; they get the numbers after those of the chains.

use crate::backend::SettleError;
use crate::value::Value;
use heddle_language::ruleset::RelationId;
use rustc_hash::{FxHashMap, FxHashSet};

/// An event that an order knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u32);

impl Node {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Chain(pub(super) u32);

impl Chain {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub(super) struct Chains {
    /// The first node of each chain, and one more: the number of nodes in chains.
    starts: Vec<u32>,
    /// By node.
    chain_of: Vec<Chain>,
    events: Vec<i64>,
    nodes: Numbering,
}

impl Chains {
    /// From the rows (event, chain, index) of an `event` relation; without `executed`, all
    /// events count.
    pub(super) fn new(
        relation: RelationId,
        events: &[(i64, i64, i64)],
        executed: Option<&[(i64,)]>,
    ) -> Result<Self, SettleError> {
        let mut places: Vec<(i64, i64, i64)> = events
            .iter()
            .map(|&(event, chain, index)| (chain, index, event))
            .collect();
        places.sort_unstable();
        check_places(relation, &places)?;
        if let Some(executed) = executed {
            let executed: FxHashSet<i64> = executed.iter().map(|&(event,)| event).collect();
            places.retain(|(_, _, event)| executed.contains(event));
        }

        let mut starts = Vec::new();
        let mut chain_of = Vec::with_capacity(places.len());
        let mut previous = None;
        for (node, &(chain, _, _)) in places.iter().enumerate() {
            if previous != Some(chain) {
                starts.push(node as u32);
                previous = Some(chain);
            }
            chain_of.push(Chain(starts.len() as u32 - 1));
        }
        starts.push(places.len() as u32);
        let events: Vec<i64> = places.into_iter().map(|(_, _, event)| event).collect();
        Ok(Chains {
            starts,
            chain_of,
            nodes: Numbering::of(&events),
            events,
        })
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of events in chains: nodes from there on are loose.
    pub(super) fn event_count(&self) -> usize {
        self.events.len()
    }

    pub(super) fn chain(&self, node: Node) -> Option<Chain> {
        self.chain_of.get(node.index()).copied()
    }

    /// The chain's nodes.
    pub(super) fn nodes(&self, chain: Chain) -> std::ops::Range<u32> {
        self.starts[chain.index()]..self.starts[chain.index() + 1]
    }

    pub(super) fn start(&self, chain: Chain) -> u32 {
        self.starts[chain.index()]
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Chain> + use<> {
        (0..self.count() as u32).map(Chain)
    }

    /// The next event of the same chain.
    pub(super) fn successor(&self, node: Node) -> Option<Node> {
        let chain = self.chain(node)?;
        let next = node.0 + 1;
        (next < self.nodes(chain).end).then_some(Node(next))
    }

    /// How many events of its chain come before the event.
    pub(super) fn position(&self, node: Node) -> Option<u32> {
        Some(node.0 - self.start(self.chain(node)?))
    }

    pub(super) fn event(&self, node: Node) -> Option<i64> {
        self.events.get(node.index()).copied()
    }

    pub(super) fn node(&self, event: i64) -> Option<Node> {
        self.nodes.get(event)
    }
}

/// `places` are sorted by chain and index.
fn check_places(relation: RelationId, places: &[(i64, i64, i64)]) -> Result<(), SettleError> {
    for pair in places.windows(2) {
        let ((chain, index, first), (next_chain, next_index, second)) = (pair[0], pair[1]);
        if (chain, index) == (next_chain, next_index) {
            return Err(SettleError::SharedPlace {
                event_relation: relation,
                first: Value(first),
                second: Value(second),
                chain: Value(chain),
                index,
            });
        }
    }
    let mut events: Vec<i64> = places.iter().map(|&(_, _, event)| event).collect();
    events.sort_unstable();
    match events.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SettleError::SeveralPlaces {
            event_relation: relation,
            event: Value(pair[0]),
        }),
        None => Ok(()),
    }
}

/// From events to nodes. Symbols are numbered without large gaps, so that a plain table
/// does for all but a few.
#[derive(Debug, Default)]
struct Numbering {
    table: Vec<u32>,
    rest: FxHashMap<i64, u32>,
}

const NO_NODE: u32 = u32::MAX;

impl Numbering {
    fn of(events: &[i64]) -> Self {
        let room = 8 * events.len() as i64 + 1024;
        let mut numbering = Numbering::default();
        for (node, &event) in (0..).zip(events) {
            if !(0..room).contains(&event) {
                numbering.rest.insert(event, node);
                continue;
            }
            let slot = event as usize;
            if slot >= numbering.table.len() {
                numbering.table.resize(slot + 1, NO_NODE);
            }
            numbering.table[slot] = node;
        }
        numbering
    }

    fn get(&self, event: i64) -> Option<Node> {
        let in_table = usize::try_from(event)
            .ok()
            .and_then(|slot| self.table.get(slot));
        match in_table {
            Some(&node) => (node != NO_NODE).then_some(Node(node)),
            None if self.rest.is_empty() => None,
            None => self.rest.get(&event).map(|&node| Node(node)),
        }
    }
}
