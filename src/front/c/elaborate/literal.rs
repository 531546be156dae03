//! Integer, character and string literals (C11 6.4.4, 6.4.5).

use super::super::types::{IntKind, Type};
use super::Elaborator;
use lang_c::ast;

impl Elaborator<'_> {
    /// The value and the type of an integer literal: the first type that can hold it.
    pub(super) fn integer_literal(&self, literal: &ast::Integer) -> Option<(i128, Type)> {
        let radix = match literal.base {
            ast::IntegerBase::Decimal => 10,
            ast::IntegerBase::Octal => 8,
            ast::IntegerBase::Hexadecimal => 16,
            ast::IntegerBase::Binary => 2,
        };
        let value = if literal.number.is_empty() {
            0
        } else {
            u64::from_str_radix(&literal.number, radix).ok()?
        };
        if literal.suffix.imaginary {
            return None;
        }
        let unsigned_too = literal.suffix.unsigned || literal.base != ast::IntegerBase::Decimal;
        let kinds = [
            (ast::IntegerSize::Int, IntKind::Int, IntKind::UInt),
            (ast::IntegerSize::Long, IntKind::Long, IntKind::ULong),
            (
                ast::IntegerSize::LongLong,
                IntKind::LongLong,
                IntKind::ULongLong,
            ),
        ];
        for (size, signed, unsigned) in kinds {
            if size < literal.suffix.size {
                continue;
            }
            let width = self.types.int_width(signed);
            if !literal.suffix.unsigned && u128::from(value) < 1 << (width - 1) {
                return Some((value.into(), Type::Int(signed)));
            }
            if unsigned_too && u128::from(value) < 1 << width {
                return Some((value.into(), Type::Int(unsigned)));
            }
        }
        Some((value.into(), Type::Int(IntKind::ULongLong)))
    }
}

/// The value of `'a'`, an `int`. Several characters are put together as gcc does.
pub(super) fn character_literal(text: &str) -> Option<i128> {
    let wide = !text.starts_with('\'');
    let inner = text.split_once('\'')?.1.strip_suffix('\'')?;
    let units = unescape(inner);
    if units.is_empty() {
        return None;
    }
    if wide {
        return units.last().map(|&unit| i128::from(unit));
    }
    let bytes = to_bytes(&units);
    if let [byte] = bytes[..] {
        return Some(i128::from(byte as i8));
    }
    let value = bytes
        .iter()
        .fold(0u32, |value, &byte| value << 8 | u32::from(byte));
    Some(i128::from(value as i32))
}

/// The bytes of adjacent string literals, without the final 0; `None` for wide strings.
pub(super) fn string_literal(parts: &[String]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for part in parts {
        let prefix = &part[..part.find('"')?];
        if !matches!(prefix, "" | "u8") {
            return None;
        }
        let inner = part[prefix.len()..].strip_prefix('"')?.strip_suffix('"')?;
        bytes.extend(to_bytes(&unescape(inner)));
    }
    Some(bytes)
}

fn to_bytes(units: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for &unit in units {
        match unit {
            0..=0xff => bytes.push(unit as u8),
            _ => {
                let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                bytes.extend(character.to_string().bytes());
            }
        }
    }
    bytes
}

/// Characters with their escape sequences replaced; source bytes stay bytes.
fn unescape(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut units = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            units.push(bytes[at].into());
            at += 1;
            continue;
        }
        let Some(&kind) = bytes.get(at + 1) else {
            break;
        };
        at += 2;
        let digits = |radix: u32, most: usize| {
            let rest = &bytes[at..];
            let count = rest
                .iter()
                .take(most)
                .take_while(|&&byte| char::from(byte).is_digit(radix))
                .count();
            let value = rest[..count].iter().fold(0u32, |value, &byte| {
                let digit = char::from(byte).to_digit(radix).unwrap_or(0);
                value.wrapping_mul(radix).wrapping_add(digit)
            });
            (value, count)
        };
        let (unit, used) = match kind {
            b'n' => (10, 0),
            b't' => (9, 0),
            b'r' => (13, 0),
            b'a' => (7, 0),
            b'b' => (8, 0),
            b'f' => (12, 0),
            b'v' => (11, 0),
            b'e' => (27, 0),
            b'x' => {
                let (value, count) = digits(16, usize::MAX);
                (value & 0xff, count)
            }
            b'u' => digits(16, 4),
            b'U' => digits(16, 8),
            b'0'..=b'7' => {
                at -= 1;
                let rest = &bytes[at..];
                let count = rest
                    .iter()
                    .take(3)
                    .take_while(|byte| (b'0'..=b'7').contains(byte))
                    .count();
                let value = rest[..count]
                    .iter()
                    .fold(0u32, |value, &byte| value * 8 + u32::from(byte - b'0'));
                (value & 0xff, count)
            }
            other => (other.into(), 0),
        };
        units.push(unit);
        at += used;
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_as_in_c() {
        assert_eq!(character_literal("'a'"), Some(97));
        assert_eq!(character_literal(r"'\n'"), Some(10));
        assert_eq!(character_literal(r"'\0'"), Some(0));
        assert_eq!(character_literal(r"'\377'"), Some(-1));
        assert_eq!(character_literal(r"'\x41'"), Some(65));
        assert_eq!(character_literal("'ab'"), Some(0x6162));
        let parts = [r#""a\tb""#.to_owned(), r#""\101\"""#.to_owned()];
        assert_eq!(string_literal(&parts), Some(b"a\tbA\"".to_vec()));
    }
}
