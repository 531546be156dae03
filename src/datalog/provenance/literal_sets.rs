//! Weights for reasons: the set of literals that a derivation rests on. Subsets are better.
//!
//! Sets are interned, so that a weight is a number and equal sets are equal numbers. Two
//! kinds of sets are of no interest and never made: those with more literals than the cap,
//! and those that contain a reason that is known already, because no kernel reason
//! contains another. If every reason in question is known to contain one of a few
//! [cores](super::cores), which are smaller than the cap by one, sets with two literals that
//! are not in one and the same core are of no interest either: they would be larger with it.

use super::algebra::{Algebra, Choice, Place};
use super::cores::{CoreMasks, Cores, Outside};
use super::known_reasons::{KnownReasons, is_subset};
use crate::facts::LiteralName;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::ops::Range;

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
    /// If given, all literals of a set but one have to be in one of them.
    cores: Option<CoreMasks>,
    /// For each core, where its subsets are in [`LiteralSets::parts`].
    parts_of_cores: Vec<Range<u32>>,
    sets: Vec<Interned>,
    /// If there are cores: for each set, what is outside of them.
    outside: Vec<Outside>,
    /// The members of all sets, one after the other, each sorted.
    members: Vec<LiteralIndex>,
    numbers: HashTable<LiteralSet>,
    /// The set of each literal alone.
    singles: Vec<LiteralSet>,
    /// The subsets of those sets that were asked for them.
    parts: Vec<LiteralSet>,
    scratch: Vec<LiteralIndex>,
    reasons: KnownReasons,
}

struct Interned {
    /// One bit for each member, modulo 64: a quick way to see that a set is no subset, or
    /// that a union is too large.
    signature: u64,
    start: u32,
    end: u32,
    /// How many reasons were known when `dead` was last computed.
    checked: u32,
    dead: bool,
    /// Where the subsets begin in [`LiteralSets::parts`], once they are there.
    parts: u32,
}

const NO_PARTS: u32 = u32::MAX;

pub(super) const EMPTY: LiteralSet = LiteralSet(0);

/// The subsets of larger sets are too many to go through.
const MOST_PARTS: usize = 4;

