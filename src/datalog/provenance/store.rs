//! The tuples of ordinary relations, each with its weights, indexed by the columns that the
//! rules look them up by.
//!
//! Everything is appended and can be taken back in the reverse order: [`Store::mark`]
//! remembers a state and [`Store::rollback`] returns to it. That is how the part of the
//! fixpoint that no literal has a share in is derived once and used many times.

use super::derivation::Derivation;
use crate::value::Value;
use heddle_language::ruleset::RelationId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// Position of a tuple in its relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TupleId(pub u32);

/// A tuple with one of its weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ItemId(pub u32);

/// Ends a linked list.
const NONE: u32 = u32::MAX;

pub(super) struct Item<W> {
    pub(super) relation: RelationId,
    pub(super) tuple: TupleId,
    pub(super) weight: W,
    pub(super) derivation: Derivation,
    /// The same tuple's previous item.
    older: u32,
}

pub(super) struct Store<W> {
    relations: Vec<Tuples>,
    items: Vec<Item<W>>,
}

pub(super) struct Tuples {
    arity: usize,
    values: Vec<Value>,
    /// The latest item of each tuple.
    latest: Vec<u32>,
    /// The first one is over all columns.
    indexes: Vec<Index>,
}

/// Tuples by the values of some columns: a hash table whose buckets are linked lists, the
/// latest tuple first.
struct Index {
    columns: Box<[usize]>,
    buckets: Vec<u32>,
    next: Vec<u32>,
}

/// How much was in the store at some time.
pub(super) struct StoreMark {
    tuples: Vec<usize>,
    items: usize,
}

impl StoreMark {
    /// Whether the item was there at that time.
    pub(super) fn has(&self, item: ItemId) -> bool {
        (item.0 as usize) < self.items
    }
}

/// Which columns of each relation the rules look tuples up by.
#[derive(Default)]
pub(super) struct IndexPlan {
    columns: Vec<Vec<Box<[usize]>>>,
}

/// Position of an index in its relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexId(u32);

impl IndexPlan {
    pub(super) fn new(arities: impl Iterator<Item = usize>) -> Self {
        let all_columns = |arity| vec![(0..arity).collect()];
        IndexPlan {
            columns: arities.map(all_columns).collect(),
        }
    }

    /// `columns` are sorted.
    pub(super) fn index(&mut self, relation: RelationId, columns: &[usize]) -> IndexId {
        let known = &mut self.columns[relation.index()];
        let position = known.iter().position(|other| **other == *columns);
        IndexId(position.unwrap_or_else(|| {
            known.push(columns.into());
            known.len() - 1
        }) as u32)
    }
}

impl<W: Copy> Store<W> {
    pub(super) fn new(plan: &IndexPlan) -> Self {
        let relations = plan.columns.iter().map(|indexes| Tuples {
            arity: indexes[0].len(),
            values: Vec::new(),
            latest: Vec::new(),
            indexes: indexes.iter().map(|columns| Index::new(columns)).collect(),
        });
        Store {
            relations: relations.collect(),
            items: Vec::new(),
        }
    }

    pub(super) fn tuples(&self, relation: RelationId) -> &Tuples {
        &self.relations[relation.index()]
    }

    pub(super) fn item(&self, item: ItemId) -> &Item<W> {
        &self.items[item.0 as usize]
    }

    pub(super) fn row(&self, item: ItemId) -> &[Value] {
        let item = self.item(item);
        self.tuples(item.relation).row(item.tuple)
    }

    pub(super) fn items_since(&self, mark: &StoreMark) -> impl Iterator<Item = ItemId> + use<W> {
        (mark.items as u32..self.items.len() as u32).map(ItemId)
    }

    pub(super) fn all_items(&self) -> impl Iterator<Item = &Item<W>> {
        self.items.iter()
    }

    /// The weights of a tuple, the latest first.
    pub(super) fn items(
        &self,
        relation: RelationId,
        tuple: TupleId,
    ) -> impl Iterator<Item = (ItemId, W)> {
        let mut item = self.latest(relation, tuple);
        std::iter::from_fn(move || {
            let id = item?;
            item = self.older(id);
            Some((id, self.item(id).weight))
        })
    }

    pub(super) fn latest(&self, relation: RelationId, tuple: TupleId) -> Option<ItemId> {
        some(self.tuples(relation).latest[tuple.0 as usize]).map(ItemId)
    }

    pub(super) fn older(&self, item: ItemId) -> Option<ItemId> {
        some(self.item(item).older).map(ItemId)
    }

