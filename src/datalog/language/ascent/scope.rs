//! One rule's variables while its clauses are written: what they are called, and which of
//! them have a value already.

use super::names::SharedNames;
use crate::ruleset::{Expression, Literal, RuleSet, Term, Variable, VariableId};

pub(super) struct Scope<'a> {
    pub(super) rules: &'a RuleSet,
    pub(super) shared: &'a SharedNames,
    /// Symbols that rules mention; the generated text refers to them by position.
    pub(super) symbols: &'a mut Vec<String>,
    variables: Vec<String>,
    bindings: Vec<Option<Binding>>,
}

/// What a variable's name stands for in the generated text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binding {
    /// An `i64`.
    Value,
    /// A `&i64`: whatever a clause of `ascent` binds.
    Reference,
}

impl<'a> Scope<'a> {
    pub(super) fn new(
        rules: &'a RuleSet,
        shared: &'a SharedNames,
        symbols: &'a mut Vec<String>,
        variables: &[Variable],
    ) -> Self {
        let variables = shared.variables(variables);
        Scope {
            rules,
            shared,
            symbols,
            bindings: vec![None; variables.len()],
            variables,
        }
    }

    pub(super) fn name(&self, variable: VariableId) -> &str {
        &self.variables[variable.index()]
    }

    /// The variable's value, of type `i64`.
    pub(super) fn value(&self, variable: VariableId) -> String {
        match self.bindings[variable.index()] {
            Some(Binding::Reference) => format!("*{}", self.name(variable)),
            Some(Binding::Value) => self.name(variable).to_string(),
            None => unreachable!("a planned body binds `{}` first", self.name(variable)),
        }
    }

    pub(super) fn is_bound(&self, variable: VariableId) -> bool {
        self.bindings[variable.index()].is_some()
    }

    pub(super) fn bind(&mut self, variable: VariableId, binding: Binding) {
        self.bindings[variable.index()].get_or_insert(binding);
    }

    /// Makes the name stand for a value; returns what it stood for.
    pub(super) fn shadow(&mut self, variable: VariableId) -> Option<Binding> {
        self.bindings[variable.index()].replace(Binding::Value)
    }

    pub(super) fn restore(&mut self, variable: VariableId, binding: Option<Binding>) {
        self.bindings[variable.index()] = binding;
    }

    /// A term's value if it has one.
    pub(super) fn term_value(&mut self, term: &Term) -> Option<String> {
        match term {
            Term::Variable(variable) if self.is_bound(*variable) => Some(self.value(*variable)),
            Term::Constant(constant) => Some(self.constant(constant)),
            Term::Variable(_) | Term::Wildcard => None,
        }
    }

    /// A term as an argument of a clause. Binds it if it is a variable.
    pub(super) fn argument(&mut self, term: &Term) -> String {
        match term {
            Term::Variable(variable) => {
                self.bind(*variable, Binding::Reference);
                self.name(*variable).to_string()
            }
            Term::Constant(constant) => self.constant(constant),
            Term::Wildcard => "_".to_string(),
        }
    }

    pub(super) fn arguments(&mut self, terms: &[Term]) -> String {
        let arguments: Vec<String> = terms.iter().map(|term| self.argument(term)).collect();
        arguments.join(", ")
    }
}

/// The variables of a literal; those of an aggregate's body included.
pub(super) fn variables_in(literal: &Literal) -> Vec<VariableId> {
    match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => atom
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Term::Variable(variable) => Some(*variable),
                Term::Constant(_) | Term::Wildcard => None,
            })
            .collect(),
        Literal::Compare(_, left, right) => {
            let mut variables = variables_of(left);
            variables.extend(variables_of(right));
            variables
        }
        Literal::Aggregate(aggregate) => {
            let mut variables = vec![aggregate.result];
            variables.extend(aggregate.value.iter().flat_map(variables_of));
            variables.extend(aggregate.body.iter().flat_map(variables_in));
            variables
        }
    }
}

pub(super) fn variables_of(expression: &Expression) -> Vec<VariableId> {
    match expression {
        Expression::Variable(variable) => vec![*variable],
        Expression::Constant(_) => Vec::new(),
        Expression::Negate(operand) => variables_of(operand),
        Expression::Binary(_, left, right) => {
            let mut variables = variables_of(left);
            variables.extend(variables_of(right));
            variables
        }
    }
}
