//! Aggregates.
//!
//! `ascent` aggregates over one relation. A body that is not a single atom becomes a helper
//! relation of all its assignments. Literals of the body that need a variable from outside
//! cannot be in that relation; they are tested by a closure while the rows are aggregated.

use super::rule::Clauses;
use super::scope::{Binding, variables_in, variables_of};
use super::tables::tuple;
use crate::ruleset::{
    Aggregate, AggregateFunction, Atom, Comparison, Expression, Literal, Term, Variable, VariableId,
};

/// A relation of the generated text, with the rule that derives it.
pub(super) struct Helper {
    pub(super) relation: String,
    pub(super) columns: Vec<VariableId>,
    pub(super) body: Vec<Literal>,
    pub(super) variables: Vec<Variable>,
}

/// What an aggregate ranges over.
struct Range {
    relation: String,
    columns: Vec<Term>,
    /// What is left to be tested, in order.
    rest: Vec<Literal>,
}

impl Clauses<'_, '_> {
    pub(super) fn aggregate(&mut self, aggregate: &Aggregate) {
        *self.aggregates += 1;
        let number = *self.aggregates;
        let range = self.range(aggregate, number);
        for (position, literal) in range.rest.iter().enumerate() {
            if let Literal::Negative(atom) = literal
                && !self.is_order(atom)
            {
                self.collect_excluded(atom, aggregate, &excluded_name(number, position));
            }
        }
        let used = self.used_columns(aggregate, &range);
        let function = self.function(aggregate, &range, &used, number);
        let columns: Vec<String> = range
            .columns
            .iter()
            .map(|column| match column {
                Term::Variable(variable)
                    if used.contains(variable) || self.scope.is_bound(*variable) =>
                {
                    self.scope.name(*variable).to_string()
                }
                Term::Constant(constant) => self.scope.constant(constant),
                Term::Variable(_) | Term::Wildcard => "_".to_string(),
            })
            .collect();
        let result = match self.scope.is_bound(aggregate.result) {
            true => format!("result__{number}"),
            false => self.scope.name(aggregate.result).to_string(),
        };
        self.items.push(format!(
            "agg {result} = {function} in {}({})",
            range.relation,
            columns.join(", ")
        ));
        match self.scope.is_bound(aggregate.result) {
            true => {
                let wanted = self.scope.value(aggregate.result);
                self.items.push(format!("if {result} == {wanted}"));
            }
            false => self.scope.bind(aggregate.result, Binding::Value),
        }
    }

    fn range(&mut self, aggregate: &Aggregate, number: usize) -> Range {
        let (mut inside, rest) = split(&aggregate.body);
        if let [Literal::Positive(atom)] = inside.as_slice()
            && !self.is_order(atom)
            && all_different(&atom.arguments)
        {
            return Range {
                relation: self.relation(atom.relation).to_string(),
                columns: atom.arguments.clone(),
                rest,
            };
        }
        let mut variables = self.variables.to_vec();
        name_wildcards(&mut inside, &mut variables);
        let mut columns: Vec<VariableId> = Vec::new();
        for variable in inside.iter().flat_map(variables_in) {
            if !columns.contains(&variable) {
                columns.push(variable);
            }
        }
        let relation = format!("aggregate__{number}");
        let named = |&column: &VariableId| match column.index() < self.variables.len() {
            true => Term::Variable(column),
            false => Term::Wildcard,
        };
        let range = Range {
            relation: relation.clone(),
            columns: columns.iter().map(named).collect(),
            rest,
        };
        let types = vec!["i64"; columns.len()].join(", ");
        self.own_relations
            .push(format!("relation {relation}({types});"));
        self.helpers.push(Helper {
            relation,
            columns,
            body: inside,
            variables,
        });
        range
    }

    /// The columns that the aggregating function needs.
    fn used_columns(&self, aggregate: &Aggregate, range: &Range) -> Vec<VariableId> {
        let mut used: Vec<VariableId> = aggregate.value.iter().flat_map(variables_of).collect();
        used.extend(range.rest.iter().flat_map(variables_in));
        range
            .columns
            .iter()
            .filter_map(|column| match column {
                Term::Variable(variable) if !self.scope.is_bound(*variable) => Some(*variable),
                _ => None,
            })
            .filter(|variable| used.contains(variable))
            .collect()
    }

    /// The aggregating function applied to the columns that it needs: `sum(y)`, or
    /// `(sum_of(|(y, z): (&i64, &i64)| …))(y, z)`.
    fn function(
        &mut self,
        aggregate: &Aggregate,
        range: &Range,
        columns: &[VariableId],
        number: usize,
    ) -> String {
        let name = match aggregate.function {
            AggregateFunction::Count => "count",
            AggregateFunction::Sum => "sum",
            AggregateFunction::Min => "min",
            AggregateFunction::Max => "max",
        };
        let names: Vec<String> = columns
            .iter()
            .map(|&column| self.scope.name(column).to_string())
            .collect();
        let plain = match &aggregate.value {
            None => true,
            Some(value) => columns.len() == 1 && *value == Expression::Variable(columns[0]),
        };
        if range.rest.is_empty() && plain {
            return format!("{name}({})", names.join(", "));
        }
        for &column in columns {
            self.scope.bind(column, Binding::Reference);
        }
        let mut bound_here = columns.to_vec();
        let mut statements = String::new();
        for (position, literal) in range.rest.iter().enumerate() {
            let excluded = excluded_name(number, position);
            statements += &self.rest_statement(literal, &excluded, aggregate, &mut bound_here);
        }
        let value = match &aggregate.value {
            None => "0".to_string(),
            Some(value) => self.scope.expression_text(value),
        };
        for variable in bound_here {
            self.scope.restore(variable, None);
        }
        let types = vec!["&i64".to_string(); columns.len()];
        format!(
            "({name}_of(|{}: {}| {{ {statements}Some({value}) }}))({})",
            tuple(&names),
            tuple(&types),
            names.join(", ")
        )
    }

