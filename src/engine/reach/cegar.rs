//! Counterexample-guided abstraction refinement: the loop of the `predicate` and `control`
//! engines (NonMonCEGAR, Fig. 3 of "Non-Monotonic Refinement of Control Abstraction for
//! Concurrent Programs").
//!
//! Abstract reachability finds a path to an error. If its data cannot go along it, new
//! predicates exclude it; if only its control does not fit together, another partition of
//! the control locations does; otherwise it is a counterexample, and is replayed. If no error
//! is reached, what is reached is an invariant, and somebody else checks it.

use super::exploration::Exploration;
use super::gave_up::GaveUp;
use super::graph::graph;
use super::invariant::{Certificate, certificate};
use super::linear_combination::Factors;
use super::partition::Partition;
use super::path::{Feasibility, Path};
use super::statistics::{Round, Statistics};
use super::system::{StepId, System};
use super::{Options, Outcome, Progress};
use heddle_interpret::Trace;
use heddle_program::{Program, Scalar, Sort, Statement, Terms, Value, VarId, Verdict};
use heddle_solver::Backend;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Instant;

/// How control abstraction is refined, if it is abstracted at all.
pub(crate) trait ControlRefinement {
    /// Paths that are spurious for fewer reasons, if there are any. What excludes all of them
    /// excludes the given one. Data can go along each.
    fn strengthen(
        &mut self,
        system: &mut System,
        feasibility: &mut Feasibility,
        path: &Path,
    ) -> Result<Vec<Path>, GaveUp>;

    /// Another partition that excludes the paths, whose control does not fit together, and
    /// all paths before them; and the constraints that they add, for people.
    fn refine(
        &mut self,
        program: &Program,
        system: &System,
        partition: &Partition,
        paths: &[Path],
    ) -> Result<(Partition, Vec<String>), GaveUp>;

    /// States of the program that it came across.
    fn witnesses(&mut self) -> Vec<FxHashMap<VarId, Value>>;

    /// How many paths of one round it makes use of.
    fn paths_a_round(&self) -> usize;
}

/// Follows the loop to its end.
pub(crate) fn check(
    program: &Program,
    options: &Options,
    partition: impl FnOnce(&System) -> Partition,
    control: Option<Box<dyn ControlRefinement>>,
    progress: &mut dyn Progress,
) -> Outcome {
    let mut cegar = match Cegar::new(program, options, partition, control, progress) {
        Ok(cegar) => cegar,
        Err(GaveUp(reason)) => return not_begun(reason),
    };
    let result = cegar.run();
    cegar.outcome(result)
}

fn not_begun(reason: String) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(reason),
        trace: None,
        certificate: None,
        statistics: Statistics::default(),
        predicates: Vec::new(),
        terms: Terms::default(),
        graph: None,
    }
}

fn mentions_integers(sort: Sort) -> bool {
    match sort {
        Sort::Int => true,
        Sort::Array(array) => array.element == Scalar::Int || array.index == Scalar::Int,
        Sort::Bool | Sort::BitVec(_) => false,
    }
}

pub(super) struct Cegar<'a> {
    pub(super) program: &'a Program,
    pub(super) options: &'a Options,
    pub(super) exploration: Exploration,
    pub(super) control: Option<Box<dyn ControlRefinement>>,
    pub(super) feasibility: Feasibility,
    pub(super) factors: Factors,
    /// All spurious counterexamples so far: none may come back (Theorem 1).
    pub(super) spurious: FxHashSet<Path>,
    statistics: Statistics,
    progress: &'a mut dyn Progress,
}

/// How the search for a goal ends.
pub(super) enum Search {
    Unreachable,
    Violation(Trace),
    /// The front end followed this execution up to here only.
    Bound(StepId),
}

enum Answer {
    Safe(Certificate),
    SafeUpToBound(StepId, Certificate),
    Unsafe(Trace),
}

impl<'a> Cegar<'a> {
    fn new(
        program: &'a Program,
        options: &'a Options,
        partition: impl FnOnce(&System) -> Partition,
        control: Option<Box<dyn ControlRefinement>>,
        progress: &'a mut dyn Progress,
    ) -> Result<Self, GaveUp> {
        let system = System::new(program)?;
        let partition = partition(&system);
        let backend = match program.variables.iter().any(|v| mentions_integers(v.sort)) {
            true => Backend::Z3,
            false => Backend::BitBlast,
        };
        let mut exploration = Exploration::new(system, partition, backend, options)?;
        exploration.track(&options.predicates);
        Ok(Cegar {
            program,
            options,
            exploration,
            control,
            feasibility: Feasibility::new(backend, options.limits.clone()),
            factors: Factors::new(options.limits.clone()),
            spurious: FxHashSet::default(),
            statistics: Statistics::default(),
            progress,
        })
    }

