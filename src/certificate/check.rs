//! Is the invariant inductive, and does it exclude what must not happen?
//!
//! One question for each condition: is there a state that satisfies the invariant (or is
//! initial) and breaks the condition? All cells are asked about at once.

use crate::invariant::{Cell, Invariant, Position};
use crate::positions::Positions;
use crate::refutation::{Refutation, Rejected, Snapshot, shown};
use crate::transition::Transition;
use heddle_program::{
    Bound, Constant, EdgeId, LocationId, Program, Start, StateFormula, Statement, TermId, Terms,
    ThreadId, Value,
};
use heddle_solver::{Answer, Limits, Solver, Undecided, Z3};

/// What an accepted invariant proves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// There if the front end's bound can be reached: then only executions within it are safe.
    pub up_to: Option<Bound>,
    /// Questions that the solver was asked.
    pub questions: u64,
}

/// Whether one of the cells holds in every reachable state, and none of them admits a
/// violation.
pub fn check(
    program: &Program,
    invariant: &Invariant,
    limits: Limits,
) -> Result<Accepted, Rejected> {
    let mut terms = invariant.terms.clone();
    let positions = Positions::new(program, &mut terms);
    let mut solver = Z3::new();
    solver.set_limits(limits);
    let exist = positions.exist(&mut terms);
    solver
        .assert(&terms, exist)
        .expect("Z3 has an encoding for every term");
    let mut checker = Checker {
        program,
        cells: &invariant.cells,
        terms,
        positions,
        inside_atomic: program.inside_atomic(),
        solver,
        questions: 0,
    };
    checker.initiation()?;
    let mut bound_reached = false;
    for edge in program.edge_ids() {
        bound_reached |= checker.step(edge)?;
    }
    checker.exclusion()?;
    Ok(Accepted {
        up_to: match bound_reached {
            true => Some(program.bound.unwrap_or(Bound(0))),
            false => None,
        },
        questions: checker.questions,
    })
}

struct Checker<'p> {
    program: &'p Program,
    cells: &'p [Cell],
    terms: Terms,
    positions: Positions,
    inside_atomic: Vec<bool>,
    solver: Z3,
    questions: u64,
}

/// Positions that are known; other threads are where their variables say.
type Known = Vec<(ThreadId, Position)>;

