//! Terms of booleans, bit-vectors and small arrays as clauses for CaDiCaL.
//!
//! The image of a term is a list of literals: one for a boolean, one a bit for a
//! bit-vector (lowest first), and the elements one after the other for an array. So `ite`
//! and `=` are the same for all sorts, and a model is read off the literals.

use crate::gates::Gates;
use crate::words::{self, Shift, Word};
use crate::{Answer, Limits, Literal, Solver, Statistics, Unsupported};
use heddle_program::{
    ArraySort, Constant, EvalError, Op, Scalar, Sort, Term, TermId, Terms, Value,
};
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;
use std::rc::Rc;

/// An array with more bits than that is not expanded.
const MAX_ARRAY_BITS: u64 = 1 << 20;

#[derive(Default)]
pub struct BitBlaster {
    gates: Gates,
    images: FxHashMap<TermId, Rc<[Literal]>>,
}

impl BitBlaster {
    pub fn new() -> BitBlaster {
        BitBlaster::default()
    }

    /// The literals of a term of any sort; see the module's description.
    pub fn image(&mut self, terms: &Terms, term: TermId) -> Result<Rc<[Literal]>, Unsupported> {
        let mut pending = vec![term];
        while let Some(&next) = pending.last() {
            if self.images.contains_key(&next) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            let arguments = terms.arguments(next);
            pending.extend(arguments.iter().filter(|a| !self.images.contains_key(a)));
            if pending.len() == before {
                let image = self.encode(terms, next)?;
                self.images.insert(next, image.into());
                pending.pop();
            }
        }
        Ok(self.images[&term].clone())
    }

    /// The image of a term whose arguments have theirs.
    fn encode(&mut self, terms: &Terms, term: TermId) -> Result<Word, Unsupported> {
        let sort = terms.sort(term);
        match terms.get(term) {
            // Only as an index is an integer constant of use; its image is not looked at.
            Term::Constant(Constant::Int(_)) => Ok(Word::new()),
            _ if !is_expandable(sort) => Err(Unsupported { term, sort }),
            Term::Constant(Constant::Bool(value)) => Ok(vec![Literal::from(*value)]),
            Term::Constant(Constant::BitVec { width, bits }) => Ok(words::constant(*width, *bits)),
            Term::Variable(_) => Ok((0..bit_count(sort))
                .map(|_| self.gates.sat.new_literal())
                .collect()),
            Term::Apply { op, arguments } => Ok(self.apply(terms, *op, arguments)),
        }
    }

    fn apply(&mut self, terms: &Terms, op: Op, arguments: &[TermId]) -> Word {
        let images: Vec<Rc<[Literal]>> = arguments
            .iter()
            .map(|argument| self.images[argument].clone())
            .collect();
        let gates = &mut self.gates;
        let as_array = |term: TermId| {
            let sort = terms.sort(term).as_array();
            sort.expect("well-sorted: an array is indexed")
        };
        match (op, &images[..]) {
            (Op::And | Op::Or, _) => {
                let literals: Vec<Literal> = images.iter().map(|image| image[0]).collect();
                vec![match op {
                    Op::And => gates.and(&literals),
                    _ => gates.or(&literals),
                }]
            }
            (Op::Select, [array, index]) => {
                let index = Index::new(terms, arguments[1], index);
                self.select(as_array(arguments[0]), array, index)
            }
            (Op::Store, [array, index, value]) => {
                let index = Index::new(terms, arguments[1], index);
                self.store(as_array(arguments[0]), array, index, value)
            }
            (Op::ConstArray(sort), [element]) => element.repeat(sort.length as usize),
            (Op::Ite, [condition, yes, no]) => gates.choose(condition[0], yes, no),
            (_, [a]) => unary(gates, op, a),
            (_, [a, b]) => binary(gates, op, a, b),
            _ => panic!("internal error: `{op}` with {} arguments", images.len()),
        }
    }

    fn select(&mut self, sort: ArraySort, array: &[Literal], index: Index<'_>) -> Word {
        let elements = elements(sort, array);
        let index = match index {
            Index::At(position) => match usize::try_from(position) {
                Ok(position) if position < elements.len() => return elements[position].to_vec(),
                _ => return self.arbitrary(sort),
            },
            Index::Bits(bits) => bits,
        };
        // A tree of choices, the lowest index bit at the leaves.
        let outside = self.arbitrary(sort);
        let mut level: Vec<Word> = elements.iter().map(|element| element.to_vec()).collect();
        let mut bits = index.iter();
        while level.len() > 1 {
            let Some(&bit) = bits.next() else { break };
            level = level
                .chunks(2)
                .map(|pair| {
                    let odd = pair.get(1).unwrap_or(&outside);
                    self.gates.choose(bit, odd, &pair[0])
                })
                .collect();
        }
        let beyond: Vec<Literal> = bits.copied().collect();
        let beyond = self.gates.or(&beyond);
        let inside = level.first().unwrap_or(&outside);
        self.gates.choose(beyond, &outside, inside)
    }

