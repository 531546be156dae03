//! Random small `.hd` programs, with finitely many states.

use proptest::prelude::*;

pub(crate) const DECLARATIONS: &str = "enum Colour { red, green, blue }
shared x, y: int = 0, b: bool = false, a: int[2] = 0, c: Colour = red, w: bv2 = 0;
";

fn number(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        (0..3u8).prop_map(|number| number.to_string()),
        Just("x".to_owned()),
        Just("y".to_owned()),
        Just("t".to_owned()),
        Just("a[0]".to_owned()),
        Just("a[x % 2]".to_owned()),
        Just("any(0..2)".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || number(depth - 1);
    prop_oneof![
        3 => leaf,
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} + {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} - {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} * {b})")),
        1 => inner().prop_map(|a| format!("a[{a} % 2]")),
        1 => inner().prop_map(|a| format!("{a} / 2")),
        1 => (condition(depth - 1), inner(), inner())
            .prop_map(|(c, a, b)| format!("({c} ? {a} : {b})")),
    ]
    .boxed()
}

fn condition(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("b".to_owned()),
        Just("true".to_owned()),
        Just("*".to_owned()),
        Just("c = red".to_owned()),
        Just("c != *".to_owned()),
        Just("bvult(w, 2)".to_owned()),
        Just("w = 3".to_owned()),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = || condition(depth - 1);
    let compared = || number(depth - 1);
    prop_oneof![
        2 => leaf,
        1 => (compared(), compared()).prop_map(|(a, b)| format!("{a} = {b}")),
        1 => (compared(), compared()).prop_map(|(a, b)| format!("{a} < {b}")),
        1 => (compared(), compared()).prop_map(|(a, b)| format!("{a} >= {b}")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} && {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} || {b})")),
        1 => (inner(), inner()).prop_map(|(a, b)| format!("({a} => {b})")),
        1 => inner().prop_map(|a| format!("!({a})")),
    ]
    .boxed()
}

fn assignment() -> BoxedStrategy<String> {
    prop_oneof![
        3 => (prop_oneof![Just("x"), Just("y"), Just("t"), Just("a[1]"), Just("a[y % 2]")], number(2))
            .prop_map(|(target, value)| format!("{target} := ({value}) % 3;")),
        1 => condition(2).prop_map(|value| format!("b := {value};")),
        1 => Just("b := *;".to_owned()),
        1 => Just("c := *;".to_owned()),
        1 => Just("c := c = red ? green : blue;".to_owned()),
        1 => Just("w := w + 1;".to_owned()),
        1 => Just("w := *;".to_owned()),
        1 => Just("w := bvxor(w, concat(extract(0, 0, w), bv1(1)));".to_owned()),
        1 => Just("x, y := y, x;".to_owned()),
        1 => Just("x, b := t % 3, *;".to_owned()),
        1 => Just("a := fill(1);".to_owned()),
        1 => Just("a := store(a, x % 2, 2);".to_owned()),
        1 => number(2).prop_map(|index| format!("a[t + {index}] := 1;")),
        1 => number(1).prop_map(|divisor| format!("t := 2 / ({divisor}) % 3;")),
    ]
    .boxed()
}

/// Statements without branches.
pub(crate) fn simple() -> BoxedStrategy<String> {
    prop_oneof![
        6 => assignment(),
        1 => condition(2).prop_map(|condition| format!("assume {condition};")),
        1 => condition(2).prop_map(|condition| format!("await {condition};")),
        1 => Just("skip;".to_owned()),
    ]
    .boxed()
}

fn statement(depth: u32) -> BoxedStrategy<String> {
    let plain = prop_oneof![
        5 => simple(),
        2 => condition(2).prop_map(|condition| format!("assert {condition} || x < 2;")),
    ];
    if depth == 0 {
        return plain.boxed();
    }
    let block = || statements(depth - 1);
    prop_oneof![
        5 => plain,
        1 => (condition(1), block(), block())
            .prop_map(|(c, then, other)| format!("if {c} {{ {then} }} else {{ {other} }}")),
        1 => (condition(1), block()).prop_map(|(c, body)| format!("while {c} {{ {body} }}")),
        1 => (block(), block()).prop_map(|(a, b)| format!("choose {{ {a} }} or {{ {b} }}")),
        1 => block().prop_map(|body| format!("atomic {{ {body} }}")),
    ]
    .boxed()
}

pub(crate) fn statements(depth: u32) -> BoxedStrategy<String> {
    prop::collection::vec(statement(depth), 0..3)
        .prop_map(|statements| statements.join("\n    "))
        .boxed()
}

/// The text of a process, with labels at its beginning and at its end.
fn process(name: &'static str) -> BoxedStrategy<String> {
    (statements(2), any::<bool>())
        .prop_map(move |(body, again)| {
            let jump = if again { "goto first, last;" } else { "" };
            format!(
                "process {name} {{\n    local t: int;\n    first: skip;\n    {body}\n    {jump}\n    last: skip;\n}}\n"
            )
        })
        .boxed()
}

pub(crate) fn program() -> BoxedStrategy<String> {
    let condition = prop::sample::select(vec![
        "b",
        "y = 1",
        "c = green",
        "w != 0",
        "a[1] > 0",
        "p.t > q.t",
        "pc(q) != first",
        "(b => pc(p) = last)",
    ]);
    (process("p"), process("q"), condition, any::<bool>())
        .prop_map(|(p, q, condition, access)| {
            let granularity = if access { "granularity access;\n" } else { "" };
            format!(
                "{granularity}{DECLARATIONS}{p}{q}error: pc(p) = last && pc(q) = last && x = 2 && {condition};\n"
            )
        })
        .boxed()
}
