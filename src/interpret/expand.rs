//! The successors of a configuration.

use crate::code::Failure;
use crate::deadlock::can_wait;
use crate::layout::{Configuration, Slot, encode};
use crate::machine::{Machine, Move, Scratch};
use crate::nondet::NondetRange;
use crate::reduction::Reduction;
use crate::step::StepError;
use heddle_program::{EdgeId, EvalError, ThreadId};
use std::ops::ControlFlow;

/// What happens between two configurations that the explorer keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happening {
    Edge(EdgeId),
    /// An undefined slot gets its value.
    Choice(Slot, i128),
}

/// Something found while expanding a configuration.
pub(crate) enum Found<'a> {
    State {
        configuration: &'a Configuration,
        happenings: &'a [Happening],
        /// Only values were chosen: no step was taken.
        by_choice: bool,
    },
    /// The last happening is an assertion that does not hold.
    Violation { happenings: &'a [Happening] },
}

/// What was met on the way and bears on the verdict.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) transitions: u64,
    /// Values were chosen from a range that is not the whole sort.
    pub(crate) range_used: bool,
    /// The edges that ended at a bound of the front end.
    pub(crate) bounds: Vec<EdgeId>,
    pub(crate) error: Option<(Option<EdgeId>, StepError)>,
}

pub(crate) struct Expander<'m, 'p> {
    machine: &'m Machine<'p>,
    /// `None` for every interleaving.
    reduction: Option<&'m Reduction>,
    range: NondetRange,
    waits: Vec<bool>,
    pub(crate) notes: Notes,
    scratch: Scratch,
    /// The steps from the current configuration, with what comes after each in `pool`.
    moves: Vec<(EdgeId, Move)>,
    pool: Vec<Configuration>,
    /// A step of the current configuration led to an error or a bound.
    is_cut: bool,
    happenings: Vec<Happening>,
}

