//! Propositional literals, shared by both solvers.

use std::fmt;
use std::ops::Not;

/// A propositional variable or its negation. It belongs to the solver that made it, except
/// for the two constants, which mean the same in every solver.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(i32);

impl Literal {
    pub const TRUE: Literal = Literal(1);
    pub const FALSE: Literal = Literal(-1);

    /// The positive literal of the variable with this number; number 1 is the constant.
    pub(crate) fn positive(variable: i32) -> Literal {
        debug_assert!(variable > 0);
        Literal(variable)
    }

    /// As in DIMACS files: negative for a negation, never 0.
    pub fn number(self) -> i32 {
        self.0
    }

    pub fn is_negative(self) -> bool {
        self.0 < 0
    }

    /// The literal without its negation.
    pub fn variable(self) -> Literal {
        Literal(self.0.abs())
    }

    /// The truth value, if it is one of the two constants.
    pub fn constant(self) -> Option<bool> {
        match self {
            Literal::TRUE => Some(true),
            Literal::FALSE => Some(false),
            _ => None,
        }
    }

    /// The literal, negated if `flip`.
    pub(crate) fn negated_if(self, flip: bool) -> Literal {
        if flip { !self } else { self }
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Literal {
        Literal::TRUE.negated_if(!value)
    }
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal(-self.0)
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