    pub(super) fn insert(
        &mut self,
        relation: RelationId,
        row: &[Value],
        weight: W,
        derivation: Derivation,
    ) -> ItemId {
        let tuples = &mut self.relations[relation.index()];
        let tuple = tuples.find(row).unwrap_or_else(|| tuples.push(row));
        let item = ItemId(self.items.len() as u32);
        let latest = &mut tuples.latest[tuple.0 as usize];
        self.items.push(Item {
            relation,
            tuple,
            weight,
            derivation,
            older: *latest,
        });
        *latest = item.0;
        item
    }

    pub(super) fn mark(&self) -> StoreMark {
        StoreMark {
            tuples: self.relations.iter().map(Tuples::len).collect(),
            items: self.items.len(),
        }
    }

    pub(super) fn rollback(&mut self, mark: &StoreMark) {
        for item in self.items.drain(mark.items..).rev() {
            let tuples = &mut self.relations[item.relation.index()];
            tuples.latest[item.tuple.0 as usize] = item.older;
        }
        for (tuples, &length) in self.relations.iter_mut().zip(&mark.tuples) {
            while tuples.len() > length {
                tuples.pop();
            }
        }
    }
}

impl Tuples {
    pub(super) fn len(&self) -> usize {
        self.latest.len()
    }

    pub(super) fn row(&self, tuple: TupleId) -> &[Value] {
        let start = tuple.0 as usize * self.arity;
        &self.values[start..start + self.arity]
    }

    pub(super) fn find(&self, row: &[Value]) -> Option<TupleId> {
        let mut candidate = self.first(IndexId(0), row);
        while let Some(tuple) = candidate {
            if self.row(tuple) == row {
                return Some(tuple);
            }
            candidate = self.next(IndexId(0), tuple);
        }
        None
    }

    /// The latest tuple that may have the given values in the columns of the index.
    pub(super) fn first(&self, index: IndexId, key: &[Value]) -> Option<TupleId> {
        let index = &self.indexes[index.0 as usize];
        let mask = index.buckets.len() - 1;
        some(index.buckets[hash(key.iter().copied()) as usize & mask]).map(TupleId)
    }

    /// The next one.
    pub(super) fn next(&self, index: IndexId, tuple: TupleId) -> Option<TupleId> {
        some(self.indexes[index.0 as usize].next[tuple.0 as usize]).map(TupleId)
    }

    /// Whether the tuple has the given values in the columns of the index.
    pub(super) fn matches(&self, index: IndexId, tuple: TupleId, key: &[Value]) -> bool {
        let row = self.row(tuple);
        let columns = &self.indexes[index.0 as usize].columns;
        columns
            .iter()
            .zip(key)
            .all(|(&column, &value)| row[column] == value)
    }

    fn push(&mut self, row: &[Value]) -> TupleId {
        let tuple = TupleId(self.len() as u32);
        self.values.extend_from_slice(row);
        self.latest.push(NONE);
        for index in &mut self.indexes {
            index.push(&self.values, self.arity, tuple);
        }
        tuple
    }

    fn pop(&mut self) {
        let tuple = TupleId(self.len() as u32 - 1);
        for index in &mut self.indexes {
            index.pop(&self.values, self.arity, tuple);
        }
        self.latest.pop();
        self.values.truncate(tuple.0 as usize * self.arity);
    }
}

impl Index {
    fn new(columns: &[usize]) -> Self {
        Index {
            columns: columns.into(),
            buckets: vec![NONE; 16],
            next: Vec::new(),
        }
    }

    fn bucket(&self, values: &[Value], arity: usize, tuple: TupleId) -> usize {
        let row = &values[tuple.0 as usize * arity..];
        let key = self.columns.iter().map(|&column| row[column]);
        hash(key) as usize & (self.buckets.len() - 1)
    }

    fn push(&mut self, values: &[Value], arity: usize, tuple: TupleId) {
        if self.next.len() >= self.buckets.len() {
            self.buckets = vec![NONE; self.buckets.len() * 4];
            for old in 0..self.next.len() as u32 {
                let bucket = self.bucket(values, arity, TupleId(old));
                self.next[old as usize] = std::mem::replace(&mut self.buckets[bucket], old);
            }
        }
        let bucket = self.bucket(values, arity, tuple);
        let next = std::mem::replace(&mut self.buckets[bucket], tuple.0);
        self.next.push(next);
    }

    /// Removes the latest tuple, which is the first one of its bucket.
    fn pop(&mut self, values: &[Value], arity: usize, tuple: TupleId) {
        let bucket = self.bucket(values, arity, tuple);
        self.buckets[bucket] = self.next.pop().expect("the tuple is in the index");
    }
}

fn some(link: u32) -> Option<u32> {
    (link != NONE).then_some(link)
}

fn hash(key: impl Iterator<Item = Value>) -> u32 {
    let mut hasher = FxHasher::default();
    for value in key {
        hasher.write_i64(value.0);
    }
    hasher.finish() as u32
}
