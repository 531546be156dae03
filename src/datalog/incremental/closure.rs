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
//! What an edge that comes (or comes earlier) raises is passed on until nothing changes. When
//! an edge goes, every entry that may owe a step to it is forgotten, and whatever may owe it
//! to that; then the forgotten entries are computed afresh from what is left. An entry owes
//! a step only to a source with the same step, which keeps this to a small neighbourhood: up
//! to where newer events of the same chain are known anyway.
//!
//! Events are passed on in the order of their *ranks*, which go up along edges as far as
//! there are no cycles, so that nearly every event is passed on once, when nothing more
//! comes in.

use super::Diff;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// In this round the index is reached. Steps are sorted by round, and by index as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) round: u32,
    pub(super) index: i64,
}

pub(super) type Steps = SmallVec<[Step; 2]>;

/// The round of what never happens.
const NEVER: u32 = u32::MAX;

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
    /// Events with entries to be passed on, by rank.
    queue: BinaryHeap<Reverse<(u32, Node)>>,
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

#[derive(Default)]
struct EntryState {
    steps: Steps,
    forgotten: bool,
    /// Whether it is in [`Closure::touched`].
    touched: bool,
    /// Whether it is to be passed on.
    queued: bool,
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
        let forgotten = self.forget(&lowered);
        for &id in &lowered {
            self.edges[id].birth = birth(&self.edges[id].counts);
        }
        for &(id, birth) in &raised {
            self.edges[id].birth = birth;
        }
        if raised.iter().any(|&(id, _)| !self.goes_up(id)) {
            self.rank();
        }
        self.recall(forgotten);
        for (id, _) in raised {
            self.pass_on_all(id);
        }
        while let Some(Reverse((_, node))) = self.queue.pop() {
            self.pass_on(node);
        }
        for (id, _) in changed {
            self.collect(id);
        }
    }

    /// Empties all entries that may owe a step to one of the edges, and returns them.
    fn forget(&mut self, lowered: &[usize]) -> Vec<Entry> {
        let mut forgotten = Vec::new();
        for &id in lowered {
            let state = &self.edges[id];
            if let Some(column) = state.column {
                let place = Step {
                    round: state.birth,
                    index: state.edge.index,
                };
                let to = state.to;
                self.forget_if_owed((to, column), &[place], &mut forgotten);
            }
            let (from, to, birth) = (self.edges[id].from, self.edges[id].to, self.edges[id].birth);
            for place in 0..self.nodes[from.0 as usize].clock.len() {
                let (column, state) = &self.nodes[from.0 as usize].clock[place];
                let (column, steps) = (*column, passed(&state.steps, birth));
                self.forget_if_owed((to, column), &steps, &mut forgotten);
            }
        }
        let mut next = 0;
        while let Some(&(node, column)) = forgotten.get(next) {
            next += 1;
            let steps = self.entry(node, column).map(|state| state.steps.clone());
            let steps = steps.unwrap_or_default();
            for place in 0..self.nodes[node.0 as usize].outgoing.len() {
                let id = self.nodes[node.0 as usize].outgoing[place];
                let (to, birth) = (self.edges[id].to, self.edges[id].birth);
                let steps = passed(&steps, birth);
                self.forget_if_owed((to, column), &steps, &mut forgotten);
            }
        }
        for &(node, column) in &forgotten {
            if let Some(state) = self.entry(node, column) {
                state.steps.clear();
            }
        }
        forgotten
    }

    /// Marks the entry if it has one of the steps.
    fn forget_if_owed(&mut self, entry: Entry, steps: &[Step], forgotten: &mut Vec<Entry>) {
        let Some(state) = self.entry(entry.0, entry.1) else {
            return;
        };
        if !state.forgotten && state.steps.iter().any(|step| steps.contains(step)) {
            state.forgotten = true;
            let touched = std::mem::replace(&mut state.touched, true);
            forgotten.push(entry);
            if !touched {
                self.touched.push(entry);
            }
        }
    }

    fn goes_up(&self, id: usize) -> bool {
        let EdgeState { from, to, .. } = self.edges[id];
        self.nodes[from.0 as usize].rank < self.nodes[to.0 as usize].rank
    }

    /// Gives all events ranks that go up along edges, except where there is a cycle: in the
    /// reverse order in which a depth-first search leaves them.
    fn rank(&mut self) {
        let mut next = self.nodes.len() as u32;
        let mut seen = vec![false; self.nodes.len()];
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.nodes.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            path.push((start, 0));
            while let Some((node, tried)) = path.last_mut() {
                let Some(&id) = self.nodes[*node].outgoing.get(*tried) else {
                    self.nodes[*node].rank = next;
                    next -= 1;
                    path.pop();
                    continue;
                };
                *tried += 1;
                let to = self.edges[id].to.0 as usize;
                if !std::mem::replace(&mut seen[to], true) {
                    path.push((to, 0));
                }
            }
        }
    }

    /// Computes the entries afresh and queues them. What they owe to each other they get when
    /// they are passed on.
    fn recall(&mut self, mut forgotten: Vec<Entry>) {
        forgotten.sort_by_key(|(node, _)| self.nodes[node.0 as usize].rank);
        for (node, column) in forgotten {
            let mut steps = Steps::new();
            for &id in &self.nodes[node.0 as usize].incoming {
                let state = &self.edges[id];
                if state.birth == NEVER {
                    continue;
                }
                if state.column == Some(column) {
                    raise(&mut steps, state.birth, state.edge.index);
                }
                let source = &self.nodes[state.from.0 as usize].clock;
                if let Ok(place) = source.binary_search_by_key(&column, |entry| entry.0) {
                    for step in &source[place].1.steps {
                        raise(&mut steps, step.round.max(state.birth), step.index);
                    }
                }
            }
            if let Some(state) = self.entry(node, column) {
                state.forgotten = false;
                state.steps = steps;
                state.queued = true;
                self.enqueue(node);
            }
        }
    }

    fn enqueue(&mut self, node: Node) {
        let state = &mut self.nodes[node.0 as usize];
        if !std::mem::replace(&mut state.queued, true) {
            self.queue.push(Reverse((state.rank, node)));
        }
    }

    /// Passes the queued entries of an event on along all edges.
    fn pass_on(&mut self, node: Node) {
        let state = &mut self.nodes[node.0 as usize];
        state.queued = false;
        let outgoing = std::mem::take(&mut state.outgoing);
        for place in 0..state.clock.len() {
            let state = &mut self.nodes[node.0 as usize];
            let (column, entry) = &mut state.clock[place];
            if !std::mem::replace(&mut entry.queued, false) {
                continue;
            }
            let (column, steps) = (*column, entry.steps.clone());
            for &id in &outgoing {
                let (to, birth) = (self.edges[id].to, self.edges[id].birth);
                // An edge from an event to itself adds nothing.
                if to != node {
                    self.raise_entry((to, column), &steps, birth);
                }
            }
        }
        self.nodes[node.0 as usize].outgoing = outgoing;
    }

    /// Passes everything on along one edge.
    fn pass_on_all(&mut self, id: usize) {
        let state = &self.edges[id];
        let (from, to, birth) = (state.from, state.to, state.birth);
        if let Some(column) = state.column {
            let place = Step {
                round: birth,
                index: state.edge.index,
            };
            self.raise_entry((to, column), &[place], birth);
        }
        for place in 0..self.nodes[from.0 as usize].clock.len() {
            let (column, state) = &self.nodes[from.0 as usize].clock[place];
            let (column, steps) = (*column, state.steps.clone());
            self.raise_entry((to, column), &steps, birth);
        }
    }

    fn raise_entry(&mut self, entry: Entry, steps: &[Step], birth: u32) {
        if birth == NEVER || steps.is_empty() {
            return;
        }
        let clock = &mut self.nodes[entry.0.0 as usize].clock;
        let place = match clock.binary_search_by_key(&entry.1, |known| known.0) {
            Ok(place) => place,
            Err(place) => {
                clock.insert(place, (entry.1, EntryState::default()));
                place
            }
        };
        let state = &mut clock[place].1;
        let mut grew = false;
        for step in steps {
            grew |= raise(&mut state.steps, step.round.max(birth), step.index);
        }
        if grew {
            state.queued = true;
            if !std::mem::replace(&mut state.touched, true) {
                self.touched.push(entry);
            }
            self.enqueue(entry.0);
        }
    }

    fn entry(&mut self, node: Node, column: Column) -> Option<&mut EntryState> {
        let clock = &mut self.nodes[node.0 as usize].clock;
        let place = clock.binary_search_by_key(&column, |entry| entry.0);
        place.ok().map(|place| &mut clock[place].1)
    }

    /// Removes an edge that is no more.
    fn collect(&mut self, id: usize) {
        let state = &self.edges[id];
        if !state.counts.is_empty() || self.links.get(&state.edge) != Some(&id) {
            return;
        }
        let (edge, from, to) = (state.edge, state.from, state.to);
        self.links.remove(&edge);
        self.nodes[from.0 as usize]
            .outgoing
            .retain(|&other| other != id);
        self.nodes[to.0 as usize]
            .incoming
            .retain(|&other| other != id);
        self.gaps.push(id);
    }

    /// The entries that may have changed since the last call.
    pub(super) fn take_touched(&mut self) -> Vec<Entry> {
        let touched = std::mem::take(&mut self.touched);
        for &(node, column) in &touched {
            if let Some(state) = self.entry(node, column) {
                state.touched = false;
            }
        }
        touched
    }

    pub(super) fn steps(&self, (node, column): Entry) -> &[Step] {
        let clock = &self.nodes[node.0 as usize].clock;
        match clock.binary_search_by_key(&column, |entry| entry.0) {
            Ok(place) => &clock[place].1.steps,
            Err(_) => &[],
        }
    }

    /// Drops an entry without steps.
    pub(super) fn drop_empty(&mut self, (node, column): Entry) {
        let clock = &mut self.nodes[node.0 as usize].clock;
        if let Ok(place) = clock.binary_search_by_key(&column, |entry| entry.0)
            && clock[place].1.steps.is_empty()
        {
            clock.remove(place);
        }
    }

    pub(super) fn name(&self, (node, column): Entry) -> (i64, ChainName) {
        (
            self.nodes[node.0 as usize].event,
            self.chains[column.0 as usize],
        )
    }
}