    fn store(
        &mut self,
        sort: ArraySort,
        array: &[Literal],
        index: Index<'_>,
        value: &[Literal],
    ) -> Word {
        let mut result = Word::with_capacity(array.len());
        for (position, element) in elements(sort, array).into_iter().enumerate() {
            let here = match index {
                Index::At(at) => Literal::from(at == position as i128),
                Index::Bits(bits) => self.is_position(bits, position),
            };
            result.extend(self.gates.choose(here, value, element));
        }
        result
    }

    fn is_position(&mut self, index: &[Literal], position: usize) -> Literal {
        let width = index.len() as u32;
        if position as u128 > heddle_program::mask(width) {
            return Literal::FALSE;
        }
        let position = words::constant(width, position as u128);
        self.gates.equal(index, &position)
    }

    /// What is read outside of an array.
    fn arbitrary(&mut self, sort: ArraySort) -> Word {
        (0..bit_count(sort.element.into()))
            .map(|_| self.gates.sat.new_literal())
            .collect()
    }

    fn decode(&mut self, sort: Sort, image: &[Literal]) -> Value {
        match sort {
            Sort::Array(sort) => Value::Array {
                sort,
                elements: elements(sort, image)
                    .into_iter()
                    .map(|element| self.decode_scalar(sort.element, element))
                    .collect(),
            },
            _ => {
                let scalar = sort.scalar().expect("not an array, so a scalar");
                self.decode_scalar(scalar, image).into()
            }
        }
    }

    fn decode_scalar(&mut self, sort: Scalar, image: &[Literal]) -> Constant {
        let sat = &mut self.gates.sat;
        match sort {
            Scalar::Bool => Constant::Bool(sat.value(image[0])),
            Scalar::BitVec(width) => Constant::BitVec {
                width,
                bits: image
                    .iter()
                    .rev()
                    .fold(0, |bits, &bit| bits << 1 | u128::from(sat.value(bit))),
            },
            Scalar::Int => panic!("internal error: an integer has no image"),
        }
    }
}

impl Solver for BitBlaster {
    fn new_literal(&mut self) -> Literal {
        self.gates.sat.new_literal()
    }

    fn literal(&mut self, terms: &Terms, term: TermId) -> Result<Literal, Unsupported> {
        assert_eq!(terms.sort(term), Sort::Bool, "only a boolean is a literal");
        Ok(self.image(terms, term)?[0])
    }

    fn add_clause(&mut self, literals: &[Literal]) {
        self.gates.sat.add_clause(literals);
    }

    fn prefer(&mut self, literal: Literal) {
        self.gates.sat.prefer(literal);
    }

    fn imply(&mut self, terms: &Terms, literal: Literal, term: TermId) -> Result<(), Unsupported> {
        // Two clauses a bit: neither gates nor further variables between the two sides.
        if let Term::Apply {
            op: Op::Eq,
            arguments,
        } = terms.get(term)
        {
            let a = self.image(terms, arguments[0])?;
            let b = self.image(terms, arguments[1])?;
            for (&a, &b) in a.iter().zip(b.iter()) {
                if a != b {
                    self.add_clause(&[!literal, !a, b]);
                    self.add_clause(&[!literal, a, !b]);
                }
            }
            return Ok(());
        }
        let implied = self.literal(terms, term)?;
        self.add_clause(&[!literal, implied]);
        Ok(())
    }

    fn assert(&mut self, terms: &Terms, term: TermId) -> Result<(), Unsupported> {
        // The outermost `and` and `or` need no gates. All images come first, so that a term
        // that is not supported adds nothing.
        let conjuncts = match terms.get(term) {
            Term::Apply {
                op: Op::And,
                arguments,
            } => arguments,
            _ => &[term][..],
        };
        let mut clauses = Vec::with_capacity(conjuncts.len());
        for &conjunct in conjuncts {
            let disjuncts = match terms.get(conjunct) {
                Term::Apply {
                    op: Op::Or,
                    arguments,
                } => arguments,
                _ => &[conjunct][..],
            };
            let clause: Result<Vec<Literal>, Unsupported> =
                disjuncts.iter().map(|&d| self.literal(terms, d)).collect();
            clauses.push(clause?);
        }
        for clause in clauses {
            self.add_clause(&clause);
        }
        Ok(())
    }

