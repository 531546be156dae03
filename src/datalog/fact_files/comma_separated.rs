//! CSV as RFC 4180 has it, with a header that names the declared columns, in any order.

use super::fields::{FieldError, Problem, Separator, column_names, insert_row};
use crate::theory::Theory;
use csv::StringRecord;
use heddle_language::ruleset::{RelationId, RuleSet};
use std::ops::Range;

pub(super) fn read(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    let mut row = Vec::new();
    let rules = theory.rules().clone();
    each_record(&rules, relation, text, |record| {
        let line = record.start..record.start;
        let fields = record.fields().map(|field| (field, line.clone()));
        insert_row(&mut row, theory, relation, fields, line.clone())
    })
}

/// A record whose fields are as many as the columns.
pub(super) struct Record<'a> {
    record: &'a StringRecord,
    positions: &'a [usize],
    /// Where it begins in the text.
    pub(super) start: usize,
}

impl<'a> Record<'a> {
    /// In the order of the declaration.
    pub(super) fn fields(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let record = self.record;
        self.positions
            .iter()
            .map(move |&position| &record[position])
    }
}

/// Calls `each` with each record; returns what is wrong with the text, and what `each` says
/// is wrong. Places are looked for only where they are needed: a text is read in one pass.
pub(super) fn each_record(
    rules: &RuleSet,
    relation: RelationId,
    text: &str,
    mut each: impl FnMut(&Record) -> Result<(), FieldError>,
) -> Vec<FieldError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return vec![csv_error(&error, text)],
    };
    let split = Split::at(text, 0);
    if let Some(error) = split.wrong_quote {
        return vec![error];
    }
    let Some(positions) = column_positions(rules, relation, &header) else {
        return vec![FieldError {
            place: split.whole(),
            problem: match header.len() {
                0 => Problem::NoHeader,
                _ => Problem::Header {
                    found: header.iter().collect::<Vec<_>>().join(", "),
                },
            },
        }];
    };
    let mut errors = Vec::new();
    let mut record = StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return errors,
            Err(error) => {
                errors.push(csv_error(&error, text));
                continue;
            }
        }
        let start = record.position().map_or(0, |p| p.byte() as usize);
        let end = reader.position().byte() as usize;
        if text.as_bytes()[start..end].contains(&b'"')
            && let Some(error) = Split::at(text, start).wrong_quote
        {
            errors.push(error);
            continue;
        }
        let result = if record.len() == positions.len() {
            each(&Record {
                record: &record,
                positions: &positions,
                start,
            })
        } else {
            Err(FieldError {
                place: start..start,
                problem: Problem::WrongNumberOfColumns {
                    found: record.len(),
                    separator: Separator::Comma,
                },
            })
        };
        if let Err(mut error) = result {
            let split = Split::at(text, start);
            let field = match error.problem {
                Problem::NotANumber { column } => positions.get(column),
                Problem::NoLiteral => positions.last(),
                _ => None,
            };
            let field = field.and_then(|&position| split.fields.get(position));
            error.place = field.cloned().unwrap_or_else(|| split.whole());
            errors.push(error);
        }
    }
}

/// For each declared column its position in the file, if the header names just these. Where
/// a column is itself called `literal`, the literal is in the later one.
fn column_positions(
    rules: &RuleSet,
    relation: RelationId,
    header: &StringRecord,
) -> Option<Vec<usize>> {
    let names = column_names(rules.relation(relation));
    if header.len() != names.len() {
        return None;
    }
    let mut positions: Vec<usize> = Vec::new();
    for name in names {
        let mut columns = header.iter().enumerate();
        let (position, _) =
            columns.find(|(position, column)| *column == name && !positions.contains(position))?;
        positions.push(position);
    }
    Some(positions)
}

/// Where the first line of a record that begins at `start` is, for a message.
pub(super) fn record_place(text: &str, start: usize) -> Range<usize> {
    Split::at(text, start).whole()
}

/// The places of a record's fields.
struct Split<'a> {
    text: &'a str,
    fields: Vec<Range<usize>>,
    /// What is wrong with the first field that begins with a quote and does not end with another.
    wrong_quote: Option<FieldError>,
}

impl<'a> Split<'a> {
    /// Of the record that begins at `start`, after line ends that belong to none.
    fn at(text: &'a str, start: usize) -> Self {
        let start = start.min(text.len());
        let blank = text[start..].len() - text[start..].trim_start_matches(['\r', '\n']).len();
        let mut split = Split {
            text,
            fields: Vec::new(),
            wrong_quote: None,
        };
        let bytes = text.as_bytes();
        let mut position = start + blank;
        loop {
            let start = position;
            if bytes.get(position) == Some(&b'"') {
                let wrong = match closing_quote(bytes, start + 1) {
                    Some(quote) => {
                        position = quote + 1;
                        let is_last = |next: &u8| b",\r\n".contains(next);
                        let is_right = bytes.get(position).is_none_or(is_last);
                        (!is_right).then_some((quote, Problem::QuoteInside))
                    }
                    None => {
                        // It takes in all that follows.
                        position = bytes.len();
                        Some((start, Problem::OpenQuote))
                    }
                };
                split.wrong_quote =
                    split
                        .wrong_quote
                        .or(wrong.map(|(quote, problem)| FieldError {
                            place: quote..quote + 1,
                            problem,
                        }));
            }
            let rest = &bytes[position..];
            let end = rest.iter().position(|byte| b",\r\n".contains(byte));
            position += end.unwrap_or(rest.len());
            split.fields.push(start..position);
            if bytes.get(position) != Some(&b',') {
                return split;
            }
            position += 1;
        }
    }

    /// The record as far as it is on its first line.
    fn whole(&self) -> Range<usize> {
        let start = self.fields.first().map_or(0, |field| field.start);
        let end = self.fields.last().map_or(start, |field| field.end);
        let line = self.text[start..end].find(['\r', '\n']);
        start..line.map_or(end, |length| start + length)
    }
}

/// The quote that ends a quoted field, in which a quote is written twice.
fn closing_quote(bytes: &[u8], mut position: usize) -> Option<usize> {
    loop {
        position += bytes.get(position..)?.iter().position(|&b| b == b'"')?;
        if bytes.get(position + 1) != Some(&b'"') {
            return Some(position);
        }
        position += 2;
    }
}

fn csv_error(error: &csv::Error, text: &str) -> FieldError {
    let start = error
        .position()
        .map_or(0, |position| position.byte() as usize);
    FieldError {
        place: record_place(text, start),
        problem: Problem::Csv(error.to_string()),
    }
}
