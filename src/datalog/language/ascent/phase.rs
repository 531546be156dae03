//! The `ascent` programs that evaluate a rule set, one after the other.

use super::names::SharedNames;
use super::rule::{Target, Writer};
use super::tables::Tables;
use super::{INDENT, Options};
use crate::ruleset::{
    Conflict, Literal, RelationId, RelationKind, RuleId, RuleSet, Stratum, VariableId,
};
use std::fmt::Write as _;

/// What one `ascent` program evaluates.
#[derive(Default)]
pub(super) struct Phase<'a> {
    rules: Vec<(RuleId, &'a Stratum)>,
    /// The orders that are derived in this phase.
    orders: Vec<RelationId>,
    conflicts: &'a [Conflict],
}

/// Cuts the strata into phases. A stratum with an order is one by itself, but for the rules
/// that only read lower strata: those give the edges that the order starts with, and belong
/// to the phase before.
pub(super) fn phases(rules: &RuleSet) -> Vec<Phase<'_>> {
    let is_order = |id: &RelationId| matches!(rules.relation(*id).kind, RelationKind::Order(_));
    let mut phases = Vec::new();
    let mut plain = Phase::default();
    for stratum in &rules.strata {
        let orders: Vec<RelationId> = stratum.relations.iter().copied().filter(is_order).collect();
        if orders.is_empty() {
            plain
                .rules
                .extend(stratum.rules.iter().map(|&rule| (rule, stratum)));
            continue;
        }
        let (below, within): (Vec<RuleId>, Vec<RuleId>) = stratum.rules.iter().partition(|&&id| {
            let rule = rules.rule(id);
            orders.contains(&rule.head.relation) && !reads(&rule.body, &stratum.relations)
        });
        plain
            .rules
            .extend(below.into_iter().map(|rule| (rule, stratum)));
        phases.push(std::mem::take(&mut plain));
        phases.push(Phase {
            rules: within.into_iter().map(|rule| (rule, stratum)).collect(),
            orders,
            conflicts: &[],
        });
    }
    plain.conflicts = &rules.conflicts;
    phases.push(plain);
    phases.retain(|phase| {
        !phase.rules.is_empty() || !phase.orders.is_empty() || !phase.conflicts.is_empty()
    });
    phases
}

fn reads(body: &[Literal], relations: &[RelationId]) -> bool {
    body.iter().any(
        |literal| matches!(literal, Literal::Positive(atom) if relations.contains(&atom.relation)),
    )
}

/// The relation of the instances of a conflict.
pub(super) fn conflict_name(index: usize) -> String {
    format!("conflict__{}", index + 1)
}

impl Phase<'_> {
    /// The statements that evaluate the phase.
    pub(super) fn text(
        &self,
        rules: &RuleSet,
        shared: &SharedNames,
        symbols: &mut Vec<String>,
        options: Options,
    ) -> String {
        let mut text = String::new();
        for &id in &self.orders {
            text += &new_order(rules, shared, id);
        }
        if self.rules.is_empty() && self.conflicts.is_empty() {
            for &id in &self.orders {
                let (order, edges) = (shared.order(id), shared.relation(id));
                let _ = writeln!(text, "{order}.extend(&{edges});");
            }
            return text;
        }

        let mut writer = Writer {
            rules,
            shared,
            symbols,
            orders: &self.orders,
            tables: Tables::default(),
            used: vec![false; rules.relations.len()],
            own_relations: Vec::new(),
            lines: Vec::new(),
            aggregates: 0,
            try_all: options.try_all,
        };
        for &(rule, stratum) in &self.rules {
            writer.rule(rules.rule(rule), stratum);
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
            if !self.derives(rules, id) {
                lines.push("#[ds(::heddle_datalog::compiled::stored::provider)]".to_string());
            }
            let name = shared.relation(id);
            let types = vec!["i64"; rules.relation(id).arity()].join(", ");
            lines.push(format!("relation {name}({types}) = {name};"));
        }
        for &id in &self.orders {
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

    fn derives(&self, rules: &RuleSet, relation: RelationId) -> bool {
        let mut heads = self
            .rules
            .iter()
            .map(|&(rule, _)| rules.rule(rule).head.relation);
        heads.any(|head| head == relation)
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
