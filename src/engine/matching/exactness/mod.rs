//! Is the abstraction exact (Section 4.2)? Does every step that was explored lead from *all*
//! concrete states of its abstract state to the same abstract state?
//!
//! Steps that differ in nothing that matters are asked about once: the same edge, the same
//! values of the program counter as far as the edge mentions it, the same valuations before
//! and after.

mod coverage;

use super::atoms::atoms;
use super::control::{Control, Instances};
use super::model::Model;
use super::predicates::{Predicates, Valuation};
use super::prover::{OutOfTime, Prover};
use super::structure::{ControlState, InputsId, Outcome, StateId, Structure, ValuationId};
use crate::action::Action;
use heddle_program::{Constant, EdgeId, Op, Program, Term, TermId, Terms, VarId};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How steps are shown to be exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By the solver.
    Prover,
    /// By looking: whatever is not a predicate already counts as not proved (Section 7.3).
    Syntactic,
}

/// A step that is not exact, and the predicates that would make it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unproved {
    pub(crate) state: StateId,
    pub(crate) edge: EdgeId,
    pub(crate) predicates: Rc<[TermId]>,
}

#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) unproved: Vec<Unproved>,
    /// A step is not exact, and no predicate is known that would help.
    pub(crate) at_a_loss: Option<EdgeId>,
    /// Conclusions that needed no question, because an earlier step had the same.
    pub(crate) known: u64,
}

/// The program as the checks see it, and what is kept between iterations.
pub(crate) struct Exactness<'a> {
    threads: usize,
    control: &'a Control,
    actions: &'a [Action],
    proof: Proof,
    /// Inputs stand for all values, not for the one that was chosen.
    open: bool,
    /// By edge: the variables of the program counter that it reads, as positions.
    reads: Vec<Box<[usize]>>,
    instances: Instances,
    /// By edge and predicate: what it says before the step.
    before: FxHashMap<(EdgeId, usize), TermId>,
    atoms: FxHashMap<TermId, Rc<[TermId]>>,
}

/// What a step is for the checks.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kind {
    edge: EdgeId,
    from: ValuationId,
    /// Where it leads; nowhere if it is blocked, and to several if inputs are open.
    to: Vec<(ValuationId, InputsId)>,
    control: Box<[i128]>,
}

struct Question {
    kind: Kind,
    /// What has to follow from the valuation before the step.
    conclusions: Vec<TermId>,
    states: Vec<StateId>,
    /// Not all values of the inputs are accounted for.
    uncovered: Option<Rc<[TermId]>>,
}

impl<'a> Exactness<'a> {
    pub(crate) fn new(program: &Program, model: &'a Model, proof: Proof, open: bool) -> Self {
        let (actions, control) = (&model.actions, &model.control);
        let reads = actions.iter().map(|action| {
            let updates = action.updates.iter().map(|&(_, value)| value);
            let variables = updates.chain([action.guard]);
            let variables = variables.flat_map(|term| program.terms.variables_of(term));
            let mut positions: Vec<usize> = variables.filter_map(|v| control.position(v)).collect();
            positions.sort_unstable();
            positions.dedup();
            positions.into()
        });
        Exactness {
            threads: program.threads.len(),
            control,
            actions,
            proof,
            open,
            reads: reads.collect(),
            instances: Instances::default(),
            before: FxHashMap::default(),
            atoms: FxHashMap::default(),
        }
    }

