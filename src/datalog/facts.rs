//! The facts that are in: what a user or an engine inserted and did not retract.

use crate::numbering::Numbering;
use crate::value::{Row, Value};
use heddle_language::ruleset::{RelationId, RuleSet};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

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

/// A set of tuples for each relation. A tuple of a `choice` relation may be there by
/// several literals, each of which suffices.
#[derive(Clone, Default)]
pub struct Facts {
    relations: Vec<Table>,
    always: LiteralName,
}

/// The tuples of one relation, one after the other, so that a million of them are not a
/// million allocations.
#[derive(Clone, Default)]
struct Table {
    arity: usize,
    values: Vec<Value>,
    /// For each tuple.
    literals: Vec<Literals>,
    numbers: Numbering,
}

/// The literals that each suffice for a tuple. Nearly always there is just one.
#[derive(Clone)]
enum Literals {
    One(LiteralName),
    Several(Box<[LiteralName]>),
}

impl Literals {
    fn as_slice(&self) -> &[LiteralName] {
        match self {
            Literals::One(literal) => std::slice::from_ref(literal),
            Literals::Several(literals) => literals,
        }
    }
}

impl FromIterator<LiteralName> for Literals {
    fn from_iter<I: IntoIterator<Item = LiteralName>>(literals: I) -> Self {
        let literals: Vec<LiteralName> = literals.into_iter().collect();
        match literals[..] {
            [only] => Literals::One(only),
            _ => Literals::Several(literals.into()),
        }
    }
}

impl Facts {
    /// `always` is the interned symbol `true`.
    pub fn new(rules: &RuleSet, always: LiteralName) -> Self {
        let tables = rules.relations.iter().map(|relation| Table {
            arity: relation.arity(),
            ..Table::default()
        });
        Facts {
            relations: tables.collect(),
            always,
        }
    }

    pub fn always(&self) -> LiteralName {
        self.always
    }

    /// Returns whether the tuple was not there by any literal before.
    pub fn insert(&mut self, relation: RelationId, row: &[Value], literal: LiteralName) -> bool {
        self.relations[relation.index()].insert(row, literal)
    }

    /// Returns whether the tuple was there by this literal alone, and so is gone.
    pub fn remove(&mut self, relation: RelationId, row: &[Value], literal: LiteralName) -> bool {
        self.relations[relation.index()].remove(row, literal)
    }

    pub fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.relations[relation.index()].find(row).is_some()
    }

    /// The literals that each suffice for the tuple; just `true` outside of `choice`
    /// relations, nothing if the tuple is no fact.
    pub fn literals(&self, relation: RelationId, row: &[Value]) -> &[LiteralName] {
        let table = &self.relations[relation.index()];
        table
            .find(row)
            .map_or(&[], |number| table.literals[number].as_slice())
    }

    /// All tuples of a relation, in no particular order.
    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = &[Value]> {
        self.with_literals(relation).map(|(row, _)| row)
    }

    /// All tuples of a relation, each with the literals that suffice for it.
    pub fn with_literals(
        &self,
        relation: RelationId,
    ) -> impl Iterator<Item = (&[Value], &[LiteralName])> {
        let table = &self.relations[relation.index()];
        let literals = table.literals.iter().enumerate();
        literals.map(|(number, literals)| (table.row(number), literals.as_slice()))
    }

    pub fn len(&self, relation: RelationId) -> usize {
        self.relations[relation.index()].literals.len()
    }

    /// Makes room for so many more tuples.
    pub fn reserve(&mut self, relation: RelationId, additional: usize) {
        let table = &mut self.relations[relation.index()];
        table.values.reserve(additional * table.arity);
        table.literals.reserve(additional);
        table.numbers.reserve(additional);
    }
}

impl Table {
    fn row(&self, number: usize) -> &[Value] {
        &self.values[number * self.arity..][..self.arity]
    }

    fn find(&self, row: &[Value]) -> Option<usize> {
        self.numbers
            .find(hash(row), |number| self.row(number) == row)
    }

    fn insert(&mut self, row: &[Value], literal: LiteralName) -> bool {
        assert_eq!(row.len(), self.arity, "a tuple of another relation");
        let Some(number) = self.find(row) else {
            self.numbers.insert(hash(row), self.literals.len());
            self.values.extend_from_slice(row);
            self.literals.push(Literals::One(literal));
            return true;
        };
        let literals = self.literals[number].as_slice();
        if !literals.contains(&literal) {
            self.literals[number] = literals.iter().copied().chain([literal]).collect();
        }
        false
    }

    fn remove(&mut self, row: &[Value], literal: LiteralName) -> bool {
        let Some(number) = self.find(row) else {
            return false;
        };
        match &self.literals[number] {
            Literals::One(only) if *only == literal => {
                self.remove_row(number);
                true
            }
            Literals::One(_) => false,
            Literals::Several(literals) => {
                let others = literals.iter().copied().filter(|&other| other != literal);
                self.literals[number] = others.collect();
                false
            }
        }
    }

    /// The last tuple takes the place of the one that goes.
    fn remove_row(&mut self, number: usize) {
        let last = self.literals.len() - 1;
        self.numbers.remove(hash(self.row(number)), number);
        if number < last {
            let moved = hash(self.row(last));
            self.numbers.remove(moved, last);
            self.numbers.insert(moved, number);
        }
        let of_last = last * self.arity..(last + 1) * self.arity;
        self.values.copy_within(of_last, number * self.arity);
        self.values.truncate(last * self.arity);
        self.literals.swap_remove(number);
    }
}

fn hash(row: &[Value]) -> u64 {
    FxBuildHasher.hash_one(row)
}
