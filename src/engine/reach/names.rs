//! Places, paths and partitions as people read them.

use super::partition::Partition;
use super::path::Path;
use super::system::{ComponentId, Point, PointId, StepId, System};
use heddle_program::Program;

pub(crate) fn point_name(program: &Program, system: &System, point: PointId) -> String {
    match system.points[point.index()] {
        Point::Location(location) => program.location_name(location),
        Point::Unborn(thread) => format!("{} not created", program.thread(thread).name),
        Point::Owner(None) => "no section".into(),
        Point::Owner(Some(thread)) => format!("section of {}", program.thread(thread).name),
    }
}

/// The places where the steps of a path start.
pub(crate) fn path_names(program: &Program, system: &System, path: &Path) -> Vec<String> {
    let name = |&step: &StepId| match system.step(step).edge() {
        Some(edge) => program.location_name(program.edge(edge).source),
        None => "error".into(),
    };
    path.0.iter().map(name).collect()
}

/// For each thread, its name and its classes of places.
pub(crate) fn partition_names(
    program: &Program,
    system: &System,
    partition: &Partition,
) -> Vec<(String, Vec<Vec<String>>)> {
    let threads = program.thread_ids();
    threads
        .map(|thread| {
            let classes = partition.classes_of(system, ComponentId::of(thread));
            let names = classes.into_iter().map(|(_, points)| {
                let names = points.into_iter();
                names
                    .map(|point| point_name(program, system, point))
                    .collect()
            });
            (program.thread(thread).name.clone(), names.collect())
        })
        .collect()
}
