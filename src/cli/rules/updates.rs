//! Update files: what comes and goes, epoch by epoch.

use heddle_datalog::fact_files::parse_row;
use heddle_datalog::facts::LiteralName;
use heddle_datalog::theory::Theory;
use heddle_datalog::value::Row;
use heddle_diagnostics::{Diagnostic, Report, SourceId, Sources, Span};
use heddle_language::ruleset::RelationId;
use std::ops::Range;

pub(crate) enum Update {
    Insert(RelationId, Row, LiteralName),
    Retract(RelationId, Row, LiteralName),
    Commit,
}

/// Reads lines `+rel<TAB>col…`, `-rel<TAB>col…` and `commit`; empty lines are passed over.
/// Changes after the last `commit` are an error: they would never be seen.
pub(crate) fn read_updates(
    theory: &mut Theory,
    name: &str,
    text: &str,
) -> Result<Vec<Update>, Report> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut updates = Vec::new();
    let mut diagnostics = Vec::new();
    let mut uncommitted = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let place = start..start + content.len();
        start += line.len();
        match content {
            "" => {}
            "commit" => {
                uncommitted = None;
                updates.push(Update::Commit);
            }
            _ => {
                uncommitted.get_or_insert(place.clone());
                match change(theory, source, content, place) {
                    Ok(update) => updates.push(update),
                    Err(diagnostic) => diagnostics.push(*diagnostic),
                }
            }
        }
    }
    if let Some(place) = uncommitted {
        diagnostics.push(
            Diagnostic::error(Span::new(source, place), "no `commit` follows this change")
                .hint("end the file with a line `commit`"),
        );
    }
    if diagnostics.is_empty() {
        Ok(updates)
    } else {
        Err(Report::new(sources, diagnostics))
    }
}

fn change(
    theory: &mut Theory,
    source: SourceId,
    line: &str,
    place: Range<usize>,
) -> Result<Update, Box<Diagnostic>> {
    let at = |range: Range<usize>| Span::new(source, range);
    let (sign, rest) = line.split_at(line.chars().next().map_or(0, char::len_utf8));
    let make = match sign {
        "+" => Update::Insert,
        "-" => Update::Retract,
        _ => {
            return Err(Box::new(
                Diagnostic::error(at(place), "this is neither a change nor `commit`")
                    .hint("a change is `+` or `-`, a relation, and its columns after tabs"),
            ));
        }
    };
    let (name, columns) = match rest.split_once('\t') {
        Some((name, columns)) => (name, Some(columns)),
        None => (rest, None),
    };
    let name_start = place.start + sign.len();
    let Some(relation) = theory.rules().find(name) else {
        let span = at(name_start..name_start + name.len());
        let mut error = Diagnostic::error(span, format!("there is no relation `{name}`"));
        let similar = theory
            .rules()
            .relations
            .iter()
            .map(|relation| &relation.name);
        let similar = similar.min_by_key(|other| strsim::damerau_levenshtein(other, name));
        if let Some(similar) = similar.filter(|s| strsim::damerau_levenshtein(s, name) <= 2) {
            error = error.hint(format!("did you mean `{similar}`?"));
        }
        return Err(Box::new(error));
    };
    let mut next = name_start + name.len() + 1;
    let fields: Vec<(&str, Range<usize>)> = columns
        .into_iter()
        .flat_map(|columns| columns.split('\t'))
        .map(|field| {
            let range = next..next + field.len();
            next = range.end + 1;
            (field, range)
        })
        .collect();
    match parse_row(theory, relation, fields.into_iter(), place) {
        Ok((row, literal)) => Ok(make(relation, row, literal)),
        Err(error) => Err(Box::new(error.diagnostic(theory.rules(), relation, source))),
    }
}
