//! The abstract post: which cubes describe all states that an action leads to from a cube.
//!
//! Cartesian abstraction gives one cube, all literals that hold after the action whatever
//! the state was. Boolean abstraction gives several that say of each predicate whether it
//! holds. Both ask about a predicate after the action by what has to hold before it, and
//! only about what can matter: literals that are connected with the question by variables.
//! The answer is looked up, if it was precomputed.

use super::Options;
use super::consistency::Consistency;
use super::precomputed::{Precomputation, Transitions};
use super::predicates::{Cube, Literal, PredicateId, Predicates, truth};
use super::system::{ActionId, System};
use super::variable_set::VariableSet;
use super::weakest_precondition::conjuncts;
use crate::action::Action;
use crate::words::words;
use heddle_program::{TermId, Terms, Value, VarId};
use heddle_solver::{Backend, Reason, Statistics};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// How much an abstract state says of the predicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Abstraction {
    /// A conjunction of literals: one successor a step.
    #[default]
    Cartesian,
    /// A truth value for each predicate: several successors, which keep what one
    /// conjunction cannot say.
    Boolean,
}

words!(Abstraction, "an abstraction is `cartesian` or `boolean`", {
    Cartesian => "cartesian",
    Boolean => "boolean",
});

/// When a solver is asked what an action makes of the predicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Posts {
    /// When a state is reached for which it matters.
    #[default]
    OnTheFly,
    /// Before anything is reached, for all states at once.
    Precomputed,
}

words!(Posts, "posts are computed `on-the-fly` or `precomputed`", {
    OnTheFly => "on-the-fly",
    Precomputed => "precomputed",
});

pub(crate) struct AbstractPost {
    abstraction: Abstraction,
    consistency: Consistency,
    precomputation: Option<Precomputation>,
    /// What was precomputed, with as many predicates as are tracked.
    transitions: FxHashMap<ActionId, Transitions>,
    /// What has to hold before an action so that a predicate holds after it.
    before: FxHashMap<(ActionId, TermId), TermId>,
    variables: FxHashMap<TermId, Rc<VariableSet>>,
}

impl AbstractPost {
    pub(crate) fn new(backend: Backend, options: &Options) -> AbstractPost {
        let consistency = Consistency::new(backend, options.limits.clone());
        let precomputation = match options.posts {
            Posts::OnTheFly => None,
            Posts::Precomputed => Some(Precomputation::new(backend, options.limits.clone())),
        };
        AbstractPost {
            abstraction: options.abstraction,
            consistency: consistency.with_witnesses(&options.witnesses),
            precomputation,
            transitions: FxHashMap::default(),
            before: FxHashMap::default(),
            variables: FxHashMap::default(),
        }
    }

    pub(crate) fn abstraction(&self) -> Abstraction {
        self.abstraction
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let mut total = self.consistency.statistics();
        if let Some(precomputation) = &self.precomputation {
            total += precomputation.statistics();
        }
        total
    }

    /// How many questions were neither answered by a cache nor by a solver.
    pub(crate) fn decided(&self) -> u64 {
        self.consistency.decided()
    }

    /// Lists what every action makes of the predicates, if that is to be done beforehand.
    pub(crate) fn precompute(
        &mut self,
        system: &mut System,
        predicates: &Predicates,
    ) -> Result<(), Reason> {
        let Some(precomputation) = &mut self.precomputation else {
            return Ok(());
        };
        let System { terms, actions, .. } = system;
        for (index, action) in actions.iter().enumerate() {
            let transitions = precomputation.transitions(terms, action, predicates)?;
            self.transitions
                .insert(ActionId::from_index(index), transitions);
        }
        Ok(())
    }

    /// Takes states that are known.
    pub(crate) fn add_witnesses(&mut self, states: Vec<FxHashMap<VarId, Value>>) {
        self.consistency.add_witnesses(states);
    }

    /// How many questions were answered by states that are known.
    pub(crate) fn witnessed(&self) -> u64 {
        self.consistency.witnessed()
    }

