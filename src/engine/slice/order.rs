//! The order of a run's steps, without the values: several counterexamples at once.
//!
//! Section 6 of *Counter-Example Guided Program Verification*, "Combining counter-examples":
//! only the order of the instructions is kept, and of two instructions that are independent
//! not even that. Steps that a failing assertion does not depend on are left open
//! altogether: a thread takes its steps of the order, and then any others.

use super::abstraction::Abstraction;
use super::run::{Followed, Run};
use heddle_interpret::Violation;
use heddle_program::{EdgeId, Program, Statement, ThreadId, VarId};
use rustc_hash::FxHashSet;

/// The runs in which threads begin with the same steps, dependent ones in the same order.
#[derive(Clone, Debug)]
pub struct Order {
    /// In the order of the run that they come from.
    pub(crate) steps: Vec<Step>,
    /// By thread: how many of the steps it takes. A failing assertion does not count.
    pub(crate) lengths: Vec<usize>,
    /// The thread whose last step is an assertion that fails. It takes no other steps.
    pub(crate) failing: Option<ThreadId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// Of the abstraction.
    pub edge: EdgeId,
    /// Of the program.
    pub origin: EdgeId,
    pub thread: ThreadId,
    /// How many steps its thread takes before it.
    pub number: usize,
    /// How many steps other threads must have taken before it.
    pub after: Vec<(ThreadId, usize)>,
    /// It is an assertion, which fails.
    pub fails: bool,
}

impl Order {
    pub fn of(run: &Run, abstraction: &Abstraction) -> Order {
        let program = &abstraction.program;
        let followed = run.followed(abstraction);
        let accesses: Vec<Access> = followed
            .iter()
            .map(|followed| Access::of(program, followed))
            .collect();
        let fails = matches!(run.trace.violation, Violation::Assertion(_));
        let relevant = relevant(program, &followed, &accesses, fails);

        let mut lengths = vec![0; program.threads.len()];
        let mut steps: Vec<Step> = Vec::new();
        let mut taken: Vec<&Access> = Vec::new();
        for ((followed, access), _) in followed
            .iter()
            .zip(&accesses)
            .zip(&relevant)
            .filter(|(_, relevant)| **relevant)
        {
            let mut after = vec![0; lengths.len()];
            for (earlier, step) in taken.iter().zip(&steps) {
                if earlier.thread != access.thread && earlier.precedes(access) {
                    after[step.thread.index()] = step.number + 1;
                }
            }
            let after = after
                .into_iter()
                .enumerate()
                .filter(|(_, count)| *count > 0);
            let length = &mut lengths[access.thread.index()];
            steps.push(Step {
                edge: followed.step,
                origin: followed.origin,
                thread: access.thread,
                number: *length,
                after: after
                    .map(|(thread, count)| (ThreadId::from_index(thread), count))
                    .collect(),
                fails: followed.fails,
            });
            if !followed.fails {
                *length += 1;
            }
            taken.push(access);
        }
        let last = steps.last().filter(|step| step.fails);
        let mut order = Order {
            failing: last.map(|step| step.thread),
            steps,
            lengths,
        };
        order.wait_before_sections(program);
        order
    }

    /// What a step inside an atomic section waits for must have happened when the section
    /// begins.
    fn wait_before_sections(&mut self, program: &Program) {
        let mut begun: Vec<Option<usize>> = vec![None; self.lengths.len()];
        for position in 0..self.steps.len() {
            let thread = self.steps[position].thread.index();
            if let Some(begin) = begun[thread] {
                for (other, count) in std::mem::take(&mut self.steps[position].after) {
                    let after = &mut self.steps[begin].after;
                    match after.iter_mut().find(|(thread, _)| *thread == other) {
                        Some((_, most)) => *most = count.max(*most),
                        None => after.push((other, count)),
                    }
                }
            }
            match program.edge(self.steps[position].edge).statement {
                Statement::AtomicBegin => begun[thread] = Some(position),
                Statement::AtomicEnd => begun[thread] = None,
                _ => {}
            }
        }
    }
}

/// What a step does that others may depend on.
struct Access {
    thread: ThreadId,
    reads: Vec<VarId>,
    writes: Vec<VarId>,
    creates: Option<ThreadId>,
    joins: Option<ThreadId>,
}

impl Access {
    fn of(program: &Program, followed: &Followed) -> Access {
        let statement = &program.edge(followed.step).statement;
        Access {
            thread: program.thread_of(followed.step),
            reads: program.shared_reads(statement),
            writes: program.shared_writes(statement),
            creates: match statement {
                Statement::Create(thread) => Some(*thread),
                _ => None,
            },
            joins: match statement {
                Statement::Join(thread) => Some(*thread),
                _ => None,
            },
        }
    }

    /// Whether this step, which comes first, could not as well come after the other.
    fn precedes(&self, later: &Access) -> bool {
        let meets = |a: &[VarId], b: &[VarId]| a.iter().any(|variable| b.contains(variable));
        self.thread == later.thread
            || self.creates == Some(later.thread)
            || later.joins == Some(self.thread)
            || meets(&self.writes, &later.reads)
            || meets(&self.writes, &later.writes)
            || meets(&self.reads, &later.writes)
    }
}

/// The steps that a failing assertion depends on: without the others it fails as well. An
/// error condition is about the whole state.
fn relevant(
    program: &Program,
    followed: &[Followed],
    accesses: &[Access],
    fails: bool,
) -> Vec<bool> {
    let mut relevant = vec![!fails; accesses.len()];
    if let Some(last) = relevant.last_mut() {
        *last = true;
    }
    loop {
        for position in (0..accesses.len()).rev() {
            if relevant[position] {
                for earlier in 0..position {
                    relevant[earlier] |= accesses[earlier].precedes(&accesses[position]);
                }
            }
        }
        let open = open_section(program, followed, accesses, &relevant);
        match open {
            Some(next) => relevant[next] = true,
            None => return relevant,
        }
    }
}

/// A step that goes on in an atomic section of which only earlier steps are relevant.
fn open_section(
    program: &Program,
    followed: &[Followed],
    accesses: &[Access],
    relevant: &[bool],
) -> Option<usize> {
    let mut inside: FxHashSet<ThreadId> = FxHashSet::default();
    for position in 0..followed.len() {
        let thread = accesses[position].thread;
        if !relevant[position] {
            if inside.contains(&thread) {
                return Some(position);
            }
            continue;
        }
        match program.edge(followed[position].step).statement {
            Statement::AtomicBegin => inside.insert(thread),
            Statement::AtomicEnd => inside.remove(&thread),
            _ => continue,
        };
    }
    None
}

/// The threads that an order of the abstraction's steps can have at all.
pub(crate) fn threads_with_steps(abstraction: &Abstraction) -> FxHashSet<ThreadId> {
    let steps = abstraction.program.edge_ids();
    steps
        .map(|edge| abstraction.program.thread_of(edge))
        .collect()
}
