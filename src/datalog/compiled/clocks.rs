//! An order relation as chain clocks: for each event, how far along each chain the
//! events before it reach.
//!
//! Program order cuts the events into chains, so "everything before `b`" is one number for
//! each chain instead of a set of events: n × chains numbers instead of n² pairs. An edge
//! `a → b` raises the clock of `b` to at least that of `a`, with `a` itself; what rose then
//! raises the next event of its chain and the ends of its own edges. That is done for
//! many edges at a time, in an order that goes along with the edges, so that most events
//! are visited once.
//!
//! Loose events are in no chain. Of those, each event keeps a bit set.

use super::chains::{Chains, Node};
use super::risen::{Floor, Risen};
use rustc_hash::FxHashMap;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct Clocks {
    chains: Arc<Chains>,
    loose: Loose,
    /// By node, then by chain: how many events of the chain, from its start, lie before the
    /// node or come before one that does.
    bounds: Vec<u32>,
    /// By node; shorter than the number of loose events where the rest is not before it.
    loose_before: Vec<Vec<u64>>,
    /// The edges that do not follow from the chains.
    edges: Vec<Vec<Node>>,
    sweep: Sweep,
}

#[derive(Debug, Default)]
struct Loose {
    events: Vec<i64>,
    numbers: FxHashMap<i64, u32>,
}

impl Clocks {
    pub(super) fn new(chains: Chains) -> Self {
        let width = chains.count();
        let mut bounds = vec![0; chains.event_count() * width];
        for chain in chains.all() {
            for (position, node) in (0..).zip(chains.nodes(chain)) {
                bounds[node as usize * width + chain.index()] = position;
            }
        }
        let count = chains.event_count();
        Clocks {
            chains: Arc::new(chains),
            loose: Loose::default(),
            bounds,
            loose_before: vec![Vec::new(); count],
            edges: vec![Vec::new(); count],
            sweep: Sweep::default(),
        }
    }

    pub(super) fn chains(&self) -> &Arc<Chains> {
        &self.chains
    }

    fn width(&self) -> usize {
        self.chains.count()
    }

    fn node_count(&self) -> usize {
        self.edges.len()
    }

    pub(super) fn bounds(&self, node: Node) -> &[u32] {
        let width = self.width();
        &self.bounds[node.index() * width..][..width]
    }

    /// `None` if neither a chain nor an edge has the event.
    pub(super) fn node(&self, event: i64) -> Option<Node> {
        self.chains.node(event).or_else(|| {
            let number = *self.loose.numbers.get(&event)?;
            Some(Node(self.chains.event_count() as u32 + number))
        })
    }

    pub(super) fn event(&self, node: Node) -> i64 {
        let loose = || self.loose.events[node.index() - self.chains.event_count()];
        self.chains.event(node).unwrap_or_else(loose)
    }

    /// The event's node; an event that is not known yet becomes a loose one.
    pub(super) fn enter(&mut self, event: i64) -> Node {
        if let Some(node) = self.node(event) {
            return node;
        }
        let node = Node(self.node_count() as u32);
        self.loose
            .numbers
            .insert(event, self.loose.events.len() as u32);
        self.loose.events.push(event);
        self.bounds.resize(self.bounds.len() + self.width(), 0);
        self.loose_before.push(Vec::new());
        self.edges.push(Vec::new());
        node
    }

    pub(super) fn is_before(&self, a: Node, b: Node) -> bool {
        match (self.chains.chain(a), self.chains.position(a)) {
            (Some(chain), Some(position)) => {
                self.bounds[b.index() * self.width() + chain.index()] > position
            }
            _ => has_bit(&self.loose_before[b.index()], self.loose_number(a)),
        }
    }

    fn loose_number(&self, node: Node) -> usize {
        node.index() - self.chains.event_count()
    }

    /// Adds edges and all that follows; returns which clocks rose.
    pub(super) fn add(&mut self, new: &[(Node, Node)]) -> Risen {
        for &(a, b) in new {
            self.edges[a.index()].push(b);
        }
        self.sweep.prepare(&self.chains, &self.edges, new);
        let mut record = Record::new(self.node_count());
        while let Some(node) = self.sweep.next() {
            if let Some(next) = self.chains.successor(node) {
                self.raise(next, node, &mut record);
            }
            for at in 0..self.edges[node.index()].len() {
                let target = self.edges[node.index()][at];
                self.raise(target, node, &mut record);
            }
        }
        self.risen(record)
    }

    /// Every event's clock as one that rose from nothing.
    pub(super) fn all_risen(&self) -> Risen {
        let nodes: Vec<Node> = (0..self.node_count() as u32).map(Node).collect();
        let record = Record {
            before: vec![0; self.bounds.len()],
            loose_before: FxHashMap::default(),
            nodes,
            seen: Vec::new(),
        };
        self.risen(record)
    }

