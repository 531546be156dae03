//! Arithmetic and comparison, typed: on `int`, and as far as signs do not matter on bits.

use super::check::Checker;
use super::syntax::{Binary, Expression, Form};
use super::typed::*;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::Op;

impl Checker<'_> {
    pub(crate) fn negation(
        &mut self,
        operand: &Expression,
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Typed> {
        match operand.form {
            Form::Number(number) => return self.number(-number, span, wanted),
            // The least number is one further from 0 than the greatest.
            Form::LargeNumber(number) if number == i128::MIN.unsigned_abs() => {
                return self.number(i128::MIN, span, wanted);
            }
            _ => {}
        }
        let kind = self.arithmetic_type([operand].into_iter(), "-", span, wanted)?;
        let operand = self.check(operand, Some(Type::Plain(kind)))?;
        let op = if kind == Kind::Int {
            Op::Neg
        } else {
            Op::BvNeg
        };
        Some(Typed {
            node: Node::Apply(op, vec![operand]),
            kind: Type::Plain(kind),
            span,
        })
    }

    /// `int` or a bit-vector, by the operands and by what is wanted.
    pub(crate) fn arithmetic_type<'e>(
        &mut self,
        mut operands: impl Iterator<Item = &'e Expression>,
        symbol: &str,
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Kind> {
        let natural = operands.find_map(|operand| self.natural(operand));
        match natural.or(wanted).unwrap_or(INT) {
            Type::Plain(kind @ (Kind::Int | Kind::Bits(_))) => Some(kind),
            other => {
                let other = self.findings.show(other);
                let message = format!("`{symbol}` is for numbers, not for `{other}`");
                self.findings.report(Diagnostic::error(span, message));
                None
            }
        }
    }

    pub(crate) fn sum(&mut self, operands: &[Expression], kind: Kind, span: Span) -> Option<Typed> {
        let operands: Vec<Option<Typed>> = operands
            .iter()
            .map(|operand| self.check(operand, Some(Type::Plain(kind))))
            .collect();
        let operands = operands.into_iter().collect::<Option<Vec<Typed>>>()?;
        let op = if kind == Kind::Int {
            Op::Add
        } else {
            Op::BvAdd
        };
        Some(Typed {
            node: Node::Apply(op, operands),
            kind: Type::Plain(kind),
            span,
        })
    }

    pub(crate) fn binary(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Typed> {
        let typed = |op: Op, arguments: Vec<Typed>, kind: Type| Typed {
            node: Node::Apply(op, arguments),
            kind,
            span,
        };
        match operator {
            Binary::Implies => {
                let (left, right) = (self.condition(left), self.condition(right));
                let negated = typed(Op::Not, vec![left?], BOOL);
                Some(typed(Op::Or, vec![negated, right?], BOOL))
            }
            Binary::Equal | Binary::NotEqual => {
                let kind = self.natural(left).or_else(|| self.natural(right));
                let free = matches!(left.form, Form::Any) && matches!(right.form, Form::Any);
                let kind = if free { None } else { kind.or(Some(INT)) };
                let (left, right) = (self.check(left, kind), self.check(right, kind));
                let equal = typed(Op::Eq, vec![left?, right?], BOOL);
                Some(match operator {
                    Binary::Equal => equal,
                    _ => typed(Op::Not, vec![equal], BOOL),
                })
            }
            Binary::Less | Binary::AtMost | Binary::Greater | Binary::AtLeast => {
                let symbol = operator.symbol();
                let kind = self.arithmetic_type([left, right].into_iter(), symbol, span, None)?;
                if let Kind::Bits(_) = kind {
                    self.findings.report(
                        Diagnostic::error(span, format!("`{symbol}` does not say whether bits have a sign"))
                            .hint("write `bvult`, `bvule` (unsigned) or `bvslt`, `bvsle` (signed), as in `bvult(x, y)`"),
                    );
                    return None;
                }
                let (left, right) = (self.check(left, Some(INT)), self.check(right, Some(INT)));
                let (left, right) = (left?, right?);
                Some(match operator {
                    Binary::Less => typed(Op::Lt, vec![left, right], BOOL),
                    Binary::AtMost => typed(Op::Le, vec![left, right], BOOL),
                    Binary::Greater => typed(Op::Lt, vec![right, left], BOOL),
                    _ => typed(Op::Le, vec![right, left], BOOL),
                })
            }
            _ => {
                let symbol = operator.symbol();
                let kind = self.arithmetic_type([left, right].into_iter(), symbol, span, wanted)?;
                let op = match (operator, kind) {
                    (Binary::Minus, Kind::Int) => Op::Sub,
                    (Binary::Minus, _) => Op::BvSub,
                    (Binary::Times, Kind::Int) => Op::Mul,
                    (Binary::Times, _) => Op::BvMul,
                    (Binary::Divide, Kind::Int) => Op::Div,
                    (Binary::Modulo, Kind::Int) => Op::Mod,
                    _ => {
                        self.findings.report(
                            Diagnostic::error(span, format!("`{symbol}` does not say whether bits have a sign"))
                                .hint("write `bvudiv`, `bvurem` (unsigned) or `bvsdiv`, `bvsrem` (signed)"),
                        );
                        return None;
                    }
                };
                let kind = Type::Plain(kind);
                let (left, right) = (self.check(left, Some(kind)), self.check(right, Some(kind)));
                Some(typed(op, vec![left?, right?], kind))
            }
        }
    }
}
