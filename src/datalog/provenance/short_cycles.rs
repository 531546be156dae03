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
        parts.sort_by_key(|part| part.begin);
        let mut departures: FxHashMap<ChainId, Vec<&Part>> = FxHashMap::default();
        let mut between: FxHashMap<(ChainId, ChainId), Vec<&Part>> = FxHashMap::default();
        for part in &parts {
            departures.entry(part.from).or_default().push(part);
            let to = self.store.event(part.last).chain;
            between.entry((part.from, to)).or_default().push(part);
        }
        let none = Vec::new();
        for first in &parts {
            if self.cycles.len() >= self.wanted.limit || self.tries > MOST_TRIES {
                return;
            }
            if !self.may_start(first) {
                continue;
            }
            let arrives = self.store.event(first.last).chain;
            let back = between.get(&(arrives, first.from)).unwrap_or(&none);
            for second in behind(back, first.end) {
                self.close(&[first, second]);
            }
            if self.wanted.parts < 3 || self.sets.members(first.weight).len() > 1 {
                continue;
            }
            for second in behind(departures.get(&arrives).unwrap_or(&none), first.end) {
                let arrives = self.store.event(second.last).chain;
                if self.sets.members(second.weight).len() > 1 {
                    continue;
                }
                let back = between.get(&(arrives, first.from)).unwrap_or(&none);
                self.tries += 1;
                for third in behind(back, second.end) {
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
    }

    fn may_start(&self, part: &Part) -> bool {
        self.wanted.suspects.is_none_or(|suspects| {
            let mut literals = self.sets.members(part.weight).iter();
            literals.any(|literal| suspects.contains(literal))
        })
    }

    /// Keeps the cycle of these paths, if it is one.
    fn close(&mut self, parts: &[&Part]) {
        let (first, last) = (parts[0], parts[parts.len() - 1]);
        let follow = |two: &[&Part]| self.meet(two[0], two[1]);
        if last.end > first.begin || !self.meet(last, first) || !parts.windows(2).all(follow) {
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

/// Those of the parts, which are sorted by their beginnings, that begin there or later.
fn behind<'a>(parts: &'a [&'a Part], position: u32) -> impl Iterator<Item = &'a Part> {
    let start = parts.partition_point(|part| part.begin < position);
    parts[start..].iter().copied()
}
