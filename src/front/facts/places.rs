//! Where edges come from in the original source, if the folder says so.

use super::names::Names;
use super::tables::{Field, Row, read_text};
use heddle_diagnostics::{Diagnostic, SourceId, Sources, Span};
use heddle_program::{EdgeId, Program};
use std::collections::HashMap;
use std::path::Path;

/// Gives the edges the spans that `source.facts` lists.
pub(crate) fn apply(
    folder: &Path,
    rows: &[Row],
    edges: &Names<EdgeId>,
    program: &mut Program,
    sources: &mut Sources,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut files: HashMap<&str, Option<SourceId>> = HashMap::new();
    for row in rows {
        let [edge, file, start @ .., end_line, end_column] = &row.fields[..] else {
            continue;
        };
        let edge = match edges.resolve(edge) {
            Ok(edge) => edge,
            Err(diagnostic) => {
                diagnostics.push(diagnostic);
                continue;
            }
        };
        let source = *files.entry(&file.text).or_insert_with(|| {
            match read_text(&folder.join(&file.text), sources) {
                Ok(source) => Some(source),
                Err(problem) => {
                    diagnostics.push(file.error(problem.message));
                    None
                }
            }
        });
        let Some(source) = source else { continue };
        let text = sources.text(source);
        let place = offset(text, &start[0], &start[1])
            .and_then(|start| Ok((start, offset(text, end_line, end_column)?)));
        match place {
            Ok((start, end)) if start <= end => {
                program.edges[edge.index()].span = Some(Span::new(source, start..end));
            }
            Ok(_) => diagnostics.push(end_line.error("the end lies before the start")),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    diagnostics
}

/// The byte at a line and a column, both counted from 1, in characters.
fn offset(text: &str, line: &Field, column: &Field) -> Result<usize, Diagnostic> {
    let number = |field: &Field| {
        let number = field
            .text
            .parse::<usize>()
            .ok()
            .filter(|&number| number > 0);
        number.ok_or_else(|| field.error("a number from 1 is expected here"))
    };
    let (line_number, column_number) = (number(line)?, number(column)?);
    let mut start = 0;
    for _ in 1..line_number {
        match text[start..].find('\n') {
            Some(length) => start += length + 1,
            None => return Err(line.error("the file has fewer lines")),
        }
    }
    let content = text[start..].split('\n').next().unwrap_or("");
    let mut characters = content.char_indices().map(|(offset, _)| offset);
    match characters.nth(column_number - 1) {
        Some(offset) => Ok(start + offset),
        None if column_number == content.chars().count() + 1 => Ok(start + content.len()),
        None => Err(column.error("the line is shorter")),
    }
}

/// One row of `source.facts`, with its end of line.
pub(crate) fn row(sources: &Sources, edge: &str, file: &str, span: Span) -> String {
    let (line, column) = sources.line_column(span);
    let end = Span {
        start: span.end,
        ..span
    };
    let (end_line, end_column) = sources.line_column(end);
    format!("{edge}\t{file}\t{line}\t{column}\t{end_line}\t{end_column}\n")
}
