//! From typed expressions to terms, and to the condition under which they have a value.
//!
//! An index outside of its array and a division by zero are mistakes of the model, so a
//! statement that could make one gets an assertion.

use super::choices::Resolved;
use super::typed::{ArrayType, Kind, Node, Typed};
use crate::bounds::bounds;
use heddle_program::{Constant, Op, TermId, Terms};

/// A value, with the condition under which it is one.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    pub(crate) term: TermId,
    pub(crate) defined: TermId,
}

/// Turns expressions into terms; `choices` are the values of the open places, in order.
pub(crate) struct Translation<'a> {
    /// Whether every index and divisor is known to be right.
    pub(crate) unchecked: bool,
    pub(crate) terms: &'a mut Terms,
    pub(crate) choices: std::slice::Iter<'a, Resolved>,
}

impl Translation<'_> {
    pub(crate) fn of(&mut self, typed: &Typed) -> Meant {
        let mut meant = self.meant(typed);
        if self.unchecked {
            meant.defined = self.terms.bool(true);
        }
        meant
    }

    fn meant(&mut self, typed: &Typed) -> Meant {
        match &typed.node {
            Node::Constant(constant) => {
                let term = self.terms.constant(*constant);
                self.always(term)
            }
            Node::Variable(variable) => {
                let term = self.terms.variable(*variable);
                self.always(term)
            }
            Node::Any | Node::OneOf(_) => {
                let term = match self.choices.next() {
                    Some(Resolved::Value(constant)) => self.terms.constant(*constant),
                    Some(Resolved::Variable(variable)) => self.terms.variable(*variable),
                    None => unreachable!("every open place was resolved beforehand"),
                };
                self.always(term)
            }
            Node::Position(kind, index) => {
                let written = self.of(index);
                position(self.terms, *kind, written)
            }
            Node::Apply(op, arguments) => {
                let arguments: Vec<Meant> =
                    arguments.iter().map(|argument| self.of(argument)).collect();
                apply(self.terms, *op, &arguments)
            }
        }
    }

    fn always(&mut self, term: TermId) -> Meant {
        Meant {
            term,
            defined: self.terms.bool(true),
        }
    }
}

/// The offset of an index as written, defined where it is in range.
pub(crate) fn position(terms: &mut Terms, kind: ArrayType, written: Meant) -> Meant {
    if let Kind::Bits(width) = kind.index {
        let last = terms.bit_vec(width, i128::from(kind.length) - 1);
        let below = terms.bv_ule(written.term, last);
        return Meant {
            term: written.term,
            defined: terms.and(&[written.defined, below]),
        };
    }
    let low = terms.int(kind.low);
    let term = terms.sub(written.term, low);
    if let Some((least, most)) = bounds(terms, written.term)
        && least >= kind.low
        && most < kind.low + i128::from(kind.length)
    {
        return Meant {
            term,
            defined: written.defined,
        };
    }
    let (zero, length) = (terms.int(0), terms.int(kind.length.into()));
    let from = terms.le(zero, term);
    let below = terms.lt(term, length);
    Meant {
        term,
        defined: terms.and(&[written.defined, from, below]),
    }
}

/// An operator applied; `and`, `or` and `ite` need only the arguments that decide.
pub(crate) fn apply(terms: &mut Terms, op: Op, arguments: &[Meant]) -> Meant {
    let values: Vec<TermId> = arguments.iter().map(|argument| argument.term).collect();
    match op {
        Op::And | Op::Or => {
            let mut conditions = Vec::new();
            for (position, argument) in arguments.iter().enumerate() {
                // A later argument matters only if the earlier ones have not decided.
                let decided: Vec<TermId> = values[..position]
                    .iter()
                    .map(|&earlier| match op {
                        Op::And => terms.not(earlier),
                        _ => earlier,
                    })
                    .chain([argument.defined])
                    .collect();
                if !terms.is_true(argument.defined) {
                    conditions.push(terms.or(&decided));
                }
            }
            Meant {
                term: terms.apply(op, &values),
                defined: terms.and(&conditions),
            }
        }
        Op::Ite => {
            let chosen = terms.ite(values[0], arguments[1].defined, arguments[2].defined);
            Meant {
                term: terms.apply(op, &values),
                defined: terms.and(&[arguments[0].defined, chosen]),
            }
        }
        _ => {
            let mut conditions: Vec<TermId> =
                arguments.iter().map(|argument| argument.defined).collect();
            if matches!(op, Op::Div | Op::Mod) {
                let zero = terms.constant(Constant::Int(0));
                conditions.push(terms.ne(values[1], zero));
            }
            let term = match op {
                Op::Add | Op::BvAdd => values[1..]
                    .iter()
                    .fold(values[0], |sum, &value| terms.apply(op, &[sum, value])),
                _ => terms.apply(op, &values),
            };
            Meant {
                term,
                defined: terms.and(&conditions),
            }
        }
    }
}
