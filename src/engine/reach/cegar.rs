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
use super::names::{partition_names, path_names, point_name};
use super::new_predicates::{Infeasible, excluded, new_predicates};
use super::partition::Partition;
use super::path::{DataFeasibility, Feasibility, Path, SymbolicExecution, whereabouts};
use super::predicates::PredicateId;
use super::scopes::Scoping;
use super::statistics::{Refinement, Round, Statistics};
use super::system::{StepId, System};
use super::{Options, Outcome, Progress};
use heddle_interpret::{Trace, replay};
use heddle_program::{Program, Scalar, Sort, Statement, TermId, Terms, Value, VarId, Verdict};
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

struct Cegar<'a> {
    program: &'a Program,
    options: &'a Options,
    exploration: Exploration,
    control: Option<Box<dyn ControlRefinement>>,
    feasibility: Feasibility,
    factors: Factors,
    /// All spurious counterexamples so far: none may come back (Theorem 1).
    spurious: FxHashSet<Path>,
    statistics: Statistics,
    progress: &'a mut dyn Progress,
}

/// How the search for a goal ends.
enum Search {
    Unreachable,
    Violation(Trace),
    /// The front end followed this execution up to here only.
    Bound(StepId),
}

/// Predicates that exclude a path.
struct Tracked {
    new: Vec<TermId>,
    /// Those that are tracked in more places.
    extended: Vec<PredicateId>,
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

    fn round(&mut self) -> &mut Round {
        self.statistics
            .rounds
            .last_mut()
            .expect("a round has begun")
    }

    /// Excludes paths from the abstraction, unless one is real. A path whose data cannot go
    /// along it is excluded by data, also where control could; but as long as there are
    /// paths that only control can exclude, these come first, because another partition costs
    /// less than another predicate.
    fn exclude(&mut self, paths: &[Path]) -> Result<Option<Search>, GaveUp> {
        if paths.iter().any(|path| self.spurious.contains(path)) {
            return Err(GaveUp(
                "a spurious counterexample came back, which is a bug of this engine".into(),
            ));
        }
        let enough = match &self.control {
            Some(control) => control.paths_a_round(),
            None => 1,
        };
        let mut by_data = Vec::new();
        let mut by_control: Vec<Path> = Vec::new();
        for path in paths {
            let execution = self.feasibility.execute(&mut self.exploration.system, path);
            match self
                .feasibility
                .check(&self.exploration.system, &execution)?
            {
                DataFeasibility::Infeasible(core) => {
                    if by_data.len() < enough {
                        by_data.push(Infeasible {
                            path,
                            core,
                            execution,
                        });
                    }
                    continue;
                }
                DataFeasibility::Feasible => {}
            }
            if self.control_fits(path) {
                return self.real(path, &execution).map(Some);
            }
            let control = self.control.as_mut().ok_or_else(no_edge)?;
            let system = &mut self.exploration.system;
            let stronger = control.strengthen(system, &mut self.feasibility, path)?;
            for path in stronger {
                if self.control_fits(&path) {
                    let system = &mut self.exploration.system;
                    let execution = self.feasibility.execute(system, &path);
                    return self.real(&path, &execution).map(Some);
                }
                if !by_control.contains(&path) {
                    by_control.push(path);
                }
            }
            self.spurious.insert(path.clone());
            if by_control.len() >= enough {
                break;
            }
        }
        if let Some(path) = by_control.first() {
            self.note_counterexample(path);
            self.refine_control(&by_control)?;
            self.spurious.extend(by_control);
        } else {
            self.exclude_by_data(&by_data)?;
        }
        Ok(None)
    }

