//! Local simplification: constant folding and the identities that cost nothing to see.
//!
//! A simplified term has the same value wherever the plain one has a value; it may have one
//! where the plain one has none (`0 * (x div 0)`).

use crate::ids::TermId;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{Term, Terms};
use crate::value::{Constant, mask};

/// Nested `and`s and `or`s are merged up to this many arguments, so that a long chain built
/// link by link takes linear space.
const MERGED_ARGUMENTS: usize = 32;

impl Terms {
    /// The application of an operator to arguments that fit it.
    pub(crate) fn simplified(&mut self, op: Op, arguments: &[TermId], sort: Sort) -> TermId {
        if let Some(term) = self.folded(op, arguments) {
            return term;
        }
        match (op, arguments) {
            (Op::And | Op::Or, _) => self.junction(op, arguments),
            (Op::Ite, &[condition, yes, no]) => self.choice(condition, yes, no, sort),
            (Op::Eq, &[a, b]) => self.equation(a, b),
            (Op::Select, &[array, index]) => self.selection(array, index, sort),
            (Op::Store, &[array, index, value]) => self.update(array, index, value, sort),
            (_, &[a]) => self.unary(op, a, sort),
            (_, &[a, b]) => self.binary(op, a, b, sort),
            _ => self.node(op, arguments, sort),
        }
    }

    /// The constant that the operator gives for constant arguments.
    fn folded(&mut self, op: Op, arguments: &[TermId]) -> Option<TermId> {
        if matches!(op, Op::Select | Op::Store | Op::ConstArray(_)) {
            return None;
        }
        let constants = arguments
            .iter()
            .map(|&term| self.as_constant(term))
            .collect::<Option<Vec<Constant>>>()?;
        if !self.may_fold(op, &constants) {
            return None;
        }
        let constant = op.fold(&constants).ok()?;
        Some(self.constant(constant))
    }

    fn negated(&self, term: TermId) -> Option<TermId> {
        self.argument_of(term, Op::Not)
    }

    fn argument_of(&self, term: TermId, wanted: Op) -> Option<TermId> {
        match self.get(term) {
            Term::Apply { op, arguments } if *op == wanted => Some(arguments[0]),
            _ => None,
        }
    }