/// Looking for more partners than that takes longer than looking at everything.
const MOST_PARTNERS: usize = 64;

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
            cores: None,
            parts_of_cores: Vec::new(),
            sets: Vec::new(),
            outside: Vec::new(),
            members: Vec::new(),
            numbers: HashTable::new(),
            singles: Vec::new(),
            parts: Vec::new(),
            scratch: Vec::new(),
            reasons: KnownReasons::default(),
        };
        sets.intern(&[]);
        let singles = (0..literals.len() as LiteralIndex).map(|literal| sets.intern(&[literal]));
        sets.singles = singles.collect();
        sets
    }

    pub(super) fn members(&self, set: LiteralSet) -> &[LiteralIndex] {
        let set = &self.sets[set.0 as usize];
        &self.members[set.start as usize..set.end as usize]
    }

    /// How many literals are considered.
    pub(super) fn count(&self) -> usize {
        self.singles.len()
    }

    /// The largest size of interest.
    pub(super) fn cap(&self) -> usize {
        self.cap
    }

    fn len(&self, set: LiteralSet) -> usize {
        let set = &self.sets[set.0 as usize];
        (set.end - set.start) as usize
    }

    /// From now on, no set that contains one of the reasons is of interest.
    pub(super) fn set_reasons(&mut self, reasons: KnownReasons) {
        self.reasons = reasons;
    }

    /// What is known not to be of interest.
    pub(super) fn reasons(&self) -> &KnownReasons {
        &self.reasons
    }

    /// From now on, no set that contains this reason is of interest.
    pub(super) fn add_reason(&mut self, reason: &[LiteralIndex]) {
        self.reasons.add(reason);
    }

    /// Every reason in question contains one of these sets, which are smaller than the cap by
    /// one.
    pub(super) fn set_cores(&mut self, cores: &Cores) {
        debug_assert_eq!(cores.size() + 1, self.cap);
        self.parts_of_cores.clear();
        for core in cores.all() {
            let core = self.intern(core);
            let parts = self.parts(core).expect("cores are small");
            self.parts_of_cores.push(parts);
        }
        self.cores = Some(CoreMasks::new(cores, self.singles.len()));
        self.outside.clear();
        for set in (0..self.sets.len() as u32).map(LiteralSet) {
            self.note_outside(set);
        }
    }

    /// From now on, sets of another size are of interest, around these cores, unless they contain
    /// one of the reasons.
    pub(super) fn widen(&mut self, cap: usize, cores: &Cores, reasons: KnownReasons) {
        self.cap = cap;
        self.cut = false;
        self.reasons = reasons;
        for set in &mut self.sets {
            set.checked = 0;
        }
        self.set_cores(cores);
    }

    /// To be called for one set after the other.
    fn note_outside(&mut self, set: LiteralSet) {
        if let Some(cores) = &self.cores {
            self.outside.push(cores.outside(self.members(set)));
        }
    }

    /// Whether the union may be of interest, as far as sizes tell.
    fn fits(&self, one: LiteralSet, other: LiteralSet) -> bool {
        let (x, y) = (&self.sets[one.0 as usize], &self.sets[other.0 as usize]);
        let are_disjoint = x.signature & y.signature == 0;
        (x.signature | y.signature).count_ones() as usize <= self.cap
            && (self.cores.as_ref()).is_none_or(|cores| {
                let [one, other] = [one, other].map(|set| self.outside[set.0 as usize]);
                cores.may_hold(one, other, are_disjoint)
            })
            && !self.exclude(x, y)
    }

    /// Whether these are single literals that never go together.
    fn exclude(&self, one: &Interned, other: &Interned) -> bool {
        let is_single = |set: &Interned| set.end == set.start + 1;
        self.reasons.has_groups()
            && is_single(one)
            && is_single(other)
            && one.start != other.start
            && (self.reasons).exclude(
                self.members[one.start as usize],
                self.members[other.start as usize],
            )
    }

    /// Whether a combination was given up because it was larger than the cap.
    pub(super) fn was_cut(&self) -> bool {
        self.cut
    }

    fn find(&self, members: &[LiteralIndex]) -> Option<LiteralSet> {
        let is_equal = |&set: &LiteralSet| self.members(set) == members;
        self.numbers.find(hash(members), is_equal).copied()
    }

    fn intern(&mut self, members: &[LiteralIndex]) -> LiteralSet {
        if let Some(set) = self.find(members) {
            return set;
        }
        let set = LiteralSet(self.sets.len() as u32);
        let start = self.members.len() as u32;
        self.members.extend_from_slice(members);
        self.sets.push(Interned {
            signature: signature(members),
            start,
            end: self.members.len() as u32,
            checked: 0,
            dead: false,
            parts: NO_PARTS,
        });
        self.note_outside(set);
        let Self {
            numbers,
            sets,
            members: all,
            ..
        } = self;
        numbers.insert_unique(hash(members), set, |set| {
            let set = &sets[set.0 as usize];
            hash(&all[set.start as usize..set.end as usize])
        });
        set
    }

    /// All subsets.
    fn make_parts(&mut self, set: LiteralSet) -> Vec<LiteralSet> {
        let members = self.members(set).to_vec();
        let all = (1 << members.len()) - 1;
        (0..=all)
            .map(|chosen: usize| {
                let is_chosen = |place: &usize| chosen >> place & 1 == 1;
                let mut places = (0..members.len()).filter(is_chosen);
                match chosen.count_ones() {
                    0 => EMPTY,
                    _ if chosen == all => set,
                    1 => self.singles[members[places.next().unwrap_or_default()] as usize],
                    _ => {
                        let part: Vec<LiteralIndex> = places.map(|place| members[place]).collect();
                        self.intern(&part)
                    }
                }
            })
            .collect()
    }

    /// What a set that is in no core can be combined with, if it is not too much: whatever consists
    /// of literals of a core that has all of it but one literal, and of that literal.
    fn partners(&self, set: LiteralSet, outside: Outside) -> Option<Vec<LiteralSet>> {
        let cores = self.cores.as_ref()?;
        let mut partners = Vec::new();
        let mut members = Vec::new();
        for core in cores.with_all_but_one(outside) {
            let one = cores.not_in(core, self.members(set))?;
            for part in self.parts_of_cores[core].clone() {
                let part = self.part(part);
                members.clear();
                merge(self.members(part), &[one], &mut members);
                partners.push(part);
                // Nothing has a weight that does not exist yet.
                partners.extend(self.find(&members));
            }
            if partners.len() > MOST_PARTNERS {
                return None;
            }
        }
        partners.sort_unstable();
        partners.dedup();
        Some(partners)
    }

    /// `None` if the union is of no interest. Neither set is empty.
    fn union(&mut self, one: LiteralSet, other: LiteralSet) -> Option<LiteralSet> {
        if !self.fits(one, other) {
            self.cut = true;
            return None;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        merge(self.members(one), self.members(other), &mut scratch);
        let fits = scratch.len() <= self.cap
            && (self.cores.as_ref()).is_none_or(|cores| cores.hold(cores.outside(&scratch)));
        self.cut |= !fits;
        let union = fits.then(|| self.intern(&scratch));
        self.scratch = scratch;
        union.filter(|&union| !self.is_dead(union))
    }
}

