//! The walk through one thread: along all edges, round its loops as often as the bound
//! says, and together again where paths meet.

use crate::event_graph::Limit;
use crate::loops::{Element, Loop};
use crate::memory::Reads;
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{EdgeId, LocationId, Op, Sort, Statement, Term, TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Rounds of one loop that constants decide, before they count like any other: a loop that
/// runs to a large constant would otherwise never end here.
const MOST_KNOWN_ROUNDS: u32 = 1_000;

/// The states that have arrived at a location and not gone on yet.
///
/// Of all states outside of atomic sections there is one at each location, and one of each
/// section that they are in. A location of a section can be reached by several of them, one
/// of which may have ended before the next began: those are two blocks, and what comes between
/// them is no part of either.
#[derive(Default)]
pub(crate) struct Frontier(FxHashMap<LocationId, Vec<State>>);

impl Frontier {
    pub(crate) fn add(&mut self, location: LocationId, state: State, terms: &mut Terms) {
        let states = self.0.entry(location).or_default();
        match states.iter().position(|other| other.block == state.block) {
            None => states.push(state),
            Some(place) => {
                let other = states.swap_remove(place);
                states.push(other.meet(state, terms));
            }
        }
    }

    fn take(&mut self, location: LocationId) -> Vec<State> {
        self.0.remove(&location).unwrap_or_default()
    }
}

impl Unroller<'_> {
    pub(crate) fn walk(
        &mut self,
        elements: &[Element],
        frontier: &mut Frontier,
        loops: &mut Loops,
        ends: &mut Vec<TermId>,
    ) {
        for element in elements {
            if self.is_exceeded() {
                return;
            }
            match element {
                Element::Location(location) => {
                    for state in frontier.take(*location) {
                        self.visit(*location, state, frontier, loops, ends);
                    }
                }
                Element::Loop(lp) => self.unwind(lp, frontier, loops, ends),
            }
        }
    }

    fn unwind(
        &mut self,
        lp: &Loop,
        frontier: &mut Frontier,
        loops: &mut Loops,
        ends: &mut Vec<TermId>,
    ) {
        let mut counted = 0;
        let mut known = 0;
        let mut first = true;
        let mut before = Vec::new();
        loop {
            let states = frontier.take(lp.head);
            if states.is_empty() && !first || self.is_exceeded() {
                return;
            }
            // A loop that comes round with nothing changed never ends, whatever constants say.
            let values: Vec<_> = states.iter().map(|state| state.values.clone()).collect();
            let changed = first || values != before;
            first = false;
            before = values;
            loops.0.push(Round {
                members: lp.members.clone(),
                head: lp.head,
                can_leave: (counted >= self.options.unwind).then(|| lp.can_leave.clone()),
                exits: Exits::None,
            });
            for state in states {
                self.visit(lp.head, state, frontier, loops, ends);
            }
            self.walk(&lp.body, frontier, loops, ends);
            let round = loops.0.pop().expect("the round that was pushed");
            if changed && round.exits == Exits::RuledOut && known < MOST_KNOWN_ROUNDS {
                known += 1;
            } else {
                counted += 1;
            }
        }
    }

    /// Takes every edge that leads away from the location.
    fn visit(
        &mut self,
        location: LocationId,
        mut state: State,
        frontier: &mut Frontier,
        loops: &mut Loops,
        ends: &mut Vec<TermId>,
    ) {
        let edges = self.program.outgoing(location);
        if edges.is_empty() {
            let guard = state.guard.term(&mut self.graph.terms);
            return ends.push(guard);
        }
        self.step_events.clear();
        if let Some(conditions) = self.branch(edges, &mut state) {
            let events = self.step_events.clone();
            if state.block.is_some() {
                let some = self.graph.terms.or(&conditions);
                self.require(&state, some);
            }
            for (&edge, condition) in edges.iter().zip(conditions) {
                self.step_events.clone_from(&events);
                let mut state = state.clone();
                state.guard.push(&self.graph.terms, condition);
                self.record(edge, &state, Vec::new());
                self.arrive(edge, state, frontier, loops);
            }
            return;
        }
        if let Some(conditions) = self.alternatives(edges, &mut state) {
            for (&edge, condition) in edges.iter().zip(conditions) {
                let mut state = state.clone();
                state.guard.push(&self.graph.terms, condition);
                self.step_events.clear();
                let state = match self.graph.terms.is_false(condition) {
                    true => Some(state),
                    false => self.execute(edge, state),
                };
                if let Some(state) = state {
                    self.arrive(edge, state, frontier, loops);
                }
            }
            return;
        }
        let mut rest = state;
        for (index, &edge) in edges.iter().enumerate() {
            let mut state = rest.clone();
            if index + 1 < edges.len() {
                let choice = self.fresh("choice", Sort::Bool);
                let other = self.graph.terms.not(choice);
                state.guard.push(&self.graph.terms, choice);
                rest.guard.push(&self.graph.terms, other);
            }
            self.step_events.clear();
            if let Some(state) = self.execute(edge, state) {
                self.arrive(edge, state, frontier, loops);
            }
        }
    }

    /// The way out of `while (1)`, if the front end draws one, says nothing about rounds.
    fn is_never_taken(&self, edge: EdgeId) -> bool {
        match self.program.edge(edge).statement {
            Statement::Assume(condition) => self.program.terms.is_false(condition),
            _ => false,
        }
    }

    /// If all edges are assumptions that exclude each other: their conditions, after
    /// reading what they mention once for all of them.
    fn branch(&mut self, edges: &[EdgeId], state: &mut State) -> Option<Vec<TermId>> {
        let program = self.program;
        let conditions =
            self.exclusive_conditions(edges, |edge| match program.edge(edge).statement {
                Statement::Assume(condition) => Some(condition),
                _ => None,
            })?;
        Some(self.evaluate_all(conditions, state))
    }

    /// If some edges do more than assume, but which one is taken depends on the thread alone:
    /// their conditions. Inside of a section one of them has to hold.
    fn alternatives(&mut self, edges: &[EdgeId], state: &mut State) -> Option<Vec<TermId>> {
        let program = self.program;
        let conditions =
            self.exclusive_conditions(edges, |edge| match program.edge(edge).statement {
                Statement::Assume(condition)
                | Statement::Guarded {
                    guard: condition, ..
                } => Some(condition),
                _ => None,
            })?;
        let mut all = conditions.iter();
        if all.any(|&condition| self.reads_memory(condition, state)) {
            return None;
        }
        let conditions = self.evaluate_all(conditions, state);
        if state.block.is_some() {
            let some = self.graph.terms.or(&conditions);
            self.require(state, some);
        }
        Some(conditions)
    }

    /// The conditions of several edges, if all have one and it is plain that they exclude each
    /// other.
    fn exclusive_conditions(
        &mut self,
        edges: &[EdgeId],
        condition: impl Fn(EdgeId) -> Option<TermId>,
    ) -> Option<Vec<TermId>> {
        if edges.len() < 2 {
            return None;
        }
        let conditions: Vec<TermId> = edges
            .iter()
            .map(|&edge| condition(edge))
            .collect::<Option<_>>()?;
        for (index, &a) in conditions.iter().enumerate() {
            for &b in &conditions[index + 1..] {
                if !self.exclude_each_other(a, b) {
                    return None;
                }
            }
        }
        Some(conditions)
    }

    fn evaluate_all(&mut self, conditions: Vec<TermId>, state: &mut State) -> Vec<TermId> {
        let mut reads = Reads::default();
        let conditions = conditions.into_iter();
        conditions
            .map(|condition| self.evaluate(condition, state, &mut reads))
            .collect()
    }

    /// Whether it is plain to see that the two conditions never hold together.
    fn exclude_each_other(&mut self, a: TermId, b: TermId) -> bool {
        let both = self.graph.terms.and(&[a, b]);
        self.graph.terms.is_false(both) || self.different_constants(a, b)
    }

    /// `x = 1` and `x = 2`.
    fn different_constants(&self, a: TermId, b: TermId) -> bool {
        let terms = &self.graph.terms;
        let sides = |term: TermId| match terms.get(term) {
            Term::Apply {
                op: Op::Eq,
                arguments,
            } => {
                let (x, y) = (arguments[0], arguments[1]);
                terms
                    .as_constant(y)
                    .map(|constant| (x, constant))
                    .or_else(|| terms.as_constant(x).map(|constant| (y, constant)))
            }
            _ => None,
        };
        match (sides(a), sides(b)) {
            (Some((x, c)), Some((y, d))) => x == y && c != d,
            _ => false,
        }
    }

    /// Brings a state to the edge's target, unless the bound ends it there.
    fn arrive(
        &mut self,
        edge: EdgeId,
        mut state: State,
        frontier: &mut Frontier,
        loops: &mut Loops,
    ) {
        let target = self.program.edge(edge).target;
        let guard = state.guard.term(&mut self.graph.terms);
        let live = !self.graph.terms.is_false(guard);
        if live || !self.is_never_taken(edge) {
            // Where only the way there rules an exit out, a next round need not be different.
            loops.note_exit(target, live || !state.guard.has_false(&self.graph.terms));
        }
        if !live {
            return;
        }
        if loops.ends_at(target) {
            let location = self.program.location_name(target);
            return self.cut(
                &state,
                format!("the loop at {location} goes round more often"),
                Limit::Unwinding,
            );
        }
        if state.alone && self.after_create.contains(&target) {
            self.flush(&mut state);
        }
        frontier.add(target, state, &mut self.graph.terms);
    }
}

/// The rounds of all loops that the walk is in, the outermost first.
#[derive(Default)]
pub(crate) struct Loops(Vec<Round>);

struct Round {
    members: Rc<FxHashSet<LocationId>>,
    head: LocationId,
    /// In the last round that the bound allows: where the walk may still go.
    can_leave: Option<Rc<FxHashSet<LocationId>>>,
    exits: Exits,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Exits {
    /// No way out of the loop was met.
    None,
    /// Each way out that was met was closed by a constant.
    RuledOut,
    /// Some way out is open, or closed only by how the walk came there.
    Open,
}

impl Loops {
    fn note_exit(&mut self, target: LocationId, open: bool) {
        for round in &mut self.0 {
            if !round.members.contains(&target) {
                round.exits = match (open, round.exits) {
                    (true, _) | (_, Exits::Open) => Exits::Open,
                    _ => Exits::RuledOut,
                };
            }
        }
    }

    /// Whether going to the target would begin a round that the bound does not allow.
    fn ends_at(&self, target: LocationId) -> bool {
        self.0.iter().any(|round| {
            round.members.contains(&target)
                && round
                    .can_leave
                    .as_ref()
                    .is_some_and(|can_leave| target == round.head || !can_leave.contains(&target))
        })
    }
}
