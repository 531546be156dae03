//! Where predicates come from: the text of the program, and steps that are not exact.

use super::{GaveUp, Refinement};
use crate::matching::PredicateScope;
use crate::matching::atoms::atoms;
use crate::matching::exactness::Findings;
use crate::matching::relations::Wanted;
use crate::matching::structure::{StateId, Structure};
use heddle_interpret::Runner;
use heddle_program::{EdgeId, Sort, TermId, Value, VarId};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Predicates and concrete transitions under numbers that stay the same.
#[derive(Default)]
pub(super) struct Numbers {
    predicates: Vec<TermId>,
    predicate_numbers: FxHashMap<TermId, u32>,
    transitions: FxHashMap<(Box<[u8]>, EdgeId), u32>,
}

impl Numbers {
    fn predicate(&mut self, term: TermId) -> u32 {
        *self.predicate_numbers.entry(term).or_insert_with(|| {
            self.predicates.push(term);
            self.predicates.len() as u32 - 1
        })
    }

    fn transition(&mut self, state: &[u8], edge: EdgeId) -> u32 {
        let next = self.transitions.len() as u32;
        *self.transitions.entry((state.into(), edge)).or_insert(next)
    }
}

impl Refinement<'_> {
    /// The predicates of the first iteration: those that occur in guards and in the property,
    /// and those that are given.
    pub(super) fn start(&mut self) {
        for edge in 0..self.model.actions.len() {
            let before = self.scope_of(EdgeId::from_index(edge));
            self.look_at(self.model.actions[edge].guard, before);
        }
        let conditions: Vec<TermId> = self.program.property.terms().collect();
        for term in conditions {
            self.look_at(term, None);
        }
        for &term in &self.options.predicates {
            self.look_at(term, None);
        }
        let all = self.kept.predicates.all.iter();
        self.statistics.first_predicates = all.map(|p| self.display(p.term)).collect();
        let variables = self.model.control.variables.iter();
        let name = |&variable: &VarId| self.program.terms.name(variable).to_owned();
        self.statistics.program_counter = variables.map(name).collect();
    }

    fn display(&self, term: TermId) -> String {
        self.program.terms.display(term).to_string()
    }

    fn scope_of(&self, edge: EdgeId) -> Option<EdgeId> {
        match self.options.scope {
            PredicateScope::Everywhere => None,
            PredicateScope::OfTheirSteps => Some(edge),
        }
    }

    /// Looks at the atoms of a formula from now on; returns those that are news.
    fn look_at(&mut self, formula: TermId, before: Option<EdgeId>) -> Vec<TermId> {
        let mut new = Vec::new();
        for instance in self.without_control(formula) {
            let terms = &mut self.program.terms;
            for atom in atoms(terms, instance) {
                if self.kept.predicates.add(terms, atom, before) {
                    new.push(atom);
                }
            }
        }
        new
    }

    /// The atoms of a formula, once for each value of the program counter that they mention.
    fn without_control(&mut self, formula: TermId) -> Vec<TermId> {
        let control = &self.model.control;
        let terms = &mut self.program.terms;
        let mut pending = atoms(terms, formula);
        pending.reverse();
        let mut done = Vec::new();
        while let Some(term) = pending.pop() {
            let mentioned = terms.variables_of(term).into_iter();
            let mentioned = mentioned
                .filter_map(|v| Some((v, control.position(v)?)))
                .next();
            let Some((variable, position)) = mentioned else {
                done.push(term);
                continue;
            };
            for &value in control.domain(position) {
                let instance = terms.substitute(term, |terms, other| {
                    (other == variable).then(|| terms.constant(value))
                });
                pending.push(instance);
            }
        }
        done
    }

    /// Adds the predicates that the findings ask for; whether there are any.
    pub(super) fn refine(
        &mut self,
        number: u32,
        structure: &Structure,
        findings: &Findings,
    ) -> Result<bool, GaveUp> {
        let mut unproved = Vec::new();
        let mut inexact = Vec::new();
        let mut at: FxHashMap<u32, (StateId, EdgeId)> = FxHashMap::default();
        for step in &findings.unproved {
            for &predicate in step.predicates.iter() {
                let predicate = self.numbers.predicate(predicate);
                unproved.push((step.state, step.edge, predicate));
            }
            if self.options.concrete_after.is_some() {
                let packed = structure.packed(step.state);
                let transition = self.numbers.transition(packed, step.edge);
                inexact.push(transition);
                at.insert(transition, (step.state, step.edge));
            }
        }
        let started = Instant::now();
        let wanted = self.relations.refine(number, &unproved, &inexact)?;
        self.statistics.rules_time += started.elapsed();
        let Wanted {
            predicates,
            stubborn,
        } = wanted;
        let mut new = Vec::new();
        for (predicate, edge) in predicates {
            let term = self.numbers.predicates[predicate as usize];
            let before = self.scope_of(edge);
            if self
                .kept
                .predicates
                .add(&mut self.program.terms, term, before)
            {
                new.push(term);
            }
        }
        let stubborn: Vec<(StateId, EdgeId)> = stubborn
            .iter()
            .filter_map(|transition| at.get(transition).copied())
            .collect();
        for &(state, edge) in &stubborn {
            for description in self.description(structure, state)? {
                let before = self.scope_of(edge);
                new.extend(self.look_at(description, before));
            }
        }
        let shown: Vec<String> = new.iter().map(|&term| self.display(term)).collect();
        let iteration = self.iteration();
        iteration.new_predicates = shown;
        iteration.described_states = stubborn.len();
        Ok(!new.is_empty())
    }

    /// The concrete state as formulas, without the program counter.
    fn description(
        &mut self,
        structure: &Structure,
        state: StateId,
    ) -> Result<Vec<TermId>, GaveUp> {
        let runner = Runner::new(self.program, self.options.interleavings)?;
        let (mut snapshot, _) = runner.start();
        runner.unpack(structure.packed(state), &mut snapshot);
        let variables = self.program.variable_ids();
        let variables = variables.filter(|&v| self.model.control.position(v).is_none());
        let values: Vec<(VarId, Value)> =
            variables.map(|v| (v, runner.value(&snapshot, v))).collect();
        drop(runner);
        let terms = &mut self.program.terms;
        let mut formulas = Vec::new();
        for (variable, value) in values {
            let variable = terms.variable(variable);
            match (&value, terms.sort(variable)) {
                (Value::Array { elements, .. }, Sort::Array(sort)) => {
                    for (position, &element) in elements.iter().enumerate() {
                        let index = terms.index_constant(sort, position as u32);
                        let place = terms.select(variable, index);
                        let element = terms.constant(element);
                        formulas.push(terms.eq(place, element));
                    }
                }
                _ => {
                    let value = terms.value(&value);
                    formulas.push(terms.eq(variable, value));
                }
            }
        }
        Ok(formulas)
    }
}