impl Algebra for LiteralSets {
    type Weight = LiteralSet;
    const NOTHING: LiteralSet = EMPTY;
    const HAS_PARTS: bool = true;
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
        Some(self.singles[index as usize])
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

    fn may_fit<const N: usize>(&mut self, weights: [LiteralSet; N]) -> bool {
        let sets = weights.map(|weight| &self.sets[weight.0 as usize]);
        let signature = sets.iter().fold(0, |bits, set| bits | set.signature);
        let fits = signature.count_ones() as usize <= self.cap
            && weights.windows(2).all(|two| self.fits(two[0], two[1]));
        self.cut |= !fits;
        fits
    }

    fn head(&self, body: LiteralSet) -> LiteralSet {
        body
    }

    fn covers(&self, one: LiteralSet, other: LiteralSet) -> bool {
        if one == other || one == EMPTY {
            return true;
        }
        let (x, y) = (&self.sets[one.0 as usize], &self.sets[other.0 as usize]);
        x.signature & !y.signature == 0 && is_subset(self.members(one), self.members(other))
    }

    fn level(&self, weight: LiteralSet) -> u64 {
        self.len(weight) as u64
    }

    fn is_dead(&mut self, weight: LiteralSet) -> bool {
        let set = &mut self.sets[weight.0 as usize];
        if set.dead || (set.end - set.start) as usize > self.cap {
            return true;
        }
        if (set.checked as usize) < self.reasons.len() {
            let members = &self.members[set.start as usize..set.end as usize];
            set.dead = self.reasons.any_within(members);
            set.checked = self.reasons.len() as u32;
        }
        set.dead
    }

    fn parts(&mut self, weight: LiteralSet) -> Option<Range<u32>> {
        let size = self.len(weight);
        if size > MOST_PARTS {
            return None;
        }
        let mut start = self.sets[weight.0 as usize].parts;
        if start == NO_PARTS {
            let parts = self.make_parts(weight);
            start = self.parts.len() as u32;
            self.parts.extend_from_slice(&parts);
            self.sets[weight.0 as usize].parts = start;
        }
        Some(start..start + (1 << size))
    }

    fn part(&self, number: u32) -> LiteralSet {
        self.parts[number as usize]
    }

    /// A set that is in no core can only be combined with its own subsets, and with those and
    /// parts of cores that have all of it but one literal. For a single literal, these are too
    /// many to look them up.
    fn only_partners(&mut self, weight: LiteralSet) -> Option<Range<u32>> {
        if self.is_full(weight) {
            return self.parts(weight);
        }
        let cores = self.cores.as_ref()?;
        let outside = self.outside[weight.0 as usize];
        if self.len(weight) < 2 || !cores.lack(outside) {
            return None;
        }
        let partners = self.partners(weight, outside)?;
        self.cut = true;
        let start = self.parts.len() as u32;
        self.parts.extend(partners);
        Some(start..self.parts.len() as u32)
    }

    fn place(&self, weight: LiteralSet) -> Place {
        let Some(cores) = &self.cores else {
            return Place::Elsewhere;
        };
        let members = self.members(weight).iter().copied();
        let mut others = members.filter(|&literal| !cores.have(literal));
        match (others.next(), others.next()) {
            (None, _) if weight != EMPTY => Place::Within,
            (Some(literal), None) => Place::Beside(literal),
            _ => Place::Elsewhere,
        }
    }

    fn is_full(&mut self, weight: LiteralSet) -> bool {
        let is_full = self.len(weight) >= self.cap;
        // Whatever is not combined with it might have made a larger set.
        self.cut |= is_full;
        is_full
    }

    fn has_choices(&self) -> bool {
        self.reasons.has_groups()
    }

    fn choice(&self, weight: LiteralSet) -> Option<Choice> {
        match *self.members(weight) {
            [single] => self.reasons.choice(single),
            _ => None,
        }
    }

    fn found_conflict(&mut self, weight: LiteralSet) {
        let members = self.members(weight).to_vec();
        self.add_reason(&members);
    }

    fn stop_above(&mut self, level: u64) {
        let cap = level as usize;
        self.cut |= cap < self.cap;
        self.cap = self.cap.min(cap);
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

fn hash(members: &[LiteralIndex]) -> u64 {
    let mut hasher = FxHasher::default();
    for &member in members {
        hasher.write_u32(member);
    }
    hasher.finish()
}

fn signature(members: &[LiteralIndex]) -> u64 {
    members
        .iter()
        .fold(0, |bits, member| bits | 1 << (member % 64))
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
