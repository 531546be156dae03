//! A program as a transition system: control that can be abstracted by classes, and actions
//! on the data.
//!
//! Control is one point for each component. A component is the program counter of a thread,
//! whose points are the thread's locations and, for a thread that has to be created, the
//! point before its creation; or it is the component that says which thread is inside an
//! atomic section. A step requires some components to be at certain points, moves some of
//! them, and does one action.

use super::error_cubes::{ErrorCube, TooManyCubes, error_cubes};
use crate::action::Action;
use heddle_program::{EdgeId, LocationId, Program, Start, Statement, Terms, ThreadId};
use rustc_hash::FxHashMap;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn from_index(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 entries"))
            }

            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Thread `i` is component `i`; the owner of the atomic section comes last.
    ComponentId
);
id!(
    /// Location `l` is point `l`; the other points come behind.
    PointId
);
id!(StepId);
id!(ActionId);

impl ComponentId {
    pub(crate) fn of(thread: ThreadId) -> ComponentId {
        ComponentId::from_index(thread.index())
    }
}

impl PointId {
    pub(crate) fn of(location: LocationId) -> PointId {
        PointId::from_index(location.index())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Point {
    Location(LocationId),
    /// The thread was not created yet.
    Unborn(ThreadId),
    /// The thread is inside an atomic section, or none is.
    Owner(Option<ThreadId>),
}

#[derive(Clone, Debug)]
pub(crate) struct Component {
    pub(crate) points: Vec<PointId>,
    pub(crate) initial: PointId,
    /// Whether the component is a program counter, which a partition may abstract. Who is
    /// inside an atomic section is always known.
    pub(crate) is_counter: bool,
}

/// What a step of the system is in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Edge(EdgeId),
    /// The assertion on this edge does not hold.
    Violation(EdgeId),
    /// The error condition holds.
    ErrorState,
    /// The front end followed executions up to here only.
    Bound(EdgeId),
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) origin: Origin,
    /// Each of these components is at one of its points. The first is the thread that takes
    /// the step, at its location.
    pub(crate) requires: Vec<(ComponentId, Vec<PointId>)>,
    pub(crate) moves: Vec<(ComponentId, PointId)>,
    pub(crate) action: ActionId,
}

impl Step {
    /// Whether it violates the property.
    pub(crate) fn is_error(&self) -> bool {
        matches!(self.origin, Origin::Violation(_) | Origin::ErrorState)
    }

    pub(crate) fn is_bound(&self) -> bool {
        matches!(self.origin, Origin::Bound(_))
    }

