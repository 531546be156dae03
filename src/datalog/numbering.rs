//! Numbers of things that are stored elsewhere, found by the hash of what they stand for.

use hashbrown::HashTable;

/// A hash table of numbers. It keeps a part of each hash, so that it grows without going
/// through what the numbers stand for, which lies anywhere in memory.
#[derive(Clone, Default)]
pub(crate) struct Numbering {
    table: HashTable<Slot>,
}

#[derive(Clone, Copy)]
struct Slot {
    hash: u32,
    number: u32,
}

impl Numbering {
    /// The number for which `is_it` says that it stands for what has this hash.
    pub(crate) fn find(&self, hash: u64, is_it: impl Fn(usize) -> bool) -> Option<usize> {
        let hash = fold(hash);
        let found = |slot: &Slot| slot.hash == hash && is_it(slot.number as usize);
        let slot = self.table.find(spread(hash), found)?;
        Some(slot.number as usize)
    }

    /// What has this hash must have no number yet.
    pub(crate) fn insert(&mut self, hash: u64, number: usize) {
        let number = u32::try_from(number).expect("fewer than 2^32 things are numbered");
        let hash = fold(hash);
        let slot = Slot { hash, number };
        self.table
            .insert_unique(spread(hash), slot, |slot| spread(slot.hash));
    }

    pub(crate) fn remove(&mut self, hash: u64, number: usize) {
        let is_it = |slot: &Slot| slot.number as usize == number;
        if let Ok(slot) = self.table.find_entry(spread(fold(hash)), is_it) {
            slot.remove();
        }
    }

    pub(crate) fn reserve(&mut self, additional: usize) {
        self.table.reserve(additional, |slot| spread(slot.hash));
    }
}

fn fold(hash: u64) -> u32 {
    (hash ^ hash >> 32) as u32
}

/// The table looks at the lowest and at the highest bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
