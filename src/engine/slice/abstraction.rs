//! The abstraction ⟦·⟧ab: the program with some of its variables sliced away.
//!
//! Section 5.1 and Figure 10 of *Counter-Example Guided Program Verification*. Whatever
//! depends on a sliced variable may have any value; what only writes sliced variables is
//! left out. Every run of the program is one of the abstraction too, without the steps that
//! were left out (Lemma 1).
//!
//! Where conditions that were sliced away keep the program from creating a thread twice, the
//! abstraction may do so, and then the engine that checks it cannot decide it. The program
//! itself might do so as well, so the abstraction must not rule it out.

use super::assembly::{Assembly, Way, plainest};
use super::choice::{Variables, error_variables};
use super::compaction::{Compacted, compact};
use heddle_program::{EdgeId, Op, Place, Program, Role, Statement, Term, TermId, Update, VarId};

pub struct Abstraction {
    pub program: Program,
    /// By step of the abstraction: the step of the program that it stands for.
    pub origin: Vec<EdgeId>,
    /// By variable of the program: the variable of the abstraction, if it is kept.
    pub variables: Vec<Option<VarId>>,
}

impl Abstraction {
    /// By step of the program: whether the abstraction has it.
    pub(crate) fn has_step(&self, program: &Program) -> Vec<bool> {
        let mut present = vec![false; program.edges.len()];
        for edge in &self.origin {
            present[edge.index()] = true;
        }
        present
    }

    /// How many steps of the program were left out.
    pub fn removed(&self, program: &Program) -> usize {
        let present = self.has_step(program);
        present.iter().filter(|&&present| !present).count()
    }
}

/// Slices away all variables but these, and those that the error condition mentions.
pub fn abstraction(program: &Program, kept: &Variables) -> Abstraction {
    let mut kept = kept.clone();
    kept.extend(error_variables(program));
    let mut slicing = Slicing {
        program,
        assembly: Assembly::without_steps(program, 1),
        kept: &kept,
    };
    slicing.steps();
    let Assembly {
        program: sliced,
        meaning,
        ..
    } = slicing.assembly;
    let Compacted {
        program: sliced,
        edges,
        variables,
    } = compact(sliced, &kept);
    Abstraction {
        program: sliced,
        origin: edges.iter().map(|edge| meaning[edge.index()]).collect(),
        variables,
    }
}

struct Slicing<'a> {
    program: &'a Program,
    assembly: Assembly<EdgeId>,
    kept: &'a Variables,
}

impl Slicing<'_> {
    fn steps(&mut self) {
        for edge in self.program.edge_ids() {
            let way = Way::from(self.program.edge(edge));
            match &self.program.edge(edge).statement {
                Statement::Assert { condition, message } if self.is_lost(*condition) => {
                    self.may_fail(way, edge, *condition, message);
                }
                statement => {
                    let statement = self.statement(statement);
                    self.assembly.step(way, statement, edge);
                }
            }
        }
    }

    /// Whether a value is not known without the sliced variables.
    fn is_lost(&self, term: TermId) -> bool {
        let variables = self.assembly.program.terms.variables_of(term);
        variables
            .iter()
            .any(|variable| !self.kept.contains(variable))
    }

    /// The parts of a condition that are known; the others may hold.
    fn weakened(&mut self, condition: TermId) -> TermId {
        let parts = match self.assembly.program.terms.get(condition) {
            Term::Apply {
                op: Op::And,
                arguments,
            } => arguments.to_vec(),
            _ => vec![condition],
        };
        let known: Vec<TermId> = parts
            .into_iter()
            .filter(|&part| !self.is_lost(part))
            .collect();
        self.assembly.program.terms.and(&known)
    }

    fn statement(&mut self, statement: &Statement) -> Statement {
        let mentioned = statement.terms();
        let targets = statement.targets();
        let untouched = !mentioned.iter().any(|&term| self.is_lost(term))
            && targets
                .iter()
                .all(|target| self.kept.contains(&target.variable()));
        if untouched && self.role_is_kept(statement) {
            return statement.clone();
        }
        match statement.as_guarded(&mut self.assembly.program.terms) {
            Some((guard, updates)) => {
                let guard = self.weakened(guard);
                let updates = self.updates(&updates);
                plainest(&mut self.assembly.program, guard, updates)
            }
            // Everything else mentions no variables, but for assertions, which are treated
            // before.
            None => statement.clone(),
        }
    }

    fn role_is_kept(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Guarded {
                role: Role::Lock(mutex) | Role::Unlock(mutex),
                ..
            } => {
                let index = match mutex {
                    Place::Element(_, index) => Some(*index),
                    Place::Variable(_) => None,
                };
                self.kept.contains(&mutex.variable())
                    && !index.is_some_and(|index| self.is_lost(index))
            }
            _ => true,
        }
    }

    fn updates(&self, updates: &[(Place, Update)]) -> Vec<(Place, Update)> {
        let mut known: Vec<(Place, Update)> = Vec::new();
        for &(target, update) in updates {
            if !self.kept.contains(&target.variable()) {
                continue;
            }
            let (target, update) = match (target, update) {
                // Some element changes, but who knows which.
                (Place::Element(array, index), _) if self.is_lost(index) => {
                    (Place::Variable(array), Update::Any)
                }
                (target, Update::Value(value)) if self.is_lost(value) => (target, Update::Any),
                unchanged => unchanged,
            };
            let whole = |place: Place| matches!(place, Place::Variable(_));
            if whole(target) {
                known.retain(|(earlier, _)| earlier.variable() != target.variable());
            }
            let covered = known
                .iter()
                .any(|&(earlier, _)| whole(earlier) && earlier.variable() == target.variable());
            if !covered {
                known.push((target, update));
            }
        }
        known
    }

    fn may_fail(&mut self, way: Way, edge: EdgeId, condition: TermId, message: &str) {
        let known = self.weakened(condition);
        let holds = plainest(&mut self.assembly.program, known, Vec::new());
        self.assembly.step(way, holds, edge);
        let never = self.assembly.program.terms.bool(false);
        let fails = Statement::assert(never, message);
        self.assembly.step(way, fails, edge);
    }
}
