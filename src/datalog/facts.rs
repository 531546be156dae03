//! The facts that are in: what a user or an engine inserted and did not retract.

use crate::value::{Row, Value};
use heddle_language::ruleset::{RelationId, RelationKind, RuleSet};
use rustc_hash::FxHashMap;

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
#[derive(Clone, Debug, Default)]
pub struct Facts {
    relations: Vec<FxHashMap<Row, Vec<LiteralName>>>,
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
        let literals = self.relations[relation.index()].entry(row).or_default();
        let appears = literals.is_empty();
        if !literals.contains(&literal) {
            literals.push(literal);
        }
        appears
    }

    /// Returns whether the tuple was there by this literal alone, and so is gone.
    pub fn remove(&mut self, relation: RelationId, row: &[Value], literal: LiteralName) -> bool {
        let rows = &mut self.relations[relation.index()];
        let Some(literals) = rows.get_mut(row) else {
            return false;
        };
        let Some(position) = literals.iter().position(|&other| other == literal) else {
            return false;
        };
        literals.remove(position);
        let gone = literals.is_empty();
        if gone {
            rows.remove(row);
        }
        gone
    }

    pub fn contains(&self, relation: RelationId, row: &[Value]) -> bool {
        self.relations[relation.index()].contains_key(row)
    }

    /// The literals that each suffice for the tuple; just `true` outside of `choice`
    /// relations, nothing if the tuple is no fact.
    pub fn literals(&self, relation: RelationId, row: &[Value]) -> &[LiteralName] {
        self.relations[relation.index()]
            .get(row)
            .map_or(&[], Vec::as_slice)
    }

    pub fn rows(&self, relation: RelationId) -> impl Iterator<Item = &Row> {
        self.relations[relation.index()].keys()
    }

    pub fn len(&self, relation: RelationId) -> usize {
        self.relations[relation.index()].len()
    }

    pub fn is_choice(rules: &RuleSet, relation: RelationId) -> bool {
        rules.relation(relation).kind == RelationKind::Choice
    }
}
