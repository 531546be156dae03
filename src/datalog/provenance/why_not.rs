//! Why a tuple does not hold: for each rule that could derive it, how far its body holds.

use super::explain::Explainer;
use super::matcher::Model;
use super::program::ClauseId;
use crate::show;
use crate::value::{Row, Symbols, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{
    Comparison, Constant, Expression, Literal, RelationId, RelationKind, RuleId, ValueKind,
    Variable, VariableId,
};
use std::fmt::Write;

/// A tuple that does not hold, and what is missing.
#[derive(Clone, Debug)]
pub struct WhyNot {
    pub relation: RelationId,
    pub row: Row,
    /// One for each rule whose head could be the tuple.
    pub attempts: Vec<Attempt>,
}

/// How far the body of a rule holds, with the tuple as its head.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub rule: RuleId,
    /// The literals, from left to right, that hold together, with the tuple's values in
    /// place of variables. A variable that the tuple gives no value is shown as `?x`.
    pub holds: Vec<String>,
    /// The literal that never holds together with them; `None` if the whole body holds, but
    /// only for another head.
    pub fails: Option<String>,
}

impl WhyNot {
    pub fn to_text(&self, rules: &RuleSet, symbols: &Symbols) -> String {
        let mut text = show::tuple(rules, symbols, self.relation, &self.row);
        text.push_str(" does not hold\n");
        if self.attempts.is_empty() {
            text.push_str("  no rule could derive it\n");
        }
        for attempt in &self.attempts {
            let name = &rules.rule(attempt.rule).name;
            let holds = attempt.holds.join(", ");
            let _ = match (&attempt.fails, attempt.holds.is_empty()) {
                (Some(fails), true) => writeln!(text, "  {name}: not {fails}"),
                (Some(fails), false) => writeln!(text, "  {name}: {holds}; but not {fails}"),
                (None, _) => writeln!(text, "  {name}: {holds}; but only for other values"),
            };
        }
        if let RelationKind::Order(order) = rules.relation(self.relation).kind {
            let event = &rules.relation(order.event).name;
            let present = match order.executed {
                None => String::new(),
                Some(executed) => format!(" and `{}`", rules.relation(executed).name),
            };
            let _ = writeln!(
                text,
                "  order: there is no path of such steps, nor by the chains of `{event}`{present}"
            );
        }
        text
    }
}

impl Explainer {
    pub(super) fn why_not(&mut self, symbols: &Symbols, row: &[Value]) -> WhyNot {
        let program = self.fixpoint.program.clone();
        let rules = &program.rules;
        let mut attempts = Vec::new();
        for (number, rule) in (0..).zip(&rules.rules) {
            if rule.head.relation == self.goal {
                attempts.extend(self.attempt(symbols, ClauseId(number), row));
            }
        }
        WhyNot {
            relation: self.goal,
            row: row.into(),
            attempts,
        }
    }

    /// `None` if the head can never be the tuple.
    fn attempt(&mut self, symbols: &Symbols, id: ClauseId, row: &[Value]) -> Option<Attempt> {
        let program = self.fixpoint.program.clone();
        let rule = program.rules.rule(RuleId(id.0));
        let mut binding: Vec<Option<Value>> = vec![None; program.clauses[id.index()].variables];
        for (argument, &value) in rule.head.arguments.iter().zip(row) {
            match argument {
                Expression::Variable(variable) => {
                    let known = binding[variable.index()].get_or_insert(value);
                    if *known != value {
                        return None;
                    }
                }
                Expression::Constant(constant) if program.constants.value(constant) != value => {
                    return None;
                }
                _ => {}
            }
        }
        let plan = program.backward[id.index()].as_ref()?;
        let known: Vec<Value> = binding
            .iter()
            .map(|value| value.unwrap_or_default())
            .collect();
        for (variable, constant) in rule.body.iter().filter_map(definition) {
            let value = program.constants.value(constant);
            binding[variable.index()].get_or_insert(value);
        }
        let variables = with_values(&rule.variables, &binding, symbols);
        let shown = |literal: &Literal| program.rules.show_literal(&variables, literal).to_string();
        let mut model = Model {
            store: &self.fixpoint.store,
            orders: &self.fixpoint.orders,
            algebra: &mut self.fixpoint.algebra,
        };
        let depth = model.depth(plan, &known);
        // Steps that were added for the arguments of orders show nothing.
        let literals = program.literals_within(id, depth);
        let held = rule.body.iter().take(literals);
        let telling = held.filter(|literal| definition(literal).is_none());
        Some(Attempt {
            rule: RuleId(id.0),
            holds: telling.map(shown).collect(),
            fails: rule.body.get(literals).map(shown),
        })
    }
}

/// `variable = constant`: what `1 = count : { … }` in a text makes of its number.
fn definition(literal: &Literal) -> Option<(VariableId, &Constant)> {
    match literal {
        Literal::Compare(
            Comparison::Equal,
            Expression::Variable(variable),
            Expression::Constant(constant),
        )
        | Literal::Compare(
            Comparison::Equal,
            Expression::Constant(constant),
            Expression::Variable(variable),
        ) => Some((*variable, constant)),
        _ => None,
    }
}

/// Variables with values in place of names. One that has no value is marked, because a
/// symbol may have the same name: `?x`.
pub(super) fn with_values(
    variables: &[Variable],
    binding: &[Option<Value>],
    symbols: &Symbols,
) -> Vec<Variable> {
    let shown = |(variable, value): (&Variable, &Option<Value>)| Variable {
        name: match (value, variable.kind) {
            (None, _) => format!("?{}", variable.name),
            (Some(value), ValueKind::Symbol) => symbols.name(*value).to_string(),
            (Some(value), ValueKind::Number) => value.0.to_string(),
        },
        kind: variable.kind,
    };
    variables.iter().zip(binding).map(shown).collect()
}
