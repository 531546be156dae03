//! The files of a folder as rows of fields, each field with its place.

use super::schema::{Relation, SCHEMA};
use heddle_diagnostics::{Diagnostic, Report, SourceId, Sources, Span};
use heddle_program::TextError;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::{fs, io};

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// Whether the text is the source at the span, byte for byte.
    verbatim: bool,
}

impl Field {
    pub(crate) fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.span, message)
    }

    /// What is wrong with a part of the text, at its place in the file.
    pub(crate) fn text_error(&self, error: TextError) -> Diagnostic {
        let span = if self.verbatim {
            let start = self.span.start as usize;
            Span::new(
                self.span.source,
                start + error.range.start..start + error.range.end,
            )
        } else {
            self.span
        };
        let diagnostic = Diagnostic::error(span, error.message);
        match error.hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    }

    /// The text with `\t`, `\n`, `\r` and `\\` resolved.
    pub(crate) fn unescaped(&self) -> Result<String, Diagnostic> {
        let mut result = String::new();
        let mut characters = self.text.chars();
        while let Some(character) = characters.next() {
            if character != '\\' {
                result.push(character);
                continue;
            }
            result.push(match characters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('\\') => '\\',
                _ => {
                    return Err(self
                        .error("a backslash stands before `t`, `n`, `r` or another backslash")
                        .hint("a backslash itself is written `\\\\`"));
                }
            });
        }
        Ok(result)
    }
}

/// The inverse of [`Field::unescaped`].
pub(crate) fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) fields: Vec<Field>,
    pub(crate) span: Span,
}

/// The rows of each relation. A relation is a set: equal rows count once.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    rows: BTreeMap<&'static str, Vec<Row>>,
}

impl Tables {
    pub(crate) fn rows(&self, relation: &Relation) -> &[Row] {
        self.rows.get(relation.name).map_or(&[], Vec::as_slice)
    }

    /// Reads every relation of the schema that the folder has a file for.
    pub(crate) fn read(folder: &Path, report: &mut Report) -> Tables {
        let mut tables = Tables::default();
        let mut present: Vec<String> = Vec::new();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                report.diagnostics.push(unreadable(folder, &error));
                return tables;
            }
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".facts") || name.ends_with(".csv") {
                present.push(name);
            }
        }
        present.sort();
        for relation in SCHEMA {
            let facts = format!("{}.facts", relation.name);
            let csv = format!("{}.csv", relation.name);
            match (present.contains(&facts), present.contains(&csv)) {
                (false, false) => {}
                (true, true) => report.diagnostics.push(Diagnostic::without_place(format!(
                    "relation `{}` has two files, `{facts}` and `{csv}`",
                    relation.name
                ))),
                (is_facts, _) => {
                    let name = if is_facts { facts } else { csv };
                    let rows = read_file(relation, &folder.join(name), report);
                    tables.rows.insert(relation.name, rows);
                }
            }
        }
        warn_of_misspelt_files(folder, &present, report);
        tables
    }
}

/// The folder may hold other relations too, but not ones whose name is nearly right.
fn warn_of_misspelt_files(folder: &Path, present: &[String], report: &mut Report) {
    for file in present {
        let stem = file
            .rsplit_once('.')
            .map_or(file.as_str(), |(stem, _)| stem);
        if SCHEMA.iter().any(|relation| relation.name == stem) {
            continue;
        }
        let similar = SCHEMA.iter().find(|relation| {
            let prefix = format!("{}.", relation.name);
            !present.iter().any(|other| other.starts_with(&prefix))
                && strsim::damerau_levenshtein(relation.name, stem) <= 1
        });
        if let Some(relation) = similar {
            let mut warning = Diagnostic::without_place(format!(
                "`{}` is not read: no relation is called `{stem}`",
                folder.join(file).display()
            ));
            warning.severity = heddle_diagnostics::Severity::Warning;
            let hint = format!("is `{}.facts` meant?", relation.name);
            report.diagnostics.push(warning.hint(hint));
        }
    }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::without_place(format!("cannot read `{}`: {error}", path.display()))
}

/// The text of a file, added to the sources.
pub(crate) fn read_text(path: &Path, sources: &mut Sources) -> Result<SourceId, Diagnostic> {
    let bytes = fs::read(path).map_err(|error| unreadable(path, &error))?;
    let name = path.display().to_string();
    let text = sources.table(&name, bytes)?;
    Ok(sources.add(name, text))
}

