//! Weights for reasons: the set of literals that a derivation rests on. Subsets are better.
//!
//! Sets are interned, so that a weight is a number and equal sets are equal numbers. Two
//! kinds of sets are of no interest and never made: those with more literals than the cap,
//! and those that contain a reason that is known already, because no kernel reason
//! contains another.

use super::algebra::Algebra;
use crate::facts::LiteralName;
use rustc_hash::{FxHashMap, FxHashSet};

/// Position of a literal among those considered, which are sorted by name.
pub(super) type LiteralIndex = u32;

/// An interned set of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct LiteralSet(u32);

pub(super) struct LiteralSets {
    always: LiteralName,
    indexes: FxHashMap<LiteralName, LiteralIndex>,
    /// The largest size of interest.
    cap: usize,
    /// Whether some set was larger.
    cut: bool,
    sets: Vec<Interned>,
    numbers: FxHashMap<Box<[LiteralIndex]>, LiteralSet>,
    /// `None` for a union that was larger than the cap.
    unions: FxHashMap<(LiteralSet, LiteralSet), Option<LiteralSet>>,
    scratch: Vec<LiteralIndex>,
    reasons: KnownReasons,
}

struct Interned {
    members: Box<[LiteralIndex]>,
    /// One bit for each member, modulo 64: a quick way to see that a set is no subset.
    signature: u64,
    dead: bool,
    /// How many reasons were known when `dead` was last computed.
    checked: usize,
}

pub(super) const EMPTY: LiteralSet = LiteralSet(0);

impl LiteralSets {
    /// Considers the given literals, which are sorted by name, and `always`, which stands
    /// for no literal at all.
    pub(super) fn new(always: LiteralName, literals: &[LiteralName], cap: usize) -> Self {
        let indexes = literals
            .iter()
            .enumerate()
            .map(|(index, &literal)| (literal, index as LiteralIndex))
            .collect();
        let mut sets = LiteralSets {
            always,
            indexes,
            cap,
            cut: false,
            sets: Vec::new(),
            numbers: FxHashMap::default(),
            unions: FxHashMap::default(),
            scratch: Vec::new(),
            reasons: KnownReasons::default(),
        };
        sets.intern(&[]);
        sets
    }

    pub(super) fn members(&self, set: LiteralSet) -> &[LiteralIndex] {
        &self.sets[set.0 as usize].members
    }

    /// From now on, no set that contains `reason` is of interest.
    pub(super) fn add_reason(&mut self, reason: &[LiteralIndex]) {
        self.reasons.add(reason);
    }

    /// Whether a combination was given up because it was larger than the cap.
    pub(super) fn was_cut(&self) -> bool {
        self.cut
    }

    fn intern(&mut self, members: &[LiteralIndex]) -> LiteralSet {
        if let Some(&set) = self.numbers.get(members) {
            return set;
        }
        let set = LiteralSet(self.sets.len() as u32);
        let signature = members
            .iter()
            .fold(0, |bits, member| bits | 1 << (member % 64));
        self.sets.push(Interned {
            members: members.into(),
            signature,
            dead: false,
            checked: 0,
        });
        self.numbers.insert(members.into(), set);
        set
    }

    /// `None` if the union is of no interest.
    fn union(&mut self, one: LiteralSet, other: LiteralSet) -> Option<LiteralSet> {
        let key = (one.min(other), one.max(other));
        let union = match self.unions.get(&key) {
            Some(&known) => known,
            None => {
                let union = self.make_union(one, other);
                self.unions.insert(key, union);
                union
            }
        };
        union.filter(|&union| self.members(union).len() <= self.cap && !self.is_dead(union))
    }

    /// `None` if the union is larger than the cap.
    fn make_union(&mut self, one: LiteralSet, other: LiteralSet) -> Option<LiteralSet> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        merge(self.members(one), self.members(other), &mut scratch);
        let fits = scratch.len() <= self.cap;
        self.cut |= !fits;
        let union = fits.then(|| self.intern(&scratch));
        self.scratch = scratch;
        union
    }
}

impl Algebra for LiteralSets {
    type Weight = LiteralSet;
    const NOTHING: LiteralSet = EMPTY;
    const CHAINS_ARE_FREE: bool = true;

