//! Cycles of an order that consist of few paths: the quickest way to reasons of few literals.
//!
//! Each is a conflict that the literals of its paths violate. There are others: a path may
//! rest on several literals, or on one that is used twice.

use super::derivation::Pair;
use super::fixpoint::Fixpoint;
use super::known_reasons::KnownReasons;
use super::literal_sets::{LiteralIndex, LiteralSet, LiteralSets};
use super::orders::{ChainId, OrderStore};
use super::paths::Entry;
use super::program::{ClauseId, OrderId};
use super::used::Used;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A path that rests on literals.
type Part = Entry<LiteralSet>;

/// How many combinations of paths to try.
const MOST_TRIES: usize = 2_000_000;

/// A cycle, by its paths.
pub(super) struct Cycle {
    /// Sorted.
    pub(super) literals: Vec<LiteralIndex>,
    conflict: ClauseId,
    order: OrderId,
    parts: Vec<Part>,
}

/// Which cycles to look for.
pub(super) struct Wanted<'a> {
    /// The most literals of a cycle.
    pub(super) literals: usize,
    /// The most paths that it consists of: two or three.
    pub(super) parts: usize,
    /// If given, one path rests on one of these literals.
    pub(super) suspects: Option<&'a FxHashSet<LiteralIndex>>,
    /// How many to look for.
    pub(super) limit: usize,
}

impl Cycle {
    /// The clauses by which the literals violate the conflict.
    pub(super) fn clauses(&self, fixpoint: &Fixpoint<LiteralSets>) -> Vec<ClauseId> {
        let mut used = Used::new(fixpoint);
        used.add_clause(self.conflict);
        for part in &self.parts {
            let pair = Pair {
                first: part.first,
                last: part.last,
                path: Some(part.path),
            };
            used.add_pair(self.order, pair);
        }
        used.finish().0.into_iter().collect()
    }
}

/// The cycles among the paths that were derived, no two with the same literals and none with
/// the literals of a known reason.
pub(super) fn short_cycles(
    fixpoint: &Fixpoint<LiteralSets>,
    known: &KnownReasons,
    wanted: &Wanted,
) -> Vec<Cycle> {
    let mut found = Vec::new();
    for join in fixpoint
        .program
        .joins
        .iter()
        .filter(|join| join.is_acyclicity)
    {
        let mut search = Search {
            sets: &fixpoint.algebra,
            store: &fixpoint.orders[join.order.index()],
            known,
            wanted,
            seen: FxHashSet::default(),
            cycles: Vec::new(),
            tries: 0,
        };
        search.run();
        let cycles = search.cycles.into_iter();
        found.extend(cycles.map(|(literals, parts)| Cycle {
            literals,
            conflict: join.clause,
            order: join.order,
            parts,
        }));
    }
    found
}

/// The search in one order.
struct Search<'a> {
    sets: &'a LiteralSets,
    store: &'a OrderStore<LiteralSet>,
    known: &'a KnownReasons,
    wanted: &'a Wanted<'a>,
    seen: FxHashSet<Vec<LiteralIndex>>,
    cycles: Vec<(Vec<LiteralIndex>, Vec<Part>)>,
    tries: usize,
}

