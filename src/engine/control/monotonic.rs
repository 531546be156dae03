//! The conventional scheme, for comparison: each spurious path splits classes, and nothing
//! is ever merged again.
//!
//! As Section 2 of the paper tells it: for the first mismatch ℓ ≢ ℓ′ of a path, ℓ and ℓ′
//! become classes of their own.

use super::repartition::constraint;
use super::safe_indices::safe_indices;
use crate::reach::{Class, ComponentId, ControlRefinement, Feasibility, GaveUp, Partition, Path};
use crate::reach::{PointId, System};
use heddle_program::{Program, Value, VarId};
use rustc_hash::FxHashMap;

pub(crate) struct Monotonic;

impl ControlRefinement for Monotonic {
    fn strengthen(
        &mut self,
        _: &mut System,
        _: &mut Feasibility,
        path: &Path,
    ) -> Result<Vec<Path>, GaveUp> {
        Ok(vec![path.clone()])
    }

    fn witnesses(&mut self) -> Vec<FxHashMap<VarId, Value>> {
        Vec::new()
    }

    fn paths_a_round(&self) -> usize {
        1
    }

    fn refine(
        &mut self,
        program: &Program,
        system: &System,
        partition: &Partition,
        paths: &[Path],
    ) -> Result<(Partition, Vec<String>), GaveUp> {
        let Some(path) = paths.first() else {
            return Ok((partition.clone(), Vec::new()));
        };
        let indices = safe_indices(system, path);
        let mut new = partition.clone();
        if let Some(first) = indices.first() {
            for &point in std::iter::once(&first.at).chain(&first.needed) {
                isolate(system, &mut new, first.component, point);
            }
        }
        let first = &indices[..indices.len().min(1)];
        Ok((new, vec![constraint(program, system, first)]))
    }
}

/// Makes the point a class of its own.
fn isolate(system: &System, partition: &mut Partition, component: ComponentId, point: PointId) {
    let classes = partition.classes_of(system, component);
    let is_alone = classes.iter().any(|(_, points)| points[..] == [point]);
    if is_alone {
        return;
    }
    let used = |class: Class| classes.iter().any(|&(other, _)| other == class);
    let unused = (0..).map(Class).find(|&class| !used(class));
    partition.set(point, unused.expect("some number is unused"));
}
