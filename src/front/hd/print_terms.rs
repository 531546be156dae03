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

pub(super) struct TermPrinter {
    /// Those of the program, and more that are printed instead of some.
    terms: Terms,
    names: Vec<String>,
    typed: HashMap<TermId, TermId>,
    known: HashMap<TermId, (String, Level)>,
}

impl TermPrinter {
    /// `names` are those of the variables, by id.
    pub(super) fn new(terms: &Terms, names: Vec<String>) -> Self {
        TermPrinter {
            terms: terms.clone(),
            names,
            typed: HashMap::new(),
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
        let term = self.with_types(term);
        for part in self.terms.subterms(&[term]) {
            if !self.known.contains_key(&part) {
                let text = self.text(part);
                self.known.insert(part, text);
            }
        }
        self.known[&term].0.clone()
    }

    /// The term without arrays that a reader could not tell the type of. `fill(e)` takes its type
    /// from where it stands, so what is read from an array of constants is listed, and two such
    /// arrays are compared element by element.
    fn with_types(&mut self, term: TermId) -> TermId {
        for part in self.terms.subterms(&[term]) {
            if self.typed.contains_key(&part) {
                continue;
            }
            let typed = match self.terms.get(part).clone() {
                Term::Apply { op, arguments } => {
                    let typed = arguments.iter().map(|argument| self.typed[argument]);
                    self.typed_application(op, &typed.collect::<Vec<_>>())
                }
                _ => part,
            };
            self.typed.insert(part, typed);
        }
        self.typed[&term]
    }

    fn typed_application(&mut self, op: Op, arguments: &[TermId]) -> TermId {
        let untyped = |array: TermId| !self.has_type(array);
        match (op, arguments) {
            (Op::Select, &[array, index]) if untyped(array) => self.element(array, index),
            (Op::Eq, &[a, b]) if untyped(a) && untyped(b) => {
                let sort = self.terms.sort(a).as_array();
                let sort = sort.expect("only an array needs a type");
                let mut equal = Vec::new();
                for position in 0..sort.length {
                    let index = self.terms.index_constant(sort, position);
                    let (a, b) = (self.element(a, index), self.element(b, index));
                    equal.push(self.terms.eq(a, b));
                }
                self.terms.and(&equal)
            }
            _ => self.terms.apply(op, arguments),
        }
    }

    /// Whether a reader sees which type it is: scalars show it, and arrays by a variable.
    fn has_type(&self, term: TermId) -> bool {
        if self.terms.sort(term).as_array().is_none() {
            return true;
        }
        let mut pending = vec![term];
        while let Some(array) = pending.pop() {
            match self.terms.get(array) {
                Term::Variable(_) => return true,
                Term::Apply { op, arguments } => match op {
                    Op::Store => pending.push(arguments[0]),
                    Op::Ite => pending.extend(&arguments[1..]),
                    _ => {}
                },
                Term::Constant(_) => {}
            }
        }
        false
    }

    /// The element of an array that is made of constants, by cases.
    fn element(&mut self, array: TermId, index: TermId) -> TermId {
        let mut elements: HashMap<TermId, TermId> = HashMap::new();
        for part in self.terms.subterms(&[array]) {
            if self.terms.sort(part).as_array().is_none() {
                continue;
            }
            let element = match self.terms.get(part).clone() {
                Term::Apply { op, arguments } => match (op, &arguments[..]) {
                    (Op::ConstArray(_), &[value]) => value,
                    (Op::Store, &[inner, at, value]) => {
                        let is_there = self.terms.eq(index, at);
                        self.terms.ite(is_there, value, elements[&inner])
                    }
                    (Op::Ite, &[condition, yes, no]) => {
                        self.terms.ite(condition, elements[&yes], elements[&no])
                    }
                    _ => unreachable!("internal error: {op:?} gives no array"),
                },
                // It is part of an index or a value.
                _ => self.terms.select(part, index),
            };
            elements.insert(part, element);
        }
        elements[&array]
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
