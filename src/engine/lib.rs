//! The methods, each an engine of its own that turns a program into an honest verdict.

mod action;
mod graphviz;
mod linear;
mod words;

pub mod auto;
pub mod control;
pub mod matching;
pub mod predicate;
pub mod reach;
pub mod schedule;
pub mod slice;