fn read_file(relation: &Relation, path: &Path, report: &mut Report) -> Vec<Row> {
    let source = match read_text(path, &mut report.sources) {
        Ok(source) => source,
        Err(diagnostic) => {
            report.diagnostics.push(diagnostic);
            return Vec::new();
        }
    };
    let text = report.sources.text(source).to_owned();
    let is_csv = path.extension().is_some_and(|extension| extension == "csv");
    let mut errors = Vec::new();
    let mut rows = if is_csv {
        comma_separated(&text, source, &mut errors)
    } else {
        tab_separated(&text, source)
    };
    if is_csv && !rows.is_empty() {
        check_header(relation, &rows.remove(0), &mut errors);
    }
    rows.retain(|row| {
        let fits = row.fields.len() == relation.columns.len();
        if !fits {
            errors.push(wrong_columns(relation, row));
        }
        fits
    });
    let mut seen: HashSet<Vec<String>> = HashSet::new();
    rows.retain(|row| seen.insert(row.fields.iter().map(|field| field.text.clone()).collect()));
    report.diagnostics.extend(errors);
    rows
}

fn wrong_columns(relation: &Relation, row: &Row) -> Diagnostic {
    let (found, expected) = (row.fields.len(), relation.columns.len());
    let plural = if expected == 1 { "" } else { "s" };
    let diagnostic = Diagnostic::error(
        row.span,
        format!(
            "`{}` has {expected} column{plural}, but this line has {found}",
            relation.name
        ),
    );
    diagnostic.hint(format!("the columns are: {}", relation.columns.join(", ")))
}

fn check_header(relation: &Relation, header: &Row, errors: &mut Vec<Diagnostic>) {
    let names: Vec<&str> = header.fields.iter().map(|f| f.text.trim()).collect();
    if names != relation.columns {
        let expected = relation.columns.join(",");
        errors.push(
            Diagnostic::error(header.span, "the header does not name the columns")
                .hint(format!("the first line of this file is `{expected}`")),
        );
    }
}

/// One row a line; empty lines are skipped.
fn tab_separated(text: &str, source: SourceId) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        if !content.is_empty() {
            let mut fields = Vec::new();
            let mut offset = start;
            for field in content.split('\t') {
                fields.push(Field {
                    text: field.to_owned(),
                    span: Span::new(source, offset..offset + field.len()),
                    verbatim: true,
                });
                offset += field.len() + 1;
            }
            rows.push(Row {
                fields,
                span: Span::new(source, start..start + content.len()),
            });
        }
        start += line.len();
    }
    rows
}

/// Fields separated by commas; one between quotes may contain commas, line ends, and quotes
/// written twice.
fn comma_separated(text: &str, source: SourceId, errors: &mut Vec<Diagnostic>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut fields: Vec<Field> = Vec::new();
    let mut row_start = 0;
    let mut position = 0;
    while position < text.len() {
        let start = position;
        let field = match text[start..].strip_prefix('"') {
            Some(quoted) => match closing_quote(quoted) {
                Some(end) => {
                    position = start + end + 2;
                    let inner = &quoted[..end];
                    Field {
                        text: inner.replace("\"\"", "\""),
                        span: Span::new(source, start + 1..start + 1 + end),
                        verbatim: !inner.contains('"'),
                    }
                }
                None => {
                    let span = Span::new(source, start..start + 1);
                    errors.push(Diagnostic::error(span, "this quote is not closed"));
                    return rows;
                }
            },
            None => {
                let rest = &text[start..];
                let length = rest.find([',', '\n', '\r']).unwrap_or(rest.len());
                position = start + length;
                Field {
                    text: rest[..length].to_owned(),
                    span: Span::new(source, start..position),
                    verbatim: true,
                }
            }
        };
        fields.push(field);
        let rest = &text[position..];
        let end = rest.find([',', '\n']).unwrap_or(rest.len());
        if !rest[..end].trim_end_matches('\r').is_empty() {
            let span = Span::new(source, position..position + end);
            errors.push(Diagnostic::error(span, "a comma is expected after a quote"));
        }
        let row_end = position;
        position += end;
        if text[position..].starts_with(',') {
            position += 1;
            if position < text.len() {
                continue;
            }
            let span = Span::new(source, position..position);
            fields.push(Field {
                text: String::new(),
                span,
                verbatim: true,
            });
        } else if position < text.len() {
            position += 1;
        }
        let is_empty = fields.len() == 1 && fields[0].text.is_empty();
        let fields = std::mem::take(&mut fields);
        if !is_empty {
            rows.push(Row {
                fields,
                span: Span::new(source, row_start..row_end),
            });
        }
        row_start = position;
    }
    rows
}

/// Where the quoted text ends.
fn closing_quote(quoted: &str) -> Option<usize> {
    let bytes = quoted.as_bytes();
    let mut position = 0;
    while position < bytes.len() {
        if bytes[position] == b'"' {
            if bytes.get(position + 1) != Some(&b'"') {
                return Some(position);
            }
            position += 1;
        }
        position += 1;
    }
    None
}
