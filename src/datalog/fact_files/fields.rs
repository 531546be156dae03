//! From the fields of a line to a tuple.

use crate::facts::LiteralName;
use crate::theory::Theory;
use crate::value::{Row, Value};
use heddle_diagnostics::{Diagnostic, SourceId, Span};
use heddle_language::ruleset::{Relation, RelationId, RelationKind, RuleSet, ValueKind};
use std::ops::Range;

/// What is wrong with a line, and where in the text (bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    pub place: Range<usize>,
    pub problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    WrongNumberOfColumns { found: usize, separator: Separator },
    NotANumber { column: usize },
    NoLiteral,
    Csv(String),
    OpenQuote,
    QuoteInside,
    NoHeader,
    Header { found: String },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    Tab,
    Comma,
}

const TWICE_BETWEEN_QUOTES: &str =
    "a quote that is part of the text is written twice, between quotes";

/// What stands in place of the columns where a relation has none.
pub(super) const EMPTY_TUPLE: &str = "()";

/// How many fields a line of the relation's file has: its columns and, for a `choice`,
/// the literal. [`EMPTY_TUPLE`] does not count.
fn width(rules: &RuleSet, relation: RelationId) -> usize {
    let relation = rules.relation(relation);
    relation.arity() + usize::from(relation.kind == RelationKind::Choice)
}

/// Reads one line's fields, given with their places, as a tuple and its literal (`true`
/// for relations that are no `choice`). `whole` is the line's own place. A relation without
/// columns has `()` in their place, which may be left out.
pub fn parse_row<'a>(
    theory: &mut Theory,
    relation: RelationId,
    fields: impl Iterator<Item = (&'a str, Range<usize>)> + Clone,
    whole: Range<usize>,
) -> Result<(Row, LiteralName), FieldError> {
    let mut row = Vec::new();
    let literal = parse_into(&mut row, theory, relation, fields, whole)?;
    Ok((row.into(), literal))
}

/// Inserts one line's tuple; `row` is a vector that is used again for each line.
pub(super) fn insert_row<'a>(
    row: &mut Vec<Value>,
    theory: &mut Theory,
    relation: RelationId,
    fields: impl Iterator<Item = (&'a str, Range<usize>)> + Clone,
    whole: Range<usize>,
) -> Result<(), FieldError> {
    let literal = parse_into(row, theory, relation, fields, whole)?;
    theory.insert_by(relation, &row, literal);
    Ok(())
}

/// [`parse_row`] into a vector.
fn parse_into<'a>(
    row: &mut Vec<Value>,
    theory: &mut Theory,
    relation: RelationId,
    fields: impl Iterator<Item = (&'a str, Range<usize>)> + Clone,
    whole: Range<usize>,
) -> Result<LiteralName, FieldError> {
    let rules = theory.rules().clone();
    let expected = width(&rules, relation);
    let columns = &rules.relation(relation).columns;
    let mut first = fields.clone().map(|(text, _)| text);
    let empty_tuple = columns.is_empty() && first.next() == Some(EMPTY_TUPLE);
    let fields = fields.skip(usize::from(empty_tuple));
    let wrong_number = || FieldError {
        place: whole.clone(),
        problem: Problem::WrongNumberOfColumns {
            found: fields.clone().count(),
            separator: Separator::Tab,
        },
    };

    let mut fields_left = fields.clone();
    row.clear();
    for (index, column) in columns.iter().enumerate() {
        let (text, place) = fields_left.next().ok_or_else(wrong_number)?;
        row.push(match column.kind {
            ValueKind::Symbol => theory.symbols_mut().intern(text),
            ValueKind::Number => Value(text.parse().map_err(|_| {
                // A shifted line is better explained by its number of columns.
                if fields.clone().count() == expected {
                    FieldError {
                        place,
                        problem: Problem::NotANumber { column: index },
                    }
                } else {
                    wrong_number()
                }
            })?),
        });
    }
    let literal = if expected > columns.len() {
        let no_field = ("", whole.clone());
        let (text, place) = match fields_left.next() {
            None if empty_tuple => no_field,
            field => field.ok_or_else(wrong_number)?,
        };
        if text.is_empty() {
            return Err(FieldError {
                place,
                problem: Problem::NoLiteral,
            });
        }
        theory.symbols_mut().intern(text)
    } else {
        theory.facts().always()
    };
    match fields_left.next() {
        None => Ok(literal),
        Some(_) => Err(wrong_number()),
    }
}

impl FieldError {
    pub fn diagnostic(self, rules: &RuleSet, id: RelationId, source: SourceId) -> Diagnostic {
        let relation = rules.relation(id);
        let columns = column_names(relation);
        let span = Span::new(source, self.place);
        match self.problem {
            Problem::WrongNumberOfColumns { found, separator } => Diagnostic::error(
                span,
                format!(
                    "relation `{}` has {}, but this line has {}",
                    relation.name,
                    counted(width(rules, id)),
                    counted(found),
                ),
            )
            .hint(match (&columns[..], separator) {
                ([], _) => format!("its only tuple is written `{EMPTY_TUPLE}`"),
                (["literal"], Separator::Tab) if relation.arity() == 0 => {
                    format!("a line is `{EMPTY_TUPLE}`, a tab, and the literal")
                }
                ([column], _) => format!("the column is {column}"),
                (_, Separator::Tab) => {
                    format!("the columns are {}, with a tab between", columns.join(", "))
                }
                (_, Separator::Comma) => format!(
                    "the columns are {}, with a comma between; one that has a comma itself \
                     stands between quotes",
                    columns.join(", ")
                ),
            }),
            Problem::NotANumber { column } => Diagnostic::error(
                span,
                format!(
                    "column `{}` of relation `{}` is a number of 64 bits",
                    relation.columns[column].name, relation.name
                ),
            ),
            Problem::NoLiteral => Diagnostic::error(span, "the literal is missing")
                .hint("write `true` for what always holds"),
            Problem::Csv(message) => Diagnostic::error(span, message),
            Problem::OpenQuote => {
                Diagnostic::error(span, "this quote is not closed").hint(TWICE_BETWEEN_QUOTES)
            }
            Problem::QuoteInside => {
                Diagnostic::error(span, "the field goes on behind the quote that ends it")
                    .hint(TWICE_BETWEEN_QUOTES)
            }
            Problem::NoHeader => Diagnostic::error(span, "the header is missing")
                .hint(format!("the first line names {}", columns.join(", "))),
            Problem::Header { found } => Diagnostic::error(
                span,
                format!(
                    "the header names {found}, not relation `{}`'s columns",
                    relation.name
                ),
            )
            .hint(match &columns[..] {
                [] => format!("it has none, and is written `{EMPTY_TUPLE}` in a `.facts` file"),
                _ => format!("the columns are {}", columns.join(", ")),
            }),
        }
    }
}

/// The names of a file's columns: those of the declaration and, for a `choice`, `literal`.
pub(super) fn column_names(relation: &Relation) -> Vec<&str> {
    let declared = relation.columns.iter().map(|column| column.name.as_str());
    let literal = (relation.kind == RelationKind::Choice).then_some("literal");
    declared.chain(literal).collect()
}

fn counted(columns: usize) -> String {
    match columns {
        1 => "1 column".to_string(),
        _ => format!("{columns} columns"),
    }
}
