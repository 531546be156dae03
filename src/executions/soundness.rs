//! Is a rule set sound for an execution, and did it notice that there is no legal order?

use crate::execution::{EventId, Execution, thread_name, variable_name};
use crate::legal_orders::LegalOrders;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_language::RuleSet;
use heddle_language::ruleset::{RelationId, RelationKind, ValueKind};
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// What the rules say of an execution, compared with its legal orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Feasible, and all that was derived is true of every legal order.
    Sound,
    /// Infeasible, and a conflict was derived.
    Detected,
    /// Infeasible, and no conflict was derived: incomplete, but not wrong.
    Missed,
    Unsound(Violation),
}

/// Something that was derived and is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// `before` was ordered before `after`, but some legal order has it otherwise.
    WrongOrder {
        relation: RelationId,
        before: EventId,
        after: EventId,
    },
    /// A conflict was derived, but there are legal orders.
    WrongConflict { name: String },
}

/// The rule set cannot be evaluated on an execution: what it derives contradicts what it
/// declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    pub why: String,
    pub execution: Execution,
}

impl fmt::Display for Unsettled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let execution = self.execution.describe();
        write!(
            f,
            "{}, in this execution:\n{}",
            self.why,
            execution.trim_end()
        )
    }
}

/// A rule set that can be tested: it has an `order` relation, and where it declares a
/// relation of the event level, it declares it with the usual columns.
pub struct Subject {
    rules: Arc<RuleSet>,
    orders: Vec<RelationId>,
}

/// The relations of the event level, and the kinds of their columns.
const EVENT_LEVEL: [(&str, &[ValueKind]); 7] = {
    const S: ValueKind = ValueKind::Symbol;
    [
        ("event", &[S, S, ValueKind::Number]),
        ("read", &[S, S]),
        ("write", &[S, S]),
        ("po", &[S, S]),
        ("executed", &[S]),
        ("rf", &[S, S]),
        ("atomic", &[S, S]),
    ]
};

impl Subject {
    /// The error says what about the rule set cannot be tested.
    pub fn new(rules: Arc<RuleSet>) -> Result<Self, String> {
        for (name, kinds) in EVENT_LEVEL {
            let Some(id) = rules.find(name) else { continue };
            let columns = &rules.relation(id).columns;
            if !columns
                .iter()
                .map(|column| column.kind)
                .eq(kinds.iter().copied())
            {
                return Err(format!(
                    "relation `{name}` is declared with other columns than event facts have"
                ));
            }
        }
        let orders: Vec<RelationId> = rules
            .relation_ids()
            .filter(|&id| matches!(rules.relation(id).kind, RelationKind::Order(_)))
            .collect();
        if orders.is_empty() {
            return Err(
                "no relation is declared as an `order`, so there is nothing to test".into(),
            );
        }
        Ok(Subject { rules, orders })
    }

    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    /// The relations that are declared as an `order`.
    pub fn orders(&self) -> &[RelationId] {
        &self.orders
    }

    /// The settled theory of an execution.
    pub fn theory(&self, execution: &Execution) -> Result<Theory, Unsettled> {
        let mut theory = Theory::new(self.rules.clone(), BackendKind::Naive)
            .expect("every rule set can be evaluated naively");
        insert_facts(&mut theory, execution);
        match theory.settle() {
            Ok(()) => Ok(theory),
            Err(error) => Err(Unsettled {
                why: error.describe(&self.rules, theory.symbols()).to_string(),
                execution: execution.clone(),
            }),
        }
    }

    pub fn judge(&self, execution: &Execution) -> Result<Judgement, Unsettled> {
        let theory = self.theory(execution)?;
        let legal = LegalOrders::of(execution);
        let conflict = theory
            .violated_conflicts()
            .first()
            .map(|conflict| conflict.name.clone());
        if !legal.feasible() {
            return Ok(match conflict {
                Some(_) => Judgement::Detected,
                None => Judgement::Missed,
            });
        }
        if let Some(violation) = self.wrong_order(&theory, execution, &legal) {
            return Ok(Judgement::Unsound(violation));
        }
        Ok(match conflict {
            Some(name) => Judgement::Unsound(Violation::WrongConflict { name }),
            None => Judgement::Sound,
        })
    }

