//! Where facts stand. Files are read again when somebody asks, so that loading a million
//! facts need not note a million places.

use super::{comma_separated, file_of, is_csv, tab_separated};
use crate::theory::Theory;
use crate::value::{Row, Value};
use heddle_diagnostics::{Sources, Span};
use heddle_language::ruleset::{RelationId, ValueKind};
use std::fs;
use std::ops::Range;
use std::path::Path;

/// For each of these facts of one relation the first line that says so, if it was read from
/// a file that still says so.
pub fn find_places(
    theory: &Theory,
    relation: RelationId,
    rows: &[Row],
    sources: &mut Sources,
) -> Vec<Option<Span>> {
    let mut places = vec![None; rows.len()];
    for folder in theory.folders() {
        find_in_folder(theory, relation, rows, folder, sources, &mut places);
    }
    places
}

fn find_in_folder(
    theory: &Theory,
    relation: RelationId,
    rows: &[Row],
    folder: &Path,
    sources: &mut Sources,
    places: &mut [Option<Span>],
) {
    let name = &theory.rules().relation(relation).name;
    let Some(file) = file_of(folder, name) else {
        return;
    };
    let shown = file.display().to_string();
    let Some(text) = fs::read(&file)
        .ok()
        .and_then(|bytes| sources.table(&shown, bytes).ok())
    else {
        return;
    };
    let mut found: Vec<Option<Range<usize>>> = vec![None; rows.len()];
    let mut note = |is_row: &dyn Fn(&Row) -> bool, place: &dyn Fn() -> Range<usize>| {
        for (row, found) in rows.iter().zip(&mut found) {
            if found.is_none() && is_row(row) {
                *found = Some(place());
            }
        }
    };
    let agrees = |row: &Row, fields: &mut dyn Iterator<Item = &str>| {
        let mut values = row.iter().enumerate();
        values.all(|(column, &value)| {
            let field = fields.next();
            field.is_some_and(|field| says(theory, relation, column, field, value))
        })
    };
    if is_csv(&file) {
        comma_separated::each_record(theory.rules(), relation, &text, |record| {
            note(&|row| agrees(row, &mut record.fields()), &|| {
                comma_separated::record_place(&text, record.start)
            });
            Ok(())
        });
    } else {
        for (fields, place) in tab_separated::lines(&text) {
            note(
                &|row| agrees(row, &mut fields.clone().map(|(field, _)| field)),
                &|| place.clone(),
            );
        }
    }
    let source = sources.add(shown, text);
    for (place, found) in places.iter_mut().zip(found) {
        *place = place.or(found.map(|range| Span::new(source, range)));
    }
}

/// Whether a field is read as this value.
fn says(theory: &Theory, relation: RelationId, column: usize, field: &str, value: Value) -> bool {
    match theory.rules().relation(relation).columns[column].kind {
        ValueKind::Symbol => theory.symbols().name(value) == field,
        ValueKind::Number => field.parse() == Ok(value.0),
    }
}
