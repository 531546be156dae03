//! The smallest execution that still shows what a larger one does.

use crate::execution::{Access, EventId, Execution};

/// Takes away events, links, halves of updates, orders and blocks one at a time, as long as `still_shows`
/// holds. The result is minimal: taking away any one thing more would lose it. Threads and
/// variables that are left without events are not counted.
pub fn minimise(execution: &Execution, still_shows: impl Fn(&Execution) -> bool) -> Execution {
    let mut smallest = execution.clone();
    while let Some(smaller) = simpler(&smallest).into_iter().find(&still_shows) {
        smallest = smaller;
    }
    let renumbered = renumbered(&smallest);
    if still_shows(&renumbered) {
        return renumbered;
    }
    smallest
}

/// With threads and variables numbered as they first occur.
fn renumbered(execution: &Execution) -> Execution {
    let mut renumbered = execution.clone();
    let (mut threads, mut variables) = (Vec::new(), Vec::new());
    for event in &mut renumbered.events {
        event.thread = position(&mut threads, event.thread);
        event.variable = position(&mut variables, event.variable);
    }
    renumbered
}

fn position(known: &mut Vec<usize>, number: usize) -> usize {
    known
        .iter()
        .position(|&other| other == number)
        .unwrap_or_else(|| {
            known.push(number);
            known.len() - 1
        })
}

/// All executions that are simpler by one thing, the largest things first.
fn simpler(execution: &Execution) -> Vec<Execution> {
    let without_event = execution.ids().map(|id| without(execution, id));
    let without_link = (0..execution.links.len()).map(|index| {
        let mut simpler = execution.clone();
        simpler.links.remove(index);
        simpler
    });
    let without_po = (0..execution.po.len()).map(|index| {
        let mut simpler = execution.clone();
        simpler.po.remove(index);
        simpler
    });
    let outside_block = execution
        .ids()
        .filter(|&id| execution.event(id).block.is_some())
        .filter(|&id| at_block_edge(execution, id))
        .map(|id| {
            let mut simpler = execution.clone();
            simpler.events[id.0].block = None;
            simpler
        });
    let executed = execution
        .ids()
        .filter(|&id| !execution.event(id).executed)
        .map(|id| {
            let mut simpler = execution.clone();
            simpler.events[id.0].executed = true;
            simpler
        });
    without_event
        .chain(without_link)
        .chain(half_of_an_update(execution))
        .chain(without_po)
        .chain(outside_block)
        .chain(executed)
        .collect()
}

/// With one update that only reads or only writes, where no link needs the other half.
fn half_of_an_update(execution: &Execution) -> impl Iterator<Item = Execution> {
    let halves = execution.ids().flat_map(|id| {
        let read = execution.links.iter().all(|&(write, _)| write != id);
        let write = execution.source_of(id).is_none();
        [(id, Access::Read, read), (id, Access::Write, write)]
    });
    halves
        .filter(|&(id, _, spared)| spared && execution.event(id).access == Access::Update)
        .map(|(id, half, _)| {
            let mut simpler = execution.clone();
            simpler.events[id.0].access = half;
            simpler
        })
}

fn without(execution: &Execution, gone: EventId) -> Execution {
    let renumber = |id: EventId| match id.0.cmp(&gone.0) {
        std::cmp::Ordering::Less => Some(id),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(EventId(id.0 - 1)),
    };
    let renumber_pairs = |pairs: &[(EventId, EventId)]| {
        let left = pairs
            .iter()
            .filter_map(|&(a, b)| Some((renumber(a)?, renumber(b)?)));
        left.collect()
    };
    let mut events = execution.events.clone();
    events.remove(gone.0);
    Execution {
        events,
        po: renumber_pairs(&execution.po),
        links: renumber_pairs(&execution.links),
    }
}

/// A block stays in one piece if only its first or last event leaves it.
fn at_block_edge(execution: &Execution, id: EventId) -> bool {
    let block = execution.event(id).block;
    let neighbour_outside = |other: Option<usize>| {
        other
            .and_then(|index| execution.events.get(index))
            .is_none_or(|event| event.block != block)
    };
    neighbour_outside(id.0.checked_sub(1)) || neighbour_outside(Some(id.0 + 1))
}
