//! Sorts in SMT-LIB's notation.

use super::sexp::{SexpId, Sexps, TextError};
use crate::sort::{MAX_WIDTH, Scalar, Sort};

impl Sort {
    /// The sort that SMT-LIB text names. The length of an array is not part of the text.
    pub fn parse(text: &str, array_length: Option<u32>) -> Result<Sort, TextError> {
        let sexps = Sexps::read(text)?;
        Sort::parse_sexp(&sexps, sexps.root(), array_length)
    }

    /// [`Sort::parse`] for a part of a text that was read.
    pub fn parse_sexp(
        sexps: &Sexps<'_>,
        id: SexpId,
        array_length: Option<u32>,
    ) -> Result<Sort, TextError> {
        let Some(("Array", rest)) = sexps.headed(id) else {
            return parse_scalar(sexps, id).map(Sort::from);
        };
        let &[index, element] = rest else {
            return Err(sexps.error(id, "a sort of arrays is written `(Array index element)`"));
        };
        let index_sort = parse_scalar(sexps, index)?;
        if index_sort == Scalar::Bool {
            return Err(sexps.error(index, "an array is indexed by Int or a bit-vector"));
        }
        let element = parse_scalar(sexps, element)?;
        let length =
            array_length.ok_or_else(|| sexps.error(id, "the length of this array is missing"))?;
        Ok(Sort::array(index_sort, element, length))
    }
}

fn parse_scalar(sexps: &Sexps<'_>, id: SexpId) -> Result<Scalar, TextError> {
    if let Some(name) = sexps.symbol(id) {
        return match name {
            "Bool" => Ok(Scalar::Bool),
            "Int" => Ok(Scalar::Int),
            _ => Err(sexps
                .error(id, format!("`{name}` is not a sort that heddle knows"))
                .hint("sorts are `Bool`, `Int`, `(_ BitVec 32)` and `(Array Int Bool)`")),
        };
    }
    match sexps.headed(id) {
        Some(("_", &[name, width])) if sexps.symbol(name) == Some("BitVec") => {
            match unsigned(sexps, width)? {
                bits @ 1..=MAX_WIDTH => Ok(Scalar::BitVec(bits)),
                bits => Err(sexps.error(
                    width,
                    format!("a bit-vector has 1 to {MAX_WIDTH} bits, not {bits}"),
                )),
            }
        }
        Some(("Array", _)) => Err(sexps.error(id, "arrays of arrays are not supported")),
        _ => Err(sexps
            .error(id, "this is not a sort that heddle knows")
            .hint("sorts are `Bool`, `Int`, `(_ BitVec 32)` and `(Array Int Bool)`")),
    }
}

/// An index such as a width.
pub(super) fn unsigned(sexps: &Sexps<'_>, id: SexpId) -> Result<u32, TextError> {
    sexps
        .symbol(id)
        .filter(|digits| digits.chars().all(|c| c.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| sexps.error(id, "a number is expected here"))
}
