//! The walk through one thread: along all edges, round its loops as often as the bound
//! says, and together again where paths meet.

use crate::event_graph::Limit;
use crate::loops::{Element, Loop};
use crate::memory::Reads;
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{EdgeId, LocationId, Op, Sort, Statement, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Rounds of one loop that constants decide, before they count like any other: a loop that
/// runs to a large constant would otherwise never end here.
const MOST_KNOWN_ROUNDS: u32 = 1_000;

/// The states that have arrived at a location and not gone on yet.
pub(crate) type Frontier = FxHashMap<LocationId, State>;

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
                    if let Some(state) = frontier.remove(location) {
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
        let mut before = None;
        loop {
            let state = frontier.remove(&lp.head);
            if state.is_none() && !first || self.is_exceeded() {
                return;
            }
            first = false;
            // A loop that comes round with nothing changed never ends, whatever constants say.
            let values = state.as_ref().map(|state| state.values.clone());
            let changed = values != before;
            before = values;
            loops.0.push(Round {
                members: lp.members.clone(),
                head: lp.head,
                can_leave: (counted >= self.options.unwind).then(|| lp.can_leave.clone()),
                exits: Exits::None,
            });
            if let Some(state) = state {
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
        if edges.len() < 2 {
            return None;
        }
        let program = self.program;
        let conditions: Option<Vec<TermId>> = edges
            .iter()
            .map(|&edge| match program.edge(edge).statement {
                Statement::Assume(condition) => Some(condition),
                _ => None,
            })
            .collect();
        let conditions = conditions?;
        for (index, &a) in conditions.iter().enumerate() {
            for &b in &conditions[index + 1..] {
                if !self.exclude_each_other(a, b) {
                    return None;
                }
            }
        }
        let mut reads = Reads::default();
        let values = conditions
            .into_iter()
            .map(|condition| self.evaluate(condition, state, &mut reads));
        Some(values.collect())
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
        let state = match frontier.remove(&target) {
            None => state,
            Some(other) => {
                if let (Some(a), Some(b)) = (state.block, other.block) {
                    self.join_blocks(a, b);
                }
                other.meet(state, &mut self.graph.terms)
            }
        };
        frontier.insert(target, state);
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
