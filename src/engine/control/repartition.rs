//! NonMonControlRefine, Fig. 4: the smallest partition that excludes all spurious paths.
//!
//! Each control location has bits that say which class it is in. Each path adds one
//! constraint: of its safe indices at least one has locations with different bits. The
//! number m of classes starts at the last one and grows by one until a SAT solver finds bits
//! below m; clauses stay from call to call, and m is an assumption.

use super::necessary_pairs::NecessaryPairs;
use super::safe_indices::{SafeIndex, safe_indices};
use super::shortcuts::without_shortcuts;
use crate::reach::{Class, ControlRefinement, Feasibility, GaveUp, Partition, Path, point_name};
use crate::reach::{DataFeasibility, PointId, System};
use heddle_program::Program;
use heddle_solver::{Answer, Limits, Literal, Reason, Sat};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// So many paths of one round are taken in.
const PATHS_A_ROUND: usize = 16;

pub(crate) struct NonMonotonic {
    sat: Sat,
    /// m: the number of classes that the last partition may have.
    classes: usize,
    /// The bits of each point, the lowest first.
    bits: BTreeMap<PointId, Vec<Literal>>,
    /// Pairs that paths ask to tell apart.
    pairs: FxHashMap<(PointId, PointId), Pair>,
    /// Literals under which all bits are below a number of classes.
    below: FxHashMap<usize, Literal>,
    most_classes: usize,
    necessary: NecessaryPairs,
}

#[derive(Clone, Copy)]
struct Pair {
    /// True only if the two points have different bits.
    different: Literal,
    /// How many constraints mention the pair.
    mentions: usize,
}

/// The class of each point.
type Classes = BTreeMap<PointId, Class>;

impl NonMonotonic {
    pub(crate) fn new(program: &Program, limits: &Limits) -> NonMonotonic {
        let mut sat = Sat::new();
        sat.set_limits(limits.clone());
        NonMonotonic {
            sat,
            classes: 2,
            bits: BTreeMap::new(),
            pairs: FxHashMap::default(),
            below: FxHashMap::default(),
            most_classes: 0,
            necessary: NecessaryPairs::new(program),
        }
    }

    /// ⌈log₂ m⌉ bits a location. There are as many as the most classes need, and the highest
    /// ones are 0 for a smaller m.
    fn make_bits(&mut self, system: &System) {
        if !self.bits.is_empty() {
            return;
        }
        let counters = system.components.iter().filter(|c| c.is_counter);
        self.most_classes = counters.clone().map(|c| c.points.len()).max().unwrap_or(1);
        let width = bits_for(self.most_classes);
        for &point in counters.flat_map(|component| &component.points) {
            let bits: Vec<Literal> = (0..width).map(|_| self.sat.new_literal()).collect();
            self.bits.insert(point, bits);
        }
    }

    /// A literal that is true only if the bits of the two points differ, for one more
    /// constraint.
    fn different(&mut self, one: PointId, other: PointId) -> Literal {
        let key = (one.min(other), one.max(other));
        if let Some(pair) = self.pairs.get_mut(&key) {
            pair.mentions += 1;
            return pair.different;
        }
        let different = self.sat.new_literal();
        let mut some = vec![!different];
        for (&a, &b) in self.bits[&key.0].iter().zip(&self.bits[&key.1]) {
            let differs = self.sat.new_literal();
            self.sat.add_clause(&[!differs, a, b]);
            self.sat.add_clause(&[!differs, !a, !b]);
            some.push(differs);
        }
        self.sat.add_clause(&some);
        let mentions = 1;
        self.pairs.insert(
            key,
            Pair {
                different,
                mentions,
            },
        );
        different
    }

    /// Ψ of a path: at least one of its safe indices.
    fn add_constraint(&mut self, indices: &[SafeIndex]) {
        let mut clause = Vec::new();
        for index in indices {
            let told_apart: Vec<Literal> = index
                .needed
                .iter()
                .map(|&needed| self.different(index.at, needed))
                .collect();
            clause.push(match told_apart[..] {
                [only] => only,
                _ => {
                    let all = self.sat.new_literal();
                    for literal in told_apart {
                        self.sat.add_clause(&[!all, literal]);
                    }
                    all
                }
            });
        }
        self.sat.add_clause(&clause);
    }

    /// The assumption that all bits, read as numbers, are below the number of classes.
    fn below(&mut self, classes: usize) -> Literal {
        if let Some(&known) = self.below.get(&classes) {
            return known;
        }
        let assumption = self.sat.new_literal();
        let largest = classes - 1;
        for bits in self.bits.values() {
            // A number is too large if it has a 1 where the largest one has a 0, and all of
            // the largest one's 1s above.
            for (place, &bit) in bits.iter().enumerate() {
                if largest >> place & 1 == 1 {
                    continue;
                }
                let mut clause = vec![!assumption, !bit];
                let above = bits.iter().enumerate().skip(place + 1);
                let ones = above.filter(|(place, _)| largest >> place & 1 == 1);
                clause.extend(ones.map(|(_, &bit)| !bit));
                self.sat.add_clause(&clause);
            }
        }
        self.below.insert(classes, assumption);
        assumption
    }

