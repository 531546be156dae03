//! Values of relations: numbers, and symbols as interned numbers.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A number, or the number of a symbol in a [`Symbols`] table. Which of the two, the
/// column's declaration says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub i64);

/// One tuple.
pub type Row = Box<[Value]>;

/// Every symbol that facts and rules mention, numbered in the order of appearance.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, Value>,
}

impl Symbols {
    pub fn intern(&mut self, name: &str) -> Value {
        if let Some(&value) = self.numbers.get(name) {
            return value;
        }
        let value = Value(self.names.len() as i64);
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.numbers.insert(name, value);
        value
    }

    pub fn get(&self, name: &str) -> Option<Value> {
        self.numbers.get(name).copied()
    }

    /// The symbol's text; `value` must come from this table.
    pub fn name(&self, value: Value) -> &str {
        &self.names[value.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
