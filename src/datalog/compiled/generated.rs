//! What the text that [`heddle_language::ascent`] generates is written in terms of.

pub use super::growth::{Growth, Order};
pub use super::model::{BuiltIn, Input, Model, Relation};
pub use crate::backend::SettleError;
pub use ascent::ascent_run;
pub use heddle_language::ruleset::RelationId;
pub use rustc_hash::FxHashSet as Set;

use heddle_language::ruleset::Operator;
use std::hash::Hash;

pub fn add(left: i64, right: i64) -> i64 {
    left.wrapping_add(right)
}

pub fn subtract(left: i64, right: i64) -> i64 {
    left.wrapping_sub(right)
}

pub fn multiply(left: i64, right: i64) -> i64 {
    left.wrapping_mul(right)
}

pub fn negate(operand: i64) -> i64 {
    operand.wrapping_neg()
}

pub fn divide(left: i64, right: i64) -> Option<i64> {
    Operator::Divide.apply(left, right)
}

pub fn remainder(left: i64, right: i64) -> Option<i64> {
    Operator::Remainder.apply(left, right)
}

// Aggregates of a column, in the form that `agg` clauses expect.

pub fn count(rows: impl Iterator<Item = ()>) -> Option<i64> {
    Some(rows.count() as i64)
}

pub fn sum<'a>(rows: impl Iterator<Item = (&'a i64,)>) -> Option<i64> {
    Some(rows.fold(0, |sum, (value,)| sum.wrapping_add(*value)))
}

pub fn min<'a>(rows: impl Iterator<Item = (&'a i64,)>) -> Option<i64> {
    rows.map(|(value,)| *value).min()
}

pub fn max<'a>(rows: impl Iterator<Item = (&'a i64,)>) -> Option<i64> {
    rows.map(|(value,)| *value).max()
}

// Aggregates of a value that is computed from a row; rows without one do not count.

pub fn count_of<T, I: Iterator<Item = T>>(
    value: impl Fn(T) -> Option<i64>,
) -> impl FnOnce(I) -> Option<i64> {
    move |rows| Some(rows.filter_map(value).count() as i64)
}

pub fn sum_of<T, I: Iterator<Item = T>>(
    value: impl Fn(T) -> Option<i64>,
) -> impl FnOnce(I) -> Option<i64> {
    move |rows| Some(rows.filter_map(value).fold(0, i64::wrapping_add))
}

pub fn min_of<T, I: Iterator<Item = T>>(
    value: impl Fn(T) -> Option<i64>,
) -> impl FnOnce(I) -> Option<i64> {
    move |rows| rows.filter_map(value).min()
}

pub fn max_of<T, I: Iterator<Item = T>>(
    value: impl Fn(T) -> Option<i64>,
) -> impl FnOnce(I) -> Option<i64> {
    move |rows| rows.filter_map(value).max()
}

/// All rows, as a set of what `key` makes of them.
pub fn set_of<T, K: Eq + Hash, I: Iterator<Item = T>>(
    key: impl Fn(T) -> K,
) -> impl FnOnce(I) -> Option<Set<K>> {
    move |rows| Some(rows.map(key).collect())
}
