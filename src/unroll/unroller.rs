//! The unrolling itself: each thread is walked once, loops as often as the bound says.

use crate::block_ends::mark_block_ends;
use crate::constants::propagate_constant_definitions;
use crate::creation::{SecondCreation, creation_order, creators, locations_after_create};
use crate::dead_events::remove_dead_events;
use crate::event_graph::{
    Block, BlockId, Cell, CellId, Chain, ChainId, Cut, Event, EventGraph, EventId, EventKind,
    Limit, Step, StepId,
};
use crate::loops::loops_of;
use crate::observer::observe_error_condition;
use crate::small_integers::encode_small_integers;
use crate::state::{Guard, State};
use crate::walk::{Frontier, Loops};
use heddle_program::{EdgeId, LocationId, Program, Sort, Start, TermId, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;
use std::time::Instant;

#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How often a loop may go round. Rounds that constants decide do not count.
    pub unwind: u32,
    /// Gives up beyond so many events.
    pub most_events: usize,
    /// Gives up beyond so many steps: those that touch nothing shared make no events.
    pub most_steps: usize,
    /// Gives up then.
    pub deadline: Option<Instant>,
    /// Whether integers that are known to be small become bit-vectors.
    pub small_integers: bool,
}

/// Why a program was not unrolled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// There would be more events than that.
    Events(usize),
    /// There would be more steps than that.
    Steps(usize),
    /// It takes longer than allowed.
    Time,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooLarge::Events(most) => {
                write!(f, "the unrolled program has more than {most} events")
            }
            TooLarge::Steps(most) => {
                write!(f, "the unrolled program has more than {most} steps")
            }
            TooLarge::Time => f.write_str("unrolling the program takes too long"),
        }
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
    mark_block_ends(&mut graph);
    if options.small_integers {
        encode_small_integers(&mut graph);
    }
    Ok((graph, program))
}

pub(crate) struct Unroller<'a> {
    pub(crate) program: &'a Program,
    pub(crate) graph: EventGraph,
    pub(crate) options: Options,
    pub(crate) cells: FxHashMap<Cell, CellId>,
    pub(crate) symbols: usize,
    /// By variable: whether any statement writes it.
    pub(crate) written: Vec<bool>,
    /// By variable: what it holds at the start.
    pub(crate) initial: Vec<TermId>,
    /// The chain of the thread that is being walked, with the places where all of shared
    /// memory is written at once.
    pub(crate) chain: ChainId,
    items: Vec<ChainItem>,
    closed: Vec<(ChainId, Vec<ChainItem>)>,
    /// The events of the step that is being executed.
    pub(crate) step_events: Vec<EventId>,
    /// By thread, whether the shape of the program rules out that it is created again.
    pub(crate) created_once: Vec<bool>,
    pub(crate) creations: FxHashMap<ThreadId, Vec<EventId>>,
    pub(crate) second_creations: Vec<SecondCreation>,
    /// The starts of threads that were walked before all threads that create them. The guard
    /// of each is a symbol.
    pub(crate) open_starts: Vec<(ThreadId, EventId)>,
    /// By thread, the symbol that says whether it has ended, for those that are joined.
    ended: FxHashMap<ThreadId, TermId>,
    pub(crate) joins: Vec<(ThreadId, EventId)>,
    /// The last event of each thread.
    ends: FxHashMap<ThreadId, EventId>,
    /// By location, whether a thread may have been started when the only initial thread
    /// gets there.
    pub(crate) after_create: FxHashSet<LocationId>,
    /// How many blocks there are.
    blocks: usize,
    exceeded: Option<TooLarge>,
}

/// How a thread begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// By itself: alone, or after the initial values.
    Initial {
        alone: bool,
        initial: Option<EventId>,
    },
    /// By another thread; all that create it have been walked.
    KnownCreations,
    /// By another thread, some of which are still to be walked: threads create each other.
    OpenCreations,
}

