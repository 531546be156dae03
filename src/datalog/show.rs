//! Values and tuples as text.

use crate::value::{Symbols, Value};
use heddle_language::ruleset::{RelationId, RuleSet, ValueKind};

/// A value as it stands in a fact file.
pub fn value(
    rules: &RuleSet,
    symbols: &Symbols,
    relation: RelationId,
    column: usize,
    value: Value,
) -> String {
    match rules.relation(relation).columns[column].kind {
        ValueKind::Symbol => symbols.name(value).to_string(),
        ValueKind::Number => value.0.to_string(),
    }
}

/// A tuple as it stands in a rule: `lt(a, b)`.
pub fn tuple(rules: &RuleSet, symbols: &Symbols, relation: RelationId, row: &[Value]) -> String {
    let columns: Vec<String> = row
        .iter()
        .enumerate()
        .map(|(column, &item)| value(rules, symbols, relation, column, item))
        .collect();
    format!("{}({})", rules.relation(relation).name, columns.join(", "))
}
