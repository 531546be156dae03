//! Expressions with names resolved and types known, before they become terms.
//!
//! One tree a process instance: the index of a family is a constant here.

use heddle_diagnostics::Span;
use heddle_program::{ArraySort, Constant, Op, Scalar, Sort, VarId};

/// A type without structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    /// A bit-vector of this width.
    Bits(u32),
    Enum(EnumId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnumId(pub(crate) usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Plain(Kind),
    Array(ArrayType),
}

/// Indices run from `low` to `low + length - 1`; in the program they start at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrayType {
    pub(crate) element: Kind,
    /// `int`, or unsigned bits; those start at 0.
    pub(crate) index: Kind,
    pub(crate) low: i128,
    pub(crate) length: u32,
}

pub(crate) const BOOL: Type = Type::Plain(Kind::Bool);
pub(crate) const INT: Type = Type::Plain(Kind::Int);

impl Kind {
    pub(crate) fn scalar(self) -> Scalar {
        match self {
            Kind::Bool => Scalar::Bool,
            Kind::Int | Kind::Enum(_) => Scalar::Int,
            Kind::Bits(width) => Scalar::BitVec(width),
        }
    }
}

impl ArrayType {
    pub(crate) fn sort(self) -> ArraySort {
        ArraySort {
            index: self.index.scalar(),
            element: self.element.scalar(),
            length: self.length,
        }
    }
}

impl Type {
    pub(crate) fn sort(self) -> Sort {
        match self {
            Type::Plain(kind) => kind.scalar().into(),
            Type::Array(array) => Sort::Array(array.sort()),
        }
    }

    /// The type of what a value is made of: the value itself, or an array's elements.
    pub(crate) fn element(self) -> Kind {
        match self {
            Type::Plain(kind) => kind,
            Type::Array(array) => array.element,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) node: Node,
    pub(crate) kind: Type,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum Node {
    Constant(Constant),
    Variable(VarId),
    /// The place in an array that an index, as written, means; it must be in range.
    Position(ArrayType, Box<Typed>),
    /// Any value of the type.
    Any,
    /// Any of these values.
    OneOf(Vec<Constant>),
    /// `and`, `or` and `ite` evaluate only the arguments that matter, left to right.
    Apply(Op, Vec<Typed>),
}

impl Typed {
    /// Calls `visit` on this expression and all below it, in order of evaluation.
    pub(crate) fn walk(&self, visit: &mut impl FnMut(&Typed)) {
        match &self.node {
            Node::Position(_, index) => index.walk(visit),
            Node::Apply(_, arguments) => {
                for argument in arguments {
                    argument.walk(visit);
                }
            }
            Node::Constant(_) | Node::Variable(_) | Node::Any | Node::OneOf(_) => {}
        }
        visit(self);
    }

    pub(crate) fn any(&self, mut test: impl FnMut(&Typed) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |typed| found |= test(typed));
        found
    }

    /// Whether the value is left open somewhere.
    pub(crate) fn has_choice(&self) -> bool {
        self.any(|typed| matches!(typed.node, Node::Any | Node::OneOf(_)))
    }
}

/// Where an assignment writes.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Variable(VarId),
    /// With the position in the array.
    Element(VarId, Typed),
}

impl Target {
    pub(crate) fn variable(&self) -> VarId {
        match self {
            Target::Variable(variable) | Target::Element(variable, ..) => *variable,
        }
    }
}