    /// The cubes over the tracked predicates that the action leads to; none if it is not
    /// possible.
    pub(crate) fn successors(
        &mut self,
        system: &mut System,
        predicates: &Predicates,
        tracked: &[PredicateId],
        id: ActionId,
        cube: &[Literal],
    ) -> Result<Vec<Cube>, Reason> {
        let System { terms, actions, .. } = system;
        let action = &actions[id.index()];
        let mut known: Vec<TermId> = cube.iter().map(|&l| predicates.term_of(l)).collect();
        let guard = conjuncts(terms, action.guard);
        let possible = self.relevant(terms, &known, &guard);
        if !self.consistent(terms, id, &possible)? {
            return Ok(Vec::new());
        }
        known.extend(guard);

        let mut literals = Vec::new();
        let mut open = Vec::new();
        for &predicate in tracked {
            let term = predicates.get(predicate).term;
            let before = self.before(terms, id, action, term);
            let is_kept = before == term;
            let holds = match truth(cube, predicate) {
                Some(holds) if is_kept => Some(holds),
                None if is_kept && terms.is_true(action.guard) => None,
                _ => self.decide(terms, id, &known, before)?,
            };
            match holds {
                Some(holds) => literals.push(Literal::new(predicate, holds)),
                None => open.push((predicate, before)),
            }
        }
        match self.abstraction {
            Abstraction::Cartesian => Ok(vec![literals.into()]),
            Abstraction::Boolean => self.all_cases(terms, id, &known, &literals, &open),
        }
    }

    /// What has to hold before the action so that the predicate holds after it.
    fn before(
        &mut self,
        terms: &mut Terms,
        id: ActionId,
        action: &Action,
        predicate: TermId,
    ) -> TermId {
        *self
            .before
            .entry((id, predicate))
            .or_insert_with(|| action.before(terms, predicate))
    }

    /// Whether the term is true wherever all that is known holds, or false there.
    fn decide(
        &mut self,
        terms: &mut Terms,
        id: ActionId,
        known: &[TermId],
        term: TermId,
    ) -> Result<Option<bool>, Reason> {
        if let Some(constant) = terms.as_constant(term) {
            return Ok(constant.as_bool());
        }
        let negation = terms.not(term);
        if known.contains(&term) {
            return Ok(Some(true));
        }
        if known.contains(&negation) {
            return Ok(Some(false));
        }
        let mut question = self.relevant(terms, known, &[term]);
        if !self.consistent(terms, id, &question)? {
            return Ok(Some(false));
        }
        *question.last_mut().expect("the term itself") = negation;
        let can_be_false = self.consistent(terms, id, &question)?;
        Ok((!can_be_false).then_some(true))
    }

    /// The cubes that say of the open predicates, too, whether they hold.
    fn all_cases(
        &mut self,
        terms: &mut Terms,
        id: ActionId,
        known: &[TermId],
        literals: &[Literal],
        open: &[(PredicateId, TermId)],
    ) -> Result<Vec<Cube>, Reason> {
        let Some((&(predicate, before), rest)) = open.split_first() else {
            let mut cube = literals.to_vec();
            cube.sort_unstable();
            return Ok(vec![cube.into()]);
        };
        let mut cubes = Vec::new();
        for holds in [true, false] {
            let case = match holds {
                true => before,
                false => terms.not(before),
            };
            let question = self.relevant(terms, known, &[case]);
            if !self.consistent(terms, id, &question)? {
                continue;
            }
            let mut known = known.to_vec();
            known.push(case);
            let mut literals = literals.to_vec();
            literals.push(Literal::new(predicate, holds));
            cubes.extend(self.all_cases(terms, id, &known, &literals, rest)?);
        }
        Ok(cubes)
    }

    /// Whether all conjuncts can be true together, the guard of the action being among what is
    /// known.
    fn consistent(
        &mut self,
        terms: &Terms,
        id: ActionId,
        conjuncts: &[TermId],
    ) -> Result<bool, Reason> {
        let transitions = self.transitions.get(&id);
        let listed = transitions.and_then(|listed| listed.consistent(terms, conjuncts));
        match listed {
            Some(consistent) => Ok(consistent),
            None => self.consistency.consistent(terms, conjuncts),
        }
    }

    /// The question, behind those of the known terms that are connected with it by
    /// variables. The others are true somewhere anyway, since a cube describes some state.
    fn relevant(&mut self, terms: &Terms, known: &[TermId], question: &[TermId]) -> Vec<TermId> {
        let mut variables = VariableSet::default();
        for &term in question {
            variables.add(&self.variables_of(terms, term));
        }
        let mut rest: Vec<(TermId, Rc<VariableSet>)> = known
            .iter()
            .map(|&term| (term, self.variables_of(terms, term)))
            .collect();
        let mut chosen = Vec::new();
        loop {
            let before = rest.len();
            rest.retain(|(term, its)| {
                let connected = its.meets(&variables);
                if connected {
                    variables.add(its);
                    chosen.push(*term);
                }
                !connected
            });
            if rest.len() == before {
                break;
            }
        }
        chosen.extend(question);
        chosen
    }

    fn variables_of(&mut self, terms: &Terms, term: TermId) -> Rc<VariableSet> {
        self.variables
            .entry(term)
            .or_insert_with(|| Rc::new(VariableSet::of(terms, term)))
            .clone()
    }
}
