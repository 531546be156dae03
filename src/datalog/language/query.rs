//! Tuples on a command line: `lt(a, b)`.
//!
//! Unlike in a rule there are no variables, so symbols need no quotes: what an argument
//! is, the relation's declaration says.

use crate::check::counted;
use crate::parser::{ESCAPES, OVERFLOW, number_range, unescape};
use crate::ruleset::{Constant, RelationId, RuleSet, ValueKind};
use crate::suggest::closest;
use heddle_diagnostics::{Diagnostic, Report, SourceId, Sources, Span};
use std::num::{IntErrorKind, ParseIntError};
use std::ops::Range;

/// A relation's name with a value for every column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuple {
    pub relation: RelationId,
    pub values: Vec<Constant>,
}

/// Reads a tuple such as `lt(a, b)`, `event("e 1", t, 3)` or `p()`. An argument without
/// quotes ends at the next `,` or `)`.
pub fn parse_atom(text: &str, rules: &RuleSet) -> Result<Tuple, Report> {
    let mut sources = Sources::default();
    let source = sources.add("tuple", text);
    let reader = Reader {
        text,
        source,
        rules,
    };
    reader
        .tuple()
        .map_err(|diagnostics| Report::new(sources, diagnostics))
}

struct Reader<'a> {
    text: &'a str,
    source: SourceId,
    rules: &'a RuleSet,
}

/// An argument, without surrounding space.
struct Argument<'a> {
    text: &'a str,
    quoted: bool,
    place: Range<usize>,
}

impl<'a> Reader<'a> {
    fn error(&self, place: Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(Span::new(self.source, place), message)
    }

    fn tuple(&self) -> Result<Tuple, Vec<Diagnostic>> {
        let form = "a tuple looks like `relation(value, value)`";
        let Some(open) = self.text.find('(') else {
            let end = self.text.len();
            let error = self.error(end..end, "expected `(`").hint(form);
            return Err(vec![error]);
        };
        let name = self.trimmed(0..open);
        let (arguments, end) = self.arguments(open + 1).map_err(|error| vec![error])?;
        let rest = self.trimmed(end..self.text.len());
        if !rest.is_empty() {
            return Err(vec![self.error(rest, "nothing may follow").hint(form)]);
        }
        let relation = self.relation(name).map_err(|error| vec![error])?;
        let columns = &self.rules.relation(relation).columns;
        if columns.len() != arguments.len() {
            let declared: Vec<String> = columns
                .iter()
                .map(|column| format!("{}: {}", column.name, column.type_name))
                .collect();
            let message = format!(
                "{} for {}",
                counted(arguments.len(), "value"),
                counted(columns.len(), "column")
            );
            let relation = &self.rules.relation(relation).name;
            let hint = format!("the relation is `{relation}({})`", declared.join(", "));
            return Err(vec![self.error(open..end, message).hint(hint)]);
        }
        let mut values = Vec::new();
        let mut errors = Vec::new();
        for (argument, column) in arguments.into_iter().zip(columns) {
            match self.value(argument, column.kind) {
                Ok(value) => values.push(value),
                Err(error) => errors.push(error),
            }
        }
        match errors.is_empty() {
            true => Ok(Tuple { relation, values }),
            false => Err(errors),
        }
    }

    fn relation(&self, name: Range<usize>) -> Result<RelationId, Diagnostic> {
        let text = &self.text[name.clone()];
        self.rules.find(text).ok_or_else(|| {
            let known = self.rules.relations.iter().map(|r| r.name.as_str());
            let error = self.error(name, format!("unknown relation `{text}`"));
            match closest(text, known) {
                Some(similar) => error.hint(format!("did you mean `{similar}`?")),
                None => error,
            }
        })
    }

    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    /// The arguments, and where the text goes on after the `)`.
    fn arguments(&self, start: usize) -> Result<(Vec<Argument<'a>>, usize), Diagnostic> {
        let mut arguments = Vec::new();
        let mut at = start;
        loop {
            let (argument, end) = self.argument(at)?;
            let delimiter = self.text[end..].chars().next();
            let only = delimiter == Some(')') && arguments.is_empty();
            match argument.text.is_empty() && !argument.quoted {
                true if only => return Ok((arguments, end + 1)),
                true => return Err(self.error(argument.place, "a value is missing here")),
                false => arguments.push(argument),
            }
            match delimiter {
                Some(',') => at = end + 1,
                Some(')') => return Ok((arguments, end + 1)),
                _ => return Err(self.error(end..end, "expected `,` or `)`")),
            }
        }
    }

    /// One argument, and where its delimiter is.
    fn argument(&self, start: usize) -> Result<(Argument<'a>, usize), Diagnostic> {
        let rest = &self.text[start..];
        let start = start + (rest.len() - rest.trim_start().len());
        let rest = &self.text[start..];
        if !rest.starts_with('"') {
            let end = rest
                .find([',', ')'])
                .map_or(self.text.len(), |length| start + length);
            let place = self.trimmed(start..end);
            let text = &self.text[place.clone()];
            let argument = Argument {
                text,
                quoted: false,
                place,
            };
            return Ok((argument, end));
        }
        let mut escaped = false;
        for (offset, character) in rest.char_indices().skip(1) {
            match character {
                '"' if !escaped => {
                    let end = start + offset + 1;
                    let argument = Argument {
                        text: &rest[1..offset],
                        quoted: true,
                        place: start..end,
                    };
                    let after = &self.text[end..];
                    return Ok((argument, end + (after.len() - after.trim_start().len())));
                }
                _ => escaped = character == '\\' && !escaped,
            }
        }
        Err(self.error(start..self.text.len(), "this string is not closed"))
    }

    fn value(&self, argument: Argument<'_>, kind: ValueKind) -> Result<Constant, Diagnostic> {
        match kind {
            _ if argument.text == "_" && !argument.quoted => Err(self
                .error(argument.place, "a tuple has a value in each column")
                .hint("`_` is none; the symbol of that name is `\"_\"`")),
            ValueKind::Number => match argument.text.parse::<i64>() {
                Ok(number) if !argument.quoted => Ok(Constant::Number(number)),
                Err(error) if !argument.quoted && is_overflow(&error) => {
                    Err(self.error(argument.place, OVERFLOW).hint(number_range()))
                }
                _ => Err(self.error(argument.place, "this column holds a number")),
            },
            ValueKind::Symbol if !argument.quoted => {
                Ok(Constant::Symbol(argument.text.to_string()))
            }
            ValueKind::Symbol => match unescape(argument.text) {
                Ok(text) => Ok(Constant::Symbol(text)),
                Err(_) => Err(self
                    .error(argument.place, "unknown escape in a string")
                    .hint(ESCAPES)),
            },
        }
    }
}

fn is_overflow(error: &ParseIntError) -> bool {
    let kind = error.kind();
    matches!(kind, IntErrorKind::PosOverflow | IntErrorKind::NegOverflow)
}
