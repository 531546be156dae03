//! From text to syntax tree: looking at tokens, reporting, and going on after a mistake.
//!
//! Recursive descent in three parts: `declarations`, `statements`, `expressions`. A function that returns `None` has reported why; its caller skips to
//! the next place where it makes sense to go on, so that one run shows all mistakes.

use super::syntax::*;
use super::token::{Token, tokens};
use heddle_diagnostics::{Diagnostic, SourceId, Span};
use std::collections::HashSet;

/// How deeply blocks and expressions may be nested. Every later pass recurses over the
/// tree, so this also bounds the stack.
pub(crate) const MAX_DEPTH: u32 = 200;

/// The process that holds the guarded commands outside of any process.
pub(crate) const TOP_LEVEL_PROCESS: &str = "system";

pub(crate) struct Parser<'a> {
    text: &'a str,
    source: SourceId,
    tokens: Vec<(Token, Span)>,
    next: usize,
    depth: u32,
    pub(crate) statements: usize,
    /// Set once the input is nested too deeply: nothing more is reported.
    abandoned: bool,
    line_starts: Vec<usize>,
    /// Lines with unknown words: what is missing there is those words.
    odd_lines: HashSet<usize>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// The tree of a text. It is complete only if no error was reported.
pub(crate) fn parse(source: SourceId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> File {
    parser(source, text, diagnostics).file()
}

/// The tree of a text that is one expression.
pub(crate) fn parse_expression(
    source: SourceId,
    text: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Expression> {
    let mut parser = parser(source, text, diagnostics);
    let expression = parser.expression()?;
    if parser.peek() != Token::EndOfFile {
        let (found, span) = (parser.found(), parser.span());
        parser.report(
            Diagnostic::error(span, "the expression ends before this")
                .label(format!("found {found}")),
        );
        return None;
    }
    Some(expression)
}

fn parser<'a>(source: SourceId, text: &'a str, diagnostics: &'a mut Vec<Diagnostic>) -> Parser<'a> {
    let tokens = tokens(source, text, diagnostics);
    let line_starts: Vec<usize> = std::iter::once(0)
        .chain(text.match_indices('\n').map(|(newline, _)| newline + 1))
        .collect();
    let odd_lines = diagnostics
        .iter()
        .filter_map(|diagnostic| diagnostic.place.as_ref())
        .map(|(span, _)| line(&line_starts, *span))
        .collect();
    Parser {
        text,
        source,
        tokens,
        next: 0,
        depth: 0,
        statements: 0,
        abandoned: false,
        line_starts,
        odd_lines,
        diagnostics,
    }
}

/// Looking at tokens, and reporting.
impl Parser<'_> {
    pub(crate) fn peek(&self) -> Token {
        self.peek_after(0)
    }

    pub(crate) fn peek_after(&self, count: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.next + count).min(last)].0
    }

    /// The span of the next token.
    pub(crate) fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    /// Just behind the last token that was taken.
    pub(crate) fn behind(&self) -> Span {
        let end = match self.next {
            0 => 0,
            next => self.tokens[next - 1].1.range().end,
        };
        Span::new(self.source, end..end)
    }

    pub(crate) fn word(&self, span: Span) -> String {
        self.text[span.range()].to_owned()
    }

    /// Is the next token this name? Such words are only special where they are asked for.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Name && &self.text[self.span().range()] == word
    }

    pub(crate) fn take(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Token::EndOfFile {
            self.next += 1;
        }
        span
    }

    pub(crate) fn accept(&mut self, token: Token) -> Option<Span> {
        (self.peek() == token).then(|| self.take())
    }

    pub(crate) fn expect(&mut self, token: Token, purpose: &str) -> Option<Span> {
        if let Some(span) = self.accept(token) {
            return Some(span);
        }
        let (found, span) = (self.found(), self.span());
        self.report(
            Diagnostic::error(span, format!("expected {} {purpose}", token.describe()))
                .label(format!("found {found}")),
        );
        None
    }

    /// A forgotten `;` is reported where it belongs, and taken as read.
    pub(crate) fn semicolon(&mut self) {
        if self.accept(Token::Semicolon).is_some() {
            return;
        }
        let place = self.behind();
        let found = self.found();
        self.report(
            Diagnostic::error(place, "a `;` is missing").label(format!("expected before {found}")),
        );
        let line_break = self.text[place.range().end..self.span().range().start].contains('\n');
        if !line_break && !matches!(self.peek(), Token::CloseBrace | Token::EndOfFile) {
            self.skip_statement();
        }
    }

    pub(crate) fn name(&mut self, purpose: &str) -> Option<Name> {
        let span = self.expect(Token::Name, purpose)?;
        Some(Name {
            text: self.word(span),
            span,
        })
    }

    /// The next token as a message shows it.
    pub(crate) fn found(&self) -> String {
        match self.peek() {
            Token::Name | Token::Number => format!("`{}`", self.word(self.span())),
            token => token.describe().to_owned(),
        }
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let odd =
            |(span, _): &(Span, String)| self.odd_lines.contains(&line(&self.line_starts, *span));
        if !self.abandoned && !diagnostic.place.as_ref().is_some_and(odd) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Runs a part of the grammar one level deeper.
    pub(crate) fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.abandon();
            return None;
        }
        self.depth += 1;
        let result = part(self);
        self.depth -= 1;
        result
    }

    /// Stops parsing: what follows would only repeat the complaint.
    pub(crate) fn abandon(&mut self) {
        let span = self.span();
        self.report(
            Diagnostic::error(span, "this is nested too deeply")
                .hint(format!("at most {MAX_DEPTH} levels are supported")),
        );
        self.abandoned = true;
        self.next = self.tokens.len() - 1;
    }

    /// Skips the rest of a statement or declaration that went wrong: up to and including
    /// its `;` or its block, not beyond the end of the block that it stands in.
    pub(crate) fn skip_statement(&mut self) {
        let mut open = 0usize;
        loop {
            match self.peek() {
                Token::EndOfFile => return,
                Token::CloseBrace if open == 0 => return,
                Token::Semicolon if open == 0 => {
                    self.take();
                    return;
                }
                Token::OpenBrace => open += 1,
                Token::CloseBrace => {
                    open -= 1;
                    if open == 0 {
                        self.take();
                        self.accept(Token::Semicolon);
                        return;
                    }
                }
                _ => {}
            }
            self.take();
        }
    }

    /// `part, part, …`
    pub(crate) fn separated<T>(
        &mut self,
        mut part: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mut parts = vec![part(self)?];
        while self.accept(Token::Comma).is_some() {
            parts.push(part(self)?);
        }
        Some(parts)
    }
}

/// The line that a place is on, counted from 1.
fn line(line_starts: &[usize], span: Span) -> usize {
    line_starts.partition_point(|&start| start <= span.range().start)
}

/// What a process consists of.
pub(crate) enum Entry {
    Statement(Statement),
    Command(Command),
    /// Labels with nothing but a closing brace behind them.
    EndLabels(Vec<Name>),
}
