//! Every interleaving of a program, concretely: the oracle.

use crate::expand::{Expander, Found, Happening, Notes};
use crate::layout::Configuration;
use crate::machine::{Machine, Scratch};
use crate::nondet::NondetRange;
use crate::reconstruct::reconstruct;
use crate::reduction::Reduction;
use crate::replay::replay;
use crate::step::StepError;
use crate::store::{StateId, Store};
use crate::trace::{Trace, Violation};
use heddle_program::{EdgeId, Program, Statement, Verdict};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    DepthFirst,
    BreadthFirst,
}

/// Which interleavings are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interleavings {
    /// All of them; with [`Order::BreadthFirst`], traces are the shortest.
    All,
    /// All that can make a difference (`reduction.rs`).
    Enough,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub order: Order,
    pub interleavings: Interleavings,
    pub range: NondetRange,
    pub max_states: Option<u64>,
    /// In bytes, for the states that are kept.
    pub max_memory: Option<usize>,
    pub timeout: Option<Duration>,
    /// A deadlock is a violation.
    pub deadlock: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            order: Order::BreadthFirst,
            interleavings: Interleavings::Enough,
            range: NondetRange::default(),
            max_states: None,
            max_memory: None,
            timeout: None,
            deadlock: false,
        }
    }
}

/// Why an exploration ended before all states were seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    States(u64),
    Memory(usize),
    Timeout(Duration),
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// A replayed trace to a violation, if there is one.
    pub violation: Option<Trace>,
    /// A replayed trace to a deadlock, whether or not that is a violation.
    pub deadlock: Option<Trace>,
    pub deadlocks: u64,
    pub states: u64,
    pub transitions: u64,
    pub time: Duration,
    /// The range that values were chosen from, if that was not everything.
    pub range: Option<NondetRange>,
    /// The statements at which executions left what the front end unfolded.
    pub bounds: Vec<EdgeId>,
    /// Something that the interpreter could not execute.
    pub error: Option<(Option<EdgeId>, StepError)>,
    pub stop: Option<Stop>,
}

impl Exploration {
    pub fn verdict(&self, program: &Program) -> Verdict {
        if self.violation.is_some() {
            return Verdict::Unsafe;
        }
        if let Some(stop) = &self.stop {
            return Verdict::Unknown(match stop {
                Stop::States(count) => format!("stopped after {count} states"),
                Stop::Memory(bytes) => format!("stopped after {} MiB of states", bytes >> 20),
                Stop::Timeout(time) => format!("timeout after {} s", time.as_secs_f64()),
            });
        }
        if let Some((edge, error)) = &self.error {
            let span = edge.and_then(|edge| program.edge(edge).span);
            let place = span.map_or(String::new(), |span| {
                format!("{}: ", program.sources.place(span))
            });
            return Verdict::Unknown(format!("{place}{}", error.describe(program)));
        }
        if let Some(range) = self.range {
            return Verdict::Unknown(format!("safe for non-deterministic values in {range} only"));
        }
        match (&self.bounds[..], program.bound) {
            ([], _) => Verdict::Safe,
            (_, Some(bound)) => Verdict::SafeUpTo(bound),
            (&[edge, ..], None) => match &program.edge(edge).statement {
                Statement::BoundReached(reason) => Verdict::Unknown(reason.clone()),
                _ => unreachable!("only a bound is noted as one"),
            },
        }
    }
}

/// Explores the program.
///
/// # Panics
/// If a trace that was found cannot be replayed, which is a bug of heddle.
pub fn explore(program: &Program, options: &Options) -> Exploration {
    let start = Instant::now();
    let machine = Machine::new(program);
    let reduction = match options.interleavings {
        Interleavings::All => None,
        Interleavings::Enough => Some(Reduction::new(program, &machine.layout)),
    };
    let expander = Expander::new(&machine, reduction.as_ref(), options.range);
    let initial = machine.layout.initial(program);
    let (Ok(expander), Ok(initial)) = (expander, initial) else {
        return Exploration::nothing(machine.layout.initial(program).err().map(StepError::Eval));
    };
    let mut search = Search {
        options,
        machine: &machine,
        store: Store::new(program, &machine.layout),
        frontier: VecDeque::new(),
        scratch: Scratch::default(),
        start,
        found: 0,
        stop: None,
    };
    search.run(expander, initial, reduction.as_ref())
}

impl Exploration {
    fn nothing(error: Option<StepError>) -> Exploration {
        Exploration {
            violation: None,
            deadlock: None,
            deadlocks: 0,
            states: 0,
            transitions: 0,
            time: Duration::ZERO,
            range: None,
            bounds: Vec::new(),
            error: error.map(|error| (None, error)),
            stop: None,
        }
    }
}

struct Search<'a, 'p> {
    options: &'a Options,
    machine: &'a Machine<'p>,
    store: Store,
    frontier: VecDeque<StateId>,
    scratch: Scratch,
    start: Instant,
    /// How many states were found, known ones included.
    found: u64,
    stop: Option<Stop>,
}

