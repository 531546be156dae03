//! Which rule is wrong: the one that derives something false from what is true.

use crate::execution::Execution;
use crate::legal_orders::LegalOrders;
use crate::soundness::{EventNames, Subject};
use heddle_datalog::backend::SettleError;
use heddle_datalog::naive::Naive;
use heddle_datalog::value::Row;
use heddle_language::ruleset::{RelationId, Rule};
use std::collections::BTreeSet;

/// A rule that, applied to the orders that really hold in every legal order of a feasible
/// execution, derives one that does not.
pub fn culprit<'a>(
    subject: &'a Subject,
    execution: &Execution,
) -> Result<Option<&'a Rule>, SettleError> {
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
    let model = naive.fixpoint(theory.facts(), &given)?;
    let is_wrong = |rule: &&Rule| {
        subject.orders().contains(&rule.head.relation)
            && naive
                .consequences(rule, &model)
                .iter()
                .filter_map(|row| names.executed_pair(execution, row))
                .any(|(before, after)| !legal.always_before(before, after))
    };
    Ok(subject.rules().rules.iter().find(is_wrong))
}
