//! A partition of control points into classes: the control abstraction.

use super::system::{ComponentId, PointId, System};
use std::collections::BTreeSet;

/// A class is a number. Points of different components may have the same: it stands for the
/// points of whichever component is at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class(pub(crate) u32);

/// The characteristic function of an equivalence relation on points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Partition {
    classes: Vec<Class>,
}

impl Partition {
    /// Each point is a class of its own.
    pub(crate) fn discrete(system: &System) -> Partition {
        let mut partition = Partition::coarsest(system);
        for component in &system.components {
            for (number, point) in (0..).zip(&component.points) {
                partition.classes[point.index()] = Class(number);
            }
        }
        partition
    }

    /// All points of a program counter are one class. Who is inside an atomic section is
    /// never abstracted.
    pub(crate) fn coarsest(system: &System) -> Partition {
        let mut classes = vec![Class(0); system.points.len()];
        for component in &system.components {
            if !component.is_counter {
                for (number, point) in (0..).zip(&component.points) {
                    classes[point.index()] = Class(number);
                }
            }
        }
        Partition { classes }
    }

    pub(crate) fn class(&self, point: PointId) -> Class {
        self.classes[point.index()]
    }

    pub(crate) fn set(&mut self, point: PointId, class: Class) {
        self.classes[point.index()] = class;
    }

    /// The classes of one component, each with its points.
    pub(crate) fn classes_of(
        &self,
        system: &System,
        component: ComponentId,
    ) -> Vec<(Class, Vec<PointId>)> {
        let points = &system.component(component).points;
        let classes: BTreeSet<Class> = points.iter().map(|&point| self.class(point)).collect();
        classes
            .into_iter()
            .map(|class| {
                let of_class = points.iter().copied().filter(|&p| self.class(p) == class);
                (class, of_class.collect())
            })
            .collect()
    }

    /// |≡|: how many classes there are of the points of program counters.
    pub(crate) fn size(&self, system: &System) -> usize {
        let counters = system.components.iter().filter(|c| c.is_counter);
        let points = counters.flat_map(|component| &component.points);
        let classes: BTreeSet<Class> = points.map(|&point| self.class(point)).collect();
        classes.len()
    }
}
