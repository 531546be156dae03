//! Values that are known before the program runs.

use super::check::Checker;
use super::syntax::Expression;
use super::typed::*;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Constant, Op};

impl Checker<'_> {
    /// A value that is known before the program runs.
    pub(crate) fn constant(
        &mut self,
        expression: &Expression,
        wanted: Option<Type>,
    ) -> Option<(Constant, Kind)> {
        let typed = self.check(expression, wanted)?;
        let Type::Plain(kind) = typed.kind else {
            self.findings.report(Diagnostic::error(
                expression.span,
                "an array is not a constant",
            ));
            return None;
        };
        match evaluate(&typed) {
            Ok(constant) => Some((constant, kind)),
            Err((span, why)) => {
                self.findings.report(
                    Diagnostic::error(span, "this value is not known before the program runs")
                        .label(why),
                );
                None
            }
        }
    }

    /// A range of constants, not empty and not absurdly long.
    pub(crate) fn range(
        &mut self,
        low: &Expression,
        high: &Expression,
        most: u32,
        what: &str,
    ) -> Option<std::ops::RangeInclusive<i128>> {
        let (first, last) = (
            self.constant(low, Some(INT)),
            self.constant(high, Some(INT)),
        );
        let (Constant::Int(first), Constant::Int(last)) = (first?.0, last?.0) else {
            return None;
        };
        let span = low.span.to(high.span);
        if first > last {
            self.findings
                .report(Diagnostic::error(span, format!("{what} is empty")));
            return None;
        }
        if last
            .checked_sub(first)
            .is_none_or(|more| more >= i128::from(most))
        {
            self.findings.report(
                Diagnostic::error(span, format!("{what} is too long"))
                    .label(format!("at most {most} are supported")),
            );
            return None;
        }
        Some(first..=last)
    }
}

/// The value of an expression without variables, or what keeps it from having one.
fn evaluate(typed: &Typed) -> Result<Constant, (Span, &'static str)> {
    match &typed.node {
        Node::Constant(constant) => Ok(*constant),
        Node::Variable(_) | Node::Position(..) => Err((typed.span, "a variable")),
        Node::Any | Node::OneOf(_) => Err((typed.span, "any value")),
        Node::Apply(op, arguments) => {
            let mut constants = Vec::with_capacity(arguments.len());
            for argument in arguments {
                constants.push(evaluate(argument)?);
            }
            let why = (typed.span, "it has no value");
            match op {
                Op::Add | Op::BvAdd => {
                    let mut sum = constants[0];
                    for &constant in &constants[1..] {
                        sum = op.fold(&[sum, constant]).map_err(|_| why)?;
                    }
                    Ok(sum)
                }
                _ => op.fold(&constants).map_err(|_| why),
            }
        }
    }
}
