//! The two sides of a join as tables: what is demanded of the later event of a pair, and
//! what of the earlier one.

use super::derivation::Run;
use super::orders::{ChainId, EventId, OrderStore};
use crate::value::Value;
use rustc_hash::FxHashMap;

pub(super) struct Tables<W> {
    /// `None` if every event is a site.
    sites: Option<SiteTable<W>>,
    /// `None` if every event is a source.
    sources: Option<SourceTable<W>>,
}

struct SiteTable<W> {
    rows: Vec<SideRow<W>>,
    /// For each chain, the rows by position.
    by_chain: Vec<Vec<u32>>,
    /// For each row, the sources with the same shared values.
    groups: Vec<Option<Group>>,
}

struct SourceTable<W> {
    rows: Vec<SideRow<W>>,
    groups: FxHashMap<Box<[Value]>, Group>,
    /// For each group and chain, the rows by position.
    by_chain: FxHashMap<(Group, ChainId), Vec<u32>>,
}

/// The sources with certain values of the variables that both sides have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Group(u32);

pub(super) struct SideRow<W> {
    pub(super) event: EventId,
    pub(super) position: u32,
    /// Of the side's variables.
    pub(super) values: Box<[Value]>,
    pub(super) weight: W,
    pub(super) premises: Run,
}

/// Stands for a row where there is no table.
pub(super) const NO_ROW: u32 = u32::MAX;

impl<W: Copy + Eq> Tables<W> {
    pub(super) fn new() -> Self {
        Tables {
            sites: None,
            sources: None,
        }
    }

    pub(super) fn set_sites(&mut self, order: &OrderStore<W>, rows: Vec<SideRow<W>>) {
        let mut by_chain = vec![Vec::new(); order.chain_ids().count()];
        for (number, row) in rows.iter().enumerate() {
            by_chain[order.event(row.event).chain.0 as usize].push(number as u32);
        }
        for chain in &mut by_chain {
            chain.sort_by_key(|&row| rows[row as usize].position);
        }
        self.sites = Some(SiteTable {
            rows,
            by_chain,
            groups: Vec::new(),
        });
    }

    /// `key` gives the values of the shared variables.
    pub(super) fn set_sources(
        &mut self,
        order: &OrderStore<W>,
        rows: Vec<SideRow<W>>,
        key: impl Fn(&SideRow<W>) -> Box<[Value]>,
    ) {
        let mut groups = FxHashMap::default();
        let mut by_chain: FxHashMap<(Group, ChainId), Vec<u32>> = FxHashMap::default();
        for (number, row) in rows.iter().enumerate() {
            let next = Group(groups.len() as u32);
            let group = *groups.entry(key(row)).or_insert(next);
            let chain = order.event(row.event).chain;
            by_chain
                .entry((group, chain))
                .or_default()
                .push(number as u32);
        }
        for chain in by_chain.values_mut() {
            chain.sort_by_key(|&row| rows[row as usize].position);
        }
        self.sources = Some(SourceTable {
            rows,
            groups,
            by_chain,
        });
    }

    /// To be called once both sides are set.
    pub(super) fn link(&mut self, key: impl Fn(&SideRow<W>) -> Box<[Value]>) {
        if let (Some(sites), Some(sources)) = (&mut self.sites, &self.sources) {
            let group = |row| sources.groups.get(&key(row)).copied();
            sites.groups = sites.rows.iter().map(group).collect();
        }
    }

    pub(super) fn site(&self, row: u32) -> Option<&SideRow<W>> {
        self.sites.as_ref().map(|table| &table.rows[row as usize])
    }

    pub(super) fn source(&self, row: u32) -> Option<&SideRow<W>> {
        self.sources.as_ref().map(|table| &table.rows[row as usize])
    }

    /// The sources that go with a site; `None` if there are none. `key` gives the values of
    /// the shared variables.
    pub(super) fn group(&self, site: u32, key: impl Fn() -> Box<[Value]>) -> Option<Group> {
        match (&self.sources, &self.sites) {
            (None, _) => Some(Group(0)),
            (Some(_), Some(sites)) => sites.groups[site as usize],
            (Some(sources), None) => sources.groups.get(&key()).copied(),
        }
    }

    /// Calls `found` for each site of a chain from position `from` up to, but without,
    /// `until`.
    pub(super) fn each_site(
        &self,
        order: &OrderStore<W>,
        chain: ChainId,
        from: u32,
        until: u32,
        mut found: impl FnMut(u32, EventId),
    ) {
        match &self.sites {
            Some(table) => {
                let Some(rows) = table.by_chain.get(chain.0 as usize) else {
                    return;
                };
                let position = |row: &u32| table.rows[*row as usize].position;
                let start = rows.partition_point(|row| position(row) < from);
                for row in rows[start..].iter().take_while(|row| position(row) < until) {
                    found(*row, table.rows[*row as usize].event);
                }
            }
            None => {
                let events = order.chain_events(chain);
                let until = events.len().min(until as usize);
                for &event in events.get(from as usize..until).unwrap_or_default() {
                    found(NO_ROW, event);
                }
            }
        }
    }

    /// Calls `found` for the sources of a chain in front of position `limit`, the last event
    /// first, until it returns true for some row of an event.
    pub(super) fn each_source(
        &self,
        order: &OrderStore<W>,
        group: Group,
        (chain, limit): (ChainId, u32),
        mut found: impl FnMut(u32, EventId) -> bool,
    ) {
        match &self.sources {
            Some(table) => {
                let Some(rows) = table.by_chain.get(&(group, chain)) else {
                    return;
                };
                let position = |row: u32| table.rows[row as usize].position;
                let end = rows.partition_point(|&row| position(row) < limit);
                let mut enough = None;
                for &row in rows[..end].iter().rev() {
                    let event = table.rows[row as usize].event;
                    if enough.is_some_and(|enough| enough != event) {
                        return;
                    }
                    if found(row, event) {
                        enough = Some(event);
                    }
                }
            }
            None => {
                for &event in order.chain_events(chain)[..limit as usize].iter().rev() {
                    if found(NO_ROW, event) {
                        return;
                    }
                }
            }
        }
    }
}
