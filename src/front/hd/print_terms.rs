//! Terms as `.hd` expressions.

use super::print::constant;
use heddle_program::{Op, Sort, Term, TermId, Terms, VarId};
use std::collections::HashMap;

/// How tightly an expression holds together: the precedences of the grammar.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Or,
    And,
    Equation,
    Comparison,
    Sum,
    Product,
    Unary,
    Primary,
}

pub(super) struct TermPrinter<'a> {
    terms: &'a Terms,
    names: Vec<String>,
    known: HashMap<TermId, (String, Level)>,
}

impl<'a> TermPrinter<'a> {
    /// `names` are those of the variables, by id.
    pub(super) fn new(terms: &'a Terms, names: Vec<String>) -> Self {
        TermPrinter {
            terms,
            names,
            known: HashMap::new(),
        }
    }

    pub(super) fn name(&self, variable: VarId) -> &str {
        &self.names[variable.index()]
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn is_negation(&self, a: TermId, b: TermId) -> bool {
        let negates = |a: TermId, b: TermId| matches!(self.terms.get(a), Term::Apply { op: Op::Not, arguments } if arguments[0] == b);
        negates(a, b) || negates(b, a)
    }

    /// The text of a term. Arguments come before their users, so nothing recurses.
    pub(super) fn term(&mut self, term: TermId) -> String {
        for part in self.terms.subterms(&[term]) {
            if !self.known.contains_key(&part) {
                let text = self.text(part);
                self.known.insert(part, text);
            }
        }
        self.known[&term].0.clone()
    }

    /// A known part, in parentheses if it holds together less tightly than asked for.
    fn part(&self, part: TermId, least: Level) -> String {
        let (text, level) = &self.known[&part];
        if *level < least {
            format!("({text})")
        } else {
            text.clone()
        }
    }

    fn text(&self, term: TermId) -> (String, Level) {
        match self.terms.get(term) {
            Term::Variable(variable) => (self.name(*variable).to_owned(), Level::Primary),
            Term::Constant(value) => {
                let text = constant(*value);
                let level = match text.starts_with('-') {
                    true => Level::Unary,
                    false => Level::Primary,
                };
                (text, level)
            }
            Term::Apply { op, arguments } => self.application(*op, arguments),
        }
    }

    fn application(&self, op: Op, arguments: &[TermId]) -> (String, Level) {
        match op {
            Op::And | Op::Or => self.junction(op, arguments),
            Op::Not => self.negation(arguments[0]),
            Op::Ite => {
                let condition = self.part(arguments[0], Level::Or);
                let then = self.part(arguments[1], Level::Or);
                let otherwise = self.part(arguments[2], Level::Choice);
                (format!("{condition} ? {then} : {otherwise}"), Level::Choice)
            }
            Op::Eq => self.infix(arguments, "=", Level::Equation),
            Op::Lt => self.infix(arguments, "<", Level::Comparison),
            Op::Le => self.infix(arguments, "<=", Level::Comparison),
            Op::Add | Op::BvAdd => self.leaning(arguments, "+", Level::Sum),
            Op::Sub | Op::BvSub => self.leaning(arguments, "-", Level::Sum),
            Op::Mul | Op::BvMul => self.leaning(arguments, "*", Level::Product),
            Op::Div => self.leaning(arguments, "/", Level::Product),
            Op::Mod => self.leaning(arguments, "%", Level::Product),
            Op::Neg => {
                let operand = self.part(arguments[0], Level::Unary);
                (format!("-{operand}"), Level::Unary)
            }
            Op::Select => {
                let array = self.part(arguments[0], Level::Primary);
                let index = self.part(arguments[1], Level::Choice);
                (format!("{array}[{index}]"), Level::Primary)
            }
            Op::Extract { high, low } => self.call(&format!("extract({high}, {low}, "), arguments),
            Op::ZeroExtend { by } => self.call(&format!("zero_extend({by}, "), arguments),
            Op::SignExtend { by } => self.call(&format!("sign_extend({by}, "), arguments),
            Op::ConstArray(_) => self.call("fill(", arguments),
            _ => self.call(&format!("{op}("), arguments),
        }
    }

    fn junction(&self, op: Op, arguments: &[TermId]) -> (String, Level) {
        let (level, symbol) = match op {
            Op::And => (Level::And, " && "),
            _ => (Level::Or, " || "),
        };
        let parts: Vec<String> = arguments
            .iter()
            .map(|&part| match self.terms.get(part) {
                Term::Apply { op: inner, .. } if *inner == op => self.part(part, Level::Primary),
                _ => self.part(part, level),
            })
            .collect();
        (parts.join(symbol), level)
    }

    /// `!=`, `>` and `>=` are negations.
    fn negation(&self, operand: TermId) -> (String, Level) {
        match self.terms.get(operand) {
            Term::Apply {
                op: Op::Eq,
                arguments,
            } => self.infix(arguments, "!=", Level::Equation),
            Term::Apply {
                op: Op::Lt,
                arguments,
            } => self.infix(arguments, ">=", Level::Comparison),
            Term::Apply {
                op: Op::Le,
                arguments,
            } => self.infix(arguments, ">", Level::Comparison),
            _ => (
                format!("!{}", self.part(operand, Level::Unary)),
                Level::Unary,
            ),
        }
    }

    /// An operator that does not chain. Truth values that are compared go in parentheses.
    fn infix(&self, arguments: &[TermId], symbol: &str, level: Level) -> (String, Level) {
        let least = match self.terms.sort(arguments[0]) {
            Sort::Bool => Level::Unary,
            _ => Level::Sum,
        };
        let (left, right) = (
            self.part(arguments[0], least),
            self.part(arguments[1], least),
        );
        (format!("{left} {symbol} {right}"), level)
    }

    /// An operator that associates to the left.
    fn leaning(&self, arguments: &[TermId], symbol: &str, level: Level) -> (String, Level) {
        let tighter = match level {
            Level::Sum => Level::Product,
            _ => Level::Unary,
        };
        let left = self.part(arguments[0], level);
        let right = self.part(arguments[1], tighter);
        (format!("{left} {symbol} {right}"), level)
    }

    fn call(&self, opening: &str, arguments: &[TermId]) -> (String, Level) {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|&argument| self.part(argument, Level::Choice))
            .collect();
        (
            format!("{opening}{})", arguments.join(", ")),
            Level::Primary,
        )
    }
}
