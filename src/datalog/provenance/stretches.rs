//! Which rows of a join tell more than the path that they are joined with.
//!
//! Rules may lead from one event to another of the same chain: what comes after some event of an
//! atomic block comes after the last one of it. The row of the first event *stretches* to the second.
//! If a path begins behind both of them, the rule adds nothing, since chain steps lead from either
//! to the path; so of all blocks in front of a path, only those in which it begins are worth a look.
//! The same holds for rows of sites that stretch back, and the end of a path.

use super::orders::{ChainId, EventId, OrderStore};
use std::hash::Hash;
use std::ops::Range;

pub(super) struct Stretches {
    /// For each chain, sorted by position.
    chains: Vec<Vec<Stretch>>,
}

struct Stretch {
    row: u32,
    position: u32,
    /// The position of the other event.
    reach: u32,
    /// How far this row reaches or one of those on the other side of it.
    furthest: u32,
}

impl Stretches {
    /// Of sources, which are sorted by position, each with the event that it leads to; `None` if such
    /// an event is not in the chain anyway.
    pub(super) fn forth<W: Copy + Eq + Hash>(
        order: &OrderStore<W>,
        rows: impl Iterator<Item = (EventId, Option<EventId>)>,
    ) -> Option<Self> {
        let mut stretches = Stretches::new(order, rows, |position, reach| reach > position)?;
        for chain in &mut stretches.chains {
            let mut furthest = 0;
            for stretch in chain {
                furthest = furthest.max(stretch.reach);
                stretch.furthest = furthest;
            }
        }
        Some(stretches)
    }

    /// The same of sites.
    pub(super) fn back<W: Copy + Eq + Hash>(
        order: &OrderStore<W>,
        rows: impl Iterator<Item = (EventId, Option<EventId>)>,
    ) -> Option<Self> {
        let mut stretches = Stretches::new(order, rows, |position, reach| reach < position)?;
        for chain in &mut stretches.chains {
            let mut furthest = u32::MAX;
            for stretch in chain.iter_mut().rev() {
                furthest = furthest.min(stretch.reach);
                stretch.furthest = furthest;
            }
        }
        Some(stretches)
    }

    /// Rows that lead nowhere are left out.
    fn new<W: Copy + Eq + Hash>(
        order: &OrderStore<W>,
        rows: impl Iterator<Item = (EventId, Option<EventId>)>,
        leads_on: impl Fn(u32, u32) -> bool,
    ) -> Option<Self> {
        let mut chains = Vec::new();
        chains.resize_with(order.chain_ids().count(), Vec::new);
        for (row, (event, other)) in (0..).zip(rows) {
            let (event, other) = (order.event(event), order.event(other?));
            if event.chain != other.chain || !other.is_certain {
                return None;
            }
            if leads_on(event.position, other.position) {
                chains[event.chain.0 as usize].push(Stretch {
                    row,
                    position: event.position,
                    reach: other.position,
                    furthest: other.position,
                });
            }
        }
        Some(Stretches { chains })
    }

    /// The sources at or in front of a position that lead behind it.
    pub(super) fn across(&self, chain: ChainId, position: u32) -> impl Iterator<Item = u32> {
        let stretches = &self.chains[chain.0 as usize];
        let end = stretches.partition_point(|stretch| stretch.position <= position);
        let near = stretches[..end].iter().rev();
        near.take_while(move |stretch| stretch.furthest > position)
            .filter(move |stretch| stretch.reach > position)
            .map(|stretch| stretch.row)
    }

    /// The sites in a range at or behind a position that lead in front of it.
    pub(super) fn back_across(
        &self,
        chain: ChainId,
        position: u32,
        range: Range<u32>,
    ) -> impl Iterator<Item = u32> {
        let stretches = &self.chains[chain.0 as usize];
        let start = stretches.partition_point(|stretch| stretch.position < range.start);
        let near = stretches[start..].iter();
        near.take_while(move |stretch| stretch.position < range.end && stretch.furthest < position)
            .filter(move |stretch| stretch.reach < position)
            .map(|stretch| stretch.row)
    }
}
