//! αSearch (Fig. 2): the program is executed, and a state is left alone if another one with
//! the same program counter and the same valuation of the predicates was visited before.
//!
//! Whether the abstraction is exact is asked afterwards (`exactness.rs`), for all steps at
//! once: a search that finds an error asks nothing.

use super::inputs::Inputs;
use super::model::Model;
use super::predicates::{Looked, Predicates, Scope, Valuation};
use super::structure::{
    AbstractState, ControlId, ControlState, InputsId, Outcome, StateId, Structure, ValuationId,
};
use heddle_interpret::{
    Attempt, Condition, OpenPlace, Order, Runner, Snapshot, StepError, Violation, choices,
};
use heddle_program::{Constant, EdgeId, Program};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Instant;

/// How many states are expanded between two looks at the clock.
const PATIENCE: u32 = 256;

/// What a search is about.
pub(crate) struct Task<'a> {
    pub(crate) model: &'a Model,
    pub(crate) predicates: &'a Predicates,
    pub(crate) order: Order,
    /// How many concrete states are still generated after an error was found.
    pub(crate) after_error: u64,
    pub(crate) deadline: Option<Instant>,
}

/// The deadline passed before the search was over.
pub(crate) struct OutOfTime;

/// The structure that the search explores, complete unless an error was found.
pub(crate) fn search(
    runner: &mut Runner<'_>,
    task: &Task<'_>,
    inputs: &mut Inputs<'_>,
) -> Result<Structure, OutOfTime> {
    let program = runner.program();
    let local = task
        .predicates
        .all
        .iter()
        .any(|predicate| predicate.scope != Scope::Everywhere);
    let conditions = task.predicates.all.iter();
    let mut search = Search {
        conditions: conditions.map(|p| runner.condition(p.term)).collect(),
        guards: match local {
            true => task
                .model
                .guards
                .iter()
                .map(|guard| runner.condition(guard.term))
                .collect(),
            false => Vec::new(),
        },
        everywhere: Rc::new(Looked::at(task.predicates.len(), |_| true)),
        looked: Vec::new(),
        structure: Structure::new(),
        wait: VecDeque::new(),
        last: None,
        words: Vec::new(),
        valuation: Valuation::default(),
        packed: Vec::new(),
        program,
        runner,
        task,
        inputs,
    };
    search.run()?;
    let mut structure = search.structure;
    structure.incomplete = search
        .wait
        .iter()
        .any(|&state| structure.steps(state).is_none());
    Ok(structure)
}

struct Search<'s, 'p, 'i> {
    runner: &'s mut Runner<'p>,
    program: &'p Program,
    task: &'s Task<'s>,
    inputs: &'s mut Inputs<'i>,
    conditions: Vec<Condition>,
    /// The guards as far as the program counter decides, if predicates are local.
    guards: Vec<Condition>,
    everywhere: Rc<Looked>,
    /// By control state, if predicates are local.
    looked: Vec<Rc<Looked>>,
    structure: Structure,
    wait: VecDeque<StateId>,
    /// The number of generated states at which the search ends.
    last: Option<u64>,
    // Space that is used again and again.
    words: Vec<i128>,
    valuation: Valuation,
    packed: Vec<u8>,
}

