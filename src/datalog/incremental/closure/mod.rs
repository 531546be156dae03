//! The clocks of all events, from the edges of an order, while edges come and go.
//!
//! The clock of `b` says for each chain how far along it the events before `b` reach. An edge
//! from `a` to `b` raises it to the place of `a` and to the clock of `a`. Chain by chain that is
//! a closure of its own, so that several workers can share the chains among them.
//!
//! Edges are derived in rounds, and clocks with them: an entry is a list of *steps*, in which
//! round it reached which index. An edge passes the steps of its source on from the round of
//! its own *birth*, the first in which it is there. Once there it stays, whatever happens to
//! what it was derived from in later rounds; see `clocks` for why.
//!
//! Events have *ranks*, which go up along edges as far as there are no cycles, and what
//! changes is passed on in their order: when it is the turn of an event, all that comes before
//! it is settled. An entry owes a step only to a source with the same step. So when an edge
//! comes or goes, the entries that gain a step by it or may owe one to it become *suspect*; in
//! its turn a suspect entry is computed afresh, and only if it has changed, those after it
//! become suspect. That ends where newer events of the same chain are known anyway.
//!
//! In a cycle nothing is settled before everything else. There, when an edge goes, every entry
//! that may owe a step to it is forgotten, and whatever may owe it to that, before the
//! forgotten entries are computed afresh from what is left.

mod cycles;
mod entries;
mod ranks;
mod steps;
mod suspects;
#[cfg(test)]
mod tests;

use super::Diff;
use entries::EntryState;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use steps::{NEVER, Step, Steps, birth, raise};

/// The number of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node(u32);

/// The number of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Column(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChainName {
    pub(super) kind: i64,
    pub(super) chain: i64,
}

/// An entry of a clock: of which event, for which chain.
pub(super) type Entry = (Node, Column);

/// From one event, with its place, to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edge {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) chain: ChainName,
    pub(super) index: i64,
}

/// Which chains a worker looks after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Share {
    pub(super) worker: u64,
    pub(super) workers: u64,
}

impl Share {
    fn contains(self, name: ChainName) -> bool {
        self.workers == 1 || {
            let mixed = (name.chain ^ (name.kind << 62)) as u64;
            mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20) % self.workers == self.worker
        }
    }
}

pub(super) struct Closure {
    share: Share,
    numbers: FxHashMap<i64, Node>,
    nodes: Vec<NodeState>,
    columns: FxHashMap<ChainName, Column>,
    chains: Vec<ChainName>,
    links: FxHashMap<Edge, usize>,
    /// Links that are no more leave a gap that the next fills.
    edges: Vec<EdgeState>,
    gaps: Vec<usize>,
    /// Edges whose birth has changed, with the births that the clocks reflect.
    changed: Vec<(usize, u32)>,
    touched: Vec<Entry>,
    /// Events with entries to be passed on or computed afresh, by rank.
    queue: BinaryHeap<Reverse<(u32, Node)>>,
    /// How many edges do not go up in rank.
    descending: usize,
}

struct NodeState {
    event: i64,
    rank: u32,
    /// Whether it is in [`Closure::queue`].
    queued: bool,
    /// Sorted by column.
    clock: Vec<(Column, EntryState)>,
    outgoing: Vec<usize>,
    incoming: Vec<usize>,
}

struct EdgeState {
    edge: Edge,
    from: Node,
    to: Node,
    /// `None` if it belongs to another worker.
    column: Option<Column>,
    /// How often it came or went in each round, by round.
    counts: SmallVec<[(u32, Diff); 2]>,
    birth: u32,
    /// Whether it is in [`Closure::changed`].
    noted: bool,
}

impl Closure {
    pub(super) fn new(share: Share) -> Self {
        Closure {
            share,
            numbers: FxHashMap::default(),
            nodes: Vec::new(),
            columns: FxHashMap::default(),
            chains: Vec::new(),
            links: FxHashMap::default(),
            edges: Vec::new(),
            gaps: Vec::new(),
            changed: Vec::new(),
            touched: Vec::new(),
            queue: BinaryHeap::new(),
            descending: 0,
        }
    }

    /// An edge that comes or goes in some round. The clocks follow with
    /// [`Closure::settle`].
    pub(super) fn change(&mut self, edge: Edge, round: u32, diff: Diff) {
        let id = self.edge_number(edge);
        let state = &mut self.edges[id];
        match state.counts.binary_search_by_key(&round, |count| count.0) {
            Ok(place) => {
                state.counts[place].1 += diff;
                if state.counts[place].1 == 0 {
                    state.counts.remove(place);
                }
            }
            Err(place) => state.counts.insert(place, (round, diff)),
        }
        if !state.noted {
            state.noted = true;
            self.changed.push((id, state.birth));
        }
    }

    fn edge_number(&mut self, edge: Edge) -> usize {
        if let Some(&id) = self.links.get(&edge) {
            return id;
        }
        let from = self.node(edge.from);
        let to = self.node(edge.to);
        let column = self.column(edge.chain);
        let state = EdgeState {
            edge,
            from,
            to,
            column,
            counts: SmallVec::new(),
            birth: NEVER,
            noted: false,
        };
        let id = match self.gaps.pop() {
            Some(id) => {
                self.edges[id] = state;
                id
            }
            None => {
                self.edges.push(state);
                self.edges.len() - 1
            }
        };
        self.links.insert(edge, id);
        self.nodes[from.0 as usize].outgoing.push(id);
        self.nodes[to.0 as usize].incoming.push(id);
        self.descending += usize::from(!self.goes_up(id));
        id
    }

