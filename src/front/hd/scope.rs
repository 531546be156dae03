//! What names mean, and complaints about those that mean nothing.

use super::typed::{EnumId, Kind, Type};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Constant, Enumeration, VarId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    Variable(VarId, Type),
    Constant(Constant, Kind),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared {
    pub(crate) meaning: Meaning,
    pub(crate) span: Span,
}

/// The names of one level: the file's, or a process's.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names(pub(crate) HashMap<String, Declared>);

pub(crate) struct EnumInfo {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) enumeration: Arc<Enumeration>,
}

/// Types by name, findings, and which declarations are used.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) enumerations: Vec<EnumInfo>,
    /// `checks off;`: an index that is out of range is never used.
    pub(crate) unchecked: bool,
    pub(crate) used: HashSet<Span>,
    /// The first `bound` statement, and its number if it has one.
    pub(crate) bound: Option<(Option<u32>, Span)>,
    /// Statements by whether control gets there, in one instance of their process at least.
    pub(crate) reached: HashSet<Span>,
    pub(crate) unreached: Vec<Span>,
    /// What was said already: each instance of a family is checked on its own.
    said: HashSet<(Span, String)>,
}

impl Findings {
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if let Some((span, _)) = &diagnostic.place
            && !self.said.insert((*span, diagnostic.message.clone()))
        {
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// How messages name a type.
    pub(crate) fn show(&self, kind: Type) -> String {
        match kind {
            Type::Plain(Kind::Bool) => "bool".to_owned(),
            Type::Plain(Kind::Int) => "int".to_owned(),
            Type::Plain(Kind::Bits(width)) => format!("bv{width}"),
            Type::Plain(Kind::Enum(EnumId(index))) => self.enumerations[index].name.clone(),
            Type::Array(array) => {
                let element = self.show(Type::Plain(array.element));
                let length = array.length;
                match (array.low, array.index) {
                    (_, Kind::Bits(width)) => format!("{element}[{length} : bv{width}]"),
                    (0, _) => format!("{element}[{length}]"),
                    (low, _) => format!("{element}[{low}..{}]", low + i128::from(length) - 1),
                }
            }
        }
    }

    /// Declares a name, unless one of `others` or the level itself has it already.
    pub(crate) fn declare(
        &mut self,
        names: &mut Names,
        others: Option<&Names>,
        name: &super::syntax::Name,
        meaning: Meaning,
    ) {
        let clash = names
            .0
            .get(&name.text)
            .or_else(|| others.and_then(|others| others.0.get(&name.text)));
        if let Some(clash) = clash {
            self.report(
                Diagnostic::error(name.span, format!("`{}` is declared twice", name.text))
                    .related(clash.span, "first here"),
            );
            return;
        }
        let span = name.span;
        names
            .0
            .insert(name.text.clone(), Declared { meaning, span });
    }
}

/// The candidate that is spelled most like the word, if one is close enough to be meant.
pub(crate) fn similar<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|&(distance, candidate)| {
            distance <= allowed && distance < candidate.chars().count()
                || word.eq_ignore_ascii_case(candidate)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Adds "did you mean" if there is something to be meant.
pub(crate) fn suggest<'a>(
    diagnostic: Diagnostic,
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Diagnostic {
    match similar(word, candidates) {
        Some(candidate) => diagnostic.hint(format!("did you mean `{candidate}`?")),
        None => diagnostic,
    }
}