    fn wrong_order(
        &self,
        theory: &Theory,
        execution: &Execution,
        legal: &LegalOrders,
    ) -> Option<Violation> {
        let events = EventNames::of(execution, theory);
        self.orders.iter().find_map(|&relation| {
            let mut pairs: Vec<(EventId, EventId)> = theory
                .rows(relation)
                .iter()
                .filter_map(|row| events.executed_pair(execution, row))
                .collect();
            pairs.sort();
            let wrong = pairs
                .into_iter()
                .find(|&(before, after)| !legal.always_before(before, after));
            wrong.map(|(before, after)| Violation::WrongOrder {
                relation,
                before,
                after,
            })
        })
    }
}

/// Which value of a theory is which event.
pub(crate) struct EventNames(HashMap<Value, EventId>);

impl EventNames {
    pub(crate) fn of(execution: &Execution, theory: &Theory) -> Self {
        let known = execution
            .ids()
            .filter_map(|id| Some((theory.symbols().get(&execution.name(id))?, id)));
        EventNames(known.collect())
    }

    /// The two events of an order's tuple, if both are executed: only those are in a total
    /// order, so only of those can it be wrong.
    pub(crate) fn executed_pair(
        &self,
        execution: &Execution,
        row: &[Value],
    ) -> Option<(EventId, EventId)> {
        let [before, after] = row else { return None };
        let pair = (*self.0.get(before)?, *self.0.get(after)?);
        let executed = |id: EventId| execution.event(id).executed;
        (executed(pair.0) && executed(pair.1)).then_some(pair)
    }
}

/// Inserts an execution's facts into whichever of the event-level relations the rule set
/// declares.
pub fn insert_facts(theory: &mut Theory, execution: &Execution) {
    let mut positions = HashMap::new();
    for id in execution.ids() {
        let event = execution.event(id);
        let name = execution.name(id);
        let position: &mut i64 = positions.entry(event.thread).or_insert(0);
        let place = Value(*position);
        *position += 1;
        insert(
            theory,
            "event",
            &[&name, &thread_name(event.thread)],
            &[place],
            None,
        );
        let variable = variable_name(event.variable);
        let accesses = [
            ("read", event.access.reads()),
            ("write", event.access.writes()),
        ];
        for (relation, _) in accesses.into_iter().filter(|(_, accesses)| *accesses) {
            insert(theory, relation, &[&name, &variable], &[], None);
        }
        if event.executed {
            let guard = execution.guard_literal(id);
            insert(theory, "executed", &[&name], &[], Some(&guard));
        }
        if let Some(block) = event.block {
            insert(
                theory,
                "atomic",
                &[&name, &format!("b{}", block + 1)],
                &[],
                None,
            );
        }
    }
    for &(before, after) in &execution.po {
        let names = [execution.name(before), execution.name(after)];
        insert(theory, "po", &[&names[0], &names[1]], &[], None);
    }
    for &(write, read) in &execution.links {
        let names = [execution.name(write), execution.name(read)];
        let literal = execution.link_literal((write, read));
        insert(theory, "rf", &[&names[0], &names[1]], &[], Some(&literal));
    }
}

fn insert(
    theory: &mut Theory,
    relation: &str,
    symbols: &[&str],
    numbers: &[Value],
    literal: Option<&str>,
) {
    let Some(relation) = theory.rules().find(relation) else {
        return;
    };
    let row: Row = symbols
        .iter()
        .map(|name| theory.symbols_mut().intern(name))
        .chain(numbers.iter().copied())
        .collect();
    let choice = theory.rules().relation(relation).kind == RelationKind::Choice;
    match literal {
        Some(literal) if choice => {
            let literal = theory.symbols_mut().intern(literal);
            theory.insert_by(relation, row, literal);
        }
        _ => theory.insert(relation, row),
    }
}
