//! The reasons found so far.

use super::algebra::Choice;
use super::literal_sets::LiteralIndex;
use rustc_hash::{FxHashMap, FxHashSet};

/// The reasons found so far, arranged for the question whether a set contains one. There
/// can be many thousands of one or two literals, few larger ones.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownReasons {
    count: usize,
    /// For each literal, if given, the number of its group: no two of a group go together.
    groups: Vec<u32>,
    has_empty: bool,
    singles: FxHashSet<LiteralIndex>,
    pairs: FxHashSet<(LiteralIndex, LiteralIndex)>,
    larger: FxHashMap<LiteralIndex, Vec<Box<[LiteralIndex]>>>,
}

impl KnownReasons {
    /// Any two literals of a group are a reason.
    pub(super) fn exclusive(groups: Vec<u32>) -> Self {
        KnownReasons {
            count: usize::from(!groups.is_empty()),
            groups,
            ..KnownReasons::default()
        }
    }

    pub(super) fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }

    /// The group of a literal, if there are any.
    pub(super) fn choice(&self, literal: LiteralIndex) -> Option<Choice> {
        self.groups.get(literal as usize).copied().map(Choice)
    }

    /// Whether these two are of one group.
    pub(super) fn exclude(&self, one: LiteralIndex, other: LiteralIndex) -> bool {
        self.choice(one).is_some() && self.choice(one) == self.choice(other)
    }

    pub(super) fn add(&mut self, reason: &[LiteralIndex]) {
        self.count += 1;
        match *reason {
            [] => self.has_empty = true,
            [single] => _ = self.singles.insert(single),
            [one, other] => _ = self.pairs.insert((one, other)),
            [first, ..] => self.larger.entry(first).or_default().push(reason.into()),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Whether the set, which is sorted, contains one.
    pub(super) fn any_within(&self, set: &[LiteralIndex]) -> bool {
        let with = |position: usize, &literal: &LiteralIndex| {
            let rest = &set[position + 1..];
            self.singles.contains(&literal)
                || self.has_groups() && rest.iter().any(|&other| self.exclude(literal, other))
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
pub(super) fn is_subset(one: &[LiteralIndex], other: &[LiteralIndex]) -> bool {
    let mut rest = other.iter();
    one.len() <= other.len()
        && one
            .iter()
            .all(|member| rest.any(|candidate| candidate == member))
}
