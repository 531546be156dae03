//! Goes on where a fixpoint ended, when more may be combined than before.
//!
//! Nearly all paths rest on single literals that are in no [core](super::cores). They go only with
//! what is in a core, and that is little, so it is listed before.

use super::algebra::Algebra;
use super::combining::Partners;
use super::fixpoint::{Fixpoint, Outcome};
use super::orders::{ChainId, EdgeId};
use super::paths::Entry;
use super::program::{JoinId, OrderId};

/// What rests on literals of a core, for each chain, sorted by position.
struct InCores {
    edges: Vec<Vec<(u32, EdgeId)>>,
    /// For each join. `None` if more may be new than what rows in cores bring.
    rows: Vec<(JoinId, Option<RowsInCores>)>,
}

/// Of one join.
pub(super) struct RowsInCores {
    sources: Vec<Vec<u32>>,
    sites: Vec<Vec<u32>>,
}

impl RowsInCores {
    pub(super) fn sources_of(&self, chain: ChainId) -> &[u32] {
        &self.sources[chain.0 as usize]
    }

    pub(super) fn sites_of(&self, chain: ChainId) -> &[u32] {
        &self.sites[chain.0 as usize]
    }
}

impl<A: Algebra> Fixpoint<A> {
    /// Derives what follows now that the algebra lets more be combined. Only orders rest on several
    /// facts that rest on literals, and no presences do.
    pub(super) fn resume(&mut self) -> Outcome {
        self.violations.clear();
        self.work = 0;
        let program = self.program.clone();
        for (join, tables) in program.joins.iter().zip(&mut self.tables) {
            tables.link(&self.orders[join.order.index()], &mut self.algebra);
        }
        for order in (0..program.orders.len() as u32).map(OrderId) {
            if !self.combine_again(order) {
                return Outcome::GaveUp;
            }
        }
        self.drain(&mut |_, _| false)
    }

    /// Combines all paths of an order with what they could not be combined with before. Returns
    /// whether there was time for it.
    fn combine_again(&mut self, id: OrderId) -> bool {
        let in_cores = self.in_cores(id);
        for path in self.orders[id.index()].path_ids() {
            if self.limits.are_reached(self.work) {
                return false;
            }
            let entry = self.orders[id.index()].entry(path);
            if self.algebra.goes_with_cores_only(entry.weight) {
                self.combine_with_cores(id, &entry, &in_cores);
                continue;
            }
            let mut partners = self.partners(entry.weight);
            if let Partners::Parts(parts) = &mut partners {
                // What adds nothing to the path was combined with it at once.
                let algebra = &self.algebra;
                let adds_nothing = |&part: &u32| algebra.covers(algebra.part(part), entry.weight);
                parts.start += parts.clone().take_while(adds_nothing).count() as u32;
            }
            self.combine_path(id, &entry, partners);
        }
        true
    }

    fn in_cores(&self, id: OrderId) -> InCores {
        let store = &self.orders[id.index()];
        let is_in_core = |weight| self.algebra.is_in_core(weight);
        let mut edges = vec![Vec::new(); store.chain_ids().count()];
        for number in store.edge_ids() {
            let edge = store.edge(number);
            if is_in_core(edge.weight) {
                let first = store.event(edge.first);
                edges[first.chain.0 as usize].push((first.position, number));
            }
        }
        edges.iter_mut().for_each(|list| list.sort_unstable());
        let program = &self.program;
        let joins = program.orders[id.index()].joins.iter();
        let rows = joins.map(|&join| {
            let plan = &program.joins[join.index()];
            let tables = &self.tables[join.index()];
            let tells_all = tables.has_sites() && !plan.is_reflexive() && plan.ends_in_tests();
            let rows = tells_all.then(|| RowsInCores {
                sources: tables.sources_due(store, is_in_core),
                sites: tables.sites_due(store, is_in_core),
            });
            (join, rows)
        });
        InCores {
            rows: rows.collect(),
            edges,
        }
    }

    /// Combines a path that goes only with what is in cores.
    fn combine_with_cores(&mut self, id: OrderId, entry: &Entry<A::Weight>, in_cores: &InCores) {
        let chain = self.orders[id.index()].event(entry.last).chain;
        let edges = &in_cores.edges[chain.0 as usize];
        let start = edges.partition_point(|&(position, _)| position < entry.end);
        for &(_, edge) in &edges[start..] {
            self.append(id, entry, edge);
        }
        for (join, rows) in &in_cores.rows {
            self.with_joiner(|joiner, tables| {
                let tables = &tables[join.index()];
                match rows {
                    Some(rows) => joiner.join_path_with(*join, tables, entry, rows),
                    None => joiner.join_path(*join, tables, entry, entry.end..u32::MAX, None),
                }
            });
        }
        self.take_in();
    }
}
