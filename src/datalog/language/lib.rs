//! The rule language: text in, a checked [`RuleSet`] out.
//!
//! [`load`] reads a rule file ([`load_all`] several as one, [`load_text`] a text),
//! [`parse_atom`] a tuple of a command line. Every mistake is a diagnostic with its place.

pub mod ascent;
mod check;
mod display;
mod load;
pub mod order_use;
mod parser;
mod query;
pub mod ruleset;
mod suggest;
mod syntax;
mod token;

pub use load::{Files, Loaded, load, load_all, load_from, load_text};
pub use query::{Tuple, parse_atom};
pub use ruleset::RuleSet;
