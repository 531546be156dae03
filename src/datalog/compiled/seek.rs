//! The events of a lower relation in the order of the chains, to find the last one up to
//! some point.

use super::chains::{Chain, Chains, Node};
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// For each key, such as a variable, the events that go with it, such as its writes.
#[derive(Debug)]
pub struct Seek<K> {
    entries: FxHashMap<K, Entry>,
    /// The nodes of all segments.
    nodes: Vec<u32>,
    segments: Vec<Segment>,
}

/// The events of one key.
#[derive(Debug, Default)]
struct Entry {
    /// Of [`Seek::segments`].
    first_segment: u32,
    segment_count: u32,
    /// Those in no chain, sorted.
    loose: Vec<i64>,
}

/// The events of one key in one chain, in the chain's order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub(super) chain: Chain,
    /// Of [`Seek::nodes`].
    start: u32,
    end: u32,
}

impl<K: Eq + Hash> Seek<K> {
    pub(super) fn new(chains: &Chains, rows: impl Iterator<Item = (i64, K)>) -> Self {
        let mut numbers: FxHashMap<K, u32> = FxHashMap::default();
        let mut placed: Vec<(u32, u32)> = Vec::with_capacity(rows.size_hint().0);
        let mut loose: Vec<(u32, i64)> = Vec::new();
        for (event, key) in rows {
            let fresh = numbers.len() as u32;
            let number = *numbers.entry(key).or_insert(fresh);
            match chains.node(event) {
                Some(node) => placed.push((number, node.0)),
                None => loose.push((number, event)),
            }
        }
        placed.sort_unstable();
        placed.dedup();
        loose.sort_unstable();
        loose.dedup();

        let mut by_number: Vec<Entry> = numbers.iter().map(|_| Entry::default()).collect();
        let mut nodes = Vec::with_capacity(placed.len());
        let mut segments: Vec<Segment> = Vec::new();
        let mut previous = None;
        for (number, node) in placed {
            let Some(chain) = chains.chain(Node(node)) else {
                continue;
            };
            let at = nodes.len() as u32;
            nodes.push(node);
            if previous != Some((number, chain)) {
                let entry = &mut by_number[number as usize];
                if entry.segment_count == 0 {
                    entry.first_segment = segments.len() as u32;
                }
                entry.segment_count += 1;
                segments.push(Segment {
                    chain,
                    start: at,
                    end: at,
                });
                previous = Some((number, chain));
            }
            segments.last_mut().expect("one was just pushed").end = at + 1;
        }
        for (number, event) in loose {
            by_number[number as usize].loose.push(event);
        }
        let mut entries: FxHashMap<K, Entry> = FxHashMap::default();
        for (key, number) in numbers {
            entries.insert(key, std::mem::take(&mut by_number[number as usize]));
        }
        Seek {
            entries,
            nodes,
            segments,
        }
    }

    pub(super) fn segments(&self, key: &K) -> &[Segment] {
        self.entries.get(key).map_or(&[], |entry| {
            &self.segments[entry.first_segment as usize..][..entry.segment_count as usize]
        })
    }

    pub(super) fn nodes(&self, segment: Segment) -> &[u32] {
        &self.nodes[segment.start as usize..segment.end as usize]
    }

    pub(super) fn has_loose(&self, key: &K, event: i64) -> bool {
        self.entries
            .get(key)
            .is_some_and(|entry| entry.loose.binary_search(&event).is_ok())
    }
}
