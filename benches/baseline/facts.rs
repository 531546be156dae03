//! An execution as the facts of `rules/sc.dl`.

use super::executions::Execution;
use heddle_datalog::theory::Theory;
use heddle_datalog::value::Value;
use heddle_language::ruleset::RelationId;

/// By what a read-from link holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Always,
    /// Each by a literal of its own.
    ByLiteral,
}

pub(crate) fn insert(theory: &mut Theory, execution: &Execution, links: Links) {
    let name = |theory: &mut Theory, kind: &str, number: u32| {
        theory.symbols_mut().intern(&format!("{kind}{number}"))
    };
    let (places, executed) = (relation(theory, "event"), relation(theory, "executed"));
    for (number, &(thread, index)) in (0..).zip(&execution.places) {
        let event = name(theory, "e", number);
        let thread = name(theory, "t", thread);
        theory.insert(places, [event, thread, Value(i64::from(index))]);
        theory.insert(executed, [event]);
    }
    for (of, kind, rows) in [
        ("read", "v", &execution.reads),
        ("write", "v", &execution.writes),
        ("atomic", "k", &execution.blocks),
    ] {
        let of = relation(theory, of);
        for &(number, second) in rows {
            let row = [event(theory, number), name(theory, kind, second)];
            theory.insert(of, row);
        }
    }
    let po = relation(theory, "po");
    for &(a, b) in &execution.creations {
        theory.insert(po, [event(theory, a), event(theory, b)]);
    }
    for &link in &execution.links {
        insert_link(theory, link, links);
    }
}

/// A link (write, read).
pub(crate) fn insert_link(theory: &mut Theory, link: (u32, u32), links: Links) {
    let rf = relation(theory, "rf");
    let row = [event(theory, link.0), event(theory, link.1)];
    match links {
        Links::Always => theory.insert(rf, row),
        Links::ByLiteral => {
            let literal = literal(theory, link);
            theory.insert_by(rf, row, literal);
        }
    }
}

pub(crate) fn retract_link(theory: &mut Theory, link: (u32, u32), links: Links) {
    let rf = relation(theory, "rf");
    let row = [event(theory, link.0), event(theory, link.1)];
    let was_in = match links {
        Links::Always => theory.retract(rf, &row),
        Links::ByLiteral => {
            let literal = literal(theory, link);
            theory.retract_by(rf, &row, literal)
        }
    };
    assert!(was_in, "only links that are in are taken out");
}

fn literal(theory: &mut Theory, link: (u32, u32)) -> Value {
    theory.symbols_mut().intern(&literal_name(link))
}

pub(crate) fn literal_name((write, read): (u32, u32)) -> String {
    format!("s_{read}_{write}")
}

pub(crate) fn relation(theory: &Theory, name: &str) -> RelationId {
    theory
        .rules()
        .find(name)
        .expect("sc declares the usual relations")
}

pub(crate) fn event(theory: &Theory, number: u32) -> Value {
    let name = format!("e{number}");
    theory.symbols().get(&name).expect("all events are in")
}
