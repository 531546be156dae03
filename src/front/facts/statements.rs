//! The statement of each edge, from the relation that names its kind.

use super::read::Reader;
use super::schema::*;
use super::tables::{Field, Row, Tables};
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Place, Role, Sort, Statement, Update};
use std::collections::BTreeMap;

/// What was said about an edge.
struct Said {
    statement: Option<Statement>,
    span: Span,
    /// The field that names the edge.
    edge: Field,
}

/// The statements by edge. An edge of which nothing is said is skipped over.
pub(crate) struct Statements {
    said: BTreeMap<String, Said>,
}

impl Statements {
    /// The statement of the edge, and the row that says it.
    pub(crate) fn take(&mut self, edge: &str) -> (Statement, Option<Span>) {
        match self.said.remove(edge) {
            Some(said) => (said.statement.unwrap_or(Statement::Skip), Some(said.span)),
            None => (Statement::Skip, None),
        }
    }

    /// Reports what was said about edges that do not exist.
    pub(crate) fn report_unused(self, reader: &mut Reader) {
        for (name, said) in self.said {
            if reader.edges.find(&name).is_none() {
                let diagnostic = reader.edges.unknown(said.edge.span, &name);
                reader.diagnostics.push(diagnostic);
            }
        }
    }

    fn say(&mut self, reader: &mut Reader, row: &Row, statement: Option<Statement>) {
        let edge = row.fields[0].clone();
        if let Some(earlier) = self.said.get(&edge.text) {
            reader.diagnostics.push(
                Diagnostic::error(row.span, format!("edge `{}` has two statements", edge.text))
                    .related(earlier.span, "the first one"),
            );
            return;
        }
        self.said.insert(
            edge.text.clone(),
            Said {
                statement,
                span: row.span,
                edge,
            },
        );
    }
}

pub(crate) fn collect(reader: &mut Reader, tables: &Tables) -> Statements {
    let mut statements = Statements {
        said: BTreeMap::new(),
    };
    for row in tables.rows(ASSIGN) {
        let [_, variable, index, value] = &row.fields[..] else {
            continue;
        };
        let statement = place(reader, variable, index).and_then(|(target, sort)| {
            let value = reader.term(value, sort)?;
            Some(Statement::Assign { target, value })
        });
        statements.say(reader, row, statement);
    }
    for row in tables.rows(HAVOC) {
        let [_, variable, index] = &row.fields[..] else {
            continue;
        };
        let target = place(reader, variable, index);
        let statement = target.map(|(target, _)| Statement::Havoc { target });
        statements.say(reader, row, statement);
    }
    for row in tables.rows(ASSUME) {
        let condition = reader.term(&row.fields[1], Sort::Bool);
        statements.say(reader, row, condition.map(Statement::Assume));
    }
    for row in tables.rows(ASSERT) {
        let condition = reader.term(&row.fields[1], Sort::Bool);
        let message = reader.noted(row.fields[2].unescaped());
        let statement = condition
            .zip(message)
            .map(|(condition, message)| Statement::Assert { condition, message });
        statements.say(reader, row, statement);
    }
    guarded(reader, tables, &mut statements);
    for (relation, make) in [
        (CREATE, Statement::Create as fn(_) -> _),
        (JOIN, Statement::Join as fn(_) -> _),
    ] {
        for row in tables.rows(relation) {
            let found = reader.threads.resolve(&row.fields[1]);
            let thread = reader.noted(found);
            statements.say(reader, row, thread.map(make));
        }
    }
    for (relation, statement) in [
        (ATOMIC_BEGIN, Statement::AtomicBegin),
        (ATOMIC_END, Statement::AtomicEnd),
    ] {
        for row in tables.rows(relation) {
            statements.say(reader, row, Some(statement.clone()));
        }
    }
    for row in tables.rows(BOUND_REACHED) {
        let reason = reader.noted(row.fields[1].unescaped());
        statements.say(reader, row, reason.map(Statement::BoundReached));
    }
    statements
}

