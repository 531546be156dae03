//! Does every variable have a type that all its uses agree on?
//!
//! Two types agree if one is a subtype of the other; constants and results of arithmetic
//! are just a `symbol` or a `number`, which agree with all their subtypes.

use super::clause::{Atom, Clause, Expr, Goal, Node};
use super::names::Relations;
use super::subtypes::{TypeId, Types};
use crate::ruleset::{Comparison, Constant, Term, ValueKind, VariableId};
use heddle_diagnostics::{Diagnostic, Span};

/// What each variable of the clause holds. Clashes are reported.
pub(crate) fn check(
    clause: &Clause,
    relations: &Relations,
    types: &Types,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ValueKind> {
    let mut typing = Typing {
        relations,
        types,
        diagnostics,
        known: vec![None; clause.variables.len()],
        clause,
    };
    typing.goals(&clause.body);
    if let Some(head) = &clause.head {
        for (column, argument) in head.arguments.iter().enumerate() {
            if let Some(relation) = head.relation {
                typing.head_argument(relation, column, argument);
            }
        }
    }
    typing.comparisons();
    typing
        .known
        .iter()
        .map(|known| {
            known
                .as_ref()
                .map_or(ValueKind::Number, |known| types.kind(known.narrowest))
        })
        .collect()
}

/// What is known of a variable's type, and from where.
#[derive(Clone, Copy, Debug)]
struct Known {
    narrowest: TypeId,
    span: Span,
    /// A clash was reported; what follows from it is not.
    clashed: bool,
}

struct Typing<'a> {
    relations: &'a Relations,
    types: &'a Types,
    diagnostics: &'a mut Vec<Diagnostic>,
    clause: &'a Clause,
    known: Vec<Option<Known>>,
}

impl<'a> Typing<'a> {
    /// Uses as arguments and in arithmetic. Comparisons come afterwards.
    fn goals(&mut self, goals: &'a [Goal]) {
        for goal in goals {
            match goal {
                Goal::Positive(atom) | Goal::Negative(atom) => self.atom(atom),
                Goal::Compare { left, right, .. } => {
                    self.operands(left);
                    self.operands(right);
                }
                Goal::Aggregate(aggregate) => {
                    self.goals(&aggregate.body);
                    if let Some(value) = &aggregate.value {
                        self.numeric(value);
                    }
                    self.used(aggregate.result, TypeId::NUMBER, aggregate.span);
                }
            }
        }
    }

    fn atom(&mut self, atom: &Atom) {
        let Some(relation) = atom.relation else {
            return;
        };
        for (column, (term, span)) in atom.arguments.iter().enumerate() {
            let Some(wanted) = self.relations.column_type(relation, column) else {
                continue;
            };
            match term {
                Term::Variable(variable) => self.used(*variable, wanted, *span),
                Term::Constant(constant) => {
                    self.constant(constant, *span, relation, column, wanted);
                }
                Term::Wildcard => {}
            }
        }
    }

    fn head_argument(
        &mut self,
        relation: crate::ruleset::RelationId,
        column: usize,
        argument: &'a Expr,
    ) {
        let Some(wanted) = self.relations.column_type(relation, column) else {
            return;
        };
        match &argument.node {
            Node::Variable(variable) => self.used(*variable, wanted, argument.span),
            Node::Constant(constant) => {
                self.constant(constant, argument.span, relation, column, wanted);
            }
            Node::Negate(_) | Node::Binary(..) => {
                self.operands(argument);
                if self.types.kind(wanted) != ValueKind::Number {
                    self.wrong_value("a number", argument.span, relation, column);
                }
            }
        }
    }

    fn constant(
        &mut self,
        constant: &Constant,
        span: Span,
        relation: crate::ruleset::RelationId,
        column: usize,
        wanted: TypeId,
    ) {
        let (kind, what) = match constant {
            Constant::Symbol(_) => (ValueKind::Symbol, "a string"),
            Constant::Number(_) => (ValueKind::Number, "a number"),
        };
        if self.types.kind(wanted) != kind {
            self.wrong_value(what, span, relation, column);
        }
    }

    fn wrong_value(
        &mut self,
        what: &str,
        span: Span,
        relation: crate::ruleset::RelationId,
        column: usize,
    ) {
        let relation = self.relations.get(relation);
        let column = &relation.columns[column];
        let kind = match column.kind {
            ValueKind::Symbol => "symbols",
            ValueKind::Number => "numbers",
        };
        let mut error = Diagnostic::error(
            span,
            format!(
                "{what} where `{}` has a column of type `{}`",
                relation.name, column.type_name
            ),
        )
        .related(
            relation.span,
            format!("the column `{}` holds {kind}", column.name),
        );
        if column.kind == ValueKind::Symbol && what == "a number" {
            error = error.hint("symbols are written in quotes");
        }
        self.diagnostics.push(error);
    }

    /// The operands of arithmetic are numbers; a lone variable or constant is none.
    fn operands(&mut self, expr: &Expr) {
        match &expr.node {
            Node::Variable(_) | Node::Constant(_) => {}
            Node::Negate(operand) => self.numeric(operand),
            Node::Binary(_, left, right) => {
                self.numeric(left);
                self.numeric(right);
            }
        }
    }

