//! What the operators of SMT-LIB mean in terms of [`Op`].

use crate::ids::TermId;
use crate::op::{Op, SortError};
use crate::sort::ArraySort;
use crate::term::Terms;

/// What the head of an application means.
#[derive(Clone, Copy)]
pub(super) enum Operator {
    Plain(Op),
    /// `(op a b c)` is `(op (op a b) c)`.
    LeftAssociative(Op),
    /// `-`: negation of one argument, subtraction of more.
    Minus,
    /// `(op a b c)` is `(and (op a b) (op b c))`.
    Chained(Op),
    /// A chain of the operator with its arguments exchanged.
    ChainedFlipped(Op),
    /// The negation of the operator.
    Negated(Op),
    /// The bit-wise complement of the operator.
    Complement(Op),
    Distinct,
    Implies,
    Xor,
    Abs,
    Compare,
    /// Array of constants whose length is taken from what is expected.
    ConstArray(ArraySort),
}

impl Operator {
    /// The operator applied to the arguments, if they fit.
    pub(super) fn apply(
        self,
        terms: &mut Terms,
        arguments: &[TermId],
    ) -> Result<TermId, SortError> {
        let at_least = |count: usize| {
            if arguments.len() >= count {
                Ok(())
            } else {
                Err(SortError(format!("at least {count} arguments are needed")))
            }
        };
        let exactly = |count: usize| {
            if arguments.len() == count {
                Ok(())
            } else {
                Err(SortError(format!("exactly {count} arguments are needed")))
            }
        };
        match self {
            Operator::Plain(op) => terms.try_apply(op, arguments),
            Operator::LeftAssociative(op) => {
                at_least(2)?;
                let mut result = arguments[0];
                for &argument in &arguments[1..] {
                    result = terms.try_apply(op, &[result, argument])?;
                }
                Ok(result)
            }
            Operator::Minus if arguments.len() == 1 => terms.try_apply(Op::Neg, arguments),
            Operator::Minus => Operator::LeftAssociative(Op::Sub).apply(terms, arguments),
            Operator::Chained(op) | Operator::ChainedFlipped(op) => {
                at_least(2)?;
                let mut links = Vec::new();
                for pair in arguments.windows(2) {
                    let pair = match self {
                        Operator::ChainedFlipped(_) => [pair[1], pair[0]],
                        _ => [pair[0], pair[1]],
                    };
                    links.push(terms.try_apply(op, &pair)?);
                }
                terms.try_apply(Op::And, &links)
            }
            Operator::Negated(op) => {
                let term = terms.try_apply(op, arguments)?;
                terms.try_apply(Op::Not, &[term])
            }
            Operator::Complement(op) => {
                let term = terms.try_apply(op, arguments)?;
                terms.try_apply(Op::BvNot, &[term])
            }
            Operator::Distinct => {
                at_least(2)?;
                let mut pairs = Vec::new();
                for (position, &a) in arguments.iter().enumerate() {
                    for &b in &arguments[position + 1..] {
                        let equal = terms.try_apply(Op::Eq, &[a, b])?;
                        pairs.push(terms.try_apply(Op::Not, &[equal])?);
                    }
                }
                terms.try_apply(Op::And, &pairs)
            }
            Operator::Implies => {
                at_least(2)?;
                let (&last, premises) = arguments.split_last().expect("two arguments");
                let mut parts = vec![last];
                for &premise in premises {
                    parts.push(terms.try_apply(Op::Not, &[premise])?);
                }
                terms.try_apply(Op::Or, &parts)
            }
            Operator::Xor => {
                at_least(2)?;
                let mut result = terms.try_apply(Op::Or, &arguments[..1])?;
                for &argument in &arguments[1..] {
                    let equal = terms.try_apply(Op::Eq, &[result, argument])?;
                    result = terms.try_apply(Op::Not, &[equal])?;
                }
                Ok(result)
            }
            Operator::Abs => {
                exactly(1)?;
                let zero = terms.int(0);
                let negative = terms.try_apply(Op::Lt, &[arguments[0], zero])?;
                let negation = terms.try_apply(Op::Neg, arguments)?;
                terms.try_apply(Op::Ite, &[negative, negation, arguments[0]])
            }
            Operator::Compare => {
                exactly(2)?;
                let equal = terms.try_apply(Op::Eq, arguments)?;
                let (yes, no) = (terms.bit_vec(1, 1), terms.bit_vec(1, 0));
                terms.try_apply(Op::Ite, &[equal, yes, no])
            }
            Operator::ConstArray(sort) => {
                if sort.length == 0 {
                    return Err(SortError(
                        "the length of this array is not known; write \
                         `(! ((as const …) …) :length 8)`"
                            .into(),
                    ));
                }
                terms.try_apply(Op::ConstArray(sort), arguments)
            }
        }
    }
}

/// The operator of that name, without indices.
pub(super) fn named_operator(name: &str) -> Option<Operator> {
    use Operator::*;
    Some(match name {
        "not" => Plain(Op::Not),
        "and" => Plain(Op::And),
        "or" => Plain(Op::Or),
        "ite" => Plain(Op::Ite),
        "=>" => Implies,
        "xor" => Xor,
        "=" => Chained(Op::Eq),
        "distinct" => Distinct,
        "-" => Minus,
        "+" => LeftAssociative(Op::Add),
        "*" => LeftAssociative(Op::Mul),
        "div" => LeftAssociative(Op::Div),
        "mod" => Plain(Op::Mod),
        "abs" => Abs,
        "<" => Chained(Op::Lt),
        "<=" => Chained(Op::Le),
        ">" => ChainedFlipped(Op::Lt),
        ">=" => ChainedFlipped(Op::Le),
        "bvnot" => Plain(Op::BvNot),
        "bvneg" => Plain(Op::BvNeg),
        "bvand" => LeftAssociative(Op::BvAnd),
        "bvor" => LeftAssociative(Op::BvOr),
        "bvxor" => LeftAssociative(Op::BvXor),
        "bvnand" => Complement(Op::BvAnd),
        "bvnor" => Complement(Op::BvOr),
        "bvxnor" => Complement(Op::BvXor),
        "bvadd" => LeftAssociative(Op::BvAdd),
        "bvsub" => Plain(Op::BvSub),
        "bvmul" => LeftAssociative(Op::BvMul),
        "bvudiv" => Plain(Op::BvUdiv),
        "bvurem" => Plain(Op::BvUrem),
        "bvsdiv" => Plain(Op::BvSdiv),
        "bvsrem" => Plain(Op::BvSrem),
        "bvshl" => Plain(Op::BvShl),
        "bvlshr" => Plain(Op::BvLshr),
        "bvashr" => Plain(Op::BvAshr),
        "bvcomp" => Compare,
        "bvult" => Plain(Op::BvUlt),
        "bvule" => Plain(Op::BvUle),
        "bvugt" => Negated(Op::BvUle),
        "bvuge" => Negated(Op::BvUlt),
        "bvslt" => Plain(Op::BvSlt),
        "bvsle" => Plain(Op::BvSle),
        "bvsgt" => Negated(Op::BvSle),
        "bvsge" => Negated(Op::BvSlt),
        "concat" => LeftAssociative(Op::Concat),
        "select" => Plain(Op::Select),
        "store" => Plain(Op::Store),
        _ => return None,
    })
}
