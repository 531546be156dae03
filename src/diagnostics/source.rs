//! Source texts and places in them.

use crate::Diagnostic;
use std::string::FromUtf8Error;
use std::sync::Arc;

const BYTE_ORDER_MARK: char = '\u{feff}';

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);

/// A range of bytes of one source. Small and `Copy`, so that everything can carry one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(source: SourceId, range: std::ops::Range<usize>) -> Self {
        Span {
            source,
            start: range.start as u32,
            end: range.end as u32,
        }
    }

    /// The smallest span that covers both; both must be of the same source.
    pub fn to(self, other: Span) -> Span {
        debug_assert_eq!(self.source, other.source);
        Span {
            source: self.source,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug)]
struct Source {
    name: String,
    text: String,
}

/// The texts that were read. Cloning is cheap: the texts are shared.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Arc<Source>>,
}

impl Sources {
    /// Takes a text under the name that messages show for it, usually its path.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        self.files.push(Arc::new(Source {
            name: name.into(),
            text: text.into(),
        }));
        SourceId(self.files.len() as u32 - 1)
    }

    /// The text of a table's bytes. A byte-order mark, which some editors put first, is no
    /// part of it. Bytes that are no text are taken, to show where they are none.
    pub fn table(&mut self, name: &str, bytes: Vec<u8>) -> Result<String, Diagnostic> {
        match String::from_utf8(bytes) {
            Ok(mut text) => {
                if text.starts_with(BYTE_ORDER_MARK) {
                    text.drain(..BYTE_ORDER_MARK.len_utf8());
                }
                Ok(text)
            }
            Err(error) => Err(self.not_utf8(name, &error)),
        }
    }

    /// Takes bytes that are no text, to show where they are none.
    pub fn not_utf8(&mut self, name: impl Into<String>, error: &FromUtf8Error) -> Diagnostic {
        let valid = error.utf8_error().valid_up_to();
        let source = self.add(name, String::from_utf8_lossy(error.as_bytes()));
        let span = Span::new(source, valid..valid + '\u{fffd}'.len_utf8());
        Diagnostic::error(span, "this byte is not UTF-8 text")
    }

    pub fn name(&self, source: SourceId) -> &str {
        &self.files[source.0 as usize].name
    }

    pub fn text(&self, source: SourceId) -> &str {
        &self.files[source.0 as usize].text
    }

    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.source).get(span.range()).unwrap_or("")
    }

    /// Line and column of a place, both counted from 1.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let text = self.text(span.source);
        let before = &text[..text.floor_char_boundary(span.start as usize)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        (line, before[line_start..].chars().count() + 1)
    }

    /// `file:line:column`, for one-line messages.
    pub fn place(&self, span: Span) -> String {
        let (line, column) = self.line_column(span);
        format!("{}:{line}:{column}", self.name(span.source))
    }
}
