//! Random rule sets, as text, that always load: well typed, bound, stratified, and finite
//! (arithmetic stays in a small range).

use fastrand::Rng;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Symbol,
    Number,
}

struct Relation {
    name: String,
    columns: Vec<Kind>,
    /// Rules may negate and aggregate only what is below them.
    level: usize,
}

/// What the generated rule set contains.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) order: bool,
    pub(crate) negation: bool,
    /// Declares conflicts, and keeps negation and aggregates away from choices.
    pub(crate) conflicts: bool,
}

const EVENT_COLUMNS: [Kind; 3] = [Kind::Symbol, Kind::Symbol, Kind::Number];

pub(crate) fn random(rng: &mut Rng, shape: Shape) -> String {
    let mut text = String::new();
    let mut relations = Vec::new();
    for index in 0..rng.usize(2..4) {
        declare(rng, &mut text, &mut relations, format!("e{index}"), 0, "");
    }
    // A choice is at level 1, so that only rules without conflicts negate it.
    let choice_level = usize::from(shape.conflicts);
    declare(
        rng,
        &mut text,
        &mut relations,
        "c0".into(),
        choice_level,
        " choice",
    );
    let levels = if shape.negation { 3 } else { 2 };
    for level in 1..levels {
        for index in 0..rng.usize(1..3) {
            let name = format!("p{level}_{index}");
            declare(rng, &mut text, &mut relations, name, level, "");
        }
    }
    if shape.order {
        text.push_str(".decl event(e: symbol, t: symbol, i: number)\n");
        let executed = if shape.conflicts || rng.bool() {
            " choice"
        } else {
            ""
        };
        writeln!(text, ".decl executed(e: symbol){executed}").unwrap();
        let arguments = if rng.u8(0..4) == 0 {
            "event"
        } else {
            "event, executed"
        };
        writeln!(text, ".decl lt(a: symbol, b: symbol) order({arguments})").unwrap();
        for (name, columns, level) in [
            ("event", EVENT_COLUMNS.to_vec(), 0),
            ("executed", vec![Kind::Symbol], choice_level),
            ("lt", vec![Kind::Symbol; 2], 1),
        ] {
            relations.push(Relation {
                name: name.into(),
                columns,
                level,
            });
        }
    }
    let heads: Vec<usize> = (0..relations.len())
        .filter(|&index| relations[index].name.starts_with('p') || relations[index].name == "lt")
        .collect();
    for &head in &heads {
        for _ in 0..rng.usize(1..4) {
            rule(rng, &mut text, &relations, head, shape);
        }
        if rng.u8(0..4) == 0 {
            stated_fact(rng, &mut text, &relations[head]);
        }
    }
    if shape.conflicts {
        conflicts(rng, &mut text, &relations, shape);
    }
    text
}

fn declare(
    rng: &mut Rng,
    text: &mut String,
    relations: &mut Vec<Relation>,
    name: String,
    level: usize,
    kind: &str,
) {
    let columns: Vec<Kind> = (0..rng.usize(1..4))
        .map(|_| {
            if rng.u8(0..3) == 0 {
                Kind::Number
            } else {
                Kind::Symbol
            }
        })
        .collect();
    let listed: Vec<String> = columns
        .iter()
        .enumerate()
        .map(|(index, kind)| match kind {
            Kind::Symbol => format!("c{index}: symbol"),
            Kind::Number => format!("c{index}: number"),
        })
        .collect();
    writeln!(text, ".decl {name}({}){kind}", listed.join(", ")).unwrap();
    relations.push(Relation {
        name,
        columns,
        level,
    });
}

/// The variables that the body has bound so far.
#[derive(Default)]
struct Bound {
    symbols: Vec<String>,
    numbers: Vec<String>,
}

impl Bound {
    fn of(&mut self, kind: Kind) -> &mut Vec<String> {
        match kind {
            Kind::Symbol => &mut self.symbols,
            Kind::Number => &mut self.numbers,
        }
    }
}

