//! The two sides of a join as tables: what is demanded of the later event of a pair, and
//! what of the earlier one.

use super::algebra::{Algebra, Choice};
use super::approach::Approach;
use super::derivation::Run;
use super::join_plan::Lead;
use super::orders::{ChainId, EventId, OrderStore};
use super::shelves::Shelves;
use super::stretches::Stretches;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

pub(super) struct Tables<W> {
    /// `None` if every event is a site.
    sites: Option<SiteTable<W>>,
    /// `None` if every event is a source.
    sources: Option<SourceTable<W>>,
    /// Of one side, if the rule leads from there to other events of the chains.
    pub(super) stretches: Option<Stretches>,
    /// Whether the lists were made while events were present because of literals.
    pub(super) know_presences: bool,
    /// Whether some rows were made after a mark. Their premises go with what came after it.
    pub(super) are_passing: bool,
}

/// Rows sorted by position; the lists of rows are, too, and have only those that go with some
/// source.
struct SiteTable<W> {
    rows: Vec<SideRow<W>>,
    /// All rows, by the values of the shared variables.
    by_key: FxHashMap<Box<[Value]>, Vec<u32>>,
    listed: Vec<u32>,
    by_chain: Vec<Vec<u32>>,
    /// By chain: those that hold anyway.
    free: Vec<Vec<u32>>,
    /// The others.
    by_weight: FxHashMap<(ChainId, W), Vec<u32>>,
    /// For each row, the sources with the same shared values.
    groups: Vec<Option<Group>>,
    by_group: FxHashMap<(Group, ChainId), Vec<u32>>,
    /// By chain: the rows that go with other weights when a chain step leads to them.
    open: Vec<Vec<u32>>,
    /// Those that are full then, by whatever covers what they are full with, but for what holds
    /// anyway.
    full: Shelves<(ChainId, W), u32>,
    /// For each event, the choice of which all of its rows are possibilities, if there is one.
    choices: FxHashMap<EventId, Option<Choice>>,
    /// The weight of what holds anyway.
    nothing: W,
    /// Whether no row holds anyway.
    rest_on_literals: bool,
}

/// Rows sorted by position; the lists of rows are, too.
struct SourceTable<W> {
    rows: Vec<SideRow<W>>,
    groups: FxHashMap<Box<[Value]>, Group>,
    /// For each row.
    group_of: Vec<Group>,
    by_group: FxHashMap<(Group, ChainId), Vec<u32>>,
    by_weight: FxHashMap<(ChainId, W), Vec<u32>>,
    /// Whether no row holds anyway.
    rest_on_literals: bool,
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

impl<W: Copy + Eq + Hash> Tables<W> {
    pub(super) fn new() -> Self {
        Tables {
            sites: None,
            sources: None,
            stretches: None,
            know_presences: false,
            are_passing: false,
        }
    }

    /// `key` gives the values of the shared variables; `nothing` is the weight of what holds
    /// anyway.
    pub(super) fn set_sites(
        &mut self,
        mut rows: Vec<SideRow<W>>,
        key: impl Fn(&SideRow<W>) -> Box<[Value]>,
        nothing: W,
    ) {
        rows.sort_by_key(|row| row.position);
        let mut by_key: FxHashMap<Box<[Value]>, Vec<u32>> = FxHashMap::default();
        for (number, row) in (0..).zip(&rows) {
            by_key.entry(key(row)).or_default().push(number);
        }
        self.sites = Some(SiteTable {
            rest_on_literals: rows.iter().all(|row| row.weight != nothing),
            nothing,
            groups: vec![None; rows.len()],
            rows,
            by_key,
            listed: Vec::new(),
            by_chain: Vec::new(),
            free: Vec::new(),
            by_weight: FxHashMap::default(),
            by_group: FxHashMap::default(),
            open: Vec::new(),
            full: Shelves::new(),
            choices: FxHashMap::default(),
        });
    }

    /// `key` gives the values of the shared variables; `nothing` is the weight of what holds
    /// anyway.
    pub(super) fn set_sources(
        &mut self,
        order: &OrderStore<W>,
        mut rows: Vec<SideRow<W>>,
        key: impl Fn(&SideRow<W>) -> Box<[Value]>,
        nothing: W,
    ) {
        rows.sort_by_key(|row| row.position);
        let mut table = SourceTable {
            rest_on_literals: rows.iter().all(|row| row.weight != nothing),
            rows,
            groups: FxHashMap::default(),
            group_of: Vec::new(),
            by_group: FxHashMap::default(),
            by_weight: FxHashMap::default(),
        };
        for (number, row) in (0..).zip(&table.rows) {
            let next = Group(table.groups.len() as u32);
            let group = *table.groups.entry(key(row)).or_insert(next);
            table.group_of.push(group);
            let chain = order.event(row.event).chain;
            table
                .by_group
                .entry((group, chain))
                .or_default()
                .push(number);
            table
                .by_weight
                .entry((chain, row.weight))
                .or_default()
                .push(number);
        }
        self.sources = Some(table);
    }

