//! A replayed trace as a table: one column a thread, with source lines and the values that
//! changed.

use crate::replay::Replay;
use crate::trace::{Change, Trace, Violation};
use heddle_diagnostics::Sources;
use heddle_program::{EdgeId, Program, Statement, ThreadId};

/// Longer texts of a cell are cut.
const MAX_CELL: usize = 48;

/// One line of the table: consecutive steps of one thread on one piece of source.
struct Row {
    first: usize,
    thread: ThreadId,
    text: String,
    changes: Vec<Change>,
}

/// The trace as text, for a terminal with a fixed-width font.
pub fn table(program: &Program, trace: &Trace, replay: &Replay) -> String {
    let rows = rows(program, trace, replay);
    let threads: Vec<ThreadId> = program
        .thread_ids()
        .filter(|thread| rows.iter().any(|row| row.thread == *thread))
        .collect();

    let mut header = vec!["step".to_owned()];
    header.extend(threads.iter().map(|&id| program.thread(id).name.clone()));
    header.push("changes".to_owned());
    let mut lines = vec![header];
    for row in &rows {
        let mut line = vec![(row.first + 1).to_string()];
        line.extend(threads.iter().map(|&thread| {
            if thread == row.thread {
                row.text.clone()
            } else {
                String::new()
            }
        }));
        line.push(display_changes(program, &row.changes));
        lines.push(line);
    }

    let mut text = String::new();
    text.push_str(&initial(program, trace));
    text.push_str(&aligned(&lines));
    text.push_str(&conclusion(program, trace));
    text
}

fn rows(program: &Program, trace: &Trace, replay: &Replay) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for (number, step) in trace.steps.iter().enumerate() {
        let thread = step.thread(program);
        let text = cell(program, step.edge);
        let changes = replay.changes(number);
        match rows.last_mut() {
            Some(row) if row.thread == thread && row.text == text => {
                for change in changes {
                    merge(&mut row.changes, change);
                }
            }
            _ => rows.push(Row {
                first: number,
                thread,
                text,
                changes,
            }),
        }
    }
    rows
}

/// Adds a later change; one that undoes an earlier one leaves nothing.
fn merge(changes: &mut Vec<Change>, change: Change) {
    let same =
        |earlier: &Change| earlier.variable == change.variable && earlier.element == change.element;
    match changes.iter().position(same) {
        None => changes.push(change),
        Some(position) if changes[position].from == change.to => {
            changes.remove(position);
        }
        Some(position) => changes[position].to = change.to,
    }
}

/// The line number and the source of a step, or the statement if it has no source.
fn cell(program: &Program, edge: EdgeId) -> String {
    let edge = program.edge(edge);
    let source = edge.span.map(|span| {
        let (line, _) = program.sources.line_column(span);
        let snippet = one_line(&program.sources, span);
        format!("{line}: {snippet}")
    });
    let text = source.unwrap_or_else(|| program.display_statement(&edge.statement));
    shortened(&text)
}

fn one_line(sources: &Sources, span: heddle_diagnostics::Span) -> String {
    let words: Vec<&str> = sources.snippet(span).split_whitespace().collect();
    words.join(" ")
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= MAX_CELL {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(MAX_CELL - 1).collect();
    short.push('…');
    short
}

fn display_changes(program: &Program, changes: &[Change]) -> String {
    let texts: Vec<String> = changes
        .iter()
        .map(|change| {
            let name = program.terms.name(change.variable);
            let value = program.display_value(change.variable, &change.to);
            match change.element {
                Some(element) => format!("{name}[{element}] = {value}"),
                None => format!("{name} = {value}"),
            }
        })
        .collect();
    texts.join(", ")
}

/// The values that were chosen for the start.
fn initial(program: &Program, trace: &Trace) -> String {
    if trace.initial.is_empty() {
        return String::new();
    }
    let values: Vec<String> = trace
        .initial
        .iter()
        .map(|(variable, value)| {
            let name = program.terms.name(*variable);
            format!("{name} = {}", program.display_value(*variable, value))
        })
        .collect();
    format!("initially {}\n", values.join(", "))
}

fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines[0].len();
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = lines.iter().map(|line| line[column].chars().count());
            cells.max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for (number, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, &width)| format!("{cell:width$}"))
            .collect();
        text.push_str(cells.join(" | ").trim_end());
        text.push('\n');
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
            text.push_str(&rules.join("-+-"));
            text.push('\n');
        }
    }
    text
}

fn conclusion(program: &Program, trace: &Trace) -> String {
    let at = |span: Option<heddle_diagnostics::Span>| {
        span.map_or(String::new(), |span| {
            format!("{}: ", program.sources.place(span))
        })
    };
    match trace.violation {
        Violation::Assertion(edge) => {
            let span = program.edge(edge).span;
            let Statement::Assert { message, .. } = &program.edge(edge).statement else {
                unreachable!("only assertions are violated");
            };
            let statement = program.display_statement(&program.edge(edge).statement);
            let message = if message.is_empty() {
                statement
            } else {
                message.clone()
            };
            format!("{}violated: {message}\n", at(span))
        }
        Violation::ErrorState => match &program.property.error {
            Some(error) => format!(
                "{}error state: {}\n",
                at(error.span),
                program.display_formula(&error.formula)
            ),
            None => unreachable!("there is an error condition to satisfy"),
        },
        Violation::Deadlock => "deadlock: no thread can go on\n".to_owned(),
    }
}
