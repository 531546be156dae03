//! The unrolling itself: each thread is walked once, loops as often as the bound says.

use crate::dead_events::remove_dead_events;
use crate::event_graph::{
    Block, BlockId, Cell, CellId, Chain, ChainId, Cut, Event, EventGraph, EventId, EventKind, Step,
    StepId, Violation,
};
use crate::loops::{Element, Loop, loops_of};
use crate::memory::Reads;
use crate::observer::observe_error_condition;
use crate::state::{Guard, State};
use heddle_program::{
    EdgeId, LocationId, Op, Place, Program, Sort, Start, Statement, Term, TermId, ThreadId, Update,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often a loop may go round. Rounds that constants decide do not count.
    pub unwind: u32,
    /// Gives up beyond so many events.
    pub most_events: usize,
}

/// Rounds of one loop that constants decide, before they count like any other: a loop that
/// runs to a large constant would otherwise never end here.
const MOST_KNOWN_ROUNDS: u32 = 20_000;

/// The unrolled program would have more events than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    pub most_events: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the unrolled program has more than {} events",
            self.most_events
        )
    }
}

/// Unrolls a valid program. An error condition on locations becomes an assertion of an
/// observer; the program that the graph's steps refer to is returned with it.
pub fn unroll(
    program: &Program,
    options: Options,
) -> Result<(EventGraph, Cow<'_, Program>), TooLarge> {
    let program = observe_error_condition(program);
    let mut unroller = Unroller::new(&program, options);
    unroller.all_threads()?;
    let mut graph = unroller.finish();
    remove_dead_events(&mut graph);
    Ok((graph, program))
}

pub(crate) struct Unroller<'a> {
    pub(crate) program: &'a Program,
    pub(crate) graph: EventGraph,
    options: Options,
    pub(crate) cells: FxHashMap<Cell, CellId>,
    pub(crate) symbols: usize,
    /// By variable: whether any statement writes it.
    pub(crate) written: Vec<bool>,
    /// By variable: what it holds at the start.
    pub(crate) initial: Vec<TermId>,
    /// The chain of the thread that is being walked, with the places where all of shared
    /// memory is written at once.
    chain: ChainId,
    items: Vec<ChainItem>,
    closed: Vec<(ChainId, Vec<ChainItem>)>,
    /// The events of the step that is being executed.
    step_events: Vec<EventId>,
    creations: FxHashMap<ThreadId, Vec<EventId>>,
    /// By thread, the symbol that says whether it has ended, for those that are joined.
    ended: FxHashMap<ThreadId, TermId>,
    joins: Vec<(ThreadId, EventId)>,
    /// By location, whether a thread may have been started when the only initial thread
    /// gets there.
    after_create: FxHashSet<LocationId>,
    block_parents: Vec<BlockId>,
    exceeded: bool,
}

/// Which cells there are is known only at the end, so writing all of them is left open.
enum ChainItem {
    Event(EventId),
    Snapshot {
        guard: TermId,
        values: Rc<Vec<TermId>>,
    },
}

type Frontier = FxHashMap<LocationId, State>;

impl<'a> Unroller<'a> {
    fn new(program: &'a Program, options: Options) -> Self {
        let mut written = vec![false; program.variables.len()];
        for edge in &program.edges {
            for variable in program.writes(&edge.statement) {
                written[variable.index()] = true;
            }
        }
        let mut unroller = Unroller {
            program,
            graph: EventGraph {
                terms: program.terms.clone(),
                ..EventGraph::default()
            },
            options,
            cells: FxHashMap::default(),
            symbols: 0,
            written,
            initial: Vec::new(),
            chain: ChainId(0),
            items: Vec::new(),
            closed: Vec::new(),
            step_events: Vec::new(),
            creations: FxHashMap::default(),
            ended: FxHashMap::default(),
            joins: Vec::new(),
            after_create: locations_after_create(program),
            block_parents: Vec::new(),
            exceeded: false,
        };
        unroller.initial = program
            .variable_ids()
            .map(|id| {
                let variable = program.variable(id);
                variable.initial.unwrap_or_else(|| {
                    let symbol = unroller.fresh(&variable.name, variable.sort);
                    unroller.graph.initial_choices.push((id, symbol));
                    symbol
                })
            })
            .collect();
        unroller
    }

    fn all_threads(&mut self) -> Result<(), TooLarge> {
        let from_beginning: Vec<ThreadId> = self
            .program
            .thread_ids()
            .filter(|&id| self.program.thread(id).start == Start::AtBeginning)
            .collect();
        let alone = from_beginning.len() == 1;
        let initial = if alone {
            None
        } else {
            Some(self.initial_chain())
        };
        for thread in creation_order(self.program) {
            self.thread(thread, alone, initial);
            if self.exceeded {
                return Err(TooLarge {
                    most_events: self.options.most_events,
                });
            }
        }
        Ok(())
    }

