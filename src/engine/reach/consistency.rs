//! "Can all of this be true together?", asked thousands of times about much the same terms.
//!
//! Three caches stand before the solver: what was asked before; the cores of what was
//! inconsistent, which make every superset inconsistent; and models, which make everything
//! consistent that they satisfy: the latest ones, and states that somebody else has seen. What
//! is only about differences of integers is decided without a solver, too.

use super::differences::{Decision, decide};
use heddle_program::{Constant, TermId, Terms, Value, VarId};
use heddle_solver::{Answer, Backend, Limits, Literal, Reason, Solver, Statistics};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::collections::hash_map::Entry;

/// So many models are kept.
const MODELS: usize = 48;
/// Old questions slow a solver down even if it is never asked them again, so a fresh one
/// takes over after so many calls.
const CALLS_OF_A_SOLVER: u64 = 400;

pub(crate) struct Consistency {
    backend: Backend,
    /// Opened when it is first needed.
    solver: Option<Box<dyn Solver>>,
    limits: Limits,
    asked: FxHashMap<Box<[TermId]>, bool>,
    /// Inconsistent sets, by their last term.
    cores: FxHashMap<TermId, Vec<Box<[TermId]>>>,
    /// The latest first.
    models: VecDeque<Model>,
    witnesses: Vec<Model>,
    witnessed: u64,
    decided: u64,
    earlier: Statistics,
}

/// The values of some variables; the others are zero.
struct Model {
    values: FxHashMap<VarId, Value>,
    truths: FxHashMap<TermId, bool>,
}

impl Model {
    fn new(values: FxHashMap<VarId, Value>) -> Model {
        Model {
            values,
            truths: FxHashMap::default(),
        }
    }

    fn satisfies(&mut self, terms: &Terms, conjuncts: &[TermId]) -> bool {
        conjuncts.iter().all(|&term| self.truth(terms, term))
    }

    /// Whether the term has a value in the model, and it is true.
    fn truth(&mut self, terms: &Terms, term: TermId) -> bool {
        if let Some(&known) = self.truths.get(&term) {
            return known;
        }
        let value = terms.evaluate(term, |variable| match self.values.get(&variable) {
            Some(value) => value.clone(),
            None => Value::zero(terms.variable_sort(variable)),
        });
        let truth = value == Ok(Value::Scalar(Constant::Bool(true)));
        self.truths.insert(term, truth);
        truth
    }
}

impl Consistency {
    pub(crate) fn new(backend: Backend, limits: Limits) -> Consistency {
        Consistency {
            backend,
            solver: None,
            limits,
            asked: FxHashMap::default(),
            cores: FxHashMap::default(),
            models: VecDeque::new(),
            witnesses: Vec::new(),
            witnessed: 0,
            decided: 0,
            earlier: Statistics::default(),
        }
    }

    /// Takes states that are known.
    pub(crate) fn with_witnesses(mut self, states: &[FxHashMap<VarId, Value>]) -> Consistency {
        self.witnesses = states.iter().cloned().map(Model::new).collect();
        self
    }

    pub(crate) fn add_witnesses(&mut self, states: Vec<FxHashMap<VarId, Value>>) {
        self.witnesses.extend(states.into_iter().map(Model::new));
    }

    /// How many questions the given states have answered.
    pub(crate) fn witnessed(&self) -> u64 {
        self.witnessed
    }

    /// How many questions about differences needed no solver.
    pub(crate) fn decided(&self) -> u64 {
        self.decided
    }

    /// Solver calls so far; what the caches answered is not among them.
    pub(crate) fn statistics(&self) -> Statistics {
        let mut total = self.earlier;
        if let Some(solver) = &self.solver {
            total += solver.statistics();
        }
        total
    }

