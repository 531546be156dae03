//! The two forms of a fact file: tab-separated without a header, and CSV with one.

use super::fields::{FieldError, Problem, parse_row, width};
use crate::theory::Theory;
use heddle_language::ruleset::{RelationId, RelationKind};
use std::ops::Range;

pub(super) fn read_facts(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let nullary = width(theory.rules(), relation) == 0;
    theory.reserve(relation, text.bytes().filter(|&byte| byte == b'\n').count());
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let place = start..start + content.len();
        start += line.len();
        if content.is_empty() {
            errors.push(FieldError {
                place,
                problem: Problem::EmptyLine,
            });
        } else if nullary && content == "()" {
            theory.insert(relation, []);
        } else {
            insert(
                theory,
                relation,
                fields(content, place.start),
                place,
                &mut errors,
            );
        }
    }
    errors
}

/// The tab-separated fields of a line that starts at byte `start`.
fn fields(line: &str, start: usize) -> impl Iterator<Item = (&str, Range<usize>)> + Clone {
    let mut next = start;
    line.split('\t').map(move |field| {
        let place = next..next + field.len();
        next = place.end + 1;
        (field, place)
    })
}

/// CSV as RFC 4180 has it. The header must name the declared columns, in any order.
pub(super) fn read_csv(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
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
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                errors.push(csv_error(&error, text));
                continue;
            }
        };
        let place = record_place(record.position().map_or(0, |p| p.byte() as usize), text);
        if record.len() != positions.len() {
            errors.push(FieldError {
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
        insert(theory, relation, fields, place.clone(), &mut errors);
    }
    errors
}

fn insert<'a>(
    theory: &mut Theory,
    relation: RelationId,
    fields: impl Iterator<Item = (&'a str, Range<usize>)> + Clone,
    whole: Range<usize>,
    errors: &mut Vec<FieldError>,
) {
    match parse_row(theory, relation, fields, whole) {
        Ok((row, literal)) => theory.insert_by(relation, row, literal),
        Err(error) => errors.push(error),
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
