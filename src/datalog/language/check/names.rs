//! Which relations there are, and what an atom's name and arity refer to.

use super::subtypes::{TypeId, Types, declared_twice};
use crate::ruleset::{Column, Order, Relation, RelationId, RelationKind, ValueKind};
use crate::suggest::closest;
use crate::syntax::{Item, Name, Qualifier, RelationDeclaration};
use heddle_diagnostics::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

#[derive(Debug)]
pub(crate) struct Relations {
    pub(crate) relations: Vec<Relation>,
    /// For each relation and column; `None` where the type is unknown.
    pub(crate) column_types: Vec<Vec<Option<TypeId>>>,
    /// Where each relation's `order(…)` stands.
    pub(crate) order_spans: HashMap<RelationId, Span>,
    by_name: HashMap<String, RelationId>,
    /// Declared, but not readable; reported already.
    broken: HashSet<String>,
}

/// Constraints that Soufflé has built in.
const SOUFFLE_CONSTRAINTS: [&str; 2] = ["contains", "match"];

impl Relations {
    pub(crate) fn collect(
        items: &[Item],
        types: &Types,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Relations {
        let mut relations = Relations {
            relations: Vec::new(),
            column_types: Vec::new(),
            order_spans: HashMap::new(),
            by_name: HashMap::new(),
            broken: HashSet::new(),
        };
        for item in items {
            if let Item::BrokenRelation(name) = item {
                relations.broken.insert(name.text.clone());
            }
        }
        let mut declared: Vec<&RelationDeclaration> = Vec::new();
        for item in items {
            let Item::Relation(declaration) = item else {
                continue;
            };
            match relations.by_name.get(&declaration.name.text) {
                None => {
                    relations.declare(declaration, types, diagnostics);
                    declared.push(declaration);
                }
                Some(first) => repeated(declared[first.index()], declaration, diagnostics),
            }
        }
        for (index, declaration) in declared.iter().enumerate() {
            let id = RelationId(index as u32);
            relations.relations[index].kind = relations.kind(id, declaration, diagnostics);
        }
        for item in items {
            match item {
                Item::Input(names) => relations.mark(names, diagnostics, |r| &mut r.input),
                Item::Output(names) => relations.mark(names, diagnostics, |r| &mut r.output),
                _ => {}
            }
        }
        relations
    }

    fn declare(
        &mut self,
        declaration: &RelationDeclaration,
        types: &Types,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let id = RelationId(self.relations.len() as u32);
        let mut columns: Vec<Column> = Vec::new();
        let mut column_types = Vec::new();
        for column in &declaration.columns {
            if let Some(first) = columns.iter().position(|c| c.name == column.name.text) {
                diagnostics.push(declared_twice(
                    "column",
                    &column.name,
                    declaration.columns[first].name.span,
                ));
            }
            let id = types.resolve(&column.type_name, diagnostics);
            column_types.push(id);
            columns.push(Column {
                name: column.name.text.clone(),
                type_name: column.type_name.text.clone(),
                kind: id.map_or(ValueKind::Symbol, |id| types.kind(id)),
            });
        }
        self.column_types.push(column_types);
        self.by_name.insert(declaration.name.text.clone(), id);
        self.relations.push(Relation {
            name: declaration.name.text.clone(),
            columns,
            kind: RelationKind::Plain,
            input: false,
            output: false,
            span: declaration.name.span,
        });
    }

    fn kind(
        &mut self,
        id: RelationId,
        declaration: &RelationDeclaration,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> RelationKind {
        match &declaration.qualifier {
            None => RelationKind::Plain,
            Some(Qualifier::Choice) => RelationKind::Choice,
            Some(Qualifier::Order {
                event,
                executed,
                span,
            }) => {
                self.order_spans.insert(id, *span);
                let event = self.resolve(event, diagnostics);
                let executed = executed
                    .as_ref()
                    .map(|executed| self.resolve(executed, diagnostics));
                match (event, executed) {
                    (Some(event), None) => RelationKind::Order(Order {
                        event,
                        executed: None,
                    }),
                    (Some(event), Some(Some(executed))) => RelationKind::Order(Order {
                        event,
                        executed: Some(executed),
                    }),
                    _ => RelationKind::Plain,
                }
            }
        }
    }

    fn mark(
        &mut self,
        names: &[Name],
        diagnostics: &mut Vec<Diagnostic>,
        flag: impl Fn(&mut Relation) -> &mut bool,
    ) {
        for name in names {
            if let Some(id) = self.resolve(name, diagnostics) {
                *flag(&mut self.relations[id.index()]) = true;
            }
        }
    }

    /// The relation of that name; `None` if there is none, which is reported.
    pub(crate) fn resolve(
        &self,
        name: &Name,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<RelationId> {
        let found = self.by_name.get(&name.text).copied();
        if found.is_none() && !self.broken.contains(&name.text) {
            diagnostics.push(self.unknown(name));
        }
        found
    }

    fn unknown(&self, name: &Name) -> Diagnostic {
        let text = name.text.as_str();
        let error = Diagnostic::error(name.span, format!("unknown relation `{text}`"));
        let known = self.relations.iter().map(|r| r.name.as_str());
        match closest(text, known) {
            Some(similar) => error.hint(format!("did you mean `{similar}`?")),
            None if SOUFFLE_CONSTRAINTS.contains(&text) => {
                error.hint(format!("Soufflé's `{text}` is not supported"))
            }
            None => error.hint(format!("declare it: `.decl {text}(…)`")),
        }
    }

    /// The relation of an atom; `None` if it is unknown or has another arity.
    pub(crate) fn resolve_atom(
        &self,
        name: &Name,
        arguments: usize,
        span: Span,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<RelationId> {
        let id = self.resolve(name, diagnostics)?;
        let relation = self.get(id);
        if relation.arity() == arguments {
            return Some(id);
        }
        let columns: Vec<&str> = relation.columns.iter().map(|c| c.name.as_str()).collect();
        diagnostics.push(
            Diagnostic::error(
                span,
                format!(
                    "`{}` has {}, but {} given",
                    name.text,
                    counted(relation.arity(), "column"),
                    match arguments {
                        0 => "none is".to_string(),
                        1 => "1 is".to_string(),
                        many => format!("{many} are"),
                    },
                ),
            )
            .related(
                relation.span,
                format!("declared as {}({})", relation.name, columns.join(", ")),
            ),
        );
        None
    }

    pub(crate) fn get(&self, id: RelationId) -> &Relation {
        &self.relations[id.index()]
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = RelationId> + use<> {
        (0..self.relations.len() as u32).map(RelationId)
    }

    pub(crate) fn column_type(&self, id: RelationId, column: usize) -> Option<TypeId> {
        self.column_types[id.index()][column]
    }
}

pub(crate) fn counted(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// A second declaration of a relation: harmless if another file says the same, so that a
/// file that extends a rule set can also be checked alone.
fn repeated(
    first: &RelationDeclaration,
    second: &RelationDeclaration,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let columns = |declaration: &RelationDeclaration| -> Vec<(String, String)> {
        declaration
            .columns
            .iter()
            .map(|column| (column.name.text.clone(), column.type_name.text.clone()))
            .collect()
    };
    let qualifier = |declaration: &RelationDeclaration| match &declaration.qualifier {
        None => String::new(),
        Some(Qualifier::Choice) => "choice".to_string(),
        Some(Qualifier::Order {
            event, executed, ..
        }) => format!(
            "order({}, {:?})",
            event.text,
            executed.as_ref().map(|name| &name.text)
        ),
    };
    let same = columns(first) == columns(second) && qualifier(first) == qualifier(second);
    let other_file = first.name.span.source != second.name.span.source;
    if same && other_file {
        return;
    }
    diagnostics.push(declared_twice("relation", &second.name, first.name.span));
}
