//! Validity, asked of Z3 in bulk, and never twice (Section 8).
//!
//! All that is to be shown of one abstract state goes into one question: is there a concrete
//! state in which some of it fails? Each answer settles at least one conclusion, and the last
//! one all that are left. Tautologies are looked for first, and a conclusion is asked under
//! the hypotheses that can have to do with it, so that other abstract states ask the same.

use heddle_program::{Constant, TermId, Terms, Value, VarId};
use heddle_solver::{Answer, Limits, Reason, Solver, Z3};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// The deadline passed.
#[derive(Debug)]
pub(crate) struct OutOfTime;

/// How often a prover was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// Solver calls.
    pub queries: u64,
    /// Conclusions that were settled before.
    pub cache_hits: u64,
    /// Conclusions that the queries settled.
    pub conclusions: u64,
    /// The time of all queries.
    pub time: Duration,
}

pub(crate) struct Prover {
    solver: Z3,
    /// Whether a conclusion holds always.
    tautologies: FxHashMap<TermId, bool>,
    /// Whether it follows from hypotheses, which are sorted.
    implications: FxHashMap<(Box<[TermId]>, TermId), bool>,
    variables: FxHashMap<TermId, Box<[VarId]>>,
    questions: Questions,
}

impl Prover {
    pub(crate) fn new(deadline: Option<Instant>) -> Prover {
        let mut solver = Z3::new();
        solver.set_limits(Limits {
            deadline,
            stop: None,
        });
        Prover {
            solver,
            tautologies: FxHashMap::default(),
            implications: FxHashMap::default(),
            variables: FxHashMap::default(),
            questions: Questions::default(),
        }
    }

    pub(crate) fn questions(&self) -> Questions {
        let mut questions = self.questions;
        let statistics = self.solver.statistics();
        questions.queries = statistics.calls;
        questions.time = statistics.time;
        questions
    }

    /// The conclusions that do not follow from the hypotheses, or for which that could not be
    /// found out. The hypotheses have a model.
    pub(crate) fn unproved(
        &mut self,
        terms: &mut Terms,
        hypotheses: &[TermId],
        conclusions: &[TermId],
    ) -> Result<FxHashSet<TermId>, OutOfTime> {
        let given: FxHashSet<TermId> = hypotheses.iter().copied().collect();
        let open = conclusions.iter().copied();
        let open = open.filter(|&c| !terms.is_true(c) && !given.contains(&c));
        let mut open: Vec<TermId> = open.collect();
        let all = open.len();
        open.sort_unstable();
        open.dedup();
        self.questions.cache_hits += (all - open.len()) as u64;
        open.retain(|conclusion| {
            let known = self.tautologies.get(conclusion) == Some(&true);
            self.questions.cache_hits += u64::from(known);
            !known
        });
        self.settle_tautologies(terms, &open)?;
        let left = open.len();
        open.retain(|conclusion| !self.tautologies[conclusion]);
        self.questions.conclusions += (left - open.len()) as u64;

        let mut unproved = FxHashSet::default();
        let mut pending = Vec::new();
        let mut relevant: FxHashSet<TermId> = FxHashSet::default();
        let mut keys = FxHashMap::default();
        for conclusion in open {
            let cone = self.cone(terms, hypotheses, conclusion);
            match self.implications.get(&(cone.clone(), conclusion)) {
                Some(&follows) => {
                    self.questions.cache_hits += 1;
                    if !follows {
                        unproved.insert(conclusion);
                    }
                }
                None => {
                    pending.push(conclusion);
                    relevant.extend(cone.iter().copied());
                    keys.insert(conclusion, cone);
                }
            }
        }
        // What has nothing to do with a conclusion does not change whether it follows.
        let mut relevant: Vec<TermId> = relevant.into_iter().collect();
        relevant.sort_unstable();
        self.questions.conclusions += pending.len() as u64;
        let refuted = self.refuted(terms, &relevant, pending.clone())?;
        for conclusion in pending {
            let follows = !refuted.contains(&conclusion);
            let cone = keys.remove(&conclusion).expect("each is pending once");
            self.implications.insert((cone, conclusion), follows);
        }
        unproved.extend(refuted);
        Ok(unproved)
    }

    fn settle_tautologies(
        &mut self,
        terms: &mut Terms,
        conclusions: &[TermId],
    ) -> Result<(), OutOfTime> {
        let unknown = conclusions.iter().copied();
        let unknown = unknown.filter(|conclusion| !self.tautologies.contains_key(conclusion));
        let unknown: Vec<TermId> = unknown.collect();
        let refuted = self.refuted(terms, &[], unknown.clone())?;
        for conclusion in unknown {
            self.tautologies
                .insert(conclusion, !refuted.contains(&conclusion));
        }
        Ok(())
    }

