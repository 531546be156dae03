//! FindCounterexample, Fig. 5 of "Non-Monotonic Refinement of Control Abstraction for
//! Concurrent Programs": the rules ask for abstract posts, and answers go back as facts,
//! until an error is reached or nothing is asked any more.

use super::Options;
use super::abstract_post::{AbstractPost, Abstraction};
use super::fixpoint::{AbstractState, Fixpoint, NOTHING_KNOWN, Unusable};
use super::gave_up::GaveUp;
use super::partition::Partition;
use super::path::Path;
use super::predicates::{PredicateId, Predicates, ValuationId, Valuations, is_below};
use super::statistics::Round;
use super::system::{ActionId, StepId, System};
use heddle_datalog::theory::BackendKind;
use heddle_program::TermId;
use heddle_solver::{Backend, Limits, Reason};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A system, its abstraction, and what is reached in it.
pub(crate) struct Exploration {
    pub(crate) system: System,
    pub(crate) partition: Partition,
    pub(crate) predicates: Predicates,
    pub(crate) valuations: Valuations,
    pub(crate) fixpoint: Fixpoint,
    pub(crate) post: AbstractPost,
    backend: BackendKind,
    limits: Limits,
    /// The valuations that facts mention, by how much they say.
    known: BTreeMap<usize, FxHashSet<ValuationId>>,
    /// What was answered since the predicates last changed.
    answers: FxHashMap<(ActionId, ValuationId), Vec<ValuationId>>,
    /// Time in the rules, reading paths off their provenance included.
    pub(crate) fixpoint_time: Duration,
}

impl Exploration {
    /// Nothing is tracked, and nothing is reached.
    pub(crate) fn new(
        system: System,
        partition: Partition,
        backend: Backend,
        options: &Options,
    ) -> Result<Exploration, Unusable> {
        let rules = options.rules.clone();
        let fixpoint = Fixpoint::new(rules, options.backend, &system, &partition)?;
        let mut valuations = Valuations::default();
        let first = valuations.intern(&[]);
        debug_assert_eq!(first, NOTHING_KNOWN);
        Ok(Exploration {
            system,
            partition,
            predicates: Predicates::default(),
            valuations,
            fixpoint,
            post: AbstractPost::new(backend, options),
            backend: options.backend,
            limits: options.limits.clone(),
            known: BTreeMap::new(),
            answers: FxHashMap::default(),
            fixpoint_time: Duration::ZERO,
        })
    }

    /// Paths to goals that are reached, the shortest first. None if no goal is reached, and
    /// everything that is reached has been followed.
    pub(crate) fn find_counterexamples(&mut self, round: &mut Round) -> Result<Vec<Path>, GaveUp> {
        let tracked: Vec<PredicateId> = self.predicates.ids().collect();
        loop {
            self.check_limits()?;
            let started = Instant::now();
            self.fixpoint.settle()?;
            round.settles += 1;
            let errors = self.fixpoint.errors();
            let found = match errors.is_empty() {
                true => Vec::new(),
                false => {
                    let worst = self.most_serious(&errors);
                    self.fixpoint.counterexamples(&worst)?
                }
            };
            let questions = self.fixpoint.questions();
            self.fixpoint_time += started.elapsed();
            if !found.is_empty() || questions.is_empty() {
                round.abstract_states = self.fixpoint.reached().len();
                return Ok(found.into_iter().map(Path).collect());
            }
            for (action, valuation) in questions {
                self.check_limits()?;
                self.answer(round, &tracked, action, valuation)?;
            }
        }
    }

    /// The errors, if there are any, and else the bounds that are reached.
    fn most_serious(&self, reached: &[(AbstractState, StepId)]) -> Vec<(AbstractState, StepId)> {
        let is_error = |(_, step): &&(AbstractState, StepId)| self.system.step(*step).is_error();
        let errors: Vec<_> = reached.iter().filter(is_error).copied().collect();
        match errors.is_empty() {
            true => reached.to_vec(),
            false => errors,
        }
    }

    fn answer(
        &mut self,
        round: &mut Round,
        tracked: &[PredicateId],
        action: ActionId,
        from: ValuationId,
    ) -> Result<(), GaveUp> {
        let calls = self.post.statistics().calls;
        let to = match self.answers.get(&(action, from)) {
            Some(known) => known.clone(),
            None => {
                let cube = self.valuations.cube(from).to_vec();
                let (system, predicates) = (&mut self.system, &self.predicates);
                let cubes = self
                    .post
                    .successors(system, predicates, tracked, action, &cube)?;
                let interned = cubes.iter().map(|cube| self.valuations.intern(cube));
                let to: Vec<ValuationId> = interned.collect();
                self.answers.insert((action, from), to.clone());
                to
            }
        };
        let uncached = self.post.statistics().calls > calls;
        round.posts += 1;
        round.cached += u64::from(!uncached);
        for &valuation in &to {
            self.compare(valuation);
        }
        self.fixpoint.answer(action, from, &to);
        Ok(())
    }

