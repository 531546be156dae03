//! The words of an `.hd` file.

use heddle_diagnostics::{Diagnostic, SourceId, Span};
use logos::Logos;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip(r"[ \t\r\n\f]+"))]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip(r"/\*([^*]|\*+[^*/])*\*+/"))]
pub(crate) enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex(r"[0-9]+")]
    Number,

    #[token("assert")]
    Assert,
    #[token("assume")]
    Assume,
    #[token("atomic")]
    Atomic,
    #[token("await")]
    Await,
    #[token("bool")]
    Bool,
    #[token("choose")]
    Choose,
    #[token("const")]
    Const,
    #[token("else")]
    Else,
    #[token("enum")]
    Enum,
    #[token("false")]
    False,
    #[token("goto")]
    Goto,
    #[token("if")]
    If,
    #[token("in")]
    In,
    #[token("int")]
    Int,
    #[token("local")]
    Local,
    #[token("process")]
    Process,
    #[token("shared")]
    Shared,
    #[token("skip")]
    Skip,
    #[token("true")]
    True,
    #[token("while")]
    While,

    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token(":=")]
    Assign,
    #[token("->")]
    Arrow,
    #[token("..")]
    DotDot,
    #[token(".")]
    Dot,
    #[token("?")]
    Question,

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
    #[token("=")]
    #[token("==")]
    Equal,
    #[token("!=")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    AtMost,
    #[token(">")]
    Greater,
    #[token(">=")]
    AtLeast,
    #[token("&&")]
    And,
    #[token("||")]
    Or,
    #[token("!")]
    Not,
    #[token("=>")]
    Implies,

    /// Reported, and never handed on.
    #[regex(r"/\*([^*]|\*+[^*/])*\**")]
    UnclosedComment,

    EndOfFile,
}

impl Token {
    /// How a message names the token.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Token::Name => "a name",
            Token::Number => "a number",
            Token::Assert => "`assert`",
            Token::Assume => "`assume`",
            Token::Atomic => "`atomic`",
            Token::Await => "`await`",
            Token::Bool => "`bool`",
            Token::Choose => "`choose`",
            Token::Const => "`const`",
            Token::Else => "`else`",
            Token::Enum => "`enum`",
            Token::False => "`false`",
            Token::Goto => "`goto`",
            Token::If => "`if`",
            Token::In => "`in`",
            Token::Int => "`int`",
            Token::Local => "`local`",
            Token::Process => "`process`",
            Token::Shared => "`shared`",
            Token::Skip => "`skip`",
            Token::True => "`true`",
            Token::While => "`while`",
            Token::OpenBrace => "`{`",
            Token::CloseBrace => "`}`",
            Token::OpenParen => "`(`",
            Token::CloseParen => "`)`",
            Token::OpenBracket => "`[`",
            Token::CloseBracket => "`]`",
            Token::Comma => "`,`",
            Token::Semicolon => "`;`",
            Token::Colon => "`:`",
            Token::Assign => "`:=`",
            Token::Arrow => "`->`",
            Token::DotDot => "`..`",
            Token::Dot => "`.`",
            Token::Question => "`?`",
            Token::Plus => "`+`",
            Token::Minus => "`-`",
            Token::Star => "`*`",
            Token::Slash => "`/`",
            Token::Percent => "`%`",
            Token::Equal => "`=`",
            Token::NotEqual => "`!=`",
            Token::Less => "`<`",
            Token::AtMost => "`<=`",
            Token::Greater => "`>`",
            Token::AtLeast => "`>=`",
            Token::And => "`&&`",
            Token::Or => "`||`",
            Token::Not => "`!`",
            Token::Implies => "`=>`",
            Token::UnclosedComment => "a comment",
            Token::EndOfFile => "the end of the file",
        }
    }
}

/// The tokens of a text, ending in [`Token::EndOfFile`]; what is no token is reported and
/// left out.
pub(crate) fn tokens(
    source: SourceId,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<(Token, Span)> {
    let mut found = Vec::new();
    let mut stray: Option<Span> = None;
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let span = Span::new(source, lexer.span());
        match token {
            Ok(Token::UnclosedComment) => {
                let start = Span::new(source, lexer.span().start..lexer.span().start + 2);
                diagnostics.push(
                    Diagnostic::error(start, "this comment never ends").hint("close it with `*/`"),
                );
            }
            Ok(token) => found.push((token, span)),
            // Characters that stand together are one finding.
            Err(()) => match &mut stray {
                Some(stray) if stray.end == span.start => stray.end = span.end,
                _ => report_stray(text, stray.replace(span), diagnostics),
            },
        }
    }
    report_stray(text, stray, diagnostics);
    let end = text.len();
    found.push((Token::EndOfFile, Span::new(source, end..end)));
    found
}

fn report_stray(text: &str, stray: Option<Span>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(span) = stray else { return };
    let word = &text[span.range()];
    let mut shown: String = word.chars().take(20).collect();
    if shown.len() < word.len() {
        shown.push('…');
    }
    let diagnostic = Diagnostic::error(
        span,
        format!("`{}` means nothing here", shown.escape_debug()),
    );
    diagnostics.push(match word {
        "&" | "∧" => diagnostic.hint("conjunction is written `&&`"),
        "|" | "∨" => diagnostic.hint("disjunction is written `||`"),
        "¬" | "~" => diagnostic.hint("negation is written `!`"),
        "≤" => diagnostic.hint("write `<=`"),
        "≥" => diagnostic.hint("write `>=`"),
        "≠" => diagnostic.hint("write `!=`"),
        "→" | "⟼" | "↦" => diagnostic.hint("write `->`"),
        _ => diagnostic,
    });
}
