//! The range of an index, where it is plain to see: it is common to index by `(i + 1) % n`.

use heddle_program::{Constant, Op, Term, TermId, Terms};

/// How far down [`bounds`] looks.
const DEPTH: u32 = 8;

/// The least and the greatest value of an integer or, unsigned, of a bit-vector.
pub(crate) fn bounds(terms: &Terms, term: TermId) -> Option<(i128, i128)> {
    within(terms, term, DEPTH)
}

fn within(terms: &Terms, term: TermId, depth: u32) -> Option<(i128, i128)> {
    let width = match terms.get(term) {
        Term::Constant(Constant::Int(value)) => return Some((*value, *value)),
        Term::Constant(constant) => {
            let value = constant.as_index()?;
            return Some((value, value));
        }
        _ => terms.sort(term).width(),
    };
    // Any value of a bit-vector, if nothing else is known.
    let any = width
        .filter(|&width| width < 127)
        .map(|width| (0, (1 << width) - 1));
    let inner = |term| within(terms, term, depth.checked_sub(1)?);
    let Term::Apply { op, arguments } = terms.get(term) else {
        return any;
    };
    let narrower = match (op, &arguments[..]) {
        (Op::Mod, &[_, divisor]) => match terms.as_constant(divisor) {
            Some(Constant::Int(divisor)) if divisor != 0 => {
                divisor.checked_abs().map(|divisor| (0, divisor - 1))
            }
            _ => None,
        },
        (Op::BvUrem, &[_, divisor]) => match terms.as_constant(divisor) {
            Some(Constant::BitVec { bits, .. }) if bits != 0 => {
                i128::try_from(bits - 1).ok().map(|most| (0, most))
            }
            _ => None,
        },
        (Op::BvAnd, &[a, b]) => match (inner(a), inner(b)) {
            (Some((_, a)), Some((_, b))) => Some((0, a.min(b))),
            _ => None,
        },
        (Op::ZeroExtend { .. }, &[a]) => inner(a),
        (Op::Ite, &[_, yes, no]) => match (inner(yes), inner(no)) {
            (Some(yes), Some(no)) => Some((yes.0.min(no.0), yes.1.max(no.1))),
            _ => None,
        },
        (Op::Add | Op::Sub, &[a, b]) => match (inner(a), inner(b)) {
            (Some(a), Some(b)) if *op == Op::Add => a.0.checked_add(b.0).zip(a.1.checked_add(b.1)),
            (Some(a), Some(b)) => a.0.checked_sub(b.1).zip(a.1.checked_sub(b.0)),
            _ => None,
        },
        _ => None,
    };
    narrower.or(any)
}
