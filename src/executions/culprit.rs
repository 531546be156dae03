//! Which rule is wrong: the one that derives something false from what is true.

use crate::execution::{EventId, Execution};
use crate::legal_orders::LegalOrders;
use crate::soundness::{EventNames, Subject, Unsettled};
use heddle_datalog::naive::Naive;
use heddle_datalog::value::Row;
use heddle_language::ruleset::{RelationId, Rule};
use std::collections::BTreeSet;

/// A rule that, applied to the orders that really hold in every legal order of a feasible
/// execution, derives one that does not.
#[derive(Clone, Copy, Debug)]
pub struct Culprit<'a> {
    pub rule: &'a Rule,
    /// What it derives, if the rule set as a whole derives that too.
    pub derives: Option<(EventId, EventId)>,
}

pub fn culprit<'a>(
    subject: &'a Subject,
    execution: &Execution,
) -> Result<Option<Culprit<'a>>, Unsettled> {
    let mut theory = subject.theory(execution)?;
    let legal = LegalOrders::of(execution);
    let names = EventNames::of(execution, &theory);
    let truth: BTreeSet<Row> = execution
        .ids()
        .flat_map(|before| execution.ids().map(move |after| (before, after)))
        .filter(|&(before, after)| {
            let executed = |id| execution.event(id).executed;
            executed(before) && executed(after) && legal.always_before(before, after)
        })
        .map(|(before, after)| {
            let value = |id| theory.symbols().get(&execution.name(id));
            let row = [value(before), value(after)].map(|value| value.expect("an inserted event"));
            Box::new(row) as Row
        })
        .collect();
    let given: Vec<(RelationId, BTreeSet<Row>)> = subject
        .orders()
        .iter()
        .map(|&order| (order, truth.clone()))
        .collect();
    let naive = Naive::new(subject.rules().clone(), theory.symbols_mut());
    // Where chains are made from another order, the true one may not fit: blame no rule.
    let Ok(model) = naive.fixpoint(theory.facts(), &given) else {
        return Ok(None);
    };
    let wrong = |rule: &'a Rule| -> Option<Culprit<'a>> {
        let order = rule.head.relation;
        if !subject.orders().contains(&order) {
            return None;
        }
        let derived = naive.consequences(rule, &model);
        let mut wrong = derived.iter().filter_map(|row| {
            let (before, after) = names.executed_pair(execution, row)?;
            let holds = theory.contains(order, row);
            (!legal.always_before(before, after)).then_some((holds, (before, after)))
        });
        let first = wrong.next()?;
        let held = std::iter::once(first)
            .chain(wrong)
            .find(|(holds, _)| *holds);
        Some(Culprit {
            rule,
            derives: held.map(|(_, pair)| pair),
        })
    };
    Ok(subject.rules().rules.iter().find_map(wrong))
}
