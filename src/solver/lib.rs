//! One interface over two solvers: CaDiCaL, for terms of booleans, bit-vectors and small
//! arrays, which become clauses; and Z3, for these and mathematical integers.
//!
//! A term without a value (an index outside of its array, an integer divided by zero) has
//! an arbitrary one here: an engine that forgets a guard may be given a model that the
//! interpreter rejects, but is never told that there is none.
//!
//! A solver remembers terms by their [`TermId`], so all terms that it is given must come
//! from one arena.

mod bitblast;
mod core;
mod gates;
mod limits;
mod literal;
mod sat;
mod statistics;
mod validity;
mod words;
mod z3;

pub use bitblast::BitBlaster;
pub use core::shrink_core;
pub use limits::{Limits, Reason};
pub use literal::Literal;
pub use sat::Sat;
pub use statistics::Statistics;
pub use validity::{Undecided, Validity};
pub use z3::Z3;

use heddle_program::{EvalError, Sort, TermId, Terms, Value};
use std::fmt;
use std::ops::RangeInclusive;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown(Reason),
}

/// A term that this solver has no encoding for; another one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub term: TermId,
    pub sort: Sort,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::Array(sort) => write!(
                f,
                "an array of {} elements of sort {} cannot be turned into clauses",
                sort.length, sort.element
            ),
            sort => write!(f, "a term of sort {sort} cannot be turned into clauses"),
        }
    }
}

impl std::error::Error for Unsupported {}

/// An incremental solver: what is added stays, and each call may assume more for itself.
pub trait Solver {
    // Problem specification.

    /// A literal of the engine's own (a read-from link, a guard) that nothing restricts yet.
    fn new_literal(&mut self) -> Literal;

    /// The literal that is true exactly where the boolean term is. Restricts nothing.
    fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Literal, Unsupported>;

    /// At least one of the literals is true from here on. Ends the validity of the model.
    fn add_clause(&mut self, literals: &[Literal]);

    /// The boolean term is true from here on. Ends the validity of the model.
    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), Unsupported>;

    /// The boolean term is true from here on wherever the literal is. Ends the validity of the
    /// model.
    fn imply(&mut self, terms: &Terms, literal: Literal, term: TermId) -> Result<(), Unsupported> {
        let implied = self.literal(terms, term)?;
        self.add_clause(&[!literal, implied]);
        Ok(())
    }

    /// A hint: the value to try first for the literal's variable is the one that makes it
    /// true.
    fn prefer(&mut self, _literal: Literal) {}

    /// Promises that a bit-vector variable, which the solver has not seen yet, is one of these
    /// signed numbers. A solver may use that, or not.
    fn promise_range(&mut self, _terms: &Terms, _variable: TermId, _range: RangeInclusive<i128>) {}

    fn set_limits(&mut self, limits: Limits);

    // Solving.

    /// Is there a model of all that was added, and of the assumptions?
    fn check(&mut self, assumptions: &[Literal]) -> Answer;

    /// Is there a model of all that was added, and of the boolean terms? Made for questions
    /// that are asked once: as little as possible of the terms stays.
    fn check_terms(&mut self, terms: &Terms, conjuncts: &[TermId]) -> Result<Answer, Unsupported> {
        let assumptions: Result<Vec<Literal>, Unsupported> = conjuncts
            .iter()
            .map(|&term| self.literal(terms, term))
            .collect();
        Ok(self.check(&assumptions?))
    }

    /// Assumptions of the last call of [`Solver::check`], answered [`Answer::Unsat`], that are not all true
    /// together; not always the fewest (see [`shrink_core`]). Empty if even without
    /// assumptions there is no model.
    fn core(&self) -> &[Literal];

    // The model, after [`Answer::Sat`] and until something is added.

    /// # Panics
    /// If there is no model.
    fn literal_value(&mut self, literal: Literal) -> bool;

    /// The value of any term, whether the solver has seen it or not; variables that it has
    /// not seen are zero.
    ///
    /// # Panics
    /// If there is no model.
    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, EvalError>;

    fn statistics(&self) -> Statistics;
}

/// Which solver, as a user or an engine names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// CaDiCaL. Fastest for bit-precise terms; no mathematical integers.
    BitBlast,
    Z3,
}

impl Backend {
    pub fn open(self) -> Box<dyn Solver> {
        match self {
            Backend::BitBlast => Box::new(BitBlaster::new()),
            Backend::Z3 => Box::new(Z3::new()),
        }
    }
}
