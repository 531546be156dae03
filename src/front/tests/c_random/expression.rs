//! Random C expressions over all integer types, whose value C defines (with wrapping signed
//! arithmetic) and that have no side effects.

use fastrand::Rng;

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

/// A type that no conversion to `int` is hidden in: the longest ones, for shifts by more than
/// 31 bits.
const WIDE: &[&str] = &["long long", "unsigned long long"];

pub(crate) fn any_type(rng: &mut Rng) -> &'static str {
    TYPES[rng.usize(..TYPES.len())]
}

/// A number near a border of some type, or any.
pub(crate) fn interesting(rng: &mut Rng) -> String {
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

/// What expressions may mention: places to read, in which `@` stands for a number, and pure
/// functions by name with the number of their arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) places: Vec<String>,
    pub(crate) functions: Vec<(String, usize)>,
}

impl Scope {
    /// A place, with expressions for its indices.
    pub(crate) fn place(&self, rng: &mut Rng, depth: u32) -> String {
        let template = &self.places[rng.usize(..self.places.len())];
        let mut parts = template.split('@');
        let mut text = parts.next().unwrap_or("").to_owned();
        for part in parts {
            text += &format!("({})", self.expression(rng, depth.saturating_sub(1)));
            text += part;
        }
        text
    }

    pub(crate) fn expression(&self, rng: &mut Rng, depth: u32) -> String {
        if depth == 0 || rng.u8(..8) == 0 {
            return match rng.u8(..4) {
                0 => interesting(rng),
                1 => format!("'{}'", (b'a' + rng.u8(..26)) as char),
                _ => self.place(rng, depth),
            };
        }
        let sub = |rng: &mut Rng| self.expression(rng, depth - 1);
        match rng.u8(..18) {
            0..=4 => {
                let op = ["+", "-", "*", "&", "|", "^"][rng.usize(..6)];
                format!("({} {op} {})", sub(rng), sub(rng))
            }
            5..=6 => {
                let op = ["<", ">", "<=", ">=", "==", "!="][rng.usize(..6)];
                format!("({} {op} {})", sub(rng), sub(rng))
            }
            7 => {
                let op = ["/", "%"][rng.usize(..2)];
                format!("({} {op} {})", sub(rng), self.divisor(rng, depth - 1))
            }
            // In range for whatever the promoted type is.
            8..=9 => {
                let op = ["<<", ">>"][rng.usize(..2)];
                format!("({} {op} ({} & 31))", sub(rng), sub(rng))
            }
            10 => {
                let op = ["<<", ">>"][rng.usize(..2)];
                let wide = WIDE[rng.usize(..WIDE.len())];
                format!("(({wide}){} {op} ({} & 63))", sub(rng), sub(rng))
            }
            11 => {
                let op = ["-", "~", "!", "+"][rng.usize(..4)];
                format!("({op} {})", sub(rng))
            }
            12..=13 => format!("(({}){})", any_type(rng), sub(rng)),
            14 => {
                let op = ["&&", "||"][rng.usize(..2)];
                format!("({} {op} {})", sub(rng), sub(rng))
            }
            15 => format!("({} ? {} : {})", sub(rng), sub(rng), sub(rng)),
            16 => format!("(({}), {})", sub(rng), sub(rng)),
            _ => match self.functions.is_empty() {
                true => format!("({} ?: {})", sub(rng), sub(rng)),
                false => {
                    let (name, arguments) = &self.functions[rng.usize(..self.functions.len())];
                    let arguments: Vec<String> = (0..*arguments).map(|_| sub(rng)).collect();
                    format!("{name}({})", arguments.join(", "))
                }
            },
        }
    }

    /// Neither zero nor minus one.
    pub(crate) fn divisor(&self, rng: &mut Rng, depth: u32) -> String {
        let sign = ["", "-"][rng.usize(..2)];
        format!("({sign}(({} & 0x3f) | 2))", self.expression(rng, depth))
    }
}
