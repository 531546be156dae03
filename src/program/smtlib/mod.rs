//! Terms and sorts as SMT-LIB text.
//!
//! Large terms with shared parts are written with `let`, so the text is never much larger
//! than the term. An array of constants carries its length as an annotation, which other
//! readers of SMT-LIB ignore: `(! ((as const (Array Int Int)) 0) :length 4)`.

mod operators;
mod parse;
mod sexp;
mod sorts;
mod write;

pub use sexp::{Sexp, SexpId, Sexps, TextError};
pub use write::quote_symbol;