    fn run(&mut self) -> Result<Answer, GaveUp> {
        let system = &self.exploration.system;
        let goals = |is_goal: fn(&super::system::Step) -> bool| -> Vec<StepId> {
            let steps = system.step_ids();
            steps.filter(|&step| is_goal(system.step(step))).collect()
        };
        let (errors, bounds) = (goals(|step| step.is_error()), goals(|step| step.is_bound()));
        match self.search(&errors)? {
            Search::Violation(trace) => return Ok(Answer::Unsafe(trace)),
            Search::Unreachable => {}
            Search::Bound(_) => unreachable!("internal error: bounds are not looked for yet"),
        }
        let certificate = self.certificate()?;
        if certificate.accepted.up_to.is_none() {
            return Ok(Answer::Safe(certificate));
        }
        let first = *bounds.first().expect("a bound that is reached is a step");
        // No error is reached; is everything followed to its end, too?
        match self.search(&bounds) {
            Ok(Search::Violation(trace)) => Ok(Answer::Unsafe(trace)),
            Ok(Search::Unreachable) => {
                let complete = self.certificate()?;
                Ok(match complete.accepted.up_to {
                    None => Answer::Safe(complete),
                    Some(_) => Answer::SafeUpToBound(first, complete),
                })
            }
            Ok(Search::Bound(bound)) => Ok(Answer::SafeUpToBound(bound, certificate)),
            // What was proved up to the bound still holds.
            Err(_) => Ok(Answer::SafeUpToBound(first, certificate)),
        }
    }

    /// Refines until none of the goals is reached, or one really is.
    fn search(&mut self, goals: &[StepId]) -> Result<Search, GaveUp> {
        for &goal in goals {
            self.exploration.fixpoint.add_goal(goal);
        }
        loop {
            let mut round = Round::default();
            let number = self.statistics.rounds.len() + 1;
            let classes = self.exploration.partition.size(&self.exploration.system);
            self.progress
                .round(number, classes, self.exploration.predicates.len());
            let started = Instant::now();
            let paths = self.exploration.find_counterexamples(&mut round);
            self.statistics.reachability_time += started.elapsed();
            self.statistics.rounds.push(round);
            let paths = paths?;
            if paths.is_empty() {
                return Ok(Search::Unreachable);
            }
            let started = Instant::now();
            let real = self.exclude(&paths);
            self.statistics.refinement_time += started.elapsed();
            if let Some(found) = real? {
                return Ok(found);
            }
        }
    }

    pub(super) fn round(&mut self) -> &mut Round {
        self.statistics
            .rounds
            .last_mut()
            .expect("a round has begun")
    }

    /// What is reached, after an independent checker agreed that it is an invariant which
    /// excludes all errors.
    fn certificate(&mut self) -> Result<Certificate, GaveUp> {
        let started = Instant::now();
        let limits = self.options.limits.clone();
        let result = certificate(self.program, &mut self.exploration, limits);
        self.statistics.certificate_time += started.elapsed();
        if let Ok(certificate) = &result {
            self.statistics.cells = certificate.cells;
            self.statistics.certificate_questions += certificate.accepted.questions;
        }
        result
    }

    fn outcome(mut self, result: Result<Answer, GaveUp>) -> Outcome {
        self.fill_statistics();
        let (verdict, trace, certificate) = match result {
            Err(GaveUp(reason)) => (Verdict::Unknown(reason), None, None),
            Ok(Answer::Unsafe(trace)) => (Verdict::Unsafe, Some(trace), None),
            Ok(Answer::Safe(certificate)) => (Verdict::Safe, None, Some(certificate)),
            Ok(Answer::SafeUpToBound(step, certificate)) => {
                (self.up_to_bound(step), None, Some(certificate))
            }
        };
        let graph = self
            .options
            .graph
            .then(|| graph(self.program, &self.exploration));
        let Exploration {
            system, predicates, ..
        } = self.exploration;
        Outcome {
            verdict,
            trace,
            certificate,
            statistics: self.statistics,
            predicates: predicates.ids().map(|id| predicates.get(id).term).collect(),
            terms: system.terms,
            graph,
        }
    }

    fn up_to_bound(&self, step: StepId) -> Verdict {
        let edge = self.exploration.system.step(step).edge();
        let statement = edge.map(|edge| &self.program.edge(edge).statement);
        match (self.program.bound, statement) {
            (Some(bound), _) => Verdict::SafeUpTo(bound),
            (None, Some(Statement::BoundReached(reason))) => Verdict::Unknown(reason.clone()),
            (None, _) => unreachable!("internal error: only a bound is noted as one"),
        }
    }

    fn fill_statistics(&mut self) {
        let exploration = &self.exploration;
        let (system, partition) = (&exploration.system, &exploration.partition);
        let counters = system.component_ids();
        let counters = counters.filter(|&id| system.component(id).is_counter);
        let classes = counters.map(|id| partition.classes_of(system, id).len());
        self.statistics.thread_classes = classes.sum();
        self.statistics.classes = partition.size(system);
        self.statistics.locations = self.program.locations.len();
        let terms = &system.terms;
        let predicates = &exploration.predicates;
        let shown = predicates
            .ids()
            .map(|id| terms.to_smtlib(predicates.get(id).term));
        self.statistics.predicates = shown.collect();
        self.statistics.abstract_states = exploration.fixpoint.reached().len();
        self.statistics.covered = exploration.fixpoint.covered().len();
        self.statistics.solver_calls = exploration.post.statistics().calls;
        self.statistics.decided = exploration.post.decided();
        self.statistics.witnessed = exploration.post.witnessed();
        self.statistics.fixpoint_time = exploration.fixpoint_time;
    }
}
