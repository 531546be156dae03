//! Numbers and strings.

use super::{Parsed, Parser};
use crate::ruleset::Constant;
use crate::syntax::{Expression, ExpressionKind, Name};
use crate::token::TokenKind;
use heddle_diagnostics::{Diagnostic, Span};

pub(crate) const ESCAPES: &str = r#"the escapes are \" \\ \n \r \t"#;
pub(crate) const OVERFLOW: &str = "this number does not fit into 64 bits";

pub(crate) fn number_range() -> String {
    format!("numbers go from {} to {}", i64::MIN, i64::MAX)
}

impl Parser<'_> {
    /// A number, with its sign where one stands before it: the smallest number has no
    /// positive counterpart.
    pub(super) fn number(&mut self, minus: Option<Span>) -> Parsed<Expression> {
        let token = self.expect(TokenKind::Number, "a number")?;
        let span = minus.map_or(token.span, |minus| minus.to(token.span));
        let text = self.snippet(token);
        let digits = text.to_ascii_lowercase();
        let (digits, radix) = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
            (Some(hexadecimal), _) => (hexadecimal, 16),
            (_, Some(binary)) => (binary, 2),
            _ => (digits.as_str(), 10),
        };
        let signed = match minus {
            Some(_) => format!("-{digits}"),
            None => digits.to_string(),
        };
        let Ok(number) = i64::from_str_radix(&signed, radix) else {
            let error = Diagnostic::error(span, OVERFLOW).hint(number_range());
            return Err(self.fail(error));
        };
        Ok(Expression {
            kind: ExpressionKind::Constant(Constant::Number(number)),
            span,
            height: 1,
        })
    }

    /// A string, without its quotes.
    pub(super) fn string(&mut self, expected: &str) -> Parsed<Name> {
        let token = self.expect(TokenKind::Text, expected)?;
        let start = token.span.start as usize;
        let quoted = self.snippet(token);
        let inside = &quoted[1..quoted.len() - 1];
        match unescape(inside) {
            Ok(text) => Ok(Name {
                text,
                span: token.span,
            }),
            Err(escape) => {
                let place = start + 1 + escape.start..start + 1 + escape.end;
                let span = Span::new(token.span.source, place);
                Err(self.fail(Diagnostic::error(span, "unknown escape in a string").hint(ESCAPES)))
            }
        }
    }
}

/// The text that an escaped text stands for, or where the bad escape is.
pub(crate) fn unescape(escaped: &str) -> Result<String, std::ops::Range<usize>> {
    let mut text = String::with_capacity(escaped.len());
    let mut characters = escaped.char_indices();
    while let Some((start, character)) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        let escape = characters.next();
        text.push(match escape.map(|(_, character)| character) {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(same @ ('"' | '\\')) => same,
            Some(other) => return Err(start..start + 1 + other.len_utf8()),
            None => return Err(start..start + 1),
        });
    }
    Ok(text)
}
