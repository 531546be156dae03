//! From text to syntax tree: statements and guarded commands.

use super::parser::{Entry, Parser};
use super::syntax::*;
use super::token::Token;
use heddle_diagnostics::{Diagnostic, Span};

impl Parser<'_> {
    /// A statement or a guarded command: which one shows after the first expression.
    pub(crate) fn entry(&mut self) -> Option<Entry> {
        let start = self.span();
        let labels = self.labels();
        let action = match self.peek() {
            Token::Skip => {
                self.take();
                self.ended(Action::Skip)
            }
            Token::Assume => {
                self.take();
                let condition = self.expression()?;
                self.ended(Action::Assume(condition))
            }
            Token::Await => {
                self.take();
                let condition = self.expression()?;
                self.ended(Action::Await(condition))
            }
            Token::Assert => {
                self.take();
                let condition = self.expression()?;
                self.ended(Action::Assert(condition))
            }
            Token::Goto => {
                self.take();
                let targets = self.separated(Self::target)?;
                self.ended(Action::Goto(targets))
            }
            Token::If => {
                let statement = self.conditional(start, labels)?;
                self.accept(Token::Semicolon);
                return Some(Entry::Statement(statement));
            }
            Token::While => {
                self.take();
                let condition = self.expression()?;
                let head = start.to(self.behind());
                let body = self.loop_body()?;
                (Action::While(condition, body), head)
            }
            Token::Atomic => {
                let head = self.take();
                let body = self.block("of the atomic block")?;
                (Action::Atomic(body), start.to(head))
            }
            Token::Choose => {
                let head = self.take();
                let mut branches = vec![self.block("of the first choice")?];
                while self.at_word("or") {
                    self.take();
                    branches.push(self.block("of the next choice")?);
                }
                (Action::Choose(branches), start.to(head))
            }
            Token::CloseBrace if !labels.is_empty() => return Some(Entry::EndLabels(labels)),
            Token::Name if self.peek_after(1) == Token::Name && self.at_word("start") => {
                self.take();
                let process = self.expression()?;
                self.ended(Action::Start(process))
            }
            Token::Name if self.peek_after(1) == Token::Name && self.at_word("join") => {
                self.take();
                let process = self.expression()?;
                self.ended(Action::Join(process))
            }
            Token::Name
                if matches!(self.peek_after(1), Token::Semicolon | Token::Number)
                    && self.at_word("bound") =>
            {
                self.take();
                let bound = match self.accept(Token::Number) {
                    Some(span) => Some(self.bound(span)?),
                    None => None,
                };
                self.ended(Action::Bound(bound))
            }
            Token::OpenBrace => {
                let span = self.span();
                self.report(
                    Diagnostic::error(span, "a block needs a word before it").hint(
                        "`atomic { … }`, `choose { … } or { … }`, `while e { … }` or `if e { … }`",
                    ),
                );
                return None;
            }
            Token::Shared | Token::Const | Token::Enum => {
                let span = self.span();
                self.report(
                    Diagnostic::error(span, "this is declared outside of processes")
                        .hint("inside of a process, variables are `local`"),
                );
                return None;
            }
            Token::Else => {
                let span = self.span();
                self.report(Diagnostic::error(span, "this `else` has no `if`"));
                return None;
            }
            _ => return self.expression_first(start, labels),
        };
        let (action, span) = action;
        if action.blocks().next().is_some() {
            // A `;` behind a block is a habit that does no harm.
            self.accept(Token::Semicolon);
        }
        Some(Entry::Statement(Statement {
            number: self.number(),
            labels,
            action,
            span: start.to(span),
        }))
    }

    fn bound(&mut self, span: Span) -> Option<u32> {
        let bound = self.word(span).parse().ok();
        if bound.is_none() {
            self.report(Diagnostic::error(span, "this bound is too large"));
        }
        bound
    }

    /// The end of a simple statement. Its span does not include the `;`.
    fn ended(&mut self, action: Action) -> (Action, Span) {
        let span = self.behind();
        self.semicolon();
        (action, span)
    }

    fn labels(&mut self) -> Vec<Name> {
        let mut labels = Vec::new();
        while matches!(self.peek(), Token::Name | Token::Number)
            && self.peek_after(1) == Token::Colon
        {
            let span = self.take();
            self.take();
            labels.push(Name {
                text: self.word(span),
                span,
            });
        }
        labels
    }

    /// A label after `goto`.
    fn target(&mut self) -> Option<Name> {
        if self.peek() == Token::Number {
            let span = self.take();
            return Some(Name {
                text: self.word(span),
                span,
            });
        }
        self.name("of a label")
    }

    fn conditional(&mut self, start: Span, labels: Vec<Name>) -> Option<Statement> {
        self.nested(|parser| {
            parser.take();
            let condition = parser.expression()?;
            let span = start.to(parser.behind());
            let then = parser.block("of the `if`")?;
            let otherwise = match parser.accept(Token::Else) {
                None => None,
                Some(_) if parser.peek() == Token::If => {
                    let start = parser.span();
                    let nested = parser.conditional(start, Vec::new())?;
                    Some(Block {
                        statements: vec![nested],
                        end_labels: Vec::new(),
                        end: parser.behind(),
                    })
                }
                Some(_) => Some(parser.block("of the `else`")?),
            };
            Some(Statement {
                number: parser.number(),
                labels,
                action: Action::If(condition, then, otherwise),
                span,
            })
        })
    }

    /// `while e;` is `while e { }`: waiting.
    fn loop_body(&mut self) -> Option<Block> {
        match self.accept(Token::Semicolon) {
            Some(end) => Some(Block {
                statements: Vec::new(),
                end_labels: Vec::new(),
                end,
            }),
            None => self.block("of the loop"),
        }
    }

    fn block(&mut self, purpose: &str) -> Option<Block> {
        let open = self.expect(Token::OpenBrace, purpose)?;
        self.nested(|parser| {
            let mut statements = Vec::new();
            loop {
                match parser.peek() {
                    Token::CloseBrace => {
                        let end = parser.take();
                        return Some(Block {
                            statements,
                            end_labels: Vec::new(),
                            end,
                        });
                    }
                    Token::EndOfFile | Token::Process => {
                        let span = parser.behind();
                        parser.report(
                            Diagnostic::error(span, "a block is not closed")
                                .label("a `}` is missing")
                                .related(open, "it begins here"),
                        );
                        return Some(Block {
                            statements,
                            end_labels: Vec::new(),
                            end: span,
                        });
                    }
                    Token::Local => {
                        let span = parser.span();
                        parser.report(Diagnostic::error(
                            span,
                            "local variables are declared at the beginning of the process",
                        ));
                        parser.skip_statement();
                    }
                    _ => match parser.entry() {
                        Some(Entry::Statement(statement)) => statements.push(statement),
                        Some(Entry::Command(command)) => parser.report(
                            Diagnostic::error(
                                command.span,
                                "a guarded command stands directly in its process",
                            )
                            .hint("inside of a block, write `assume guard; x := e;`"),
                        ),
                        Some(Entry::EndLabels(labels)) => parser.report(
                            Diagnostic::error(
                                labels[0].span,
                                "this label stands before no statement",
                            )
                            .hint("put a `skip;` behind it"),
                        ),
                        None => parser.skip_statement(),
                    },
                }
            }
        })
    }

    /// An assignment or a guarded command.
    fn expression_first(&mut self, start: Span, labels: Vec<Name>) -> Option<Entry> {
        let first = self.expression()?;
        match self.peek() {
            Token::Arrow => {
                self.take();
                let effect = self.effect()?;
                let span = start.to(self.behind());
                self.semicolon();
                Some(Entry::Command(Command {
                    label: labels.into_iter().next(),
                    guard: first,
                    effect,
                    span,
                }))
            }
            Token::Assign | Token::Comma => {
                let assignments = self.assignments(first)?;
                let span = start.to(self.behind());
                self.semicolon();
                Some(Entry::Statement(Statement {
                    number: self.number(),
                    labels,
                    action: Action::Assign(assignments),
                    span,
                }))
            }
            _ => {
                self.report(no_statement(&first));
                None
            }
        }
    }

    fn effect(&mut self) -> Option<Effect> {
        match self.peek() {
            Token::Skip => {
                self.take();
                Some(Effect::Skip)
            }
            Token::Assert => {
                self.take();
                Some(Effect::Assert(self.expression()?))
            }
            Token::OpenBrace | Token::If | Token::While | Token::Goto | Token::Atomic => {
                let span = self.span();
                self.report(
                    Diagnostic::error(span, "expected assignments after `->`")
                        .hint("`guard -> x := e, y := f`, `guard -> skip` or `guard -> assert e`"),
                );
                None
            }
            _ => {
                let first = self.expression()?;
                if !matches!(self.peek(), Token::Assign | Token::Comma) {
                    self.report(no_statement(&first));
                    return None;
                }
                Some(Effect::Assign(self.assignments(first)?))
            }
        }
    }

    /// `x := e, y := f` or `x, y := e, f`, or a mixture: all at once.
    fn assignments(&mut self, first: Expression) -> Option<Vec<Assignment>> {
        let mut assignments = Vec::new();
        let mut first = Some(first);
        loop {
            let mut targets = Vec::new();
            loop {
                targets.push(match first.take() {
                    Some(target) => target,
                    None => self.expression()?,
                });
                if self.accept(Token::Comma).is_none() {
                    break;
                }
            }
            self.expect(Token::Assign, "in the assignment")?;
            let count = targets.len();
            for (index, target) in targets.into_iter().enumerate() {
                if index > 0 && self.accept(Token::Comma).is_none() {
                    let span = self.behind();
                    let plural = if index == 1 { "" } else { "s" };
                    self.report(Diagnostic::error(
                        span,
                        format!("{count} variables are assigned, but there is only {index} value{plural}"),
                    ));
                    return None;
                }
                let value = self.expression()?;
                assignments.push(Assignment { target, value });
            }
            if self.accept(Token::Comma).is_none() {
                return Some(assignments);
            }
        }
    }
}

fn no_statement(expression: &Expression) -> Diagnostic {
    let diagnostic = Diagnostic::error(expression.span, "this is not a statement");
    match &expression.form {
        Form::Binary(Binary::Equal, target, _)
            if matches!(target.form, Form::Name(_) | Form::Element(..)) =>
        {
            diagnostic
                .label("this compares")
                .hint("an assignment is written `:=`")
        }
        _ => diagnostic
            .label("expected `:=` or `->` after this")
            .hint("an assignment is `x := e;`, a guarded command is `guard -> x := e;`"),
    }
}
