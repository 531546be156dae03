//! The relations of program facts.

/// One file of the folder, and what its columns mean.
#[derive(Debug, PartialEq, Eq)]
pub struct Relation {
    pub name: &'static str,
    pub columns: &'static [&'static str],
}

macro_rules! schema {
    ($($constant:ident = $name:literal ( $($column:literal),* );)*) => {
        $(pub(crate) const $constant: &Relation = &Relation {
            name: $name,
            columns: &[$($column),*],
        };)*

        /// All relations, in the order in which `docs/facts.md` explains them.
        pub const SCHEMA: &[&Relation] = &[$($constant),*];
    };
}

schema! {
    THREAD = "thread"("thread", "entry", "start");
    LOCATION = "location"("thread", "location");
    VARIABLE = "variable"("variable", "sort", "length");
    LOCAL = "local"("variable", "thread");
    INITIAL = "initial"("variable", "value");
    EDGE = "edge"("edge", "thread", "source", "target");
    ASSIGN = "assign"("edge", "variable", "index", "value");
    HAVOC = "havoc"("edge", "variable", "index");
    ASSUME = "assume"("edge", "condition");
    ASSERT = "assert"("edge", "condition", "message");
    GUARD = "guard"("edge", "condition");
    UPDATE = "update"("edge", "position", "variable", "index", "value");
    ROLE = "role"("edge", "role", "variable", "index");
    CREATE = "create"("edge", "thread");
    JOIN = "join"("edge", "thread");
    ATOMIC_BEGIN = "atomic_begin"("edge");
    ATOMIC_END = "atomic_end"("edge");
    BOUND_REACHED = "bound_reached"("edge", "reason");
    BOUND = "bound"("bound");
    ERROR = "error"("condition");
    ASSUMPTION = "assumption"("text");
    SOURCE = "source"("edge", "file", "line", "column", "end_line", "end_column");
    ENUMERATION = "enumeration"("enumeration", "name", "value");
    ENUMERATED = "enumerated"("variable", "enumeration");
}

/// In a column for an index: there is none. In one for a value: any value.
pub(crate) const NO_INDEX: &str = "-";
pub(crate) const ANY_VALUE: &str = "*";
