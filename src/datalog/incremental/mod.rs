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

pub use cluster::{Cluster, ClusterError, Completion};

use crate::backend::{Backend, SettleError};
use crate::constants::{Constants, Start};
use crate::facts::{Change, ChangeKind, Facts};
use crate::value::{Row, Symbols, Value};
use crew::Crew;
use dataflow::Port;
use differential_dataflow::VecCollection;
use heddle_language::ruleset::{RelationId, RuleSet};
use plan::{Awake, Program};
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
    rules: Arc<RuleSet>,
    constants: Constants,
    /// Rules that are not awake have no operators.
    awake: Awake,
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
        // Only a worker that is alone can be replaced by one that knows more rules.
        let awake = match workers {
            NonZeroUsize::MIN => Awake::by_facts(&rules, |_| false),
            _ => Awake::all(&rules),
        };
        let constants = Constants::of(&rules, symbols);
        Incremental::over(rules, constants, awake, |program| {
            Crew::within_process(program, workers)
        })
    }

    /// As process 0 of a cluster, which has the facts and gets all results. The other processes
    /// end in error if this is dropped before the cluster's [`Completion`] is done.
    pub fn leading(rules: Arc<RuleSet>, symbols: &mut Symbols, cluster: Cluster) -> Self {
        let awake = Awake::all(&rules);
        let constants = Constants::of(&rules, symbols);
        Incremental::over(rules, constants, awake, |program| {
            Crew::leading(program, cluster)
        })
    }

    fn over(
        rules: Arc<RuleSet>,
        constants: Constants,
        awake: Awake,
        crew: impl FnOnce(&Arc<Program>) -> Crew,
    ) -> Self {
        let program = Arc::new(Program::new(&rules, &constants, &awake));
        Incremental {
            relations: Relations::new(rules.clone()),
            crew: crew(&program),
            given: given(&program),
            rules,
            constants,
            awake,
            program,
            started: false,
        }
    }

    /// Goes on with a dataflow that has operators for all rules that can find something; a second
    /// time, for all rules, so that this ends.
    fn wake(&mut self, facts: &Facts, changes: &[Change]) -> Result<(), SettleError> {
        self.awake = match self.started {
            false => Awake::by_facts(&self.rules, |relation| facts.len(relation) > 0),
            true => Awake::all(&self.rules),
        };
        self.program = Arc::new(Program::new(&self.rules, &self.constants, &self.awake));
        self.given = given(&self.program);
        self.crew = Crew::within_process(&self.program, NonZeroUsize::MIN);
        if self.started {
            let all = self.rules.relation_ids().flat_map(|relation| {
                let port = Port::relation(relation);
                let rows = facts.rows(relation);
                rows.map(move |row| (port, Tuple::of_row(row), 1))
            });
            let mut before: Vec<(Port, Tuple, Diff)> = all.collect();
            before.extend(updates(changes).map(|(port, row, diff)| (port, row, -diff)));
            before.push((Port::unit(&self.program), Tuple::EMPTY, 1));
            // What follows from the facts before these changes is known.
            self.crew.run(before)?;
        }
        Ok(())
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

/// Which relations hold nothing but facts, by relation.
fn given(program: &Program) -> Vec<bool> {
    let mut given = vec![false; program.arities.len()];
    for plan in program.strata.iter().flat_map(|stratum| &stratum.relations) {
        given[plan.relation.index()] = plan.given;
    }
    given
}

fn updates(changes: &[Change]) -> impl Iterator<Item = (Port, Tuple, Diff)> {
    changes.iter().map(|change| {
        let diff = match change.kind {
            ChangeKind::Insert => 1,
            ChangeKind::Remove => -1,
        };
        let port = Port::relation(change.relation);
        (port, Tuple::of_row(&change.row), diff)
    })
}

/// Works for process 0 of a cluster until that ends.
pub fn serve(rules: &RuleSet, cluster: Cluster) -> Result<(), ClusterError> {
    let Start { constants, .. } = Start::of(rules);
    let program = Program::new(rules, &constants, &Awake::all(rules));
    crew::serve(&Arc::new(program), cluster)
}

impl Backend for Incremental {
    fn settle(&mut self, facts: &Facts, changes: &[Change]) -> Result<(), SettleError> {
        let sleeping = |change: &Change| !self.awake.contains(change.relation);
        if changes.iter().any(sleeping) {
            self.wake(facts, changes)?;
        }
        let mut updates: Vec<(Port, Tuple, Diff)> = updates(changes).collect();
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