    /// A literal that could not be part of the range, as a statement in the closure.
    fn rest_statement(
        &mut self,
        literal: &Literal,
        excluded: &str,
        aggregate: &Aggregate,
        bound_here: &mut Vec<VariableId>,
    ) -> String {
        let test = match literal {
            Literal::Compare(comparison, left, right) => {
                for (side, other) in [(left, right), (right, left)] {
                    if let Expression::Variable(variable) = side
                        && !self.scope.is_bound(*variable)
                    {
                        let value = self.scope.expression_text(other);
                        self.scope.bind(*variable, Binding::Value);
                        bound_here.push(*variable);
                        return format!("let {} = {value}; ", self.scope.name(*variable));
                    }
                }
                self.scope.comparison(*comparison, left, right)
            }
            Literal::Negative(atom) if self.is_order(atom) => {
                format!("!{}", self.order_test(atom))
            }
            Literal::Negative(atom) => {
                let key: Vec<String> = inner_variables(atom, aggregate)
                    .map(|(_, variable)| self.scope.value(variable))
                    .collect();
                format!("!{excluded}.contains(&{})", tuple(&key))
            }
            Literal::Positive(_) | Literal::Aggregate(_) => {
                unreachable!("the range has all positive atoms, and aggregates do not nest")
            }
        };
        format!("if !({test}) {{ return None; }} ")
    }

    /// Collects what a negated atom excludes, for the values that its outer variables have:
    /// a set of the values in its other columns.
    fn collect_excluded(&mut self, atom: &Atom, aggregate: &Aggregate, name: &str) {
        let inner: Vec<usize> = inner_variables(atom, aggregate)
            .map(|(column, _)| column)
            .collect();
        let column_name = |column: usize| format!("column__{column}");
        let arguments: Vec<String> = atom
            .arguments
            .iter()
            .enumerate()
            .map(|(column, term)| match inner.contains(&column) {
                true => column_name(column),
                false => self.scope.argument(term),
            })
            .collect();
        let names: Vec<String> = inner.iter().map(|&column| column_name(column)).collect();
        let types = vec!["&i64".to_string(); names.len()];
        let values: Vec<String> = names.iter().map(|name| format!("*{name}")).collect();
        let relation = self.relation(atom.relation).to_string();
        self.items.push(format!(
            "agg {name} = (set_of(|{}: {}| {}))({}) in {relation}({})",
            tuple(&names),
            tuple(&types),
            tuple(&values),
            names.join(", "),
            arguments.join(", ")
        ));
    }
}

fn excluded_name(number: usize, position: usize) -> String {
    format!("excluded__{number}_{position}")
}

/// The columns of the atom with variables of the aggregate's own.
fn inner_variables<'a>(
    atom: &'a Atom,
    aggregate: &'a Aggregate,
) -> impl Iterator<Item = (usize, VariableId)> + 'a {
    atom.arguments
        .iter()
        .enumerate()
        .filter_map(|(column, term)| match term {
            Term::Variable(variable) if !aggregate.groups.contains(variable) => {
                Some((column, *variable))
            }
            _ => None,
        })
}

/// Divides a body into what can be evaluated by itself, and the rest.
fn split(body: &[Literal]) -> (Vec<Literal>, Vec<Literal>) {
    let is_atom = |literal: &&Literal| matches!(literal, Literal::Positive(_));
    let mut inside: Vec<Literal> = body.iter().filter(is_atom).cloned().collect();
    let mut rest: Vec<Literal> = body
        .iter()
        .filter(|literal| !is_atom(literal))
        .cloned()
        .collect();
    let mut known: Vec<VariableId> = inside.iter().flat_map(variables_in).collect();
    loop {
        let ready = |literal: &Literal| {
            let knows = |variables: Vec<VariableId>| variables.iter().all(|v| known.contains(v));
            match literal {
                Literal::Compare(Comparison::Equal, Expression::Variable(_), right)
                    if knows(variables_of(right)) =>
                {
                    true
                }
                Literal::Compare(Comparison::Equal, left, Expression::Variable(_))
                    if knows(variables_of(left)) =>
                {
                    true
                }
                _ => knows(variables_in(literal)),
            }
        };
        let Some(position) = rest.iter().position(ready) else {
            return (inside, rest);
        };
        let literal = rest.remove(position);
        known.extend(variables_in(&literal));
        inside.push(literal);
    }
}

fn all_different(terms: &[Term]) -> bool {
    terms
        .iter()
        .enumerate()
        .all(|(column, term)| !matches!(term, Term::Variable(_)) || !terms[..column].contains(term))
}

/// An aggregate ranges over its wildcards too, so they become variables. (Not those of
/// negated atoms, which bind nothing.)
fn name_wildcards(body: &mut [Literal], variables: &mut Vec<Variable>) {
    let atoms = body.iter_mut().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    });
    for argument in atoms.flat_map(|atom| &mut atom.arguments) {
        if *argument == Term::Wildcard {
            *argument = Term::Variable(VariableId(variables.len() as u32));
            variables.push(Variable {
                name: "any".to_string(),
                kind: crate::ruleset::ValueKind::Number,
            });
        }
    }
}
