//! The paths of an order.
//!
//! A tuple `lt(a, b)` holds by a path: edges that facts and rules give, and chain steps in
//! between. Only paths that begin and end with an edge are kept. One from position `p` of
//! chain `c` to position `u` of chain `d` stands for all pairs of an event up to `p` and an
//! event from `u` on, because a chain step can be put at either end. So there is one list
//! of paths for each pair of chains, and a path is only kept if no other one in its list
//! *covers* it: begins no earlier, ends no later, and is as good when chain steps fill the
//! gaps. If nothing but the positions counts, this is a chain clock.

use super::algebra::Algebra;
use super::closest::Closest;
use super::derivation::Pair;
use super::orders::{ChainId, EdgeId, Event, EventId, OrderStore};
use super::shelves::Shelves;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PathId(pub u32);

/// A path that ends with `edge`. What comes before ends at the beginning of the edge, or
/// earlier in the same chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path<W> {
    pub(super) first: EventId,
    pub(super) weight: W,
    pub(super) before: Option<PathId>,
    pub(super) edge: EdgeId,
}

/// A path as its list sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<W> {
    pub(super) first: EventId,
    pub(super) last: EventId,
    /// The chain of the first event, and its position there.
    pub(super) from: ChainId,
    pub(super) begin: u32,
    /// The position of the last event in its chain.
    pub(super) end: u32,
    pub(super) weight: W,
    pub(super) path: PathId,
}

pub(super) struct PathLists<W> {
    paths: Vec<Path<W>>,
    lists: Vec<List<W>>,
    list_of: FxHashMap<(ChainId, ChainId), u32>,
    /// The lists of paths that end in a chain.
    into: FxHashMap<ChainId, Vec<u32>>,
    /// The paths that end in a chain and have a certain weight, but for free ones.
    alike: Shelves<(ChainId, W), Entry<W>>,
}

struct List<W> {
    from: ChainId,
    to: ChainId,
    entries: Vec<Entry<W>>,
    /// Those that weigh nothing.
    free: Vec<Entry<W>>,
    /// Where weights are costs: the best of those between events that are present.
    closest: Closest,
    /// Where weights are costs: those from or to an event that is not.
    loose: Vec<Entry<W>>,
    /// Whether paths came or went since these were arranged.
    is_changed: bool,
}

/// A pair that holds, with the weight of its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<W> {
    pub(super) pair: Pair,
    pub(super) weight: W,
}

impl<W: Copy> List<W> {
    /// Puts an entry where it is looked up if weights are costs.
    fn place<A: Algebra<Weight = W>>(&mut self, algebra: &A, entry: Entry<W>, events: &[Event<W>]) {
        let is_certain = |event: EventId| events[event.0 as usize].is_certain;
        if is_certain(entry.first) && is_certain(entry.last) {
            let cost = algebra.path_level(entry.weight) as u32;
            self.closest.add(cost, entry.begin, entry.end, entry.path);
        } else {
            self.loose.push(entry);
        }
    }
}

impl<W: Copy + Eq + Hash> PathLists<W> {
    pub(super) fn new() -> Self {
        PathLists {
            paths: Vec::new(),
            lists: Vec::new(),
            list_of: FxHashMap::default(),
            into: FxHashMap::default(),
            alike: Shelves::new(),
        }
    }

    pub(super) fn path(&self, path: PathId) -> &Path<W> {
        &self.paths[path.0 as usize]
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = PathId> + use<W> {
        (0..self.paths.len() as u32).map(PathId)
    }

    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    fn list_between(&mut self, from: ChainId, to: ChainId) -> &mut List<W> {
        let list = *self.list_of.entry((from, to)).or_insert_with(|| {
            let list = self.lists.len() as u32;
            self.lists.push(List {
                from,
                to,
                entries: Vec::new(),
                free: Vec::new(),
                closest: Closest::default(),
                loose: Vec::new(),
                is_changed: false,
            });
            self.into.entry(to).or_default().push(list);
            list
        });
        &mut self.lists[list as usize]
    }

    /// Returns to a number of paths that weigh nothing, while all later ones weigh
    /// something.
    pub(super) fn rollback(&mut self, paths: usize) {
        self.paths.truncate(paths);
        for entries in self.lists.iter_mut().map(|list| &mut list.entries) {
            while entries
                .last()
                .is_some_and(|entry| entry.path.0 as usize >= paths)
            {
                entries.pop();
            }
        }
        while self
            .lists
            .last()
            .is_some_and(|list| list.entries.is_empty())
        {
            if let Some(List { from, to, .. }) = self.lists.pop() {
                self.list_of.remove(&(from, to));
                if let Some(lists) = self.into.get_mut(&to) {
                    lists.pop();
                }
            }
        }
        self.alike.clear();
    }
}

impl<W: Copy + Eq + Hash> OrderStore<W> {
    fn lists_into(&self, chain: ChainId) -> impl Iterator<Item = &List<W>> {
        let lists = self.paths.into.get(&chain).map_or(&[][..], Vec::as_slice);
        lists.iter().map(|&list| &self.paths.lists[list as usize])
    }

