//! Queries to an order: which pairs hold, and by which paths.

use super::algebra::Algebra;
use super::derivation::Pair;
use super::orders::{ChainId, EventId, OrderStore};
use super::paths::Found;
use std::hash::Hash;

impl<W: Copy + Eq + Hash> OrderStore<W> {
    /// Calls `found` for each way in which a pair holds that begins and ends at the given
    /// events, where they are given. A pair may come up several times.
    pub(super) fn pairs<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        first: Option<EventId>,
        last: Option<EventId>,
        found: &mut dyn FnMut(&mut A, Found<W>),
    ) {
        match last {
            Some(last) => self.pairs_before(algebra, first, last, found),
            None => {
                for chain in self.chain_ids() {
                    for &last in self.chain_events(chain) {
                        self.pairs_before(algebra, first, last, found);
                    }
                }
            }
        }
    }

    fn pairs_before<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        first: Option<EventId>,
        last: EventId,
        found: &mut dyn FnMut(&mut A, Found<W>),
    ) {
        let end = self.event(last);
        let range = |limit: u32, chain: ChainId| match first {
            None => 0..limit,
            Some(first) => {
                let first = self.event(first);
                let inside = first.chain == chain && first.position < limit;
                let position = first.position;
                if inside { position..position + 1 } else { 0..0 }
            }
        };
        for position in range(end.position, end.chain) {
            let event = self.chain_events(end.chain)[position as usize];
            let pair = Pair {
                first: event,
                last,
                path: None,
            };
            for weight in self.steps(algebra, event, last) {
                found(algebra, Found { pair, weight });
            }
        }
        for entry in self.arrivals(end.chain, 0..end.position + 1) {
            let chain = self.event(entry.first).chain;
            for position in range(entry.begin + 1, chain) {
                let event = self.chain_events(chain)[position as usize];
                let pair = Pair {
                    first: event,
                    last,
                    path: Some(entry.path),
                };
                for weight in self.extended(algebra, &entry, event, last) {
                    found(algebra, Found { pair, weight });
                }
            }
        }
    }

    /// Whether the pair holds by any path; `None` stands for any event.
    pub(super) fn any_pair<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        first: Option<EventId>,
        last: Option<EventId>,
    ) -> bool {
        let mut any = false;
        self.pairs(algebra, first, last, &mut |_, _| any = true);
        any
    }
}
