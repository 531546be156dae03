//! The abstraction ⟦·⟧ab: the program with some of its variables sliced away.
//!
//! Section 5.1 and Figure 10 of *Counter-Example Guided Program Verification*. Whatever
//! depends on a sliced variable may have any value; what only writes sliced variables is
//! left out. Every run of the program is one of the abstraction too, without the steps that
//! were left out (Lemma 1).

use super::assembly::{Assembly, Way, plainest};
use super::choice::{Variables, error_variables};
use super::compaction::{Compacted, compact};
use heddle_program::{
    EdgeId, Op, Place, Program, Role, Statement, Term, TermId, ThreadId, Update, VarId,
};

pub struct Abstraction {
    pub program: Program,
    /// By step of the abstraction: the step of the program that it stands for. `None` for
    /// steps that only keep a thread from being created twice.
    pub origin: Vec<Option<EdgeId>>,
    /// By variable of the program: the variable of the abstraction, if it is kept.
    pub variables: Vec<Option<VarId>>,
}

impl Abstraction {
    /// By step of the program: whether the abstraction has it.
    pub(crate) fn has_step(&self, program: &Program) -> Vec<bool> {
        let mut present = vec![false; program.edges.len()];
        for edge in self.origin.iter().flatten() {
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
        created: created_at_most_once(program, &kept),
        kept: &kept,
    };
    slicing.steps();
    let Assembly {
        program: sliced,
        meaning,
        ..
    } = slicing.assembly;
    let added = (program.variables.len()..sliced.variables.len()).map(VarId::from_index);
    kept.extend(added);
    let Compacted {
        program: sliced,
        edges,
        variables,
    } = compact(sliced, &kept);
    Abstraction {
        program: sliced,
        origin: edges.iter().map(|edge| meaning[edge.index()]).collect(),
        variables: variables[..program.variables.len()].to_vec(),
    }
}

struct Slicing<'a> {
    program: &'a Program,
    assembly: Assembly<Option<EdgeId>>,
    kept: &'a Variables,
    /// Threads that need a flag that says whether they were created.
    created: Vec<ThreadId>,
}

impl Slicing<'_> {
    fn steps(&mut self) {
        let flags: Vec<(ThreadId, VarId)> = std::mem::take(&mut self.created)
            .into_iter()
            .map(|thread| {
                let name = format!("created {}", self.program.thread(thread).name);
                (thread, self.assembly.flag(&name))
            })
            .collect();
        let inside = self.program.inside_atomic();
        for edge in self.program.edge_ids() {
            let way = Way::from(self.program.edge(edge));
            match &self.program.edge(edge).statement {
                Statement::Assert { condition, message } if self.is_lost(*condition) => {
                    self.may_fail(way, edge, *condition, message);
                }
                Statement::Create(thread) => {
                    let flag = flags.iter().find(|(created, _)| created == thread);
                    let is_inside = inside[way.source.index()];
                    self.create(way, edge, *thread, flag.map(|&(_, flag)| flag), is_inside);
                }
                statement => {
                    let statement = self.statement(statement);
                    self.assembly.step(way, statement, Some(edge));
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
        self.assembly.step(way, holds, Some(edge));
        let never = self.assembly.program.terms.bool(false);
        let fails = Statement::assert(never, message);
        self.assembly.step(way, fails, Some(edge));
    }

    /// A thread is created at most once, also where the conditions that see to it were
    /// sliced away.
    fn create(
        &mut self,
        way: Way,
        edge: EdgeId,
        thread: ThreadId,
        flag: Option<VarId>,
        inside: bool,
    ) {
        let create = (Statement::Create(thread), Some(edge));
        let Some(flag) = flag else {
            self.assembly.step(way, create.0, create.1);
            return;
        };
        let terms = &mut self.assembly.program.terms;
        let created = terms.variable(flag);
        let guard = terms.not(created);
        let yes = Update::Value(terms.bool(true));
        let note = Statement::command(guard, vec![(Place::Variable(flag), yes)]);
        let mut steps = vec![(note, None), create];
        if !inside {
            steps.insert(0, (Statement::AtomicBegin, None));
            steps.push((Statement::AtomicEnd, None));
        }
        self.assembly.sequence(way, steps);
    }
}

/// The threads that the abstraction could create twice: they are created in several places
/// or in a loop. If nothing is sliced away, the program itself sees to it.
fn created_at_most_once(program: &Program, kept: &Variables) -> Vec<ThreadId> {
    if program
        .variable_ids()
        .all(|variable| kept.contains(&variable))
    {
        return Vec::new();
    }
    let creates = |thread: ThreadId| {
        let edges = program.edge_ids();
        edges.filter(move |&edge| program.edge(edge).statement == Statement::Create(thread))
    };
    let again = |edge: EdgeId| {
        let mut pending = vec![program.edge(edge).target];
        let mut seen = vec![false; program.locations.len()];
        while let Some(location) = pending.pop() {
            if std::mem::replace(&mut seen[location.index()], true) {
                continue;
            }
            let outgoing = program.outgoing(location).iter();
            pending.extend(outgoing.map(|&edge| program.edge(edge).target));
        }
        seen[program.edge(edge).source.index()]
    };
    let threads = program.thread_ids();
    threads
        .filter(|&thread| creates(thread).count() > 1 || creates(thread).any(again))
        .collect()
}
