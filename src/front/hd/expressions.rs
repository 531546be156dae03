//! From text to syntax tree: expressions, by precedence climbing.

use super::parser::{MAX_DEPTH, Parser};
use super::syntax::*;
use super::token::Token;
use heddle_diagnostics::{Diagnostic, Span};

/// How tightly an operator binds; a larger number binds tighter.
type Precedence = u8;

const IMPLIES: Precedence = 1;
const EQUALITY: Precedence = 4;
const COMPARISON: Precedence = 5;

fn operator(token: Token) -> Option<(Binary, Precedence)> {
    Some(match token {
        Token::Implies => (Binary::Implies, IMPLIES),
        Token::Or => (Binary::Or, 2),
        Token::And => (Binary::And, 3),
        Token::Equal => (Binary::Equal, EQUALITY),
        Token::NotEqual => (Binary::NotEqual, EQUALITY),
        Token::Less => (Binary::Less, COMPARISON),
        Token::AtMost => (Binary::AtMost, COMPARISON),
        Token::Greater => (Binary::Greater, COMPARISON),
        Token::AtLeast => (Binary::AtLeast, COMPARISON),
        Token::Plus => (Binary::Plus, 6),
        Token::Minus => (Binary::Minus, 6),
        Token::Star => (Binary::Times, 7),
        Token::Slash => (Binary::Divide, 7),
        Token::Percent => (Binary::Modulo, 7),
        _ => return None,
    })
}

fn atom(form: Form, span: Span) -> Expression {
    Expression {
        form,
        span,
        height: 1,
    }
}

impl Parser<'_> {
    pub(crate) fn expression(&mut self) -> Option<Expression> {
        self.nested(|parser| {
            let condition = parser.binary(IMPLIES)?;
            if parser.accept(Token::Question).is_none() {
                return Some(condition);
            }
            let then = parser.expression()?;
            parser.expect(Token::Colon, "and the other value, as in `c ? a : b`")?;
            let otherwise = parser.expression()?;
            let span = condition.span.to(otherwise.span);
            let below = condition.height.max(then.height).max(otherwise.height);
            parser.combined(
                Form::Choice(Box::new(condition), Box::new(then), Box::new(otherwise)),
                span,
                below,
            )
        })
    }

    /// An expression on top of others; `below` is the greatest of their heights.
    fn combined(&mut self, form: Form, span: Span, below: u32) -> Option<Expression> {
        if below >= MAX_DEPTH {
            self.abandon();
            return None;
        }
        Some(Expression {
            form,
            span,
            height: below + 1,
        })
    }

    fn binary(&mut self, least: Precedence) -> Option<Expression> {
        let mut left = self.unary()?;
        let mut compared: Option<(Precedence, Span)> = None;
        while let Some((operator, precedence)) = operator(self.peek()) {
            if precedence < least {
                break;
            }
            let place = self.take();
            if let Some((before, first)) = compared
                && before == precedence
            {
                self.report(
                    Diagnostic::error(place, "comparisons do not chain")
                        .related(first, "the first comparison")
                        .hint(
                            "write `a < b && b < c`, or parentheses if truth values are compared",
                        ),
                );
                return None;
            }
            if matches!(precedence, EQUALITY | COMPARISON) {
                compared = Some((precedence, place));
            }
            // Implication associates to the right, all others to the left.
            let right = if precedence == IMPLIES {
                self.nested(|parser| parser.binary(precedence))?
            } else {
                self.binary(precedence + 1)?
            };
            let span = left.span.to(right.span);
            left = self.join(operator, left, right, span)?;
        }
        Some(left)
    }

    fn join(
        &mut self,
        operator: Binary,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Option<Expression> {
        if !matches!(operator, Binary::And | Binary::Or | Binary::Plus) {
            let below = left.height.max(right.height);
            let form = Form::Binary(operator, Box::new(left), Box::new(right));
            return self.combined(form, span, below);
        }
        let below = (left.height - 1).max(right.height);
        match left.form {
            Form::Chain(first, mut operands) if first == operator => {
                operands.push(right);
                self.combined(Form::Chain(operator, operands), span, below)
            }
            _ => {
                let below = left.height.max(right.height);
                self.combined(Form::Chain(operator, vec![left, right]), span, below)
            }
        }
    }

    fn unary(&mut self) -> Option<Expression> {
        let operator = match self.peek() {
            Token::Not => Unary::Not,
            Token::Minus => Unary::Minus,
            _ => return self.postfix(),
        };
        let start = self.take();
        let operand = self.nested(Self::unary)?;
        let span = start.to(operand.span);
        let below = operand.height;
        self.combined(Form::Unary(operator, Box::new(operand)), span, below)
    }

    fn postfix(&mut self) -> Option<Expression> {
        let mut base = self.primary()?;
        loop {
            match self.peek() {
                Token::OpenBracket => {
                    self.take();
                    let index = self.expression()?;
                    let end = self.expect(Token::CloseBracket, "after the index")?;
                    let span = base.span.to(end);
                    let below = base.height.max(index.height);
                    let form = Form::Element(Box::new(base), Box::new(index));
                    base = self.combined(form, span, below)?;
                }
                Token::Dot => {
                    self.take();
                    let member = self.name("of a local variable")?;
                    let span = base.span.to(member.span);
                    let below = base.height;
                    base = self.combined(Form::Member(Box::new(base), member), span, below)?;
                }
                _ => return Some(base),
            }
        }
    }

    fn primary(&mut self) -> Option<Expression> {
        let span = self.span();
        match self.peek() {
            Token::Number => {
                self.take();
                let word = self.word(span);
                let number = word.parse().map(Form::Number);
                match number.or_else(|_| word.parse().map(Form::LargeNumber)) {
                    Ok(form) => Some(atom(form, span)),
                    Err(_) => {
                        self.report(
                            Diagnostic::error(span, "this number is too large")
                                .hint(format!("the largest is {}, of `bv128`", u128::MAX)),
                        );
                        None
                    }
                }
            }
            Token::True | Token::False => {
                let truth = self.peek() == Token::True;
                self.take();
                Some(atom(Form::Truth(truth), span))
            }
            Token::Star => {
                self.take();
                Some(atom(Form::Any, span))
            }
            Token::Name if self.peek_after(1) == Token::OpenParen => self.call(),
            Token::Name => {
                self.take();
                Some(atom(Form::Name(self.word(span)), span))
            }
            Token::OpenParen => {
                self.take();
                let inner = self.expression()?;
                let end = self.expect(Token::CloseParen, "to match the `(`")?;
                Some(Expression {
                    span: span.to(end),
                    ..inner
                })
            }
            _ => {
                let found = self.found();
                self.report(
                    Diagnostic::error(span, "expected an expression")
                        .label(format!("found {found}")),
                );
                None
            }
        }
    }

    fn call(&mut self) -> Option<Expression> {
        let function = self.name("of a function")?;
        self.take();
        let mut below = 1;
        let mut arguments = Vec::new();
        while self.peek() != Token::CloseParen {
            let first = self.expression()?;
            below = below.max(first.height);
            arguments.push(match self.accept(Token::DotDot) {
                None => Argument::Value(first),
                Some(_) => {
                    let last = self.expression()?;
                    below = below.max(last.height);
                    Argument::Range(first, last)
                }
            });
            if self.accept(Token::Comma).is_none() {
                break;
            }
        }
        let end = self.expect(Token::CloseParen, "after the arguments")?;
        let span = function.span.to(end);
        self.combined(Form::Call(function, arguments), span, below)
    }
}