fn rule(rng: &mut Rng, text: &mut String, relations: &[Relation], head: usize, shape: Shape) {
    let head = &relations[head];
    let mut bound = Bound::default();
    let body = body(rng, relations, head.level, shape, &mut bound);
    let arguments: Vec<String> = head
        .columns
        .iter()
        .map(|&kind| head_argument(rng, kind, &mut bound))
        .collect();
    writeln!(
        text,
        "{}({}) :- {}.",
        head.name,
        arguments.join(", "),
        body.join(", ")
    )
    .unwrap();
}

fn stated_fact(rng: &mut Rng, text: &mut String, head: &Relation) {
    let columns = head.columns.iter();
    let values: Vec<String> = columns.map(|&kind| constant(rng, kind)).collect();
    writeln!(text, "{}({}).", head.name, values.join(", ")).unwrap();
}

fn conflicts(rng: &mut Rng, text: &mut String, relations: &[Relation], shape: Shape) {
    if shape.order {
        text.push_str(".conflict lt(e, e)\n");
    }
    let mut bound = Bound::default();
    let level = relations
        .iter()
        .map(|relation| relation.level)
        .max()
        .unwrap();
    let body = body(
        rng,
        relations,
        level,
        Shape {
            negation: false,
            ..shape
        },
        &mut bound,
    );
    writeln!(text, "@name(\"other\") .conflict {}.", body.join(", ")).unwrap();
}

fn body(
    rng: &mut Rng,
    relations: &[Relation],
    level: usize,
    shape: Shape,
    bound: &mut Bound,
) -> Vec<String> {
    let visible: Vec<&Relation> = relations.iter().filter(|r| r.level <= level).collect();
    let below: Vec<&Relation> = relations
        .iter()
        .filter(|r| r.level < level && (!shape.conflicts || r.level == 0))
        .collect();
    let mut body = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let relation = visible[rng.usize(..visible.len())];
        body.push(positive_atom(rng, relation, bound));
    }
    if shape.negation && !below.is_empty() && rng.u8(0..3) == 0 {
        let relation = below[rng.usize(..below.len())];
        let arguments: Vec<String> = relation
            .columns
            .iter()
            .map(|&kind| bound_argument(rng, kind, bound))
            .collect();
        body.push(format!("!{}({})", relation.name, arguments.join(", ")));
    }
    if shape.negation && !below.is_empty() && rng.bool() {
        body.push(aggregate(rng, &below, bound));
    }
    if rng.u8(0..3) == 0 {
        body.extend(comparison(rng, bound));
    }
    if rng.u8(0..4) == 0 && !bound.numbers.is_empty() {
        let from = bound.numbers[rng.usize(..bound.numbers.len())].clone();
        let operator = ["+", "-", "*", "/"][rng.usize(..4)];
        let fresh = format!("n{}", 10 + bound.numbers.len());
        body.push(format!(
            "{fresh} = ({from} {operator} {}) % 4",
            rng.i8(-1..3)
        ));
        bound.numbers.push(fresh);
    }
    body
}

fn positive_atom(rng: &mut Rng, relation: &Relation, bound: &mut Bound) -> String {
    let arguments: Vec<String> = relation
        .columns
        .iter()
        .map(|&kind| match rng.u8(0..12) {
            0 => "_".to_string(),
            1 => constant(rng, kind),
            _ => {
                let prefix = if kind == Kind::Symbol { "s" } else { "n" };
                let variable = format!("{prefix}{}", rng.usize(..4));
                let known = bound.of(kind);
                if !known.contains(&variable) {
                    known.push(variable.clone());
                }
                variable
            }
        })
        .collect();
    format!("{}({})", relation.name, arguments.join(", "))
}