impl Search<'_> {
    /// Paths of several literals are only tried in cycles of two.
    fn run(&mut self) {
        let mut parts: Vec<Part> = Vec::new();
        for path in self.store.path_ids() {
            let part = self.store.entry(path);
            let literals = self.sets.members(part.weight);
            if !literals.is_empty() && !self.known.any_within(literals) {
                parts.push(part);
            }
        }
        let lanes = Lanes::new(parts, self.store);
        for first in lanes.parts() {
            if self.cycles.len() >= self.wanted.limit || self.tries > MOST_TRIES {
                return;
            }
            if !self.may_start(first) {
                continue;
            }
            let arrives = self.store.event(first.last).chain;
            if let Some(back) = lanes.between(arrives, first.from) {
                for second in back.home(first.end, first.begin) {
                    self.tries += 1;
                    self.close(&[first, second]);
                }
            }
            if self.wanted.parts == 3 && self.sets.members(first.weight).len() == 1 {
                for (over, lane) in lanes.leaving(arrives) {
                    if let Some(back) = lanes.between(over, first.from) {
                        self.close_by_way_of(first, lane, back);
                    }
                }
            }
        }
    }

    /// Keeps the cycles that go on from a path by one of a lane and one of the lane back.
    fn close_by_way_of(&mut self, first: &Part, lane: &Lane, back: &Lane) {
        self.tries += 1;
        let leads_home = |end: u32| back.earliest_end(end) <= first.begin;
        if !leads_home(lane.earliest_end(first.end)) {
            return;
        }
        for second in lane.behind(first.end) {
            self.tries += 1;
            if self.sets.members(second.weight).len() > 1 || !leads_home(second.end) {
                continue;
            }
            for third in back.home(second.end, first.begin) {
                self.tries += 1;
                // Each cycle is found from its first path; with suspects, they tell which.
                let is_first =
                    self.wanted.suspects.is_some() || first.path < second.path.min(third.path);
                if is_first {
                    self.close(&[first, second, third]);
                }
            }
        }
    }

    fn may_start(&self, part: &Part) -> bool {
        self.wanted.suspects.is_none_or(|suspects| {
            let mut literals = self.sets.members(part.weight).iter();
            literals.any(|literal| suspects.contains(literal))
        })
    }

    /// Keeps the cycle of these paths, each of which begins where the one before ends or later, if
    /// it is one.
    fn close(&mut self, parts: &[&Part]) {
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        let follow = |two: &[&Part]| self.meet(two[0], two[1]);
        if !self.meet(last, first) || !parts.windows(2).all(follow) {
            return;
        }
        let mut literals: Vec<LiteralIndex> = Vec::with_capacity(2 * parts.len());
        for part in parts {
            literals.extend_from_slice(self.sets.members(part.weight));
        }
        literals.sort_unstable();
        literals.dedup();
        if literals.len() <= self.wanted.literals
            && !self.known.any_within(&literals)
            && self.seen.insert(literals.clone())
        {
            let parts = parts.iter().map(|&&part| part).collect();
            self.cycles.push((literals, parts));
        }
    }

    /// Whether the chain step from the end of one path to the beginning of another rests on
    /// nothing.
    fn meet(&self, one: &Part, other: &Part) -> bool {
        let is_certain = |event| self.store.event(event).is_certain;
        one.last == other.first || is_certain(one.last) && is_certain(other.first)
    }
}

/// All parts, by the chains that they leave and those that they arrive at.
struct Lanes {
    list: Vec<(ChainId, Lane)>,
    /// Where the lanes that leave a chain are.
    leaving: FxHashMap<ChainId, Range<usize>>,
    numbers: FxHashMap<(ChainId, ChainId), usize>,
}

/// The parts from one chain to another.
struct Lane {
    /// Sorted by their beginnings.
    parts: Vec<Part>,
    /// For each, the least end among it and those after it.
    earliest: Vec<u32>,
}

impl Lanes {
    fn new(mut parts: Vec<Part>, store: &OrderStore<LiteralSet>) -> Self {
        let to = |part: &Part| store.event(part.last).chain;
        parts.sort_by_key(|part| (part.from, to(part), part.begin));
        let mut lanes = Lanes {
            list: Vec::new(),
            leaving: FxHashMap::default(),
            numbers: FxHashMap::default(),
        };
        for same in parts.chunk_by(|a, b| (a.from, to(a)) == (b.from, to(b))) {
            let (from, to) = (same[0].from, to(&same[0]));
            let number = lanes.list.len();
            lanes.list.push((to, Lane::new(same)));
            lanes.numbers.insert((from, to), number);
            lanes.leaving.entry(from).or_insert(number..number).end = number + 1;
        }
        lanes
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.list.iter().flat_map(|(_, lane)| &lane.parts)
    }

    fn between(&self, from: ChainId, to: ChainId) -> Option<&Lane> {
        let number = *self.numbers.get(&(from, to))?;
        Some(&self.list[number].1)
    }

    /// The lanes that leave a chain, with where they arrive.
    fn leaving(&self, chain: ChainId) -> impl Iterator<Item = (ChainId, &Lane)> {
        let range = self.leaving.get(&chain).cloned().unwrap_or_default();
        self.list[range].iter().map(|(to, lane)| (*to, lane))
    }
}

impl Lane {
    fn new(parts: &[Part]) -> Self {
        let mut earliest: Vec<u32> = parts.iter().map(|part| part.end).collect();
        for place in (1..earliest.len()).rev() {
            earliest[place - 1] = earliest[place - 1].min(earliest[place]);
        }
        Lane {
            parts: parts.to_vec(),
            earliest,
        }
    }

    fn start(&self, position: u32) -> usize {
        self.parts.partition_point(|part| part.begin < position)
    }

    /// Those that begin there or later.
    fn behind(&self, position: u32) -> &[Part] {
        &self.parts[self.start(position)..]
    }

    /// Where the first of those to arrive does.
    fn earliest_end(&self, position: u32) -> u32 {
        let earliest = self.earliest.get(self.start(position));
        earliest.copied().unwrap_or(u32::MAX)
    }

    /// Those that begin at `position` or later, and end at `home` or earlier.
    fn home(&self, position: u32, home: u32) -> impl Iterator<Item = &Part> {
        let start = self.start(position);
        let left = self.parts[start..].iter().zip(&self.earliest[start..]);
        left.take_while(move |&(_, &earliest)| earliest <= home)
            .filter(move |(part, _)| part.end <= home)
            .map(|(part, _)| part)
    }
}