    /// Says how a new valuation relates to those that are known. Truth values of all
    /// predicates are never below one another.
    fn compare(&mut self, new: ValuationId) {
        if self.post.abstraction() == Abstraction::Boolean {
            return;
        }
        let cube = self.valuations.cube(new);
        if !self.known.entry(cube.len()).or_default().insert(new) {
            return;
        }
        for (&length, others) in &self.known {
            for &other in others {
                let known = self.valuations.cube(other);
                if length < cube.len() && is_below(cube, known) {
                    self.fixpoint.add_below(new, other);
                } else if length > cube.len() && is_below(known, cube) {
                    self.fixpoint.add_below(other, new);
                }
            }
        }
    }

    fn check_limits(&self) -> Result<(), Reason> {
        match self.limits.exceeded() {
            Some(reason) => Err(reason),
            None => Ok(()),
        }
    }

    /// Tracks more predicates. What was answered says nothing of them.
    pub(crate) fn track(&mut self, terms: &[TermId]) {
        for &term in terms {
            self.predicates.add(&mut self.system.terms, term);
        }
        self.forget_answers();
        self.answers.clear();
    }

    fn forget_answers(&mut self) {
        self.fixpoint.forget_answers();
        self.known.clear();
    }

    pub(crate) fn repartition(&mut self, partition: Partition) {
        self.fixpoint.repartition(&self.system, &partition);
        self.partition = partition;
        if self.backend != BackendKind::Incremental {
            // It derives everything afresh, so it may as well stop at the first error.
            self.forget_answers();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::partition::Class;
    use super::super::system::PointId;
    use super::*;
    use heddle_program::Program;

    fn bakery() -> Program {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples");
        let path = std::path::Path::new(path).join("control-abstraction/bakery.hd");
        let loaded = heddle_front::load(&path, &heddle_front::Options::default());
        loaded.expect("the example is correct").0
    }

    fn explored(program: &Program, system: System, partition: Partition) -> Exploration {
        let mut program = program.clone();
        let predicates = ["choosing1", "choosing2", "t1 = 0", "t2 = 0"].map(|text| {
            heddle_front::hd::condition(&mut program, "given", text).expect("a condition")
        });
        let options = Options {
            backend: BackendKind::Incremental,
            ..Options::default()
        };
        let system = System {
            terms: program.terms,
            ..system
        };
        let mut exploration =
            Exploration::new(system, partition, Backend::Z3, &options).expect("usable rules");
        exploration.track(&predicates);
        let errors = exploration.find_counterexamples(&mut Round::default());
        assert!(errors.expect("in time").is_empty(), "there are no goals");
        exploration
    }

    #[test]
    fn moving_two_locations_changes_fewer_tuples_than_a_restart_derives() {
        let program = bakery();
        let system = System::new(&program).expect("it has no error condition");
        let before = Partition::discrete(&system);
        let point = |label: &str| {
            let mut locations = program.location_ids();
            let location = locations.find(|&l| program.location_name(l) == label);
            PointId::of(location.expect("a label"))
        };
        let mut after = before.clone();
        for (moved, to) in [("10", "9"), ("20", "19")] {
            let class: Class = before.class(point(to));
            after.set(point(moved), class);
        }

        let mut updated = explored(&program, system.clone(), before);
        updated.repartition(after.clone());
        let mut changes = updated
            .fixpoint
            .settle_with_changes()
            .expect("in time")
            .len();
        // What was not asked before is answered, too.
        let mut round = Round::default();
        let tuples = updated.fixpoint.tuples();
        updated.find_counterexamples(&mut round).expect("in time");
        changes += updated.fixpoint.tuples().abs_diff(tuples);

        let restarted = explored(&program, system, after);
        let states = |exploration: &Exploration| exploration.fixpoint.reached().len();
        assert_eq!(states(&updated), states(&restarted));
        let derived = restarted.fixpoint.tuples();
        println!("{changes} changes, {derived} tuples");
        assert!(changes < derived, "{changes} changes, {derived} tuples");
    }
}
