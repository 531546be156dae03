//! Text to `lang-c`'s syntax tree; a syntax error becomes a diagnostic.

use super::preprocess::Preprocessed;
use heddle_diagnostics::{Diagnostic, Sources, Span};
use lang_c::ast;
use lang_c::driver::{Config, Flavor, parse_preprocessed};

/// A parsed unit and the way from its places to the user's.
pub(crate) struct Parsed {
    pub(crate) tree: ast::TranslationUnit,
    preprocessed: Preprocessed,
}

impl Parsed {
    pub(crate) fn span(&self, sources: &Sources, span: lang_c::span::Span) -> Span {
        let end = self.preprocessed.text.len();
        let (start, end) = if span.is_none() {
            (0, 0)
        } else {
            (span.start.min(end), span.end.min(end))
        };
        // The parser counts the white space behind some constructs to them.
        let words = self.preprocessed.text.get(start..end).unwrap_or("");
        let end = start + words.trim_end().len();
        self.preprocessed.span(sources, start..end)
    }

    /// The names of all functions with a body.
    pub(crate) fn defined_functions(&self) -> Vec<String> {
        let definitions = self.tree.0.iter().filter_map(|item| match &item.node {
            ast::ExternalDeclaration::FunctionDefinition(definition) => Some(&definition.node),
            _ => None,
        });
        definitions
            .filter_map(|definition| declared_name(&definition.declarator.node))
            .collect()
    }
}

/// The name that a declarator declares.
pub(crate) fn declared_name(declarator: &ast::Declarator) -> Option<String> {
    match &declarator.kind.node {
        ast::DeclaratorKind::Abstract => None,
        ast::DeclaratorKind::Identifier(name) => Some(super::clean::spelling(&name.node.name)),
        ast::DeclaratorKind::Declarator(inner) => declared_name(&inner.node),
    }
}

pub(crate) fn parse(
    sources: &Sources,
    preprocessed: Preprocessed,
) -> Result<Parsed, Vec<Diagnostic>> {
    let config = Config {
        cpp_command: String::new(),
        cpp_options: Vec::new(),
        flavor: Flavor::GnuC11,
    };
    match parse_preprocessed(&config, preprocessed.text.clone()) {
        Ok(parse) => Ok(Parsed {
            tree: parse.unit,
            preprocessed,
        }),
        Err(error) => Err(vec![syntax_error(sources, &preprocessed, &error)]),
    }
}

fn syntax_error(
    sources: &Sources,
    preprocessed: &Preprocessed,
    error: &lang_c::driver::SyntaxError,
) -> Diagnostic {
    let text = &preprocessed.text;
    let start = text.floor_char_boundary(error.offset.min(text.len()));
    // The parser may have stopped at the white space behind a token.
    let rest = text[start..].trim_start();
    let start = text.len() - rest.len();
    let word = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|&end| end > 0);
    let end = word.or_else(|| rest.chars().next().map(char::len_utf8));
    let token = &rest[..end.unwrap_or(0)];
    let span = preprocessed.span(sources, start..start + token.len());
    let token = super::clean::spelling(token);
    let message = match token.trim() {
        "" => "syntax error: the text ends too early".to_owned(),
        token => format!("syntax error at `{token}`"),
    };
    let mut expected: Vec<&str> = error
        .expected
        .iter()
        .copied()
        .filter(|token| !token.is_empty() && !token.starts_with('<'))
        .collect();
    expected.sort_unstable();
    let mut diagnostic = Diagnostic::error(span, message);
    if !expected.is_empty() && expected.len() <= 8 {
        diagnostic = diagnostic.label(format!("expected {}", expected.join(", ")));
    }
    match unknown(text[..start].trim_end(), &token, &expected) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// What the parser does not know, if that is why it stopped at the token.
fn unknown(before: &str, token: &str, expected: &[&str]) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let previous = &before[before.trim_end_matches(is_part).len()..];
    let hint = match (previous, token) {
        (_, "asm" | "__asm__" | "__asm") => "assembly outside of functions is not supported",
        ("__label__", _) => "local labels are not supported",
        (_, "&") => "the address of a label is not supported",
        (_, "_Alignas") => "the alignment of a single field is not supported",
        ("__int128" | "__int128_t", _) | (_, "__int128" | "__int128_t") => {
            "128-bit integers are not supported"
        }
        (_, "{") if expected.contains(&"asm") => "functions inside of functions are not supported",
        ("" | "else" | "do" | "return" | "goto" | "case", _) => return None,
        (name, token) if token.starts_with(is_part) && !name.starts_with(char::is_numeric) => {
            return Some(format!("is `{name}` a type that is not declared?"));
        }
        _ => return None,
    };
    Some(hint.to_owned())
}