    /// Makes everything before `a`, and `a` itself, be before `b`.
    fn raise(&mut self, b: Node, a: Node, record: &mut Record) {
        let width = self.width();
        let own = match (self.chains.chain(a), self.chains.position(a)) {
            (Some(chain), Some(position)) => Some((chain, position + 1)),
            _ => None,
        };
        let (from, to) = (a.index() * width, b.index() * width);
        let exceeds = |bounds: &[u32]| {
            let (source, target) = (&bounds[from..][..width], &bounds[to..][..width]);
            let mut any = false;
            for (source, target) in source.iter().zip(target) {
                any |= source > target;
            }
            any || own.is_some_and(|(chain, bound)| target[chain.index()] < bound)
        };
        let rises = exceeds(&self.bounds);
        let loose_rises = !self.loose.events.is_empty() && self.loose_exceeds(a, b);
        if !rises && !loose_rises {
            return;
        }
        record.note(
            b,
            &self.bounds[to..][..width],
            &self.loose_before[b.index()],
        );
        for chain in 0..width {
            self.bounds[to + chain] = self.bounds[to + chain].max(self.bounds[from + chain]);
        }
        if let Some((chain, bound)) = own {
            let target = &mut self.bounds[to + chain.index()];
            *target = (*target).max(bound);
        }
        if loose_rises {
            self.raise_loose(a, b);
        }
        self.sweep.mark(b);
    }

    fn loose_exceeds(&self, a: Node, b: Node) -> bool {
        let target = &self.loose_before[b.index()];
        let more = self.loose_before[a.index()]
            .iter()
            .enumerate()
            .any(|(word, bits)| bits & !target.get(word).copied().unwrap_or(0) != 0);
        more || (self.chains.chain(a).is_none() && !has_bit(target, self.loose_number(a)))
    }

    fn raise_loose(&mut self, a: Node, b: Node) {
        let source = self.loose_before[a.index()].clone();
        let own = self.chains.chain(a).is_none().then(|| self.loose_number(a));
        let target = &mut self.loose_before[b.index()];
        let needed = source.len().max(own.map_or(0, |number| number / 64 + 1));
        if target.len() < needed {
            target.resize(needed, 0);
        }
        for (target, source) in target.iter_mut().zip(source) {
            *target |= source;
        }
        if let Some(number) = own {
            target[number / 64] |= 1 << (number % 64);
        }
    }

    fn risen(&self, record: Record) -> Risen {
        let width = self.width();
        let mut now = Vec::with_capacity(record.nodes.len() * width);
        for &node in &record.nodes {
            now.extend_from_slice(self.bounds(node));
        }
        let mut loose = Vec::new();
        if !self.loose.events.is_empty() {
            for &node in &record.nodes {
                let before = record
                    .loose_before
                    .get(&node.0)
                    .map_or(&[][..], Vec::as_slice);
                let fresh = bits(&self.loose_before[node.index()]);
                loose.push(
                    fresh
                        .filter(|&number| !has_bit(before, number))
                        .map(|number| self.loose.events[number])
                        .collect(),
                );
            }
        }
        Risen {
            chains: self.chains.clone(),
            events: record.nodes.iter().map(|&node| self.event(node)).collect(),
            nodes: record.nodes,
            before: record.before,
            now,
            loose,
        }
    }
}

/// Queries about the order as it is.
impl Clocks {
    pub(super) fn holds(&self, a: i64, b: i64) -> bool {
        match (self.node(a), self.node(b)) {
            (Some(a), Some(b)) => self.is_before(a, b),
            _ => false,
        }
    }

    fn all_nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.node_count() as u32).map(Node)
    }

    fn nodes_before(&self, b: Node) -> impl Iterator<Item = i64> {
        let in_chains = self.chains.all().flat_map(move |chain| {
            let start = self.chains.start(chain);
            let bound = self.bounds(b)[chain.index()];
            (start..start + bound).filter_map(|node| self.chains.event(Node(node)))
        });
        let loose = bits(&self.loose_before[b.index()]);
        in_chains.chain(loose.map(|number| self.loose.events[number]))
    }

    pub(super) fn before(&self, b: i64) -> Vec<i64> {
        let node = self.node(b).into_iter();
        node.flat_map(|b| self.nodes_before(b)).collect()
    }

    /// Along a chain the clocks do not fall, so that the events after `a` are the chain's end
    /// from some event on.
    pub(super) fn after(&self, a: i64) -> Vec<i64> {
        let Some(a) = self.node(a) else {
            return Vec::new();
        };
        let mut events = Vec::new();
        for chain in self.chains.all() {
            let nodes = self.chains.nodes(chain);
            let (mut low, mut high) = (nodes.start, nodes.end);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.is_before(a, Node(middle)) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            events.extend((low..nodes.end).filter_map(|node| self.chains.event(Node(node))));
        }
        let loose = self.all_nodes().skip(self.chains.event_count());
        events.extend(
            loose
                .filter(|&b| self.is_before(a, b))
                .map(|b| self.event(b)),
        );
        events
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (i64, i64)> {
        self.all_nodes().flat_map(|node| {
            let b = self.event(node);
            self.nodes_before(node).map(move |a| (a, b))
        })
    }

    /// The events that are before themselves.
    pub(super) fn on_cycles(&self) -> impl Iterator<Item = i64> {
        self.all_nodes()
            .filter(|&node| self.is_before(node, node))
            .map(|node| self.event(node))
    }

    /// Everything before an event.
    pub(super) fn floor(&self, event: i64) -> Floor {
        let node = self.node(event);
        Floor {
            bounds: node.map_or_else(Vec::new, |node| self.bounds(node).to_vec()),
            loose: node.map_or_else(Vec::new, |node| {
                let numbers = bits(&self.loose_before[node.index()]);
                numbers.map(|number| self.loose.events[number]).collect()
            }),
        }
    }
}