    /// Bits that are as before are tried first, so that few locations move.
    fn prefer(&mut self, partition: &Partition) {
        for (&point, bits) in &self.bits {
            let class = partition.class(point).0;
            for (place, &bit) in bits.iter().enumerate() {
                let is_set = class >> place & 1 == 1;
                self.sat.prefer(if is_set { bit } else { !bit });
            }
        }
    }

    /// The classes of the model.
    fn model(&mut self) -> Classes {
        let mut classes = Classes::new();
        for (&point, bits) in &self.bits {
            let mut class = 0;
            for (place, &bit) in bits.iter().enumerate() {
                class |= u32::from(self.sat.value(bit)) << place;
            }
            classes.insert(point, Class(class));
        }
        classes
    }

    /// The classes of least number that satisfy all constraints.
    fn solve(&mut self) -> Result<Classes, GaveUp> {
        loop {
            let below = self.below(self.classes);
            match self.sat.check(&[below]) {
                Answer::Sat => {
                    let classes = self.model();
                    return Ok(self.tell_apart(below, classes)?);
                }
                Answer::Unsat if self.classes < self.most_classes => self.classes += 1,
                Answer::Unsat => {
                    return Err(GaveUp(
                        "no partition excludes all spurious paths, which is a bug of this engine"
                            .into(),
                    ));
                }
                Answer::Unknown(reason) => return Err(reason.into()),
            }
        }
    }

    /// Of all partitions of this size one that tells many pairs apart, those first that many
    /// paths ask for: it excludes paths that were not found yet, and the next rounds need
    /// not grow the number of classes so soon.
    fn tell_apart(&mut self, below: Literal, mut classes: Classes) -> Result<Classes, Reason> {
        let mut pairs: Vec<_> = self.pairs.iter().map(|(&key, &pair)| (pair, key)).collect();
        pairs.sort_unstable_by_key(|&(pair, key)| (std::cmp::Reverse(pair.mentions), key));
        let mut assumed = vec![below];
        for (pair, (one, other)) in pairs {
            assumed.push(pair.different);
            if classes[&one] != classes[&other] {
                continue;
            }
            match self.sat.check(&assumed) {
                Answer::Sat => classes = self.model(),
                Answer::Unsat => {
                    assumed.pop();
                }
                Answer::Unknown(reason) => return Err(reason),
            }
        }
        Ok(classes)
    }
}

/// ⌈log₂ m⌉.
fn bits_for(classes: usize) -> u32 {
    classes.next_power_of_two().trailing_zeros()
}

impl NonMonotonic {
    /// Paths that are spurious for a single one of the reasons of the given path.
    fn necessary(
        &mut self,
        system: &mut System,
        feasibility: &mut Feasibility,
        path: &Path,
    ) -> Result<Vec<Path>, Reason> {
        let mut paths = Vec::new();
        for index in safe_indices(system, path) {
            for &needed in &index.needed {
                let Some(found) = self.necessary.path(system, index.at, needed) else {
                    continue;
                };
                let execution = feasibility.execute(system, &found);
                if let DataFeasibility::Feasible = feasibility.check(system, &execution)? {
                    paths.push(found);
                }
            }
        }
        Ok(paths)
    }
}

impl ControlRefinement for NonMonotonic {
    fn strengthen(
        &mut self,
        system: &mut System,
        feasibility: &mut Feasibility,
        path: &Path,
    ) -> Result<Vec<Path>, GaveUp> {
        let path = without_shortcuts(system, feasibility, path)?;
        let mut paths = match safe_indices(system, &path).len() {
            0 | 1 => Vec::new(),
            _ => self.necessary(system, feasibility, &path)?,
        };
        paths.push(path);
        Ok(paths)
    }

    fn paths_a_round(&self) -> usize {
        PATHS_A_ROUND
    }

    fn refine(
        &mut self,
        program: &Program,
        system: &System,
        partition: &Partition,
        paths: &[Path],
    ) -> Result<(Partition, Vec<String>), GaveUp> {
        self.make_bits(system);
        let mut constraints = Vec::new();
        for path in paths {
            let indices = safe_indices(system, path);
            self.add_constraint(&indices);
            constraints.push(constraint(program, system, &indices));
        }
        self.prefer(partition);
        let mut new = partition.clone();
        for (point, class) in self.solve()? {
            new.set(point, class);
        }
        Ok((new, constraints))
    }
}

/// The constraint for people: `bits(11) ≠ bits(13) ∨ bits(14) ≠ bits(17)`.
pub(crate) fn constraint(program: &Program, system: &System, indices: &[SafeIndex]) -> String {
    let name = |point: PointId| point_name(program, system, point);
    let alternatives = indices.iter().map(|index| {
        let at = name(index.at);
        let parts = index.needed.iter();
        let parts: Vec<String> = parts
            .map(|&needed| format!("bits({at}) ≠ bits({})", name(needed)))
            .collect();
        match &parts[..] {
            [only] => only.clone(),
            _ => format!("({})", parts.join(" ∧ ")),
        }
    });
    alternatives.collect::<Vec<String>>().join(" ∨ ")
}