/// The first round in which something is there.
fn birth(counts: &[(u32, Diff)]) -> u32 {
    let mut sum = 0;
    let first = counts.iter().find(|(_, diff)| {
        sum += diff;
        sum > 0
    });
    first.map_or(NEVER, |(round, _)| *round)
}

/// The steps that arrive at the other end of an edge.
fn passed(steps: &[Step], birth: u32) -> Steps {
    let mut passed = Steps::new();
    if birth != NEVER {
        for step in steps {
            raise(&mut passed, step.round.max(birth), step.index);
        }
    }
    passed
}

/// Reaches an index in a round, if it was not reached before; returns whether that is news.
fn raise(steps: &mut Steps, round: u32, index: i64) -> bool {
    let place = steps.partition_point(|step| step.round <= round);
    if place > 0 && steps[place - 1].index >= index {
        return false;
    }
    // What comes in the same round or later and does not reach further is superseded.
    let from = if place > 0 && steps[place - 1].round == round {
        place - 1
    } else {
        place
    };
    let until = from
        + steps[from..]
            .iter()
            .take_while(|step| step.index <= index)
            .count();
    steps.drain(from..until);
    steps.insert(from, Step { round, index });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use std::collections::BTreeMap;

    const EVENTS: i64 = 7;
    const ROUNDS: u32 = 4;

    /// Events 0, 2, 4, 6 are one chain, 1 and 3 another, and 5 is in none.
    fn edge(from: i64, to: i64) -> Edge {
        let (kind, chain, index) = match from {
            5 => (1, 5, 0),
            _ => (0, from % 2, from / 2),
        };
        let chain = ChainName { kind, chain };
        Edge {
            from,
            to,
            chain,
            index,
        }
    }

    /// How far the events before each event reach in a round, by going round the edges until
    /// nothing changes.
    fn reached(births: &BTreeMap<(i64, i64), u32>, round: u32) -> BTreeMap<(i64, i64, i64), i64> {
        let mut clocks: BTreeMap<(i64, i64, i64), i64> = BTreeMap::new();
        loop {
            let before = clocks.clone();
            for (&(from, to), _) in births.iter().filter(|(_, birth)| **birth <= round) {
                let Edge { chain, index, .. } = edge(from, to);
                let mut raise = |kind, chain, index| {
                    let entry = clocks.entry((to, kind, chain)).or_insert(index);
                    *entry = index.max(*entry);
                };
                raise(chain.kind, chain.chain, index);
                for (&(event, kind, chain), &index) in &before {
                    if event == from {
                        raise(kind, chain, index);
                    }
                }
            }
            if clocks == before {
                return clocks;
            }
        }
    }

    #[test]
    fn clocks_follow_edges_that_come_and_go_in_any_round() {
        for seed in 0..600 {
            let mut rng = Rng::with_seed(seed);
            let workers = 1 + seed % 3;
            let mut closures: Vec<Closure> = (0..workers)
                .map(|worker| Closure::new(Share { worker, workers }))
                .collect();
            let mut counts: BTreeMap<(i64, i64), BTreeMap<u32, Diff>> = BTreeMap::new();
            for _ in 0..12 {
                for _ in 0..rng.usize(1..6) {
                    let pair = (rng.i64(0..EVENTS), rng.i64(0..EVENTS));
                    let rounds = counts.entry(pair).or_default();
                    let present = rounds.iter().find(|(_, count)| **count > 0);
                    let (round, diff) = match present {
                        Some((&round, _)) if rng.bool() => (round, -1),
                        _ => (rng.u32(0..ROUNDS), 1),
                    };
                    *rounds.entry(round).or_default() += diff;
                    for closure in &mut closures {
                        closure.change(edge(pair.0, pair.1), round, diff);
                    }
                }
                closures.iter_mut().for_each(Closure::settle);
                let births: BTreeMap<(i64, i64), u32> = counts
                    .iter()
                    .filter_map(|(pair, rounds)| {
                        let birth = rounds.iter().find(|(_, count)| **count > 0)?;
                        Some((*pair, *birth.0))
                    })
                    .collect();
                for round in 0..ROUNDS {
                    let mut actual = BTreeMap::new();
                    for closure in &closures {
                        for (number, node) in closure.nodes.iter().enumerate() {
                            for &(column, _) in &node.clock {
                                let entry = (Node(number as u32), column);
                                let steps = closure.steps(entry);
                                let (event, ChainName { kind, chain }) = closure.name(entry);
                                let step = steps.iter().rfind(|step| step.round <= round);
                                if let Some(step) = step {
                                    actual.insert((event, kind, chain), step.index);
                                }
                            }
                        }
                    }
                    assert_eq!(
                        actual,
                        reached(&births, round),
                        "seed {seed}, round {round}"
                    );
                }
            }
        }
    }
}