    /// To be called once both sides are set, and the events that are present are known.
    pub(super) fn link<A: Algebra<Weight = W>>(&mut self, order: &OrderStore<W>, algebra: &mut A) {
        let Some(sites) = &mut self.sites else { return };
        sites.clear_lists(order.chain_ids().count());
        match &self.sources {
            Some(sources) => {
                for (key, &group) in &sources.groups {
                    for &row in sites.by_key.get(key).into_iter().flatten() {
                        sites.groups[row as usize] = Some(group);
                        sites.listed.push(row);
                    }
                }
                sites.listed.sort_unstable();
            }
            None => sites.listed.extend(0..sites.rows.len() as u32),
        }
        sites.make_lists(order, algebra);
    }

    /// To be called after that. A rule that has this lead is known to add nothing where no row
    /// stretches across an end of a path.
    pub(super) fn find_stretches(&mut self, order: &OrderStore<W>, lead: Lead) {
        let stretch = |row: &SideRow<W>, place: usize| (row.event, order.find(row.values[place]));
        self.stretches = match (lead, &self.sources, &self.sites) {
            (Lead::FromSource(place), Some(sources), Some(_)) => {
                let rows = sources.rows.iter().map(|row| stretch(row, place));
                Stretches::forth(order, rows)
            }
            (Lead::FromSite(place), _, Some(sites)) => {
                let rows = sites.rows.iter().map(|row| stretch(row, place));
                Stretches::back(order, rows)
            }
            _ => None,
        };
    }

    /// Whether one side has a table without rows, so that the join finds nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.sites
            .as_ref()
            .is_some_and(|sites| sites.rows.is_empty())
            || self
                .sources
                .as_ref()
                .is_some_and(|sources| sources.rows.is_empty())
    }

    pub(super) fn has_sites(&self) -> bool {
        self.sites.is_some()
    }

    /// Whether there are tables of both sides, and every source rests on literals.
    pub(super) fn sources_rest_on_literals(&self) -> bool {
        let rest_on_literals = |sources: &SourceTable<W>| sources.rest_on_literals;
        self.has_sites() && self.sources.as_ref().is_some_and(rest_on_literals)
    }

    /// Whether whatever the join finds rests on literals, if only on those of the tables.
    pub(super) fn add_literals(&self) -> bool {
        let sites = self.sites.as_ref().map(|sites| sites.rest_on_literals);
        let sources = self
            .sources
            .as_ref()
            .map(|sources| sources.rest_on_literals);
        sites == Some(true) || sources == Some(true)
    }

    pub(super) fn site(&self, row: u32) -> Option<&SideRow<W>> {
        self.sites.as_ref().map(|table| &table.rows[row as usize])
    }

    /// That of a site that has no row is `nothing`.
    pub(super) fn site_weight(&self, row: u32, nothing: W) -> W {
        self.site(row).map_or(nothing, |row| row.weight)
    }

    pub(super) fn source(&self, row: u32) -> Option<&SideRow<W>> {
        self.sources.as_ref().map(|table| &table.rows[row as usize])
    }

