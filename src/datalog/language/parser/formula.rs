//! Rule bodies: atoms, comparisons, `!`, `,` and `;`.

use super::{Failed, Parsed, Parser};
use crate::ruleset::Comparison;
use crate::syntax::{Atom, Expression, ExpressionKind, Formula};
use crate::token::TokenKind;
use heddle_diagnostics::Diagnostic;

impl Parser<'_> {
    /// `a, b ; c, d`
    pub(super) fn disjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.conjunction()?];
        while self.eat(TokenKind::Semicolon) {
            parts.push(self.conjunction()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Formula::Any(parts),
        })
    }

    fn conjunction(&mut self) -> Parsed<Formula> {
        let mut parts = vec![self.literal()?];
        while self.eat(TokenKind::Comma) {
            parts.push(self.literal()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Formula::All(parts),
        })
    }

    fn literal(&mut self) -> Parsed<Formula> {
        match self.kind() {
            TokenKind::Not => {
                let not = self.advance().span;
                let negated = self.nested(Self::literal)?;
                let span = not.to(self.previous().span);
                Ok(Formula::Not(Box::new(negated), span))
            }
            TokenKind::Open if self.at_formula_in_parentheses() => {
                self.advance();
                let inner = self.nested(Self::disjunction)?;
                self.expect(TokenKind::Close, "`,`, `;` or `)`")?;
                Ok(inner)
            }
            TokenKind::Name if self.at_atom(self.position) => {
                let atom = self.atom()?;
                if self.at_operator(self.position) {
                    return Err(self.function_call(&atom));
                }
                Ok(Formula::Atom(atom))
            }
            _ if self.at_expression() => self.comparison(),
            _ => Err(self.unexpected("an atom or a comparison")),
        }
    }

    /// `relation(argument, …)`
    pub(super) fn atom(&mut self) -> Parsed<Atom> {
        let relation = self.name("a relation's name")?;
        let mut arguments = Vec::new();
        self.expect(TokenKind::Open, "`(`")?;
        if !self.eat(TokenKind::Close) {
            loop {
                arguments.push(self.expression()?);
                if self.eat(TokenKind::Close) {
                    break;
                }
                self.expect(TokenKind::Comma, "`,` or `)`")?;
            }
        }
        let span = relation.span.to(self.previous().span);
        Ok(Atom {
            relation,
            arguments,
            span,
        })
    }

    fn comparison(&mut self) -> Parsed<Formula> {
        let left = self.expression()?;
        let comparison = match self.kind() {
            TokenKind::Equal => Comparison::Equal,
            TokenKind::NotEqual => Comparison::NotEqual,
            TokenKind::Less => Comparison::Less,
            TokenKind::LessEqual => Comparison::LessEqual,
            TokenKind::Greater => Comparison::Greater,
            TokenKind::GreaterEqual => Comparison::GreaterEqual,
            _ => {
                let expected = "a comparison such as `=` or `!=`";
                return Err(self.unexpected_with_hint(expected, foreign_word(&left)));
            }
        };
        self.advance();
        if self.kind() == TokenKind::Equal {
            let hint = match comparison {
                Comparison::Equal => Some("equality is a single `=`"),
                _ => None,
            };
            return Err(self.unexpected_with_hint("an expression", hint));
        }
        let right = self.expression()?;
        let span = left.span.to(right.span);
        Ok(Formula::Compare {
            comparison,
            left,
            right,
            span,
        })
    }

    /// What looked like an atom is an operand: Soufflé would call a functor.
    pub(super) fn function_call(&mut self, atom: &Atom) -> Failed {
        let name = &atom.relation.text;
        self.fail(
            Diagnostic::error(
                atom.span,
                format!("`{name}(…)` is used as a value, but there are no functions"),
            )
            .hint("expressions are built with + - * / % and the aggregates"),
        )
    }

    /// Whether the parentheses that open here enclose a formula and not the operand of a
    /// comparison: an operand is followed by an operator.
    fn at_formula_in_parentheses(&self) -> bool {
        !self.at_operator(self.matching_close(self.position) + 1)
    }

    /// The `)` that belongs to the `(` at `open`, or where the rule ends without one.
    pub(super) fn matching_close(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for position in open..self.tokens.len() {
            match self.kind_at(position) {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth -= 1,
                TokenKind::Dot | TokenKind::End => return position,
                _ => {}
            }
            if depth == 0 {
                return position;
            }
        }
        self.tokens.len() - 1
    }

    fn at_operator(&self, position: usize) -> bool {
        matches!(
            self.kind_at(position),
            TokenKind::Equal
                | TokenKind::NotEqual
                | TokenKind::Less
                | TokenKind::LessEqual
                | TokenKind::Greater
                | TokenKind::GreaterEqual
                | TokenKind::Plus
                | TokenKind::Minus
                | TokenKind::Star
                | TokenKind::Slash
                | TokenKind::Percent
        )
    }
}

/// What Soufflé or another language means by a word that is compared with nothing.
fn foreign_word(expression: &Expression) -> Option<&'static str> {
    let ExpressionKind::Variable(name) = &expression.kind else {
        return None;
    };
    match name.as_str() {
        "not" => Some("negation is written `!`"),
        "true" => Some("leave it out, or write `0 = 0`"),
        "false" => Some("write `0 = 1`"),
        _ => None,
    }
}
