//! FindCounterexample, Fig. 5 of "Non-Monotonic Refinement of Control Abstraction for
//! Concurrent Programs": the rules ask for abstract posts, and answers go back as facts,
//! until an error is reached or nothing is asked any more.

use super::Options;
use super::abstract_post::{AbstractPost, Abstraction};
use super::effects::{Effect, EffectId, Effects};
use super::fixpoint::{AbstractState, Fixpoint, NOTHING_KNOWN, Unusable};
use super::gave_up::GaveUp;
use super::new_predicates::excluded;
use super::partition::Partition;
use super::path::Path;
use super::predicates::{PredicateId, Predicates, ValuationId, Valuations, is_below};
use super::scopes::{Scopes, Scoping};
use super::statistics::Round;
use super::system::{StepId, System};
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
    pub(crate) scopes: Scopes,
    pub(crate) valuations: Valuations,
    pub(crate) fixpoint: Fixpoint,
    pub(crate) post: AbstractPost,
    effects: Effects,
    /// What each step does, as the facts say.
    does: Vec<EffectId>,
    scoping: Scoping,
    backend: BackendKind,
    limits: Limits,
    /// The valuations that facts mention, by how much they say.
    known: BTreeMap<usize, FxHashSet<ValuationId>>,
    /// What was answered since the predicates last changed.
    answers: FxHashMap<(EffectId, ValuationId), Vec<ValuationId>>,
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
        let mut fixpoint = Fixpoint::new(rules, options.backend, &system, &partition)?;
        fixpoint.set_deadline(options.limits.deadline);
        let mut valuations = Valuations::default();
        let first = valuations.intern(&[]);
        debug_assert_eq!(first, NOTHING_KNOWN);
        let scopes = Scopes::default();
        let mut effects = Effects::new(&system);
        let does = system.step_ids();
        let does = does
            .map(|step| effects.of(&system, &scopes, step))
            .collect();
        Ok(Exploration {
            system,
            partition,
            predicates: Predicates::default(),
            scopes,
            valuations,
            fixpoint,
            post: AbstractPost::new(backend, options),
            effects,
            does,
            scoping: options.scoping,
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
        let found = self.explore(round);
        // Also if there was no time to find all.
        round.abstract_states = self.fixpoint.reached().len();
        found
    }

    fn explore(&mut self, round: &mut Round) -> Result<Vec<Path>, GaveUp> {
        self.post.precompute(&mut self.system, &self.predicates)?;
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
                return Ok(found.into_iter().map(Path).collect());
            }
            for (effect, valuation) in questions {
                self.check_limits()?;
                self.answer(round, effect, valuation)?;
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
        effect: EffectId,
        from: ValuationId,
    ) -> Result<(), GaveUp> {
        let unanswered = self.unanswered_by_caches();
        let to = match self.answers.get(&(effect, from)) {
            Some(known) => known.clone(),
            None => {
                let cube = self.valuations.cube(from).to_vec();
                let (system, predicates) = (&mut self.system, &self.predicates);
                let Effect { action, forgotten } = self.effects.get(effect);
                let is_tracked = |id: &PredicateId| !forgotten.contains(id);
                let tracked: Vec<PredicateId> = predicates.ids().filter(is_tracked).collect();
                let cubes = self
                    .post
                    .successors(system, predicates, &tracked, *action, &cube)?;
                let interned = cubes.iter().map(|cube| self.valuations.intern(cube));
                let to: Vec<ValuationId> = interned.collect();
                self.answers.insert((effect, from), to.clone());
                to
            }
        };
        round.posts += 1;
        round.cached += u64::from(self.unanswered_by_caches() == unanswered);
        for &valuation in &to {
            self.compare(valuation);
        }
        self.fixpoint.answer(effect, from, &to);
        Ok(())
    }

    /// How many questions no cache had an answer for.
    fn unanswered_by_caches(&self) -> u64 {
        self.post.statistics().calls + self.post.decided()
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

    /// Tracks more predicates everywhere. What was answered says nothing of them.
    pub(crate) fn track(&mut self, terms: &[TermId]) -> Vec<PredicateId> {
        let known = self.predicates.len();
        for &term in terms {
            self.predicates.add(&mut self.system.terms, term);
        }
        self.forget_answers();
        self.answers.clear();
        self.predicates.ids().skip(known).collect()
    }

    /// Tracks more predicates, with which the path is impossible if all are tracked on the
    /// whole of it: everywhere, or where that is needed. Returns those whose scope is larger now.
    pub(crate) fn track_to_exclude(
        &mut self,
        path: &Path,
        terms: &[TermId],
    ) -> Result<Vec<PredicateId>, Reason> {
        let new = self.track(terms);
        if self.scoping == Scoping::Global {
            return Ok(Vec::new());
        }
        let (system, post) = (&mut self.system, &mut self.post);
        let extended = self
            .scopes
            .extend(system, post, &self.predicates, &new, path)?;
        for step in self.system.step_ids() {
            let old = self.does[step.index()];
            let new = self.effects.of(&self.system, &self.scopes, step);
            if old != new {
                self.fixpoint.change_effect(step, old, new);
                self.does[step.index()] = new;
            }
        }
        Ok(extended)
    }

    /// Whether the path, whatever its control, is impossible in this abstraction.
    pub(crate) fn excludes(&mut self, path: &Path) -> Result<bool, Reason> {
        let (system, post) = (&mut self.system, &mut self.post);
        let (effects, does) = (&self.effects, &self.does);
        excluded(system, post, &self.predicates, path, |steps| {
            let last = steps.checked_sub(1).map(|last| path.0[last]);
            let effect = last.map(|step| effects.get(does[step.index()]));
            let is_tracked =
                |id: &PredicateId| effect.is_none_or(|effect| !effect.forgotten.contains(id));
            self.predicates.ids().filter(is_tracked).collect()
        })
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
