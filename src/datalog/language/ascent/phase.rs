//! The `ascent` programs that evaluate a rule set, one after the other.

use super::names::SharedNames;
use super::rule::{Target, Writer};
use super::tables::Tables;
use super::{INDENT, Options};
use crate::ruleset::{Conflict, RelationId, RelationKind, RuleSet, Stratum, VariableId};
use std::fmt::Write as _;

/// What one `ascent` program evaluates.
#[derive(Default)]
pub(super) struct Phase<'a> {
    strata: Vec<&'a Stratum>,
    conflicts: &'a [Conflict],
}

/// Cuts the strata into phases. A stratum with an order is one by itself.
pub(super) fn phases(rules: &RuleSet) -> Vec<Phase<'_>> {
    let is_order = |id: &RelationId| matches!(rules.relation(*id).kind, RelationKind::Order(_));
    let mut phases = Vec::new();
    let mut plain = Phase::default();
    for stratum in &rules.strata {
        if stratum.relations.iter().any(is_order) {
            phases.push(std::mem::take(&mut plain));
            phases.push(Phase {
                strata: vec![stratum],
                conflicts: &[],
            });
        } else {
            plain.strata.push(stratum);
        }
    }
    plain.conflicts = &rules.conflicts;
    phases.push(plain);
    phases.retain(|phase| {
        let has_rules = phase.strata.iter().any(|stratum| !stratum.rules.is_empty());
        has_rules || !phase.conflicts.is_empty() || !phase.orders(rules).is_empty()
    });
    phases
}

/// The relation of the instances of a conflict.
pub(super) fn conflict_name(index: usize) -> String {
    format!("conflict__{}", index + 1)
}

impl Phase<'_> {
    fn orders(&self, rules: &RuleSet) -> Vec<RelationId> {
        let relations = self.strata.iter().flat_map(|stratum| &stratum.relations);
        relations
            .copied()
            .filter(|&id| matches!(rules.relation(id).kind, RelationKind::Order(_)))
            .collect()
    }

    /// The statements that evaluate the phase.
    pub(super) fn text(
        &self,
        rules: &RuleSet,
        shared: &SharedNames,
        symbols: &mut Vec<String>,
        options: Options,
    ) -> String {
        let orders = self.orders(rules);
        let mut text = String::new();
        for &id in &orders {
            text += &new_order(rules, shared, id);
        }
        if self.strata.iter().all(|stratum| stratum.rules.is_empty()) && self.conflicts.is_empty() {
            for &id in &orders {
                let (order, edges) = (shared.order(id), shared.relation(id));
                let _ = writeln!(text, "{order}.extend(&{edges});");
            }
            return text;
        }

        let mut writer = Writer {
            rules,
            shared,
            symbols,
            tables: Tables::default(),
            used: vec![false; rules.relations.len()],
            own_relations: Vec::new(),
            lines: Vec::new(),
            aggregates: 0,
            try_all: options.try_all,
        };
        for stratum in &self.strata {
            for &rule in &stratum.rules {
                writer.rule(rules.rule(rule), stratum);
            }
        }
        for (index, conflict) in self.conflicts.iter().enumerate() {
            let variables: Vec<VariableId> = (0..conflict.variables.len() as u32)
                .map(VariableId)
                .collect();
            let name = conflict_name(index);
            let types = vec!["i64"; variables.len()].join(", ");
            writer
                .own_relations
                .push(format!("relation {name}({types});"));
            writer.comment(&rules.show_conflict(conflict).to_string());
            let target = Target::Own(&name, &variables);
            writer.body(&target, &conflict.body, &conflict.variables, None, &[]);
        }

        for statement in writer.tables.statements() {
            let _ = writeln!(text, "{statement}");
        }
        let plain: Vec<RelationId> = rules
            .relation_ids()
            .filter(|id| writer.used[id.index()])
            .collect();
        let conflicts = (0..self.conflicts.len()).map(conflict_name);
        let results: Vec<String> = plain
            .iter()
            .map(|&id| shared.relation(id).to_string())
            .chain(conflicts)
            .collect();
        let _ = writeln!(text, "let ({}) = {{", list(&results));
        let _ = writeln!(text, "{INDENT}let program = ascent_run! {{");
        let mut lines = Vec::new();
        for &id in &plain {
            let name = shared.relation(id);
            let types = vec!["i64"; rules.relation(id).arity()].join(", ");
            lines.push(format!("relation {name}({types}) = {name};"));
        }
        for &id in &orders {
            let (name, order) = (shared.relation(id), shared.order(id));
            lines.push("#[ds(::heddle_datalog::compiled::growth::provider)]".to_string());
            lines.push(format!("relation {name}(Growth) = {order}.rows(&{name});"));
        }
        lines.extend(writer.own_relations);
        lines.extend(writer.lines);
        for line in lines {
            let indent = if line.is_empty() {
                String::new()
            } else {
                INDENT.repeat(2)
            };
            let _ = writeln!(text, "{indent}{line}");
        }
        let _ = writeln!(text, "{INDENT}}};");
        let fields: Vec<String> = results
            .iter()
            .map(|name| format!("program.{name}"))
            .collect();
        let _ = writeln!(text, "{INDENT}({})", list(&fields));
        let _ = writeln!(text, "}};");
        text
    }
}

fn new_order(rules: &RuleSet, shared: &SharedNames, id: RelationId) -> String {
    let RelationKind::Order(order) = rules.relation(id).kind else {
        unreachable!("only orders have chains");
    };
    let executed = match order.executed {
        Some(executed) => format!("Some(&{})", shared.relation(executed)),
        None => "None".to_string(),
    };
    format!(
        "// {}\nlet {} = Order::new(RelationId({}), &{}, {executed})?;\n",
        rules.show_declaration(rules.relation(id)),
        shared.order(id),
        order.event.0,
        shared.relation(order.event),
    )
}

/// The elements of a tuple pattern or expression, right for one element too.
fn list(elements: &[String]) -> String {
    elements
        .iter()
        .map(|element| format!("{element}, "))
        .collect()
}
