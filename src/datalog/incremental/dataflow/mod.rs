//! The dataflow that a worker runs: a program's strata, one after the other, from facts to
//! the changes of all relations.

mod arrangement;
mod clocks;
mod emit;
mod render;
mod sources;
mod strata;

use super::Diff;
use super::plan::{Program, Source};
use super::running_maximum::running_maximum;
use super::time::Epoch;
use super::tuple::Tuple;
use differential_dataflow::AsCollection;
use differential_dataflow::input::{Input, InputSession};
use heddle_language::ruleset::RelationId;
use sources::OuterSources;
use std::cell::RefCell;
use std::rc::Rc;
use timely::dataflow::ProbeHandle;
use timely::dataflow::operators::vec::{Map, Partition};
use timely::dataflow::operators::{Concatenate, Exchange, Inspect, Probe};
use timely::worker::Worker;

/// Which set of tuples a change belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Port(pub(super) u32);

impl Port {
    pub(super) fn relation(relation: RelationId) -> Self {
        Port(relation.0)
    }

    pub(super) fn conflict(program: &Program, conflict: usize) -> Self {
        Port((program.arities.len() + conflict) as u32)
    }

    /// Where the one empty tuple goes in that rules without atoms start from.
    pub(super) fn unit(program: &Program) -> Self {
        Port(program.arities.len() as u32)
    }

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A change on its way into or out of the dataflow.
pub(super) type Update = ((u32, Tuple), Epoch, Diff);

/// The ends of a dataflow.
pub(super) struct Ends {
    pub(super) facts: InputSession<Epoch, (u32, Tuple), Diff>,
    pub(super) probe: ProbeHandle<Epoch>,
    /// The changes of all relations that rules derive, and of conflicts. An order's are
    /// those of its clocks: (event, kind, chain, index). All arrive at worker 0.
    pub(super) changes: Rc<RefCell<Vec<(Port, Tuple, Diff)>>>,
}

pub(super) fn build(worker: &mut Worker, program: &Program) -> Ends {
    worker.dataflow::<Epoch, _, _>(|scope| {
        let (facts, input) = scope.new_collection::<(u32, Tuple), Diff>();
        let ports = program.arities.len() as u64 + 1;
        let mut inputs: Vec<_> = input
            .inner
            .partition(ports, |((port, row), time, diff): Update| {
                (u64::from(port), ((row, Tuple::EMPTY), time, diff))
            })
            .into_iter()
            .map(|stream| stream.as_collection())
            .collect();
        let mut sources = OuterSources::new(scope, program.arities.clone());
        let unit = inputs.pop().expect("the last is the unit's");
        sources.insert(Source::Unit, unit);

        let mut outputs = Vec::new();
        for stratum in &program.strata {
            for (relation, pairs) in strata::render(&mut sources, stratum, &inputs) {
                outputs.push((Port::relation(relation), pairs));
            }
        }
        for (number, conflict) in &program.conflicts {
            let found = render::whole(&mut sources, conflict, None);
            let holds = running_maximum(found, "Conflict");
            outputs.push((Port::conflict(program, *number), holds));
        }

        let streams = outputs.into_iter().map(|(port, pairs)| {
            pairs.inner.map(move |((key, value), time, diff)| {
                ((port.0, render::joined(key, value)), time, diff)
            })
        });
        let changes = Rc::new(RefCell::new(Vec::new()));
        let collected = changes.clone();
        let (probe, _) = scope
            .concatenate(streams.collect::<Vec<_>>())
            .exchange(|_: &Update| 0)
            .inspect(move |((port, row), _, diff): &Update| {
                collected
                    .borrow_mut()
                    .push((Port(*port), row.clone(), *diff));
            })
            .probe();
        Ends {
            facts,
            probe,
            changes,
        }
    })
}