    /// That of a source that has no row is `nothing`.
    pub(super) fn source_weight(&self, row: u32, nothing: W) -> W {
        self.source(row).map_or(nothing, |row| row.weight)
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

    /// Calls `found` for each site of a chain in a range of positions.
    pub(super) fn each_site(
        &self,
        order: &OrderStore<W>,
        chain: ChainId,
        range: Range<u32>,
        mut found: impl FnMut(u32, EventId),
    ) {
        match &self.sites {
            Some(table) => {
                table.each_listed(listed(table.by_chain.get(chain.0 as usize)), range, found)
            }
            None => {
                let events = order.chain_events(chain);
                let end = events.len().min(range.end as usize);
                for &event in events.get(range.start as usize..end).unwrap_or_default() {
                    found(NO_ROW, event);
                }
            }
        }
    }

    /// Calls `found` for those of a table that a chain step leads to from what has this weight.
    pub(super) fn each_site_behind(
        &self,
        weight: W,
        chain: ChainId,
        range: Range<u32>,
        mut found: impl FnMut(u32, EventId),
    ) {
        let Some(table) = &self.sites else { return };
        let lists = match weight == table.nothing {
            true => &table.by_chain,
            false => &table.open,
        };
        table.each_listed(
            listed(lists.get(chain.0 as usize)),
            range.clone(),
            &mut found,
        );
        for &row in table.full.get((chain, weight)) {
            let SideRow {
                event, position, ..
            } = table.rows[row as usize];
            if range.contains(&position) {
                found(row, event);
            }
        }
    }

    /// The choice of which all sites of the event are possibilities, if there is one.
    pub(super) fn choice_at(&self, event: EventId) -> Option<Choice> {
        *self.sites.as_ref()?.choices.get(&event)?
    }

    /// Calls `found` for those of a table that have the weight.
    pub(super) fn each_site_by(
        &self,
        weight: W,
        chain: ChainId,
        range: Range<u32>,
        found: impl FnMut(u32, EventId),
    ) {
        let Some(table) = &self.sites else { return };
        let rows = match weight == table.nothing {
            true => table.free.get(chain.0 as usize),
            false => table.by_weight.get(&(chain, weight)),
        };
        table.each_listed(listed(rows), range, found);
    }

    /// Those of a table that go with a source.
    pub(super) fn sites_with(
        &self,
        source: u32,
        chain: ChainId,
        range: Range<u32>,
    ) -> impl Iterator<Item = u32> {
        let tables = self.sites.as_ref().zip(self.sources.as_ref());
        tables.into_iter().flat_map(move |(sites, sources)| {
            let group = sources.group_of[source as usize];
            let rows = sites.by_group.get(&(group, chain));
            between(&sites.rows, listed(rows), range.clone())
        })
    }

    /// Calls `found` for those of a table that go with a group.
    pub(super) fn each_site_in(
        &self,
        group: Group,
        chain: ChainId,
        range: Range<u32>,
        found: impl FnMut(u32),
    ) {
        let Some(table) = &self.sites else { return };
        let rows = table.by_group.get(&(group, chain));
        between(&table.rows, listed(rows), range).for_each(found);
    }

    /// Calls `found` for the sources of a group and a chain in a range of positions, the last
    /// event first, until it returns true for some row of an event.
    pub(super) fn each_source(
        &self,
        order: &OrderStore<W>,
        group: Group,
        (chain, range): (ChainId, Range<u32>),
        mut found: impl FnMut(u32, EventId) -> bool,
    ) {
        match &self.sources {
            Some(table) => {
                let rows = table.by_group.get(&(group, chain));
                let mut enough = None;
                for row in between(&table.rows, listed(rows), range).rev() {
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
                let range = range.start as usize..range.end as usize;
                for &event in order.chain_events(chain)[range].iter().rev() {
                    if found(NO_ROW, event) {
                        return;
                    }
                }
            }
        }
    }

    /// Those of all rows.
    pub(super) fn weights(&self) -> impl Iterator<Item = W> {
        let sites = self.sites.iter().flat_map(|table| &table.rows);
        let sources = self.sources.iter().flat_map(|table| &table.rows);
        sites.chain(sources).map(|row| row.weight)
    }

    /// The sources whose weights are due, by chain.
    pub(super) fn sources_due(
        &self,
        order: &OrderStore<W>,
        is_due: impl Fn(W) -> bool,
    ) -> Vec<Vec<u32>> {
        let rows = self.sources.as_ref().map_or(&[][..], |table| &table.rows);
        let all = 0..rows.len() as u32;
        by_chain(
            order,
            rows,
            all.filter(|&row| is_due(rows[row as usize].weight)),
        )
    }

    /// The sites that go with some source and whose weights are due, by chain.
    pub(super) fn sites_due(
        &self,
        order: &OrderStore<W>,
        is_due: impl Fn(W) -> bool,
    ) -> Vec<Vec<u32>> {
        let (rows, listed) = match &self.sites {
            Some(table) => (&table.rows[..], &table.listed[..]),
            None => Default::default(),
        };
        let listed = listed.iter().copied();
        by_chain(
            order,
            rows,
            listed.filter(|&row| is_due(rows[row as usize].weight)),
        )
    }

    /// Those of the listed sources that lie in a range of positions.
    pub(super) fn sources_among(
        &self,
        list: &[u32],
        range: Range<u32>,
    ) -> impl Iterator<Item = u32> {
        let rows = self.sources.as_ref().map_or(&[][..], |table| &table.rows);
        between(rows, list, range)
    }

    /// Calls `found` for those of the listed sites that lie in a range of positions.
    pub(super) fn each_site_among(
        &self,
        list: &[u32],
        range: Range<u32>,
        found: impl FnMut(u32, EventId),
    ) {
        if let Some(table) = &self.sites {
            table.each_listed(list, range, found);
        }
    }

    /// Calls `found` for each site and each source that go together, if there are tables of
    /// both.
    pub(super) fn each_pair(&self, mut found: impl FnMut(&SideRow<W>, &SideRow<W>)) {
        let (Some(sites), Some(sources)) = (&self.sites, &self.sources) else {
            return;
        };
        let mut in_group = vec![Vec::new(); sources.groups.len()];
        for (row, group) in sources.rows.iter().zip(&sources.group_of) {
            in_group[group.0 as usize].push(row);
        }
        for (site, group) in sites.rows.iter().zip(&sites.groups) {
            for source in group.iter().flat_map(|group| &in_group[group.0 as usize]) {
                found(site, source);
            }
        }
    }

    /// Calls `found` for the sources of a table, a chain and a weight, in front of position
    /// `limit`.
    pub(super) fn each_source_by(
        &self,
        weight: W,
        (chain, limit): (ChainId, u32),
        mut found: impl FnMut(u32, Group),
    ) {
        let Some(table) = &self.sources else { return };
        let rows = table.by_weight.get(&(chain, weight));
        for row in between(&table.rows, listed(rows), 0..limit) {
            found(row, table.group_of[row as usize]);
        }
    }
}

impl<W: Copy + Eq + Hash> SiteTable<W> {
    /// Calls `found` for those of the listed rows that lie in a range of positions.
    fn each_listed(&self, list: &[u32], range: Range<u32>, mut found: impl FnMut(u32, EventId)) {
        for row in between(&self.rows, list, range) {
            found(row, self.rows[row as usize].event);
        }
    }

    fn clear_lists(&mut self, chains: usize) {
        for row in self.listed.drain(..) {
            self.groups[row as usize] = None;
        }
        for lists in [&mut self.by_chain, &mut self.free, &mut self.open] {
            lists.iter_mut().for_each(Vec::clear);
            lists.resize(chains, Vec::new());
        }
        self.by_weight.clear();
        self.by_group.clear();
        self.full.clear();
        self.choices.clear();
    }

    fn make_lists<A: Algebra<Weight = W>>(&mut self, order: &OrderStore<W>, algebra: &mut A) {
        for &number in &self.listed {
            let row = &self.rows[number as usize];
            let chain = order.event(row.event).chain;
            self.by_chain[chain.0 as usize].push(number);
            match row.weight == self.nothing {
                true => self.free[chain.0 as usize].push(number),
                false => {
                    let by_weight = self.by_weight.entry((chain, row.weight));
                    by_weight.or_default().push(number);
                }
            }
            if let Some(group) = self.groups[number as usize] {
                let by_group = self.by_group.entry((group, chain));
                by_group.or_default().push(number);
            }
            let full = match Approach::new(algebra, order, row) {
                Approach::Never => continue,
                Approach::Open => None,
                Approach::Full(weight) => algebra.parts(weight),
            };
            match full {
                None => self.open[chain.0 as usize].push(number),
                Some(parts) => {
                    for part in parts.map(|part| algebra.part(part)) {
                        if part != self.nothing {
                            self.full.push((chain, part), number);
                        }
                    }
                }
            }
        }
        if algebra.has_choices() {
            self.find_choices(algebra);
        }
    }

    fn find_choices<A: Algebra<Weight = W>>(&mut self, algebra: &A) {
        for row in self.listed.iter().map(|&row| &self.rows[row as usize]) {
            let choice = algebra.choice(row.weight);
            let common = self.choices.entry(row.event).or_insert(choice);
            if *common != choice {
                *common = None;
            }
        }
    }
}

/// Lists of the given rows, which keep their order.
fn by_chain<W: Copy + Eq + Hash>(
    order: &OrderStore<W>,
    rows: &[SideRow<W>],
    given: impl Iterator<Item = u32>,
) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); order.chain_ids().count()];
    for row in given {
        let chain = order.event(rows[row as usize].event).chain;
        lists[chain.0 as usize].push(row);
    }
    lists
}

fn listed(list: Option<&Vec<u32>>) -> &[u32] {
    list.map_or(&[], Vec::as_slice)
}

/// Those of the listed rows that lie in a range of positions.
fn between<W>(
    rows: &[SideRow<W>],
    list: &[u32],
    range: Range<u32>,
) -> impl DoubleEndedIterator<Item = u32> {
    let position = |row: &u32| rows[*row as usize].position;
    let start = list.partition_point(|row| position(row) < range.start);
    let end = list.partition_point(|row| position(row) < range.end);
    list[start..end.max(start)].iter().copied()
}
