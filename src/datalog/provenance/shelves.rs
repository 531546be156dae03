//! Many short lists of values, by key.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The lists are linked, so that a list of one value takes no memory of its own. Values come
/// out in the reverse order.
pub(super) struct Shelves<K, T> {
    latest: FxHashMap<K, u32>,
    values: Vec<(T, u32)>,
}

/// Ends a list.
const NONE: u32 = u32::MAX;

impl<K: Copy + Eq + Hash, T> Shelves<K, T> {
    pub(super) fn new() -> Self {
        Shelves {
            latest: FxHashMap::default(),
            values: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, key: K, value: T) {
        let number = self.values.len() as u32;
        let before = self.latest.insert(key, number).unwrap_or(NONE);
        self.values.push((value, before));
    }

    pub(super) fn get(&self, key: K) -> impl Iterator<Item = &T> {
        let mut next = self.latest.get(&key).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let (value, before) = self.values.get(next as usize)?;
            next = *before;
            Some(value)
        })
    }

    pub(super) fn clear(&mut self) {
        self.latest.clear();
        self.values.clear();
    }
}
