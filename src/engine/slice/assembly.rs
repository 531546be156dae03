//! A program made from another one: the same locations and variables, perhaps more of them,
//! and other steps. Each step says what it means in the program before.

use heddle_diagnostics::Span;
use heddle_program::{
    Edge, EdgeId, Location, LocationId, Place, Program, Role, Scalar, Scope, Sort, Start,
    Statement, TermId, Thread, ThreadId, Update, VarId, Variable,
};

/// `M` is what a step means.
pub(crate) struct Assembly<M> {
    pub program: Program,
    /// By edge.
    pub meaning: Vec<M>,
    /// The sort of counters: integers only where the program has some already, since they
    /// need another solver.
    counter: Sort,
}

/// Where a step leads from and to.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    pub source: LocationId,
    pub target: LocationId,
    pub span: Option<Span>,
}

impl From<&Edge> for Way {
    fn from(edge: &Edge) -> Way {
        Way {
            source: edge.source,
            target: edge.target,
            span: edge.span,
        }
    }
}

impl<M> Assembly<M> {
    /// All of the program but its steps. Counters go up to `largest`.
    pub(crate) fn without_steps(program: &Program, largest: usize) -> Self {
        let mut copy = program.clone();
        copy.edges.clear();
        for location in &mut copy.locations {
            location.outgoing.clear();
        }
        Assembly {
            counter: counter_sort(program, largest),
            program: copy,
            meaning: Vec::new(),
        }
    }

    pub(crate) fn counter(&mut self, name: &str) -> VarId {
        let zero = self.number(0);
        self.shared(name, self.counter, zero)
    }

    fn shared(&mut self, name: &str, sort: Sort, initial: TermId) -> VarId {
        let terms = &mut self.program.terms;
        let unique = terms.unused_name(name);
        let variable = terms.declare(unique, sort);
        assert_eq!(
            variable.index(),
            self.program.variables.len(),
            "internal error: the arena has variables that the program does not have"
        );
        self.program.variables.push(Variable {
            name: name.to_owned(),
            sort,
            scope: Scope::Shared,
            initial: Some(initial),
            enumeration: None,
            span: None,
        });
        variable
    }

    /// A number as a value of counters.
    pub(crate) fn number(&mut self, number: usize) -> TermId {
        let number = number as i128;
        match self.counter {
            Sort::BitVec(width) => self.program.terms.bit_vec(width, number),
            _ => self.program.terms.int(number),
        }
    }

    pub(crate) fn equals(&mut self, counter: VarId, number: usize) -> TermId {
        let number = self.number(number);
        let counter = self.program.terms.variable(counter);
        self.program.terms.eq(counter, number)
    }

    pub(crate) fn at_least(&mut self, counter: VarId, number: usize) -> TermId {
        let number = self.number(number);
        let terms = &mut self.program.terms;
        let counter = terms.variable(counter);
        match self.counter {
            Sort::BitVec(_) => terms.bv_ule(number, counter),
            _ => terms.le(number, counter),
        }
    }

    pub(crate) fn set(&mut self, counter: VarId, number: usize) -> (Place, Update) {
        (Place::Variable(counter), Update::Value(self.number(number)))
    }

    pub(crate) fn thread(&mut self, name: &str) -> ThreadId {
        let thread = ThreadId::from_index(self.program.threads.len());
        let taken = |name: &str| self.program.find_thread(name).is_some();
        let names = (2..).map(|number| format!("{name}{number}"));
        let name = std::iter::once(name.to_owned())
            .chain(names)
            .find(|name| !taken(name))
            .expect("some number is unused");
        let entry = self.location(thread);
        self.program.threads.push(Thread {
            name,
            entry,
            start: Start::AtBeginning,
            span: None,
        });
        thread
    }

    pub(crate) fn location(&mut self, thread: ThreadId) -> LocationId {
        let location = LocationId::from_index(self.program.locations.len());
        self.program.locations.push(Location {
            thread,
            label: None,
            outgoing: Vec::new(),
            span: None,
        });
        location
    }