    fn node(&mut self, event: i64) -> Node {
        let nodes = &mut self.nodes;
        *self.numbers.entry(event).or_insert_with(|| {
            nodes.push(NodeState {
                event,
                rank: 0,
                queued: false,
                clock: Vec::new(),
                outgoing: Vec::new(),
                incoming: Vec::new(),
            });
            Node(nodes.len() as u32 - 1)
        })
    }

    fn column(&mut self, name: ChainName) -> Option<Column> {
        if !self.share.contains(name) {
            return None;
        }
        let chains = &mut self.chains;
        Some(*self.columns.entry(name).or_insert_with(|| {
            chains.push(name);
            Column(chains.len() as u32 - 1)
        }))
    }

    /// Brings the clocks up to date with the edges.
    pub(super) fn settle(&mut self) {
        let changed = std::mem::take(&mut self.changed);
        let mut raised = Vec::new();
        let mut lowered = Vec::new();
        for &(id, before) in &changed {
            let state = &mut self.edges[id];
            state.noted = false;
            let after = birth(&state.counts);
            if after > before {
                lowered.push(id);
            } else if after < before {
                raised.push((id, after));
            }
        }
        let descends = |&(id, _): &(usize, u32)| !self.goes_up(id);
        if raised.iter().any(descends) || self.descending > 0 && !lowered.is_empty() {
            self.rank();
        }
        if self.descending == 0 {
            self.suspect_owed(&lowered);
            self.suspect_raised(&raised);
        } else {
            let forgotten = self.forget(&lowered);
            self.give_birth(&lowered);
            for &(id, birth) in &raised {
                self.edges[id].birth = birth;
            }
            self.recall(forgotten);
            for (id, _) in raised {
                self.pass_on_all(id);
            }
        }
        while let Some(Reverse((_, node))) = self.queue.pop() {
            self.pass_on(node);
        }
        for (id, _) in changed {
            self.collect(id);
        }
    }

    /// Makes the births of edges agree with their counts.
    fn give_birth(&mut self, edges: &[usize]) {
        for &id in edges {
            self.edges[id].birth = birth(&self.edges[id].counts);
        }
    }

    /// The steps of an entry as its sources have them.
    fn gathered(&self, node: Node, column: Column) -> Steps {
        let mut steps = Steps::new();
        for &id in &self.nodes[node.0 as usize].incoming {
            let state = &self.edges[id];
            if state.birth == NEVER {
                continue;
            }
            if state.column == Some(column) {
                raise(&mut steps, state.birth, state.edge.index);
            }
            for step in self.steps((state.from, column)) {
                raise(&mut steps, step.round.max(state.birth), step.index);
            }
        }
        steps
    }

    fn enqueue(&mut self, node: Node) {
        let state = &mut self.nodes[node.0 as usize];
        if !std::mem::replace(&mut state.queued, true) {
            self.queue.push(Reverse((state.rank, node)));
        }
    }

    /// Passes the queued entries of an event on along all edges, and computes the suspect ones
    /// afresh.
    fn pass_on(&mut self, node: Node) {
        let state = &mut self.nodes[node.0 as usize];
        state.queued = false;
        let outgoing = std::mem::take(&mut state.outgoing);
        for place in 0..state.clock.len() {
            let state = &mut self.nodes[node.0 as usize];
            let (column, entry) = &mut state.clock[place];
            let column = *column;
            let queued = std::mem::replace(&mut entry.queued, false);
            if std::mem::replace(&mut entry.suspect, false) {
                self.examine(node, column, queued, &outgoing);
            } else if queued {
                let steps = entry.steps.clone();
                for &id in &outgoing {
                    let (to, birth) = (self.edges[id].to, self.edges[id].birth);
                    // An edge from an event to itself adds nothing.
                    if to != node {
                        self.raise_entry((to, column), &steps, birth);
                    }
                }
            }
        }
        self.nodes[node.0 as usize].outgoing = outgoing;
    }

    fn raise_entry(&mut self, entry: Entry, steps: &[Step], birth: u32) {
        if birth == NEVER || steps.is_empty() {
            return;
        }
        let state = self.entry_or_empty(entry);
        let mut grew = false;
        for step in steps {
            grew |= raise(&mut state.steps, step.round.max(birth), step.index);
        }
        if grew {
            state.queued = true;
            self.touch(entry);
            self.enqueue(entry.0);
        }
    }

    /// Removes an edge that is no more.
    fn collect(&mut self, id: usize) {
        let state = &self.edges[id];
        if !state.counts.is_empty() || self.links.get(&state.edge) != Some(&id) {
            return;
        }
        let (edge, from, to) = (state.edge, state.from, state.to);
        self.links.remove(&edge);
        self.descending -= usize::from(!self.goes_up(id));
        self.nodes[from.0 as usize]
            .outgoing
            .retain(|&other| other != id);
        self.nodes[to.0 as usize]
            .incoming
            .retain(|&other| other != id);
        self.gaps.push(id);
    }

    pub(super) fn name(&self, (node, column): Entry) -> (i64, ChainName) {
        (
            self.nodes[node.0 as usize].event,
            self.chains[column.0 as usize],
        )
    }
}

impl EdgeState {
    /// Where it begins, as a step of an entry that this worker looks after.
    fn place(&self) -> Option<(Column, Step)> {
        let step = Step {
            round: self.birth,
            index: self.edge.index,
        };
        self.column.map(|column| (column, step))
    }
}