/// Which cells there are is known only at the end, so writing all of them is left open.
enum ChainItem {
    Event(EventId),
    Snapshot {
        guard: TermId,
        values: Rc<Vec<TermId>>,
        /// The section in which this happens, though the writes are no part of it.
        block: Option<BlockId>,
    },
}

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
            created_once: program
                .thread_ids()
                .map(|thread| program.is_created_once(thread))
                .collect(),
            creations: FxHashMap::default(),
            second_creations: Vec::new(),
            open_starts: Vec::new(),
            ended: FxHashMap::default(),
            joins: Vec::new(),
            ends: FxHashMap::default(),
            after_create: locations_after_create(program),
            blocks: 0,
            exceeded: None,
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
        let order = creation_order(self.program);
        for (index, &thread) in order.iter().enumerate() {
            let later = &order[index + 1..];
            let start = match self.program.thread(thread).start {
                Start::AtBeginning => Beginning::Initial { alone, initial },
                Start::ByCreate if creators(self.program, thread).any(|id| later.contains(&id)) => {
                    Beginning::OpenCreations
                }
                Start::ByCreate => Beginning::KnownCreations,
            };
            self.thread(thread, start);
            if let Some(exceeded) = self.exceeded {
                return Err(exceeded);
            }
        }
        self.relate_creations();
        self.threads_that_never_start();
        self.order_joins();
        Ok(())
    }

    /// Whoever joins a thread does so after its end, whichever of the two was walked first.
    fn order_joins(&mut self) {
        for (thread, join) in std::mem::take(&mut self.joins) {
            if let Some(&end) = self.ends.get(&thread) {
                self.graph.orders.push((end, join));
            }
        }
    }

    /// Who waits for a thread that nobody creates waits for ever.
    fn threads_that_never_start(&mut self) {
        let mut waited_for: Vec<(ThreadId, TermId)> =
            self.ended.iter().map(|(&id, &ended)| (id, ended)).collect();
        waited_for.sort_unstable();
        for (thread, ended) in waited_for {
            let has_chain = |chain: &Chain| chain.thread == Some(thread);
            if !self.graph.chains.iter().any(has_chain) {
                let never = self.graph.terms.not(ended);
                self.graph.definitions.push(never);
            }
        }
    }

    /// The chain that writes every initial value; returns its last event.
    fn initial_chain(&mut self) -> EventId {
        self.open_chain(None);
        let always = self.graph.terms.bool(true);
        self.items.push(ChainItem::Snapshot {
            guard: always,
            values: Rc::new(self.initial.clone()),
            block: None,
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

    fn thread(&mut self, thread: ThreadId, beginning: Beginning) {
        let (started, before) = match beginning {
            Beginning::Initial { initial, .. } => {
                (self.graph.terms.bool(true), initial.into_iter().collect())
            }
            Beginning::KnownCreations => {
                let creations = self.creations.get(&thread).cloned().unwrap_or_default();
                (self.any_executed(&creations), creations)
            }
            Beginning::OpenCreations => {
                let name = format!("started {}", self.program.thread(thread).name);
                (self.fresh(&name, Sort::Bool), Vec::new())
            }
        };
        if self.graph.terms.is_false(started) {
            return;
        }
        let ended = self.ended_symbol(thread);
        self.open_chain(Some(thread));
        let start = self.event(EventKind::Mark, started, None);
        if beginning == Beginning::OpenCreations {
            self.open_starts.push((thread, start));
        }
        let before = before.into_iter();
        self.graph.orders.extend(before.map(|event| (event, start)));

        let state = State {
            guard: Guard::of(&self.graph.terms, started),
            values: Rc::new(self.initial.clone()),
            alone: matches!(beginning, Beginning::Initial { alone: true, .. }),
            block: None,
            section: None,
        };
        let mut frontier = Frontier::default();
        let mut ends = Vec::new();
        let entry = self.program.thread(thread).entry;
        frontier.add(entry, state, &mut self.graph.terms);
        let elements = loops_of(self.program, thread);
        self.walk(&elements, &mut frontier, &mut Loops::default(), &mut ends);

        let ends = self.graph.terms.or(&ends);
        let end = self.event(EventKind::Mark, ended, None);
        self.close_chain();
        self.ends.insert(thread, end);
        let definition = self.graph.terms.eq(ended, ends);
        self.graph.definitions.push(definition);
    }

    /// Whether to give up.
    pub(crate) fn is_exceeded(&mut self) -> bool {
        let deadline = self.options.deadline;
        if self.exceeded.is_none() && deadline.is_some_and(|end| Instant::now() >= end) {
            self.exceeded = Some(TooLarge::Time);
        }
        self.exceeded.is_some()
    }

    pub(crate) fn ended_symbol(&mut self, thread: ThreadId) -> TermId {
        if let Some(&symbol) = self.ended.get(&thread) {
            return symbol;
        }
        let name = format!("ended {}", self.program.thread(thread).name);
        let symbol = self.fresh(&name, Sort::Bool);
        self.ended.insert(thread, symbol);
        symbol
    }

    pub(crate) fn cut(&mut self, state: &State, reason: String, limit: Limit) {
        let guard = state.guard.term(&mut self.graph.terms);
        self.graph.cuts.push(Cut {
            guard,
            reason,
            in_block: state.block.is_some(),
            limit,
        });
    }

    /// From here on other threads run: what is known of shared memory becomes writes.
    pub(crate) fn flush(&mut self, state: &mut State) {
        let guard = state.guard.term(&mut self.graph.terms);
        self.items.push(ChainItem::Snapshot {
            guard,
            values: state.values.clone(),
            block: state.block,
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
        if self.graph.events.len() > self.options.most_events {
            self.exceeded = Some(TooLarge::Events(self.options.most_events));
        }
        id
    }

    /// The step that took the edge to this state, with the events since the last step.
    pub(crate) fn record(&mut self, edge: EdgeId, state: &State, choices: Vec<TermId>) -> StepId {
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
        if self.graph.steps.len() > self.options.most_steps {
            self.exceeded = Some(TooLarge::Steps(self.options.most_steps));
        }
        id
    }

    pub(crate) fn new_block(&mut self) -> BlockId {
        let block = BlockId::from_index(self.blocks);
        self.blocks += 1;
        block
    }

    fn close_chain(&mut self) {
        let items = std::mem::take(&mut self.items);
        let items = self.with_whole_blocks(items);
        self.closed.push((self.chain, items));
        self.step_events.clear();
    }

    /// The items with those of each block next to each other.
    ///
    /// The walk comes to what follows a section before it comes to a part of the section from
    /// where that is not reached. Nobody executes both, so that part may as well come first.
    fn with_whole_blocks(&self, items: Vec<ChainItem>) -> Vec<ChainItem> {
        let mut places: FxHashMap<BlockId, usize> = FxHashMap::default();
        let mut placed: Vec<(usize, ChainItem)> = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let block = match &item {
                ChainItem::Event(event) => self.graph.event(*event).block,
                ChainItem::Snapshot { block, .. } => *block,
            };
            let place = block.map_or(index, |block| *places.entry(block).or_insert(index));
            placed.push((place, item));
        }
        placed.sort_by_key(|(place, _)| *place);
        placed.into_iter().map(|(_, item)| item).collect()
    }

    fn finish(mut self) -> EventGraph {
        for (chain, items) in std::mem::take(&mut self.closed) {
            for item in items {
                match item {
                    ChainItem::Event(event) => self.graph.chains[chain.index()].events.push(event),
                    ChainItem::Snapshot { guard, values, .. } => {
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

    /// Blocks in which nothing happens get no number.
    fn number_blocks(&mut self) {
        let mut numbers: FxHashMap<BlockId, BlockId> = FxHashMap::default();
        let mut number = |block: BlockId| {
            let next = BlockId::from_index(numbers.len());
            *numbers.entry(block).or_insert(next)
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
