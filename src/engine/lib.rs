//! The methods, each an engine of its own that turns a program into an honest verdict.

pub mod matching;
pub mod schedule;
pub mod slice;
