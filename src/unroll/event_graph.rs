//! What unrolling produces.

use heddle_program::{EdgeId, Scalar, Sort, TermId, Terms, ThreadId, VarId};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            pub fn from_index(index: usize) -> Self {
                $name(u32::try_from(index).expect("fewer than 2^32 entries"))
            }

            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(EventId);
id!(
    /// A unit of shared memory: a variable, or one element of an array.
    CellId
);
id!(ChainId);
id!(BlockId);
id!(StepId);

/// The events of all executions up to a bound.
#[derive(Clone, Debug, Default)]
pub struct EventGraph {
    /// The program's arena, with the symbols that unrolling introduced.
    pub terms: Terms,
    pub cells: Vec<Cell>,
    pub events: Vec<Event>,
    /// One for each thread, and one for the initial values where several threads run from
    /// the beginning.
    pub chains: Vec<Chain>,
    /// Order between chains: creation and joining, if both events are executed.
    pub orders: Vec<(EventId, EventId)>,
    pub blocks: Vec<Block>,
    /// The program's steps, thread by thread in program order.
    pub steps: Vec<Step>,
    /// What holds in every execution besides the events: when a thread ends, that an
    /// atomic section is only entered if it can be left.
    pub definitions: Vec<TermId>,
    pub violations: Vec<Violation>,
    pub cuts: Vec<Cut>,
    /// The values that variables without an initial value start with.
    pub initial_choices: Vec<(VarId, TermId)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    pub variable: VarId,
    /// Which element, if the variable is an array.
    pub element: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct Chain {
    /// `None` for the chain of initial values.
    pub thread: Option<ThreadId>,
    /// In program order: any execution takes the executed ones in this order.
    pub events: Vec<EventId>,
}

#[derive(Clone, Debug)]
pub struct Event {
    pub chain: ChainId,
    pub kind: EventKind,
    /// Executed exactly where this term is true.
    pub guard: TermId,
    pub block: Option<BlockId>,
    /// `None` for initial values, for the start and the end of a thread, and where an
    /// execution ends because a thread would be created again.
    pub step: Option<StepId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The value is a symbol of its own.
    Read {
        cell: CellId,
        value: TermId,
    },
    Write {
        cell: CellId,
        value: TermId,
    },
    /// No access: the start, the end, the creation or the joining of a thread, an attempt to
    /// create one again, or an end of a block.
    Mark,
}

impl EventKind {
    pub fn cell(self) -> Option<CellId> {
        match self {
            EventKind::Read { cell, .. } | EventKind::Write { cell, .. } => Some(cell),
            EventKind::Mark => None,
        }
    }
}

/// Events that happen at once, as far as other threads can see.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// In program order. The first and the last are executed whenever any of them is.
    pub events: Vec<EventId>,
}

/// One execution of an edge.
#[derive(Clone, Debug)]
pub struct Step {
    pub thread: ThreadId,
    pub edge: EdgeId,
    /// Taken exactly where this term is true.
    pub guard: TermId,
    pub events: Vec<EventId>,
    /// The values of the statement's havocs, in order.
    pub choices: Vec<TermId>,
    /// The atomic section that the step is part of, its begin and end included.
    pub block: Option<BlockId>,
}

/// An assertion that fails where the condition is true.
#[derive(Clone, Debug)]
pub struct Violation {
    pub condition: TermId,
    pub step: StepId,
}

/// Where an execution would go on beyond what is unrolled.
#[derive(Clone, Debug)]
pub struct Cut {
    pub guard: TermId,
    pub reason: String,
    /// Inside an atomic section. An execution that is cut there says nothing about the
    /// other threads, which could not go on.
    pub in_block: bool,
    pub limit: Limit,
}

/// What ends an execution that would go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// How often loops go round.
    Unwinding,
    /// A bound of the front end, which unrolling further does not move.
    FrontEnd,
    /// A thread is created that was created before, which no program may do.
    SecondCreation,
}

impl EventGraph {
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    pub fn event_ids(&self) -> impl Iterator<Item = EventId> + use<> {
        (0..self.events.len()).map(EventId::from_index)
    }

    pub fn step(&self, id: StepId) -> &Step {
        &self.steps[id.index()]
    }

    pub fn cell(&self, id: CellId) -> &Cell {
        &self.cells[id.index()]
    }

    /// Every term that is not a part of another one.
    pub(crate) fn roots(&self) -> Vec<TermId> {
        let mut roots = self.definitions.clone();
        for event in &self.events {
            roots.push(event.guard);
            if let EventKind::Read { value, .. } | EventKind::Write { value, .. } = event.kind {
                roots.push(value);
            }
        }
        roots.extend(self.steps.iter().map(|step| step.guard));
        roots.extend(self.violations.iter().map(|violation| violation.condition));
        roots.extend(self.cuts.iter().map(|cut| cut.guard));
        roots
    }

    /// Whether some value is a mathematical integer, or an array of such.
    pub fn has_integers(&self) -> bool {
        let subterms = self.terms.subterms(&self.roots());
        subterms
            .into_iter()
            .any(|term| match self.terms.sort(term) {
                Sort::Int => true,
                Sort::Array(array) => array.element == Scalar::Int,
                _ => false,
            })
    }

    /// Replaces every term.
    pub(crate) fn map_terms(&mut self, mut map: impl FnMut(TermId) -> TermId) {
        let mut replace = |term: &mut TermId| *term = map(*term);
        for event in &mut self.events {
            replace(&mut event.guard);
            if let EventKind::Write { value, .. } = &mut event.kind {
                replace(value);
            }
        }
        for step in &mut self.steps {
            replace(&mut step.guard);
        }
        self.definitions.iter_mut().for_each(&mut replace);
        for violation in &mut self.violations {
            replace(&mut violation.condition);
        }
        for cut in &mut self.cuts {
            replace(&mut cut.guard);
        }
    }
}
