//! What one statement does to the state, and which events it makes.

use crate::event_graph::{EventKind, Limit, Violation};
use crate::memory::Reads;
use crate::section_memory::Section;
use crate::sections::{creates_threads, may_block};
use crate::state::State;
use crate::unroller::Unroller;
use heddle_program::{EdgeId, Place, Sort, Statement, TermId, Update};

impl Unroller<'_> {
    /// Executes the edge's statement; `None` if nothing can come after it.
    pub(crate) fn execute(&mut self, edge: EdgeId, mut state: State) -> Option<State> {
        let program = self.program;
        let mut choices = Vec::new();
        let mut reads = Reads::default();
        match &program.edge(edge).statement {
            Statement::Skip => {}
            Statement::Assign { target, value } => {
                let whole = self.is_whole_array(*target, &state);
                let whole = whole || self.reads_whole_array(*value, &state);
                self.as_one_step(whole, &mut state, |unroller, state| {
                    let index = unroller.index(*target, state, &mut reads);
                    let value = unroller.evaluate(*value, state, &mut reads);
                    unroller.write(*target, index, value, state);
                });
            }
            Statement::Havoc { target } => {
                let value = self.any_value(*target);
                choices.push(value);
                let whole = self.is_whole_array(*target, &state);
                self.as_one_step(whole, &mut state, |unroller, state| {
                    let index = unroller.index(*target, state, &mut reads);
                    unroller.write(*target, index, value, state);
                });
            }
            Statement::Assume(condition) => {
                let condition = self.evaluate_at_once(*condition, &mut state, &mut reads);
                self.assume(&mut state, condition);
            }
            Statement::Assert { condition, .. } => {
                let condition = self.evaluate_at_once(*condition, &mut state, &mut reads);
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
                self.end_where_created_before(edge, *thread, &mut state);
                let guard = state.guard.term(&mut self.graph.terms);
                if self.graph.terms.is_false(guard) {
                    return None;
                }
                if state.alone {
                    self.flush(&mut state);
                }
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
                // What was written before is no part of the section, on whichever of its
                // branches a thread is created.
                if state.alone && creates_threads(program, program.edge(edge).target) {
                    self.flush(&mut state);
                }
                state.block = Some(self.new_block());
                state.section = Some(Section::default());
                if may_block(program, program.edge(edge).target) {
                    let enters = self.fresh("enters", Sort::Bool);
                    state.guard.push(&self.graph.terms, enters);
                }
            }
            Statement::AtomicEnd => {
                self.leave_section(&mut state);
                self.record(edge, &state, choices);
                state.block = None;
                return Some(state);
            }
            Statement::BoundReached(reason) => {
                self.cut(&state, reason.clone(), Limit::FrontEnd);
                return None;
            }
        }
        self.record(edge, &state, choices);
        Some(state)
    }

    /// An array is accessed element by element, and nobody comes between the accesses of one
    /// step.
    fn as_one_step(
        &mut self,
        accesses_whole_array: bool,
        state: &mut State,
        step: impl FnOnce(&mut Self, &mut State),
    ) {
        let is_own_block = accesses_whole_array && state.block.is_none();
        if is_own_block {
            state.block = Some(self.new_block());
        }
        step(self, state);
        if is_own_block {
            state.block = None;
        }
    }

    fn evaluate_at_once(&mut self, term: TermId, state: &mut State, reads: &mut Reads) -> TermId {
        let mut value = term;
        let whole = self.reads_whole_array(term, state);
        self.as_one_step(whole, state, |unroller, state| {
            value = unroller.evaluate(term, state, reads);
        });
        value
    }

    /// A guarded step reads all that it needs, and writes, as one block. Outside of a section
    /// a thread that waits does nothing: it has not read anything either.
    fn guarded(
        &mut self,
        guard: TermId,
        updates: &[(Place, Update)],
        state: &mut State,
    ) -> Vec<TermId> {
        let section = state.block;
        let own_block = section.unwrap_or_else(|| self.new_block());
        let waits = section.is_none() && self.reads_memory(guard, state);
        if waits {
            let goes_on = self.fresh("goes on", Sort::Bool);
            state.guard.push(&self.graph.terms, goes_on);
        }
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
        if waits {
            self.require(state, condition);
        } else {
            state.block = section;
            self.assume(state, condition);
            state.block = Some(own_block);
        }
        for (target, index, value) in writes {
            self.write(target, index, value, state);
        }
        state.block = section;
        choices
    }

    fn index(&mut self, place: Place, state: &mut State, reads: &mut Reads) -> Option<TermId> {
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
        }
        if state.block.is_none() || self.graph.terms.is_false(condition) {
            state.guard.push(&self.graph.terms, condition);
        }
    }

    pub(crate) fn require(&mut self, state: &State, condition: TermId) {
        let guard = state.guard.term(&mut self.graph.terms);
        let required = self.graph.terms.implies(guard, condition);
        if !self.graph.terms.is_true(required) {
            self.graph.definitions.push(required);
        }
    }
}