/// Guards with their updates and roles, which are relations of their own.
fn guarded(reader: &mut Reader, tables: &Tables, statements: &mut Statements) {
    let mut updates: BTreeMap<&str, Vec<(u64, &Row)>> = BTreeMap::new();
    for row in tables.rows(UPDATE) {
        let position = row.fields[1].text.parse::<u64>();
        let position = position.map_err(|_| row.fields[1].error("a number is expected here"));
        if let Some(position) = reader.noted(position) {
            let rows = updates.entry(&row.fields[0].text).or_default();
            // The order of lines means nothing, so that of two writes needs two positions.
            if let Some((_, earlier)) = rows.iter().find(|(taken, _)| *taken == position) {
                let message = format!("edge `{}` has two updates here", row.fields[0].text);
                let error = row.fields[1].error(message);
                let error = error.related(earlier.fields[1].span, "the first one");
                reader
                    .diagnostics
                    .push(error.hint("each update of an edge has a position of its own"));
            }
            rows.push((position, row));
        }
    }
    let mut roles: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in tables.rows(ROLE) {
        if let Some(earlier) = roles.insert(&row.fields[0].text, row) {
            reader.diagnostics.push(
                row.fields[0]
                    .error(format!("edge `{}` has two roles", row.fields[0].text))
                    .related(earlier.span, "the first one"),
            );
        }
    }
    for row in tables.rows(GUARD) {
        let edge = row.fields[0].text.as_str();
        let guard = reader.term(&row.fields[1], Sort::Bool);
        let mut rows = updates.remove(edge).unwrap_or_default();
        rows.sort_by_key(|(position, _)| *position);
        let updates: Vec<(Place, Update)> = rows
            .into_iter()
            .filter_map(|(_, row)| update(reader, row))
            .collect();
        let role = match roles.remove(edge) {
            Some(row) => role(reader, row),
            None => Some(Role::Command),
        };
        let statement = guard.zip(role).map(|(guard, role)| Statement::Guarded {
            guard,
            updates,
            role,
        });
        statements.say(reader, row, statement);
    }
    let orphans = updates.into_values().flatten().map(|(_, row)| row);
    for row in orphans.chain(roles.into_values()) {
        let field = &row.fields[0];
        reader.diagnostics.push(
            field
                .error(format!("edge `{}` has no guard", field.text))
                .hint("list it in `guard.facts`, with the condition `true` if it never waits"),
        );
    }
}

fn update(reader: &mut Reader, row: &Row) -> Option<(Place, Update)> {
    let [_, _, variable, index, value] = &row.fields[..] else {
        return None;
    };
    let (target, sort) = place(reader, variable, index)?;
    let update = match value.text.as_str() {
        ANY_VALUE => Update::Any,
        _ => Update::Value(reader.term(value, sort)?),
    };
    Some((target, update))
}

fn role(reader: &mut Reader, row: &Row) -> Option<Role> {
    let [_, role, variable, index] = &row.fields[..] else {
        return None;
    };
    match role.text.as_str() {
        "lock" => Some(Role::Lock(place(reader, variable, index)?.0)),
        "unlock" => Some(Role::Unlock(place(reader, variable, index)?.0)),
        "rmw" => Some(Role::ReadModifyWrite),
        other => {
            let message = format!("`{other}` is not a role");
            let hint = "roles are `lock`, `unlock` and `rmw` (atomic read-modify-write)";
            reader.diagnostics.push(role.error(message).hint(hint));
            None
        }
    }
}

/// A variable, or an element of it, and the sort of what is there.
fn place(reader: &mut Reader, variable: &Field, index: &Field) -> Option<(Place, Sort)> {
    let found = reader.variables.resolve(variable);
    let id = reader.noted(found)?;
    let sort = reader.builder.program().variable(id).sort;
    if index.text == NO_INDEX {
        return Some((Place::Variable(id), sort));
    }
    let Some(array) = sort.as_array() else {
        let message = format!("variable `{}` is not an array", variable.text);
        reader.diagnostics.push(
            index
                .error(message)
                .hint("`-` in the column of the index says that there is none"),
        );
        return None;
    };
    let index = reader.term(index, array.index.into())?;
    Some((Place::Element(id, index), array.element.into()))
}