    fn promise_range(&mut self, terms: &Terms, variable: TermId, range: RangeInclusive<i128>) {
        let Sort::BitVec(width) = terms.sort(variable) else {
            return;
        };
        let (least, most) = range.into_inner();
        let image = match least == most {
            true => words::constant(width, most as u128),
            false => self.gates.numbers_between(width, least, most),
        };
        self.images.entry(variable).or_insert(image.into());
    }

    fn set_limits(&mut self, limits: Limits) {
        self.gates.sat.set_limits(limits);
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        self.gates.sat.check(assumptions)
    }

    fn core(&self) -> &[Literal] {
        self.gates.sat.core()
    }

    fn literal_value(&mut self, literal: Literal) -> bool {
        self.gates.sat.value(literal)
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Result<Value, EvalError> {
        let sort = terms.sort(term);
        if let Some(constant) = terms.as_constant(term) {
            return Ok(constant.into());
        }
        if let Some(image) = self.images.get(&term).cloned() {
            return Ok(self.decode(sort, &image));
        }
        terms.evaluate(term, |variable| {
            let sort = terms.variable_sort(variable);
            match self.images.get(&terms.variable(variable)).cloned() {
                Some(image) => self.decode(sort, &image),
                None => Value::zero(sort),
            }
        })
    }

    fn statistics(&self) -> Statistics {
        self.gates.sat.statistics()
    }
}

/// An index, known or not. An integer is always known: others are not encoded.
#[derive(Clone, Copy)]
enum Index<'a> {
    At(i128),
    Bits(&'a [Literal]),
}

impl<'a> Index<'a> {
    fn new(terms: &Terms, term: TermId, image: &'a [Literal]) -> Index<'a> {
        match terms.as_constant(term).and_then(Constant::as_index) {
            Some(position) => Index::At(position),
            None => Index::Bits(image),
        }
    }
}

fn elements(sort: ArraySort, array: &[Literal]) -> Vec<&[Literal]> {
    array.chunks(bit_count(sort.element.into())).collect()
}

fn bit_count(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        Sort::BitVec(width) => width as usize,
        Sort::Array(sort) => sort.length as usize * bit_count(sort.element.into()),
        Sort::Int => panic!("internal error: an integer has no image"),
    }
}

fn is_expandable(sort: Sort) -> bool {
    match sort {
        Sort::Int => false,
        Sort::Bool | Sort::BitVec(_) => true,
        Sort::Array(sort) => {
            let element = match sort.element {
                Scalar::Int => return false,
                Scalar::Bool => 1,
                Scalar::BitVec(width) => u64::from(width),
            };
            u64::from(sort.length) * element <= MAX_ARRAY_BITS
        }
    }
}

fn unary(gates: &mut Gates, op: Op, a: &[Literal]) -> Word {
    match op {
        Op::Not | Op::BvNot => words::complement(a),
        Op::BvNeg => gates.negate(a),
        Op::Extract { high, low } => a[low as usize..=high as usize].to_vec(),
        Op::ZeroExtend { by } => extended(a, by, Literal::FALSE),
        Op::SignExtend { by } => extended(a, by, a[a.len() - 1]),
        _ => panic!("internal error: `{op}` has no circuit for one argument"),
    }
}

fn extended(a: &[Literal], by: u32, fill: Literal) -> Word {
    let filling = std::iter::repeat_n(fill, by as usize);
    a.iter().copied().chain(filling).collect()
}

fn binary(gates: &mut Gates, op: Op, a: &[Literal], b: &[Literal]) -> Word {
    match op {
        Op::Eq => vec![gates.equal(a, b)],
        Op::BvAnd => gates.zip(a, b, Gates::and2),
        Op::BvOr => gates.zip(a, b, Gates::or2),
        Op::BvXor => gates.zip(a, b, Gates::xor2),
        Op::BvAdd => gates.add(a, b),
        Op::BvSub => gates.subtract(a, b),
        Op::BvMul => gates.multiply(a, b),
        Op::BvUdiv => gates.divide_unsigned(a, b).0,
        Op::BvUrem => gates.divide_unsigned(a, b).1,
        Op::BvSdiv => gates.divide_signed(a, b).0,
        Op::BvSrem => gates.divide_signed(a, b).1,
        Op::BvShl => gates.shift(a, b, Shift::Left),
        Op::BvLshr => gates.shift(a, b, Shift::Right(Literal::FALSE)),
        Op::BvAshr => gates.shift(a, b, Shift::Right(a[a.len() - 1])),
        Op::BvUlt => vec![gates.less_unsigned(a, b)],
        Op::BvUle => vec![!gates.less_unsigned(b, a)],
        Op::BvSlt => vec![gates.less_signed(a, b)],
        Op::BvSle => vec![!gates.less_signed(b, a)],
        Op::Concat => b.iter().chain(a).copied().collect(),
        _ => panic!("internal error: `{op}` has no circuit for two arguments"),
    }
}
