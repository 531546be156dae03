//! The syntax tree of a rule file, with the place of everything.

use crate::ruleset::{AggregateFunction, Comparison, Constant, Operator};
use heddle_diagnostics::Span;

#[derive(Clone, Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Item {
    Type(TypeDeclaration),
    Relation(RelationDeclaration),
    /// `.input a, b`
    Input(Vec<Name>),
    Output(Vec<Name>),
    /// `.include "file"`
    Include(Name),
    Conflict(ConflictDeclaration),
    Rule(Rule),
    /// A declaration that could not be read to its end; what it names is not "unknown".
    BrokenType(Name),
    BrokenRelation(Name),
}

/// `.type name <: parent`
#[derive(Clone, Debug)]
pub(crate) struct TypeDeclaration {
    pub(crate) name: Name,
    pub(crate) parent: Name,
}

/// `.decl name(column: Type, …) qualifier`
#[derive(Clone, Debug)]
pub(crate) struct RelationDeclaration {
    pub(crate) name: Name,
    pub(crate) columns: Vec<ColumnDeclaration>,
    pub(crate) qualifier: Option<Qualifier>,
}

#[derive(Clone, Debug)]
pub(crate) struct ColumnDeclaration {
    pub(crate) name: Name,
    pub(crate) type_name: Name,
}

#[derive(Clone, Debug)]
pub(crate) enum Qualifier {
    Choice,
    Order {
        event: Name,
        executed: Option<Name>,
        span: Span,
    },
}

/// `.conflict body`
#[derive(Clone, Debug)]
pub(crate) struct ConflictDeclaration {
    /// From `@name("…")`.
    pub(crate) name: Option<Name>,
    pub(crate) body: Formula,
    pub(crate) span: Span,
}

/// `head, … :- body.`; a fact has no body.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: Option<Name>,
    pub(crate) heads: Vec<Atom>,
    pub(crate) body: Option<Formula>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Formula {
    Atom(Atom),
    Compare {
        comparison: Comparison,
        left: Expression,
        right: Expression,
        span: Span,
    },
    Not(Box<Formula>, Span),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) relation: Name,
    pub(crate) arguments: Vec<Expression>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) span: Span,
    /// The height of the tree, which the parser bounds.
    pub(crate) height: u32,
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Variable(String),
    Wildcard,
    Constant(Constant),
    Negate(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
    Aggregate(Box<Aggregate>),
}

/// `count : { body }`, `max value : { body }`
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) function: AggregateFunction,
    pub(crate) value: Option<Expression>,
    pub(crate) body: Formula,
}

impl Formula {
    /// The place of the whole formula.
    pub(crate) fn span(&self) -> Span {
        match self {
            Formula::Atom(atom) => atom.span,
            Formula::Compare { span, .. } | Formula::Not(_, span) => *span,
            Formula::All(parts) | Formula::Any(parts) => {
                let first = parts.first().map(Formula::span);
                let last = parts.last().map(Formula::span);
                match (first, last) {
                    (Some(first), Some(last)) => first.to(last),
                    _ => unreachable!("the parser makes no empty conjunction or disjunction"),
                }
            }
        }
    }
}

/// Whether a variable stands inside of an aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    Rule,
    Aggregate,
}

impl Atom {
    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub(crate) fn for_each_variable<'a>(
        &'a self,
        within: Within,
        visit: &mut impl FnMut(&'a str, Span, Within),
    ) {
        for argument in &self.arguments {
            argument.for_each_variable(within, visit);
        }
    }
}

impl Formula {
    pub(crate) fn for_each_variable<'a>(
        &'a self,
        within: Within,
        visit: &mut impl FnMut(&'a str, Span, Within),
    ) {
        match self {
            Formula::Atom(atom) => atom.for_each_variable(within, visit),
            Formula::Compare { left, right, .. } => {
                left.for_each_variable(within, visit);
                right.for_each_variable(within, visit);
            }
            Formula::Not(inner, _) => inner.for_each_variable(within, visit),
            Formula::All(parts) | Formula::Any(parts) => {
                for part in parts {
                    part.for_each_variable(within, visit);
                }
            }
        }
    }
}

impl Expression {
    pub(crate) fn for_each_variable<'a>(
        &'a self,
        within: Within,
        visit: &mut impl FnMut(&'a str, Span, Within),
    ) {
        match &self.kind {
            ExpressionKind::Variable(name) => visit(name, self.span, within),
            ExpressionKind::Wildcard | ExpressionKind::Constant(_) => {}
            ExpressionKind::Negate(operand) => operand.for_each_variable(within, visit),
            ExpressionKind::Binary(_, left, right) => {
                left.for_each_variable(within, visit);
                right.for_each_variable(within, visit);
            }
            ExpressionKind::Aggregate(aggregate) => {
                if let Some(value) = &aggregate.value {
                    value.for_each_variable(Within::Aggregate, visit);
                }
                aggregate.body.for_each_variable(Within::Aggregate, visit);
            }
        }
    }
}
