//! Random well-sorted expressions, and an evaluator that shares nothing with the one of
//! the crate: bit-vectors follow the definitions of SMT-LIB literally.

use heddle_program::{ArraySort, Constant, Op, Scalar, Sort, TermId, Terms, Value, VarId};

/// An expression as it was written, before any simplification.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    Constant(Constant),
    Variable(usize),
    Apply(Op, Vec<Expression>),
}

const ARRAY: ArraySort = ArraySort {
    index: Scalar::Int,
    element: Scalar::BitVec(4),
    length: 3,
};

/// The sorts of the variables.
pub(crate) const VARIABLES: [Sort; 9] = [
    Sort::Bool,
    Sort::Bool,
    Sort::Int,
    Sort::Int,
    Sort::BitVec(4),
    Sort::BitVec(4),
    Sort::BitVec(7),
    Sort::BitVec(1),
    Sort::Array(ARRAY),
];

pub(crate) fn declare(terms: &mut Terms) -> Vec<VarId> {
    VARIABLES
        .iter()
        .enumerate()
        .map(|(number, &sort)| terms.declare(format!("v{number}"), sort))
        .collect()
}

/// Decodes random numbers into expressions; smaller numbers make smaller expressions, so
/// that shrinking the numbers shrinks the expression.
pub(crate) struct Decoder<'a> {
    choices: std::slice::Iter<'a, u16>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(choices: &'a [u16]) -> Self {
        Decoder {
            choices: choices.iter(),
        }
    }

    fn choose(&mut self, bound: usize) -> usize {
        self.choices
            .next()
            .map_or(0, |&choice| choice as usize % bound)
    }

    pub(crate) fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Array(array) => Value::Array {
                sort: array,
                elements: (0..array.length)
                    .map(|_| self.constant(array.element))
                    .collect(),
            },
            scalar => self.constant(scalar.scalar().expect("a scalar")).into(),
        }
    }

    fn constant(&mut self, sort: Scalar) -> Constant {
        match sort {
            Scalar::Bool => Constant::Bool(self.choose(2) == 1),
            Scalar::Int => {
                const INTERESTING: [i128; 8] = [0, 1, -1, 2, -3, 7, i128::MAX, i128::MIN];
                Constant::Int(INTERESTING[self.choose(8)])
            }
            Scalar::BitVec(width) => Constant::bit_vec(width, self.choose(1 << 16) as i128),
        }
    }

    pub(crate) fn expression(&mut self, sort: Sort, depth: u32) -> Expression {
        let kind = self.choose(8);
        if depth == 0 || kind < 2 {
            return self.leaf(sort, kind);
        }
        if kind == 2 {
            return self.apply(Op::Ite, &[Sort::Bool, sort, sort], depth);
        }
        match sort {
            Sort::Bool => self.boolean(depth),
            Sort::Int => {
                const OPS: [Op; 6] = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Mod, Op::Neg];
                let op = OPS[self.choose(6)];
                let count = if op == Op::Neg { 1 } else { 2 };
                self.apply(op, &[Sort::Int, Sort::Int][..count], depth)
            }
            Sort::BitVec(width) => self.bit_vector(width, depth),
            Sort::Array(array) => {
                if self.choose(3) == 0 {
                    self.apply(Op::ConstArray(array), &[array.element.into()], depth)
                } else {
                    let sorts = [sort, array.index.into(), array.element.into()];
                    self.apply(Op::Store, &sorts, depth)
                }
            }
        }
    }

    fn leaf(&mut self, sort: Sort, kind: usize) -> Expression {
        let candidates: Vec<usize> = (0..VARIABLES.len())
            .filter(|&number| VARIABLES[number] == sort)
            .collect();
        if !candidates.is_empty() && (kind == 1 || sort.as_array().is_some()) {
            return Expression::Variable(candidates[self.choose(candidates.len())]);
        }
        match sort.scalar() {
            Some(scalar) => Expression::Constant(self.constant(scalar)),
            None => unreachable!("there is a variable of every array sort"),
        }
    }

    fn apply(&mut self, op: Op, sorts: &[Sort], depth: u32) -> Expression {
        let arguments = sorts
            .iter()
            .map(|&sort| self.expression(sort, depth - 1))
            .collect();
        Expression::Apply(op, arguments)
    }

    fn boolean(&mut self, depth: u32) -> Expression {
        let bv = Sort::BitVec([4, 7, 1][self.choose(3)]);
        match self.choose(8) {
            0 => self.apply(Op::Not, &[Sort::Bool], depth),
            1 => self.apply(Op::And, &[Sort::Bool; 3], depth),
            2 => self.apply(Op::Or, &[Sort::Bool; 2], depth),
            3 => {
                let sort = VARIABLES[self.choose(VARIABLES.len())];
                self.apply(Op::Eq, &[sort, sort], depth)
            }
            4 => self.apply(Op::Lt, &[Sort::Int; 2], depth),
            5 => self.apply(Op::Le, &[Sort::Int; 2], depth),
            _ => {
                const OPS: [Op; 4] = [Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle];
                let op = OPS[self.choose(4)];
                self.apply(op, &[bv, bv], depth)
            }
        }
    }

    fn bit_vector(&mut self, width: u32, depth: u32) -> Expression {
        const OPS: [Op; 15] = [
            Op::BvAnd,
            Op::BvOr,
            Op::BvXor,
            Op::BvAdd,
            Op::BvSub,
            Op::BvMul,
            Op::BvUdiv,
            Op::BvUrem,
            Op::BvSdiv,
            Op::BvSrem,
            Op::BvShl,
            Op::BvLshr,
            Op::BvAshr,
            Op::BvNot,
            Op::BvNeg,
        ];
        let sort = Sort::BitVec(width);
        match self.choose(24) {
            number @ 0..15 => {
                let count = if number >= 13 { 1 } else { 2 };
                self.apply(OPS[number], &[sort, sort][..count], depth)
            }
            15..17 if width > 1 => {
                let high = 1 + self.choose(width as usize - 1) as u32;
                let sorts = [Sort::BitVec(high), Sort::BitVec(width - high)];
                self.apply(Op::Concat, &sorts, depth)
            }
            17..19 if width > 1 => {
                let by = self.choose(width as usize) as u32;
                let sorts = [Sort::BitVec(width - by)];
                self.apply(Op::ZeroExtend { by }, &sorts, depth)
            }
            19..21 if width > 1 => {
                let by = self.choose(width as usize) as u32;
                let sorts = [Sort::BitVec(width - by)];
                self.apply(Op::SignExtend { by }, &sorts, depth)
            }
            21 if width == 4 => self.apply(Op::Select, &[Sort::Array(ARRAY), Sort::Int], depth),
            _ => {
                let low = self.choose(4) as u32;
                let more = self.choose(4) as u32;
                let high = low + width - 1;
                let wide = [Sort::BitVec(high + 1 + more)];
                self.apply(Op::Extract { high, low }, &wide, depth)
            }
        }
    }
}

