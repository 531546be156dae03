//! Mathematical integers, which only Z3 has.

use heddle_program::{Constant, EvalError, Op, Scalar, Sort, TermId, Terms, Value};
use heddle_solver::{Answer, BitBlaster, Solver, Unsupported, Z3};
use proptest::prelude::*;

/// Linear terms and predicates over three variables, divisors being constants.
fn generate(terms: &mut Terms, instructions: &[(u8, u16, u16, i8)]) -> (Vec<TermId>, Vec<TermId>) {
    let mut numbers: Vec<TermId> = ["x", "y", "z"]
        .map(|name| {
            let variable = terms.declare(name, Sort::Int);
            terms.variable(variable)
        })
        .into();
    let mut bools = vec![terms.bool(true)];
    for &(kind, a, b, constant) in instructions {
        let left = numbers[a as usize % numbers.len()];
        let right = numbers[b as usize % numbers.len()];
        let condition = bools[a as usize % bools.len()];
        let other = bools[b as usize % bools.len()];
        let factor = terms.int(constant.into());
        let divisor = terms.int(if constant == 0 { 1 } else { constant.into() });
        match kind % 12 {
            0 => numbers.push(terms.add(left, right)),
            1 => numbers.push(terms.sub(left, right)),
            2 => numbers.push(terms.mul(left, factor)),
            3 => numbers.push(terms.div(left, divisor)),
            4 => numbers.push(terms.modulo(left, divisor)),
            5 => numbers.push(terms.neg(left)),
            6 => numbers.push(factor),
            7 => numbers.push(terms.ite(condition, left, right)),
            8 => bools.push(terms.lt(left, right)),
            9 => bools.push(terms.le(left, right)),
            10 => bools.push(terms.eq(left, right)),
            _ => bools.push(match constant.rem_euclid(3) {
                0 => terms.not(condition),
                1 => terms.and(&[condition, other]),
                _ => terms.or(&[condition, other]),
            }),
        }
    }
    (numbers, bools)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn in_models_and_without_one(
        instructions in proptest::collection::vec(any::<(u8, u16, u16, i8)>(), 1..20),
        samples in proptest::collection::vec(any::<[i8; 3]>(), 20),
    ) {
        let mut terms = Terms::new();
        let (numbers, bools) = generate(&mut terms, &instructions);
        let root = *bools.last().unwrap();
        let mut solver = Z3::new();
        solver.assert(&terms, root).unwrap();
        match solver.check(&[]) {
            Answer::Sat => for &term in numbers.iter().chain(&bools) {
                let value = solver.value(&terms, term);
                let expected = terms.evaluate(term, |variable| {
                    solver.value(&terms, terms.variable(variable)).unwrap()
                });
                prop_assert_eq!(value, expected);
            },
            Answer::Unsat => for sample in samples {
                let value = terms.evaluate(root, |variable| {
                    Constant::Int(sample[variable.index()].into()).into()
                });
                prop_assert_eq!(value, Ok(Constant::Bool(false).into()));
            },
            Answer::Unknown(reason) => panic!("{reason}"),
        }
    }
}

/// The nine signs of dividend and divisor, and what is exact.
#[test]
fn in_division_whatever_the_signs() {
    for a in -7..=7 {
        for b in -3..=3 {
            for op in [Op::Div, Op::Mod] {
                let Ok(expected) = op.fold(&[Constant::Int(a), Constant::Int(b)]) else {
                    assert_eq!(b, 0);
                    continue;
                };
                let mut terms = Terms::new();
                let x = terms.declare("x", Sort::Int);
                let x = terms.variable(x);
                let (a, b) = (terms.int(a), terms.int(b));
                let is_a = terms.eq(x, a);
                let quotient = terms.apply(op, &[x, b]);
                let mut solver = Z3::new();
                solver.assert(&terms, is_a).unwrap();
                assert_eq!(solver.check(&[]), Answer::Sat);
                assert_eq!(solver.value(&terms, quotient), Ok(expected.into()));
            }
        }
    }
}

#[test]
fn up_to_the_limit_of_128_bits_which_is_reported() {
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::Int);
    let x = terms.variable(x);
    let most = terms.int(i128::MAX);
    let is_most = terms.eq(x, most);
    let double = terms.add(x, x);
    let mut solver = Z3::new();
    solver.assert(&terms, is_most).unwrap();
    assert_eq!(solver.check(&[]), Answer::Sat);
    assert_eq!(solver.value(&terms, x), Ok(Constant::Int(i128::MAX).into()));
    assert_eq!(
        solver.value(&terms, double),
        Err(EvalError::IntegerOverflow)
    );
}

#[test]
fn and_are_refused_by_the_bit_blaster_without_a_trace() {
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::Int);
    let p = terms.declare("p", Sort::Bool);
    let (x, p) = (terms.variable(x), terms.variable(p));
    let one = terms.int(1);
    let less = terms.lt(x, one);
    let not_p = terms.not(p);
    let both = terms.and(&[not_p, less]);
    let mut solver = BitBlaster::new();
    assert_eq!(
        solver.assert(&terms, both),
        Err(Unsupported {
            term: x,
            sort: Sort::Int
        })
    );
    solver.assert(&terms, p).unwrap();
    assert_eq!(solver.check(&[]), Answer::Sat);
}

#[test]
fn index_constants_are_all_that_the_bit_blaster_takes() {
    let mut terms = Terms::new();
    let array = Sort::array(Scalar::Int, Scalar::BitVec(4), 3);
    let a = terms.declare("a", array);
    let a = terms.variable(a);
    let one = terms.int(1);
    let seven = terms.bit_vec(4, 7);
    let stored = terms.store(a, one, seven);
    let equal = terms.eq(a, stored);
    let mut solver = BitBlaster::new();
    solver.assert(&terms, equal).unwrap();
    assert_eq!(solver.check(&[]), Answer::Sat);
    let Ok(Value::Array { elements, .. }) = solver.value(&terms, a) else {
        panic!("an array");
    };
    assert_eq!(elements[1], Constant::bit_vec(4, 7));
}
