//! The workers of a dataflow: one within the calling thread, and any number of others, in
//! threads of this process and of other processes.
//!
//! The first worker of all feeds the facts in and gets all changes; the others only work.
//! They end when it closes its input.

use super::Diff;
use super::cluster::{Cluster, ClusterError, Connections, Health};
use super::dataflow::{self, Ends, Port};
use super::plan::Program;
use super::time::Epoch;
use super::tuple::Tuple;
use crate::backend::SettleError;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::thread::Thread;
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::worker::Worker;

/// How often a waiting worker looks whether the others are still there.
const PATROL: Duration = Duration::from_millis(50);

pub(super) struct Crew {
    /// `None` once it is being shut down.
    first: Option<First>,
    others: Others,
    epoch: Epoch,
}

struct First {
    worker: Worker,
    ends: Ends,
}

#[derive(Default)]
struct Others {
    threads: Vec<JoinHandle<()>>,
    /// The connections to other processes.
    connections: Option<Connections>,
    health: Arc<Health>,
}

impl Crew {
    pub(super) fn within_process(program: &Arc<Program>, workers: NonZeroUsize) -> Self {
        if workers == NonZeroUsize::MIN {
            let alone = Allocator::Thread(Thread::default());
            return Crew::new(alone, program, Others::default());
        }
        let hooks = Hooks::default();
        let mut builders =
            ProcessBuilder::new_typed_vector(workers.get(), hooks.refill, hooks.spill);
        let first = builders.remove(0);
        let health = Arc::new(Health::default());
        let threads = builders
            .into_iter()
            .map(|builder| {
                assist(program, &health, move || {
                    Allocator::Process(builder.build())
                })
            })
            .collect();
        let others = Others {
            threads,
            connections: None,
            health,
        };
        Crew::new(Allocator::Process(first.build()), program, others)
    }

    pub(super) fn leading(program: &Arc<Program>, cluster: Cluster) -> Self {
        let (first, others) = join_cluster(program, cluster);
        Crew::new(first, program, others)
    }

    fn new(allocator: Allocator, program: &Program, others: Others) -> Self {
        let mut worker = worker(allocator);
        let ends = dataflow::build(&mut worker, program);
        Crew {
            first: Some(First { worker, ends }),
            others,
            epoch: 0,
        }
    }

    /// Runs one epoch with the given changes of facts, and returns what changed.
    pub(super) fn run(
        &mut self,
        updates: Vec<(Port, Tuple, Diff)>,
    ) -> Result<Vec<(Port, Tuple, Diff)>, SettleError> {
        let Some(First { worker, ends }) = &mut self.first else {
            return Err(SettleError::Stopped("the workers have stopped".to_string()));
        };
        self.epoch += 1;
        for (port, row, diff) in updates {
            ends.facts.update((port.0, row), diff);
        }
        ends.facts.advance_to(self.epoch);
        ends.facts.flush();
        let alone = self.others.is_empty();
        while ends.probe.less_than(&self.epoch) {
            if alone {
                worker.step();
            } else {
                worker.step_or_park(Some(PATROL));
                if let Some(why) = self.others.trouble() {
                    // Nobody is left to shut down with.
                    std::mem::forget(self.first.take());
                    self.others.abandon();
                    return Err(SettleError::Stopped(why));
                }
            }
        }
        Ok(std::mem::take(&mut *ends.changes.borrow_mut()))
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        let Some(First { mut worker, ends }) = self.first.take() else {
            return;
        };
        drop(ends);
        if self.others.is_empty() {
            return;
        }
        if self.others.expect_an_answer() {
            std::mem::forget(worker);
            return self.others.abandon();
        }
        while worker.has_dataflows() {
            worker.step_or_park(Some(PATROL));
            if self.others.trouble().is_some() {
                std::mem::forget(worker);
                return self.others.abandon();
            }
        }
        drop(worker);
        self.others.finish();
    }
}

impl Others {
    fn is_empty(&self) -> bool {
        self.threads.is_empty() && self.connections.is_none()
    }

    /// Whether other processes would take an end for one in good order, which it is not.
    fn expect_an_answer(&self) -> bool {
        self.connections.is_some() && !self.health.done()
    }

    /// Why the work cannot go on, if it cannot.
    fn trouble(&self) -> Option<String> {
        if let Some(lost) = self.health.lost() {
            return Some(lost);
        }
        let panicked = self.health.panicked();
        panicked.then(|| "a worker thread stopped because of a bug".to_string())
    }

    fn finish(&mut self) {
        for thread in self.threads.drain(..) {
            // A panic has been reported where it happened.
            let _ = thread.join();
        }
        if self.health.lost().is_some() {
            self.abandon();
        }
        self.connections = None;
    }

    /// Does not wait for anyone.
    fn abandon(&mut self) {
        self.threads.clear();
        if let Some(connections) = self.connections.take() {
            connections.break_off();
        }
    }
}

/// A thread with a worker that works until the dataflow ends, or for as long as it makes
/// sense.
fn assist(
    program: &Arc<Program>,
    health: &Arc<Health>,
    allocator: impl FnOnce() -> Allocator + Send + 'static,
) -> JoinHandle<()> {
    let program = program.clone();
    let health = health.clone();
    thread::spawn(move || {
        let alarm = health.alarm();
        work(allocator(), &program, &health);
        alarm.disarm();
    })
}

/// A worker that sleeps while it waits for others: one without a clock would not.
fn worker(allocator: Allocator) -> Worker {
    Worker::new(WorkerConfig::default(), allocator, Some(Instant::now()))
}

fn work(allocator: Allocator, program: &Program, health: &Health) {
    let mut worker = worker(allocator);
    drop(dataflow::build(&mut worker, program));
    while worker.has_dataflows() {
        worker.step_or_park(Some(PATROL));
        if health.lost().is_some() || health.panicked() {
            return std::mem::forget(worker);
        }
    }
}

/// Connects the workers of this process; returns the allocator of the first.
fn join_cluster(program: &Arc<Program>, cluster: Cluster) -> (Allocator, Others) {
    let health = cluster.health();
    let (mut builders, connections) = cluster.into_builders();
    let first = builders.remove(0);
    let threads = builders
        .into_iter()
        .map(|builder| assist(program, &health, move || Allocator::Tcp(builder.build())))
        .collect();
    let others = Others {
        threads,
        connections: Some(connections),
        health,
    };
    (Allocator::Tcp(first.build()), others)
}

/// Works for the first process of a cluster until that ends.
pub(super) fn serve(program: &Arc<Program>, cluster: Cluster) -> Result<(), ClusterError> {
    let (first, mut others) = join_cluster(program, cluster);
    let health = others.health.clone();
    work(first, program, &health);
    let trouble = others.trouble();
    others.finish();
    match trouble {
        Some(why) => Err(ClusterError::Lost(why)),
        None => Ok(()),
    }
}
