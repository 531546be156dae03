//! Values of relations: numbers, and symbols as interned numbers.

use hashbrown::HashTable;
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
    numbers: HashTable<u32>,
}

impl Symbols {
    pub fn intern(&mut self, name: &str) -> Value {
        let hash = hash(name);
        let (text, ends) = (&self.text, &self.ends);
        let known = |&number: &u32| slice(text, ends, number as usize) == name;
        if let Some(&number) = self.numbers.find(hash, known) {
            return Value(i64::from(number));
        }
        let number = u32::try_from(self.ends.len()).expect("fewer than 2^32 symbols");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let (text, ends) = (&self.text, &self.ends);
        let rehash = |&number: &u32| self::hash(slice(text, ends, number as usize));
        self.numbers.insert_unique(hash, number, rehash);
        Value(i64::from(number))
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        let known = |&number: &u32| slice(&self.text, &self.ends, number as usize) == name;
        let number = self.numbers.find(hash(name), known)?;
        Some(Value(i64::from(*number)))
    }

    /// The symbol's text; `value` must come from this table.
    pub fn name(&self, value: Value) -> &str {
        slice(&self.text, &self.ends, value.0 as usize)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], number: usize) -> &'a str {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &text[start..ends[number]]
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