    /// Every step of the structure. With `all_states`, every state is named that has an inexact
    /// step, else one for each kind of step.
    pub(crate) fn check(
        &mut self,
        terms: &mut Terms,
        prover: &mut Prover,
        predicates: &Predicates,
        structure: &Structure,
        all_states: bool,
    ) -> Result<Findings, OutOfTime> {
        let mut findings = Findings::default();
        let mut questions = self.questions(terms, predicates, structure, all_states, &mut findings);
        let mut by_valuation: FxHashMap<ValuationId, Vec<usize>> = FxHashMap::default();
        for (number, question) in questions.iter().enumerate() {
            let same = by_valuation.entry(question.kind.from).or_default();
            same.push(number);
        }
        let mut valuations: Vec<(ValuationId, Vec<usize>)> = by_valuation.into_iter().collect();
        valuations.sort_unstable();

        for (valuation, numbers) in valuations {
            let valuation = structure.valuation(valuation);
            let hypotheses = predicates.conjuncts(&valuation);
            for &number in &numbers {
                if self.is_open(questions[number].kind.edge) {
                    self.cover(
                        terms,
                        prover,
                        predicates,
                        structure,
                        &hypotheses,
                        &mut questions[number],
                    )?;
                }
            }
            let conclusions = numbers
                .iter()
                .flat_map(|&number| &questions[number].conclusions);
            let conclusions: Vec<TermId> = conclusions.copied().collect();
            let unproved = match self.proof {
                Proof::Prover => prover.unproved(terms, &hypotheses, &conclusions)?,
                Proof::Syntactic => conclusions.into_iter().collect(),
            };
            for number in numbers {
                let question = &questions[number];
                let failed = question.conclusions.iter().filter(|c| unproved.contains(c));
                let failed: Vec<TermId> = failed.copied().collect();
                let mut wanted: Vec<TermId> = Vec::new();
                for &conclusion in &failed {
                    wanted.extend(self.atoms(terms, conclusion).iter());
                }
                wanted.extend(question.uncovered.iter().flat_map(|atoms| atoms.iter()));
                wanted.retain(|&atom| !is_looked_at(predicates, &valuation, atom));
                wanted.dedup();
                let is_exact = failed.is_empty() && question.uncovered.is_none();
                if is_exact {
                    continue;
                }
                if wanted.is_empty() {
                    findings.at_a_loss.get_or_insert(question.kind.edge);
                }
                let wanted: Rc<[TermId]> = wanted.into();
                let unproved = question.states.iter().map(|&state| Unproved {
                    state,
                    edge: question.kind.edge,
                    predicates: wanted.clone(),
                });
                findings.unproved.extend(unproved);
            }
        }
        findings
            .unproved
            .sort_by_key(|unproved| (unproved.state, unproved.edge));
        Ok(findings)
    }

    fn is_open(&self, edge: EdgeId) -> bool {
        self.open && !self.actions[edge.index()].choices.is_empty()
    }

    /// The different kinds of steps, with what has to be shown of each.
    fn questions(
        &mut self,
        terms: &mut Terms,
        predicates: &Predicates,
        structure: &Structure,
        all_states: bool,
        findings: &mut Findings,
    ) -> Vec<Question> {
        let mut known: FxHashMap<Kind, Option<usize>> = FxHashMap::default();
        let mut questions: Vec<Question> = Vec::new();
        let threads = self.threads;
        for state in structure.state_ids() {
            let Some(steps) = structure.steps(state) else {
                continue;
            };
            let from = structure.state(state).valuation;
            let words = structure
                .controls
                .get(structure.state(state).control.0)
                .clone();
            let control = ControlState::new(&words, threads);
            let mut steps = steps.iter().peekable();
            while let Some(&(edge, outcome)) = steps.next() {
                let mut to = match outcome {
                    Outcome::Blocked => Vec::new(),
                    Outcome::To(to, inputs) => vec![(structure.state(to).valuation, inputs)],
                };
                if self.is_open(edge) {
                    // All inputs of one step belong together.
                    while let Some(&(_, Outcome::To(more, inputs))) =
                        steps.next_if(|(other, _)| *other == edge)
                    {
                        to.push((structure.state(more).valuation, inputs));
                    }
                }
                let reads = self.reads[edge.index()].iter();
                let kind = Kind {
                    edge,
                    from,
                    to,
                    control: reads.map(|&position| control.word(position)).collect(),
                };
                match known.get(&kind) {
                    Some(None) => {}
                    Some(Some(number)) => {
                        findings.known += questions[*number].conclusions.len() as u64;
                        if all_states {
                            questions[*number].states.push(state);
                        }
                    }
                    None => {
                        let conclusions = self.conclusions(terms, predicates, structure, &kind);
                        let number = questions.len();
                        if conclusions.is_empty() && !self.is_open(edge) {
                            known.insert(kind, None);
                            continue;
                        }
                        known.insert(kind.clone(), Some(number));
                        questions.push(Question {
                            kind,
                            conclusions,
                            states: vec![state],
                            uncovered: None,
                        });
                    }
                }
            }
        }
        questions
    }

