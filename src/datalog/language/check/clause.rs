//! One conjunction with its head: what the checks look at.
//!
//! Between the syntax tree and [`crate::ruleset`]: disjunctions are split, multiple heads
//! are separated, arguments of body atoms are variables or constants, aggregates stand
//! alone, names are resolved; but places are still known and goals are in source order.

use crate::ruleset::{
    AggregateFunction, Comparison, Constant, Operator, RelationId, Term, VariableId,
};
use heddle_diagnostics::Span;

#[derive(Clone, Debug)]
pub(crate) struct Clause {
    /// From `@name("…")`.
    pub(crate) name: Option<String>,
    /// `None` for a `.conflict`.
    pub(crate) head: Option<Head>,
    pub(crate) body: Vec<Goal>,
    pub(crate) variables: Vec<ClauseVariable>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct ClauseVariable {
    pub(crate) name: String,
    /// What would bind it could not be understood, which has been reported.
    pub(crate) excused: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Head {
    /// `None` if it is unknown or its arity is wrong; that has been reported.
    pub(crate) relation: Option<RelationId>,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Goal {
    Positive(Atom),
    Negative(Atom),
    Compare {
        comparison: Comparison,
        left: Expr,
        right: Expr,
        span: Span,
    },
    Aggregate(Box<Aggregate>),
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    /// As in [`Head::relation`].
    pub(crate) relation: Option<RelationId>,
    pub(crate) arguments: Vec<(Term, Span)>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) result: VariableId,
    pub(crate) function: AggregateFunction,
    pub(crate) value: Option<Expr>,
    pub(crate) body: Vec<Goal>,
    /// The variables of the aggregate that occur outside of it, too, each with a place
    /// inside.
    pub(crate) groups: Vec<(VariableId, Span)>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Variable(VariableId),
    Constant(Constant),
    Negate(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub(crate) fn as_variable(&self) -> Option<VariableId> {
        match self.node {
            Node::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// Calls `visit` for each occurrence of a variable, from left to right.
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(VariableId, Span)) {
        match &self.node {
            Node::Variable(variable) => visit(*variable, self.span),
            Node::Constant(_) => {}
            Node::Negate(operand) => operand.for_each_variable(visit),
            Node::Binary(_, left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
        }
    }
}

impl Atom {
    pub(crate) fn for_each_variable(&self, visit: &mut impl FnMut(VariableId, Span)) {
        for (term, span) in &self.arguments {
            if let Term::Variable(variable) = term {
                visit(*variable, *span);
            }
        }
    }
}

impl Clause {
    /// All body atoms, those of aggregates included, each with how it is used.
    pub(crate) fn for_each_atom<'a>(&'a self, visit: &mut impl FnMut(&'a Atom, Use)) {
        for_each_atom(&self.body, None, visit);
    }
}

/// How a body uses a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Positive,
    Negated,
    Aggregated(AggregateFunction),
}

fn for_each_atom<'a>(
    goals: &'a [Goal],
    inside: Option<AggregateFunction>,
    visit: &mut impl FnMut(&'a Atom, Use),
) {
    for goal in goals {
        match (goal, inside) {
            (Goal::Positive(atom), None) => visit(atom, Use::Positive),
            (Goal::Negative(atom), None) => visit(atom, Use::Negated),
            (Goal::Positive(atom) | Goal::Negative(atom), Some(function)) => {
                visit(atom, Use::Aggregated(function));
            }
            (Goal::Compare { .. }, _) => {}
            (Goal::Aggregate(aggregate), _) => {
                for_each_atom(&aggregate.body, Some(aggregate.function), visit);
            }
        }
    }
}
