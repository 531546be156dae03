//! The check of a structure before anything is called safe: it shares nothing with the
//! search and the exactness checks but the structure itself.
//!
//! An abstract state stands for all concrete states with its program counter and valuation.
//! The check is that these sets are closed under the program: the start of every run is in
//! one of them, none violates the property, and each step leads from *every* state of a set
//! into the sets that the structure names, or is possible in none of them. Where exploration
//! computes what has to hold before a step (weakest preconditions, by substitution), this
//! asks about the states after it: both are variables of one formula, related by equations.
//!
//! For a step without inputs that makes the structure bisimilar to the program. Of inputs it
//! shows that no value leads elsewhere; that each abstract state can be reached by some value
//! from all states of the set is not needed to call anything safe, and not checked.

mod step_relation;
#[cfg(test)]
mod tests;

use super::control::Control;
use super::predicates::Predicates;
use super::structure::{ControlState, Outcome, StateId, Structure, ValuationId};
use heddle_interpret::Runner;
use heddle_program::{
    EdgeId, LocationId, Program, Start, StateFormula, Statement, TermId, Terms, ThreadId, Value,
    VarId,
};
use heddle_solver::{Backend, Limits, Undecided, Validity};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;
use step_relation::{StepRelation, StepRelations};

/// Why a structure does not pass.
#[derive(Debug)]
pub(crate) enum Rejection {
    OutOfTime,
    /// The solver could not tell; with its words.
    Undecided(String),
    /// What does not hold, and where.
    Wrong(&'static str, Option<EdgeId>),
}

/// How much was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    pub states: u64,
    pub steps: u64,
    pub queries: u64,
}

/// A step of one thread, with all that its correctness depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kind {
    edge: EdgeId,
    valuation: ValuationId,
    before: Vec<i128>,
    after: Vec<(ValuationId, Vec<i128>)>,
}

pub(crate) struct Checker<'a> {
    program: &'a Program,
    runner: &'a Runner<'a>,
    control: &'a Control,
    predicates: &'a Predicates,
    structure: &'a Structure,
    terms: Terms,
    relations: StepRelations,
    validity: Validity,
    checked: FxHashSet<Kind>,
    /// Positions of the program counter that each edge reads or writes.
    touched: FxHashMap<EdgeId, Vec<usize>>,
    certificate: Certificate,
}

/// Checks that the structure covers all runs of the program, and that none violates the
/// property.
pub(crate) fn check(
    runner: &Runner<'_>,
    control: &Control,
    predicates: &Predicates,
    structure: &Structure,
    deadline: Option<Instant>,
) -> Result<Certificate, Rejection> {
    let program = runner.program();
    let mut validity = Validity::new(Backend::Z3);
    validity.set_limits(Limits {
        deadline,
        stop: None,
    });
    let mut checker = Checker {
        program,
        runner,
        control,
        predicates,
        structure,
        terms: program.terms.clone(),
        relations: StepRelations::default(),
        validity,
        checked: FxHashSet::default(),
        touched: FxHashMap::default(),
        certificate: Certificate::default(),
    };
    checker.start()?;
    for state in structure.state_ids() {
        checker.state(state)?;
        let is_late = || deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if state.0 % 256 == 0 && is_late() {
            return Err(Rejection::OutOfTime);
        }
    }
    checker.certificate.queries = checker.validity.statistics().calls;
    Ok(checker.certificate)
}