    /// Excludes the first path by predicates, and others as far as there are any for them.
    fn exclude_by_data(&mut self, paths: &[Infeasible<'_>]) -> Result<(), GaveUp> {
        let Some(first) = paths.first() else {
            return Ok(());
        };
        let mut all = self.refine_data(first)?.ok_or_else(no_predicates)?;
        self.spurious.insert(first.path.clone());
        for other in &paths[1..] {
            if !self.exploration.excludes(other.path)? {
                let Some(more) = self.refine_data(other)? else {
                    continue;
                };
                all.new.extend(more.new);
                all.extended.extend(more.extended);
            }
            self.spurious.insert(other.path.clone());
        }
        self.note_counterexample(first.path);
        let (program, exploration) = (self.program, &self.exploration);
        let terms = &exploration.system.terms;
        let shown = all.new.iter().map(|&term| terms.to_smtlib(term));
        let refinement = Refinement::Data {
            new_predicates: shown.collect(),
            scopes: scope_names(program, exploration, &all.extended),
        };
        self.round().refinement = Some(refinement);
        Ok(())
    }

    fn note_counterexample(&mut self, path: &Path) {
        let names = path_names(self.program, &self.exploration.system, path);
        let steps = path.0.iter().map(|step| step.0).collect();
        let round = self.round();
        round.counterexample = names;
        round.counterexample_steps = steps;
    }

    fn control_fits(&self, path: &Path) -> bool {
        let system = &self.exploration.system;
        let places = whereabouts(system, path);
        path.0.iter().zip(&places).all(|(&step, now)| {
            let mut requires = system.step(step).requires.iter();
            requires.all(|(component, points)| points.contains(&now[component.index()]))
        })
    }

    /// Tracks predicates that exclude the path, new ones or in more places. `None` if there are
    /// none.
    fn refine_data(&mut self, infeasible: &Infeasible<'_>) -> Result<Option<Tracked>, GaveUp> {
        let mut new = Vec::new();
        if !self.larger_scopes_exclude(infeasible.path)? {
            let exploration = &mut self.exploration;
            new = new_predicates(
                &mut exploration.system,
                &mut exploration.post,
                &exploration.predicates,
                infeasible,
                &self.options.sources,
                &mut self.factors,
            )?;
            if new.is_empty() {
                return Ok(None);
            }
        }
        let exploration = &mut self.exploration;
        let extended = exploration.track_to_exclude(infeasible.path, &new)?;
        debug_assert_eq!(exploration.excludes(infeasible.path), Ok(true));
        Ok(Some(Tracked { new, extended }))
    }

    /// Whether no new predicate is needed to exclude the path, if those that are known are
    /// tracked in more places.
    fn larger_scopes_exclude(&mut self, path: &Path) -> Result<bool, GaveUp> {
        if self.options.scoping == Scoping::Global {
            return Ok(false);
        }
        let exploration = &mut self.exploration;
        let (system, post) = (&mut exploration.system, &mut exploration.post);
        let predicates = &exploration.predicates;
        let everywhere = |_| predicates.ids().collect();
        Ok(excluded(system, post, predicates, path, everywhere)?)
    }

    fn refine_control(&mut self, paths: &[Path]) -> Result<(), GaveUp> {
        let control = self.control.as_mut().ok_or_else(no_edge)?;
        let (program, exploration) = (self.program, &mut self.exploration);
        let system = &exploration.system;
        let old = &exploration.partition;
        let (new, constraints) = control.refine(program, system, old, paths)?;
        let points = system.point_ids();
        let moved = points.filter(|&point| old.class(point) != new.class(point));
        let refinement = Refinement::Control {
            constraints,
            partition: partition_names(program, system, &new),
            moved: moved
                .map(|point| point_name(program, system, point))
                .collect(),
        };
        exploration.repartition(new);
        exploration.post.add_witnesses(control.witnesses());
        self.round().refinement = Some(refinement);
        Ok(())
    }

    /// A path with data and control: replayed before anybody is told.
    fn real(&mut self, path: &Path, execution: &SymbolicExecution) -> Result<Search, GaveUp> {
        let system = &self.exploration.system;
        let last = *path.0.last().expect("a path to a goal has a step");
        if system.step(last).is_bound() {
            return Ok(Search::Bound(last));
        }
        let trace = self
            .feasibility
            .trace(self.program, system, path, execution)?;
        match replay(self.program, &trace) {
            Ok(_) => Ok(Search::Violation(trace)),
            Err(error) => Err(GaveUp(format!(
                "a counterexample could not be replayed: {}",
                error.describe(self.program, &trace)
            ))),
        }
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
        self.statistics.witnessed = exploration.post.witnessed();
        self.statistics.fixpoint_time = exploration.fixpoint_time;
    }
}

/// What the predicates say, and where they are tracked.
fn scope_names(
    program: &Program,
    exploration: &Exploration,
    predicates: &[PredicateId],
) -> Vec<(String, Vec<String>)> {
    let Exploration {
        system,
        scopes,
        predicates: all,
        ..
    } = exploration;
    let scoped = predicates
        .iter()
        .filter_map(|&id| Some((id, scopes.get(id)?)));
    let named = scoped.map(|(id, scope)| {
        let points = scope.points.iter();
        let points = points.map(|&point| point_name(program, system, point));
        (system.terms.to_smtlib(all.get(id).term), points.collect())
    });
    named.collect()
}

fn no_predicates() -> GaveUp {
    GaveUp("no predicates were found that exclude a spurious counterexample".into())
}

fn no_edge() -> GaveUp {
    GaveUp("a path goes from place to place without an edge, which is a bug of this engine".into())
}
