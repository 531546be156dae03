//! A path of the system, and whether its data can go along it.
//!
//! The path is executed symbolically: every variable has its value as a term over the values
//! at the start and the choices on the way, so each guard is a condition on these.

use super::differences::{Decision, decide};
use super::system::{Origin, PointId, StepId, System};
use heddle_interpret::{Trace, TraceStep, Violation};
use heddle_program::{Constant, Program, TermId, Terms, Value, VarId};
use heddle_solver::{Answer, Backend, Limits, Literal, Reason, Solver, shrink_core};
use rustc_hash::FxHashMap;

/// Steps from the initial state on. They need not fit together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Path(pub(crate) Vec<StepId>);

impl Path {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Whether there are values with which all guards of a path hold, one after the other.
pub(crate) enum DataFeasibility {
    /// Control was not looked at.
    Feasible,
    /// The guards of the steps at these positions cannot all hold.
    Infeasible(Vec<usize>),
}

/// Solver calls for the sake of a smaller core.
const CORE_CALLS: usize = 12;
/// Old guards slow a solver down, so a fresh one takes over after so many calls.
const CALLS_OF_A_SOLVER: u64 = 100;

/// Names for the values of choices: one for each choice and each time it was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    known: FxHashMap<(VarId, usize), VarId>,
}

impl Symbols {
    fn get(&mut self, terms: &mut Terms, choice: VarId, time: usize) -> VarId {
        *self.known.entry((choice, time)).or_insert_with(|| {
            let name = terms.unused_name(&format!("{}@{time}", terms.name(choice)));
            terms.declare(name, terms.variable_sort(choice))
        })
    }
}

/// The values of the variables that have been written, as terms over the values at the start
/// and the choices on the way. Program variables in them stand for their values at the start.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicState {
    pub(crate) values: FxHashMap<VarId, TermId>,
    /// The number of steps taken.
    time: usize,
}

impl SymbolicState {
    fn initial(system: &System) -> SymbolicState {
        let start = system.action(system.initialisation);
        SymbolicState {
            values: start.updates.iter().copied().collect(),
            time: 0,
        }
    }

    /// Takes a step. Returns its guard, and what its choices are called.
    fn take(
        &mut self,
        system: &mut System,
        symbols: &mut Symbols,
        step: StepId,
    ) -> (TermId, Vec<VarId>) {
        let System {
            terms,
            actions,
            steps,
            ..
        } = system;
        let action = &actions[steps[step.index()].action.index()];
        let chosen: Vec<VarId> = action
            .choices
            .iter()
            .map(|&choice| symbols.get(terms, choice, self.time))
            .collect();
        let mut needed = vec![action.guard];
        needed.extend(action.updates.iter().map(|&(_, value)| value));
        let images = terms.substitute_all(&needed, |terms, variable| {
            match action.choices.iter().position(|&choice| choice == variable) {
                Some(position) => Some(terms.variable(chosen[position])),
                None => self.values.get(&variable).copied(),
            }
        });
        for (variable, value) in &action.updates {
            self.values.insert(*variable, images[value]);
        }
        self.time += 1;
        (images[&action.guard], chosen)
    }
}

/// A path that was executed symbolically.
pub(crate) struct SymbolicExecution {
    /// The guard of each step.
    pub(crate) guards: Vec<TermId>,
    /// What the choices of each step are called.
    choices: Vec<Vec<VarId>>,
    /// Before each step, and at the end.
    pub(crate) states: Vec<SymbolicState>,
}

impl SymbolicExecution {
    fn new(system: &mut System, symbols: &mut Symbols, path: &Path) -> Self {
        let mut state = SymbolicState::initial(system);
        let mut execution = SymbolicExecution {
            guards: Vec::new(),
            choices: Vec::new(),
            states: vec![state.clone()],
        };
        for &step in &path.0 {
            let (guard, choices) = state.take(system, symbols, step);
            execution.guards.push(guard);
            execution.choices.push(choices);
            execution.states.push(state.clone());
        }
        execution
    }
}

/// Where a guard stands, and its literal.
type Guard = (usize, Literal);

/// Decides about one path after the other.
pub(crate) struct Feasibility {
    backend: Backend,
    limits: Limits,
    symbols: Symbols,
    /// One solver for many paths, which have most of their guards in common.
    solver: Option<Box<dyn Solver>>,
}

impl Feasibility {
    pub(crate) fn new(backend: Backend, limits: Limits) -> Feasibility {
        Feasibility {
            backend,
            limits,
            symbols: Symbols::default(),
            solver: None,
        }
    }

    pub(crate) fn execute(&mut self, system: &mut System, path: &Path) -> SymbolicExecution {
        SymbolicExecution::new(system, &mut self.symbols, path)
    }

