//! Strata as dataflow: facts and rule heads together, and rounds where a stratum is
//! recursive.

use super::super::Pairs;
use super::super::plan::{RelationPlan, Source, StratumPlan};
use super::super::running_maximum::running_maximum;
use super::super::time::{Epoch, Round};
use super::arrangement::Arrangement;
use super::clocks;
use super::render::{self, Flow};
use super::sources::{InnerSources, OuterSources};
use differential_dataflow::collection::concatenate;
use differential_dataflow::operators::iterate::Variable;
use heddle_language::ruleset::RelationId;
use timely::order::Product;

/// Adds the stratum's relations to the sources; returns those that rules derive.
pub(super) fn render<'scope>(
    sources: &mut OuterSources<'scope>,
    stratum: &StratumPlan,
    inputs: &[Pairs<'scope, Epoch>],
) -> Vec<(RelationId, Pairs<'scope, Epoch>)> {
    let (given, derived): (Vec<_>, Vec<_>) = stratum.relations.iter().partition(|plan| plan.given);
    for plan in given {
        let facts = inputs[plan.relation.index()].clone();
        sources.insert(Source::Relation(plan.relation), facts);
    }
    match stratum.recursive {
        true => recursive(sources, &derived, inputs),
        false => once(sources, &derived, inputs),
    }
}

fn once<'scope>(
    sources: &mut OuterSources<'scope>,
    relations: &[&RelationPlan],
    inputs: &[Pairs<'scope, Epoch>],
) -> Vec<(RelationId, Pairs<'scope, Epoch>)> {
    let mut derived = Vec::new();
    for plan in relations {
        let heads = plan
            .rules
            .iter()
            .map(|rule| render::whole(sources, &rule.plan, None));
        let heads: Vec<_> = heads.collect();
        let facts = inputs[plan.relation.index()].clone();
        let pairs = running_maximum(facts.concatenate(heads), "Relation");
        sources.insert(Source::Relation(plan.relation), pairs.clone());
        derived.push((plan.relation, pairs));
    }
    derived
}

/// What a rule of a recursive stratum finds outside of the rounds.
enum Settled<'scope> {
    Nothing,
    /// Up to so many stages, arranged for the next.
    Prefix(usize, Arrangement<'scope, Epoch>),
    /// Everything: the rule is not recursive.
    All(Pairs<'scope, Epoch>),
}

fn recursive<'scope>(
    sources: &mut OuterSources<'scope>,
    relations: &[&RelationPlan],
    inputs: &[Pairs<'scope, Epoch>],
) -> Vec<(RelationId, Pairs<'scope, Epoch>)> {
    let outer = sources.scope;
    let mut settled = Vec::new();
    let mut facts = Vec::new();
    for plan in relations {
        let mut given = inputs[plan.relation.index()].clone();
        if let Some(order) = plan.order {
            let places = clocks::places(sources, order);
            sources.insert(Source::Places(plan.relation), places);
            let successions = clocks::successions(sources, plan.relation);
            given = clocks::located(sources, given, plan.relation).concat(successions);
        }
        facts.push(given);
    }
    for plan in relations {
        settled.push(settled_parts(sources, plan));
    }
    let results = outer.iterative::<u32, _, _>(|scope| {
        let step = Product::new(Default::default(), 1);
        let mut inner = InnerSources::new(scope, sources);
        let mut variables = Vec::new();
        for plan in relations {
            let (variable, pairs) = Variable::new(scope, step);
            inner.insert(kept_as(plan), pairs);
            variables.push(variable);
        }
        let mut results = Vec::new();
        for (((plan, facts), settled), variable) in
            relations.iter().zip(facts).zip(settled).zip(variables)
        {
            let mut heads: Vec<Pairs<Round>> = vec![facts.enter(scope)];
            for (rule, settled) in plan.rules.iter().zip(settled) {
                heads.push(match settled {
                    Settled::Nothing => render::whole(&mut inner, &rule.plan, None),
                    Settled::All(pairs) => pairs.enter(scope),
                    Settled::Prefix(count, arrangement) => {
                        let flow = Flow::Arranged(arrangement.enter(scope));
                        render::stages(&mut inner, &rule.plan.stages[count..], flow).pairs()
                    }
                });
            }
            let heads = concatenate(scope, heads);
            let next = match plan.order {
                None => running_maximum(heads, "Relation"),
                Some(_) => clocks::clocks(heads),
            };
            variable.set(next.clone());
            results.push(next.leave(outer));
        }
        results
    });
    let mut derived = Vec::new();
    for (plan, pairs) in relations.iter().zip(results) {
        sources.insert(kept_as(plan), pairs.clone());
        derived.push((plan.relation, pairs));
    }
    derived
}

fn kept_as(plan: &RelationPlan) -> Source {
    match plan.order {
        None => Source::Relation(plan.relation),
        Some(_) => Source::Clocks(plan.relation),
    }
}

fn settled_parts<'scope>(
    sources: &mut OuterSources<'scope>,
    plan: &RelationPlan,
) -> Vec<Settled<'scope>> {
    let part = |rule: &super::super::plan::RulePlan| {
        let Some(count) = rule.settled else {
            return Settled::Nothing;
        };
        let start = render::start(sources, &rule.plan, None);
        let flow = render::stages(sources, &rule.plan.stages[..count], start);
        if count == rule.plan.stages.len() {
            Settled::All(flow.pairs())
        } else {
            Settled::Prefix(count, flow.arranged())
        }
    };
    plan.rules.iter().map(part).collect()
}
