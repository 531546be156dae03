//! Sets of literals of which every reason in question contains one.
//!
//! Literals without which nothing is violated, a *correction*, tell that every reason contains one
//! of them. Those that contain a certain one have to contain a literal of another correction, in
//! which it is not; and so on. So reasons are found in a tree, as in Reiter's *A theory of
//! diagnosis from first principles*: its nodes at one depth are the cores, each with as many
//! literals as it is deep, and a reason contains one of them unless it is known.

use super::consistent_part::ConsistentPart;
use super::known_reasons::KnownReasons;
use super::literal_sets::LiteralIndex;
use rustc_hash::FxHashSet;

/// How many cores there may be: one bit for each.
pub(super) const MOST_CORES: usize = u128::BITS as usize;

/// How many models to look for.
const MOST_CORRECTIONS: usize = 24;

pub(super) struct Cores {
    list: Vec<Core>,
    /// Found so far.
    corrections: Vec<Vec<LiteralIndex>>,
}

#[derive(Clone, Default)]
struct Core {
    /// Sorted.
    literals: Vec<LiteralIndex>,
    /// What the reasons in question do not contain, because another core is about those that
    /// do.
    without: FxHashSet<LiteralIndex>,
}

impl Cores {
    /// Of all reasons.
    pub(super) fn new() -> Self {
        Cores {
            list: vec![Core::default()],
            corrections: Vec::new(),
        }
    }

    /// The number of literals in each.
    pub(super) fn size(&self) -> usize {
        self.list.first().map_or(0, |core| core.literals.len())
    }

    /// Whether every reason is known.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &[LiteralIndex]> {
        self.list.iter().map(|core| core.literals.as_slice())
    }

    /// The literals of all cores.
    pub(super) fn literals(&self) -> FxHashSet<LiteralIndex> {
        let literals = self.list.iter().flat_map(|core| &core.literals);
        literals.copied().collect()
    }

    /// Makes each core larger by one literal. All reasons as large as the cores are known.
    /// Returns whether that was possible: else they are likely to be more than `most`, or a model
    /// was not found.
    pub(super) fn grow(
        &mut self,
        part: &mut ConsistentPart,
        known: &KnownReasons,
        conflicts: &[Vec<LiteralIndex>],
        most: usize,
    ) -> bool {
        self.list.retain(|core| !known.any_within(&core.literals));
        let mut larger = Vec::new();
        let count = self.list.len();
        for (done, core) in (1..).zip(self.list.clone()) {
            let Some(correction) = self.correction(&core, part, conflicts) else {
                return false;
            };
            let mut without = core.without;
            for literal in correction {
                let mut literals = core.literals.clone();
                literals.push(literal);
                literals.sort_unstable();
                // A reason that contains a known one is known.
                if !known.any_within(&literals) {
                    larger.push(Core {
                        literals,
                        without: without.clone(),
                    });
                }
                without.insert(literal);
            }
            // It takes long to grow all, so that is not done to no avail.
            if larger.len() * count > most * done {
                return false;
            }
        }
        self.list = larger;
        true
    }

    /// The literals of all reasons with one literal more than a core; `None` if a model was not
    /// found.
    pub(super) fn with_next_literals(
        &mut self,
        part: &mut ConsistentPart,
        conflicts: &[Vec<LiteralIndex>],
    ) -> Option<FxHashSet<LiteralIndex>> {
        let mut literals = self.literals();
        for core in self.list.clone() {
            literals.extend(self.correction(&core, part, conflicts)?);
        }
        Some(literals)
    }

    /// The literals of a correction that the reasons of a core may contain.
    fn correction(
        &mut self,
        core: &Core,
        part: &mut ConsistentPart,
        conflicts: &[Vec<LiteralIndex>],
    ) -> Option<Vec<LiteralIndex>> {
        let is_disjoint = |correction: &&Vec<LiteralIndex>| {
            let mut literals = core.literals.iter();
            !literals.any(|literal| correction.contains(literal))
        };
        let possible = |correction: &Vec<LiteralIndex>| {
            let literals = correction.iter().copied();
            let left = literals.filter(|literal| !core.without.contains(literal));
            left.collect::<Vec<LiteralIndex>>()
        };
        let usable = self.corrections.iter().filter(is_disjoint).map(possible);
        if let Some(smallest) = usable.min_by_key(Vec::len) {
            return Some(smallest);
        }
        if self.corrections.len() >= MOST_CORRECTIONS {
            return None;
        }
        let correction = part.correction(&core.literals, &core.without, conflicts)?;
        let left = possible(&correction);
        self.corrections.push(correction);
        Some(left)
    }
}

/// The cores as bits.
pub(super) struct CoreMasks {
    /// For each literal, the cores that it is in.
    with: Vec<u128>,
    all: u128,
}

/// The cores that do not have one of the literals of a set, and those that do not have two.
#[derive(Clone, Copy, Default)]
pub(super) struct Outside {
    one: u128,
    two: u128,
}

impl CoreMasks {
    pub(super) fn new(cores: &Cores, literals: usize) -> Self {
        let mut with = vec![0; literals];
        for (number, core) in cores.list.iter().enumerate() {
            for &literal in &core.literals {
                with[literal as usize] |= 1 << number;
            }
        }
        CoreMasks {
            with,
            all: u128::MAX >> (MOST_CORES - cores.len()),
        }
    }

    pub(super) fn outside(&self, set: &[LiteralIndex]) -> Outside {
        let mut outside = Outside::default();
        for &literal in set {
            let without = self.all & !self.with[literal as usize];
            outside.two |= outside.one & without;
            outside.one |= without;
        }
        outside
    }

    /// Whether all literals of a set but one are in some core.
    pub(super) fn hold(&self, set: Outside) -> bool {
        set.two != self.all
    }

    /// Whether that may be so for a union.
    pub(super) fn may_hold(&self, one: Outside, other: Outside, are_disjoint: bool) -> bool {
        let mut two = one.two | other.two;
        if are_disjoint {
            two |= one.one & other.one;
        }
        two != self.all
    }

    /// Whether some core has the literal.
    pub(super) fn have(&self, literal: LiteralIndex) -> bool {
        self.with[literal as usize] != 0
    }

    /// Whether no core has the whole set.
    pub(super) fn lack(&self, set: Outside) -> bool {
        set.one == self.all
    }

    /// The cores that have all literals of a set but one or none, by their numbers.
    pub(super) fn with_all_but_one(&self, set: Outside) -> impl Iterator<Item = usize> {
        let mut left = self.all & !set.two;
        std::iter::from_fn(move || {
            let core = left.trailing_zeros();
            left &= left.checked_sub(1)?;
            Some(core as usize)
        })
    }

    /// The first literal of a set that a core does not have.
    pub(super) fn not_in(&self, core: usize, set: &[LiteralIndex]) -> Option<LiteralIndex> {
        let mut set = set.iter().copied();
        set.find(|&literal| self.with[literal as usize] >> core & 1 == 0)
    }
}
