//! Tokens to syntax tree, by recursive descent.
//!
//! An item that cannot be read is reported once and skipped, so that a file's mistakes
//! are all found in one go. [`MAX_DEPTH`] bounds the recursion, here and in every later
//! walk over the tree.

mod directive;
mod expression;
mod formula;
mod literal;

pub(crate) use literal::{ESCAPES, OVERFLOW, number_range, unescape};

use crate::syntax::{Item, Name, Rule};
use crate::token::{Token, TokenKind, tokens};
use heddle_diagnostics::{Diagnostic, SourceId, Span};

/// How deeply formulas and expressions may be nested.
pub(crate) const MAX_DEPTH: u32 = 100;

/// All items that could be read; what could not is in `diagnostics`.
pub(crate) fn parse(source: SourceId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Item> {
    let tokens = tokens(source, text, diagnostics);
    let mut parser = Parser {
        text,
        tokens,
        position: 0,
        item_start: 0,
        depth: 0,
        in_aggregate: false,
        items: Vec::new(),
        diagnostics,
    };
    while parser.kind() != TokenKind::End {
        parser.item_start = parser.position;
        parser.depth = 0;
        if parser.item().is_err() {
            parser.recover();
        }
    }
    parser.items
}

/// The text could not be read on; the diagnostic has been given.
struct Failed;

type Parsed<T> = Result<T, Failed>;

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    item_start: usize,
    depth: u32,
    in_aggregate: bool,
    items: Vec<Item>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// What the file may contain between directives.
impl Parser<'_> {
    fn item(&mut self) -> Parsed<()> {
        if let Some(directive) = self.directive_name() {
            return self.directive(directive, None);
        }
        match self.kind() {
            TokenKind::At => {
                let name = self.annotation()?;
                if let Some(directive) = self.directive_name() {
                    return self.directive(directive, Some(name));
                }
                self.rule(Some(name))
            }
            TokenKind::Name => self.rule(None),
            TokenKind::Dot => {
                let span = self.advance().span;
                self.diagnostics.push(
                    Diagnostic::error(span, "there is nothing for this `.` to end")
                        .hint("rules end with `.`, directives do not"),
                );
                Ok(())
            }
            kind => {
                let hint = (kind == TokenKind::If)
                    .then_some("what must never hold is written `.conflict body`");
                Err(self.unexpected_with_hint("a rule or a directive such as `.decl`", hint))
            }
        }
    }

    /// `@name("…")`
    fn annotation(&mut self) -> Parsed<Name> {
        let start = self.expect(TokenKind::At, "`@`")?;
        let kind = self.name("`name`")?;
        if kind.text != "name" {
            let span = start.span.to(kind.span);
            let message = format!("unknown annotation `@{}`", kind.text);
            return Err(self
                .fail(Diagnostic::error(span, message).hint(
                    "the only annotation is `@name(\"…\")`, before a rule or a `.conflict`",
                )));
        }
        self.expect(TokenKind::Open, "`(`")?;
        let name = self.string("the name in quotes, such as `\"from-read\"`")?;
        if name.text.trim().is_empty() {
            let error = Diagnostic::error(name.span, "a rule's name must not be empty");
            self.diagnostics.push(error);
        }
        self.expect(TokenKind::Close, "`)`")?;
        Ok(name)
    }

    /// `head, … :- body.` or `head, … .`
    fn rule(&mut self, name: Option<Name>) -> Parsed<()> {
        let mut heads = vec![self.atom()?];
        while self.eat(TokenKind::Comma) {
            heads.push(self.atom()?);
        }
        let body = if self.eat(TokenKind::If) {
            Some(self.disjunction()?)
        } else {
            None
        };
        let expected = match body {
            Some(_) => "`,`, `;` or `.`",
            None => "`:-`, `,` or `.`",
        };
        self.end_of_rule(expected)?;
        let start = heads[0].span;
        let end = self.previous().span;
        self.items.push(Item::Rule(Rule {
            name,
            heads,
            body,
            span: start.to(end),
        }));
        Ok(())
    }

    /// The final `.`. Where it was forgotten and the next line starts another item, the
    /// rule counts as ended there.
    fn end_of_rule(&mut self, expected: &str) -> Parsed<()> {
        let next_directive = self
            .directive_name()
            .is_some_and(|name| directive::is_known(&name.text));
        if !next_directive && self.eat(TokenKind::Dot) {
            return Ok(());
        }
        let item_follows = next_directive
            || self.kind() == TokenKind::End
            || self.starts_line(self.position)
                && (self.kind() == TokenKind::At || self.at_atom(self.position));
        if !item_follows {
            return Err(self.unexpected(expected));
        }
        let span = self.after_previous();
        self.diagnostics
            .push(Diagnostic::error(span, "this rule does not end").hint("end it with `.`"));
        Ok(())
    }
}

