//! Differences as a graph: `x - y <= c` is an edge from `y` to `x` of length `c`.
//!
//! If there is a cycle of negative length, its inequalities add up to a contradiction; if there
//! is none, the distances satisfy all of them (Bellman, Ford).

use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::hash::Hash;

/// Shorter paths than this are not added up.
const SHORTEST: i128 = -(1 << 125);

/// What a difference is of; the first node stands for zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(usize);

const ZERO: Node = Node(0);

/// `to - from <= length`. Several edges may have one position in what they come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    from: Node,
    to: Node,
    length: i128,
    position: usize,
}

/// The positions of a cycle of negative length.
pub(super) type Cycle = BTreeSet<usize>;

/// The nodes, each for an unknown.
pub(super) struct Nodes<Unknown> {
    numbers: FxHashMap<Unknown, Node>,
}

impl<Unknown> Default for Nodes<Unknown> {
    fn default() -> Self {
        Nodes {
            numbers: FxHashMap::default(),
        }
    }
}

impl<Unknown: Eq + Hash + Copy> Nodes<Unknown> {
    /// The edge of a sum that is at least 0. `None` if it is no difference.
    pub(super) fn edge(
        &mut self,
        position: usize,
        sum: impl IntoIterator<Item = (Unknown, i128)>,
        constant: i128,
    ) -> Option<Edge> {
        let (mut from, mut to) = (ZERO, ZERO);
        let mut factor = None;
        for (unknown, coefficient) in sum {
            if *factor.get_or_insert(coefficient.abs()) != coefficient.abs() {
                return None;
            }
            let next = Node(self.numbers.len() + 1);
            let node = *self.numbers.entry(unknown).or_insert(next);
            let side = if coefficient > 0 { &mut from } else { &mut to };
            if std::mem::replace(side, node) != ZERO {
                return None;
            }
        }
        Some(Edge {
            from,
            to,
            // Integers: what a multiple of the factor is at most can be rounded down.
            length: constant.div_euclid(factor.unwrap_or(1)),
            position,
        })
    }

    /// Distances, or a cycle of negative length. `None` if a number is too large.
    pub(super) fn distances(&self, edges: &[Edge]) -> Option<Result<Distances, Cycle>> {
        let nodes = self.numbers.len() + 1;
        let mut distances = vec![0_i128; nodes];
        let mut last: Vec<Option<&Edge>> = vec![None; nodes];
        for round in 0..=nodes {
            let mut shortened = None;
            for edge in edges {
                let distance = distances[edge.from.0].checked_add(edge.length)?;
                if distance < distances[edge.to.0] {
                    if distance < SHORTEST {
                        return None;
                    }
                    distances[edge.to.0] = distance;
                    last[edge.to.0] = Some(edge);
                    shortened = Some(edge.to);
                }
            }
            match shortened {
                None => break,
                Some(node) if round == nodes => return Some(Err(cycle(&last, node))),
                Some(_) => {}
            }
        }
        Some(Ok(Distances(distances)))
    }

    /// The value of each unknown.
    pub(super) fn values(&self, distances: &Distances) -> impl Iterator<Item = (Unknown, i128)> {
        let Distances(all) = distances;
        let numbers = self.numbers.iter();
        numbers.map(|(&unknown, node)| (unknown, all[node.0] - all[ZERO.0]))
    }
}

/// The length of the shortest path to each node, wherever it begins.
pub(super) struct Distances(Vec<i128>);

impl Distances {
    pub(super) fn satisfy(&self, edge: &Edge) -> bool {
        self.0[edge.to.0] - self.0[edge.from.0] <= edge.length
    }
}

/// The cycle that one comes to going back from a node by the last edges.
fn cycle(last: &[Option<&Edge>], node: Node) -> Cycle {
    let before = |node: Node| {
        last[node.0].expect("what is shortened in the last round goes back to a cycle")
    };
    let mut start = node;
    for _ in 0..last.len() {
        start = before(start).from;
    }
    let mut positions = Cycle::new();
    let mut node = start;
    loop {
        positions.insert(before(node).position);
        node = before(node).from;
        if node == start {
            return positions;
        }
    }
}