    fn fact(&mut self, literal: LiteralName) -> Option<LiteralSet> {
        if literal == self.always {
            return Some(EMPTY);
        }
        let &index = self.indexes.get(&literal)?;
        if self.cap == 0 {
            self.cut = true;
            return None;
        }
        Some(self.intern(&[index]))
    }

    fn and(&mut self, one: LiteralSet, other: LiteralSet) -> Option<LiteralSet> {
        if other == EMPTY || one == other {
            Some(one)
        } else if one == EMPTY {
            Some(other)
        } else {
            self.union(one, other)
        }
    }

    fn head(&self, body: LiteralSet) -> LiteralSet {
        body
    }

    fn covers(&self, one: LiteralSet, other: LiteralSet) -> bool {
        if one == other || one == EMPTY {
            return true;
        }
        let (one, other) = (&self.sets[one.0 as usize], &self.sets[other.0 as usize]);
        one.signature & !other.signature == 0 && is_subset(&one.members, &other.members)
    }

    fn level(&self, weight: LiteralSet) -> u64 {
        self.members(weight).len() as u64
    }

    fn is_dead(&mut self, weight: LiteralSet) -> bool {
        let set = &mut self.sets[weight.0 as usize];
        if set.members.len() > self.cap {
            return true;
        }
        if !set.dead && set.checked < self.reasons.count {
            set.dead = self.reasons.any_within(&set.members);
            set.checked = self.reasons.count;
        }
        set.dead
    }

    fn found_conflict(&mut self, weight: LiteralSet) {
        let members = self.members(weight).to_vec();
        self.add_reason(&members);
    }

    fn stop_above(&mut self, level: u64) {
        self.cap = self.cap.min(level as usize);
    }

    fn edge(&self, tuple: LiteralSet) -> LiteralSet {
        tuple
    }

    fn chain_step(&mut self, from: LiteralSet, to: LiteralSet) -> Option<LiteralSet> {
        self.and(from, to)
    }

    fn append(&mut self, path: LiteralSet, rest: LiteralSet) -> Option<LiteralSet> {
        self.and(path, rest)
    }

    fn pair(&self, path: LiteralSet) -> LiteralSet {
        path
    }

    fn path_level(&self, path: LiteralSet) -> u64 {
        self.level(path)
    }
}

/// The reasons found so far, arranged for the question whether a set contains one. There
/// can be many thousands of one or two literals, few larger ones.
#[derive(Default)]
struct KnownReasons {
    count: usize,
    has_empty: bool,
    singles: FxHashSet<LiteralIndex>,
    pairs: FxHashSet<(LiteralIndex, LiteralIndex)>,
    larger: FxHashMap<LiteralIndex, Vec<Box<[LiteralIndex]>>>,
}

impl KnownReasons {
    fn add(&mut self, reason: &[LiteralIndex]) {
        self.count += 1;
        match *reason {
            [] => self.has_empty = true,
            [single] => _ = self.singles.insert(single),
            [one, other] => _ = self.pairs.insert((one, other)),
            [first, ..] => self.larger.entry(first).or_default().push(reason.into()),
        }
    }

    fn any_within(&self, set: &[LiteralIndex]) -> bool {
        let with = |position: usize, &literal: &LiteralIndex| {
            let rest = &set[position + 1..];
            self.singles.contains(&literal)
                || !self.pairs.is_empty()
                    && rest
                        .iter()
                        .any(|&other| self.pairs.contains(&(literal, other)))
                || self.larger.get(&literal).is_some_and(|reasons| {
                    let mut reasons = reasons.iter();
                    reasons.any(|reason| is_subset(reason, &set[position..]))
                })
        };
        self.has_empty
            || set
                .iter()
                .enumerate()
                .any(|(position, literal)| with(position, literal))
    }
}

/// Both sorted.
fn is_subset(one: &[LiteralIndex], other: &[LiteralIndex]) -> bool {
    let mut rest = other.iter();
    one.len() <= other.len()
        && one
            .iter()
            .all(|member| rest.any(|candidate| candidate == member))
}

fn merge(one: &[LiteralIndex], other: &[LiteralIndex], into: &mut Vec<LiteralIndex>) {
    let (mut i, mut j) = (0, 0);
    while i < one.len() && j < other.len() {
        let (x, y) = (one[i], other[j]);
        into.push(x.min(y));
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    into.extend_from_slice(&one[i..]);
    into.extend_from_slice(&other[j..]);
}
