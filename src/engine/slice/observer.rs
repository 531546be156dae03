//! The refinement: the abstraction without some of its runs.
//!
//! Section 5.3, Figures 12 and 13, of *Counter-Example Guided Program Verification*. An
//! observer picks a way to leave the prefixes of the excluded runs, and puts memory into the
//! state there; `label` variables tell each process where it goes on, which its controller
//! sees to; and `flag` says when. A step that leaves the prefixes by its non-deterministic
//! value, or out of the middle of an atomic section, is up to its own process: it goes
//! first.

use super::assembly::{Assembly, Way};
use super::pace::{Meaning, Pace};
use super::prefix_tree::{Deviation, Values, deviations, open_at_start};
use super::refinement::{Prefix, Refinement};
use super::run::Run;
use heddle_interpret::State;
use heddle_program::{
    Constant, EdgeId, ErrorCondition, LocationId, Place, Program, Scope, Start, StateFormula,
    Statement, TermId, Thread, ThreadId, Update, Value, VarId,
};
use rustc_hash::FxHashMap;

/// The values of `flag` beyond 0, while only the observer runs: everybody may, or the process
/// that the deviation with this number, or a larger one, is about.
const EVERYBODY: usize = 1;
const FIRST: usize = 2;

/// Excludes the runs.
pub fn observe(abstraction: &Program, runs: &[Run]) -> Refinement {
    let deviations = deviations(abstraction, runs);
    let most = (deviations.len() + FIRST).max(FIRST);
    let mut assembly = Assembly::without_steps(abstraction, most);
    share_open_variables(&mut assembly.program);
    let flag = assembly.counter("flag");
    let processes: Vec<Process> = abstraction
        .thread_ids()
        .map(|thread| {
            let name = format!("label {}", abstraction.thread(thread).name);
            let controller = assembly.location(thread);
            assembly.program.threads[thread.index()].entry = controller;
            Process {
                controller,
                label: assembly.counter(&name),
                points: FxHashMap::default(),
            }
        })
        .collect();
    let observer = assembly.thread("observer");
    let mut watching = Watching {
        abstraction,
        inside: abstraction.inside_atomic(),
        done: assembly.location(observer),
        start: assembly.program.thread(observer).entry,
        assembly,
        flag,
        processes,
        resumed: FxHashMap::default(),
    };
    watching.copy_steps();
    for (number, deviation) in deviations.into_iter().enumerate() {
        watching.deviation(FIRST + number, deviation);
    }
    watching.wait_with_the_error();
    let Watching {
        mut assembly,
        mut resumed,
        ..
    } = watching;
    let left = assembly.remove_unreachable();
    let resumed = left
        .iter()
        .enumerate()
        .filter_map(|(number, edge)| Some((EdgeId::from_index(number), resumed.remove(edge)?)))
        .collect();
    Refinement::observed(assembly.program, assembly.meaning, resumed)
}

/// The observer compares what variables begin with, so it must see them.
fn share_open_variables(program: &mut Program) {
    for variable in open_at_start(program) {
        program.variables[variable.index()].scope = Scope::Shared;
    }
}

struct Process {
    controller: LocationId,
    label: VarId,
    /// Where the process may go on, with the values of its own variables: the labels.
    points: FxHashMap<Point, usize>,
}

type Point = (LocationId, Vec<(VarId, Value)>);

struct Watching<'a> {
    abstraction: &'a Program,
    /// By location of the abstraction.
    inside: Vec<bool>,
    assembly: Assembly<Meaning>,
    start: LocationId,
    done: LocationId,
    flag: VarId,
    processes: Vec<Process>,
    resumed: FxHashMap<EdgeId, Prefix>,
}