    /// The state after one more step; `None` if its guard is certainly false.
    pub(crate) fn step(
        &mut self,
        system: &mut System,
        state: &SymbolicState,
        step: StepId,
    ) -> Option<SymbolicState> {
        let mut next = state.clone();
        let (guard, _) = next.take(system, &mut self.symbols, step);
        (!system.terms.is_false(guard)).then_some(next)
    }

    pub(crate) fn check(
        &mut self,
        system: &System,
        execution: &SymbolicExecution,
    ) -> Result<DataFeasibility, Reason> {
        let terms = &system.terms;
        let mut is_false = execution.guards.iter().map(|&guard| terms.is_false(guard));
        if let Some(position) = is_false.position(|is_false| is_false) {
            return Ok(DataFeasibility::Infeasible(vec![position]));
        }
        match decide(terms, &execution.guards) {
            Some(Decision::Consistent(_)) => return Ok(DataFeasibility::Feasible),
            Some(Decision::Inconsistent(core)) => return Ok(DataFeasibility::Infeasible(core)),
            None => {}
        }
        let (solver, assumptions) = self.solver(terms, execution)?;
        let literals: Vec<Literal> = assumptions.iter().map(|&(_, literal)| literal).collect();
        match solver.check(&literals) {
            Answer::Unknown(reason) => Err(reason),
            Answer::Sat => Ok(DataFeasibility::Feasible),
            Answer::Unsat => {
                let core = solver.core().to_vec();
                let core = shrink_core(solver, &core, CORE_CALLS);
                let in_core = |(_, literal): &&(usize, Literal)| core.contains(literal);
                let positions = assumptions.iter().filter(in_core);
                let positions = positions.map(|&(position, _)| position);
                Ok(DataFeasibility::Infeasible(positions.collect()))
            }
        }
    }

    /// A solver that knows the guards, each with its position and literal.
    fn solver(
        &mut self,
        terms: &Terms,
        execution: &SymbolicExecution,
    ) -> Result<(&mut dyn Solver, Vec<Guard>), Reason> {
        if let Some(solver) = &self.solver
            && solver.statistics().calls >= CALLS_OF_A_SOLVER
        {
            self.solver = None;
        }
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = self.backend.open();
            solver.set_limits(self.limits.clone());
            solver
        });
        let mut literals = Vec::new();
        for (position, &guard) in execution.guards.iter().enumerate() {
            if terms.is_true(guard) {
                continue;
            }
            let literal = solver.literal(terms, guard);
            let literal = literal.map_err(|why| Reason::Incomplete(why.to_string()))?;
            literals.push((position, literal));
        }
        Ok((&mut **solver, literals))
    }

    /// The trace of a path that data can go along, with values that do.
    pub(crate) fn trace(
        &mut self,
        program: &Program,
        system: &System,
        path: &Path,
        execution: &SymbolicExecution,
    ) -> Result<Trace, Reason> {
        let (solver, literals) = self.solver(&system.terms, execution)?;
        let literals: Vec<Literal> = literals.iter().map(|&(_, literal)| literal).collect();
        match solver.check(&literals) {
            Answer::Sat => {}
            Answer::Unknown(reason) => return Err(reason),
            Answer::Unsat => {
                let why = "a path is feasible and infeasible, which is a bug";
                return Err(Reason::Incomplete(why.into()));
            }
        }
        let terms = &system.terms;
        let mut value = |variable: VarId| {
            solver
                .value(terms, terms.variable(variable))
                .map_err(|error| Reason::Incomplete(error.to_string()))
        };
        let mut initial = Vec::new();
        for variable in program.variable_ids() {
            if program.variable(variable).initial.is_none() {
                initial.push((variable, value(variable)?));
            }
        }
        let mut steps = Vec::new();
        let mut violation = Violation::ErrorState;
        for (step, choices) in path.0.iter().zip(&execution.choices) {
            let edge = match system.step(*step).origin {
                Origin::ErrorState => break,
                Origin::Edge(edge) | Origin::Bound(edge) => edge,
                Origin::Violation(edge) => {
                    violation = Violation::Assertion(edge);
                    edge
                }
            };
            let mut constants: Vec<Constant> = Vec::new();
            for &choice in choices {
                match value(choice)? {
                    Value::Scalar(constant) => constants.push(constant),
                    Value::Array { elements, .. } => constants.extend(elements),
                }
            }
            steps.push(TraceStep {
                edge,
                choices: constants,
            });
        }
        Ok(Trace {
            initial,
            steps,
            violation,
        })
    }
}

/// Where each component is before each step of the path, and at its end, as the moves say.
pub(crate) fn whereabouts(system: &System, path: &Path) -> Vec<Vec<PointId>> {
    let mut now: Vec<PointId> = system.components.iter().map(|c| c.initial).collect();
    let mut all = vec![now.clone()];
    for &step in &path.0 {
        for &(component, point) in &system.step(step).moves {
            now[component.index()] = point;
        }
        all.push(now.clone());
    }
    all
}
