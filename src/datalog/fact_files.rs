//! Fact folders: one tab-separated file a relation, `relation.facts`, or `relation.csv`
//! with a header line.
//!
//! What a column means comes from the relation's declaration. A `choice` relation has one
//! more column, its literal. Everything that does not fit is reported with file, line and
//! column; nothing is read past silently.

mod comma_separated;
mod fields;
mod places;
mod tab_separated;

use crate::theory::Theory;
use crate::value::Row;
use heddle_diagnostics::{Diagnostic, Report, Severity, Sources, first_errors};
use heddle_language::ruleset::{RelationId, RelationKind, RuleSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use fields::EMPTY_TUPLE;
pub use fields::{FieldError, parse_row};
pub use places::find_places;

/// Inserts all facts of a folder. Files are read for relations that [take
/// facts](takes_facts). Returns warnings: an `.input` relation without a file, a file of a
/// relation that takes no facts, a file whose name is almost that of a relation.
///
/// On an error the theory holds the facts that could be read, and should be dropped.
pub fn read_folder(theory: &mut Theory, folder: &Path) -> Result<Report, Report> {
    let files = list(folder).map_err(|error| cannot("read the folder", folder, &error))?;
    theory.note_folder(folder);
    let mut report = Report::default();
    let rules = theory.rules().clone();
    for id in rules.relation_ids() {
        let relation = rules.relation(id);
        let found: Vec<&PathBuf> = files
            .iter()
            .filter(|file| file.file_stem().is_some_and(|stem| *stem == *relation.name))
            .collect();
        if !takes_facts(&rules, id) {
            let unread = found.iter().map(|file| derived(file, &relation.name));
            report.diagnostics.extend(unread);
            continue;
        }
        match found[..] {
            [] if relation.input => report.diagnostics.push(missing(folder, &relation.name)),
            [] => {}
            [file] => read_file(theory, id, file, &mut report),
            [first, second, ..] => {
                report.diagnostics.push(Diagnostic::without_place(format!(
                    "relation `{}` has two files, `{}` and `{}`",
                    relation.name,
                    first.display(),
                    second.display()
                )));
            }
        }
    }
    warn_of_misspelt_files(&rules, &files, &mut report);
    if report.has_errors() {
        Err(report)
    } else {
        Ok(report)
    }
}

/// Writes relations as files that [`read_folder`] reads as the same tuples: sorted,
/// tab-separated. There is no quoting, so a symbol that would be read as something else is
/// an error, and then nothing is written.
pub fn write_relations(theory: &Theory, relations: &[RelationId], folder: &Path) -> io::Result<()> {
    write(theory, relations, folder, |relation| theory.rows(relation))
}

/// [`write_relations`] without what rules derive.
pub fn write_facts(theory: &Theory, relations: &[RelationId], folder: &Path) -> io::Result<()> {
    write(theory, relations, folder, |relation| {
        theory.facts().rows(relation).map(Row::from).collect()
    })
}

fn write(
    theory: &Theory,
    relations: &[RelationId],
    folder: &Path,
    rows: impl Fn(RelationId) -> Vec<Row>,
) -> io::Result<()> {
    let mut files = Vec::new();
    for &relation in relations {
        let name = &theory.rules().relation(relation).name;
        let mut obstacle = None;
        let text = text(theory, relation, &rows(relation), |fields| {
            obstacle = obstacle.or_else(|| unwritable(fields));
        });
        if let Some(why) = obstacle {
            let message = format!("a tuple of `{name}` does not fit into a fact file: {why}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        files.push((folder.join(format!("{name}.facts")), text));
    }
    files
        .iter()
        .try_for_each(|(path, text)| fs::write(path, text))
}

/// A relation's tuples as the text of a fact file, sorted as text. Symbols stand in it as
/// they are, also those that [`write_relations`] refuses.
pub fn relation_text(theory: &Theory, relation: RelationId) -> String {
    text(theory, relation, &theory.rows(relation), |_| {})
}

/// A tuple as a line of a fact file, without the literal and the line's end.
pub fn row_text(theory: &Theory, relation: RelationId, row: &Row) -> String {
    fields_of(theory, relation, row).join("\t")
}

/// The text of a file with these tuples of a relation; `inspect` sees the fields of each line.
fn text(
    theory: &Theory,
    relation: RelationId,
    rows: &[Row],
    mut inspect: impl FnMut(&[String]),
) -> String {
    let is_choice = theory.rules().relation(relation).kind == RelationKind::Choice;
    let mut lines: Vec<String> = Vec::new();
    let mut add = |fields: &[String]| {
        inspect(fields);
        lines.push(fields.join("\t") + "\n");
    };
    for row in rows {
        let mut fields = fields_of(theory, relation, row);
        if !is_choice {
            add(&fields);
            continue;
        }
        for &literal in theory.facts().literals(relation, row) {
            fields.push(theory.symbols().name(literal).to_string());
            add(&fields);
            fields.pop();
        }
    }
    lines.sort();
    lines.concat()
}

fn fields_of(theory: &Theory, relation: RelationId, row: &Row) -> Vec<String> {
    if row.is_empty() {
        return vec![EMPTY_TUPLE.to_string()];
    }
    let columns = row.iter().enumerate();
    columns
        .map(|(column, &value)| {
            crate::show::value(theory.rules(), theory.symbols(), relation, column, value)
        })
        .collect()
}

/// Why a line of these fields would not be read as these fields, if it would not.
fn unwritable(fields: &[String]) -> Option<&'static str> {
    let any = |part: char| fields.iter().any(|field| field.contains(part));
    let (first, last) = (fields.first()?, fields.last()?);
    match () {
        () if any('\t') => Some("a symbol has a tab"),
        () if any('\n') => Some("a symbol has a line end"),
        () if last.ends_with('\r') => Some("a carriage return ends the line"),
        () if first.starts_with('\u{feff}') => Some("a byte-order mark begins the line"),
        () if fields.len() == 1 && first.is_empty() => {
            Some("the empty symbol alone would be an empty line")
        }
        () => None,
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if matches!(
            path.extension().and_then(|extension| extension.to_str()),
            Some("facts" | "csv")
        ) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The file that a relation's facts were read from.
fn file_of(folder: &Path, relation: &str) -> Option<PathBuf> {
    let mut files = list(folder).ok()?.into_iter();
    files.find(|file| file.file_stem().is_some_and(|stem| stem == relation))
}

fn is_csv(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "csv")
}

fn read_file(theory: &mut Theory, relation: RelationId, file: &Path, report: &mut Report) {
    let bytes = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            let unreadable = cannot("read the file", file, &error);
            return report.diagnostics.extend(unreadable.diagnostics);
        }
    };
    let name = file.display().to_string();
    let text = match report.sources.table(&name, bytes) {
        Ok(text) => text,
        Err(no_text) => return report.diagnostics.push(no_text),
    };
    let errors = if is_csv(file) {
        comma_separated::read(theory, relation, &text)
    } else {
        tab_separated::read(theory, relation, &text)
    };
    if errors.is_empty() {
        return;
    }
    let source = report.sources.add(name, text);
    let rules = theory.rules();
    let errors = errors.into_iter();
    let errors = errors.map(|error| error.diagnostic(rules, relation, source));
    report.diagnostics.extend(first_errors(errors));
}

/// Whether a relation takes facts from outside: not if rules derive it, unless it is
/// declared `.input`. What was derived and written into a folder would otherwise come back
/// from there as facts, and stay when it does not follow any more.
pub fn takes_facts(rules: &RuleSet, relation: RelationId) -> bool {
    let derived = || {
        rules
            .rules
            .iter()
            .any(|rule| rule.head.relation == relation)
    };
    rules.relation(relation).input || !derived()
}

fn warning(message: String) -> Diagnostic {
    let mut warning = Diagnostic::without_place(message);
    warning.severity = Severity::Warning;
    warning
}

fn missing(folder: &Path, relation: &str) -> Diagnostic {
    warning(format!(
        "no file `{relation}.facts` in `{}`: the relation has no facts",
        folder.display()
    ))
    .hint("an empty file says that this is meant")
}

fn derived(file: &Path, relation: &str) -> Diagnostic {
    warning(format!(
        "`{}` is not read: rules derive `{relation}`, and it is no `.input`",
        file.display()
    ))
    .hint(format!(
        "with `.input {relation}`, facts are added to what rules derive"
    ))
}

/// A folder may serve several rule files, so a file that no relation of this one reads is
/// fine, unless its name looks like a slip of the pen.
fn warn_of_misspelt_files(rules: &RuleSet, files: &[PathBuf], report: &mut Report) {
    for file in files {
        let Some(stem) = file.file_stem().and_then(|stem| stem.to_str()) else {
            continue;
        };
        if rules.find(stem).is_some() {
            continue;
        }
        let similar = rules.relation_ids().find(|&id| {
            let name = &rules.relation(id).name;
            let has_file = files
                .iter()
                .any(|other| other.file_stem().is_some_and(|s| *s == **name));
            !has_file && takes_facts(rules, id) && strsim::damerau_levenshtein(name, stem) <= 1
        });
        if let Some(relation) = similar.map(|id| rules.relation(id)) {
            let unread = warning(format!(
                "`{}` is not read: no relation is called `{stem}`",
                file.display()
            ));
            let hint = format!("did you mean `{}`?", relation.name);
            report.diagnostics.push(unread.hint(hint));
        }
    }
}

fn cannot(what: &str, path: &Path, error: &io::Error) -> Report {
    Report::new(
        Sources::default(),
        vec![Diagnostic::without_place(format!(
            "cannot {what} `{}`: {error}",
            path.display()
        ))],
    )
}