impl Checker<'_> {
    fn control_of(&self, state: StateId) -> ControlState<'_> {
        let words = self
            .structure
            .controls
            .get(self.structure.state(state).control.0);
        ControlState::new(words, self.program.threads.len())
    }

    /// The conditions that make a state one of the abstract state's, on the variables before a
    /// step or on those after it; of the program counter at these positions only.
    fn membership(
        &mut self,
        valuation: ValuationId,
        words: &[(usize, i128)],
        step: Option<&StepRelation>,
    ) -> Vec<TermId> {
        let valuation = self.structure.valuation(valuation);
        let mut conditions = self.predicates.conjuncts(&valuation);
        for &(position, word) in words {
            let variable = self.terms.variable(self.control.variables[position]);
            let value = self.terms.constant(self.control.constant(position, word));
            conditions.push(self.terms.eq(variable, value));
        }
        if let Some(step) = step {
            let after = |variable: VarId| step.after.get(&variable).copied();
            let image = self.terms.substitute_all(&conditions, |_, v| after(v));
            conditions = conditions
                .iter()
                .map(|condition| image[condition])
                .collect();
        }
        conditions
    }

    fn impossible(
        &mut self,
        conditions: &[TermId],
        wrong: &'static str,
        edge: Option<EdgeId>,
    ) -> Result<(), Rejection> {
        match self.validity.consistent(&self.terms, conditions) {
            Ok(false) => Ok(()),
            Ok(true) => Err(Rejection::Wrong(wrong, edge)),
            Err(Undecided::Unknown(
                heddle_solver::Reason::Time | heddle_solver::Reason::Stopped,
            )) => Err(Rejection::OutOfTime),
            Err(undecided) => Err(Rejection::Undecided(undecided.to_string())),
        }
    }

    /// Every start of a run is in a state that was visited as one.
    fn start(&mut self) -> Result<(), Rejection> {
        let program = self.program;
        let dead = self.runner.dead_at_start();
        let mut conditions = Vec::new();
        for variable in program.variable_ids() {
            let sort = program.variable(variable).sort;
            let initial = match program.variable(variable).initial {
                _ if dead.contains(&variable) => Some(self.terms.value(&Value::zero(sort))),
                initial => initial,
            };
            if let Some(initial) = initial {
                let term = self.terms.variable(variable);
                conditions.push(self.terms.eq(term, initial));
            }
        }
        let structure = self.structure;
        for state in structure.state_ids() {
            if structure.state(state).reached.is_some() {
                continue;
            }
            let control = self.control_of(state);
            let entered = program.thread_ids().all(|thread| {
                let begins = program.thread(thread).start == Start::AtBeginning;
                let entry = begins.then_some(program.thread(thread).entry);
                control.location(thread) == entry
            });
            if !entered || control.owner().is_some() {
                return Err(Rejection::Wrong("a run starts elsewhere", None));
            }
            let words = (0..self.control.variables.len()).map(|p| (p, control.word(p)));
            let words: Vec<(usize, i128)> = words.collect();
            let valuation = structure.state(state).valuation;
            let there = self.membership(valuation, &words, None);
            let there = self.terms.and(&there);
            conditions.push(self.terms.not(there));
        }
        self.impossible(
            &conditions,
            "a run can start outside of the structure",
            None,
        )
    }

    fn state(&mut self, state: StateId) -> Result<(), Rejection> {
        self.certificate.states += 1;
        let structure = self.structure;
        let Some(steps) = structure.steps(state) else {
            return Err(Rejection::Wrong("a state was not expanded", None));
        };
        self.is_no_error(state)?;
        for edge in self.edges(state, steps) {
            let targets: Vec<StateId> = steps
                .iter()
                .filter_map(|&(other, outcome)| match outcome {
                    Outcome::To(target, _) if other == edge => Some(target),
                    _ => None,
                })
                .collect();
            self.step(state, edge, &targets)?;
        }
        Ok(())
    }

    /// The edges that have to be looked at. Where a thread can take steps that commute with
    /// all others, those alone.
    fn edges(&self, state: StateId, steps: &[(EdgeId, Outcome)]) -> Vec<EdgeId> {
        let control = self.control_of(state);
        let mut edges: Vec<EdgeId> = Vec::new();
        let mut others: Vec<EdgeId> = Vec::new();
        for thread in self.program.thread_ids() {
            let Some(location) = control.location(thread) else {
                continue;
            };
            let outgoing = self.program.outgoing(location);
            match control.owner() {
                Some(owner) if owner != thread => {}
                None if self.runner.is_preferred(location) => {
                    edges.extend(outgoing);
                    let taken = |&(edge, outcome): &(EdgeId, Outcome)| {
                        outgoing.contains(&edge) && outcome != Outcome::Blocked
                    };
                    if steps.iter().any(taken) {
                        return edges;
                    }
                }
                _ => others.extend(outgoing),
            }
        }
        edges.extend(others);
        edges
    }

    fn is_no_error(&mut self, state: StateId) -> Result<(), Rejection> {
        let program = self.program;
        let Some(error) = &program.property.error else {
            return Ok(());
        };
        if self.control_of(state).owner().is_some() {
            return Ok(());
        }
        let formula = self.formula(state, &error.formula);
        let mentioned = self.terms.variables_of(formula);
        let positions: Vec<usize> = mentioned
            .into_iter()
            .filter_map(|v| self.control.position(v))
            .collect();
        let control = self.control_of(state);
        let words: Vec<(usize, i128)> = positions.iter().map(|&p| (p, control.word(p))).collect();
        let mut conditions = self.membership(self.structure.state(state).valuation, &words, None);
        conditions.push(formula);
        self.impossible(&conditions, "a state violates the property", None)
    }

    /// The error condition, with the locations of the state put in.
    fn formula(&mut self, state: StateId, formula: &StateFormula) -> TermId {
        match formula {
            StateFormula::At(thread, location) => {
                let at = self.control_of(state).location(*thread) == Some(*location);
                self.terms.bool(at)
            }
            StateFormula::Term(term) => *term,
            StateFormula::Not(inner) => {
                let inner = self.formula(state, inner);
                self.terms.not(inner)
            }
            StateFormula::And(parts) | StateFormula::Or(parts) => {
                let terms: Vec<TermId> =
                    parts.iter().map(|part| self.formula(state, part)).collect();
                match formula {
                    StateFormula::And(_) => self.terms.and(&terms),
                    _ => self.terms.or(&terms),
                }
            }
        }
    }

    fn step(&mut self, state: StateId, edge: EdgeId, targets: &[StateId]) -> Result<(), Rejection> {
        self.certificate.steps += 1;
        let program = self.program;
        let thread = program.thread_of(edge);
        let statement = &program.edge(edge).statement;
        match statement {
            Statement::BoundReached(_) => return Ok(()),
            Statement::Join(joined) => {
                let location = self.control_of(state).location(*joined);
                let ended = location.is_some_and(|location| program.is_end(location));
                if !ended {
                    return match targets {
                        [] => Ok(()),
                        _ => Err(Rejection::Wrong("a thread is joined that runs", Some(edge))),
                    };
                }
            }
            _ => {}
        }
        let touched = self.touched(edge);
        self.control_after(state, edge, thread, targets, &touched)?;

        let before = self.control_of(state);
        let words: Vec<i128> = touched.iter().map(|&p| before.word(p)).collect();
        let after = targets.iter().map(|&target| {
            let control = self.control_of(target);
            let words = touched.iter().map(|&p| control.word(p)).collect();
            (self.structure.state(target).valuation, words)
        });
        let kind = Kind {
            edge,
            valuation: self.structure.state(state).valuation,
            before: words,
            after: after.collect(),
        };
        if self.checked.contains(&kind) {
            return Ok(());
        }
        self.check(&kind, &touched)?;
        self.checked.insert(kind);
        Ok(())
    }

    fn touched(&mut self, edge: EdgeId) -> Vec<usize> {
        if let Some(known) = self.touched.get(&edge) {
            return known.clone();
        }
        let statement = &self.program.edge(edge).statement;
        let mut variables = self.program.reads(statement);
        variables.extend(self.program.writes(statement));
        variables.extend(self.runner.dying(edge));
        let positions = variables
            .into_iter()
            .filter_map(|v| self.control.position(v));
        let mut positions: Vec<usize> = positions.collect();
        positions.sort_unstable();
        positions.dedup();
        self.touched.insert(edge, positions.clone());
        positions
    }

    /// Locations, the atomic section, and the variables of the program counter that the step
    /// has nothing to do with are as they have to be after it.
    fn control_after(
        &self,
        state: StateId,
        edge: EdgeId,
        thread: ThreadId,
        targets: &[StateId],
        touched: &[usize],
    ) -> Result<(), Rejection> {
        let before = self.control_of(state);
        let created = match self.program.edge(edge).statement {
            Statement::Create(created) => Some(created),
            _ => None,
        };
        let location = |other: ThreadId| -> Option<LocationId> {
            if other == thread {
                Some(self.program.edge(edge).target)
            } else if Some(other) == created {
                Some(self.program.thread(other).entry)
            } else {
                before.location(other)
            }
        };
        let owner = match self.program.edge(edge).statement {
            Statement::AtomicBegin => Some(thread),
            Statement::AtomicEnd => None,
            _ => before.owner(),
        };
        for &target in targets {
            let after = self.control_of(target);
            let mut threads = self.program.thread_ids();
            let mut positions = 0..self.control.variables.len();
            let right = threads.all(|thread| after.location(thread) == location(thread))
                && after.owner() == owner
                && positions.all(|p| touched.contains(&p) || after.word(p) == before.word(p));
            if !right {
                return Err(Rejection::Wrong(
                    "a step leads to another place",
                    Some(edge),
                ));
            }
        }
        Ok(())
    }

    /// The step as a relation between variables before and after it.
    fn check(&mut self, kind: &Kind, touched: &[usize]) -> Result<(), Rejection> {
        let program = self.program;
        let statement = &program.edge(kind.edge).statement;
        let words = |words: &[i128]| -> Vec<(usize, i128)> {
            touched.iter().copied().zip(words.iter().copied()).collect()
        };
        let before = self.membership(kind.valuation, &words(&kind.before), None);
        let dying = self.runner.dying(kind.edge);
        let step = self.relations.of(&mut self.terms, statement, &dying);

        if let Statement::Assert { .. } = statement {
            let mut violated = before.clone();
            violated.push(self.terms.not(step.guard));
            self.impossible(&violated, "an assertion can fail", Some(kind.edge))?;
        }
        let mut possible = before.clone();
        possible.push(step.guard);
        if kind.after.is_empty() {
            return self.impossible(&possible, "a step is possible", Some(kind.edge));
        }
        let mut blocked = before;
        blocked.push(self.terms.not(step.guard));
        self.impossible(&blocked, "a step can be blocked", Some(kind.edge))?;

        let mut elsewhere = possible;
        elsewhere.extend(&step.equations);
        for (valuation, after) in &kind.after {
            let there = self.membership(*valuation, &words(after), Some(&step));
            let there = self.terms.and(&there);
            elsewhere.push(self.terms.not(there));
        }
        self.impossible(
            &elsewhere,
            "a step can lead out of the structure",
            Some(kind.edge),
        )
    }
}