    /// The edge of the program that the step takes or fails to take.
    pub(crate) fn edge(&self) -> Option<EdgeId> {
        match self.origin {
            Origin::Edge(edge) | Origin::Violation(edge) | Origin::Bound(edge) => Some(edge),
            Origin::ErrorState => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The terms of the program, and what actions and engines add.
    pub(crate) terms: Terms,
    pub(crate) components: Vec<Component>,
    pub(crate) points: Vec<Point>,
    pub(crate) steps: Vec<Step>,
    pub(crate) actions: Vec<Action>,
    pub(crate) initialisation: ActionId,
}

impl System {
    pub(crate) fn new(program: &Program) -> Result<System, TooManyCubes> {
        Builder::new(program).build()
    }

    pub(crate) fn step(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }

    pub(crate) fn step_ids(&self) -> impl Iterator<Item = StepId> + use<> {
        (0..self.steps.len()).map(StepId::from_index)
    }

    pub(crate) fn action(&self, id: ActionId) -> &Action {
        &self.actions[id.index()]
    }

    pub(crate) fn action_of(&self, step: StepId) -> &Action {
        self.action(self.step(step).action)
    }

    pub(crate) fn component(&self, id: ComponentId) -> &Component {
        &self.components[id.index()]
    }

    pub(crate) fn component_ids(&self) -> impl Iterator<Item = ComponentId> + use<> {
        (0..self.components.len()).map(ComponentId::from_index)
    }

    pub(crate) fn point_ids(&self) -> impl Iterator<Item = PointId> + use<> {
        (0..self.points.len()).map(PointId::from_index)
    }
}

struct Builder<'a> {
    program: &'a Program,
    system: System,
    known_actions: FxHashMap<Action, ActionId>,
    unborn: FxHashMap<ThreadId, PointId>,
    /// Where no thread is inside an atomic section, and where a thread is.
    owners: Option<(ComponentId, Vec<PointId>)>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program) -> Builder<'a> {
        let system = System {
            terms: program.terms.clone(),
            components: Vec::new(),
            points: program.location_ids().map(Point::Location).collect(),
            steps: Vec::new(),
            actions: Vec::new(),
            initialisation: ActionId(0),
        };
        Builder {
            program,
            system,
            known_actions: FxHashMap::default(),
            unborn: FxHashMap::default(),
            owners: None,
        }
    }

    fn build(mut self) -> Result<System, TooManyCubes> {
        let initialisation = Action::initialisation(self.program, &mut self.system.terms);
        self.system.initialisation = self.action(initialisation);
        for thread in self.program.thread_ids() {
            self.add_counter(thread);
        }
        let sections = |edge: EdgeId| self.program.edge(edge).statement == Statement::AtomicBegin;
        if self.program.edge_ids().any(sections) {
            self.add_owner();
        }
        for edge in self.program.edge_ids() {
            self.add_edge(edge);
        }
        for cube in error_cubes(self.program, &mut self.system.terms)? {
            self.add_error(&cube);
        }
        Ok(self.system)
    }

    fn action(&mut self, action: Action) -> ActionId {
        if let Some(&known) = self.known_actions.get(&action) {
            return known;
        }
        let id = ActionId::from_index(self.system.actions.len());
        self.system.actions.push(action.clone());
        self.known_actions.insert(action, id);
        id
    }

    fn add_counter(&mut self, thread: ThreadId) {
        let locations = self.program.location_ids();
        let mut points: Vec<PointId> = locations
            .filter(|&location| self.program.location(location).thread == thread)
            .map(PointId::of)
            .collect();
        let mut initial = PointId::of(self.program.thread(thread).entry);
        if self.program.thread(thread).start == Start::ByCreate {
            initial = self.add_point(Point::Unborn(thread));
            points.push(initial);
            self.unborn.insert(thread, initial);
        }
        self.system.components.push(Component {
            points,
            initial,
            is_counter: true,
        });
    }

    fn add_owner(&mut self) {
        let component = ComponentId::from_index(self.system.components.len());
        let mut points = vec![self.add_point(Point::Owner(None))];
        for thread in self.program.thread_ids() {
            points.push(self.add_point(Point::Owner(Some(thread))));
        }
        self.system.components.push(Component {
            initial: points[0],
            points: points.clone(),
            is_counter: false,
        });
        self.owners = Some((component, points));
    }

    fn add_point(&mut self, point: Point) -> PointId {
        self.system.points.push(point);
        PointId::from_index(self.system.points.len() - 1)
    }

    fn add_edge(&mut self, id: EdgeId) {
        let edge = self.program.edge(id);
        let thread = self.program.thread_of(id);
        let counter = ComponentId::of(thread);
        let mut requires = vec![(counter, vec![PointId::of(edge.source)])];
        let mut moves = vec![(counter, PointId::of(edge.target))];
        if let Some((owner, points)) = &self.owners {
            let (nobody, itself) = (points[0], points[1 + thread.index()]);
            requires.push((*owner, vec![nobody, itself]));
            match edge.statement {
                Statement::AtomicBegin => moves.push((*owner, itself)),
                Statement::AtomicEnd => moves.push((*owner, nobody)),
                _ => {}
            }
        }
        match &edge.statement {
            Statement::Create(created) => {
                let component = ComponentId::of(*created);
                // A thread that runs from the beginning cannot be created.
                let unborn = self.unborn.get(created).copied();
                requires.push((component, unborn.into_iter().collect()));
                let entry = self.program.thread(*created).entry;
                moves.push((component, PointId::of(entry)));
            }
            Statement::Join(joined) => {
                let component = ComponentId::of(*joined);
                let locations = self.program.location_ids();
                let ends = locations.filter(|&location| {
                    self.program.location(location).thread == *joined
                        && self.program.is_end(location)
                });
                requires.push((component, ends.map(PointId::of).collect()));
            }
            Statement::Assert { condition, .. } => {
                let violated = self.system.terms.not(*condition);
                let action = self.action(Action::test(violated));
                self.system.steps.push(Step {
                    origin: Origin::Violation(id),
                    requires: requires.clone(),
                    moves: Vec::new(),
                    action,
                });
            }
            _ => {}
        }
        let action = Action::new(&mut self.system.terms, &edge.statement, &[]);
        let action = self.action(action);
        let is_bound = matches!(edge.statement, Statement::BoundReached(_));
        self.system.steps.push(Step {
            origin: if is_bound {
                Origin::Bound(id)
            } else {
                Origin::Edge(id)
            },
            requires,
            moves: if is_bound { Vec::new() } else { moves },
            action,
        });
    }

    fn add_error(&mut self, cube: &ErrorCube) {
        let mut requires = Vec::new();
        for (thread, condition) in &cube.places {
            let component = ComponentId::of(*thread);
            let points = &self.system.component(component).points;
            let allowed =
                points
                    .iter()
                    .copied()
                    .filter(|point| match self.system.points[point.index()] {
                        Point::Location(location) => condition.allows(location),
                        _ => condition.at.is_none(),
                    });
            requires.push((component, allowed.collect()));
        }
        if let Some((owner, points)) = &self.owners {
            requires.push((*owner, vec![points[0]]));
        }
        let action = self.action(Action::test(cube.guard));
        self.system.steps.push(Step {
            origin: Origin::ErrorState,
            requires,
            moves: Vec::new(),
            action,
        });
    }
}
