//! What a user sees when the input is wrong: file, line, source text, caret, hint.
//!
//! Every front end (rules, `.hd`, C, facts) reports through these types. Nothing here
//! prints: a [`Report`] is turned into text by [`Report::render`], and the command line
//! decides where that text goes.

mod render;
mod source;

pub use source::{SourceId, Sources, Span};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// One finding about the input, at one place, with other places that explain it.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// Where, and what to write beside the caret (may be empty). A file that cannot be
    /// opened has no place.
    pub place: Option<(Span, String)>,
    /// Further places worth showing, such as the declaration that a use contradicts.
    pub related: Vec<(Span, String)>,
    pub hints: Vec<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(span), message)
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Some(span), message)
    }

    /// An error about something that has no text, such as a file that cannot be opened.
    pub fn without_place(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, None, message)
    }

    fn new(severity: Severity, span: Option<Span>, message: impl Into<String>) -> Self {
        Diagnostic {
            severity,
            message: message.into(),
            place: span.map(|span| (span, String::new())),
            related: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// The words beside the caret.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        if let Some((_, text)) = &mut self.place {
            *text = label.into();
        }
        self
    }

    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Errors of one table that are shown: one wrong file should not bury what is wrong in others.
const MOST_ERRORS_A_FILE: usize = 10;

/// The first errors of a table, the last of which says how many more there are. Tables are
/// written by programs, whose mistakes are in every line.
pub fn first_errors(errors: impl ExactSizeIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let more = errors.len().saturating_sub(MOST_ERRORS_A_FILE);
    let mut first: Vec<Diagnostic> = errors.take(MOST_ERRORS_A_FILE).collect();
    if more > 0
        && let Some(last) = first.pop()
    {
        let not_shown = match more {
            1 => "1 more error in this file is not shown".to_string(),
            _ => format!("{more} more errors in this file are not shown"),
        };
        first.push(last.hint(not_shown));
    }
    first
}

/// All findings about one input, with the texts that they point into.
///
/// The error type of every fallible front-end function, and the carrier of warnings of
/// those that succeed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub sources: Sources,
    pub diagnostics: Vec<Diagnostic>,
    /// How many more findings there are, of the same severity.
    pub not_shown: usize,
}

impl Report {
    pub fn new(sources: Sources, diagnostics: Vec<Diagnostic>) -> Self {
        Report {
            sources,
            diagnostics,
            not_shown: 0,
        }
    }

    /// With no more than the [first errors](first_errors) of each file, file by file.
    pub fn shortened(mut self) -> Self {
        let mut by_file: BTreeMap<Option<SourceId>, Vec<Diagnostic>> = BTreeMap::new();
        for diagnostic in self.diagnostics {
            let file = diagnostic.place.as_ref().map(|(span, _)| span.source);
            by_file.entry(file).or_default().push(diagnostic);
        }
        let shown = by_file.into_iter().flat_map(|(file, found)| match file {
            None => found,
            Some(_) => first_errors(found.into_iter()),
        });
        self.diagnostics = shown.collect();
        self
    }

    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// The report as a terminal shows it; `color` adds ANSI colours.
    pub fn render(&self, color: bool) -> String {
        render::render(self, color)
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Report {}

impl From<Diagnostic> for Report {
    /// For a diagnostic without a place; one with a place needs its sources.
    fn from(diagnostic: Diagnostic) -> Self {
        Report::new(Sources::default(), vec![diagnostic])
    }
}
