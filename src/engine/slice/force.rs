//! Forces an order: of the steps that the abstraction has, each thread first takes those of
//! the order, when it is their turn.
//!
//! The reconstruction of Section 6 of *Counter-Example Guided Program Verification*: no
//! values are prescribed, so all variables stay. Each thread counts its steps in a variable
//! that the others can read.

use super::abstraction::Abstraction;
use super::assembly::{Assembly, Way};
use super::order::{Order, Step};
use super::pace::{Meaning, Pace};
use super::reconstruction::Reconstruction;
use heddle_program::{Program, TermId, ThreadId, VarId};
use rustc_hash::FxHashMap;

pub fn force(program: &Program, abstraction: &Abstraction, order: &Order) -> Reconstruction {
    let longest = order.lengths.iter().copied().max().unwrap_or(0);
    let mut assembly = Assembly::without_steps(program, longest);
    let mut taken: FxHashMap<ThreadId, VarId> = FxHashMap::default();
    for step in &order.steps {
        taken.entry(step.thread).or_insert_with(|| {
            let name = format!("taken {}", program.thread(step.thread).name);
            assembly.counter(&name)
        });
    }
    let inside = program.inside_atomic();
    let in_abstraction = abstraction.has_step(program);
    for edge in program.edge_ids() {
        let way = Way::from(program.edge(edge));
        let inside = inside[way.source.index()];
        let statement = &program.edge(edge).statement;
        if !in_abstraction[edge.index()] {
            assembly.step(way, statement.clone(), Meaning::Step(edge));
            continue;
        }
        for step in order.steps.iter().filter(|step| step.origin == edge) {
            let pace = Pace {
                condition: turn(&mut assembly, &taken, step),
                ticks: vec![assembly.set(taken[&step.thread], step.number + 1)],
                passes: !step.fails,
                may_fail: assembly.program.terms.bool(true),
            };
            assembly.paced(way, inside, statement, Meaning::Step(edge), pace);
        }
        let thread = program.thread_of(edge);
        if order.failing != Some(thread) {
            let done = match taken.get(&thread) {
                Some(&taken) => assembly.equals(taken, order.lengths[thread.index()]),
                None => assembly.program.terms.bool(true),
            };
            let pace = Pace::when(done, &mut assembly.program.terms);
            assembly.paced(way, inside, statement, Meaning::Step(edge), pace);
        }
    }
    assembly.block_where_steps_are_gone(program, || Meaning::Nothing);
    assembly.remove_unreachable();
    let Assembly {
        program: forced,
        meaning,
        ..
    } = assembly;
    Reconstruction::in_order(forced, meaning, program)
}

/// It is the step's turn.
pub(super) fn turn<M>(
    assembly: &mut Assembly<M>,
    taken: &FxHashMap<ThreadId, VarId>,
    step: &Step,
) -> TermId {
    let mut conditions = vec![assembly.equals(taken[&step.thread], step.number)];
    for (thread, count) in &step.after {
        conditions.push(assembly.at_least(taken[thread], *count));
    }
    assembly.program.terms.and(&conditions)
}
