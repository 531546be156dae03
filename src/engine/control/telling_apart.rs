//! Of all partitions of one size that satisfy the constraints, one that tells apart what should
//! not be confused: it excludes paths that were not found yet, and the next rounds need not grow
//! the number of classes so soon.

use super::safe_indices::SafeIndex;
use crate::reach::{Class, Partition, PointId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Pairs of points of which at least one has to be told apart; of a pair with several right
/// sides, all of them.
pub(super) type Constraint = BTreeSet<(PointId, Vec<PointId>)>;

/// How much it is worth to tell two points apart, which are in order.
pub(super) type Worth = FxHashMap<(PointId, PointId), usize>;

/// Points are moved to other classes as long as that helps, and at most so often.
const MOST_ROUNDS: usize = 8;
/// So often it is tried from elsewhere nearby.
const ATTEMPTS: usize = 20;

#[derive(Default)]
pub(super) struct Constraints {
    all: BTreeSet<Constraint>,
    /// Those that mention a point.
    about: FxHashMap<PointId, Vec<Constraint>>,
    /// Pairs that leave no choice.
    apart: FxHashSet<(PointId, PointId)>,
    /// What is not mentioned is worth little.
    worth: Worth,
}

impl Constraints {
    /// Whether it was not known before.
    pub(super) fn insert(&mut self, indices: &[SafeIndex]) -> bool {
        let reasons = indices.iter().map(|i| (i.at, i.needed.clone()));
        let constraint: Constraint = reasons.collect();
        if !self.all.insert(constraint.clone()) {
            return false;
        }
        if let [index] = indices
            && let [needed] = index.needed[..]
        {
            self.apart.insert(key(index.at, needed));
        }
        for (at, needed) in &constraint {
            for &needed in needed {
                *self.worth.entry(key(*at, needed)).or_default() += 1;
                for point in [*at, needed] {
                    let about = self.about.entry(point).or_default();
                    if about.last() != Some(&constraint) {
                        about.push(constraint.clone());
                    }
                }
            }
        }
        true
    }

    /// Prefers to tell apart what is worth much.
    pub(super) fn prefer(&mut self, worth: Worth) {
        for (pair, worth) in worth {
            *self.worth.entry(pair).or_default() += worth;
        }
    }

    /// No partition has fewer classes: so many points all have to be told apart from each other.
    pub(super) fn least_classes(&self, components: &[Vec<PointId>]) -> usize {
        let mut most = 1;
        for component in components {
            let is_apart = |one, other| self.apart.contains(&key(one, other));
            let degree = |one| {
                component
                    .iter()
                    .filter(|&&other| is_apart(one, other))
                    .count()
            };
            let mut busiest_first = component.clone();
            busiest_first.sort_by_key(|&point| std::cmp::Reverse(degree(point)));
            for &first in component {
                let mut clique = vec![first];
                for &point in &busiest_first {
                    if clique.iter().all(|&other| is_apart(point, other)) {
                        clique.push(point);
                    }
                }
                most = most.max(clique.len());
            }
        }
        most
    }

    /// Moves points of the components to other classes below the number of classes.
    pub(super) fn tell_apart(
        &self,
        components: &[Vec<PointId>],
        number: usize,
        partition: &mut Partition,
    ) {
        let tables: Vec<Table> = components.iter().map(|c| Table::new(self, c)).collect();
        self.descend(&tables, number, partition);
        let mut random = Random(0x9e37_79b9_7f4a_7c15);
        let mut least: usize = tables.iter().map(|t| t.confusion(partition)).sum();
        for _ in 0..ATTEMPTS {
            let mut other = partition.clone();
            for table in &tables {
                let point = table.points[random.below(table.points.len())];
                let class = Class(random.below(number) as u32);
                self.set_if_allowed(&mut other, point, class);
            }
            self.descend(&tables, number, &mut other);
            let confusion = tables.iter().map(|t| t.confusion(&other)).sum();
            if confusion < least {
                least = confusion;
                *partition = other;
            }
        }
    }

    fn descend(&self, tables: &[Table], number: usize, partition: &mut Partition) {
        for _ in 0..MOST_ROUNDS {
            let mut moved = false;
            for table in tables {
                for position in 0..table.points.len() {
                    moved |= self.improve(table, position, number, partition);
                }
            }
            if !moved {
                break;
            }
        }
    }

    /// Moves the point where it is confused with less, if that breaks no constraint.
    fn improve(
        &self,
        table: &Table,
        position: usize,
        number: usize,
        partition: &mut Partition,
    ) -> bool {
        let point = table.points[position];
        let mut costs = vec![0; number];
        for (&other, &worth) in table.points.iter().zip(&table.worth[position]) {
            if other != point
                && let Some(cost) = costs.get_mut(partition.class(other).0 as usize)
            {
                *cost += worth;
            }
        }
        let before = costs[partition.class(point).0 as usize];
        let mut better: Vec<u32> = (0..number as u32).collect();
        better.retain(|&class| costs[class as usize] < before);
        better.sort_by_key(|&class| costs[class as usize]);
        let mut better = better.into_iter();
        better.any(|class| self.set_if_allowed(partition, point, Class(class)))
    }

    fn set_if_allowed(&self, partition: &mut Partition, point: PointId, class: Class) -> bool {
        let before = partition.class(point);
        partition.set(point, class);
        let mut about = self.about.get(&point).into_iter().flatten();
        let allowed = about.all(|constraint| holds(constraint, partition));
        if !allowed {
            partition.set(point, before);
        }
        allowed
    }
}

/// What it is worth to tell the points of one component apart.
struct Table<'a> {
    points: &'a [PointId],
    worth: Vec<Vec<usize>>,
}

