//! Fact files with a tab between two columns, and no header.

use super::fields::{FieldError, insert_row};
use crate::theory::Theory;
use heddle_language::ruleset::RelationId;
use std::ops::Range;

pub(super) fn read(theory: &mut Theory, relation: RelationId, text: &str) -> Vec<FieldError> {
    theory.reserve(relation, text.bytes().filter(|&byte| byte == b'\n').count());
    let mut row = Vec::new();
    let inserted =
        lines(text).map(|(fields, place)| insert_row(&mut row, theory, relation, fields, place));
    inserted.filter_map(Result::err).collect()
}

/// The lines that are not empty, with their places.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (Fields<'_>, Range<usize>)> {
    let mut end = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = end;
        end += line.len();
        let content = line.strip_suffix('\n').unwrap_or(line);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let fields = Fields {
            rest: Some(content),
            start,
        };
        (!content.is_empty()).then(|| (fields, start..start + content.len()))
    })
}

/// The fields of a line, with their places. They are short, so looking at each byte is
/// quicker than a search that is made for long texts.
#[derive(Clone)]
pub(super) struct Fields<'a> {
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