    /// Puts those of [`OrderStore::arrivals`] that have the weight into `found`.
    pub(super) fn arrivals_by<A: Algebra<Weight = W>>(
        &self,
        weight: W,
        chain: ChainId,
        range: Range<u32>,
        found: &mut Vec<Entry<W>>,
    ) {
        let ends_within = |entry: &&Entry<W>| range.contains(&entry.end);
        if weight == A::NOTHING {
            for list in self.lists_into(chain) {
                found.extend(list.free.iter().filter(ends_within));
            }
        } else {
            let alike = self.paths.alike.get((chain, weight));
            found.extend(alike.filter(ends_within));
        }
    }

    /// Those of them that matter where weights are costs.
    pub(super) fn closest_arrivals(&self, event: EventId) -> impl Iterator<Item = Entry<W>> {
        let event = self.event(event);
        self.lists_into(event.chain).flat_map(move |list| {
            let closest = list.closest.arrivals(event.position);
            let loose = list.loose.iter().copied();
            let loose = loose.filter(move |entry| entry.end <= event.position);
            closest.map(|path| self.entry(path)).chain(loose)
        })
    }

    /// The cheapest way from one event that is present to another, where weights are costs:
    /// its cost and its path, if it is no chain step.
    pub(super) fn cheapest(&self, first: EventId, last: EventId) -> Option<(u32, Option<PathId>)> {
        let (from, to) = (self.event(first), self.event(last));
        if !from.is_certain || !to.is_certain {
            return None;
        }
        if from.chain == to.chain && from.position < to.position {
            return Some((0, None));
        }
        let &list = self.paths.list_of.get(&(from.chain, to.chain))?;
        let closest = &self.paths.lists[list as usize].closest;
        let (cost, path) = closest.cheapest(from.position, to.position)?;
        Some((cost, Some(path)))
    }

    /// Sorts the paths anew where weights are costs, because paths have gone; all of them if
    /// other events are present.
    pub(super) fn arrange<A: Algebra<Weight = W>>(&mut self, algebra: &A, all: bool) {
        let OrderStore { paths, events, .. } = self;
        for list in paths.lists.iter_mut().filter(|list| all || list.is_changed) {
            list.is_changed = false;
            list.closest.clear();
            list.loose.clear();
            for index in 0..list.entries.len() {
                list.place(algebra, list.entries[index], events);
            }
        }
    }

    pub(super) fn entry(&self, id: PathId) -> Entry<W> {
        let path = self.paths.path(id);
        let first = self.event(path.first);
        let last = self.edge(path.edge).last;
        Entry {
            first: path.first,
            last,
            from: first.chain,
            begin: first.position,
            end: self.event(last).position,
            weight: path.weight,
            path: id,
        }
    }