    /// The chain that writes every initial value; returns its last event.
    fn initial_chain(&mut self) -> EventId {
        self.open_chain(None);
        let always = self.graph.terms.bool(true);
        self.items.push(ChainItem::Snapshot {
            guard: always,
            values: Rc::new(self.initial.clone()),
        });
        let done = self.event(EventKind::Mark, always, None);
        self.close_chain();
        done
    }

    fn open_chain(&mut self, thread: Option<ThreadId>) {
        self.chain = ChainId::from_index(self.graph.chains.len());
        self.graph.chains.push(Chain {
            thread,
            events: Vec::new(),
        });
        self.items.clear();
    }

    /// Walks one thread. Its creators have been walked before.
    fn thread(&mut self, thread: ThreadId, alone: bool, initial: Option<EventId>) {
        let at_beginning = self.program.thread(thread).start == Start::AtBeginning;
        let creations = self.creations.remove(&thread).unwrap_or_default();
        let started = if at_beginning {
            self.graph.terms.bool(true)
        } else {
            let guards: Vec<TermId> = creations
                .iter()
                .map(|&event| self.graph.event(event).guard)
                .collect();
            self.graph.terms.or(&guards)
        };
        let ended = self.ended_symbol(thread);
        if self.graph.terms.is_false(started) {
            let never = self.graph.terms.not(ended);
            return self.graph.definitions.push(never);
        }
        self.open_chain(Some(thread));
        let start = self.event(EventKind::Mark, started, None);
        let before = creations
            .into_iter()
            .chain(initial.filter(|_| at_beginning));
        self.graph.orders.extend(before.map(|event| (event, start)));

        let state = State {
            guard: Guard::of(&self.graph.terms, started),
            values: Rc::new(self.initial.clone()),
            alone: alone && at_beginning,
            block: None,
        };
        let mut frontier = Frontier::default();
        let mut ends = Vec::new();
        frontier.insert(self.program.thread(thread).entry, state);
        let elements = loops_of(self.program, thread);
        self.walk(&elements, &mut frontier, &mut Loops::default(), &mut ends);

        let ends = self.graph.terms.or(&ends);
        let end = self.event(EventKind::Mark, ends, None);
        self.close_chain();
        let joins = self.joins.iter().filter(|(joined, _)| *joined == thread);
        self.graph
            .orders
            .extend(joins.map(|&(_, event)| (end, event)));
        let definition = self.graph.terms.eq(ended, ends);
        self.graph.definitions.push(definition);
    }

    fn ended_symbol(&mut self, thread: ThreadId) -> TermId {
        if let Some(&symbol) = self.ended.get(&thread) {
            return symbol;
        }
        let name = format!("ended {}", self.program.thread(thread).name);
        let symbol = self.fresh(&name, Sort::Bool);
        self.ended.insert(thread, symbol);
        symbol
    }

