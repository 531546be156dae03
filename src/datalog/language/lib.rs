//! The rule language: text in, a checked [`RuleSet`] out.

pub mod order_use;
pub mod ruleset;

pub use ruleset::RuleSet;
