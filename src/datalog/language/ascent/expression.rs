//! Arithmetic and comparisons as Rust expressions.

use super::scope::Scope;
use crate::ruleset::{Comparison, Constant, Expression, Operator};

/// An expression that may lack a value, because of a division, is wrapped so that `?` works
/// inside: `(|| Some(…))()`.
pub(super) enum Text {
    Total(String),
    Partial(String),
}

impl Text {
    /// As an expression of type `Option<_>`.
    pub(super) fn optional(&self) -> String {
        match self {
            Text::Total(text) => format!("Some({text})"),
            Text::Partial(text) => format!("(|| Some({text}))()"),
        }
    }
}

impl Scope<'_> {
    pub(super) fn constant(&mut self, constant: &Constant) -> String {
        match constant {
            Constant::Number(i64::MIN) => "i64::MIN".to_string(),
            Constant::Number(number) => number.to_string(),
            Constant::Symbol(name) => {
                let position = self.symbols.iter().position(|known| known == name);
                let position = position.unwrap_or_else(|| {
                    self.symbols.push(name.clone());
                    self.symbols.len() - 1
                });
                format!("symbol[{position}]")
            }
        }
    }

    /// The expression's value, of type `i64`.
    pub(super) fn expression(&mut self, expression: &Expression) -> Text {
        let text = self.expression_text(expression);
        match may_lack_value(expression) {
            true => Text::Partial(text),
            false => Text::Total(text),
        }
    }

    /// Whether the comparison holds, of type `bool`.
    pub(super) fn comparison(
        &mut self,
        comparison: Comparison,
        left: &Expression,
        right: &Expression,
    ) -> String {
        let operator = match comparison {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterEqual => ">=",
        };
        let text = format!(
            "{} {operator} {}",
            self.expression_text(left),
            self.expression_text(right)
        );
        match may_lack_value(left) || may_lack_value(right) {
            true => format!("(|| Some({text}))() == Some(true)"),
            false => text,
        }
    }

    /// The expression's value; with `?` where it may lack one.
    pub(super) fn expression_text(&mut self, expression: &Expression) -> String {
        match expression {
            Expression::Variable(variable) => self.value(*variable),
            Expression::Constant(constant) => self.constant(constant),
            Expression::Negate(operand) => format!("negate({})", self.expression_text(operand)),
            Expression::Binary(operator, left, right) => {
                let (function, rest) = match operator {
                    Operator::Add => ("add", ""),
                    Operator::Subtract => ("subtract", ""),
                    Operator::Multiply => ("multiply", ""),
                    Operator::Divide => ("divide", "?"),
                    Operator::Remainder => ("remainder", "?"),
                };
                let (left, right) = (self.expression_text(left), self.expression_text(right));
                format!("{function}({left}, {right}){rest}")
            }
        }
    }
}

fn may_lack_value(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) | Expression::Constant(_) => false,
        Expression::Negate(operand) => may_lack_value(operand),
        Expression::Binary(Operator::Divide | Operator::Remainder, ..) => true,
        Expression::Binary(_, left, right) => may_lack_value(left) || may_lack_value(right),
    }
}
