//! All operators, all widths up to four bits, all arguments, against `Op::fold`; each one
//! with the arguments unknown to the encoding, and with one of them known.

use heddle_program::{Constant, Op, Sort, TermId, Terms, Value};
use heddle_solver::{Answer, BitBlaster, Literal, Solver, Z3};

const BINARY: [Op; 18] = [
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
    Op::BvUlt,
    Op::BvUle,
    Op::BvSlt,
    Op::BvSle,
    Op::Eq,
];

struct Bench {
    terms: Terms,
    a: TermId,
    b: TermId,
    width: u32,
    solver: Box<dyn Solver>,
}

impl Bench {
    fn new(width: u32, solver: Box<dyn Solver>) -> Bench {
        let mut terms = Terms::new();
        let a = terms.declare("a", Sort::BitVec(width));
        let b = terms.declare("b", Sort::BitVec(width));
        let (a, b) = (terms.variable(a), terms.variable(b));
        Bench {
            terms,
            a,
            b,
            width,
            solver,
        }
    }

    fn is(&mut self, variable: TermId, value: u128) -> Literal {
        let constant = self.terms.bit_vec(self.width, value as i128);
        let equation = self.terms.eq(variable, constant);
        self.solver.literal(&self.terms, equation).unwrap()
    }

    /// `term` has the value, and no other, where `a` and `b` have theirs.
    fn expect(&mut self, term: TermId, (a, b): (u128, u128), expected: Constant) {
        let expected_term = self.terms.constant(expected);
        let right = self.terms.eq(term, expected_term);
        let right = self.solver.literal(&self.terms, right).unwrap();
        let mut assumptions = vec![self.is(self.a, a), self.is(self.b, b)];
        assert_eq!(self.solver.check(&assumptions), Answer::Sat);
        let value = self.solver.value(&self.terms, term).unwrap();
        let shown = format!("{:?}", self.terms.get(term));
        assert_eq!(value, Value::Scalar(expected), "{shown} for {a} and {b}");
        assumptions.push(!right);
        assert_eq!(self.solver.check(&assumptions), Answer::Unsat, "{shown}");
    }
}

fn word(width: u32, bits: u128) -> Constant {
    Constant::BitVec { width, bits }
}

fn check_binary(width: u32, solver: impl Fn() -> Box<dyn Solver>) {
    for op in BINARY {
        let mut bench = Bench::new(width, solver());
        let unknown = bench.terms.apply(op, &[bench.a, bench.b]);
        for a in 0..1 << width {
            for b in 0..1 << width {
                let expected = op.fold(&[word(width, a), word(width, b)]).unwrap();
                bench.expect(unknown, (a, b), expected);
                let known = bench.terms.bit_vec(width, a as i128);
                let known = bench.terms.apply(op, &[known, bench.b]);
                bench.expect(known, (a, b), expected);
                let known = bench.terms.bit_vec(width, b as i128);
                let known = bench.terms.apply(op, &[bench.a, known]);
                bench.expect(known, (a, b), expected);
            }
        }
    }
}

fn check_unary(width: u32, solver: impl Fn() -> Box<dyn Solver>) {
    let mut ops = vec![Op::BvNot, Op::BvNeg];
    for by in 1..3 {
        ops.extend([Op::ZeroExtend { by }, Op::SignExtend { by }]);
    }
    for low in 0..width {
        ops.extend((low..width).map(|high| Op::Extract { high, low }));
    }
    for op in ops {
        let mut bench = Bench::new(width, solver());
        let term = bench.terms.apply(op, &[bench.a]);
        for a in 0..1 << width {
            let expected = op.fold(&[word(width, a)]).unwrap();
            bench.expect(term, (a, 0), expected);
        }
    }
    let mut bench = Bench::new(width, solver());
    let term = bench.terms.concat(bench.a, bench.b);
    for a in 0..1 << width {
        for b in 0..1 << width {
            let expected = Op::Concat.fold(&[word(width, a), word(width, b)]);
            bench.expect(term, (a, b), expected.unwrap());
        }
    }
}

#[test]
fn as_clauses() {
    for width in 1..=4 {
        check_binary(width, || Box::new(BitBlaster::new()));
        check_unary(width, || Box::new(BitBlaster::new()));
    }
}

#[test]
fn in_z3() {
    for width in 1..=3 {
        check_binary(width, || Box::new(Z3::new()));
        check_unary(width, || Box::new(Z3::new()));
    }
}
