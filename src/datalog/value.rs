//! Values of relations: numbers, and symbols as interned numbers.

use crate::numbering::Numbering;
use rustc_hash::FxBuildHasher;
use std::fmt;
use std::hash::BuildHasher;

/// A number, or the number of a symbol in a [`Symbols`] table. Which of the two, the
/// column's declaration says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub i64);

/// One tuple.
pub type Row = Box<[Value]>;

/// Every symbol that facts and rules mention, numbered in the order of appearance.
///
/// All names lie one after the other in one text, so that a million of them are not a
/// million allocations.
#[derive(Clone, Default)]
pub struct Symbols {
    text: String,
    /// Where each name ends in `text`; it starts where the one before ends.
    ends: Vec<usize>,
    numbers: Numbering,
}

impl Symbols {
    pub fn intern(&mut self, name: &str) -> Value {
        let hash = hash(name);
        if let Some(number) = self.find(hash, name) {
            return Value(number as i64);
        }
        let number = self.ends.len();
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.numbers.insert(hash, number);
        Value(number as i64)
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        let number = self.find(hash(name), name)?;
        Some(Value(number as i64))
    }

    fn find(&self, hash: u64, name: &str) -> Option<usize> {
        self.numbers.find(hash, |number| self.slice(number) == name)
    }

    fn slice(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[number]]
    }

    /// The symbol's text; `value` must come from this table.
    pub fn name(&self, value: Value) -> &str {
        self.slice(value.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn hash(name: &str) -> u64 {
    FxBuildHasher.hash_one(name)
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = (0..self.len()).map(|number| self.name(Value(number as i64)));
        f.debug_list().entries(names).finish()
    }
}
