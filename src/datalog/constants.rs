//! The symbols that a rule set mentions.

use crate::facts::LiteralName;
use crate::value::{Symbols, Value};
use heddle_language::ruleset::{Constant, Expression, Literal, RuleSet, Term};
use rustc_hash::FxHashMap;

/// The symbols that the rules mention, as values.
#[derive(Clone, Debug, Default)]
pub struct Constants(FxHashMap<String, Value>);

/// What a theory starts from. It depends on the rules alone: the processes of a cluster send one
/// another the numbers of symbols, so each must have the same ones for what the rules mention.
pub(crate) struct Start {
    pub(crate) symbols: Symbols,
    /// The literal `true`.
    pub(crate) always: LiteralName,
    pub(crate) constants: Constants,
}

impl Start {
    pub(crate) fn of(rules: &RuleSet) -> Self {
        let mut symbols = Symbols::default();
        let always = symbols.intern("true");
        let constants = Constants::of(rules, &mut symbols);
        Start {
            symbols,
            always,
            constants,
        }
    }
}

impl Constants {
    pub fn of(rules: &RuleSet, symbols: &mut Symbols) -> Self {
        let mut constants = Constants(FxHashMap::default());
        for rule in &rules.rules {
            constants.enter_body(&rule.body, symbols);
            for argument in &rule.head.arguments {
                constants.enter_expression(argument, symbols);
            }
        }
        for conflict in &rules.conflicts {
            constants.enter_body(&conflict.body, symbols);
        }
        constants
    }

    pub fn value(&self, constant: &Constant) -> Value {
        match constant {
            Constant::Number(number) => Value(*number),
            Constant::Symbol(name) => self.0[name],
        }
    }

    fn enter(&mut self, constant: &Constant, symbols: &mut Symbols) {
        if let Constant::Symbol(name) = constant {
            self.0.insert(name.clone(), symbols.intern(name));
        }
    }

    fn enter_body(&mut self, body: &[Literal], symbols: &mut Symbols) {
        for literal in body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    for argument in &atom.arguments {
                        if let Term::Constant(constant) = argument {
                            self.enter(constant, symbols);
                        }
                    }
                }
                Literal::Compare(_, left, right) => {
                    self.enter_expression(left, symbols);
                    self.enter_expression(right, symbols);
                }
                Literal::Aggregate(aggregate) => {
                    self.enter_body(&aggregate.body, symbols);
                    if let Some(value) = &aggregate.value {
                        self.enter_expression(value, symbols);
                    }
                }
            }
        }
    }

    fn enter_expression(&mut self, expression: &Expression, symbols: &mut Symbols) {
        match expression {
            Expression::Variable(_) => {}
            Expression::Constant(constant) => self.enter(constant, symbols),
            Expression::Negate(inner) => self.enter_expression(inner, symbols),
            Expression::Binary(_, left, right) => {
                self.enter_expression(left, symbols);
                self.enter_expression(right, symbols);
            }
        }
    }
}
