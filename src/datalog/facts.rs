//! The facts that are in: what a user or an engine inserted and did not retract.

use crate::value::{Row, Value};
use heddle_language::ruleset::{RelationId, RuleSet};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// The solver literal that a `choice` tuple holds by: a symbol. [`Facts::always`] is the
/// literal `true`.
pub type LiteralName = Value;

/// One tuple that comes or goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Change {
    pub relation: RelationId,
    pub row: Row,
    pub kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChangeKind {
    Remove,
    Insert,
}

/// The literals that each suffice for a tuple. Nearly always there is just one.
#[derive(Clone, Debug)]
enum Literals {
    One(LiteralName),
    Several(Vec<LiteralName>),
}

impl Literals {
    fn as_slice(&self) -> &[LiteralName] {
        match self {
            Literals::One(literal) => std::slice::from_ref(literal),
            Literals::Several(literals) => literals,
        }
    }
}

/// A set of tuples for each relation. A tuple of a `choice` relation may be there by
/// several literals, each of which suffices.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    relations: Vec<FxHashMap<Row, Literals>>,
    always: LiteralName,
}

impl Facts {
    /// `always` is the interned symbol `true`.
    pub fn new(rules: &RuleSet, always: LiteralName) -> Self {
        Facts {
            relations: vec![FxHashMap::default(); rules.relations.len()],
            always,
        }
    }

    pub fn always(&self) -> LiteralName {
        self.always
    }

    /// Returns whether the tuple was not there by any literal before.
    pub fn insert(&mut self, relation: RelationId, row: Row, literal: LiteralName) -> bool {
        match self.relations[relation.index()].entry(row) {
            Entry::Vacant(entry) => {
                entry.insert(Literals::One(literal));
                true
            }
            Entry::Occupied(mut entry) => {
                let literals = entry.get().as_slice();
                if !literals.contains(&literal) {
                    let all = literals.iter().copied().chain([literal]).collect();
                    entry.insert(Literals::Several(all));
                }
                false
            }
        }
    }

    /// Returns whether the tuple was there by this literal alone, and so is gone.
    pub fn remove(&mut self, relation: RelationId, row: &[Value], literal: LiteralName) -> bool {
        let rows = &mut self.relations[relation.index()];
        match rows.get_mut(row) {
            None => false,
            Some(Literals::One(only)) => {
                let gone = *only == literal;
                if gone {
                    rows.remove(row);
                }
                gone
            }
            Some(literals @ Literals::Several(_)) => {
                let left: Vec<LiteralName> = literals
                    .as_slice()
                    .iter()
                    .copied()
                    .filter(|&other| other != literal)
                    .collect();
                *literals = match left[..] {
                    [only] => Literals::One(only),
                    _ => Literals::Several(left),
                };
                false
            }
        }
    }

    pub fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.relations[relation.index()].contains_key(row)
    }

    /// The literals that each suffice for the tuple; just `true` outside of `choice`
    /// relations, nothing if the tuple is no fact.
    pub fn literals(&self, relation: RelationId, row: &[Value]) -> &[LiteralName] {
        self.relations[relation.index()]
            .get(row)
            .map_or(&[], Literals::as_slice)
    }

    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = &Row> {
        self.relations[relation.index()].keys()
    }

    pub fn len(&self, relation: RelationId) -> usize {
        self.relations[relation.index()].len()
    }

    /// Makes room for so many more tuples.
    pub fn reserve(&mut self, relation: RelationId, additional: usize) {
        self.relations[relation.index()].reserve(additional);
    }
}