/// The expression as a term of the arena, which simplifies it.
pub(crate) fn build(terms: &mut Terms, variables: &[VarId], expression: &Expression) -> TermId {
    match expression {
        Expression::Constant(constant) => terms.constant(*constant),
        Expression::Variable(number) => terms.variable(variables[*number]),
        Expression::Apply(op, arguments) => {
            let arguments: Vec<TermId> = arguments
                .iter()
                .map(|argument| build(terms, variables, argument))
                .collect();
            terms.apply(*op, &arguments)
        }
    }
}

/// The value, if no part of the expression fails.
pub(crate) fn naive(expression: &Expression, values: &[Value]) -> Option<Value> {
    match expression {
        Expression::Constant(constant) => Some(Value::Scalar(*constant)),
        Expression::Variable(number) => Some(values[*number].clone()),
        Expression::Apply(op, arguments) => {
            let arguments = arguments
                .iter()
                .map(|argument| naive(argument, values))
                .collect::<Option<Vec<Value>>>()?;
            apply(*op, &arguments)
        }
    }
}

/// Bits of a bit-vector, least significant first.
fn bits(value: &Value) -> Vec<bool> {
    match value {
        Value::Scalar(Constant::BitVec { width, bits }) => {
            (0..*width).map(|bit| bits >> bit & 1 == 1).collect()
        }
        other => panic!("{other:?} is not a bit-vector"),
    }
}

