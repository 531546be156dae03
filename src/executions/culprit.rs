//! Which rule is wrong: the one that derives something false from what is true. Or no rule, but
//! what is declared.

use crate::execution::{EventId, Execution};
use crate::legal_orders::LegalOrders;
use crate::soundness::{EventNames, Subject, Unsettled};
use heddle_datalog::naive::Naive;
use heddle_datalog::value::Row;
use heddle_language::ruleset::{RelationId, RelationKind, Rule};
use std::collections::BTreeSet;

/// A rule that, applied to the orders that really hold in every legal order of a feasible
/// execution, derives one that does not.
#[derive(Clone, Copy, Debug)]
pub struct Culprit<'a> {
    pub rule: &'a Rule,
    pub fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It derives an order that some legal order has otherwise: this one, if the rule set as
    /// a whole derives that too.
    WrongOrder(Option<(EventId, EventId)>),
    /// It orders an event that is not executed. No legal order has it, so nothing may lead
    /// from an executed event over this one to another.
    NotExecuted(EventId),
}

/// A rule that orders executed events wrongly; if there is none, one that orders events that
/// are not executed.
pub fn culprit<'a>(
    subject: &'a Subject,
    execution: &Execution,
) -> Result<Option<Culprit<'a>>, Unsettled> {
    let mut theory = subject.theory(execution)?;
    let legal = LegalOrders::of(execution);
    let names = EventNames::of(execution, &theory);
    let executed = |id: EventId| execution.event(id).executed;
    let truth: BTreeSet<Row> = execution
        .ids()
        .flat_map(|before| execution.ids().map(move |after| (before, after)))
        .filter(|&(before, after)| {
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
    let rules = subject.rules().rules.iter();
    let ordering = rules.filter(|rule| subject.orders().contains(&rule.head.relation));
    let mut not_executed = None;
    for rule in ordering {
        let derived = naive.consequences(rule, &model);
        let (mut wrong, mut held) = (false, None);
        for row in &derived {
            let Some((before, after)) = names.pair(row) else {
                continue;
            };
            if let Some(event) = [before, after].into_iter().find(|&id| !executed(id)) {
                not_executed.get_or_insert(Culprit {
                    rule,
                    fault: Fault::NotExecuted(event),
                });
            } else if !legal.always_before(before, after) {
                wrong = true;
                let holds = theory.contains(rule.head.relation, row);
                held = held.or(holds.then_some((before, after)));
            }
        }
        if wrong {
            let fault = Fault::WrongOrder(held);
            return Ok(Some(Culprit { rule, fault }));
        }
    }
    Ok(not_executed)
}

/// An `order` that, by its declaration, has an event in its chains that is not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Careless {
    pub order: RelationId,
    /// What is declared to say which events are executed.
    pub executed: Option<RelationId>,
    pub event: EventId,
}

/// What is declared wrongly, for where [`culprit`] finds no rule. An event that is not executed
/// is in no legal order, but a chain leads on from it.
pub fn careless_order(
    subject: &Subject,
    execution: &Execution,
) -> Result<Option<Careless>, Unsettled> {
    let theory = subject.theory(execution)?;
    let counts = |executed: Option<RelationId>, event: EventId| match executed {
        None => true,
        Some(executed) => {
            let name = theory.symbols().get(&execution.name(event));
            name.is_some_and(|name| theory.contains(executed, &[name]))
        }
    };
    let found = subject.orders().iter().find_map(|&order| {
        let RelationKind::Order(declared) = subject.rules().relation(order).kind else {
            return None;
        };
        let executed = declared.executed;
        let event = execution
            .ids()
            .find(|&id| !execution.event(id).executed && counts(executed, id))?;
        Some(Careless {
            order,
            executed,
            event,
        })
    });
    Ok(found)
}
