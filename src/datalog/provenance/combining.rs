//! How the paths of an order grow: by edges, and by what [joins](super::join) make of them.

use super::algebra::Algebra;
use super::fixpoint::Fixpoint;
use super::orders::{Edge, EdgeId, Event, EventId};
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
        let arrivals = if A::IS_COST {
            self.postponed.push(Postponed::Edge {
                order: id,
                edge: number,
                paths: store.paths.len(),
            });
            let free = |entry: &Entry<A::Weight>| entry.weight == A::NOTHING;
            store.closest_arrivals(edge.first).filter(free).collect()
        } else {
            self.arrivals(id, edge.first, weight)
        };
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

    /// The paths that something of this weight can be appended to, which begins at the event.
    fn arrivals(
        &mut self,
        id: OrderId,
        event: EventId,
        weight: A::Weight,
    ) -> Vec<Entry<A::Weight>> {
        let Event {
            chain, position, ..
        } = *self.orders[id.index()].event(event);
        let mut arrivals = Vec::new();
        let mut add = |fixpoint: &mut Self, range: Range<u32>, partners: Partners| {
            let store = &fixpoint.orders[id.index()];
            let algebra = &mut fixpoint.algebra;
            match partners {
                Partners::Parts(parts) => {
                    for part in parts {
                        let part = algebra.part(part);
                        store.arrivals_by::<A>(part, chain, range.clone(), &mut arrivals);
                    }
                }
                _ => {
                    let fits = |entry: &Entry<A::Weight>| algebra.may_fit([entry.weight, weight]);
                    arrivals.extend(store.arrivals(chain, range).filter(fits));
                }
            }
        };
        let here = self.partners(weight);
        match self.partners_away(id, event, weight) {
            None => add(self, 0..position + 1, here),
            Some(away) => {
                add(self, position..position + 1, here);
                add(self, 0..position, away);
            }
        }
        arrivals
    }

    pub(super) fn partners(&mut self, weight: A::Weight) -> Partners {
        match self.algebra.only_partners(weight) {
            Some(parts) => Partners::Parts(parts),
            None => Partners::All,
        }
    }

    /// What something of this weight, which begins or ends at the event, can be combined with if
    /// there is a chain step in between. That takes the event's presence, so it may be less than
    /// otherwise; `None` if it is not.
    fn partners_away(
        &mut self,
        id: OrderId,
        event: EventId,
        weight: A::Weight,
    ) -> Option<Partners> {
        let event = self.orders[id.index()].event(event);
        let with_presence = match event.presence[..] {
            _ if event.is_certain => return None,
            [] => None,
            [presence] => self.algebra.append(weight, presence.weight),
            _ => return None,
        };
        match with_presence {
            None => Some(Partners::Parts(0..0)),
            Some(same) if same == weight => None,
            Some(more) => Some(self.partners(more)),
        }
    }

    /// Puts the path, followed by the edge, in line.
    pub(super) fn append(&mut self, id: OrderId, entry: &Entry<A::Weight>, edge: EdgeId) {
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
            return;
        }
        let here = self.partners(entry.weight);
        match self.partners_away(id, entry.last, entry.weight) {
            None => self.combine_path(id, &entry, here),
            Some(away) => {
                let next = entry.end + 1;
                self.combine_path_within(id, &entry, entry.end..next, here);
                self.combine_path_within(id, &entry, next..u32::MAX, away);
            }
        }
    }

    /// Combines a path with all that it meets, up to where another path does the same.
    pub(super) fn combine_path(
        &mut self,
        id: OrderId,
        entry: &Entry<A::Weight>,
        partners: Partners,
    ) {
        let store = &self.orders[id.index()];
        let until = match &partners {
            Partners::Parts(_) => u32::MAX,
            _ => store.shadowed_from(&mut self.algebra, entry),
        };
        self.combine_path_within(id, entry, entry.end..until, partners);
    }

    /// Extends a path by edges, and joins it with the tables, as far as these have to do with
    /// events at or behind its end in a range of positions.
    fn combine_path_within(
        &mut self,
        id: OrderId,
        entry: &Entry<A::Weight>,
        range: Range<u32>,
        partners: Partners,
    ) {
        self.extend_path(id, entry, range.clone(), partners.clone());
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
                    let range = range.clone();
                    joiner.join_path(join, &tables[join.index()], entry, range, parts);
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

    /// Appends edges that begin at or behind the path's end, in a range of positions.
    pub(super) fn extend_path(
        &mut self,
        id: OrderId,
        entry: &Entry<A::Weight>,
        range: Range<u32>,
        partners: Partners,
    ) {
        let store = &self.orders[id.index()];
        let chain = store.event(entry.last).chain;
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
                let algebra = &mut self.algebra;
                let is_due = |edge: &EdgeId| {
                    let weight = store.edge(*edge).weight;
                    (edge.0 as usize) < edges
                        && weight != A::NOTHING
                        && algebra.append(entry.weight, weight).is_some()
                };
                found.extend(store.departures(chain, range).filter(is_due));
            }
        }
        for edge in found {
            self.append(id, entry, edge);
        }
    }
}