    /// What has to follow from the valuation before a step, without what is part of it.
    fn conclusions(
        &mut self,
        terms: &mut Terms,
        predicates: &Predicates,
        structure: &Structure,
        kind: &Kind,
    ) -> Vec<TermId> {
        let edge = kind.edge;
        let from = structure.valuation(kind.from);
        let mut conclusions = Vec::new();
        let guard = self.actions[edge.index()].guard;
        let guard = self.instance(terms, kind, guard);
        match kind.to[..] {
            [] => conclusions.push(terms.not(guard)),
            _ => conjuncts(terms, guard, &mut conclusions),
        }
        if let [(to, inputs)] = kind.to[..]
            && !self.is_open(edge)
        {
            let to = structure.valuation(to);
            let inputs = structure.inputs.get(inputs.0).clone();
            for (number, value, before) in self.effects(terms, predicates, kind, &from, &to) {
                let before = self.with_inputs(terms, edge, &inputs, before);
                debug_assert!(number < predicates.len());
                conclusions.push(if value { before } else { terms.not(before) });
            }
        }
        conclusions.retain(|&conclusion| {
            let atoms = self.atoms(terms, conclusion);
            !atoms
                .iter()
                .all(|&atom| is_looked_at(predicates, &from, atom))
        });
        conclusions
    }

    /// The predicates that are looked at after a step, with their values, and what each says
    /// before the step; without those that the step does not change, if they are looked at
    /// before it, too.
    fn effects(
        &mut self,
        terms: &mut Terms,
        predicates: &Predicates,
        kind: &Kind,
        from: &Valuation,
        to: &Valuation,
    ) -> Vec<(usize, bool, TermId)> {
        let action = &self.actions[kind.edge.index()];
        let mut effects = Vec::new();
        for (number, predicate) in predicates.all.iter().enumerate() {
            let Some(value) = to.value(number) else {
                continue;
            };
            let writes = |variable: &VarId| action.update_of(*variable).is_some();
            let before = if predicate.variables.iter().any(writes) {
                let before = self.before.entry((kind.edge, number));
                *before
                    .or_insert_with(|| action.all_before(terms, &[predicate.term])[&predicate.term])
            } else if from.value(number).is_some() {
                continue;
            } else {
                predicate.term
            };
            effects.push((number, value, before));
        }
        let instance =
            |(number, value, before)| (number, value, self.instance(terms, kind, before));
        effects.into_iter().map(instance).collect()
    }

    /// The term with the program counter of the step put in.
    fn instance(&mut self, terms: &mut Terms, kind: &Kind, term: TermId) -> TermId {
        let reads = &self.reads[kind.edge.index()];
        let control = self.control;
        self.instances.of(terms, control, term, |position| {
            let place = reads.iter().position(|&read| read == position);
            let word = kind.control[place.expect("a step mentions what it reads")];
            control.constant(position, word)
        })
    }

    fn with_inputs(
        &self,
        terms: &mut Terms,
        edge: EdgeId,
        inputs: &[Constant],
        term: TermId,
    ) -> TermId {
        let choices = &self.actions[edge.index()].choices;
        if choices.is_empty() {
            return term;
        }
        terms.substitute(term, |terms, variable| {
            let position = choices.iter().position(|&choice| choice == variable)?;
            Some(terms.constant(inputs[position]))
        })
    }

    fn atoms(&mut self, terms: &mut Terms, formula: TermId) -> Rc<[TermId]> {
        if let Some(known) = self.atoms.get(&formula) {
            return known.clone();
        }
        let found: Rc<[TermId]> = atoms(terms, formula).into();
        self.atoms.insert(formula, found.clone());
        found
    }
}

fn is_looked_at(predicates: &Predicates, valuation: &Valuation, atom: TermId) -> bool {
    let number = predicates.find(atom);
    number.is_some_and(|number| valuation.value(number).is_some())
}

fn conjuncts(terms: &Terms, formula: TermId, found: &mut Vec<TermId>) {
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        match terms.get(formula) {
            Term::Apply {
                op: Op::And,
                arguments,
            } => pending.extend(arguments.iter().rev()),
            _ => found.push(formula),
        }
    }
}
