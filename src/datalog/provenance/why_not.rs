//! Why a tuple does not hold: for each rule that could derive it, how far its body holds.

use super::explain::Explainer;
use super::matcher::Model;
use super::program::ClauseId;
use super::proof::{self, Graph};
use crate::show;
use crate::value::{Row, Symbols, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{
    Comparison, Constant, Expression, Literal, RelationId, RelationKind, RuleId, Variable,
    VariableId,
};
use serde_json::{Value as Json, json};
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
        let mut text = self.headline(rules, symbols);
        text.push('\n');
        if self.attempts.is_empty() {
            text.push_str("  no rule could derive it\n");
        }
        for (name, lack) in self.lacks(rules) {
            let _ = writeln!(text, "  {name}: {lack}");
        }
        text
    }

    /// An object with a list of the rules that could derive the tuple. `fails` is null where
    /// the whole body holds.
    pub fn to_json(&self, rules: &RuleSet, symbols: &Symbols) -> Json {
        let mut json = proof::tuple_json(rules, symbols, self.relation, &self.row);
        let attempts = self.attempts.iter().map(|attempt| {
            json!({
                "rule": rules.rule(attempt.rule).name,
                "holds": attempt.holds,
                "fails": attempt.fails,
            })
        });
        json["claim"] = Json::from(show::tuple(rules, symbols, self.relation, &self.row));
        json["holds"] = Json::from(false);
        json["rules"] = attempts.collect();
        json
    }

    /// The tuple and what each rule lacks, as a graph in the language of Graphviz.
    pub fn to_dot(&self, rules: &RuleSet, symbols: &Symbols) -> String {
        let mut graph = Graph::new();
        graph.node(0, &self.headline(rules, symbols), "dashed");
        for (id, (name, lack)) in (1..).zip(self.lacks(rules)) {
            graph.node(id, &format!("{name}\n{lack}"), "rounded");
            graph.edge(0, id);
        }
        graph.finish()
    }

    fn headline(&self, rules: &RuleSet, symbols: &Symbols) -> String {
        let tuple = show::tuple(rules, symbols, self.relation, &self.row);
        format!("{tuple} does not hold")
    }

    /// The name of each rule that could derive the tuple, and what it lacks.
    fn lacks(&self, rules: &RuleSet) -> Vec<(String, String)> {
        let mut lacks: Vec<(String, String)> = (self.attempts.iter())
            .map(|attempt| (rules.rule(attempt.rule).name.clone(), attempt.lack()))
            .collect();
        if let RelationKind::Order(order) = rules.relation(self.relation).kind {
            let event = &rules.relation(order.event).name;
            let present = match order.executed {
                None => String::new(),
                Some(executed) => format!(" and `{}`", rules.relation(executed).name),
            };
            let lack =
                format!("there is no path of such steps, nor by the chains of `{event}`{present}");
            lacks.push(("order".to_string(), lack));
        }
        lacks
    }
}

impl Attempt {
    fn lack(&self) -> String {
        let holds = self.holds.join(", ");
        match (&self.fails, self.holds.is_empty()) {
            (Some(fails), true) => format!("not {fails}"),
            (Some(fails), false) => format!("{holds}; but not {fails}"),
            (None, true) => "only for other values".to_string(),
            (None, false) => format!("{holds}; but only for other values"),
        }
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
        name: match value {
            None => format!("?{}", variable.name),
            Some(value) => show::argument(symbols, variable.kind, *value),
        },
        kind: variable.kind,
    };
    variables.iter().zip(binding).map(shown).collect()
}