    pub(crate) fn step(&mut self, way: Way, statement: Statement, meaning: M) -> EdgeId {
        let edge = EdgeId::from_index(self.program.edges.len());
        self.program.edges.push(Edge {
            source: way.source,
            target: way.target,
            statement,
            span: way.span,
        });
        self.program.locations[way.source.index()]
            .outgoing
            .push(edge);
        self.meaning.push(meaning);
        edge
    }

    /// The steps one after the other, with locations of their own in between.
    pub(crate) fn sequence(&mut self, way: Way, steps: Vec<(Statement, M)>) {
        let thread = self.program.location(way.source).thread;
        let last = steps.len() - 1;
        let mut source = way.source;
        for (position, (statement, meaning)) in steps.into_iter().enumerate() {
            let target = match position == last {
                true => way.target,
                false => self.location(thread),
            };
            let way = Way {
                source,
                target,
                span: way.span,
            };
            self.step(way, statement, meaning);
            source = target;
        }
    }

    /// A location that had steps and has none left is no end: its thread is stuck there.
    pub(crate) fn block_where_steps_are_gone(&mut self, before: &Program, nothing: impl Fn() -> M) {
        let never = self.program.terms.bool(false);
        for location in before.location_ids() {
            if !before.is_end(location) && self.program.is_end(location) {
                let way = Way {
                    source: location,
                    target: location,
                    span: before.location(location).span,
                };
                self.step(way, Statement::Assume(never), nothing());
            }
        }
    }
}

impl<M> Assembly<M> {
    /// Leaves out steps that no thread gets to. Returns which steps are left.
    pub(crate) fn remove_unreachable(&mut self) -> Vec<EdgeId> {
        let program = &mut self.program;
        let mut pending: Vec<LocationId> = program.threads.iter().map(|t| t.entry).collect();
        let mut reached = vec![false; program.locations.len()];
        while let Some(location) = pending.pop() {
            if !std::mem::replace(&mut reached[location.index()], true) {
                let outgoing = program.outgoing(location).iter();
                pending.extend(outgoing.map(|&edge| program.edge(edge).target));
            }
        }
        let is_left = |edge: &Edge| reached[edge.source.index()];
        let left: Vec<EdgeId> = program
            .edge_ids()
            .filter(|&edge| is_left(program.edge(edge)))
            .collect();
        let mut steps = self.program.edges.iter().map(is_left);
        self.meaning.retain(|_| steps.next() == Some(true));
        let program = &mut self.program;
        program.edges.retain(is_left);
        for location in &mut program.locations {
            location.outgoing.clear();
        }
        for (number, edge) in program.edges.iter().enumerate() {
            let outgoing = &mut program.locations[edge.source.index()].outgoing;
            outgoing.push(EdgeId::from_index(number));
        }
        left
    }
}

/// The same guarded step in its plainest form.
pub(crate) fn plainest(
    program: &mut Program,
    guard: TermId,
    updates: Vec<(Place, Update)>,
) -> Statement {
    let plain = match (&updates[..], program.terms.is_true(guard)) {
        ([], true) => Some(Statement::Skip),
        ([], false) => Some(Statement::Assume(guard)),
        (&[(target, Update::Any)], true) => Some(Statement::Havoc { target }),
        (&[(target, Update::Value(value))], true) => Some(Statement::Assign { target, value }),
        _ => None,
    };
    match plain {
        Some(plain) if program.shared_accesses(&plain) <= 1 => plain,
        _ => Statement::Guarded {
            guard,
            updates,
            role: Role::Command,
        },
    }
}

fn counter_sort(program: &Program, largest: usize) -> Sort {
    let is_integer = |variable: &Variable| match variable.sort {
        Sort::Array(array) => array.element == Scalar::Int || array.index == Scalar::Int,
        sort => sort == Sort::Int,
    };
    match program.variables.iter().any(is_integer) {
        true => Sort::Int,
        false => Sort::BitVec(largest.max(1).ilog2() + 1),
    }
}
