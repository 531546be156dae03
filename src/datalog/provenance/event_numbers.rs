//! The numbers of events by their values.

use super::orders::EventId;
use crate::value::Value;
use rustc_hash::FxHashMap;

/// Symbols are numbered from 0 on, so most values are good positions in a vector.
#[derive(Default)]
pub(super) struct EventNumbers {
    dense: Vec<Option<EventId>>,
    others: FxHashMap<Value, EventId>,
}

/// Larger values are not used as positions.
const DENSE: i64 = 1 << 20;

impl EventNumbers {
    pub(super) fn get(&self, value: Value) -> Option<EventId> {
        match dense(value) {
            Some(position) => self.dense.get(position).copied().flatten(),
            None => self.others.get(&value).copied(),
        }
    }

    pub(super) fn insert(&mut self, value: Value, event: EventId) {
        match dense(value) {
            Some(position) => {
                if position >= self.dense.len() {
                    self.dense.resize(position + 1, None);
                }
                self.dense[position] = Some(event);
            }
            None => _ = self.others.insert(value, event),
        }
    }

    pub(super) fn remove(&mut self, value: Value) {
        match dense(value) {
            Some(position) => self.dense[position] = None,
            None => _ = self.others.remove(&value),
        }
    }
}

fn dense(value: Value) -> Option<usize> {
    (0..DENSE).contains(&value.0).then_some(value.0 as usize)
}
