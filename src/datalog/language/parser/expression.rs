//! Arithmetic and aggregates.

use super::{MAX_DEPTH, Parsed, Parser};
use crate::ruleset::{AggregateFunction, Constant, Operator};
use crate::syntax::{Aggregate, Expression, ExpressionKind, Formula};
use crate::token::TokenKind;
use heddle_diagnostics::{Diagnostic, Span};

impl Parser<'_> {
    /// Sums of products; all operators associate to the left.
    pub(super) fn expression(&mut self) -> Parsed<Expression> {
        let mut left = self.product()?;
        loop {
            let operator = match self.kind() {
                TokenKind::Plus => Operator::Add,
                TokenKind::Minus => Operator::Subtract,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.product()?;
            left = self.binary(operator, left, right)?;
        }
    }

    fn product(&mut self) -> Parsed<Expression> {
        let mut left = self.factor()?;
        loop {
            let operator = match self.kind() {
                TokenKind::Star => Operator::Multiply,
                TokenKind::Slash => Operator::Divide,
                TokenKind::Percent => Operator::Remainder,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.factor()?;
            left = self.binary(operator, left, right)?;
        }
    }

    /// Whether an expression may start here.
    pub(super) fn at_expression(&self) -> bool {
        matches!(
            self.kind(),
            TokenKind::Name
                | TokenKind::Wildcard
                | TokenKind::Number
                | TokenKind::Text
                | TokenKind::Open
                | TokenKind::Minus
                | TokenKind::Count
                | TokenKind::Sum
                | TokenKind::Min
                | TokenKind::Max
        )
    }

    /// A chain of operators is a tree as high as the chain is long.
    fn binary(
        &mut self,
        operator: Operator,
        left: Expression,
        right: Expression,
    ) -> Parsed<Expression> {
        let span = left.span.to(right.span);
        let height = left.height.max(right.height) + 1;
        if height > MAX_DEPTH {
            let hint = format!(
                "at most {} may be in a row or within each other; give a part a variable of its \
                 own, as in `x = a + b, y = x + c`",
                MAX_DEPTH - 1
            );
            let error = Diagnostic::error(span, "this expression has too many operators");
            return Err(self.fail(error.hint(hint)));
        }
        Ok(Expression {
            kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
            span,
            height,
        })
    }

    fn factor(&mut self) -> Parsed<Expression> {
        if self.kind() != TokenKind::Minus {
            return self.primary();
        }
        let minus = self.advance().span;
        if self.kind() == TokenKind::Number {
            return self.number(Some(minus));
        }
        let operand = self.nested(Self::factor)?;
        let span = minus.to(self.previous().span);
        let height = operand.height + 1;
        let kind = match operand.kind {
            ExpressionKind::Constant(Constant::Number(number)) => {
                ExpressionKind::Constant(Constant::Number(number.wrapping_neg()))
            }
            _ => ExpressionKind::Negate(Box::new(operand)),
        };
        Ok(Expression { kind, span, height })
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let span = self.current().span;
        let leaf = |kind| Expression {
            kind,
            span,
            height: 1,
        };
        match self.kind() {
            TokenKind::Number => self.number(None),
            TokenKind::Text => {
                let string = self.string("a string")?;
                Ok(leaf(ExpressionKind::Constant(Constant::Symbol(
                    string.text,
                ))))
            }
            TokenKind::Name if self.at_atom(self.position) => {
                let atom = self.nested(Self::atom)?;
                Err(self.function_call(&atom))
            }
            TokenKind::Name => {
                let name = self.name("a variable")?;
                Ok(leaf(ExpressionKind::Variable(name.text)))
            }
            TokenKind::Wildcard => {
                self.advance();
                Ok(leaf(ExpressionKind::Wildcard))
            }
            TokenKind::Open => {
                self.advance();
                let inner = self.nested(Self::expression)?;
                let close = self.expect(TokenKind::Close, "an operator or `)`")?;
                Ok(Expression {
                    span: span.to(close.span),
                    ..inner
                })
            }
            TokenKind::Count => self.aggregate(AggregateFunction::Count),
            TokenKind::Sum => self.aggregate(AggregateFunction::Sum),
            TokenKind::Min => self.aggregate(AggregateFunction::Min),
            TokenKind::Max => self.aggregate(AggregateFunction::Max),
            _ => Err(self.unexpected("a variable, a constant or an expression")),
        }
    }

    /// `count : { body }`, `max value : { body }`, or with a single atom for the braces.
    fn aggregate(&mut self, function: AggregateFunction) -> Parsed<Expression> {
        let start = self.advance().span;
        if self.in_aggregate {
            return Err(self.fail(
                Diagnostic::error(
                    start,
                    "an aggregate inside of an aggregate is not supported",
                )
                .hint("derive the inner one's result as a relation of its own"),
            ));
        }
        self.in_aggregate = true;
        let aggregate = self.rest_of_aggregate(function, start);
        self.in_aggregate = false;
        Ok(Expression {
            kind: ExpressionKind::Aggregate(Box::new(aggregate?)),
            span: start.to(self.previous().span),
            height: 1,
        })
    }

    fn rest_of_aggregate(&mut self, function: AggregateFunction, start: Span) -> Parsed<Aggregate> {
        let value = match function {
            AggregateFunction::Count => {
                if self.kind() != TokenKind::Colon {
                    return Err(self.unexpected_with_hint(
                        "`:`",
                        Some("`count` counts tuples: `n = count : { p(x, _) }`"),
                    ));
                }
                None
            }
            _ => {
                self.refuse_functor(start)?;
                Some(self.nested(Self::expression)?)
            }
        };
        self.expect(TokenKind::Colon, "`:` and the aggregate's body")?;
        let body = if self.at_atom(self.position) {
            Formula::Atom(self.nested(Self::atom)?)
        } else {
            self.expect(TokenKind::OpenBrace, "`{` and the aggregate's body")?;
            let body = self.nested(Self::disjunction)?;
            self.expect(TokenKind::CloseBrace, "`,` or `}`")?;
            body
        };
        Ok(Aggregate {
            function,
            value,
            body,
        })
    }

    /// `max(a, b)` is a functor in Soufflé; `max (a + b) : …` is an aggregate.
    fn refuse_functor(&mut self, start: Span) -> Parsed<()> {
        if self.kind() != TokenKind::Open {
            return Ok(());
        }
        let close = self.matching_close(self.position);
        let has_comma = (self.position..close)
            .scan(0usize, |depth, position| {
                match self.kind_at(position) {
                    TokenKind::Open => *depth += 1,
                    TokenKind::Close => *depth -= 1,
                    _ => {}
                }
                Some(*depth == 1 && self.kind_at(position) == TokenKind::Comma)
            })
            .any(|comma| comma);
        if !has_comma {
            return Ok(());
        }
        let span = start.to(self.tokens[close].span);
        Err(self.fail(
            Diagnostic::error(span, "`min` and `max` of several values are not supported")
                .hint("write two rules, one with `a < b` and one with `a >= b`"),
        ))
    }
}
