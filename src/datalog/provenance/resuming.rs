//! Goes on where a fixpoint ended, when more may be combined than before.
//!
//! Nearly all paths rest on a literal that is in no [core](super::cores). They go only with what
//! rests on literals of cores otherwise, and that is little, so it is listed before.

use super::algebra::{Algebra, Place};
use super::combining::Partners;
use super::fixpoint::{Fixpoint, Outcome};
use super::orders::{ChainId, EdgeId};
use super::paths::Entry;
use super::program::{JoinId, OrderId};
use rustc_hash::FxHashMap;

/// Edges by their positions in a chain.
type Departures = Vec<(u32, EdgeId)>;

/// What can be new for paths that rest on a literal of no core.
struct AroundCores {
    /// For each chain, the edges that rest on literals of cores.
    within: Vec<Departures>,
    /// Those that rest on another literal besides, by that literal.
    beside: FxHashMap<(u32, ChainId), Departures>,
    /// For each join. `None` if more may be new than what rows within cores bring.
    rows: Vec<(JoinId, Option<RowsInCores>)>,
}

/// The rows of one join that rest on literals of cores, for each chain, sorted by position.
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
        let around = self.around_cores(id);
        for path in self.orders[id.index()].path_ids() {
            if self.limits.are_reached(self.work) {
                return false;
            }
            let entry = self.orders[id.index()].entry(path);
            if let Place::Beside(literal) = self.algebra.place(entry.weight) {
                self.combine_beside(id, &entry, literal, &around);
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

    fn around_cores(&self, id: OrderId) -> AroundCores {
        let store = &self.orders[id.index()];
        let is_within = |weight| self.algebra.place(weight) == Place::Within;
        let mut within = vec![Departures::new(); store.chain_ids().count()];
        let mut beside: FxHashMap<_, Departures> = FxHashMap::default();
        for number in store.edge_ids() {
            let edge = store.edge(number);
            let first = store.event(edge.first);
            let list = match self.algebra.place(edge.weight) {
                Place::Within => &mut within[first.chain.0 as usize],
                Place::Beside(literal) if self.algebra.level(edge.weight) > 1 => {
                    beside.entry((literal, first.chain)).or_default()
                }
                // A literal adds nothing to what rests on it.
                Place::Beside(_) | Place::Elsewhere => continue,
            };
            list.push((first.position, number));
        }
        let lists = within.iter_mut().chain(beside.values_mut());
        lists.for_each(|list| list.sort_unstable());
        let program = &self.program;
        let joins = program.orders[id.index()].joins.iter();
        let rows = joins.map(|&join| {
            let plan = &program.joins[join.index()];
            let tables = &self.tables[join.index()];
            let has_single = |weight| self.algebra.level(weight) <= 1;
            let tells_all = tables.has_sites()
                && tables.weights().all(has_single)
                && !plan.is_reflexive()
                && plan.ends_in_tests();
            let rows = tells_all.then(|| RowsInCores {
                sources: tables.sources_due(store, is_within),
                sites: tables.sites_due(store, is_within),
            });
            (join, rows)
        });
        AroundCores {
            rows: rows.collect(),
            within,
            beside,
        }
    }

    /// Combines a path that rests on a literal of no core.
    fn combine_beside(
        &mut self,
        id: OrderId,
        entry: &Entry<A::Weight>,
        literal: u32,
        around: &AroundCores,
    ) {
        let chain = self.orders[id.index()].event(entry.last).chain;
        let within = Some(&around.within[chain.0 as usize]);
        // What rests on the literal alone was combined with these at once.
        let beside = match self.algebra.level(entry.weight) {
            1 => None,
            _ => around.beside.get(&(literal, chain)),
        };
        for edges in within.into_iter().chain(beside) {
            let start = edges.partition_point(|&(position, _)| position < entry.end);
            for &(_, edge) in &edges[start..] {
                self.append(id, entry, edge);
            }
        }
        for (join, rows) in &around.rows {
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