fn from_bits(bits: &[bool]) -> Value {
    let number = |(position, &bit): (usize, &bool)| u128::from(bit) << position;
    Value::Scalar(Constant::BitVec {
        width: bits.len() as u32,
        bits: bits.iter().enumerate().map(number).sum(),
    })
}

/// SMT-LIB's `bv2nat`; the widths of the tests are small.
fn natural(value: &Value) -> i64 {
    bits(value)
        .iter()
        .rev()
        .fold(0, |number, &bit| 2 * number + i64::from(bit))
}

fn from_natural(width: usize, number: i64) -> Value {
    let mut rest = number.rem_euclid(1 << width);
    let mut bits = Vec::new();
    for _ in 0..width {
        bits.push(rest % 2 == 1);
        rest /= 2;
    }
    from_bits(&bits)
}

fn signed(value: &Value) -> i64 {
    let bits = bits(value);
    let negative = *bits.last().expect("a width of at least one");
    natural(value) - if negative { 1 << bits.len() } else { 0 }
}

fn truth(value: &Value) -> bool {
    *value == Value::Scalar(Constant::Bool(true))
}

fn integer(value: &Value) -> i128 {
    match value {
        Value::Scalar(Constant::Int(number)) => *number,
        other => panic!("{other:?} is not an integer"),
    }
}

fn apply(op: Op, a: &[Value]) -> Option<Value> {
    let boolean = |value: bool| Some(Value::Scalar(Constant::Bool(value)));
    let number = |value: Option<i128>| Some(Value::Scalar(Constant::Int(value?)));
    match op {
        Op::Not => boolean(!truth(&a[0])),
        Op::And => boolean(a.iter().all(truth)),
        Op::Or => boolean(a.iter().any(truth)),
        Op::Ite => Some(a[if truth(&a[0]) { 1 } else { 2 }].clone()),
        Op::Eq => boolean(a[0] == a[1]),
        Op::Neg => number(0i128.checked_sub(integer(&a[0]))),
        Op::Add => number(integer(&a[0]).checked_add(integer(&a[1]))),
        Op::Sub => number(integer(&a[0]).checked_sub(integer(&a[1]))),
        Op::Mul => number(integer(&a[0]).checked_mul(integer(&a[1]))),
        Op::Div | Op::Mod => {
            let (dividend, divisor) = (integer(&a[0]), integer(&a[1]));
            let mut quotient = dividend.checked_div(divisor)?;
            let mut remainder = dividend - quotient * divisor;
            if remainder < 0 {
                quotient -= divisor.signum();
                remainder = if divisor < 0 {
                    remainder - divisor
                } else {
                    remainder + divisor
                };
            }
            number(Some(if op == Op::Div { quotient } else { remainder }))
        }
        Op::Lt => boolean(integer(&a[0]) < integer(&a[1])),
        Op::Le => boolean(integer(&a[0]) <= integer(&a[1])),
        Op::Select => match &a[0] {
            Value::Array { elements, .. } => {
                let position = usize::try_from(integer(&a[1])).ok()?;
                Some(Value::Scalar(*elements.get(position)?))
            }
            other => panic!("{other:?} is not an array"),
        },
        Op::Store => {
            let mut array = a[0].clone();
            if let Value::Array { elements, .. } = &mut array {
                let position = usize::try_from(integer(&a[1])).ok()?;
                *elements.get_mut(position)? = a[2].as_scalar()?;
            }
            Some(array)
        }
        Op::ConstArray(sort) => Some(Value::Array {
            sort,
            elements: vec![a[0].as_scalar()?; sort.length as usize],
        }),
        _ => Some(apply_bits(op, a)),
    }
}

