//! Random small executions. About half come from an interleaving that was run, so their
//! links are consistent; in the others links are drawn freely and mostly contradict.

use crate::execution::{Access, Event, EventId, Execution};
use fastrand::Rng;

/// So many that every legal order can be enumerated.
pub const MOST_EVENTS: usize = 9;

/// An execution of at most `most` events, maybe of none.
pub fn random_execution(rng: &mut Rng, most: usize) -> Execution {
    let mut execution = Execution::default();
    let threads = rng.usize(2..5);
    let variables = rng.usize(1..4);
    for thread in 0..threads {
        let room = most.saturating_sub(execution.events.len());
        let count = rng.usize(1..5).min(room);
        add_thread(rng, &mut execution, thread, count, variables);
    }
    let schedule = random_schedule(rng, &execution);
    add_program_order(rng, &mut execution, &schedule);
    if rng.bool() {
        link_consistently(rng, &mut execution, &schedule);
    } else {
        link_freely(rng, &mut execution);
    }
    execution
}

fn add_thread(
    rng: &mut Rng,
    execution: &mut Execution,
    thread: usize,
    count: usize,
    variables: usize,
) {
    let start = execution.events.len();
    for _ in 0..count {
        execution.events.push(Event {
            thread,
            access: match rng.u8(0..5) {
                0 | 1 => Access::Read,
                2 | 3 => Access::Write,
                _ => Access::Update,
            },
            variable: rng.usize(..variables),
            executed: rng.u8(0..8) != 0,
            block: None,
        });
    }
    if count >= 2 && rng.u8(0..3) == 0 {
        let first = start + rng.usize(..count - 1);
        let last = rng.usize(first + 1..start + count);
        for event in &mut execution.events[first..=last] {
            event.block = Some(thread);
        }
    }
}

/// Some interleaving of the threads.
fn random_schedule(rng: &mut Rng, execution: &Execution) -> Vec<EventId> {
    let mut rest: Vec<Vec<EventId>> = Vec::new();
    for id in execution.ids() {
        let thread = execution.event(id).thread;
        rest.resize_with(rest.len().max(thread + 1), Vec::new);
        rest[thread].insert(0, id);
    }
    let mut schedule = Vec::new();
    while schedule.len() < execution.events.len() {
        let thread = rng.usize(..rest.len());
        schedule.extend(rest[thread].pop());
    }
    schedule
}

/// Orders between threads that the schedule respects, so they never contradict by
/// themselves.
fn add_program_order(rng: &mut Rng, execution: &mut Execution, schedule: &[EventId]) {
    if schedule.is_empty() {
        return;
    }
    for _ in 0..rng.usize(..3) {
        let first = rng.usize(..schedule.len());
        let second = rng.usize(..schedule.len());
        let (before, after) = (schedule[first.min(second)], schedule[first.max(second)]);
        if execution.event(before).thread != execution.event(after).thread {
            execution.po.push((before, after));
        }
    }
}

fn link_consistently(rng: &mut Rng, execution: &mut Execution, schedule: &[EventId]) {
    let mut last_write = [None; 8];
    for &id in schedule {
        let event = execution.event(id).clone();
        if !event.executed {
            continue;
        }
        if event.access.reads()
            && let Some(write) = last_write[event.variable]
            && rng.u8(0..10) < 8
        {
            execution.links.push((write, id));
        }
        if event.access.writes() {
            last_write[event.variable] = Some(id);
        }
    }
}

fn link_freely(rng: &mut Rng, execution: &mut Execution) {
    let reads: Vec<EventId> = execution
        .ids()
        .filter(|&id| execution.event(id).executed && execution.event(id).access.reads())
        .collect();
    for read in reads {
        let writes: Vec<EventId> = execution
            .ids()
            .filter(|&id| {
                let event = execution.event(id);
                id != read
                    && event.executed
                    && event.access.writes()
                    && event.variable == execution.event(read).variable
            })
            .collect();
        if !writes.is_empty() && rng.u8(0..10) < 8 {
            let write = writes[rng.usize(..writes.len())];
            execution.links.push((write, read));
        }
    }
}
