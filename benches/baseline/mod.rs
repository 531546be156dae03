//! What the benchmarks compare with: the same work written by hand, for one rule set.

#![allow(dead_code)] // each benchmark uses its own part

pub(crate) mod bit_sets;
pub(crate) mod chain_clocks;
pub(crate) mod executions;
pub(crate) mod facts;
pub(crate) mod timing;
