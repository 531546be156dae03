//! Random C expressions over all integer types, whose value C defines (with wrapping signed
//! arithmetic).

use fastrand::Rng;
use std::fmt::Write as _;

pub(crate) const TYPES: &[&str] = &[
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
];

/// One statement that computes a value, over variables of all types.
pub(crate) struct Case {
    /// Assignments that come first.
    pub(crate) before: String,
    pub(crate) expression: String,
    pub(crate) result_type: &'static str,
}

/// The variables that expressions mention: two of each type, with interesting values.
pub(crate) fn variables(rng: &mut Rng) -> String {
    let mut text = String::new();
    for (index, ty) in TYPES.iter().enumerate() {
        for copy in 0..2 {
            let value = interesting(rng);
            let _ = writeln!(text, "{ty} v{index}_{copy} = ({ty}){value};");
        }
    }
    text
}

fn interesting(rng: &mut Rng) -> String {
    match rng.u8(..8) {
        0 => "0".into(),
        1 => "1".into(),
        2 => "(-1)".into(),
        3 => format!("({}LL)", rng.i64(..).max(-i64::MAX)),
        4 => format!("({})", rng.i32(-200..200)),
        5 => "0x80000000".into(),
        6 => "0x7fffffffffffffffLL".into(),
        _ => format!("{}", rng.u32(..)),
    }
}

pub(crate) fn case(rng: &mut Rng) -> Case {
    let mut before = String::new();
    for _ in 0..rng.usize(..3) {
        let target = variable(rng);
        let _ = match rng.u8(..4) {
            0 => writeln!(before, "  {target} = {};", expression(rng, 2)),
            1 => writeln!(
                before,
                "  {target}{};",
                if rng.bool() { "++" } else { "--" }
            ),
            2 => {
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][rng.usize(..6)];
                writeln!(before, "  {target} {op} {};", expression(rng, 2))
            }
            _ => {
                let op = ["<<=", ">>="][rng.usize(..2)];
                writeln!(before, "  {target} {op} ({} & 7);", expression(rng, 1))
            }
        };
    }
    Case {
        before,
        expression: expression(rng, 4),
        result_type: TYPES[rng.usize(..TYPES.len())],
    }
}

fn variable(rng: &mut Rng) -> String {
    format!("v{}_{}", rng.usize(..TYPES.len()), rng.usize(..2))
}

fn expression(rng: &mut Rng, depth: u32) -> String {
    if depth == 0 || rng.u8(..8) == 0 {
        return match rng.u8(..4) {
            0 => interesting(rng),
            1 => format!("'{}'", (b'a' + rng.u8(..26)) as char),
            _ => variable(rng),
        };
    }
    let sub = |rng: &mut Rng| expression(rng, depth - 1);
    match rng.u8(..16) {
        0..=4 => {
            let op = ["+", "-", "*", "&", "|", "^"][rng.usize(..6)];
            format!("({} {op} {})", sub(rng), sub(rng))
        }
        5..=6 => {
            let op = ["<", ">", "<=", ">=", "==", "!="][rng.usize(..6)];
            format!("({} {op} {})", sub(rng), sub(rng))
        }
        // Neither zero nor minus one.
        7 => {
            let op = ["/", "%"][rng.usize(..2)];
            let sign = ["", "-"][rng.usize(..2)];
            format!("({} {op} ({sign}(({} & 0x3f) | 2)))", sub(rng), sub(rng))
        }
        // In range for whatever the promoted type is.
        8..=9 => {
            let op = ["<<", ">>"][rng.usize(..2)];
            format!("({} {op} ({} & 31))", sub(rng), sub(rng))
        }
        10 => {
            let op = ["-", "~", "!", "+"][rng.usize(..4)];
            format!("({op} {})", sub(rng))
        }
        11..=12 => format!("(({}){})", TYPES[rng.usize(..TYPES.len())], sub(rng)),
        13 => {
            let op = ["&&", "||"][rng.usize(..2)];
            format!("({} {op} {})", sub(rng), sub(rng))
        }
        14 => format!("({} ? {} : {})", sub(rng), sub(rng), sub(rng)),
        _ => format!("(({}), {})", sub(rng), sub(rng)),
    }
}
