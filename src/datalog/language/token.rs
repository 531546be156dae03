//! Rule text as tokens.

use heddle_diagnostics::{Diagnostic, SourceId, Span};
use logos::Logos;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*+[^*/])*\*+/")]
pub(crate) enum TokenKind {
    #[regex(r"[A-Za-z_?][A-Za-z0-9_?]*")]
    Name,
    #[token("_", priority = 10)]
    Wildcard,
    #[token("count", priority = 10)]
    Count,
    #[token("sum", priority = 10)]
    Sum,
    #[token("min", priority = 10)]
    Min,
    #[token("max", priority = 10)]
    Max,
    #[regex(r"[0-9]+")]
    #[regex(r"0[xX][0-9a-fA-F]+")]
    #[regex(r"0[bB][01]+")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token(":")]
    Colon,
    #[token(":-")]
    If,
    #[token("<:")]
    Subtype,
    #[token("@")]
    At,
    #[token("!")]
    Not,
    #[token("=")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("|")]
    Bar,

    /// Text that is no token; it has been reported, so whoever meets it keeps quiet.
    #[regex(r"[0-9]+[A-Za-z_?][A-Za-z0-9_?]*", priority = 1)]
    BadNumber,
    #[regex(r"[\p{L}_?][\p{L}\p{N}_?]*", priority = 1)]
    ForeignName,
    #[regex(r"[0-9]+\.[0-9]+([eE][+-]?[0-9]+)?")]
    Fraction,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    UnclosedText,
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnclosedComment,
    Unknown,

    /// Stands after the last token, so that there always is one to look at.
    End,
}

impl TokenKind {
    /// Whether the lexer has reported the token already.
    pub(crate) fn is_reported(self) -> bool {
        matches!(
            self,
            TokenKind::BadNumber
                | TokenKind::ForeignName
                | TokenKind::Fraction
                | TokenKind::UnclosedText
                | TokenKind::UnclosedComment
                | TokenKind::Unknown
        )
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// All tokens of a text, the last one being [`TokenKind::End`].
pub(crate) fn tokens(
    source: SourceId,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (result, range) in TokenKind::lexer(text).spanned() {
        let token = Token {
            kind: result.unwrap_or(TokenKind::Unknown),
            span: Span::new(source, range),
        };
        match tokens.last_mut() {
            // One message for a run of strange characters.
            Some(last)
                if last.kind == TokenKind::Unknown
                    && token.kind == TokenKind::Unknown
                    && last.span.end == token.span.start =>
            {
                last.span = last.span.to(token.span);
            }
            _ => tokens.push(token),
        }
    }
    for token in &tokens {
        diagnostics.extend(complaint(text, *token));
    }
    let end = text.trim_end().len();
    tokens.push(Token {
        kind: TokenKind::End,
        span: Span::new(source, end..end),
    });
    tokens
}

fn complaint(text: &str, token: Token) -> Option<Diagnostic> {
    let snippet = &text[token.span.range()];
    let error = |message: String| Some(Diagnostic::error(token.span, message));
    match token.kind {
        TokenKind::BadNumber => error(format!("`{snippet}` is not a number"))
            .map(|error| error.hint("a name starts with a letter or `_`")),
        TokenKind::ForeignName => error(format!("`{snippet}` is not a name"))
            .map(|error| error.hint("names are made of ASCII letters, digits, `_` and `?`")),
        TokenKind::Fraction => error(format!("`{snippet}` is not a whole number"))
            .map(|error| error.hint("numbers are 64-bit integers")),
        TokenKind::UnclosedText => Some(
            Diagnostic::error(token.span, "this string is not closed")
                .hint("a string ends with `\"` on the line where it starts"),
        ),
        TokenKind::UnclosedComment => {
            let start = token.span.start as usize;
            let span = Span::new(token.span.source, start..start + 2);
            Some(Diagnostic::error(span, "this comment is not closed").hint("it ends with `*/`"))
        }
        TokenKind::Unknown => {
            let message = match snippet.chars().count() {
                1 => format!("unexpected character `{}`", snippet.escape_debug()),
                _ => "unexpected characters".to_string(),
            };
            let error = Diagnostic::error(token.span, message);
            Some(match snippet {
                "#" => error.hint("there is no preprocessor; write `.include \"file.dl\"`"),
                "[" | "]" | "$" => error.hint("records and algebraic types are not supported"),
                "^" => error.hint("the operators are + - * / %"),
                "&" | "&&" => error.hint("write `,` for `and`"),
                _ => error,
            })
        }
        _ => None,
    }
}