impl Watching<'_> {
    fn copy_steps(&mut self) {
        let always = self.assembly.program.terms.bool(true);
        for edge in self.abstraction.edge_ids() {
            let way = Way::from(self.abstraction.edge(edge));
            let statement = &self.abstraction.edge(edge).statement;
            let inside = self.inside[way.source.index()];
            // It may access a variable that was local before.
            let pace = Pace::when(always, &mut self.assembly.program.terms);
            let meaning = Meaning::Step(edge);
            self.assembly.paced(way, inside, statement, meaning, pace);
        }
    }

    fn deviation(&mut self, number: usize, deviation: Deviation) {
        let always = self.assembly.program.terms.bool(true);
        match deviation {
            Deviation::Start(values) => {
                let beginning = self.beginning();
                let differs = self.different_start(&values);
                let prefix = Prefix {
                    initial: None,
                    steps: Vec::new(),
                    fails: false,
                };
                self.resume(prefix, differs, &beginning, None);
            }
            Deviation::To(prefix, state) => match state.atomic {
                None => self.resume(prefix, always, &Memory::of(&state), None),
                Some(owner) => {
                    let first = Some((owner, number));
                    self.resume(prefix, always, &Memory::of(&state), first);
                    let location = state.location(owner).expect("it is inside a section");
                    self.go_first(owner, number, location, &state, None);
                }
            },
            Deviation::By(prefix, state, edge, values) => {
                let thread = self.abstraction.thread_of(edge);
                let first = Some((thread, number));
                self.resume(prefix, always, &Memory::of(&state), first);
                let target = self.abstraction.edge(edge).target;
                self.go_first(thread, number, target, &state, Some((edge, &values)));
            }
            Deviation::Violation(prefix) => {
                let never = self.assembly.program.terms.bool(false);
                let last = prefix.steps.last().expect("an assertion is a step");
                let message = match &self.abstraction.edge(last.edge).statement {
                    Statement::Assert { message, .. } => message.clone(),
                    _ => unreachable!("only assertions fail"),
                };
                let steps = vec![
                    (Statement::Skip, Meaning::Nothing),
                    (Statement::assert(never, message), Meaning::Nothing),
                ];
                self.observer_steps(steps, prefix);
            }
            Deviation::Bound(prefix, reason) => {
                let steps = vec![(Statement::BoundReached(reason), Meaning::Nothing)];
                self.observer_steps(steps, prefix);
            }
        }
    }

    fn observer_steps(&mut self, steps: Vec<(Statement, Meaning)>, prefix: Prefix) {
        let first = EdgeId::from_index(self.assembly.program.edges.len());
        self.resumed.insert(first, prefix);
        let way = Way {
            source: self.start,
            target: self.done,
            span: None,
        };
        self.assembly.sequence(way, steps);
    }

    /// Every process at its beginning, and no variable changed.
    fn beginning(&self) -> Memory {
        let threads = self.abstraction.threads.iter();
        Memory {
            locations: threads
                .map(|thread| (thread.start == Start::AtBeginning).then_some(thread.entry))
                .collect(),
            values: None,
        }
    }

    /// The observer's path: memory, then the processes that have been created, then the
    /// flag. A process that goes first, with the number that the flag has for it, needs no
    /// label.
    fn resume(
        &mut self,
        prefix: Prefix,
        guard: TermId,
        memory: &Memory,
        first: Option<(ThreadId, usize)>,
    ) {
        let mut updates = Vec::new();
        if let Some(values) = &memory.values {
            for variable in self.abstraction.variable_ids() {
                let value = &values[variable.index()];
                if self.assembly.program.is_shared(variable) && self.changed(variable, value) {
                    let value = self.assembly.program.terms.value(value);
                    updates.push((Place::Variable(variable), Update::Value(value)));
                }
            }
        }
        let mut creates = Vec::new();
        for thread in self.abstraction.thread_ids() {
            let Thread { start, entry, .. } = *self.abstraction.thread(thread);
            let location = memory.locations[thread.index()];
            if location.is_some() && start == Start::ByCreate {
                creates.push((Statement::Create(thread), Meaning::Nothing));
            }
            // Who is created later begins at the beginning.
            let location = location.unwrap_or(entry);
            if first.is_none_or(|(first, _)| first != thread) {
                let label = self.label(thread, location, memory);
                let set = self
                    .assembly
                    .set(self.processes[thread.index()].label, label);
                updates.push(set);
            }
        }
        let flag = first.map_or(EVERYBODY, |(_, number)| number);
        let go = vec![self.assembly.set(self.flag, flag)];
        let always = self.assembly.program.terms.bool(true);
        let mut steps = vec![(Statement::command(guard, updates), Meaning::Nothing)];
        steps.extend(creates);
        steps.push((Statement::command(always, go), Meaning::Nothing));
        self.observer_steps(steps, prefix);
    }

    fn changed(&self, variable: VarId, value: &Value) -> bool {
        let initial = self.abstraction.variable(variable).initial;
        let initial = initial.and_then(|initial| {
            let value = self.abstraction.terms.evaluate(initial, |_| {
                unreachable!("an initial value mentions no variable")
            });
            value.ok()
        });
        initial.as_ref() != Some(value)
    }

    /// What a process must remember: its own variables that have changed.
    fn own_values(&self, thread: ThreadId, values: &[Value]) -> Vec<(VarId, Value)> {
        let program = &self.assembly.program;
        let own = self.abstraction.variable_ids();
        let own = own.filter(|&id| program.variable(id).scope == Scope::Local(thread));
        own.map(|id| (id, values[id.index()].clone()))
            .filter(|(id, value)| self.changed(*id, value))
            .collect()
    }

    fn restore(&mut self, values: &[(VarId, Value)]) -> Vec<(Place, Update)> {
        let terms = &mut self.assembly.program.terms;
        values
            .iter()
            .map(|(variable, value)| {
                let value = terms.value(value);
                (Place::Variable(*variable), Update::Value(value))
            })
            .collect()
    }

    /// The label for a process that goes on here, which its controller knows.
    fn label(&mut self, thread: ThreadId, location: LocationId, memory: &Memory) -> usize {
        let own = match &memory.values {
            Some(values) => self.own_values(thread, values),
            None => Vec::new(),
        };
        let process = &mut self.processes[thread.index()];
        let next = process.points.len() + 1;
        let point = (location, own);
        if let Some(&known) = process.points.get(&point) {
            return known;
        }
        process.points.insert(point.clone(), next);
        let (controller, label) = (process.controller, process.label);
        let may_run = self.assembly.equals(self.flag, EVERYBODY);
        let is_meant = self.assembly.equals(label, next);
        let guard = self.assembly.program.terms.and(&[may_run, is_meant]);
        let updates = self.restore(&point.1);
        let way = Way {
            source: controller,
            target: location,
            span: None,
        };
        let statement = Statement::command(guard, updates);
        self.assembly.step(way, statement, Meaning::Nothing);
        next
    }

    /// The controller's path for a process that goes on before all others, perhaps by a step
    /// with other values than before.
    fn go_first(
        &mut self,
        thread: ThreadId,
        number: usize,
        target: LocationId,
        state: &State,
        step: Option<(EdgeId, &Values)>,
    ) {
        let guard = self.assembly.equals(self.flag, number);
        let own = self.own_values(thread, &state.values);
        let updates = self.restore(&own);
        let mut steps = vec![
            (Statement::AtomicBegin, Meaning::Nothing),
            (Statement::command(guard, updates), Meaning::Nothing),
        ];
        if let Some((edge, values)) = step {
            let statement = self.abstraction.edge(edge).statement.clone();
            let places = self.open_places(&statement, state);
            let differs = self.differs(&places, values);
            steps.push((statement, Meaning::Step(edge)));
            steps.push((Statement::Assume(differs), Meaning::Nothing));
        }
        let always = self.assembly.program.terms.bool(true);
        let go = vec![self.assembly.set(self.flag, EVERYBODY)];
        steps.push((Statement::command(always, go), Meaning::Nothing));
        if !self.inside[target.index()] {
            steps.push((Statement::AtomicEnd, Meaning::Nothing));
        }
        let way = Way {
            source: self.processes[thread.index()].controller,
            target,
            span: None,
        };
        self.assembly.sequence(way, steps);
    }

    /// The scalars that a statement gives any value to, as terms for afterwards.
    fn open_places(&mut self, statement: &Statement, before: &State) -> Vec<TermId> {
        let targets = match statement {
            Statement::Havoc { target } => vec![(*target, Update::Any)],
            Statement::Guarded { updates, .. } => updates.clone(),
            _ => Vec::new(),
        };
        let mut places = Vec::new();
        for (target, update) in targets {
            if update != Update::Any {
                continue;
            }
            match target {
                Place::Variable(variable) => places.extend(self.scalars(variable)),
                Place::Element(array, index) => {
                    // The step is taken in this very state.
                    if let Ok(index) = before.evaluate(self.abstraction, index) {
                        let terms = &mut self.assembly.program.terms;
                        let array = terms.variable(array);
                        let index = terms.value(&index);
                        places.push(terms.select(array, index));
                    }
                }
            }
        }
        places
    }

    fn scalars(&mut self, variable: VarId) -> Vec<TermId> {
        let terms = &mut self.assembly.program.terms;
        let term = terms.variable(variable);
        match terms.variable_sort(variable).as_array() {
            None => vec![term],
            Some(sort) => (0..sort.length)
                .map(|position| {
                    let index = terms.index_constant(sort, position);
                    terms.select(term, index)
                })
                .collect(),
        }
    }

    fn different_start(&mut self, values: &Values) -> TermId {
        let mut places = Vec::new();
        for variable in open_at_start(self.abstraction) {
            places.extend(self.scalars(variable));
        }
        self.differs(&places, values)
    }

    fn differs(&mut self, places: &[TermId], values: &Values) -> TermId {
        let terms = &mut self.assembly.program.terms;
        let mut is = |place: TermId, constant: Constant| {
            let constant = terms.constant(constant);
            terms.eq(place, constant)
        };
        let mut conditions: Vec<TermId> = places
            .iter()
            .zip(&values.given)
            .map(|(&place, &constant)| is(place, constant))
            .collect();
        let excluded: Vec<TermId> = match places.get(values.given.len()) {
            Some(&next) => values.excluded.iter().map(|&c| is(next, c)).collect(),
            None => Vec::new(),
        };
        let excluded = terms.or(&excluded);
        conditions.push(terms.not(excluded));
        terms.and(&conditions)
    }

    /// A state counts once every process is where it should be.
    fn wait_with_the_error(&mut self) {
        let Some(ErrorCondition { formula, span }) = &self.abstraction.property.error else {
            return;
        };
        let mut parts = vec![formula.clone()];
        for thread in self.abstraction.thread_ids() {
            let controller = self.processes[thread.index()].controller;
            let waits = StateFormula::At(thread, controller);
            parts.push(StateFormula::Not(Box::new(waits)));
        }
        self.assembly.program.property.error = Some(ErrorCondition {
            formula: StateFormula::And(parts),
            span: *span,
        });
    }
}

/// What the observer puts in place.
struct Memory {
    /// By thread.
    locations: Vec<Option<LocationId>>,
    /// By variable; `None` leaves everything as it is at the start.
    values: Option<Vec<Value>>,
}

impl Memory {
    fn of(state: &State) -> Memory {
        Memory {
            locations: state.locations.clone(),
            values: Some(state.values.clone()),
        }
    }
}
