//! The two forms of a fact file: tab-separated without a header, and CSV with one.

use super::fields::{FieldError, Problem, parse_into};
use crate::theory::Theory;
use crate::value::Value;
use heddle_language::ruleset::{RelationId, RelationKind};
use std::ops::Range;

/// One tuple a line; empty lines are skipped.
pub(super) fn read_facts(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    theory.reserve(relation, text.bytes().filter(|&byte| byte == b'\n').count());
    let mut into = Inserter::new(theory, relation);
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let place = start..start + content.len();
        start += line.len();
        if !content.is_empty() {
            let fields = Fields {
                rest: Some(content),
                start: place.start,
            };
            into.insert(fields, place);
        }
    }
    into.errors
}

/// The tab-separated fields of a line, with their places. They are short, so looking at each
/// byte is quicker than a search that is made for long texts.
#[derive(Clone)]
struct Fields<'a> {
    rest: Option<&'a str>,
    start: usize,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (&'a str, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.rest?;
        let (field, rest) = match line.bytes().position(|byte| byte == b'\t') {
            Some(tab) => (&line[..tab], Some(&line[tab + 1..])),
            None => (line, None),
        };
        let place = self.start..self.start + field.len();
        self.rest = rest;
        self.start = place.end + 1;
        Some((field, place))
    }
}

/// CSV as RFC 4180 has it. The header must name the declared columns, in any order.
pub(super) fn read_csv(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return vec![csv_error(&error, text)],
    };
    let Some(positions) = column_positions(theory, relation, &header) else {
        let end = text.find('\n').unwrap_or(text.len());
        return vec![FieldError {
            place: 0..end,
            problem: Problem::Header {
                found: header.iter().collect::<Vec<_>>().join(", "),
            },
        }];
    };
    let mut into = Inserter::new(theory, relation);
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                into.errors.push(csv_error(&error, text));
                continue;
            }
        };
        let place = record_place(record.position().map_or(0, |p| p.byte() as usize), text);
        if record.len() != positions.len() {
            into.errors.push(FieldError {
                place,
                problem: Problem::WrongNumberOfColumns {
                    found: record.len(),
                },
            });
            continue;
        }
        let fields = positions
            .iter()
            .map(|&position| (&record[position], place.clone()));
        into.insert(fields, place.clone());
    }
    into.errors
}

/// Where the lines of a file go.
struct Inserter<'t> {
    theory: &'t mut Theory,
    relation: RelationId,
    row: Vec<Value>,
    errors: Vec<FieldError>,
}

impl<'t> Inserter<'t> {
    fn new(theory: &'t mut Theory, relation: RelationId) -> Self {
        Inserter {
            theory,
            relation,
            row: Vec::new(),
            errors: Vec::new(),
        }
    }

    fn insert<'a>(
        &mut self,
        fields: impl Iterator<Item = (&'a str, Range<usize>)> + Clone,
        whole: Range<usize>,
    ) {
        let Inserter {
            theory,
            relation,
            row,
            errors,
        } = self;
        match parse_into(row, theory, *relation, fields, whole) {
            Ok(literal) => theory.insert_by(*relation, &row, literal),
            Err(error) => errors.push(error),
        }
    }
}

/// For each declared column its position in the file, if the header names just these.
fn column_positions(
    theory: &Theory,
    relation: RelationId,
    header: &csv::StringRecord,
) -> Option<Vec<usize>> {
    let relation = theory.rules().relation(relation);
    let mut names: Vec<&str> = relation
        .columns
        .iter()
        .map(|column| column.name.as_str())
        .collect();
    if relation.kind == RelationKind::Choice {
        names.push("literal");
    }
    if header.len() != names.len() {
        return None;
    }
    names
        .iter()
        .map(|name| header.iter().position(|field| field == *name))
        .collect()
}

/// The line that starts at `start`, as a place to show.
fn record_place(start: usize, text: &str) -> Range<usize> {
    let start = start.min(text.len());
    let skipped = text[start..].len() - text[start..].trim_start_matches(['\r', '\n']).len();
    let start = start + skipped;
    let end = text[start..]
        .find(['\r', '\n'])
        .map_or(text.len(), |at| start + at);
    start..end
}

fn csv_error(error: &csv::Error, text: &str) -> FieldError {
    let start = error
        .position()
        .map_or(0, |position| position.byte() as usize);
    FieldError {
        place: record_place(start, text),
        problem: Problem::Csv(error.to_string()),
    }
}
