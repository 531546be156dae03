//! What an evaluator of rules offers, whichever way it works.

use crate::facts::{Change, Facts};
use crate::value::{Row, Symbols, Value};
use heddle_language::ruleset::{Constant, Expression, RelationId, Rule, RuleSet};
use std::fmt;
use std::time::Instant;

/// Evaluates one rule set over facts that change between calls of [`Backend::settle`].
pub trait Backend {
    /// Brings all relations up to date. `facts` are all facts; `changes` says how they
    /// differ from those of the previous call, each tuple at most once.
    ///
    /// After an error the relations are those of the previous call, and the caller may
    /// mend the facts and settle again with the accumulated changes.
    fn settle(&mut self, facts: &Facts, changes: &[Change]) -> Result<(), SettleError>;

    /// All tuples of a relation, facts included, in no particular order. An `order`
    /// relation is spelled out as pairs, which can be many more than it is kept as.
    fn rows(&self, relation: RelationId) -> Vec<Row>;

    fn contains(&self, relation: RelationId, row: &[Value]) -> bool;

    /// Which of the rule set's conflicts hold, by their positions, if the back end keeps
    /// track of that; otherwise the caller looks for them.
    fn violated_conflicts(&self) -> Option<Vec<usize>> {
        None
    }

    /// Whether [`Backend::changes`] answers; otherwise the caller compares.
    fn knows_changes(&self) -> bool {
        false
    }

    /// From then on, a call of [`Backend::settle`] that is not done by then ends in
    /// [`SettleError::Stopped`], if the back end can tell the time at all.
    fn set_deadline(&mut self, _deadline: Option<Instant>) {}

    /// How these relations (facts included) changed in the last `settle`.
    fn changes(&mut self, _relations: &[RelationId]) -> Vec<Change> {
        Vec::new()
    }
}

/// Facts that contradict a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettleError {
    /// Two events have the same place in a chain, so the chain is not ordered.
    SharedPlace {
        event_relation: RelationId,
        first: Value,
        second: Value,
        chain: Value,
        index: i64,
    },
    /// One event has two places.
    SeveralPlaces {
        event_relation: RelationId,
        event: Value,
    },
    /// The back end stopped: there was no more time, or another process of a cluster did.
    Stopped(String),
}

/// Without the names of the events: see [`SettleError::describe`].
impl fmt::Display for SettleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SettleError::SharedPlace { .. } => "two events have the same place in a chain",
            SettleError::SeveralPlaces { .. } => "an event has several places in its chain",
            SettleError::Stopped(why) => why,
        })
    }
}

impl SettleError {
    /// Those facts, of the relation returned, that contradict its declaration. None of what
    /// the rule file says: see [`SettleError::rules_behind`].
    pub fn contradictory(&self, facts: &Facts) -> Option<(RelationId, Vec<Row>)> {
        let relation = self.event_relation()?;
        let rows = facts.rows(relation).filter(|row| self.concerns(row));
        Some((relation, rows.map(Row::from).collect()))
    }

    /// The rules without a body that say what contradicts the declaration, and those with one
    /// that may derive it.
    pub fn rules_behind<'a>(&self, rules: &'a RuleSet, symbols: &Symbols) -> Vec<&'a Rule> {
        let Some(relation) = self.event_relation() else {
            return Vec::new();
        };
        let value = |argument: &Expression| match argument {
            Expression::Constant(Constant::Number(number)) => Some(Value(*number)),
            Expression::Constant(Constant::Symbol(name)) => symbols.get(name),
            _ => None,
        };
        let may_say = |rule: &Rule| {
            let row: Option<Row> = rule.head.arguments.iter().map(value).collect();
            row.is_none_or(|row| self.concerns(&row))
        };
        let all = rules.rules.iter();
        let of_relation = all.filter(|rule| rule.head.relation == relation);
        of_relation.filter(|rule| may_say(rule)).collect()
    }

    fn event_relation(&self) -> Option<RelationId> {
        match self {
            SettleError::SharedPlace { event_relation, .. }
            | SettleError::SeveralPlaces { event_relation, .. } => Some(*event_relation),
            SettleError::Stopped(_) => None,
        }
    }

    /// Whether a row of the event relation is one of those that contradict each other.
    fn concerns(&self, row: &[Value]) -> bool {
        match self {
            SettleError::SharedPlace {
                first,
                second,
                chain,
                index,
                ..
            } => [first, second].contains(&&row[0]) && row[1..] == [*chain, Value(*index)],
            SettleError::SeveralPlaces { event, .. } => row[0] == *event,
            SettleError::Stopped(_) => false,
        }
    }

    /// The error as a sentence that names the events.
    pub fn describe(&self, rules: &RuleSet, symbols: &Symbols) -> impl fmt::Display {
        let show = |relation: RelationId, column: usize, value: Value| {
            crate::show::value(rules, symbols, relation, column, value)
        };
        match self {
            SettleError::SharedPlace {
                event_relation,
                first,
                second,
                chain,
                index,
            } => format!(
                "events {} and {} of relation `{}` have the same index {index} in chain {}",
                show(*event_relation, 0, *first),
                show(*event_relation, 0, *second),
                rules.relation(*event_relation).name,
                show(*event_relation, 1, *chain),
            ),
            SettleError::SeveralPlaces {
                event_relation,
                event,
            } => format!(
                "event {} has several places in relation `{}`; a chain's events have one each",
                show(*event_relation, 0, *event),
                rules.relation(*event_relation).name,
            ),
            SettleError::Stopped(why) => why.clone(),
        }
    }
}