/// What the clocks were before they rose.
#[derive(Default)]
struct Record {
    nodes: Vec<Node>,
    /// By node.
    seen: Vec<bool>,
    before: Vec<u32>,
    loose_before: FxHashMap<u32, Vec<u64>>,
}

impl Record {
    fn new(node_count: usize) -> Self {
        Record {
            seen: vec![false; node_count],
            ..Record::default()
        }
    }

    fn note(&mut self, node: Node, bounds: &[u32], loose: &[u64]) {
        if std::mem::replace(&mut self.seen[node.index()], true) {
            return;
        }
        self.nodes.push(node);
        self.before.extend_from_slice(bounds);
        if !loose.is_empty() {
            self.loose_before.insert(node.0, loose.to_vec());
        }
    }
}

/// In which order events pass on what they know: as far as possible, none before those
/// that it learns from.
#[derive(Debug, Default)]
struct Sweep {
    /// A topological numbering where there are no cycles, and its inverse.
    rank: Vec<u32>,
    by_rank: Vec<Node>,
    /// By rank: who has something to pass on.
    marked: Vec<u64>,
    /// No lower word of `marked` is other than zero.
    lowest: usize,
}

impl Sweep {
    /// Marks the sources of `new` edges; numbers the events anew if there are many.
    fn prepare(&mut self, chains: &Chains, edges: &[Vec<Node>], new: &[(Node, Node)]) {
        if self.rank.len() != edges.len() || new.len() * 16 > edges.len() {
            self.number(chains, edges);
        }
        self.marked.resize(edges.len().div_ceil(64), 0);
        self.lowest = self.marked.len();
        for &(a, _) in new {
            self.mark(a);
        }
    }

    fn mark(&mut self, node: Node) {
        let rank = self.rank[node.index()] as usize;
        self.marked[rank / 64] |= 1 << (rank % 64);
        self.lowest = self.lowest.min(rank / 64);
    }

    fn next(&mut self) -> Option<Node> {
        while let Some(word) = self.marked.get_mut(self.lowest) {
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(self.by_rank[self.lowest * 64 + bit]);
            }
            self.lowest += 1;
        }
        None
    }

    /// A depth-first numbering: every event after those that lead to it, but for edges that
    /// close a cycle.
    fn number(&mut self, chains: &Chains, edges: &[Vec<Node>]) {
        let count = edges.len();
        let mut finished = Vec::with_capacity(count);
        let mut visited = vec![false; count];
        let mut path: Vec<(Node, usize)> = Vec::new();
        for root in 0..count as u32 {
            if visited[root as usize] {
                continue;
            }
            visited[root as usize] = true;
            path.push((Node(root), 0));
            while let Some((node, step)) = path.last_mut() {
                let next = match *step {
                    0 => chains.successor(*node),
                    step => edges[node.index()].get(step - 1).copied(),
                };
                let last = *step > edges[node.index()].len();
                *step += 1;
                match next {
                    Some(next) if !visited[next.index()] => {
                        visited[next.index()] = true;
                        path.push((next, 0));
                    }
                    _ if last => {
                        finished.push(*node);
                        path.pop();
                    }
                    _ => {}
                }
            }
        }
        finished.reverse();
        self.rank = vec![0; count];
        for (rank, node) in (0..).zip(&finished) {
            self.rank[node.index()] = rank;
        }
        self.by_rank = finished;
    }
}

fn has_bit(set: &[u64], number: usize) -> bool {
    set.get(number / 64)
        .is_some_and(|word| word >> (number % 64) & 1 == 1)
}

fn bits(set: &[u64]) -> impl Iterator<Item = usize> {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        (0..64)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| word * 64 + bit)
    })
}
