//! The plans of a whole rule set, stratum by stratum.

use super::awake::Awake;
use super::layout::{Base, Operation, Plan};
use super::sequence::{Multiplicity, Sequencer, Wanted, collect, var};
use super::{CandidateSet, Formula, Source, Var};
use crate::constants::Constants;
use heddle_language::order_use::order_uses;
use heddle_language::ruleset::{Literal, Order, RelationId, RelationKind, Rule, RuleSet, Stratum};

/// Everything that a worker needs to build its dataflow.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) strata: Vec<StratumPlan>,
    /// What must never hold, by its number; a plan finds the empty tuple if it does.
    pub(crate) conflicts: Vec<(usize, Plan)>,
    /// By relation.
    pub(crate) arities: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct StratumPlan {
    pub(crate) relations: Vec<RelationPlan>,
    pub(crate) recursive: bool,
}

#[derive(Debug)]
pub(crate) struct RelationPlan {
    pub(crate) relation: RelationId,
    pub(crate) order: Option<Order>,
    /// Whether it holds nothing but facts, as far as rules are awake.
    pub(crate) given: bool,
    pub(crate) rules: Vec<RulePlan>,
}

/// How to find a relation's tuples; for an order, its edges as (from, to, kind, chain, index),
/// where the last three are the place of `from`.
#[derive(Debug)]
pub(crate) struct RulePlan {
    pub(crate) plan: Plan,
    /// How many stages do not depend on the stratum itself; `None` if the base does.
    pub(crate) settled: Option<usize>,
}

impl Program {
    /// Of the rules that can find something.
    pub(crate) fn new(rules: &RuleSet, constants: &Constants, awake: &Awake) -> Self {
        let strata = rules
            .strata
            .iter()
            .map(|stratum| StratumPlan {
                recursive: stratum.recursive,
                relations: stratum
                    .relations
                    .iter()
                    .map(|&relation| relation_plan(rules, constants, awake, stratum, relation))
                    .collect(),
            })
            .collect();
        let conflicts = rules
            .conflicts
            .iter()
            .enumerate()
            .filter(|(_, conflict)| awake.may_hold(&conflict.body))
            .map(|(number, conflict)| {
                let variables = conflict.variables.len();
                let mut sequencer = sequencer(rules, constants, &[], variables, &conflict.body);
                let wanted = Wanted::values(Vec::new(), Multiplicity::Any);
                let actions = sequencer.sequence(&conflict.body, [], wanted);
                (number, Plan::new(actions, None, &[], &[]))
            })
            .collect();
        let arities = rules.relations.iter().map(|relation| relation.arity());
        Program {
            strata,
            conflicts,
            arities: arities.collect(),
        }
    }
}

fn relation_plan(
    rules: &RuleSet,
    constants: &Constants,
    awake: &Awake,
    stratum: &Stratum,
    relation: RelationId,
) -> RelationPlan {
    let order = match rules.relation(relation).kind {
        RelationKind::Order(order) => Some(order),
        RelationKind::Plain | RelationKind::Choice => None,
    };
    let own_rules = stratum
        .rules
        .iter()
        .map(|&rule| rules.rule(rule))
        .filter(|rule| rule.head.relation == relation && awake.may_hold(&rule.body));
    let rules: Vec<RulePlan> = own_rules
        .map(|rule| rule_plan(rules, constants, stratum, rule))
        .collect();
    RelationPlan {
        relation,
        order,
        given: rules.is_empty() && order.is_none(),
        rules,
    }
}

fn rule_plan(rules: &RuleSet, constants: &Constants, stratum: &Stratum, rule: &Rule) -> RulePlan {
    let variables = rule.variables.len();
    let mut sequencer = sequencer(rules, constants, &stratum.relations, variables, &rule.body);
    let mut head: Vec<Formula<Var>> = rule
        .head
        .arguments
        .iter()
        .map(|argument| sequencer.formula(argument))
        .collect();
    let mut results = Vec::new();
    for formula in &head {
        formula.variables(&mut results);
    }
    let uses = order_uses(rules, rule);
    let wanted = Wanted {
        variables: results,
        multiplicity: Multiplicity::Any,
        head: Some(&rule.head),
        uses: &uses,
    };
    let actions = match sequencer.order(rule.head.relation) {
        None => sequencer.sequence(&rule.body, [], wanted),
        Some(order) => {
            let (actions, place) = sequencer.sequence_edge(&rule.body, wanted, order, &head[0]);
            head.extend(place.variables().map(Formula::Variable));
            actions
        }
    };
    let plan = Plan::new(actions, None, &head, &[]);
    let settled = settled_stages(&plan, stratum);
    RulePlan { plan, settled }
}

/// Aggregates have variables of their own beside those of the rule.
fn sequencer<'a>(
    rules: &'a RuleSet,
    constants: &'a Constants,
    stratum: &'a [RelationId],
    variables: usize,
    body: &[Literal],
) -> Sequencer<'a> {
    let mut found = Vec::new();
    for literal in body {
        collect(literal, &mut found);
        if let Literal::Aggregate(aggregate) = literal {
            aggregate
                .body
                .iter()
                .for_each(|inner| collect(inner, &mut found));
            found.extend(aggregate.groups.iter().copied().map(var));
        }
    }
    let most = found.into_iter().map(|variable| variable.0 + 1).max();
    Sequencer {
        rules,
        constants,
        next_variable: most.unwrap_or(0).max(variables as u32),
        stratum,
    }
}

fn settled_stages(plan: &Plan, stratum: &Stratum) -> Option<usize> {
    let recursive = |source: Source| match source {
        Source::Relation(relation) | Source::Clocks(relation) | Source::Reach(relation) => {
            stratum.relations.contains(&relation)
        }
        Source::Unit | Source::Places(_) | Source::Placed { .. } => false,
    };
    if matches!(plan.base, Base::Scan(source) if recursive(source)) {
        return None;
    }
    let first = plan.stages.iter().position(|stage| {
        matches!(&stage.operation,
            Operation::Join(arranging) if recursive(arranging.source))
    });
    Some(first.unwrap_or(plan.stages.len()))
}

impl CandidateSet {
    /// From nothing to (kind, chain, key) and (index, event).
    pub(crate) fn plan(&self) -> Plan {
        let (actions, group, members) = self.actions();
        let formulas = |variables: Vec<Var>| -> Vec<Formula<Var>> {
            variables.into_iter().map(Formula::Variable).collect()
        };
        Plan::new(actions, None, &formulas(group), &formulas(members))
    }
}