    fn numeric(&mut self, expr: &Expr) {
        match &expr.node {
            Node::Variable(variable) => self.used(*variable, TypeId::NUMBER, expr.span),
            Node::Constant(Constant::Symbol(_)) => {
                self.diagnostics.push(Diagnostic::error(
                    expr.span,
                    "a string where a number is needed",
                ));
            }
            Node::Constant(Constant::Number(_)) => {}
            Node::Negate(_) | Node::Binary(..) => self.operands(expr),
        }
    }

    fn used(&mut self, variable: VariableId, as_type: TypeId, span: Span) {
        let Some(known) = self.known[variable.index()] else {
            self.known[variable.index()] = Some(Known {
                narrowest: as_type,
                span,
                clashed: false,
            });
            return;
        };
        if known.clashed {
            return;
        }
        match self.types.common(known.narrowest, as_type) {
            Some(narrower) if narrower == known.narrowest => {}
            Some(narrower) => {
                self.known[variable.index()] = Some(Known {
                    narrowest: narrower,
                    span,
                    clashed: false,
                });
            }
            None => {
                let name = &self.clause.variables[variable.index()].name;
                let (first, second) = (self.types.name(known.narrowest), self.types.name(as_type));
                self.diagnostics.push(
                    Diagnostic::error(
                        span,
                        format!("`{name}` is used as `{first}` and as `{second}`"),
                    )
                    .label(format!("of type `{second}`"))
                    .related(known.span, format!("of type `{first}`")),
                );
                self.known[variable.index()] = Some(Known {
                    clashed: true,
                    ..known
                });
            }
        }
    }

    /// Comparisons, those inside of aggregates included. An equality gives a type to a
    /// variable that has none, which may let another one do so.
    fn comparisons(&mut self) {
        let mut comparisons = Vec::new();
        collect(&self.clause.body, &mut comparisons);
        loop {
            let mut changed = false;
            for (comparison, left, right, _) in &comparisons {
                if *comparison == Comparison::Equal {
                    changed |= self.learn(left, right);
                    changed |= self.learn(right, left);
                }
            }
            if !changed {
                break;
            }
        }
        for (comparison, left, right, span) in comparisons {
            self.compare(comparison, left, right, span);
        }
    }

    /// Gives the variable `to` the type of `from`, if it has none.
    fn learn(&mut self, to: &Expr, from: &Expr) -> bool {
        let (Some(variable), Some((narrowest, _))) = (to.as_variable(), self.type_of(from)) else {
            return false;
        };
        let unknown = self.known[variable.index()].is_none();
        if unknown {
            self.known[variable.index()] = Some(Known {
                narrowest,
                span: to.span,
                clashed: false,
            });
        }
        unknown
    }

    /// The type of an expression and where it comes from, unless nothing is known or
    /// something wrong was said about it already.
    fn type_of(&self, expr: &Expr) -> Option<(TypeId, Span)> {
        match &expr.node {
            Node::Variable(variable) => self.known[variable.index()]
                .filter(|known| !known.clashed)
                .map(|known| (known.narrowest, known.span)),
            Node::Constant(Constant::Symbol(_)) => Some((TypeId::SYMBOL, expr.span)),
            Node::Constant(Constant::Number(_)) | Node::Negate(_) | Node::Binary(..) => {
                Some((TypeId::NUMBER, expr.span))
            }
        }
    }

    fn compare(&mut self, comparison: Comparison, left: &Expr, right: &Expr, span: Span) {
        let (Some((left_type, left_span)), Some((right_type, right_span))) =
            (self.type_of(left), self.type_of(right))
        else {
            return;
        };
        if self.types.common(left_type, right_type).is_none() {
            let (left_name, right_name) = (self.types.name(left_type), self.types.name(right_type));
            let mut error = Diagnostic::error(
                span,
                format!("cannot compare `{left_name}` with `{right_name}`"),
            );
            for (place, name) in [(left_span, left_name), (right_span, right_name)] {
                if !(span.start <= place.start && place.end <= span.end) {
                    error = error.related(place, format!("of type `{name}`"));
                }
            }
            self.diagnostics.push(error);
            return;
        }
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        if ordered && self.types.kind(left_type) == ValueKind::Symbol {
            self.diagnostics.push(
                Diagnostic::error(span, "symbols have no order")
                    .hint("compare symbols with `=` and `!=` only"),
            );
        }
    }
}

type Compared<'a> = (Comparison, &'a Expr, &'a Expr, Span);

fn collect<'a>(goals: &'a [Goal], comparisons: &mut Vec<Compared<'a>>) {
    for goal in goals {
        match goal {
            Goal::Compare {
                comparison,
                left,
                right,
                span,
            } => comparisons.push((*comparison, left, right, *span)),
            Goal::Aggregate(aggregate) => collect(&aggregate.body, comparisons),
            Goal::Positive(_) | Goal::Negative(_) => {}
        }
    }
}