/// Half of the aggregates range over the order, if there is one. Most of the time nothing
/// else mentions their variables, and still each of the values counts.
fn aggregate(rng: &mut Rng, below: &[&Relation], bound: &mut Bound) -> String {
    let mut numbers = Vec::new();
    let mut atoms = Vec::new();
    for _ in 0..1 + rng.usize(..3) / 2 {
        let relation = match below.iter().find(|relation| relation.name == "lt") {
            Some(order) if rng.bool() => order,
            _ => below[rng.usize(..below.len())],
        };
        atoms.push(aggregated_atom(rng, relation, bound, &mut numbers));
    }
    let body = atoms.join(", ");
    let result = format!("n{}", 20 + bound.numbers.len());
    let text = match numbers.first() {
        Some(number) if rng.bool() => {
            let function = ["sum", "min", "max"][rng.usize(..3)];
            // What is aggregated may depend on the outside, but not on groups.
            let outside = bound_argument(rng, Kind::Number, bound);
            let value = match body.contains(&outside) {
                true => number.clone(),
                false => format!("{number} + {outside}"),
            };
            format!("{result} = {function} {value} : {{ {body} }}")
        }
        _ if rng.u8(0..4) == 0 => format!("{result} = sum 3 : {{ {body} }}"),
        _ => format!("{result} = count : {{ {body} }}"),
    };
    bound.numbers.push(result);
    text
}

/// Inner variables are `is…` and `in…`: none is bound outside by accident.
fn aggregated_atom(
    rng: &mut Rng,
    relation: &Relation,
    bound: &mut Bound,
    numbers: &mut Vec<String>,
) -> String {
    let arguments: Vec<String> = relation
        .columns
        .iter()
        .map(|&kind| match rng.u8(0..3) {
            0 if !bound.of(kind).is_empty() => bound_argument(rng, kind, bound),
            1 => "_".to_string(),
            _ => match kind {
                Kind::Symbol => format!("is{}", rng.usize(..3)),
                Kind::Number => {
                    numbers.push(format!("in{}", rng.usize(..3)));
                    numbers[numbers.len() - 1].clone()
                }
            },
        })
        .collect();
    format!("{}({})", relation.name, arguments.join(", "))
}

fn comparison(rng: &mut Rng, bound: &mut Bound) -> Option<String> {
    let kind = if rng.bool() {
        Kind::Symbol
    } else {
        Kind::Number
    };
    if bound.of(kind).is_empty() {
        return None;
    }
    let operators: &[&str] = match kind {
        Kind::Symbol => &["=", "!="],
        Kind::Number => &["=", "!=", "<", "<=", ">", ">="],
    };
    let operator = operators[rng.usize(..operators.len())];
    let left = bound.of(kind)[0].clone();
    Some(format!(
        "{left} {operator} {}",
        bound_argument(rng, kind, bound)
    ))
}

fn bound_argument(rng: &mut Rng, kind: Kind, bound: &mut Bound) -> String {
    let known = bound.of(kind);
    if known.is_empty() || rng.u8(0..8) == 0 {
        constant(rng, kind)
    } else {
        known[rng.usize(..known.len())].clone()
    }
}

/// Numbers are kept small, whatever an aggregate made of them. What was computed is derived
/// more often than not, because a mistake in it would not show otherwise.
fn head_argument(rng: &mut Rng, kind: Kind, bound: &mut Bound) -> String {
    match (kind, bound.numbers.last()) {
        (Kind::Symbol, _) => bound_argument(rng, kind, bound),
        (Kind::Number, Some(last)) if rng.bool() => format!("{last} % 4"),
        (Kind::Number, _) => format!("{} % 4", bound_argument(rng, kind, bound)),
    }
}

fn constant(rng: &mut Rng, kind: Kind) -> String {
    match kind {
        Kind::Symbol => format!("\"{}\"", super::facts::symbol(rng)),
        Kind::Number => rng.i8(-1..4).to_string(),
    }
}
