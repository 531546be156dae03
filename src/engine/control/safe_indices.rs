//! Which control locations have to be told apart so that a path is excluded: the indices
//! (k, i, j, ℓ) of lines 11–14 in Fig. 4.
//!
//! `SafeInd(true … true, pc_i = ℓ … pc_i = ℓ, false … false)` holds where the k-th step of
//! the path takes thread i to ℓ (or ℓ is where it starts and k = 0), the next j - 1 steps
//! leave it there, and step k + j of the path needs it to be elsewhere. Then the path is
//! excluded by every partition that tells ℓ from where that step starts.
//!
//! For the same k, i and ℓ the definition also holds for larger j, up to any later step that
//! cannot start in ℓ, because nothing is left to follow from step k + j on. But telling ℓ
//! from the start of that later step excludes nothing, and the path would be found again. So
//! only the least j counts, as in the paper's example, where it is said that the path has two
//! root causes.

use crate::reach::{ComponentId, Path, PointId, System};

/// One way to exclude a path by control alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SafeIndex {
    /// So many steps are taken before the component arrives.
    pub(crate) k: usize,
    pub(crate) component: ComponentId,
    /// So many states of the path have it there.
    pub(crate) j: usize,
    /// Where it is.
    pub(crate) at: PointId,
    /// Where the next step needs it: at one of these. For an edge of a thread this is the one
    /// location where the edge starts; a join needs any of the ends.
    pub(crate) needed: Vec<PointId>,
}

/// All of them, in the order of the path. None if the control of the path fits together.
pub(crate) fn safe_indices(system: &System, path: &Path) -> Vec<SafeIndex> {
    let mut indices = Vec::new();
    // For each component where it is, and since when.
    let initial = system.components.iter().map(|component| component.initial);
    let mut now: Vec<(PointId, usize)> = initial.map(|point| (point, 0)).collect();
    for (taken, &step) in path.0.iter().enumerate() {
        let step = system.step(step);
        for (component, needed) in &step.requires {
            let (at, k) = now[component.index()];
            if !needed.contains(&at) {
                indices.push(SafeIndex {
                    k,
                    component: *component,
                    j: taken + 1 - k,
                    at,
                    needed: needed.clone(),
                });
            }
        }
        for &(component, point) in &step.moves {
            now[component.index()] = (point, taken + 1);
        }
    }
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::repartition::constraint;
    use crate::reach::Origin;
    use heddle_program::Program;

    /// The step by which the thread leaves the label: forwards, if there is a choice, and for
    /// an assertion, with its violation.
    fn step(program: &Program, system: &System, label: &str) -> crate::reach::StepId {
        let edges = program.edge_ids();
        let edge = edges
            .filter(|&edge| program.location_name(program.edge(edge).source) == label)
            .find(|&edge| program.edge(edge).target != program.edge(edge).source)
            .expect("an edge leaves the label");
        let mut steps = system.step_ids();
        let has_origin = |origin| move |&step: &_| system.step(step).origin == origin;
        let violation = steps.find(has_origin(Origin::Violation(edge)));
        let step = violation.or_else(|| system.step_ids().find(has_origin(Origin::Edge(edge))));
        step.expect("each edge is a step")
    }

    #[test]
    fn the_papers_path_through_bakery_has_two_root_causes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
        let path = std::path::Path::new(path).join("control-abstraction/bakery.hd");
        let loaded = heddle_front::load(&path, &heddle_front::Options::default());
        let program = loaded.expect("the example is correct").0;
        let system = System::new(&program).expect("it has no error condition");
        let labels = ["1", "2", "3", "4", "5", "13", "6", "7", "17", "8"];
        let steps = labels.map(|label| step(&program, &system, label));
        let indices = safe_indices(&system, &Path(steps.to_vec()));
        let by_number: Vec<(usize, usize)> = indices.iter().map(|i| (i.k, i.j)).collect();
        assert_eq!(by_number, [(0, 6), (6, 3)]);
        assert_eq!(
            constraint(&program, &system, &indices),
            "bits(11) ≠ bits(13) ∨ bits(14) ≠ bits(17)"
        );
    }
}