/// The end of a trace: a state that was kept (none for the start), and what follows it.
struct End {
    state: Option<StateId>,
    after: Vec<Happening>,
    violation: Violation,
}

impl Search<'_, '_> {
    fn run(
        &mut self,
        mut expander: Expander<'_, '_>,
        mut current: Configuration,
        reduction: Option<&Reduction>,
    ) -> Exploration {
        let mut end: Option<End> = None;
        let mut error = None;
        let mut deadlock: Option<StateId> = None;
        let mut deadlocks = 0;

        let roots = expander.roots(&mut |found| self.found(None, found, &mut end, &mut error));
        if let Err(error) = roots {
            return Exploration::nothing(Some(StepError::Eval(error)));
        }
        while end.is_none()
            && self.stop.is_none()
            && let Some(id) = self.next()
        {
            self.store.load(id, &mut current);
            let flow = expander.expand(&current, &mut |found| {
                self.found(Some(id), found, &mut end, &mut error)
            });
            if flow == ControlFlow::Continue(true) {
                deadlocks += 1;
                deadlock.get_or_insert(id);
                if self.options.deadlock {
                    end = Some(End {
                        state: Some(id),
                        after: Vec::new(),
                        violation: Violation::Deadlock,
                    });
                }
            }
        }
        let Notes {
            transitions,
            range_used,
            bounds,
            error: step_error,
        } = expander.notes.clone();
        let trace = |end: End, store: &mut Store| {
            let trace = reconstruct(
                self.machine,
                reduction,
                self.options.range,
                store,
                end.state,
                &end.after,
                end.violation,
            );
            if let Err(error) = replay(self.machine.program, &trace) {
                panic!(
                    "internal error: a trace cannot be replayed: {}",
                    error.describe(self.machine.program, &trace)
                );
            }
            trace
        };
        let deadlock = deadlock.map(|id| End {
            state: Some(id),
            after: Vec::new(),
            violation: Violation::Deadlock,
        });
        Exploration {
            violation: end.map(|end| trace(end, &mut self.store)),
            deadlock: deadlock.map(|end| trace(end, &mut self.store)),
            deadlocks,
            states: self.store.len() as u64,
            transitions,
            time: self.start.elapsed(),
            range: range_used.then_some(self.options.range),
            bounds,
            error: step_error.or(error.map(|error| (None, error))),
            stop: self.stop.clone(),
        }
    }

    fn next(&mut self) -> Option<StateId> {
        match self.options.order {
            Order::DepthFirst => self.frontier.pop_back(),
            Order::BreadthFirst => self.frontier.pop_front(),
        }
    }

    fn found(
        &mut self,
        parent: Option<StateId>,
        found: Found<'_>,
        end: &mut Option<End>,
        error: &mut Option<StepError>,
    ) -> ControlFlow<()> {
        match found {
            Found::Violation { happenings } => {
                let Some(Happening::Edge(edge)) = happenings.last() else {
                    unreachable!("a violation is a step");
                };
                *end = Some(End {
                    state: parent,
                    after: happenings.to_vec(),
                    violation: Violation::Assertion(*edge),
                });
                ControlFlow::Break(())
            }
            Found::State {
                configuration,
                by_choice,
                ..
            } => {
                self.found += 1;
                self.stop = self.limit();
                if self.stop.is_some() {
                    return ControlFlow::Break(());
                }
                let Some(id) = self.store.insert(configuration, parent) else {
                    return ControlFlow::Continue(());
                };
                // A state that only has a value more is no further from the start.
                if by_choice {
                    match self.options.order {
                        Order::DepthFirst => self.frontier.push_back(id),
                        Order::BreadthFirst => self.frontier.push_front(id),
                    }
                } else {
                    self.frontier.push_back(id);
                }
                match self.machine.is_error(configuration, &mut self.scratch) {
                    Ok(false) => ControlFlow::Continue(()),
                    Ok(true) => {
                        *end = Some(End {
                            state: Some(id),
                            after: Vec::new(),
                            violation: Violation::ErrorState,
                        });
                        ControlFlow::Break(())
                    }
                    Err(crate::code::Failure::Error(failure)) => {
                        error.get_or_insert(StepError::Eval(failure));
                        ControlFlow::Continue(())
                    }
                    Err(crate::code::Failure::Undefined(_)) => {
                        unreachable!("the error condition reads defined slots only")
                    }
                }
            }
        }
    }

    /// Whether to give up. A single state may have more successors than there is time for, so
    /// this is asked for each of them.
    fn limit(&self) -> Option<Stop> {
        let options = self.options;
        if let Some(max) = options.max_states
            && self.store.len() as u64 > max
        {
            return Some(Stop::States(max));
        }
        if !self.found.is_multiple_of(1024) {
            return None;
        }
        if let Some(max) = options.max_memory
            && self.store.memory() > max
        {
            return Some(Stop::Memory(max));
        }
        match options.timeout {
            Some(timeout) if self.start.elapsed() > timeout => Some(Stop::Timeout(timeout)),
            _ => None,
        }
    }
}