    fn walk(
        &mut self,
        elements: &[Element],
        frontier: &mut Frontier,
        loops: &mut Loops,
        ends: &mut Vec<TermId>,
    ) {
        for element in elements {
            if self.exceeded {
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
        loop {
            let state = frontier.remove(&lp.head);
            if state.is_none() && !first || self.exceeded {
                return;
            }
            first = false;
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
            if round.exits == Exits::RuledOut && known < MOST_KNOWN_ROUNDS {
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
        state: State,
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
        if let Some(conditions) = self.branch(edges, &state) {
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

    /// If all edges are assumptions that exclude each other: their conditions, after
    /// reading what they mention once for all of them.
    fn branch(&mut self, edges: &[EdgeId], state: &State) -> Option<Vec<TermId>> {
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

    /// Executes the edge's statement; `None` if nothing can come after it.
    fn execute(&mut self, edge: EdgeId, mut state: State) -> Option<State> {
        let program = self.program;
        let mut choices = Vec::new();
        let mut reads = Reads::default();
        match &program.edge(edge).statement {
            Statement::Skip => {}
            Statement::Assign { target, value } => {
                let index = self.index(*target, &state, &mut reads);
                let value = self.evaluate(*value, &state, &mut reads);
                self.write(*target, index, value, &mut state);
            }
            Statement::Havoc { target } => {
                let index = self.index(*target, &state, &mut reads);
                let value = self.any_value(*target);
                choices.push(value);
                self.write(*target, index, value, &mut state);
            }
            Statement::Assume(condition) => {
                let condition = self.evaluate(*condition, &state, &mut reads);
                self.assume(&mut state, condition);
            }
            Statement::Assert { condition, .. } => {
                let condition = self.evaluate(*condition, &state, &mut reads);
                let step = self.record(edge, &state, choices);
                let guard = state.guard.term(&mut self.graph.terms);
                let fails = self.graph.terms.not(condition);
                let condition_term = self.graph.terms.and(&[guard, fails]);
                if !self.graph.terms.is_false(condition_term) {
                    self.graph.violations.push(Violation {
                        condition: condition_term,
                        step,
                    });
                }
                state.guard.push(&self.graph.terms, condition);
                return Some(state);
            }
            Statement::Guarded { guard, updates, .. } => {
                choices = self.guarded(*guard, updates, &mut state);
            }
            Statement::Create(thread) => {
                if state.alone {
                    self.flush(&mut state);
                }
                let guard = state.guard.term(&mut self.graph.terms);
                let event = self.event(EventKind::Mark, guard, state.block);
                self.creations.entry(*thread).or_default().push(event);
            }
            Statement::Join(thread) => {
                let ended = self.ended_symbol(*thread);
                self.assume(&mut state, ended);
                let guard = state.guard.term(&mut self.graph.terms);
                let event = self.event(EventKind::Mark, guard, state.block);
                self.joins.push((*thread, event));
            }
            Statement::AtomicBegin => {
                let block = BlockId::from_index(self.block_parents.len());
                self.block_parents.push(block);
                state.block = Some(block);
                if may_block(program, program.edge(edge).target) {
                    let enters = self.fresh("enters", Sort::Bool);
                    state.guard.push(&self.graph.terms, enters);
                }
            }
            Statement::AtomicEnd => {
                self.record(edge, &state, choices);
                state.block = None;
                return Some(state);
            }
            Statement::BoundReached(reason) => {
                self.cut(&state, reason.clone());
                return None;
            }
        }
        self.record(edge, &state, choices);
        Some(state)
    }

    /// A guarded step reads all that it needs, and writes, as one block.
    fn guarded(
        &mut self,
        guard: TermId,
        updates: &[(Place, Update)],
        state: &mut State,
    ) -> Vec<TermId> {
        let section = state.block;
        let own_block = section.unwrap_or_else(|| {
            let block = BlockId::from_index(self.block_parents.len());
            self.block_parents.push(block);
            block
        });
        state.block = Some(own_block);
        let mut reads = Reads::default();
        let mut choices = Vec::new();
        let condition = self.evaluate(guard, state, &mut reads);
        let mut writes = Vec::new();
        for &(target, update) in updates {
            let index = self.index(target, state, &mut reads);
            let value = match update {
                Update::Value(value) => self.evaluate(value, state, &mut reads),
                Update::Any => {
                    let value = self.any_value(target);
                    choices.push(value);
                    value
                }
            };
            writes.push((target, index, value));
        }
        state.block = section;
        self.assume(state, condition);
        state.block = Some(own_block);
        for (target, index, value) in writes {
            self.write(target, index, value, state);
        }
        state.block = section;
        choices
    }

    fn index(&mut self, place: Place, state: &State, reads: &mut Reads) -> Option<TermId> {
        match place {
            Place::Variable(_) => None,
            Place::Element(_, index) => Some(self.evaluate(index, state, reads)),
        }
    }

    fn any_value(&mut self, place: Place) -> TermId {
        let variable = place.variable();
        let name = self.graph.terms.name(variable).to_string();
        let sort = match (place, self.graph.terms.variable_sort(variable)) {
            (Place::Element(..), Sort::Array(sort)) => sort.element.into(),
            (_, sort) => sort,
        };
        self.fresh(&name, sort)
    }

    /// The thread goes on only if the condition holds. Inside an atomic section nobody
    /// could go on otherwise, so there the section is not entered unless it holds.
    fn assume(&mut self, state: &mut State, condition: TermId) {
        if state.block.is_some() {
            self.require(state, condition);
        } else {
            state.guard.push(&self.graph.terms, condition);
        }
    }

    fn require(&mut self, state: &State, condition: TermId) {
        let guard = state.guard.term(&mut self.graph.terms);
        let required = self.graph.terms.implies(guard, condition);
        if !self.graph.terms.is_true(required) {
            self.graph.definitions.push(required);
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
        loops.note_exit(target, live);
        if !live {
            return;
        }
        if loops.ends_at(target) {
            let location = self.program.location_name(target);
            return self.cut(
                &state,
                format!("the loop at {location} goes round more often"),
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

    fn cut(&mut self, state: &State, reason: String) {
        let guard = state.guard.term(&mut self.graph.terms);
        self.graph.cuts.push(Cut {
            guard,
            reason,
            in_block: state.block.is_some(),
        });
    }

    /// From here on other threads run: what is known of shared memory becomes writes.
    fn flush(&mut self, state: &mut State) {
        let guard = state.guard.term(&mut self.graph.terms);
        self.items.push(ChainItem::Snapshot {
            guard,
            values: state.values.clone(),
        });
        state.alone = false;
    }

    pub(crate) fn event(
        &mut self,
        kind: EventKind,
        guard: TermId,
        block: Option<BlockId>,
    ) -> EventId {
        let id = self.new_event(self.chain, kind, guard, block);
        self.items.push(ChainItem::Event(id));
        self.step_events.push(id);
        id
    }

    fn new_event(
        &mut self,
        chain: ChainId,
        kind: EventKind,
        guard: TermId,
        block: Option<BlockId>,
    ) -> EventId {
        let id = EventId::from_index(self.graph.events.len());
        self.graph.events.push(Event {
            chain,
            kind,
            guard,
            block,
            step: None,
        });
        self.exceeded |= self.graph.events.len() > self.options.most_events;
        id
    }

    /// The step that took the edge to this state, with the events since the last step.
    fn record(&mut self, edge: EdgeId, state: &State, choices: Vec<TermId>) -> StepId {
        let id = StepId::from_index(self.graph.steps.len());
        for &event in &self.step_events {
            self.graph.events[event.index()].step.get_or_insert(id);
        }
        let guard = state.guard.term(&mut self.graph.terms);
        self.graph.steps.push(Step {
            thread: self.program.thread_of(edge),
            edge,
            guard,
            events: self.step_events.clone(),
            choices,
            block: state.block,
        });
        id
    }

    fn join_blocks(&mut self, a: BlockId, b: BlockId) {
        let (a, b) = (self.block_root(a), self.block_root(b));
        self.block_parents[b.index()] = a;
    }

    fn block_root(&self, mut block: BlockId) -> BlockId {
        while self.block_parents[block.index()] != block {
            block = self.block_parents[block.index()];
        }
        block
    }

    fn close_chain(&mut self) {
        let items = std::mem::take(&mut self.items);
        self.closed.push((self.chain, items));
        self.step_events.clear();
    }

    fn finish(mut self) -> EventGraph {
        for (chain, items) in std::mem::take(&mut self.closed) {
            for item in items {
                match item {
                    ChainItem::Event(event) => self.graph.chains[chain.index()].events.push(event),
                    ChainItem::Snapshot { guard, values } => {
                        self.write_snapshot(chain, guard, &values);
                    }
                }
            }
        }
        self.number_blocks();
        propagate_constant_definitions(&mut self.graph);
        self.graph
    }

    fn write_snapshot(&mut self, chain: ChainId, guard: TermId, values: &[TermId]) {
        for index in 0..self.graph.cells.len() {
            let cell = CellId::from_index(index);
            let Cell { variable, element } = self.graph.cell(cell).clone();
            let mut value = values[variable.index()];
            if let Some(position) = element {
                let sort = self.graph.terms.sort(value);
                let sort = sort.as_array().expect("only arrays have elements");
                let index = self.graph.terms.index_constant(sort, position);
                value = self.graph.terms.select(value, index);
            }
            let event = self.new_event(chain, EventKind::Write { cell, value }, guard, None);
            self.graph.chains[chain.index()].events.push(event);
        }
    }

    /// Blocks that were joined get one number.
    fn number_blocks(&mut self) {
        let mut numbers: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        let roots: Vec<BlockId> = (0..self.block_parents.len())
            .map(|index| self.block_root(BlockId::from_index(index)))
            .collect();
        let mut number = |block: BlockId| {
            let next = BlockId::from_index(numbers.len());
            *numbers.entry(roots[block.index()]).or_insert(next)
        };
        for step in &mut self.graph.steps {
            step.block = step.block.map(&mut number);
        }
        for event in &mut self.graph.events {
            event.block = event.block.map(&mut number);
        }
        self.graph.blocks = vec![Block::default(); numbers.len()];
        for chain in &self.graph.chains {
            for &event in &chain.events {
                if let Some(block) = self.graph.events[event.index()].block {
                    self.graph.blocks[block.index()].events.push(event);
                }
            }
        }
    }
}

/// The rounds of all loops that the walk is in, the outermost first.
#[derive(Default)]
struct Loops(Vec<Round>);

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
    /// Some way out is open.
    Open,
}

impl Loops {
    fn note_exit(&mut self, target: LocationId, live: bool) {
        for round in &mut self.0 {
            if !round.members.contains(&target) {
                round.exits = match (live, round.exits) {
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

/// The threads, each after those that create it.
fn creation_order(program: &Program) -> Vec<ThreadId> {
    let created_by = |thread: ThreadId| {
        program
            .edge_ids()
            .filter_map(move |edge| match program.edge(edge).statement {
                Statement::Create(created) if program.thread_of(edge) == thread => Some(created),
                _ => None,
            })
    };
    // Reverse postorder of a depth-first search.
    let mut seen = FxHashSet::default();
    let mut postorder = Vec::new();
    for root in program.thread_ids().rev() {
        if program.thread(root).start != Start::AtBeginning {
            continue;
        }
        let mut pending = vec![(root, false)];
        while let Some((thread, done)) = pending.pop() {
            if done {
                postorder.push(thread);
            } else if seen.insert(thread) {
                pending.push((thread, true));
                pending.extend(created_by(thread).map(|created| (created, false)));
            }
        }
    }
    postorder.reverse();
    postorder
}

/// Where the initial threads may be after starting another one.
fn locations_after_create(program: &Program) -> FxHashSet<LocationId> {
    let mut reached = FxHashSet::default();
    let mut pending: Vec<LocationId> = program
        .edges
        .iter()
        .filter(|edge| matches!(edge.statement, Statement::Create(_)))
        .map(|edge| edge.target)
        .collect();
    while let Some(location) = pending.pop() {
        if reached.insert(location) {
            let outgoing = program.outgoing(location).iter();
            pending.extend(outgoing.map(|&edge| program.edge(edge).target));
        }
    }
    reached
}

/// Whether a thread that enters the atomic section at this location could get stuck in it:
/// the section waits, loops, or has a branch that need not be exhaustive.
fn may_block(program: &Program, start: LocationId) -> bool {
    let mut seen = FxHashSet::default();
    let mut pending = vec![start];
    while let Some(location) = pending.pop() {
        if !seen.insert(location) {
            // Met twice: by two branches, or by a loop. Only a loop may not end.
            continue;
        }
        let outgoing = program.outgoing(location);
        let conditions: Vec<TermId> = outgoing
            .iter()
            .filter_map(|&edge| match program.edge(edge).statement {
                Statement::Assume(condition) => Some(condition),
                _ => None,
            })
            .collect();
        let exhaustive = match conditions[..] {
            [] => true,
            [a, b] => program.terms.clone().not(a) == b,
            _ => false,
        };
        if !exhaustive || outgoing.is_empty() {
            return true;
        }
        for &edge in outgoing {
            match program.edge(edge).statement {
                Statement::AtomicEnd => continue,
                Statement::Guarded { guard, .. } if program.terms.is_true(guard) => {}
                Statement::Guarded { .. } | Statement::Join(_) | Statement::BoundReached(_) => {
                    return true;
                }
                _ => {}
            }
            pending.push(program.edge(edge).target);
        }
    }
    has_cycle(program, &seen)
}

fn has_cycle(program: &Program, locations: &FxHashSet<LocationId>) -> bool {
    let mut graph = petgraph::graphmap::DiGraphMap::<LocationId, ()>::new();
    for &location in locations {
        for &edge in program.outgoing(location) {
            let edge = program.edge(edge);
            if edge.statement != Statement::AtomicEnd && locations.contains(&edge.target) {
                graph.add_edge(location, edge.target, ());
            }
        }
    }
    petgraph::algo::is_cyclic_directed(&graph)
}

/// A definition that gives a symbol a constant value (a thread that always ends) is put to
/// use everywhere, until there is none.
fn propagate_constant_definitions(graph: &mut EventGraph) {
    loop {
        let mut constants = FxHashMap::default();
        let truth = [graph.terms.bool(false), graph.terms.bool(true)];
        for &definition in &graph.definitions {
            if let Some(symbol) = graph.terms.as_variable(definition) {
                constants.insert(symbol, truth[1]);
            } else if let Term::Apply {
                op: Op::Not,
                arguments,
            } = graph.terms.get(definition)
                && let Some(symbol) = graph.terms.as_variable(arguments[0])
            {
                constants.insert(symbol, truth[0]);
            }
        }
        if constants.is_empty() {
            return;
        }
        graph.map_terms(|terms, term| {
            terms.substitute(term, |_, variable| constants.get(&variable).copied())
        });
        let terms = &graph.terms;
        graph
            .definitions
            .retain(|&definition| !terms.is_true(definition));
    }
}
