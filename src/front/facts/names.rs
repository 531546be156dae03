//! What the names in the files refer to.

use super::tables::Field;
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::HashMap;
use std::hash::Hash;

/// Things that were declared, by name.
#[derive(Debug)]
pub(crate) struct Names<Id> {
    kind: &'static str,
    by_name: HashMap<String, (Id, Span)>,
}

impl<Id: Copy + Eq + Hash> Names<Id> {
    pub(crate) fn new(kind: &'static str) -> Self {
        Names {
            kind,
            by_name: HashMap::new(),
        }
    }

    /// Declares a name, unless it is taken or unusable.
    pub(crate) fn declare(&mut self, field: &Field, id: Id) -> Result<(), Diagnostic> {
        self.check(field)?;
        self.by_name.insert(field.text.clone(), (id, field.span));
        Ok(())
    }

    /// Whether the name can be declared.
    pub(crate) fn check(&self, field: &Field) -> Result<(), Diagnostic> {
        let (kind, name) = (self.kind, &field.text);
        if name.is_empty() {
            return Err(field.error(format!("the name of a {kind} is empty")));
        }
        if name.contains(['|', '\\', '\r', '\n', '\t']) {
            return Err(field
                .error(format!(
                    "the name of a {kind} contains a character that it may not"
                ))
                .hint("bars, backslashes, tabs and line ends are not allowed"));
        }
        match self.by_name.get(name) {
            Some((_, earlier)) => Err(field
                .error(format!("{kind} `{name}` is declared twice"))
                .related(*earlier, "declared here first")),
            None => Ok(()),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Option<Id> {
        self.by_name.get(name).map(|(id, _)| *id)
    }

    pub(crate) fn resolve(&self, field: &Field) -> Result<Id, Diagnostic> {
        self.find(&field.text)
            .ok_or_else(|| self.unknown(field.span, &field.text))
    }

    pub(crate) fn unknown(&self, span: Span, name: &str) -> Diagnostic {
        let kind = self.kind;
        let diagnostic = Diagnostic::error(span, format!("there is no {kind} `{name}`"));
        let similar = self
            .by_name
            .keys()
            .map(|known| (strsim::jaro_winkler(name, known), known))
            .filter(|(similarity, _)| *similarity > 0.8)
            .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)));
        match similar {
            Some((_, known)) => diagnostic.hint(format!("there is a {kind} `{known}`")),
            None => diagnostic,
        }
    }
}
