//! NonMonControlRefine, Fig. 4: the smallest partition that excludes all spurious paths.
//!
//! Each control location has bits that say which class it is in. Each path adds one
//! constraint: of its safe indices at least one has locations with different bits. The
//! number m of classes starts at the last one and grows by one until a SAT solver finds bits
//! below m; clauses stay from call to call, and m is an assumption.

use super::concrete_states::ConcreteStates;
use super::necessary_pairs::jumps;
use super::safe_indices::{SafeIndex, safe_indices};
use super::shortcuts::without_shortcuts;
use super::telling_apart::Constraints;
use super::trial_runs::{Trial, try_out};
use crate::reach::{Class, ControlRefinement, Feasibility, GaveUp, Partition, Path, point_name};
use crate::reach::{PointId, System};
use heddle_program::{Program, Value, VarId};
use heddle_solver::{Answer, Limits, Literal, Sat};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// So many paths of one round are taken in.
const PATHS_A_ROUND: usize = 20;
/// So many partitions are tried in advance.
const MOST_TRIALS: usize = 30;

pub(crate) struct NonMonotonic {
    sat: Sat,
    /// m: the number of classes that the last partition may have.
    classes: usize,
    /// The bits of each point, the lowest first.
    bits: BTreeMap<PointId, Vec<Literal>>,
    /// Literals that are true only if two points have different bits.
    different: FxHashMap<(PointId, PointId), Literal>,
    constraints: Constraints,
    /// The points of each program counter.
    components: Vec<Vec<PointId>>,
    /// Literals under which all bits are below a number of classes.
    below: FxHashMap<usize, Literal>,
    most_classes: usize,
    /// States that were seen, for whoever asks next.
    witnesses: Vec<FxHashMap<VarId, Value>>,
}

impl NonMonotonic {
    pub(crate) fn new(limits: &Limits) -> NonMonotonic {
        let mut sat = Sat::new();
        sat.set_limits(limits.clone());
        NonMonotonic {
            sat,
            classes: 2,
            bits: BTreeMap::new(),
            different: FxHashMap::default(),
            constraints: Constraints::default(),
            components: Vec::new(),
            below: FxHashMap::default(),
            most_classes: 0,
            witnesses: Vec::new(),
        }
    }

    /// ⌈log₂ m⌉ bits a location. There are as many as the most classes need, and the highest
    /// ones are 0 for a smaller m.
    fn make_bits(&mut self, system: &System) {
        let counters = system.components.iter().filter(|c| c.is_counter);
        self.most_classes = counters.clone().map(|c| c.points.len()).max().unwrap_or(1);
        let width = bits_for(self.most_classes);
        for &point in counters.clone().flat_map(|component| &component.points) {
            let bits: Vec<Literal> = (0..width).map(|_| self.sat.new_literal()).collect();
            self.bits.insert(point, bits);
        }
        self.components = counters.map(|component| component.points.clone()).collect();
    }

