//! Forbids orders: the abstraction without the runs that follow one of them to the end.
//!
//! The refinement of Section 6 of *Counter-Example Guided Program Verification*, in the form
//! of the observer of Section 2: each step notes whether it is the one that the order has
//! next; who has followed an order all along does not get to its violation.

use super::abstraction::Abstraction;
use super::assembly::{Assembly, Way};
use super::force::turn;
use super::order::{Order, Step, threads_with_steps};
use super::pace::{Meaning, Pace};
use super::refinement::Refinement;
use heddle_program::{
    EdgeId, ErrorCondition, Place, StateFormula, TermId, ThreadId, Update, VarId,
};
use rustc_hash::FxHashMap;

pub fn forbid(abstraction: &Abstraction, orders: &[Order]) -> Refinement {
    let program = &abstraction.program;
    let lengths = orders.iter().flat_map(|order| &order.lengths);
    let longest = lengths.copied().max().unwrap_or(0) + 1;
    let mut assembly = Assembly::without_steps(program, longest);
    let mut threads: Vec<ThreadId> = threads_with_steps(abstraction).into_iter().collect();
    threads.sort_unstable();
    let followed: Vec<FollowedOrder> = orders
        .iter()
        .enumerate()
        .map(|(number, order)| {
            let taken = threads.iter().map(|&thread| {
                let name = format!("taken {} {number}", program.thread(thread).name);
                (thread, assembly.counter(&name))
            });
            FollowedOrder {
                order,
                taken: taken.collect(),
            }
        })
        .collect();

    let inside = program.inside_atomic();
    for edge in program.edge_ids() {
        let way = Way::from(program.edge(edge));
        let statement = &program.edge(edge).statement;
        let thread = program.thread_of(edge);
        let mut ticks = Vec::new();
        let mut excluded = Vec::new();
        for order in &followed {
            ticks.push(order.tick(&mut assembly, thread, edge));
            excluded.extend(order.violated_by(&mut assembly, edge));
        }
        let terms = &mut assembly.program.terms;
        let excluded = terms.or(&excluded);
        let pace = Pace {
            condition: terms.bool(true),
            ticks,
            passes: true,
            may_fail: terms.not(excluded),
        };
        let inside = inside[way.source.index()];
        assembly.paced(way, inside, statement, Meaning::Step(edge), pace);
    }
    if let Some(ErrorCondition { formula, span }) = &program.property.error {
        let mut parts = vec![formula.clone()];
        for order in followed
            .iter()
            .filter(|order| order.order.failing.is_none())
        {
            let complete = order.complete(&mut assembly);
            let open = assembly.program.terms.not(complete);
            parts.push(StateFormula::Term(open));
        }
        assembly.program.property.error = Some(ErrorCondition {
            formula: StateFormula::And(parts),
            span: *span,
        });
    }
    Refinement::paced(assembly.program, assembly.meaning)
}

/// An order with the variables that say how far it was followed: by thread, how many of its
/// steps were taken; one more than there are once it went astray.
struct FollowedOrder<'a> {
    order: &'a Order,
    taken: FxHashMap<ThreadId, VarId>,
}

impl FollowedOrder<'_> {
    /// What a step of the thread makes of its counter.
    fn tick(
        &self,
        assembly: &mut Assembly<Meaning>,
        thread: ThreadId,
        edge: EdgeId,
    ) -> (Place, Update) {
        let length = self.order.lengths[thread.index()];
        let mut next = assembly.number(length + 1);
        if self.order.failing != Some(thread) {
            let done = assembly.equals(self.taken[&thread], length);
            let stays = assembly.number(length);
            next = assembly.program.terms.ite(done, stays, next);
        }
        let own = |step: &&Step| step.edge == edge && step.thread == thread && !step.fails;
        for step in self.order.steps.iter().filter(own) {
            let turn = turn(assembly, &self.taken, step);
            let number = assembly.number(step.number + 1);
            next = assembly.program.terms.ite(turn, number, next);
        }
        (Place::Variable(self.taken[&thread]), Update::Value(next))
    }

    /// Whether an assertion that fails by this step would complete the order.
    fn violated_by(&self, assembly: &mut Assembly<Meaning>, edge: EdgeId) -> Option<TermId> {
        let last = self.order.steps.last()?;
        (last.fails && last.edge == edge).then(|| self.complete(assembly))
    }

    /// All steps were taken in order, but for an assertion that fails.
    fn complete(&self, assembly: &mut Assembly<Meaning>) -> TermId {
        let mut threads: Vec<(ThreadId, VarId)> = self
            .taken
            .iter()
            .map(|(&thread, &taken)| (thread, taken))
            .collect();
        threads.sort_unstable();
        let mut conditions = Vec::new();
        for (thread, taken) in threads {
            let length = self.order.lengths[thread.index()];
            conditions.push(assembly.equals(taken, length));
        }
        assembly.program.terms.and(&conditions)
    }
}
