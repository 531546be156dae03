//! Tables that the generated text makes before an order is derived: the events of a
//! relation in the order of the chains, and sets of tuples to test membership in.
//!
//! They are over relations of lower strata, which are complete by then.

use super::scope::Scope;
use crate::ruleset::{Atom, RelationId, Term, VariableId};

/// The tables of one phase, each made once however many rules use it.
#[derive(Default)]
pub(super) struct Tables {
    /// Name, and the expression that makes it.
    tables: Vec<(String, String)>,
}

impl Tables {
    /// Statements that make the tables.
    pub(super) fn statements(&self) -> impl Iterator<Item = String> {
        self.tables
            .iter()
            .map(|(name, made)| format!("let {name} = {made};"))
    }

    /// The events at `event` of the atom, by those of its other variables that have values.
    /// Returns the table's name and the key.
    pub(super) fn seek(
        &mut self,
        scope: &mut Scope<'_>,
        order: RelationId,
        atom: &Atom,
        event: VariableId,
    ) -> (String, String) {
        let relation = scope.shared.relation(atom.relation).to_string();
        let declared = scope.rules.relation(atom.relation);
        let mut event_column = None;
        let mut key_columns = Vec::new();
        let mut key = Vec::new();
        let mut filters = Vec::new();
        for (column, term) in atom.arguments.iter().enumerate() {
            match term {
                Term::Variable(variable) if *variable == event => match event_column {
                    None => event_column = Some(column),
                    Some(first) => filters.push(format!("row.{first} == row.{column}")),
                },
                Term::Variable(variable) if !scope.is_bound(*variable) => {}
                Term::Variable(variable) => {
                    key_columns.push(column);
                    key.push(scope.value(*variable));
                }
                Term::Constant(constant) => {
                    filters.push(format!("row.{column} == {}", scope.constant(constant)));
                }
                Term::Wildcard => {}
            }
        }
        let event_column = event_column.expect("a condition on an event mentions it");
        let rows = filtered(&relation, &filters);
        let columns: Vec<String> = key_columns
            .iter()
            .map(|column| format!("row.{column}"))
            .collect();
        let made = format!(
            "{}.seek({rows}.map(|row| (row.{event_column}, {})))",
            scope.shared.order(order),
            tuple(&columns)
        );
        let by: Vec<&str> = key_columns
            .iter()
            .map(|&column| declared.columns[column].name.as_str())
            .collect();
        let wish = match by.is_empty() {
            true => format!("{relation}__events"),
            false => format!("{relation}__by_{}", by.join("_")),
        };
        (self.table(&wish, made), tuple(&key))
    }

    /// A test whether the atom holds; all its variables have values.
    pub(super) fn membership(&mut self, scope: &mut Scope<'_>, atom: &Atom) -> String {
        let relation = scope.shared.relation(atom.relation).to_string();
        let mut columns = Vec::new();
        let mut values = Vec::new();
        for (column, term) in atom.arguments.iter().enumerate() {
            if let Some(value) = scope.term_value(term) {
                columns.push(format!("row.{column}"));
                values.push(value);
            }
        }
        let made = format!(
            "{}.map(|row| {}).collect::<Set<_>>()",
            filtered(&relation, &[]),
            tuple(&columns)
        );
        let table = self.table(&format!("{relation}__tuples"), made);
        format!("{table}.contains(&{})", tuple(&values))
    }

    fn table(&mut self, wish: &str, made: String) -> String {
        if let Some((name, _)) = self.tables.iter().find(|(_, other)| *other == made) {
            return name.clone();
        }
        let taken = |name: &String| self.tables.iter().any(|(other, _)| other == name);
        let name = std::iter::once(wish.to_string())
            .chain((2..).map(|number| format!("{wish}__{number}")))
            .find(|name| !taken(name))
            .expect("there are infinitely many numbers");
        self.tables.push((name.clone(), made));
        name
    }
}

fn filtered(relation: &str, filters: &[String]) -> String {
    match filters.is_empty() {
        true => format!("{relation}.iter()"),
        false => format!("{relation}.iter().filter(|row| {})", filters.join(" && ")),
    }
}

/// `(a, b)`, and `(a,)` for one element.
pub(super) fn tuple(elements: &[String]) -> String {
    match elements {
        [element] => format!("({element},)"),
        _ => format!("({})", elements.join(", ")),
    }
}