type Sink<'s> = &'s mut dyn FnMut(Found<'_>) -> ControlFlow<()>;

/// How a run of forced steps ended.
enum Settled {
    Quiet,
    Violated,
}

impl<'m, 'p> Expander<'m, 'p> {
    pub(crate) fn new(
        machine: &'m Machine<'p>,
        reduction: Option<&'m Reduction>,
        range: NondetRange,
    ) -> Result<Self, EvalError> {
        let program = machine.program;
        machine.layout.initial(program)?;
        Ok(Expander {
            machine,
            reduction,
            range,
            waits: program
                .location_ids()
                .map(|location| can_wait(program, location))
                .collect(),
            notes: Notes::default(),
            scratch: Scratch::default(),
            moves: Vec::new(),
            pool: Vec::new(),
            is_cut: false,
            happenings: Vec::new(),
        })
    }

    /// The configurations at the start of a run.
    pub(crate) fn roots(&mut self, on: Sink<'_>) -> Result<ControlFlow<()>, EvalError> {
        let mut configuration = self.machine.layout.initial(self.machine.program)?;
        if let Some(reduction) = self.reduction {
            for &slot in reduction.dead_at_start() {
                configuration.define(slot, 0);
            }
        }
        self.happenings.clear();
        Ok(self.arrive(&mut configuration, true, on))
    }

    /// The successors of a configuration. Says whether it is a deadlock.
    pub(crate) fn expand(
        &mut self,
        configuration: &Configuration,
        on: Sink<'_>,
    ) -> ControlFlow<(), bool> {
        self.is_cut = false;
        if let Err(slot) = self.collect_moves(configuration) {
            self.choose(configuration, slot, on)?;
            return ControlFlow::Continue(false);
        }
        if self.moves.is_empty() {
            return ControlFlow::Continue(self.is_deadlock(configuration));
        }
        self.follow(on)?;
        ControlFlow::Continue(false)
    }

    /// The steps that have to be tried, or a slot that has to be defined before that.
    fn collect_moves(&mut self, configuration: &Configuration) -> Result<(), Slot> {
        let program = self.machine.program;
        self.moves.clear();
        if let (Some(reduction), None) = (self.reduction, configuration.owner()) {
            for thread in program.thread_ids() {
                let location = configuration.location(thread);
                if location.is_some_and(|location| reduction.preferred[location.index()]) {
                    self.moves_of(configuration, thread)?;
                    // A thread that is stuck in private steps is stuck for good, and the
                    // others go on.
                    if !self.moves.is_empty() {
                        return Ok(());
                    }
                }
            }
        }
        for thread in program.thread_ids() {
            self.moves_of(configuration, thread)?;
        }
        Ok(())
    }

    fn moves_of(&mut self, configuration: &Configuration, thread: ThreadId) -> Result<(), Slot> {
        let held_up = configuration.owner().is_some_and(|owner| owner != thread);
        let Some(location) = configuration.location(thread) else {
            return Ok(());
        };
        if held_up {
            return Ok(());
        }
        for &edge in self.machine.program.outgoing(location) {
            if let Some(taken) = self.attempt(configuration, edge)? {
                self.moves.push((edge, taken));
            }
        }
        Ok(())
    }

    /// Puts what comes after the edge at the end of the pool.
    fn attempt(
        &mut self,
        configuration: &Configuration,
        edge: EdgeId,
    ) -> Result<Option<Move>, Slot> {
        let probed = self.machine.probe(configuration, edge, &mut self.scratch);
        let probed = self.noted(edge, probed)?;
        if self.pool.len() == self.moves.len() {
            self.pool.push(configuration.clone());
        } else if probed.is_some() {
            self.pool[self.moves.len()].copy_from(configuration);
        }
        if probed != Some(Move::Taken) {
            return Ok(probed);
        }
        let after = &mut self.pool[self.moves.len()];
        let taken = self.machine.take(after, edge, &mut self.scratch);
        self.noted(edge, taken.map(|()| Move::Taken))
    }

    /// Whether the edge can be taken (or is violated); what else it means is noted.
    fn noted(&mut self, edge: EdgeId, taken: Result<Move, Failure>) -> Result<Option<Move>, Slot> {
        let error = match taken {
            Ok(taken @ (Move::Taken | Move::Violated)) => return Ok(Some(taken)),
            Ok(Move::Blocked) => return Ok(None),
            Ok(Move::BoundReached) => {
                if !self.notes.bounds.contains(&edge) {
                    self.notes.bounds.push(edge);
                }
                self.is_cut = true;
                return Ok(None);
            }
            Err(Failure::Undefined(slot)) => return Err(slot),
            Ok(Move::CreatedTwice(thread)) => StepError::CreatedTwice(thread),
            Err(Failure::Error(error)) => StepError::Eval(error),
        };
        self.notes.error.get_or_insert((Some(edge), error));
        self.is_cut = true;
        Ok(None)
    }

    /// Every value of an undefined slot.
    fn choose(
        &mut self,
        configuration: &Configuration,
        slot: Slot,
        on: Sink<'_>,
    ) -> ControlFlow<()> {
        let mut chosen = configuration.clone();
        for word in self.words(slot) {
            chosen.copy_from(configuration);
            chosen.define(slot, word);
            self.happenings.clear();
            self.happenings.push(Happening::Choice(slot, word));
            self.arrive(&mut chosen, true, on)?;
        }
        ControlFlow::Continue(())
    }

    fn words(&mut self, slot: Slot) -> impl Iterator<Item = i128> + use<> {
        let sort = self.machine.layout.sort(slot);
        self.notes.range_used |= !self.range.is_exhaustive(sort);
        self.range.values(sort).map(encode)
    }

    fn follow(&mut self, on: Sink<'_>) -> ControlFlow<()> {
        let moves = std::mem::take(&mut self.moves);
        let mut pool = std::mem::take(&mut self.pool);
        let mut flow = ControlFlow::Continue(());
        for (&(edge, taken), after) in moves.iter().zip(&mut pool) {
            self.notes.transitions += 1;
            self.happenings.clear();
            self.happenings.push(Happening::Edge(edge));
            flow = if taken == Move::Violated {
                on(Found::Violation {
                    happenings: &self.happenings,
                })
            } else {
                self.forget(after, edge);
                self.arrive(after, false, on)
            };
            if flow.is_break() {
                break;
            }
        }
        self.moves = moves;
        self.pool = pool;
        flow
    }

    /// Drops the values that nothing reads after the edge.
    fn forget(&self, configuration: &mut Configuration, edge: EdgeId) {
        if let Some(reduction) = self.reduction {
            for &slot in reduction.dying(edge) {
                configuration.define(slot, 0);
            }
        }
    }

    /// Reports the configuration, after the steps that are forced from it, once for every
    /// value of the slots that the error condition reads.
    fn arrive(
        &mut self,
        configuration: &mut Configuration,
        by_choice: bool,
        on: Sink<'_>,
    ) -> ControlFlow<()> {
        match self.settle(configuration) {
            Settled::Quiet => self.report(configuration, by_choice, on),
            Settled::Violated => on(Found::Violation {
                happenings: &self.happenings,
            }),
        }
    }

    fn report(
        &mut self,
        configuration: &mut Configuration,
        by_choice: bool,
        on: Sink<'_>,
    ) -> ControlFlow<()> {
        let open = self.machine.layout.observed.iter();
        let open = open.copied().find(|&slot| configuration.is_undefined(slot));
        let Some(slot) = open else {
            return on(Found::State {
                configuration,
                happenings: &self.happenings,
                by_choice,
            });
        };
        for word in self.words(slot) {
            configuration.define(slot, word);
            self.happenings.push(Happening::Choice(slot, word));
            self.report(configuration, by_choice, on)?;
            self.happenings.pop();
        }
        configuration.undefine(slot);
        ControlFlow::Continue(())
    }

    /// Takes steps as long as some thread has exactly one to take and nothing else needs to
    /// be tried: private steps, and steps inside an atomic section.
    fn settle(&mut self, configuration: &mut Configuration) -> Settled {
        let Some(reduction) = self.reduction else {
            return Settled::Quiet;
        };
        let program = self.machine.program;
        'again: loop {
            if let Some(owner) = configuration.owner() {
                let location = configuration.location(owner);
                let is_head = location.is_none_or(|location| reduction.loop_head[location.index()]);
                if is_head {
                    return Settled::Quiet;
                }
                match self.force(configuration, owner) {
                    // The error condition sees the state after the section.
                    Some(Move::Taken)
                        if configuration.owner().is_none() && program.property.error.is_some() =>
                    {
                        return Settled::Quiet;
                    }
                    Some(Move::Taken) => continue 'again,
                    Some(Move::Violated) => return Settled::Violated,
                    _ => return Settled::Quiet,
                }
            }
            for thread in program.thread_ids() {
                let location = configuration.location(thread);
                if location.is_some_and(|location| reduction.preferred[location.index()]) {
                    match self.force(configuration, thread) {
                        Some(Move::Taken) => continue 'again,
                        Some(Move::Violated) => return Settled::Violated,
                        _ => {}
                    }
                }
            }
            return Settled::Quiet;
        }
    }

    /// Takes the step of the thread if it has exactly one.
    fn force(&mut self, configuration: &mut Configuration, thread: ThreadId) -> Option<Move> {
        let location = configuration.location(thread)?;
        let mut only = None;
        for &edge in self.machine.program.outgoing(location) {
            let probed = self.machine.probe(configuration, edge, &mut self.scratch);
            match self.noted(edge, probed).ok()? {
                None => {}
                Some(Move::Violated) => {
                    self.happenings.push(Happening::Edge(edge));
                    return Some(Move::Violated);
                }
                Some(_) if only.is_some() => return None,
                Some(_) => only = Some(edge),
            }
        }
        let edge = only?;
        let taken = self.machine.take(configuration, edge, &mut self.scratch);
        self.noted(edge, taken.map(|()| Move::Taken)).ok()??;
        self.forget(configuration, edge);
        self.happenings.push(Happening::Edge(edge));
        self.notes.transitions += 1;
        Some(Move::Taken)
    }

    /// For a configuration without steps: as [`is_deadlock`](crate::is_deadlock) says.
    fn is_deadlock(&self, configuration: &Configuration) -> bool {
        if self.is_cut {
            return false;
        }
        let program = self.machine.program;
        let mut waiting = false;
        for thread in program.thread_ids() {
            let Some(location) = configuration.location(thread) else {
                continue;
            };
            if program.is_end(location) {
                continue;
            }
            let held_up = configuration.owner().is_some_and(|owner| owner != thread);
            if self.waits[location.index()] {
                waiting = true;
            } else if !held_up {
                return false;
            }
        }
        waiting
    }
}
