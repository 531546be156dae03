//! Random facts for a rule set, and random changes of them.

use fastrand::Rng;
use heddle_datalog::theory::Theory;
use heddle_language::RuleSet;
use heddle_language::ruleset::{RelationKind, ValueKind};

/// A fact as the fields of its line, the literal last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact {
    pub(crate) relation: String,
    pub(crate) fields: Vec<String>,
    pub(crate) literal: String,
}

const EVENTS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

pub(crate) fn symbol(rng: &mut Rng) -> &'static str {
    EVENTS[rng.usize(..EVENTS.len())]
}

/// Where each event is: fixed, so that facts drawn at any time agree about it.
fn place(event: &str) -> (String, String) {
    let number = EVENTS.iter().position(|&known| known == event).unwrap();
    (EVENTS[number % 2].to_string(), (number / 2).to_string())
}

/// A fact of some relation: of an input most of the time, of a derived one now and then.
pub(crate) fn random(rng: &mut Rng, rules: &RuleSet) -> Fact {
    loop {
        let relation = &rules.relations[rng.usize(..rules.relations.len())];
        let derived = relation.name.starts_with('p') || relation.name == "lt";
        if derived && rng.u8(0..8) != 0 {
            continue;
        }
        let mut fields: Vec<String> = relation
            .columns
            .iter()
            .map(|column| match column.kind {
                ValueKind::Symbol => symbol(rng).to_string(),
                ValueKind::Number => rng.i8(-1..4).to_string(),
            })
            .collect();
        if relation.name == "event" {
            (fields[1], fields[2]) = place(&fields[0]);
        }
        let literal = match relation.kind {
            RelationKind::Choice => format!("l{}", rng.u8(0..7)),
            _ => "true".to_string(),
        };
        return Fact {
            relation: relation.name.clone(),
            fields,
            literal,
        };
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Insert(Fact),
    Retract(Fact),
}

/// The changes of one epoch: insertions, and retractions of what is in.
pub(crate) fn epoch(rng: &mut Rng, rules: &RuleSet, present: &mut Vec<Fact>) -> Vec<Step> {
    (0..rng.usize(1..12))
        .map(|_| {
            if !present.is_empty() && rng.u8(0..3) == 0 {
                Step::Retract(present.swap_remove(rng.usize(..present.len())))
            } else {
                let fact = random(rng, rules);
                if !present.contains(&fact) {
                    present.push(fact.clone());
                }
                Step::Insert(fact)
            }
        })
        .collect()
}

pub(crate) fn apply(theory: &mut Theory, step: &Step) {
    let (Step::Insert(fact) | Step::Retract(fact)) = step;
    let relation = theory.rules().find(&fact.relation).unwrap();
    let mut fields: Vec<&str> = fact.fields.iter().map(String::as_str).collect();
    let is_choice = theory.rules().relation(relation).kind == RelationKind::Choice;
    if is_choice {
        fields.push(&fact.literal);
    }
    let row = super::row(theory, &fact.relation, &fields);
    let literal = theory.symbols_mut().intern(&fact.literal);
    match step {
        Step::Insert(_) => theory.insert_by(relation, row, literal),
        Step::Retract(_) => {
            assert!(theory.retract_by(relation, &row, literal), "{fact:?} is in");
        }
    }
}
