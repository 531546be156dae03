//! A variable that is promised to be between two numbers can be each of them, and needs no more
//! bits than they do.

use heddle_program::{Sort, Terms, to_signed};
use heddle_solver::{Answer, Backend};

const WIDTH: u32 = 5;

/// The signed numbers that a variable can be that was promised to be in the range.
fn possible(least: i128, most: i128) -> Vec<i128> {
    let mut terms = Terms::default();
    let variable = terms.declare("x", Sort::BitVec(WIDTH));
    let variable = terms.variable(variable);
    let mut solver = Backend::BitBlast.open();
    solver.promise_range(&terms, variable, least..=most);
    let mut is_possible = |number: i128| {
        let constant = terms.bit_vec(WIDTH, number);
        let equal = terms.eq(variable, constant);
        let literal = solver.literal(&terms, equal).expect("bits");
        solver.check(&[literal]) == Answer::Sat
    };
    let numbers = (0..1 << WIDTH).map(|bits| to_signed(WIDTH, bits));
    numbers.filter(|&number| is_possible(number)).collect()
}

#[test]
fn every_number_of_every_range_is_possible() {
    let all: Vec<i128> = (-16..16).collect();
    for &least in &all {
        for &most in all.iter().filter(|&&most| least <= most) {
            let possible = possible(least, most);
            for number in least..=most {
                assert!(possible.contains(&number), "{number} of {least}..={most}");
            }
        }
    }
}

#[test]
fn numbers_with_more_bits_are_not_possible() {
    assert_eq!(possible(3, 3), [3]);
    assert_eq!(possible(-7, -7), [-7]);
    assert_eq!(possible(0, 2), [0, 1, 2, 3]);
    let mut negative = possible(-3, -1);
    negative.sort_unstable();
    assert_eq!(negative, [-4, -3, -2, -1]);
    let mut both = possible(-1, 2);
    both.sort_unstable();
    assert_eq!(both, [-4, -3, -2, -1, 0, 1, 2, 3]);
}
