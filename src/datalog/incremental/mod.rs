//! The incremental back end: any rule set as a differential dataflow.
//!
//! Facts go in as changes, epoch by epoch, and only changes come out. A rule is a chain of
//! joins over arrangements that rules share; a recursive stratum is a loop whose rounds
//! repeat until nothing changes; an `order` relation is kept as chain clocks. What a rule set
//! becomes is decided once, in [`plan`]; [`dataflow`] turns the plan into operators; and
//! [`relations`] holds what has come out.
//!
//! One worker runs within the calling thread, which makes for the cheapest `settle`.
//! Several workers are threads, or threads of several processes: [`crew`].

mod closure;
mod cluster;
mod crew;
mod dataflow;
mod order_view;
mod plan;
mod relations;
mod running_maximum;
mod time;
mod tuple;

pub use cluster::{Cluster, ClusterError};

use crate::backend::{Backend, SettleError};
use crate::constants::Constants;
use crate::facts::{Change, ChangeKind, Facts};
use crate::value::{Row, Symbols, Value};
use crew::Crew;
use dataflow::Port;
use differential_dataflow::VecCollection;
use heddle_language::ruleset::{RelationId, RuleSet};
use plan::Program;
use relations::Relations;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tuple::Tuple;

/// How often a tuple comes or goes.
type Diff = isize;

/// A collection of pairs: a key and a value, or a tuple and nothing.
type Pairs<'scope, T> = VecCollection<'scope, T, (Tuple, Tuple), Diff>;

/// Keeps all relations of a rule set up to date while facts come and go.
pub struct Incremental {
    program: Arc<Program>,
    crew: Crew,
    relations: Relations,
    /// Whether a relation holds nothing but facts, by relation.
    given: Vec<bool>,
    started: bool,
}

impl Incremental {
    /// With one worker, within the calling thread.
    pub fn new(rules: Arc<RuleSet>, symbols: &mut Symbols) -> Self {
        Incremental::with_workers(rules, symbols, NonZeroUsize::MIN)
    }

    /// With so many workers, all but one of which are threads of their own.
    pub fn with_workers(rules: Arc<RuleSet>, symbols: &mut Symbols, workers: NonZeroUsize) -> Self {
        let program = compile(&rules, symbols);
        let crew = Crew::within_process(&program, workers);
        Incremental::over(rules, program, crew)
    }

    /// As process 0 of a cluster, which has the facts and gets all results.
    pub fn leading(rules: Arc<RuleSet>, symbols: &mut Symbols, cluster: Cluster) -> Self {
        let program = compile(&rules, symbols);
        let crew = Crew::leading(&program, cluster);
        Incremental::over(rules, program, crew)
    }

    fn over(rules: Arc<RuleSet>, program: Arc<Program>, crew: Crew) -> Self {
        let mut given = vec![false; rules.relations.len()];
        for plan in program.strata.iter().flat_map(|stratum| &stratum.relations) {
            given[plan.relation.index()] = plan.given;
        }
        Incremental {
            relations: Relations::new(rules),
            program,
            crew,
            given,
            started: false,
        }
    }

    /// Runs one epoch and takes in what came out.
    fn run(&mut self, updates: Vec<(Port, Tuple, Diff)>) -> Result<(), SettleError> {
        // Relations of facts alone do not come out again.
        let given = updates
            .iter()
            .filter(|(port, _, _)| self.given.get(port.index()) == Some(&true))
            .cloned()
            .collect::<Vec<_>>();
        let changes = self.crew.run(updates)?;
        self.relations.apply(given.into_iter().chain(changes));
        Ok(())
    }
}

fn compile(rules: &RuleSet, symbols: &mut Symbols) -> Arc<Program> {
    let constants = Constants::of(rules, symbols);
    Arc::new(Program::new(rules, &constants))
}

/// Works for process 0 of a cluster until that ends.
pub fn serve(rules: &RuleSet, symbols: &mut Symbols, cluster: Cluster) -> Result<(), ClusterError> {
    crew::serve(&compile(rules, symbols), cluster)
}

impl Backend for Incremental {
    fn settle(&mut self, _facts: &Facts, changes: &[Change]) -> Result<(), SettleError> {
        let mut updates: Vec<(Port, Tuple, Diff)> = changes
            .iter()
            .map(|change| {
                let diff = match change.kind {
                    ChangeKind::Insert => 1,
                    ChangeKind::Remove => -1,
                };
                (
                    Port::relation(change.relation),
                    Tuple::of_row(&change.row),
                    diff,
                )
            })
            .collect();
        let starts = !std::mem::replace(&mut self.started, true);
        if starts {
            updates.push((Port::unit(&self.program), Tuple::EMPTY, 1));
        }
        self.relations.begin();
        self.run(updates.clone())?;
        if let Err(error) = self.relations.check() {
            // An epoch that undoes this one.
            updates.iter_mut().for_each(|(_, _, diff)| *diff = -*diff);
            self.started = !starts;
            self.run(updates)?;
            self.relations.begin();
            return Err(error);
        }
        Ok(())
    }

    fn rows(&self, relation: RelationId) -> Vec<Row> {
        self.relations.rows(relation)
    }

    fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.relations.contains(relation, row)
    }

    fn violated_conflicts(&self) -> Option<Vec<usize>> {
        Some(self.relations.violated_conflicts())
    }

    fn knows_changes(&self) -> bool {
        true
    }

    fn changes(&mut self, relations: &[RelationId]) -> Vec<Change> {
        self.relations.changes(relations)
    }
}