    /// `and` or `or`: sorted, without duplicates and neutral elements.
    fn junction(&mut self, op: Op, arguments: &[TermId]) -> TermId {
        let neutral = op == Op::And;
        let mut flat: Vec<TermId> = Vec::new();
        for &argument in arguments {
            match self.get(argument) {
                Term::Apply {
                    op: inner,
                    arguments: nested,
                } if *inner == op && nested.len() + arguments.len() <= MERGED_ARGUMENTS => {
                    flat.extend(nested);
                }
                _ => flat.push(argument),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let decided = flat.iter().any(|&term| {
            self.as_constant(term) == Some(Constant::Bool(!neutral))
                || self
                    .negated(term)
                    .is_some_and(|positive| flat.binary_search(&positive).is_ok())
        });
        if decided {
            return self.bool(!neutral);
        }
        flat.retain(|&term| self.as_constant(term).is_none());
        match flat[..] {
            [] => self.bool(neutral),
            [only] => only,
            _ => self.node(op, &flat, Sort::Bool),
        }
    }

    fn choice(&mut self, condition: TermId, yes: TermId, no: TermId, sort: Sort) -> TermId {
        if yes == no || self.is_true(condition) {
            return yes;
        }
        if self.is_false(condition) {
            return no;
        }
        if let Some(positive) = self.negated(condition) {
            return self.choice(positive, no, yes, sort);
        }
        if sort == Sort::Bool {
            let constants = (self.as_constant(yes), self.as_constant(no));
            match constants {
                (Some(Constant::Bool(true)), _) => return self.or(&[condition, no]),
                (Some(Constant::Bool(false)), _) => {
                    let otherwise = self.not(condition);
                    return self.and(&[otherwise, no]);
                }
                (_, Some(Constant::Bool(true))) => {
                    let otherwise = self.not(condition);
                    return self.or(&[otherwise, yes]);
                }
                (_, Some(Constant::Bool(false))) => return self.and(&[condition, yes]),
                _ => {}
            }
        }
        self.node(Op::Ite, &[condition, yes, no], sort)
    }

    fn equation(&mut self, a: TermId, b: TermId) -> TermId {
        if a == b {
            return self.bool(true);
        }
        for (side, other) in [(a, b), (b, a)] {
            match self.as_constant(side) {
                Some(Constant::Bool(true)) => return other,
                Some(Constant::Bool(false)) => return self.not(other),
                Some(constant) => {
                    if let Some(term) = self.equation_of_choice(other, constant) {
                        return term;
                    }
                }
                None => {}
            }
        }
        if self.negated(a) == Some(b) || self.negated(b) == Some(a) {
            return self.bool(false);
        }
        let arguments = self.ordered(a, b);
        self.node(Op::Eq, &arguments, Sort::Bool)
    }

    /// The arguments of a commutative operator in one order, constants last: `x + 1`.
    fn ordered(&self, a: TermId, b: TermId) -> [TermId; 2] {
        let rank = |term| (self.as_constant(term).is_some(), term);
        if rank(a) <= rank(b) { [a, b] } else { [b, a] }
    }

    /// `(= (ite c k1 k2) k)` for constants: how C's comparisons come back as conditions.
    fn equation_of_choice(&mut self, term: TermId, constant: Constant) -> Option<TermId> {
        let Term::Apply {
            op: Op::Ite,
            arguments,
        } = self.get(term)
        else {
            return None;
        };
        let &[condition, yes, no] = &arguments[..] else {
            return None;
        };
        let (yes, no) = (self.as_constant(yes)?, self.as_constant(no)?);
        Some(match (yes == constant, no == constant) {
            (true, true) => self.bool(true),
            (true, false) => condition,
            (false, true) => self.not(condition),
            (false, false) => self.bool(false),
        })
    }

    /// Reading past the updates that are known to be elsewhere.
    fn selection(&mut self, array: TermId, index: TermId, sort: Sort) -> TermId {
        let mut array = array;
        while let Term::Apply { op, arguments } = self.get(array) {
            match (op, &arguments[..]) {
                (Op::Store, &[_, at, value]) if at == index => return value,
                (Op::Store, &[inner, at, _]) if self.are_distinct_constants(at, index) => {
                    array = inner;
                }
                (Op::ConstArray(_), &[element]) => return element,
                _ => break,
            }
        }
        self.node(Op::Select, &[array, index], sort)
    }

    fn update(&mut self, array: TermId, index: TermId, value: TermId, sort: Sort) -> TermId {
        if let Term::Apply {
            op: Op::Store,
            arguments,
        } = self.get(array)
            && arguments[1] == index
        {
            let inner = arguments[0];
            return self.update(inner, index, value, sort);
        }
        self.node(Op::Store, &[array, index, value], sort)
    }

    fn are_distinct_constants(&self, a: TermId, b: TermId) -> bool {
        a != b && self.as_constant(a).is_some() && self.as_constant(b).is_some()
    }

    fn unary(&mut self, op: Op, a: TermId, sort: Sort) -> TermId {
        match op {
            Op::Not | Op::Neg | Op::BvNot | Op::BvNeg => {
                if let Some(inner) = self.argument_of(a, op) {
                    return inner;
                }
            }
            Op::Extract { high, low } => {
                if let Some(term) = self.extraction(high, low, a) {
                    return term;
                }
            }
            Op::ZeroExtend { by: 0 } | Op::SignExtend { by: 0 } => return a,
            Op::ZeroExtend { by } => {
                if let Some((more, inner)) = self.zero_extended(a) {
                    return self.zero_extend(by + more, inner);
                }
            }
            Op::SignExtend { by } => {
                if let Term::Apply {
                    op: Op::SignExtend { by: more },
                    arguments,
                } = self.get(a)
                {
                    let (by, inner) = (by + more, arguments[0]);
                    return self.sign_extend(by, inner);
                }
                // A zero-extended number has sign bit 0.
                if let Some((more, inner)) = self.zero_extended(a) {
                    return self.zero_extend(by + more, inner);
                }
            }
            _ => {}
        }
        self.node(op, &[a], sort)
    }

    fn zero_extended(&self, a: TermId) -> Option<(u32, TermId)> {
        match self.get(a) {
            Term::Apply {
                op: Op::ZeroExtend { by },
                arguments,
            } => Some((*by, arguments[0])),
            _ => None,
        }
    }

    fn extraction(&mut self, high: u32, low: u32, a: TermId) -> Option<TermId> {
        if low == 0 && Some(high + 1) == self.sort(a).width() {
            return Some(a);
        }
        let Term::Apply { op, arguments } = self.get(a) else {
            return None;
        };
        let (op, inner) = (*op, arguments[0]);
        match op {
            Op::Extract { low: offset, .. } => {
                Some(self.extract(high + offset, low + offset, inner))
            }
            Op::ZeroExtend { .. } | Op::SignExtend { .. } => {
                let width = self.sort(inner).width().expect("an extended bit-vector");
                if high < width {
                    Some(self.extract(high, low, inner))
                } else if low >= width && matches!(op, Op::ZeroExtend { .. }) {
                    Some(self.bit_vec(high - low + 1, 0))
                } else if low == 0 {
                    let by = high + 1 - width;
                    Some(match op {
                        Op::ZeroExtend { .. } => self.zero_extend(by, inner),
                        _ => self.sign_extend(by, inner),
                    })
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    fn binary(&mut self, op: Op, a: TermId, b: TermId, sort: Sort) -> TermId {
        if let Some(term) = self.binary_identity(op, a, b, sort) {
            return term;
        }
        if is_commutative(op) {
            let arguments = self.ordered(a, b);
            return self.node(op, &arguments, sort);
        }
        self.node(op, &[a, b], sort)
    }

    fn binary_identity(&mut self, op: Op, a: TermId, b: TermId, sort: Sort) -> Option<TermId> {
        let left = self.as_constant(a).map(special);
        let right = self.as_constant(b).map(special);
        let zero = Some(Special::Zero);
        let one = Some(Special::One);
        let ones = Some(Special::Ones);
        match op {
            Op::Add | Op::BvAdd => {
                if left == zero {
                    return Some(b);
                }
                if right == zero {
                    return Some(a);
                }
                self.reassociated_sum(op, a, b)
            }
            Op::BvOr | Op::BvXor if left == zero => Some(b),
            Op::BvOr | Op::BvXor if right == zero => Some(a),
            Op::BvOr | Op::BvAnd if a == b => Some(a),
            Op::BvOr if left == ones || right == ones => Some(self.all_ones(sort)),
            Op::BvXor if a == b => Some(self.zero_of(sort)),
            Op::BvAnd if left == zero || right == zero => Some(self.zero_of(sort)),
            Op::BvAnd if left == ones => Some(b),
            Op::BvAnd if right == ones => Some(a),

            Op::Sub | Op::BvSub if right == zero => Some(a),
            Op::Sub | Op::BvSub if a == b => Some(self.zero_of(sort)),
            Op::Mul | Op::BvMul if left == zero || right == zero => Some(self.zero_of(sort)),
            Op::Mul | Op::BvMul if left == one => Some(b),
            Op::Mul | Op::BvMul if right == one => Some(a),
            Op::Div | Op::BvUdiv | Op::BvSdiv if right == one => Some(a),
            Op::Mod | Op::BvUrem | Op::BvSrem if right == one => Some(self.zero_of(sort)),
            Op::BvShl | Op::BvLshr | Op::BvAshr if right == zero => Some(a),
            Op::BvShl | Op::BvLshr if left == zero => Some(a),

            Op::Lt | Op::BvUlt | Op::BvSlt if a == b => Some(self.bool(false)),
            Op::Le | Op::BvUle | Op::BvSle if a == b => Some(self.bool(true)),
            Op::BvUlt if right == zero => Some(self.bool(false)),
            Op::BvUle if left == zero || right == ones => Some(self.bool(true)),
            _ => None,
        }
    }

    /// `(x + k1) + k2` with one constant. Integers only if the sum of constants fits.
    fn reassociated_sum(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let (sum, constant) = match (self.as_constant(a), self.as_constant(b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            _ => return None,
        };
        let Term::Apply {
            op: inner,
            arguments,
        } = self.get(sum)
        else {
            return None;
        };
        if *inner != op {
            return None;
        }
        let &[x, y] = &arguments[..] else { return None };
        let (rest, offset) = match (self.as_constant(x), self.as_constant(y)) {
            (None, Some(offset)) => (x, offset),
            (Some(offset), None) => (y, offset),
            _ => return None,
        };
        if !self.may_fold(op, &[offset, constant]) {
            return None;
        }
        let total = op.fold(&[offset, constant]).ok()?;
        let total = self.constant(total);
        Some(self.apply(op, &[rest, total]))
    }

    fn zero_of(&mut self, sort: Sort) -> TermId {
        let scalar = sort.scalar().expect("arithmetic is on scalars");
        self.constant(Constant::zero(scalar))
    }

    fn all_ones(&mut self, sort: Sort) -> TermId {
        let width = sort.width().expect("a bit-vector operator");
        self.bit_vec(width, -1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    Zero,
    One,
    Ones,
    Other,
}

fn special(constant: Constant) -> Special {
    match constant {
        Constant::Int(0) | Constant::BitVec { bits: 0, .. } => Special::Zero,
        // The single bit 1 is both; its identities as all ones are the stronger ones.
        Constant::BitVec { width, bits } if bits == mask(width) => Special::Ones,
        Constant::Int(1) | Constant::BitVec { bits: 1, .. } => Special::One,
        _ => Special::Other,
    }
}

fn is_commutative(op: Op) -> bool {
    matches!(
        op,
        Op::Add | Op::Mul | Op::BvAdd | Op::BvMul | Op::BvAnd | Op::BvOr | Op::BvXor
    )
}
