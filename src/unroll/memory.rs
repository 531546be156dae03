//! Shared memory during unrolling: which accesses become events.
//!
//! As long as a thread is alone, shared variables are as good as locals. A variable that no
//! statement writes keeps its initial value and needs no events. Everything else is read
//! and written cell by cell.

use crate::event_graph::{Cell, CellId, EventKind};
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{ArraySort, Op, Place, Sort, Term, TermId, VarId};
use rustc_hash::FxHashMap;

/// The cells that the current step has read, and where: a step reads each of them once, so
/// that branches which look at the same element agree on what it holds.
#[derive(Default)]
pub(crate) struct Reads(FxHashMap<(CellId, TermId), TermId>);

impl Unroller<'_> {
    /// The term as a term over symbols: locals replaced by their values, shared variables
    /// by what they are read as.
    pub(crate) fn evaluate(
        &mut self,
        term: TermId,
        state: &mut State,
        reads: &mut Reads,
    ) -> TermId {
        let mut image: FxHashMap<TermId, TermId> = FxHashMap::default();
        // An array that is only selected from is read by element, so reading it waits until
        // it is used as a whole.
        for subterm in self.graph.terms.subterms(&[term]) {
            let value = match self.graph.terms.get(subterm).clone() {
                Term::Constant(_) => subterm,
                Term::Variable(variable) => {
                    if self.is_array_in_memory(variable, state) {
                        continue;
                    }
                    self.read(variable, state, reads)
                }
                Term::Apply { op, arguments } => {
                    let array = self.graph.terms.as_variable(arguments[0]);
                    match array {
                        Some(array) if op == Op::Select && !image.contains_key(&arguments[0]) => {
                            let index = image[&arguments[1]];
                            self.read_element(array, index, state, reads)
                        }
                        _ => {
                            let mut images = Vec::with_capacity(arguments.len());
                            for argument in arguments.iter() {
                                if !image.contains_key(argument) {
                                    let whole = self.read_whole(*argument, state, reads);
                                    image.insert(*argument, whole);
                                }
                                images.push(image[argument]);
                            }
                            self.graph.terms.apply(op, &images)
                        }
                    }
                }
            };
            image.insert(subterm, value);
        }
        match image.get(&term) {
            Some(&value) => value,
            None => self.read_whole(term, state, reads),
        }
    }

    fn is_array_in_memory(&self, variable: VarId, state: &State) -> bool {
        let variable_sort = self.graph.terms.variable_sort(variable);
        self.in_memory(variable, state) && matches!(variable_sort, Sort::Array(_))
    }

    /// Whether an access of the variable is an event.
    fn in_memory(&self, variable: VarId, state: &State) -> bool {
        self.program.is_shared(variable) && !state.alone && self.written[variable.index()]
    }

    /// Whether an access of the place is one event for each element of an array.
    pub(crate) fn is_whole_array(&self, place: Place, state: &State) -> bool {
        matches!(place, Place::Variable(variable) if self.is_array_in_memory(variable, state))
    }

    /// Whether evaluating the term reads an array otherwise than by single elements.
    pub(crate) fn reads_whole_array(&self, term: TermId, state: &State) -> bool {
        let terms = &self.graph.terms;
        let is_array = |term: TermId| {
            let variable = terms.as_variable(term);
            variable.is_some_and(|variable| self.is_array_in_memory(variable, state))
        };
        let of_subterm = |&subterm: &TermId| match terms.get(subterm) {
            Term::Apply {
                op: Op::Select,
                arguments,
            } => is_array(arguments[1]),
            Term::Apply { arguments, .. } => arguments.iter().any(|&argument| is_array(argument)),
            Term::Constant(_) | Term::Variable(_) => false,
        };
        is_array(term) || terms.subterms(&[term]).iter().any(of_subterm)
    }

    /// Whether evaluating the term makes events.
    pub(crate) fn reads_memory(&self, term: TermId, state: &State) -> bool {
        let variables = self.program.terms.variables_of(term);
        variables
            .into_iter()
            .any(|variable| self.in_memory(variable, state))
    }

    fn read(&mut self, variable: VarId, state: &mut State, reads: &mut Reads) -> TermId {
        if self.in_memory(variable, state) {
            let always = self.graph.terms.bool(true);
            let cell = self.cell(variable, None);
            self.read_cell(cell, always, state, reads)
        } else if self.program.is_shared(variable) && !state.alone {
            self.initial[variable.index()]
        } else {
            state.value(variable)
        }
    }

    fn read_element(
        &mut self,
        array: VarId,
        index: TermId,
        state: &mut State,
        reads: &mut Reads,
    ) -> TermId {
        let sort = self.array_sort(array);
        let mut value = None;
        for position in (0..sort.length).rev() {
            let here = self.index_is(sort, index, position);
            if self.graph.terms.is_false(here) {
                continue;
            }
            let cell = self.cell(array, Some(position));
            let element = self.read_cell(cell, here, state, reads);
            value = Some(match value {
                None => element,
                Some(other) => self.graph.terms.ite(here, element, other),
            });
        }
        // An index out of range has no value; the front end keeps such runs away.
        value.unwrap_or_else(|| self.fresh("outside", sort.element.into()))
    }

    fn read_whole(&mut self, array: TermId, state: &mut State, reads: &mut Reads) -> TermId {
        let variable = self.graph.terms.as_variable(array);
        let variable = variable.expect("only variables are left unread");
        let sort = self.array_sort(variable);
        let always = self.graph.terms.bool(true);
        let mut whole = None;
        for position in 0..sort.length {
            let cell = self.cell(variable, Some(position));
            let element = self.read_cell(cell, always, state, reads);
            let array = match whole {
                None => self.graph.terms.const_array(sort, element),
                Some(array) => {
                    let index = self.graph.terms.index_constant(sort, position);
                    self.graph.terms.store(array, index, element)
                }
            };
            whole = Some(array);
        }
        whole.unwrap_or(array)
    }

    fn read_cell(
        &mut self,
        cell: CellId,
        condition: TermId,
        state: &mut State,
        reads: &mut Reads,
    ) -> TermId {
        if state.section.is_some() {
            return self.read_in_section(cell, condition, state);
        }
        let always = self.graph.terms.bool(true);
        for known in [always, condition] {
            if let Some(&value) = reads.0.get(&(cell, known)) {
                return value;
            }
        }
        let value = self.read_event(cell, condition, state);
        reads.0.insert((cell, condition), value);
        value
    }

    /// An event that reads the cell where the condition holds as well; returns its value.
    pub(crate) fn read_event(&mut self, cell: CellId, condition: TermId, state: &State) -> TermId {
        let variable = self.graph.cell(cell).variable;
        let sort = match self.graph.terms.variable_sort(variable) {
            Sort::Array(sort) => sort.element.into(),
            sort => sort,
        };
        let name = self.graph.terms.name(variable).to_string();
        let value = self.fresh(&name, sort);
        let guard = self.guard_with(state, condition);
        self.event(EventKind::Read { cell, value }, guard, state.block);
        value
    }

    pub(crate) fn write(
        &mut self,
        place: Place,
        index: Option<TermId>,
        value: TermId,
        state: &mut State,
    ) {
        let variable = place.variable();
        if !self.in_memory(variable, state) {
            let value = match index {
                None => value,
                Some(index) => {
                    let array = state.value(variable);
                    self.graph.terms.store(array, index, value)
                }
            };
            return state.set(variable, value);
        }
        let always = self.graph.terms.bool(true);
        match (self.graph.terms.variable_sort(variable), index) {
            (Sort::Array(sort), Some(index)) => {
                for position in 0..sort.length {
                    let here = self.index_is(sort, index, position);
                    if !self.graph.terms.is_false(here) {
                        let cell = self.cell(variable, Some(position));
                        self.write_cell(cell, value, here, state);
                    }
                }
            }
            (Sort::Array(sort), None) => {
                for position in 0..sort.length {
                    let index = self.graph.terms.index_constant(sort, position);
                    let element = self.graph.terms.select(value, index);
                    let cell = self.cell(variable, Some(position));
                    self.write_cell(cell, element, always, state);
                }
            }
            _ => {
                let cell = self.cell(variable, None);
                self.write_cell(cell, value, always, state);
            }
        }
    }

    fn write_cell(&mut self, cell: CellId, value: TermId, condition: TermId, state: &mut State) {
        if state.section.is_some() {
            return self.write_in_section(cell, value, condition, state);
        }
        let guard = self.guard_with(state, condition);
        self.event(EventKind::Write { cell, value }, guard, state.block);
    }

    pub(crate) fn guard_with(&mut self, state: &State, condition: TermId) -> TermId {
        let guard = state.guard.term(&mut self.graph.terms);
        self.graph.terms.and(&[guard, condition])
    }

    fn index_is(&mut self, sort: ArraySort, index: TermId, position: u32) -> TermId {
        let constant = self.graph.terms.index_constant(sort, position);
        self.graph.terms.eq(index, constant)
    }

    fn array_sort(&self, variable: VarId) -> ArraySort {
        let sort = self.graph.terms.variable_sort(variable);
        sort.as_array()
            .expect("a valid program selects from arrays")
    }

    pub(crate) fn cell(&mut self, variable: VarId, element: Option<u32>) -> CellId {
        let cell = Cell { variable, element };
        if let Some(&id) = self.cells.get(&cell) {
            return id;
        }
        let id = CellId::from_index(self.graph.cells.len());
        self.graph.cells.push(cell.clone());
        self.cells.insert(cell, id);
        id
    }

    /// A symbol of its own.
    pub(crate) fn fresh(&mut self, hint: &str, sort: Sort) -> TermId {
        self.symbols += 1;
        let wanted = format!("{hint}@{}", self.symbols);
        let name = self.graph.terms.unused_name(&wanted);
        let symbol = self.graph.terms.declare(name, sort);
        self.graph.terms.variable(symbol)
    }
}