    /// Is there a state in which all conjuncts hold? Where the solver cannot tell, there may
    /// be one; only running out of time is an error.
    pub(crate) fn consistent(
        &mut self,
        terms: &Terms,
        conjuncts: &[TermId],
    ) -> Result<bool, Reason> {
        let mut key: Vec<TermId> = conjuncts
            .iter()
            .copied()
            .filter(|&term| !terms.is_true(term))
            .collect();
        key.sort_unstable();
        key.dedup();
        if key.is_empty() {
            return Ok(true);
        }
        if key.iter().any(|&term| terms.is_false(term)) {
            return Ok(false);
        }
        if let Some(&known) = self.asked.get(&key[..]) {
            return Ok(known);
        }
        let consistent = if self.contains_a_core(&key) {
            false
        } else if self.has_a_known_model(terms, &key) || self.has_a_witness(terms, &key) {
            true
        } else {
            match decide(terms, &key) {
                Some(decision) => self.keep(&key, decision),
                None => self.ask(terms, &key)?,
            }
        };
        self.asked.insert(key.into(), consistent);
        Ok(consistent)
    }

    fn contains_a_core(&self, key: &[TermId]) -> bool {
        key.iter().any(|last| {
            let cores = self.cores.get(last).into_iter().flatten();
            let mut cores =
                cores.map(|core| core.iter().all(|term| key.binary_search(term).is_ok()));
            cores.any(|contained| contained)
        })
    }

    fn has_a_known_model(&mut self, terms: &Terms, key: &[TermId]) -> bool {
        let mut models = self.models.iter_mut();
        let Some(position) = models.position(|model| model.satisfies(terms, key)) else {
            return false;
        };
        let model = self.models.remove(position).expect("its position");
        self.models.push_front(model);
        true
    }

    fn has_a_witness(&mut self, terms: &Terms, key: &[TermId]) -> bool {
        let mut witnesses = self.witnesses.iter_mut();
        let found = witnesses.any(|witness| witness.satisfies(terms, key));
        self.witnessed += u64::from(found);
        found
    }

    /// Whether it is consistent, as somebody decided.
    fn keep(&mut self, key: &[TermId], decision: Decision) -> bool {
        self.decided += 1;
        match decision {
            Decision::Consistent(values) => {
                self.keep_model(values);
                true
            }
            Decision::Inconsistent(positions) => {
                self.keep_core(positions.into_iter().map(|position| key[position]));
                false
            }
        }
    }

    fn ask(&mut self, terms: &Terms, key: &[TermId]) -> Result<bool, Reason> {
        let is_old = |solver: &mut Box<dyn Solver>| solver.statistics().calls >= CALLS_OF_A_SOLVER;
        if let Some(old) = self.solver.take_if(is_old) {
            self.earlier += old.statistics();
        }
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = self.backend.open();
            solver.set_limits(self.limits.clone());
            solver
        });
        // Leaving out what the solver has no encoding for only makes more consistent.
        let assumed: Vec<(TermId, Literal)> = key
            .iter()
            .filter_map(|&term| Some((term, solver.literal(terms, term).ok()?)))
            .collect();
        let assumptions: Vec<Literal> = assumed.iter().map(|&(_, literal)| literal).collect();
        match solver.check(&assumptions) {
            Answer::Unsat => {
                let core = solver.core().to_vec();
                let in_core = assumed.iter().filter(|(_, literal)| core.contains(literal));
                self.keep_core(in_core.map(|&(term, _)| term));
                Ok(false)
            }
            Answer::Sat => {
                if let Some(values) = values_in_the_model(&mut **solver, terms, key) {
                    self.keep_model(values);
                }
                Ok(true)
            }
            Answer::Unknown(Reason::Incomplete(_)) => Ok(true),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    fn keep_model(&mut self, values: FxHashMap<VarId, Value>) {
        self.models.push_front(Model::new(values));
        self.models.truncate(MODELS);
    }

    /// Keeps an inconsistent set, given in the order of its terms.
    fn keep_core(&mut self, core: impl Iterator<Item = TermId>) {
        let core: Box<[TermId]> = core.collect();
        if let Some(&last) = core.last() {
            self.cores.entry(last).or_default().push(core);
        }
    }
}

/// The values of the terms' variables; `None` if one of them cannot be told.
fn values_in_the_model(
    solver: &mut dyn Solver,
    terms: &Terms,
    key: &[TermId],
) -> Option<FxHashMap<VarId, Value>> {
    let mut values = FxHashMap::default();
    for variable in key.iter().flat_map(|&term| terms.variables_of(term)) {
        if let Entry::Vacant(entry) = values.entry(variable) {
            let value = solver.value(terms, terms.variable(variable));
            entry.insert(value.ok()?);
        }
    }
    Some(values)
}
