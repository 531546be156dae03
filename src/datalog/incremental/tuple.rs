//! Tuples as they travel through the dataflow: small, and cheap to compare and to copy.
//!
//! Nearly all tuples are short, and nearly all values small (symbols are numbered from 0),
//! so a tuple of up to five values of 32 bits is kept in place. The form is canonical: equal
//! tuples have the same form.

use crate::value::{Row, Value};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

const NARROW: usize = 5;

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Tuple(Form);

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Form {
    /// The items from `length` on are 0.
    Narrow {
        length: u8,
        items: [i32; NARROW],
    },
    Wide(Box<[i64]>),
}

impl Tuple {
    pub(super) const EMPTY: Tuple = Tuple(Form::Narrow {
        length: 0,
        items: [0; NARROW],
    });

    /// Of so many values, the `i`th of which is `value(i)`.
    pub(super) fn build(length: usize, mut value: impl FnMut(usize) -> i64) -> Self {
        if length > NARROW {
            return Tuple(Form::Wide((0..length).map(value).collect()));
        }
        let mut items = [0; NARROW];
        for i in 0..length {
            let item = value(i);
            match i32::try_from(item) {
                Ok(narrow) => items[i] = narrow,
                Err(_) => {
                    let before = items[..i].iter().map(|&narrow| i64::from(narrow));
                    let after = (i + 1..length).map(value);
                    return Tuple(Form::Wide(before.chain([item]).chain(after).collect()));
                }
            }
        }
        let length = length as u8;
        Tuple(Form::Narrow { length, items })
    }

    pub(super) fn of(values: &[i64]) -> Self {
        Tuple::build(values.len(), |i| values[i])
    }

    pub(super) fn of_row(row: &[Value]) -> Self {
        Tuple::build(row.len(), |i| row[i].0)
    }

    pub(super) fn to_row(&self) -> Row {
        self.values().map(Value).collect()
    }

    pub(super) fn len(&self) -> usize {
        match &self.0 {
            Form::Narrow { length, .. } => usize::from(*length),
            Form::Wide(items) => items.len(),
        }
    }

    pub(super) fn get(&self, index: usize) -> i64 {
        match &self.0 {
            Form::Narrow { length, items } => {
                debug_assert!(index < usize::from(*length));
                i64::from(items[index])
            }
            Form::Wide(items) => items[index],
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = i64> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl Ord for Tuple {
    fn cmp(&self, other: &Self) -> Ordering {
        if let (
            Form::Narrow { length, items },
            Form::Narrow {
                length: other_length,
                items: other_items,
            },
        ) = (&self.0, &other.0)
        {
            let these = &items[..usize::from(*length)];
            return these.cmp(&other_items[..usize::from(*other_length)]);
        }
        self.values().cmp(other.values())
    }
}

impl PartialOrd for Tuple {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Tuple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.values()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIG: i64 = 1 << 40;

    #[test]
    fn a_tuple_fits_three_words() {
        assert_eq!(std::mem::size_of::<Tuple>(), 24);
    }

    #[test]
    fn values_come_back_whatever_the_form() {
        for values in [
            &[][..],
            &[-1, 7],
            &[1, 2, 3, 4, 5],
            &[1, 2, 3, 4, 5, 6],
            &[1, BIG, 3],
            &[BIG],
            &[i64::MIN, i64::MAX],
        ] {
            let tuple = Tuple::of(values);
            assert_eq!(tuple.values().collect::<Vec<_>>(), values);
            assert_eq!(tuple, Tuple::of(values));
        }
    }

    #[test]
    fn tuples_are_ordered_as_their_values_are() {
        let all = [
            &[-BIG, 5][..],
            &[-1],
            &[],
            &[0],
            &[0, 0],
            &[3, BIG],
            &[3, 4],
            &[3],
            &[BIG],
            &[1, 2, 3, 4, 5, 6],
        ];
        for left in all {
            for right in all {
                assert_eq!(Tuple::of(left).cmp(&Tuple::of(right)), left.cmp(right));
            }
        }
    }
}
