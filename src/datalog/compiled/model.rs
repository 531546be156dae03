//! What a compiled rule set takes and gives.

use super::clocks::Clocks;
use super::deadline::Deadline;
use super::growth::Order;
use crate::backend::SettleError;
use crate::facts::Facts;
use crate::value::{Row, Value};
use heddle_language::ruleset::RelationId;
use rustc_hash::FxHashSet;
use std::hash::Hash;
use std::sync::OnceLock;

/// A rule set that heddle was built with.
pub struct BuiltIn {
    /// The rule file's name without folder and ending.
    pub name: &'static str,
    /// The rule set as text.
    pub text: &'static str,
    /// The symbols that its rules mention.
    pub symbols: &'static [&'static str],
    /// Derives everything from the facts.
    pub run: fn(&Input<'_>) -> Result<Model, SettleError>,
}

/// The facts, the values of [`BuiltIn::symbols`], and how long there is time.
pub struct Input<'a> {
    pub(super) facts: &'a Facts,
    pub(super) symbols: &'a [i64],
    pub(super) deadline: Deadline,
}

impl Input<'_> {
    pub fn rows<T: Tuple>(&self, relation: RelationId) -> Vec<T> {
        self.facts
            .rows(relation)
            .map(|row| T::from_row(row))
            .collect()
    }

    pub fn symbols(&self) -> &[i64] {
        self.symbols
    }

    /// Whether a rule may begin; see [`super::deadline`].
    pub fn admits_body(&self) -> bool {
        self.deadline.admits_body()
    }

    /// Whether a rule may derive another tuple.
    #[inline]
    pub fn admits_head(&self) -> bool {
        self.deadline.admits_head()
    }

    /// Whether what was derived is all that follows.
    pub fn is_complete(&self) -> Result<(), SettleError> {
        match self.deadline.is_over() {
            true => Err(SettleError::Stopped("there was no more time".to_string())),
            false => Ok(()),
        }
    }
}

/// All relations after a run, and for each conflict whether it holds.
#[derive(Default)]
pub struct Model {
    pub relations: Vec<Relation>,
    pub conflicts: Vec<bool>,
}

/// One relation after a run.
pub struct Relation(Kept);

enum Kept {
    Rows(Box<dyn Rows + Send + Sync>),
    Order(Box<Clocks>),
}

impl Relation {
    pub fn rows<T: Tuple>(rows: Vec<T>) -> Self {
        Relation(Kept::Rows(Box::new(Table {
            rows,
            set: OnceLock::new(),
        })))
    }

    pub(super) fn all(&self) -> Vec<Row> {
        match &self.0 {
            Kept::Rows(rows) => rows.all(),
            Kept::Order(clocks) => clocks
                .pairs()
                .map(|(a, b)| Row::from([Value(a), Value(b)]))
                .collect(),
        }
    }

    pub(super) fn contains(&self, row: &[Value]) -> bool {
        match (&self.0, row) {
            (Kept::Rows(rows), _) => rows.contains(row),
            (Kept::Order(clocks), &[a, b]) => clocks.holds(a.0, b.0),
            (Kept::Order(_), _) => false,
        }
    }
}

impl From<Order> for Relation {
    fn from(order: Order) -> Self {
        Relation(Kept::Order(Box::new(order.into_clocks())))
    }
}

/// The rows of a relation, whatever its number of columns.
trait Rows {
    fn all(&self) -> Vec<Row>;
    fn contains(&self, row: &[Value]) -> bool;
}

struct Table<T> {
    rows: Vec<T>,
    /// Made when it is first asked for.
    set: OnceLock<FxHashSet<T>>,
}

impl<T: Tuple> Rows for Table<T> {
    fn all(&self) -> Vec<Row> {
        self.rows.iter().map(|row| row.to_row()).collect()
    }

    fn contains(&self, row: &[Value]) -> bool {
        let set = self.set.get_or_init(|| self.rows.iter().copied().collect());
        row.len() == T::ARITY && set.contains(&T::from_row(row))
    }
}

/// A row as `ascent` has it.
pub trait Tuple: Copy + Eq + Hash + Send + Sync + 'static {
    const ARITY: usize;
    fn from_row(row: &[Value]) -> Self;
    fn to_row(self) -> Row;
}

macro_rules! tuples {
    ($($arity:literal: $($column:ident)*;)*) => {$(
        impl Tuple for ($(tuples!(@type $column),)*) {
            const ARITY: usize = $arity;

            #[allow(clippy::unused_unit)] // the tuple without columns
            fn from_row(row: &[Value]) -> Self {
                let [$($column),*] = row else {
                    unreachable!("a fact has as many columns as its relation");
                };
                ($($column.0,)*)
            }

            fn to_row(self) -> Row {
                let ($($column,)*) = self;
                Row::from([$(Value($column)),*])
            }
        }
    )*};
    (@type $column:ident) => { i64 };
}

tuples! {
    0: ;
    1: a;
    2: a b;
    3: a b c;
    4: a b c d;
    5: a b c d e;
    6: a b c d e f;
    7: a b c d e f g;
    8: a b c d e f g h;
    9: a b c d e f g h i;
    10: a b c d e f g h i j;
    11: a b c d e f g h i j k;
    12: a b c d e f g h i j k l;
}
