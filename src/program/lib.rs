//! Concurrent programs: threads, control locations, statements, typed hash-consed terms.
//!
//! Front ends build a [`Program`] with a [`ProgramBuilder`]; the interpreter and all engines
//! read it. Nothing here knows where a program comes from or what is done with it.

mod access;
mod builder;
mod constructors;
mod creation;
mod display;
mod ids;
mod op;
mod program;
mod semantics;
mod simplify;
mod smtlib;
mod sort;
mod statement;
mod term;
mod validate;
mod value;
mod verdict;

pub use builder::{ProgramBuilder, VariableBuilder};
pub use ids::{EdgeId, LocationId, TermId, ThreadId, VarId};
pub use op::{Op, SortError};
pub use program::{
    Assumption, Edge, Enumeration, ErrorCondition, Location, Program, Property, Scope, Start,
    StateFormula, Thread, Variable,
};
pub use smtlib::{Sexp, SexpId, Sexps, TextError, quote_symbol};
pub use sort::{ArraySort, MAX_LENGTH, MAX_WIDTH, Scalar, Sort};
pub use statement::{Place, Role, Statement, Update};
pub use term::{Term, Terms};
pub use value::{Constant, EvalError, Value, mask, to_signed};
pub use verdict::{Bound, Verdict};
