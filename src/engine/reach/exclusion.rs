//! Excludes spurious counterexamples from the abstraction: by predicates or by another partition.

use super::cegar::{Cegar, Search};
use super::exploration::Exploration;
use super::gave_up::GaveUp;
use super::names::{partition_names, path_names, point_name};
use super::new_predicates::{Infeasible, excluded, new_predicates};
use super::path::{DataFeasibility, Path, SymbolicExecution, whereabouts};
use super::predicates::PredicateId;
use super::scopes::Scoping;
use super::statistics::Refinement;
use heddle_interpret::replay;
use heddle_program::{Program, TermId};

/// Predicates that exclude a path.
struct Tracked {
    new: Vec<TermId>,
    /// Those that are tracked in more places.
    extended: Vec<PredicateId>,
}

impl Cegar<'_> {
    /// Excludes paths from the abstraction, unless one is real. A path whose data cannot go
    /// along it is excluded by data, also where control could; but as long as there are
    /// paths that only control can exclude, these come first, because another partition costs
    /// less than another predicate.
    pub(super) fn exclude(&mut self, paths: &[Path]) -> Result<Option<Search>, GaveUp> {
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