/// Going forward.
impl Parser<'_> {
    fn kind(&self) -> TokenKind {
        self.tokens[self.position].kind
    }

    fn kind_at(&self, position: usize) -> TokenKind {
        self.tokens
            .get(position)
            .map_or(TokenKind::End, |token| token.kind)
    }

    fn current(&self) -> Token {
        self.tokens[self.position]
    }

    fn previous(&self) -> Token {
        self.tokens[self.position.saturating_sub(1)]
    }

    /// The place right after the previous token.
    fn after_previous(&self) -> Span {
        let span = self.previous().span;
        Span::new(span.source, span.end as usize..span.end as usize)
    }

    fn snippet(&self, token: Token) -> &str {
        &self.text[token.span.range()]
    }

    fn advance(&mut self) -> Token {
        let token = self.current();
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let there = self.kind() == kind;
        if there {
            self.advance();
        }
        there
    }

    fn expect(&mut self, kind: TokenKind, expected: &str) -> Parsed<Token> {
        if self.kind() == kind {
            Ok(self.advance())
        } else {
            Err(self.unexpected(expected))
        }
    }

    fn name(&mut self, expected: &str) -> Parsed<Name> {
        let token = self.current();
        let text = self.snippet(token).to_string();
        match token.kind {
            TokenKind::Name => {
                self.advance();
                Ok(Name {
                    text,
                    span: token.span,
                })
            }
            TokenKind::Count | TokenKind::Sum | TokenKind::Min | TokenKind::Max => Err(self.fail(
                Diagnostic::error(
                    token.span,
                    format!("expected {expected}, found the keyword `{text}`"),
                )
                .hint("`count`, `sum`, `min` and `max` are reserved for aggregates"),
            )),
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Whether a relation's name and `(` stand there.
    fn at_atom(&self, position: usize) -> bool {
        self.kind_at(position) == TokenKind::Name && self.kind_at(position + 1) == TokenKind::Open
    }

    /// Whether the token is the first one of its line.
    fn starts_line(&self, position: usize) -> bool {
        let before = match position.checked_sub(1) {
            Some(previous) => self.tokens[previous].span.end as usize,
            None => return true,
        };
        let start = self.tokens[position].span.start as usize;
        self.text
            .get(before..start)
            .is_some_and(|gap| gap.contains('\n'))
    }

    /// Whether the token is the first character of its line.
    fn in_first_column(&self, position: usize) -> bool {
        let start = self.tokens[position].span.start as usize;
        start == 0 || self.text.as_bytes()[start - 1] == b'\n'
    }

    /// Whether nothing but space comes before the token in its line.
    fn begins_line(&self, position: usize) -> bool {
        let before = &self.text[..self.tokens[position].span.start as usize];
        let line = before.rsplit('\n').next().unwrap_or(before);
        line.trim().is_empty()
    }

    /// One level deeper, unless that is too deep.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.current().span));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }
}

/// Saying what is wrong, and going on after it.
impl Parser<'_> {
    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.diagnostics.push(diagnostic);
        Failed
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        self.fail(
            Diagnostic::error(span, "this is nested too deeply").hint(format!(
                "at most {MAX_DEPTH} levels are allowed; give a part of it its own relation"
            )),
        )
    }

    fn unexpected(&mut self, expected: &str) -> Failed {
        self.unexpected_with_hint(expected, None)
    }

    fn unexpected_with_hint(&mut self, expected: &str, hint: Option<&str>) -> Failed {
        let token = self.current();
        if token.kind.is_reported() {
            return Failed;
        }
        // What is missing at the end of a line is best shown there.
        let line_ended = self.position > self.item_start && self.starts_line(self.position);
        let (span, found) = match token.kind {
            TokenKind::End => (token.span, ", found the end of the file".to_string()),
            _ if line_ended => (self.after_previous(), String::new()),
            _ => (token.span, format!(", found `{}`", self.snippet(token))),
        };
        let mut diagnostic = Diagnostic::error(span, format!("expected {expected}{found}"));
        if let Some(hint) = hint {
            diagnostic = diagnostic.hint(hint);
        }
        self.fail(diagnostic)
    }

    /// Skips the rest of the item: to its final `.`, or to where the next item seems to
    /// start.
    fn recover(&mut self) {
        let of_directive = self.kind_at(self.item_start) == TokenKind::Dot;
        if self.position == self.item_start {
            self.advance();
        }
        loop {
            if self.kind() == TokenKind::End || self.at_next_item(of_directive) {
                return;
            }
            if self.advance().kind == TokenKind::Dot {
                return;
            }
        }
    }

    fn at_next_item(&self, after_directive: bool) -> bool {
        let directive = self
            .directive_name()
            .is_some_and(|name| directive::is_known(&name.text) || self.starts_line(self.position));
        let line_starts_item = match self.kind() {
            TokenKind::At => true,
            TokenKind::Name => after_directive || self.at_atom(self.position),
            _ => false,
        };
        directive || line_starts_item && self.in_first_column(self.position)
    }
}