    /// A literal that is true only if the bits of the two points differ.
    fn different(&mut self, one: PointId, other: PointId) -> Literal {
        let key = (one.min(other), one.max(other));
        if let Some(&known) = self.different.get(&key) {
            return known;
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
        self.different.insert(key, different);
        different
    }

    /// Adds the constraints of paths, and says those that are new.
    fn note(&mut self, program: &Program, system: &System, paths: &[Path]) -> Vec<String> {
        let mut said = Vec::new();
        for path in paths {
            let indices = safe_indices(system, path);
            if self.add_constraint(&indices) {
                said.push(constraint(program, system, &indices));
            }
        }
        said
    }

    /// Finds constraints by running the program, which would take many rounds otherwise.
    fn look_ahead(
        &mut self,
        program: &Program,
        partition: &Partition,
        found: &mut ConcreteStates<'_>,
    ) -> Result<Vec<String>, GaveUp> {
        self.witnesses = found.witnesses();
        let system = found.runs.system;
        let jumps = jumps(found);
        let mut said = self.note(program, system, &jumps.paths);
        if !found.complete {
            return Ok(said);
        }
        self.constraints.prefer(jumps.elsewhere);
        for _ in 0..MOST_TRIALS {
            let candidate = self.solve(partition)?;
            match try_out(found, &candidate) {
                Trial::Failed(paths) => said.extend(self.note(program, system, &paths)),
                Trial::TooManyStates if self.classes < self.most_classes => self.classes += 1,
                Trial::TooManyStates | Trial::Passed => break,
            }
        }
        Ok(said)
    }

    /// Ψ of a path: at least one of its safe indices. False if it is known.
    fn add_constraint(&mut self, indices: &[SafeIndex]) -> bool {
        if !self.constraints.insert(indices) {
            return false;
        }
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
        true
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

    /// The partition of the model.
    fn model(&mut self, before: &Partition) -> Partition {
        let mut partition = before.clone();
        for (&point, bits) in &self.bits {
            let mut class = 0;
            for (place, &bit) in bits.iter().enumerate() {
                class |= u32::from(self.sat.value(bit)) << place;
            }
            partition.set(point, Class(class));
        }
        partition
    }

    /// A partition of the least number of classes that satisfies all constraints.
    fn solve(&mut self, before: &Partition) -> Result<Partition, GaveUp> {
        let least = self.constraints.least_classes(&self.components);
        self.classes = self.classes.max(least);
        loop {
            let below = self.below(self.classes);
            match self.sat.check(&[below]) {
                Answer::Sat => {
                    let mut partition = self.model(before);
                    self.constraints
                        .tell_apart(&self.components, self.classes, &mut partition);
                    return Ok(partition);
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
}

/// ⌈log₂ m⌉.
fn bits_for(classes: usize) -> u32 {
    classes.next_power_of_two().trailing_zeros()
}

impl ControlRefinement for NonMonotonic {
    fn strengthen(
        &mut self,
        system: &mut System,
        feasibility: &mut Feasibility,
        path: &Path,
    ) -> Result<Vec<Path>, GaveUp> {
        Ok(vec![without_shortcuts(system, feasibility, path)?])
    }

    fn witnesses(&mut self) -> Vec<FxHashMap<VarId, Value>> {
        std::mem::take(&mut self.witnesses)
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
        let is_first = self.bits.is_empty();
        if is_first {
            self.make_bits(system);
        }
        let mut constraints = self.note(program, system, paths);
        self.prefer(partition);
        if is_first && let Some(mut found) = ConcreteStates::new(program, system) {
            constraints.extend(self.look_ahead(program, partition, &mut found)?);
        }
        Ok((self.solve(partition)?, constraints))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reach::ComponentId;

    #[test]
    fn locations_that_were_told_apart_come_together_again() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
        let path = std::path::Path::new(path).join("control-abstraction/bakery.hd");
        let loaded = heddle_front::load(&path, &heddle_front::Options::default());
        let program = loaded.expect("the example is correct").0;
        let system = System::new(&program).expect("it has no error condition");
        let point = |label: &str| {
            let mut locations = program.location_ids();
            let location = locations.find(|&l| program.location_name(l) == label);
            PointId::of(location.expect("a label"))
        };
        let mut scheme = NonMonotonic::new(&Limits::default());
        scheme.make_bits(&system);
        let mut partitions = vec![Partition::coarsest(&system)];
        // The mismatches of Section 2, and one more between the same locations.
        for (at, needed) in [("11", "13"), ("12", "16"), ("11", "12"), ("13", "16")] {
            let index = SafeIndex {
                k: 0,
                component: ComponentId(1),
                j: 1,
                at: point(at),
                needed: vec![point(needed)],
            };
            scheme.add_constraint(&[index]);
            let last = &partitions[partitions.len() - 1];
            scheme.prefer(last);
            partitions.push(scheme.solve(last).expect("no limit"));
        }
        let together = |partition: &Partition, a: PointId, b: PointId| {
            partition.class(a) == partition.class(b)
        };
        let last = &partitions[partitions.len() - 1];
        assert!(!together(last, point("11"), point("13")), "this stays");
        assert_eq!(scheme.classes, 2, "splitting takes four classes");
        let points = &system.components[1].points;
        let merges = partitions.windows(2).any(|pair| {
            let mut pairs = points
                .iter()
                .flat_map(|&a| points.iter().map(move |&b| (a, b)));
            pairs.any(|(a, b)| !together(&pair[0], a, b) && together(&pair[1], a, b))
        });
        assert!(merges, "{partitions:?}");
    }
}