impl<'a> Table<'a> {
    fn new(constraints: &Constraints, points: &'a [PointId]) -> Table<'a> {
        let worth = |one: PointId, other: PointId| {
            let mentioned = constraints.worth.get(&key(one, other));
            1 + mentioned.copied().unwrap_or(0)
        };
        let row = |&one: &PointId| points.iter().map(|&other| worth(one, other)).collect();
        Table {
            points,
            worth: points.iter().map(row).collect(),
        }
    }

    /// What telling apart those would be worth that the partition does not tell apart.
    fn confusion(&self, partition: &Partition) -> usize {
        let mut sum = 0;
        for (position, &one) in self.points.iter().enumerate() {
            for (&other, &worth) in self
                .points
                .iter()
                .zip(&self.worth[position])
                .skip(position + 1)
            {
                if partition.class(one) == partition.class(other) {
                    sum += worth;
                }
            }
        }
        sum
    }
}

/// Numbers that look like dice, the same ones each time (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

pub(super) fn key(one: PointId, other: PointId) -> (PointId, PointId) {
    (one.min(other), one.max(other))
}

fn holds(constraint: &Constraint, partition: &Partition) -> bool {
    constraint.iter().any(|(at, needed)| {
        let mut needed = needed.iter();
        needed.all(|&needed| partition.class(*at) != partition.class(needed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::ComponentId;

    fn apart(one: u32, other: u32) -> SafeIndex {
        SafeIndex {
            k: 0,
            component: ComponentId(0),
            j: 1,
            at: PointId(one),
            needed: vec![PointId(other)],
        }
    }

    #[test]
    fn three_points_that_are_all_told_apart_need_three_classes() {
        let mut constraints = Constraints::default();
        for (one, other) in [(0, 1), (1, 2), (2, 0), (2, 3)] {
            constraints.insert(&[apart(one, other)]);
        }
        // A choice leaves open what it takes.
        constraints.insert(&[apart(0, 3), apart(1, 3)]);
        let component: Vec<PointId> = (0..4).map(PointId).collect();
        assert_eq!(constraints.least_classes(&[component]), 3);
    }
}