/// How a state was reached.
#[derive(Clone, Copy)]
struct Origin {
    reached: Option<(StateId, EdgeId)>,
    inputs: InputsId,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) -> Result<(), OutOfTime> {
        self.start()?;
        let (mut current, _) = self.runner.start();
        let mut attempts = Vec::new();
        let mut expanded = 0;
        while !self.is_over()
            && let Some(state) = self.next()
        {
            expanded += 1;
            if expanded % PATIENCE == 0 {
                self.check_time()?;
            }
            self.runner
                .unpack(self.structure.packed(state), &mut current);
            self.runner.attempts(&current, &mut attempts);
            self.expand(state, &current, &attempts)?;
        }
        Ok(())
    }

    fn next(&mut self) -> Option<StateId> {
        match self.task.order {
            Order::BreadthFirst => self.wait.pop_front(),
            Order::DepthFirst => self.wait.pop_back(),
        }
    }

    fn is_over(&self) -> bool {
        self.last
            .is_some_and(|last| self.structure.generated >= last)
    }

    fn check_time(&self) -> Result<(), OutOfTime> {
        match self.task.deadline {
            // What was found is worth more than what is left to be counted.
            Some(deadline) if Instant::now() >= deadline && self.last.is_none() => Err(OutOfTime),
            _ => Ok(()),
        }
    }

    fn start(&mut self) -> Result<(), OutOfTime> {
        let (start, open) = self.runner.start();
        let origin = |inputs| Origin {
            reached: None,
            inputs,
        };
        if open.is_empty() {
            self.arrive(&start, origin(InputsId::NONE));
            return Ok(());
        }
        let values = self
            .inputs
            .at_start(self.runner, &open, &mut self.structure);
        let mut state = start;
        for values in values {
            self.fill(&mut state, &open, &values);
            let inputs = InputsId(self.structure.inputs.number(&values[..]));
            self.arrive(&state, origin(inputs));
            self.check_time()?;
        }
        Ok(())
    }

    fn fill(&self, state: &mut Snapshot, open: &[OpenPlace], values: &[Constant]) {
        for (place, &value) in open.iter().zip(values) {
            self.runner.define(state, place, value);
        }
    }

    fn expand(
        &mut self,
        state: StateId,
        current: &Snapshot,
        attempts: &[(EdgeId, Attempt)],
    ) -> Result<(), OutOfTime> {
        let first = self.structure.begin_steps();
        let mut next = current.clone();
        let mut open = Vec::new();
        for &(edge, ref attempt) in attempts {
            match attempt {
                Attempt::Blocked => {
                    // Otherwise the program counter alone blocks it.
                    if !self.task.model.guards[edge.index()].is_all {
                        self.structure.push_step(edge, Outcome::Blocked);
                    }
                }
                Attempt::Violated => self.violated(state, edge),
                Attempt::BoundReached => {
                    if !self.structure.bounds.contains(&edge) {
                        self.structure.bounds.push(edge);
                    }
                }
                Attempt::Failed(error) => self.failed(Some(edge), error.clone()),
                Attempt::CanBeTaken => {
                    match self.runner.take(current, edge, &mut next, &mut open) {
                        Err(error) => self.failed(Some(edge), error),
                        Ok(()) if open.is_empty() => {
                            self.follow(state, edge, &next, InputsId::NONE);
                        }
                        Ok(()) => self.choose(state, edge, current, &mut next, &open)?,
                    }
                }
            }
        }
        self.structure.end_steps(state, first);
        Ok(())
    }

    /// Follows a step once for every input that has to be tried.
    fn choose(
        &mut self,
        state: StateId,
        edge: EdgeId,
        current: &Snapshot,
        next: &mut Snapshot,
        open: &[OpenPlace],
    ) -> Result<(), OutOfTime> {
        let sorts = choices(self.program, &self.program.edge(edge).statement);
        let mut of_step: Vec<Constant> = sorts.into_iter().map(Constant::zero).collect();
        let values = self
            .inputs
            .of_step(self.runner, edge, current, open, &mut self.structure);
        for values in values {
            self.fill(next, open, &values);
            for (place, &value) in open.iter().zip(values.iter()) {
                of_step[place.choice] = value;
            }
            let inputs = InputsId(self.structure.inputs.number(&of_step[..]));
            self.follow(state, edge, next, inputs);
            self.check_time()?;
        }
        Ok(())
    }

    fn follow(&mut self, state: StateId, edge: EdgeId, next: &Snapshot, inputs: InputsId) {
        let origin = Origin {
            reached: Some((state, edge)),
            inputs,
        };
        if let Some(target) = self.arrive(next, origin) {
            self.structure.push_step(edge, Outcome::To(target, inputs));
        }
    }

    /// The abstract state of a state that was generated, explored later if it is new.
    fn arrive(&mut self, state: &Snapshot, origin: Origin) -> Option<StateId> {
        self.structure.generated += 1;
        let control = self.control_of(state);
        let valuation = match self.valuation_of(state, control) {
            Ok(valuation) => valuation,
            Err(error) => {
                self.failed(origin.reached.map(|(_, edge)| edge), error);
                return None;
            }
        };
        let is_error = match self.runner.is_error(state) {
            Ok(is_error) => is_error,
            Err(error) => {
                self.failed(None, StepError::Eval(error));
                return None;
            }
        };
        let known = self.structure.find(control, valuation);
        if let Some(known) = known
            && !is_error
        {
            return Some(known);
        }
        self.packed.clear();
        self.runner.pack(state, &mut self.packed);
        let abstract_state = AbstractState {
            control,
            valuation,
            reached: origin.reached,
            inputs: origin.inputs,
        };
        let id = self
            .structure
            .add(abstract_state, &self.packed, known.is_some());
        if known.is_none() {
            self.wait.push_back(id);
        }
        if is_error {
            self.found(id, Violation::ErrorState);
        }
        known.or(Some(id))
    }

    fn control_of(&mut self, state: &Snapshot) -> ControlId {
        let locations = self
            .program
            .thread_ids()
            .map(|thread| state.location(thread));
        ControlState::begin(&mut self.words, locations, state.owner());
        let variables = self.task.model.control.variables.iter();
        self.words
            .extend(variables.map(|&variable| self.runner.word(state, variable)));
        let control = ControlId(self.structure.controls.number(&self.words[..]));
        if !self.guards.is_empty() && control.0 as usize == self.looked.len() {
            let looked = self.looked_at(state);
            self.looked.push(Rc::new(looked));
        }
        control
    }

    /// The predicates that are looked at where the program counter is that of the state.
    fn looked_at(&mut self, state: &Snapshot) -> Looked {
        let edges = self.program.edge_ids().map(|edge| {
            let source = self.program.edge(edge).source;
            let thread = self.program.location(source).thread;
            state.location(thread) == Some(source)
                && state.owner().is_none_or(|owner| owner == thread)
                // A condition without a value decides nothing.
                && self.runner.holds(&self.guards[edge.index()], state).unwrap_or(true)
        });
        let allowed: Vec<bool> = edges.collect();
        let predicates = &self.task.predicates.all;
        Looked::at(predicates.len(), |number| match &predicates[number].scope {
            Scope::Everywhere => true,
            Scope::Before(edges) => edges.iter().any(|edge| allowed[edge.index()]),
        })
    }

    fn valuation_of(
        &mut self,
        state: &Snapshot,
        control: ControlId,
    ) -> Result<ValuationId, StepError> {
        let looked = match self.looked.get(control.0 as usize) {
            Some(looked) => looked.clone(),
            None => self.everywhere.clone(),
        };
        self.valuation.clear(self.conditions.len());
        for number in looked.numbers() {
            let value = self.runner.holds(&self.conditions[number], state)?;
            self.valuation.set(number, value);
        }
        let number = self.structure.valuations.number(self.valuation.words());
        Ok(ValuationId(number))
    }

    fn violated(&mut self, state: StateId, edge: EdgeId) {
        self.structure.generated += 1;
        let end = AbstractState {
            reached: Some((state, edge)),
            inputs: InputsId::NONE,
            ..*self.structure.state(state)
        };
        self.packed.clear();
        self.packed.extend_from_slice(self.structure.packed(state));
        let id = self.structure.add(end, &self.packed, true);
        self.found(id, Violation::Assertion(edge));
    }

    fn found(&mut self, state: StateId, violation: Violation) {
        self.structure.errors.push((state, violation));
        let last = self
            .structure
            .generated
            .saturating_add(self.task.after_error);
        self.last.get_or_insert(last);
    }

    fn failed(&mut self, edge: Option<EdgeId>, error: StepError) {
        self.structure.failure.get_or_insert((edge, error));
    }
}
