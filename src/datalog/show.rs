//! Values and tuples as text.

use crate::value::{Symbols, Value};
use heddle_language::ruleset::{Constant, RelationId, RuleSet, ValueKind};

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

/// A tuple as one asks for it: `lt(a, b)`.
pub fn tuple(rules: &RuleSet, symbols: &Symbols, relation: RelationId, row: &[Value]) -> String {
    let relation = rules.relation(relation);
    let values = relation.columns.iter().zip(row);
    let arguments: Vec<String> = values
        .map(|(column, &value)| argument(symbols, column.kind, value))
        .collect();
    format!("{}({})", relation.name, arguments.join(", "))
}

/// A value among others of a tuple. A symbol that would be taken for several values, for none
/// or for a variable without a value (`?x`) stands in quotes, as in a rule.
pub(crate) fn argument(symbols: &Symbols, kind: ValueKind, value: Value) -> String {
    if kind == ValueKind::Number {
        return value.0.to_string();
    }
    let name = symbols.name(value);
    let misleading = ["", "_"].contains(&name)
        || name.starts_with(['"', '?'])
        || name.trim() != name
        || name.contains(|part: char| part == ',' || part == ')' || part.is_control());
    quoted_if(misleading, name)
}

/// A symbol among others with spaces between. One that would be taken for several or for none
/// stands in quotes.
pub fn word(symbols: &Symbols, value: Value) -> String {
    let name = symbols.name(value);
    let misleading = name.is_empty()
        || name.starts_with('"')
        || name.contains(|part: char| part.is_whitespace() || part.is_control());
    quoted_if(misleading, name)
}

/// A symbol that ends a line. One that would be taken for several lines or for none stands in
/// quotes.
pub(crate) fn end_of_line(name: &str) -> String {
    let misleading = name.starts_with('"') || name.trim() != name || name.is_empty();
    quoted_if(misleading || name.contains(char::is_control), name)
}

fn quoted_if(misleading: bool, name: &str) -> String {
    match misleading {
        true => Constant::Symbol(name.to_string()).to_string(),
        false => name.to_string(),
    }
}
