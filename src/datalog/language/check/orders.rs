//! Do the relations of an `order(event, executed)` fit together?

use super::names::{Relations, counted};
use super::subtypes::Types;
use crate::ruleset::{RelationId, RelationKind, ValueKind};
use heddle_diagnostics::{Diagnostic, Span};

pub(crate) fn check(relations: &Relations, types: &Types, diagnostics: &mut Vec<Diagnostic>) {
    for id in relations.ids() {
        // Where `event` or `executed` is unknown, the order itself can still be checked.
        let Some(span) = relations.order_spans.get(&id) else {
            continue;
        };
        let mut check = Check {
            relations,
            types,
            span: *span,
            diagnostics,
        };
        if !check.arity(id, 2, "an order relates two events") {
            continue;
        }
        check.same_type((id, 0), (id, 1));
        let RelationKind::Order(order) = relations.get(id).kind else {
            continue;
        };
        let places = "it holds each event's chain and index: (event, chain, index: number)";
        if check.arity(order.event, 3, places) {
            check.same_type((id, 0), (order.event, 0));
            check.index_is_number(order.event);
        }
        if let Some(executed) = order.executed
            && check.arity(executed, 1, "it holds the events that are executed")
        {
            check.same_type((id, 0), (executed, 0));
        }
    }
}

struct Check<'a> {
    relations: &'a Relations,
    types: &'a Types,
    /// Of `order(…)`.
    span: Span,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Check<'_> {
    fn arity(&mut self, id: RelationId, wanted: usize, why: &str) -> bool {
        let relation = self.relations.get(id);
        let right = relation.arity() == wanted;
        if !right {
            self.diagnostics.push(
                Diagnostic::error(
                    self.span,
                    format!(
                        "`{}` must have {}, but it has {}",
                        relation.name,
                        counted(wanted, "column"),
                        match relation.arity() {
                            0 => "none".to_string(),
                            other => other.to_string(),
                        }
                    ),
                )
                .related(relation.span, "declared here")
                .hint(why),
            );
        }
        right
    }

    fn same_type(&mut self, first: (RelationId, usize), second: (RelationId, usize)) {
        let type_of = |(id, column): (RelationId, usize)| self.relations.column_type(id, column);
        let (Some(first_type), Some(second_type)) = (type_of(first), type_of(second)) else {
            return;
        };
        if self.types.common(first_type, second_type).is_some() {
            return;
        }
        let column = |(id, column): (RelationId, usize)| {
            let relation = self.relations.get(id);
            (relation, &relation.columns[column].name)
        };
        let ((first, first_column), (second, second_column)) = (column(first), column(second));
        let mut error = Diagnostic::error(
            self.span,
            format!(
                "`{}` of `{}` and `{}` of `{}` must be events of one type",
                first_column, first.name, second_column, second.name
            ),
        )
        .related(
            first.span,
            format!(
                "`{first_column}` is of type `{}`",
                self.types.name(first_type)
            ),
        );
        let label = format!(
            "`{second_column}` is of type `{}`",
            self.types.name(second_type)
        );
        error = error.related(second.span, label);
        self.diagnostics.push(error);
    }

    fn index_is_number(&mut self, id: RelationId) {
        let relation = self.relations.get(id);
        let index = &relation.columns[2];
        let unknown = self.relations.column_type(id, 2).is_none();
        if unknown || index.kind == ValueKind::Number {
            return;
        }
        self.diagnostics.push(
            Diagnostic::error(
                self.span,
                format!(
                    "`{}` of `{}` must be a number: the event's index in its chain",
                    index.name, relation.name
                ),
            )
            .related(relation.span, "declared here"),
        );
    }
}
