//! How the paths of an order grow: by edges, and by what [joins](super::join) make of them.

use super::algebra::Algebra;
use super::fixpoint::Fixpoint;
use super::orders::{Edge, EdgeId};
use super::paths::{Entry, Path, PathId};
use super::program::OrderId;
use super::queue::Pending;
use std::ops::Range;

/// What a path is combined with.
#[derive(Clone)]
pub(super) enum Partners {
    All,
    /// What has one of these weights.
    Parts(Range<u32>),
    /// What costs nothing, where weights are costs.
    Free,
    /// All else, among so many edges.
    Dear {
        edges: usize,
    },
}

/// Where weights are costs: what was combined with all that costs nothing. The rest makes
/// something of a higher level, so it can wait until that level starts: most often there is
/// enough before.
pub(super) enum Postponed {
    /// To be combined with so many edges. It was there when the others came.
    Path {
        order: OrderId,
        path: PathId,
        edges: usize,
    },
    /// To be combined with so many paths.
    Edge {
        order: OrderId,
        edge: EdgeId,
        paths: usize,
    },
}

impl<A: Algebra> Fixpoint<A> {
    pub(super) fn add_edge(&mut self, id: OrderId, edge: Edge<A::Weight>) {
        let store = &mut self.orders[id.index()];
        let weight = self.algebra.edge(edge.weight);
        if store.is_covered(&mut self.algebra, edge.first, edge.last, weight) {
            return;
        }
        let number = store.add_edge::<A>(edge);
        let mut arrivals: Vec<Entry<A::Weight>> = Vec::new();
        match self.algebra.only_partners(weight) {
            Some(parts) => {
                for part in parts {
                    let part = self.algebra.part(part);
                    store.arrivals_by::<A>(part, edge.first, &mut arrivals);
                }
            }
            None if A::IS_COST => {
                let free = |entry: &Entry<A::Weight>| entry.weight == A::NOTHING;
                arrivals.extend(store.closest_arrivals(edge.first).filter(free));
                let paths = store.paths.len();
                self.postponed.push(Postponed::Edge {
                    order: id,
                    edge: number,
                    paths,
                });
            }
            None => {
                let algebra = &mut self.algebra;
                let fits = |entry: &Entry<A::Weight>| algebra.may_fit(entry.weight, weight);
                arrivals.extend(store.arrivals(edge.first).filter(fits));
            }
        }
        for entry in arrivals {
            self.append(id, &entry, number);
        }
        let path = Path {
            first: edge.first,
            weight,
            before: None,
            edge: number,
        };
        self.keep_path(id, path);
    }

    /// Puts the path, followed by the edge, in line.
    fn append(&mut self, id: OrderId, entry: &Entry<A::Weight>, edge: EdgeId) {
        let store = &mut self.orders[id.index()];
        let Edge {
            first: from,
            last,
            weight,
            ..
        } = *store.edge(edge);
        let weight = self.algebra.edge(weight);
        for carried in store.carried(&mut self.algebra, entry.weight, entry.last, from) {
            let Some(weight) = self.algebra.append(carried, weight) else {
                continue;
            };
            self.work += 1;
            if !store.is_covered(&mut self.algebra, entry.first, last, weight) {
                let path = Path {
                    first: entry.first,
                    weight,
                    before: Some(entry.path),
                    edge,
                };
                let level = self.algebra.path_level(weight);
                self.queue.push(level, Pending::Path { order: id, path });
            }
        }
    }

    pub(super) fn add_path(&mut self, id: OrderId, path: Path<A::Weight>) {
        let store = &mut self.orders[id.index()];
        let last = store.edge(path.edge).last;
        if store.is_covered(&mut self.algebra, path.first, last, path.weight) {
            return;
        }
        self.keep_path(id, path);
    }

    fn keep_path(&mut self, id: OrderId, path: Path<A::Weight>) {
        let store = &mut self.orders[id.index()];
        let entry = store.add_path(&self.algebra, path);
        if A::IS_COST {
            let edges = store.edge_count();
            self.combine_path(id, &entry, Partners::Free);
            self.postponed.push(Postponed::Path {
                order: id,
                path: entry.path,
                edges,
            });
        } else {
            let partners = match self.algebra.only_partners(entry.weight) {
                Some(parts) => Partners::Parts(parts),
                None => Partners::All,
            };
            self.combine_path(id, &entry, partners);
        }
    }

    /// Extends a path by edges, and joins it with the tables.
    fn combine_path(&mut self, id: OrderId, entry: &Entry<A::Weight>, partners: Partners) {
        let store = &self.orders[id.index()];
        let until = match &partners {
            Partners::Parts(_) => u32::MAX,
            _ => store.shadowed_from(&mut self.algebra, entry),
        };
        self.extend_path(id, entry, until, partners.clone());
        let program = self.program.clone();
        for &join in &program.orders[id.index()].joins {
            let parts = match &partners {
                Partners::Parts(parts) => Some(parts.clone()),
                _ => None,
            };
            let is_due = match partners {
                Partners::Free => !self.tables[join.index()].add_literals(),
                Partners::Dear { .. } => self.tables[join.index()].add_literals(),
                Partners::Parts(_) | Partners::All => true,
            };
            if is_due {
                self.with_joiner(|joiner, tables| {
                    joiner.join_path(join, &tables[join.index()], entry, until, parts);
                });
            }
        }
        self.take_in();
    }

    pub(super) fn combine_postponed(&mut self, postponed: Postponed) {
        match postponed {
            Postponed::Path { order, path, edges } => {
                let entry = self.orders[order.index()].entry(path);
                self.combine_path(order, &entry, Partners::Dear { edges });
            }
            Postponed::Edge { order, edge, paths } => {
                let store = &self.orders[order.index()];
                let is_due = |entry: &Entry<A::Weight>| {
                    entry.weight != A::NOTHING && (entry.path.0 as usize) < paths
                };
                let arrivals = store.closest_arrivals(store.edge(edge).first);
                for entry in arrivals.filter(is_due).collect::<Vec<_>>() {
                    self.append(order, &entry, edge);
                }
            }
        }
    }

    /// Appends edges that begin at or behind the path's end, in front of `until`.
    pub(super) fn extend_path(
        &mut self,
        id: OrderId,
        entry: &Entry<A::Weight>,
        until: u32,
        partners: Partners,
    ) {
        let store = &self.orders[id.index()];
        let chain = store.event(entry.last).chain;
        let range = entry.end..until;
        let mut found: Vec<EdgeId> = Vec::new();
        match partners {
            Partners::All => found.extend(store.departures(chain, range)),
            Partners::Parts(parts) => {
                for part in parts {
                    let part = self.algebra.part(part);
                    store.departures_by::<A>(part, chain, range.clone(), &mut found);
                }
            }
            Partners::Free => store.departures_by::<A>(A::NOTHING, chain, range, &mut found),
            Partners::Dear { edges } => {
                let is_due = |edge: &EdgeId| {
                    (edge.0 as usize) < edges && store.edge(*edge).weight != A::NOTHING
                };
                found.extend(store.departures(chain, range).filter(is_due));
            }
        }
        for edge in found {
            self.append(id, entry, edge);
        }
    }
}
