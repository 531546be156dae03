//! The entries of clocks.

use super::steps::{Step, Steps};
use super::{Closure, Column, Entry, Node};

#[derive(Default)]
pub(super) struct EntryState {
    pub(super) steps: Steps,
    pub(super) forgotten: bool,
    /// Whether it is to be computed afresh.
    pub(super) suspect: bool,
    /// Whether it is in [`Closure::touched`].
    pub(super) touched: bool,
    /// Whether it is to be passed on.
    pub(super) queued: bool,
}

impl Closure {
    pub(super) fn touch(&mut self, entry: Entry) {
        let state = self.entry_or_empty(entry);
        if !std::mem::replace(&mut state.touched, true) {
            self.touched.push(entry);
        }
    }

    pub(super) fn entry(&mut self, node: Node, column: Column) -> Option<&mut EntryState> {
        let clock = &mut self.nodes[node.0 as usize].clock;
        find(clock, column).ok().map(|place| &mut clock[place].1)
    }

    pub(super) fn entry_or_empty(&mut self, entry @ (node, column): Entry) -> &mut EntryState {
        let clock = &mut self.nodes[node.0 as usize].clock;
        let place = find(clock, column).unwrap_or_else(|place| {
            // Whoever looks at it finds out whether it has stayed empty.
            let touched = EntryState {
                touched: true,
                ..EntryState::default()
            };
            self.touched.push(entry);
            clock.insert(place, (column, touched));
            place
        });
        &mut clock[place].1
    }

    /// The entries that may have changed since the last call.
    pub(in super::super) fn take_touched(&mut self) -> Vec<Entry> {
        let touched = std::mem::take(&mut self.touched);
        for &(node, column) in &touched {
            if let Some(state) = self.entry(node, column) {
                state.touched = false;
            }
        }
        touched
    }

    pub(in super::super) fn steps(&self, (node, column): Entry) -> &[Step] {
        let clock = &self.nodes[node.0 as usize].clock;
        match find(clock, column) {
            Ok(place) => &clock[place].1.steps,
            Err(_) => &[],
        }
    }

    /// Drops an entry without steps.
    pub(in super::super) fn drop_empty(&mut self, (node, column): Entry) {
        let clock = &mut self.nodes[node.0 as usize].clock;
        if let Ok(place) = find(clock, column)
            && clock[place].1.steps.is_empty()
        {
            clock.remove(place);
        }
    }
}

/// Where a column is in a clock, or would be. Most events come after some event of every
/// chain, so that it is likely to be where its number says.
fn find(clock: &[(Column, EntryState)], column: Column) -> Result<usize, usize> {
    let most = clock.len().min(column.0 as usize);
    match clock.get(most) {
        Some(entry) if entry.0 == column => Ok(most),
        _ => clock[..most].binary_search_by_key(&column, |entry| entry.0),
    }
}