fn apply_bits(op: Op, a: &[Value]) -> Value {
    let width = bits(&a[0]).len();
    let both = |f: fn(bool, bool) -> bool| {
        let pairs = bits(&a[0]).into_iter().zip(bits(&a[1]));
        from_bits(&pairs.map(|(x, y)| f(x, y)).collect::<Vec<_>>())
    };
    let boolean = |value: bool| Value::Scalar(Constant::Bool(value));
    let negated = |value: &Value| from_natural(width, -natural(value));
    let is_negative = |value: &Value| signed(value) < 0;
    let udiv = |x: &Value, y: &Value| match natural(y) {
        0 => from_natural(width, -1),
        divisor => from_natural(width, natural(x) / divisor),
    };
    let urem = |x: &Value, y: &Value| match natural(y) {
        0 => x.clone(),
        divisor => from_natural(width, natural(x) % divisor),
    };
    match op {
        Op::BvNot => from_bits(&bits(&a[0]).iter().map(|bit| !bit).collect::<Vec<_>>()),
        Op::BvNeg => negated(&a[0]),
        Op::BvAnd => both(|x, y| x && y),
        Op::BvOr => both(|x, y| x || y),
        Op::BvXor => both(|x, y| x != y),
        Op::BvAdd => from_natural(width, natural(&a[0]) + natural(&a[1])),
        Op::BvSub => from_natural(width, natural(&a[0]) - natural(&a[1])),
        Op::BvMul => from_natural(width, natural(&a[0]) * natural(&a[1])),
        Op::BvUdiv => udiv(&a[0], &a[1]),
        Op::BvUrem => urem(&a[0], &a[1]),
        Op::BvSdiv => match (is_negative(&a[0]), is_negative(&a[1])) {
            (false, false) => udiv(&a[0], &a[1]),
            (true, false) => negated(&udiv(&negated(&a[0]), &a[1])),
            (false, true) => negated(&udiv(&a[0], &negated(&a[1]))),
            (true, true) => udiv(&negated(&a[0]), &negated(&a[1])),
        },
        Op::BvSrem => match (is_negative(&a[0]), is_negative(&a[1])) {
            (false, false) => urem(&a[0], &a[1]),
            (true, false) => negated(&urem(&negated(&a[0]), &a[1])),
            (false, true) => urem(&a[0], &negated(&a[1])),
            (true, true) => negated(&urem(&negated(&a[0]), &negated(&a[1]))),
        },
        Op::BvShl | Op::BvLshr | Op::BvAshr => {
            let mut shifted = bits(&a[0]);
            for _ in 0..natural(&a[1]) {
                if op == Op::BvShl {
                    shifted.insert(0, false);
                    shifted.pop();
                } else {
                    let sign = op == Op::BvAshr && *shifted.last().expect("a bit");
                    shifted.remove(0);
                    shifted.push(sign);
                }
            }
            from_bits(&shifted)
        }
        Op::BvUlt => boolean(natural(&a[0]) < natural(&a[1])),
        Op::BvUle => boolean(natural(&a[0]) <= natural(&a[1])),
        Op::BvSlt => boolean(signed(&a[0]) < signed(&a[1])),
        Op::BvSle => boolean(signed(&a[0]) <= signed(&a[1])),
        Op::Concat => from_bits(&[bits(&a[1]), bits(&a[0])].concat()),
        Op::Extract { high, low } => from_bits(&bits(&a[0])[low as usize..=high as usize]),
        Op::ZeroExtend { by } => from_bits(&[bits(&a[0]), vec![false; by as usize]].concat()),
        Op::SignExtend { by } => {
            let sign = is_negative(&a[0]);
            from_bits(&[bits(&a[0]), vec![sign; by as usize]].concat())
        }
        other => panic!("{other} is not a bit-vector operator"),
    }
}