    /// The conclusions that are false in some model of the hypotheses, as far as the solver
    /// can tell; one that it cannot decide counts as false.
    fn refuted(
        &mut self,
        terms: &mut Terms,
        hypotheses: &[TermId],
        conclusions: Vec<TermId>,
    ) -> Result<FxHashSet<TermId>, OutOfTime> {
        let mut refuted = FxHashSet::default();
        let mut batches = vec![conclusions];
        while let Some(mut batch) = batches.pop() {
            if batch.is_empty() {
                continue;
            }
            let negations: Vec<TermId> = batch.iter().map(|&c| terms.not(c)).collect();
            let mut question = hypotheses.to_vec();
            question.push(terms.or(&negations));
            match self.ask(terms, &question)? {
                Some(false) => {}
                Some(true) => {
                    let before = batch.len();
                    batch.retain(|&conclusion| {
                        let is_false = self.is_false(terms, conclusion);
                        if is_false {
                            refuted.insert(conclusion);
                        }
                        !is_false
                    });
                    if batch.len() < before {
                        batches.push(batch);
                    } else {
                        // The model cannot be read: one by one.
                        self.undecided(batch, &mut batches, &mut refuted);
                    }
                }
                None => self.undecided(batch, &mut batches, &mut refuted),
            }
        }
        Ok(refuted)
    }

    fn undecided(
        &self,
        mut batch: Vec<TermId>,
        batches: &mut Vec<Vec<TermId>>,
        refuted: &mut FxHashSet<TermId>,
    ) {
        if let [conclusion] = batch[..] {
            refuted.insert(conclusion);
        } else {
            let half = batch.split_off(batch.len() / 2);
            batches.extend([batch, half]);
        }
    }

    /// Whether the terms have a model together; `None` if the solver gives up.
    fn ask(&mut self, terms: &Terms, question: &[TermId]) -> Result<Option<bool>, OutOfTime> {
        match self.solver.check_terms(terms, question) {
            Ok(Answer::Sat) => Ok(Some(true)),
            Ok(Answer::Unsat) => Ok(Some(false)),
            Ok(Answer::Unknown(Reason::Time | Reason::Stopped)) => Err(OutOfTime),
            Ok(Answer::Unknown(Reason::Incomplete(_))) => Ok(None),
            Err(unsupported) => unreachable!("Z3 has an encoding for every term: {unsupported}"),
        }
    }

    fn is_false(&mut self, terms: &Terms, conclusion: TermId) -> bool {
        let value = self.solver.value(terms, conclusion);
        matches!(value, Ok(Value::Scalar(Constant::Bool(false))))
    }

    /// A model of the terms: the values of the variables. `None` if there is none, or none
    /// that the solver finds and can spell out.
    pub(crate) fn model(
        &mut self,
        terms: &Terms,
        question: &[TermId],
        variables: &[VarId],
    ) -> Result<Found, OutOfTime> {
        match self.ask(terms, question)? {
            Some(false) => Ok(Found::Nothing),
            None => Ok(Found::Unknown),
            Some(true) => {
                let values = variables.iter();
                let values: Result<Vec<Value>, _> = values
                    .map(|&variable| self.solver.value(terms, terms.variable(variable)))
                    .collect();
                Ok(values.map_or(Found::Unknown, Found::Values))
            }
        }
    }

    /// The hypotheses that share variables with the conclusion, directly or by others.
    fn cone(&mut self, terms: &Terms, hypotheses: &[TermId], conclusion: TermId) -> Box<[TermId]> {
        for &term in hypotheses.iter().chain([&conclusion]) {
            let variables = || terms.variables_of(term).into();
            self.variables.entry(term).or_insert_with(variables);
        }
        let mut reached: FxHashSet<VarId> = self.variables[&conclusion].iter().copied().collect();
        let mut cone = Vec::new();
        let mut others: Vec<TermId> = hypotheses.to_vec();
        loop {
            let before = others.len();
            others.retain(|hypothesis| {
                let variables = &self.variables[hypothesis];
                let joined = variables.iter().any(|variable| reached.contains(variable));
                if joined {
                    cone.push(*hypothesis);
                    reached.extend(variables.iter().copied());
                }
                !joined
            });
            if others.len() == before {
                break;
            }
        }
        cone.sort_unstable();
        cone.into()
    }
}

/// What [`Prover::model`] finds.
pub(crate) enum Found {
    Values(Vec<Value>),
    Nothing,
    Unknown,
}