impl Checker<'_> {
    /// Every initial state is in a cell.
    fn initiation(&mut self) -> Result<(), Rejected> {
        let program = self.program;
        let known: Known = program
            .thread_ids()
            .map(|thread| {
                let Start::AtBeginning = program.thread(thread).start else {
                    return (thread, None);
                };
                (thread, Some(program.thread(thread).entry))
            })
            .collect();
        let mut question = vec![self.outside(&known, None)];
        for variable in program.variable_ids() {
            if let Some(initial) = program.variable(variable).initial {
                let variable = self.terms.variable(variable);
                question.push(self.terms.eq(variable, initial));
            }
        }
        match self.ask(&question, || "the initial states".to_owned())? {
            false => Ok(()),
            true => {
                let state = self.snapshot(&known, None);
                Err(refuted(Refutation::NotInitial(state)))
            }
        }
    }

    /// The step keeps the invariant and violates nothing. Whether it ends at a bound of the
    /// front end.
    fn step(&mut self, edge: EdgeId) -> Result<bool, Rejected> {
        let program = self.program;
        let thread = program.thread_of(edge);
        let step = program.edge(edge);
        let before: Known = vec![(thread, Some(step.source))];
        let mut enabled = vec![self.inside(&before), self.free_for(Some(thread))];
        match &step.statement {
            Statement::Assert { condition, .. } => {
                let mut question = enabled.clone();
                question.push(self.terms.not(*condition));
                if self.ask(&question, || shown(program, edge))? {
                    let state = self.snapshot(&before, None);
                    return Err(refuted(Refutation::Violated { step: edge, state }));
                }
            }
            Statement::BoundReached(_) => return self.ask(&enabled, || shown(program, edge)),
            Statement::Create(created) => {
                let absent = self.positions.at(&mut self.terms, *created, None);
                if !program.is_created_once(*created) {
                    let mut question = enabled.clone();
                    question.push(self.terms.not(absent));
                    if self.ask(&question, || shown(program, edge))? {
                        let state = self.snapshot(&before, None);
                        return Err(refuted(Refutation::CreatedTwice { step: edge, state }));
                    }
                }
                enabled.push(absent);
            }
            Statement::Join(joined) => {
                let ends = program.location_ids().filter(|&location| {
                    program.location(location).thread == *joined && program.is_end(location)
                });
                let ends: Vec<Position> = ends.map(Some).collect();
                enabled.push(self.among(&before, *joined, &ends));
            }
            _ => {}
        }
        let transition = Transition::of(&mut self.terms, &step.statement);
        let mut after: Known = vec![(thread, Some(step.target))];
        if let Statement::Create(created) = step.statement {
            after.push((created, Some(program.thread(created).entry)));
        }
        enabled.push(transition.guard);
        enabled.push(self.outside(&after, Some(&transition)));
        if self.ask(&enabled, || shown(program, edge))? {
            return Err(refuted(Refutation::NotKept {
                step: edge,
                before: self.snapshot(&before, None),
                after: self.snapshot(&after, Some(&transition)),
            }));
        }
        Ok(false)
    }

    /// The error condition holds in no state of a cell that it counts in.
    fn exclusion(&mut self) -> Result<(), Rejected> {
        let Some(error) = &self.program.property.error else {
            return Ok(());
        };
        let question = [
            self.inside(&Known::new()),
            self.free_for(None),
            self.formula(&error.formula),
        ];
        match self.ask(&question, || "the error condition".to_owned())? {
            false => Ok(()),
            true => {
                let state = self.snapshot(&Known::new(), None);
                Err(refuted(Refutation::Error(state)))
            }
        }
    }

    /// Whether there is a state that satisfies all the terms.
    fn ask(
        &mut self,
        conjuncts: &[TermId],
        question: impl FnOnce() -> String,
    ) -> Result<bool, Rejected> {
        if conjuncts.iter().any(|&term| self.terms.is_false(term)) {
            return Ok(false);
        }
        self.questions += 1;
        let why = match self.solver.check_terms(&self.terms, conjuncts) {
            Ok(Answer::Sat) => return Ok(true),
            Ok(Answer::Unsat) => return Ok(false),
            Ok(Answer::Unknown(reason)) => Undecided::Unknown(reason),
            Err(unsupported) => Undecided::Unsupported(unsupported),
        };
        let question = question();
        Err(Rejected::Undecided { question, why })
    }

    /// Some cell holds.
    fn inside(&mut self, known: &Known) -> TermId {
        let cells: Vec<TermId> = self
            .cells
            .iter()
            .filter_map(|cell| self.cell(cell, known))
            .collect();
        self.terms.or(&cells)
    }

    /// No cell holds, after the transition if there is one.
    fn outside(&mut self, known: &Known, transition: Option<&Transition>) -> TermId {
        let inside = self.inside(known);
        let inside = match transition {
            Some(transition) => transition.before(&mut self.terms, inside),
            None => inside,
        };
        self.terms.not(inside)
    }

    /// The cell holds; `None` if it excludes a known position.
    fn cell(&mut self, cell: &Cell, known: &Known) -> Option<TermId> {
        let possible = known
            .iter()
            .all(|&(thread, position)| cell.admits(thread, position));
        if !possible {
            return None;
        }
        let mut conjuncts = vec![cell.holds];
        for (thread, positions) in &cell.at {
            if known.iter().all(|(other, _)| other != thread) {
                conjuncts.push(self.among(&Known::new(), *thread, positions));
            }
        }
        Some(self.terms.and(&conjuncts))
    }

    /// The thread is at one of these positions.
    fn among(&mut self, known: &Known, thread: ThreadId, positions: &[Position]) -> TermId {
        match known.iter().find(|(other, _)| *other == thread) {
            Some((_, position)) => self.terms.bool(positions.contains(position)),
            None => self.positions.among(&mut self.terms, thread, positions),
        }
    }

    /// No thread but this one is inside an atomic section.
    fn free_for(&mut self, thread: Option<ThreadId>) -> TermId {
        let program = self.program;
        let others = program.location_ids().filter(|&location| {
            let inside = self.inside_atomic[location.index()];
            inside && Some(program.location(location).thread) != thread
        });
        let others: Vec<LocationId> = others.collect();
        let absent: Vec<TermId> = others
            .into_iter()
            .map(|location| {
                let owner = program.location(location).thread;
                let there = self.positions.at(&mut self.terms, owner, Some(location));
                self.terms.not(there)
            })
            .collect();
        self.terms.and(&absent)
    }

    fn formula(&mut self, formula: &StateFormula) -> TermId {
        match formula {
            StateFormula::At(thread, location) => {
                self.positions.at(&mut self.terms, *thread, Some(*location))
            }
            StateFormula::Term(term) => *term,
            StateFormula::Not(inner) => {
                let inner = self.formula(inner);
                self.terms.not(inner)
            }
            StateFormula::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.formula(part)).collect();
                self.terms.and(&parts)
            }
            StateFormula::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| self.formula(part)).collect();
                self.terms.or(&parts)
            }
        }
    }

    /// The state of the solver's model, after the transition if there is one.
    fn snapshot(&mut self, known: &Known, transition: Option<&Transition>) -> Snapshot {
        let program = self.program;
        let positions = program.thread_ids().map(|thread| {
            if let Some(&(_, position)) = known.iter().find(|(other, _)| *other == thread) {
                return position;
            }
            let variable = self.positions.variable(thread);
            match self.solver.value(&self.terms, variable) {
                Ok(Value::Scalar(Constant::BitVec { bits, .. })) => {
                    self.positions.position(thread, bits)
                }
                _ => unreachable!("a position is a number of few bits"),
            }
        });
        let positions: Vec<Position> = positions.collect();
        let values = program.variable_ids().map(|variable| {
            let term = match transition {
                Some(transition) => transition.value(&self.terms, variable),
                None => self.terms.variable(variable),
            };
            self.solver.value(&self.terms, term).ok()
        });
        Snapshot {
            values: values.collect(),
            positions,
        }
    }
}

fn refuted(refutation: Refutation) -> Rejected {
    Rejected::Refuted(Box::new(refutation))
}
