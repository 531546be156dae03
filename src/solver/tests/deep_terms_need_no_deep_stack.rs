//! Unrolled loops become terms of any depth, and a test's thread has little stack.

use heddle_program::{Sort, Terms};
use heddle_solver::{Answer, Backend};

const DEPTH: u32 = 30_000;

fn check(backend: Backend) {
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::BitVec(4));
    let x = terms.variable(x);
    let mut deep = x;
    for _ in 0..DEPTH {
        let inverse = terms.bv_not(deep);
        deep = terms.bv_add(inverse, x);
    }
    let zero = terms.bit_vec(4, 0);
    let is_zero = terms.eq(x, zero);
    let returns_to_zero = terms.eq(deep, zero);
    let mut solver = backend.open();
    solver.assert(&terms, is_zero).unwrap();
    let returns_to_zero = solver.literal(&terms, returns_to_zero).unwrap();
    assert_eq!(solver.check(&[returns_to_zero]), Answer::Sat);
    assert_eq!(solver.check(&[!returns_to_zero]), Answer::Unsat);
}

#[test]
fn in_the_bit_blaster() {
    check(Backend::BitBlast);
}

#[test]
fn in_z3() {
    check(Backend::Z3);
}