    /// Whether a path from `first` to `last` adds nothing.
    pub(super) fn is_covered<A: Algebra<Weight = W>>(
        &mut self,
        algebra: &mut A,
        first: EventId,
        last: EventId,
        weight: W,
    ) -> bool {
        let (begin, end) = (self.event(first), self.event(last));
        let chains = (begin.chain, end.chain);
        let (begin, end) = (begin.position, end.position);
        if chains.0 == chains.1 && begin < end {
            let mut steps = self.steps(algebra, first, last);
            if steps.any(|step| algebra.covers(step, weight)) {
                return true;
            }
        }
        let Some(&list) = self.paths.list_of.get(&chains) else {
            return false;
        };
        let list = &self.paths.lists[list as usize];
        let lies_within = |entry: &&Entry<W>| entry.begin >= begin && entry.end <= end;
        let covers = |entry: &Entry<W>, algebra: &mut A| {
            let mut ways = self.extended(algebra, entry, first, last);
            ways.any(|whole| algebra.covers(whole, weight))
        };
        if A::IS_COST {
            if self.event(first).is_certain && self.event(last).is_certain {
                return list.closest.covers(begin, end);
            }
            let mut loose = list.loose.iter().filter(lies_within);
            return loose.any(|entry| covers(entry, algebra));
        }
        let Some(parts) = algebra.parts(weight) else {
            let mut entries = list.entries.iter().filter(lies_within);
            return entries.any(|entry| covers(entry, algebra));
        };
        for part in parts {
            let part = algebra.part(part);
            let is_covered = if part == A::NOTHING {
                let mut free = list.free.iter().filter(lies_within);
                free.any(|entry| covers(entry, algebra))
            } else {
                let alike = self.paths.alike.get((chains.1, part));
                let mut alike = alike
                    .filter(|entry| entry.from == chains.0)
                    .filter(lies_within);
                alike.any(|entry| covers(entry, algebra))
            };
            if is_covered {
                return true;
            }
        }
        false
    }

    /// Keeps a path that is not covered.
    pub(super) fn add_path<A: Algebra<Weight = W>>(
        &mut self,
        algebra: &A,
        path: Path<W>,
    ) -> Entry<W> {
        let id = PathId(self.paths.len() as u32);
        self.paths.paths.push(path);
        let entry = self.entry(id);
        self.add_arrival(entry.last, id);
        let to = self.event(entry.last).chain;
        let is_certain = |entry: &Entry<W>| {
            self.event(entry.first).is_certain && self.event(entry.last).is_certain
        };
        let mut covered = Vec::new();
        if A::HAS_PARTS && entry.weight == A::NOTHING && is_certain(&entry) {
            let list = self.paths.list_of.get(&(entry.from, to));
            let free = list.map_or(&[][..], |&list| &self.paths.lists[list as usize].free);
            let is_covered = |other: &&Entry<W>| {
                other.begin <= entry.begin && other.end >= entry.end && is_certain(other)
            };
            covered.extend(free.iter().filter(is_covered).map(|other| other.path));
        }
        let events = &self.events;
        let list = self.paths.list_between(entry.from, to);
        list.entries.push(entry);
        if A::IS_COST {
            list.is_changed = true;
            list.place(algebra, entry, events);
        }
        if A::HAS_PARTS && entry.weight == A::NOTHING {
            list.free.retain(|other| !covered.contains(&other.path));
            list.free.push(entry);
        } else if A::HAS_PARTS {
            self.paths.alike.push((to, entry.weight), entry);
        }
        entry
    }

    /// The first position behind the path's end from which another path makes it
    /// unnecessary.
    pub(super) fn shadowed_from<A: Algebra<Weight = W>>(
        &self,
        algebra: &mut A,
        path: &Entry<W>,
    ) -> u32 {
        let (first, last) = (self.event(path.first), self.event(path.last));
        if !A::CHAINS_ARE_FREE || !first.is_certain || !last.is_certain {
            return u32::MAX;
        }
        let list = self.paths.list_of.get(&(first.chain, last.chain));
        if let Some(&list) = list
            && A::IS_COST
        {
            let closest = &self.paths.lists[list as usize].closest;
            return closest.shadow(path.begin, path.end);
        }
        let (Some(&list), Some(parts)) = (list, algebra.parts(path.weight)) else {
            return u32::MAX;
        };
        let is_certain = |event: EventId| self.event(event).is_certain;
        let mut shadow = u32::MAX;
        let mut consider = |entry: &Entry<W>| {
            if entry.end > path.end
                && entry.end < shadow
                && entry.begin >= path.begin
                && is_certain(entry.first)
                && is_certain(entry.last)
            {
                shadow = entry.end;
            }
        };
        for part in parts {
            let part = algebra.part(part);
            if part == A::NOTHING {
                self.paths.lists[list as usize]
                    .free
                    .iter()
                    .for_each(&mut consider);
            } else {
                let alike = self.paths.alike.get((last.chain, part));
                alike
                    .filter(|entry| entry.from == path.from)
                    .for_each(&mut consider);
            }
        }
        shadow
    }
}
