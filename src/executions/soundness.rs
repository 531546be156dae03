//! Is a rule set sound for an execution, and did it notice that there is no legal order?

use crate::execution::{EventId, Execution, thread_name, variable_name};
use crate::legal_orders::LegalOrders;
use heddle_datalog::fact_files::takes_facts;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::{Row, Value};
use heddle_diagnostics::Diagnostic;
use heddle_language::RuleSet;
use heddle_language::ruleset::{Relation, RelationId, RelationKind, ValueKind};
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

/// A rule set that can be tested: it has an `order` relation, executions have facts of what
/// it orders and of what it reads, and where it declares a relation of the event level, it
/// declares it with the usual columns.
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

/// Which write each read takes its value from: what an execution is about.
const LINKS: &str = "rf";

fn kind_name(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Symbol => "symbol",
        ValueKind::Number => "number",
    }
}

fn known_relations() -> String {
    let names: Vec<&str> = EVENT_LEVEL.iter().map(|(name, _)| *name).collect();
    format!("they have facts of: {}", names.join(", "))
}

impl Subject {
    /// The error says what about the rule set cannot be tested.
    pub fn new(rules: Arc<RuleSet>) -> Result<Self, Box<Diagnostic>> {
        for (name, kinds) in EVENT_LEVEL {
            let Some(id) = rules.find(name) else { continue };
            let relation = rules.relation(id);
            let columns = relation.columns.iter().map(|column| column.kind);
            if !columns.eq(kinds.iter().copied()) {
                let message = format!(
                    "relation `{name}` is declared with other columns than event facts have"
                );
                let expected: Vec<&str> = kinds.iter().map(|kind| kind_name(*kind)).collect();
                let hint = format!("they are: {}", expected.join(", "));
                return Err(Box::new(
                    Diagnostic::error(relation.span, message).hint(hint),
                ));
            }
        }
        let orders: Vec<RelationId> = rules
            .relation_ids()
            .filter(|&id| matches!(rules.relation(id).kind, RelationKind::Order(_)))
            .collect();
        if orders.is_empty() {
            return Err(Box::new(Diagnostic::without_place(
                "no relation is declared as an `order`, so there is nothing to test",
            )));
        }
        let subject = Subject { rules, orders };
        match subject.out_of_reach() {
            Some(error) => Err(Box::new(error)),
            None => Ok(subject),
        }
    }

    /// What the rules read and no execution has: whatever they derive from it is not tested. And
    /// what executions have and the rules do not read.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        let unknown = self.unknown_inputs().map(|relation| {
            let message = format!(
                "executions have no facts of `{}`: what follows from it is not tested",
                relation.name
            );
            Diagnostic::warning(relation.span, message).hint(known_relations())
        });
        let known = EVENT_LEVEL
            .iter()
            .filter_map(|(name, _)| self.rules.find(name));
        let unread = known.filter(|&id| !takes_facts(&self.rules, id)).map(|id| {
            let Relation { name, span, .. } = self.rules.relation(id);
            let message = format!(
                "executions' facts of `{name}` are not read: rules derive it, and it is no `.input`"
            );
            let hint = format!("with `.input {name}`, facts are added to what rules derive");
            Diagnostic::warning(*span, message).hint(hint)
        });
        unknown.chain(unread).collect()
    }

    /// Why what the rules say of executions cannot be seen at all, if that is so. Then no
    /// execution would contradict them, however wrong they are.
    fn out_of_reach(&self) -> Option<Diagnostic> {
        for relation in self.orders.iter().map(|&order| self.rules.relation(order)) {
            let RelationKind::Order(order) = relation.kind else {
                continue;
            };
            let mut bases = [Some(order.event), order.executed].into_iter().flatten();
            if let Some(base) = bases.find(|&base| !self.has_facts(base)) {
                let base = self.rules.relation(base);
                let message = format!(
                    "`{}` orders the events of `{}`, of which executions have no facts",
                    relation.name, base.name
                );
                return Some(Diagnostic::error(base.span, message).hint(known_relations()));
            }
        }
        let unknown = self.unknown_inputs().next()?;
        if self.rules.find(LINKS).is_some() {
            return None;
        }
        let message = format!(
            "executions have no facts of `{}`, and say by `{LINKS}`, which is not declared, \
             what each read takes its value from",
            unknown.name
        );
        Some(Diagnostic::error(unknown.span, message).hint(known_relations()))
    }

    fn unknown_inputs(&self) -> impl Iterator<Item = &Relation> {
        let given = self.rules.relation_ids().filter(|&id| {
            let relation = self.rules.relation(id);
            (relation.input || relation.kind == RelationKind::Choice) && !self.has_facts(id)
        });
        given.map(|id| self.rules.relation(id))
    }

    /// Whether executions have facts of the relation, or rules derive it.
    fn has_facts(&self, id: RelationId) -> bool {
        let name = &self.rules.relation(id).name;
        EVENT_LEVEL.iter().any(|(known, _)| known == name)
            || self.rules.rules.iter().any(|rule| rule.head.relation == id)
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
            // Only executed events are in a total order, so only of those can it be wrong.
            let executed = |id: EventId| execution.event(id).executed;
            let mut pairs: Vec<(EventId, EventId)> = theory
                .rows(relation)
                .iter()
                .filter_map(|row| events.pair(row))
                .filter(|&(before, after)| executed(before) && executed(after))
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

    /// The two events of an order's tuple.
    pub(crate) fn pair(&self, row: &[Value]) -> Option<(EventId, EventId)> {
        let [before, after] = row else { return None };
        Some((*self.0.get(before)?, *self.0.get(after)?))
    }
}

/// Inserts an execution's facts into whichever of the event-level relations the rule set
/// declares and [takes facts of](takes_facts): it sees what it would read from a folder.
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
    if !takes_facts(theory.rules(), relation) {
        return;
    }
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
