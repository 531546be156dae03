//! A relation that an `ascent` program only reads.
//!
//! `ascent` keeps each index as a hash table with a vector for each key, and fills all of
//! them before it starts. For relations that do not grow, this provider (`#[ds(…)]`) makes
//! an index when it is first used, in two vectors and one hash table. Most full indexes,
//! which only tell whether a tuple is there, are never made.

use ascent::internal::{RelIndexRead, RelIndexReadAll, RelIndexWrite, ToRelIndex};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::hash::Hash;
use std::slice;

/// An index: the values of each key.
pub struct Index<K, V> {
    rows: Vec<(K, V)>,
    groups: OnceCell<Groups<K, V>>,
}

impl<K, V> Default for Index<K, V> {
    fn default() -> Self {
        Index {
            rows: Vec::new(),
            groups: OnceCell::new(),
        }
    }
}

/// The rows, those of one key together.
struct Groups<K, V> {
    numbers: FxHashMap<K, u32>,
    /// Where each group starts, and where the last one ends.
    starts: Vec<u32>,
    values: Vec<V>,
}

impl<K: Eq + Hash + Clone, V: Clone> Groups<K, V> {
    fn new(rows: &[(K, V)]) -> Self {
        let mut numbers: FxHashMap<K, u32> = FxHashMap::default();
        let mut sizes: Vec<u32> = Vec::new();
        let group_of: Vec<u32> = rows
            .iter()
            .map(|(key, _)| {
                let number = *numbers.entry(key.clone()).or_insert(sizes.len() as u32);
                match sizes.get_mut(number as usize) {
                    Some(size) => *size += 1,
                    None => sizes.push(1),
                }
                number
            })
            .collect();
        let mut starts = Vec::with_capacity(sizes.len() + 1);
        let mut start = 0;
        for size in sizes {
            starts.push(start);
            start += size;
        }
        let mut next = starts.clone();
        starts.push(start);
        let mut position = vec![0; rows.len()];
        for (row, &number) in (0..).zip(&group_of) {
            let place = &mut next[number as usize];
            position[*place as usize] = row;
            *place += 1;
        }
        Groups {
            numbers,
            starts,
            values: position
                .into_iter()
                .map(|row: u32| rows[row as usize].1.clone())
                .collect(),
        }
    }

    fn values(&self, number: u32) -> slice::Iter<'_, V> {
        let (start, end) = (
            self.starts[number as usize],
            self.starts[number as usize + 1],
        );
        self.values[start as usize..end as usize].iter()
    }
}

impl<K: Eq + Hash + Clone, V: Clone> Index<K, V> {
    fn groups(&self) -> &Groups<K, V> {
        self.groups.get_or_init(|| Groups::new(&self.rows))
    }
}

impl<K, V> ToRelIndex<()> for Index<K, V> {
    type RelIndex<'a>
        = &'a Self
    where
        Self: 'a;

    fn to_rel_index<'a>(&'a self, (): &'a ()) -> &'a Self {
        self
    }

    type RelIndexWrite<'a>
        = &'a mut Self
    where
        Self: 'a;

    fn to_rel_index_write<'a>(&'a mut self, (): &'a mut ()) -> &'a mut Self {
        self
    }
}

impl<K, V> RelIndexWrite for Index<K, V> {
    type Key = K;
    type Value = V;

    fn index_insert(&mut self, key: K, value: V) {
        self.rows.push((key, value));
    }
}

impl<'a, K: Eq + Hash + Clone + 'a, V: Clone + 'a> RelIndexRead<'a> for Index<K, V> {
    type Key = K;
    type Value = &'a V;
    type IteratorType = slice::Iter<'a, V>;

    fn index_get(&'a self, key: &K) -> Option<slice::Iter<'a, V>> {
        if self.rows.is_empty() {
            return None;
        }
        let groups = self.groups();
        groups.numbers.get(key).map(|&number| groups.values(number))
    }

    fn len_estimate(&self) -> usize {
        self.rows.len()
    }

    fn is_empty(&'a self) -> bool {
        self.rows.is_empty()
    }
}

impl<'a, K: Eq + Hash + Clone + 'a, V: Clone + 'a> RelIndexReadAll<'a> for Index<K, V> {
    type Key = &'a K;
    type Value = &'a V;
    type ValueIteratorType = slice::Iter<'a, V>;
    type AllIteratorType = Box<dyn Iterator<Item = (&'a K, slice::Iter<'a, V>)> + 'a>;

    fn iter_all(&'a self) -> Self::AllIteratorType {
        let groups = self.groups();
        let numbered = groups.numbers.iter();
        Box::new(numbered.map(|(key, &number)| (key, groups.values(number))))
    }
}

/// What `#[ds(…)]` expects of a module: which types hold the relation and its indexes.
pub mod provider {
    #[doc(hidden)]
    #[macro_export]
    macro_rules! stored_codegen {
        ($($tokens:tt)*) => {};
    }
    pub use stored_codegen as rel_codegen;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! stored_rel {
        ($name:ident, $row:ty, $indices:expr, ser, ()) => { ::std::vec::Vec<$row> };
    }
    pub use stored_rel as rel;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! stored_common {
        ($($tokens:tt)*) => {
            ()
        };
    }
    pub use stored_common as rel_ind_common;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! stored_full_index {
        ($name:ident, $row:ty, $indices:expr, ser, (), $key:ty, $value:ty) => {
            $crate::compiled::stored::Index<$key, $value>
        };
    }
    pub use stored_full_index as rel_full_ind;

    #[doc(hidden)]
    #[macro_export]
    macro_rules! stored_index {
        ($name:ident, $row:ty, $indices:expr, ser, (), $columns:expr, $key:ty, $value:ty) => {
            $crate::compiled::stored::Index<$key, $value>
        };
    }
    pub use stored_index as rel_ind;
}
