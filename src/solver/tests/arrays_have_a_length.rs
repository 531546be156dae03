//! What Z3's arrays, which have none, would get wrong; and what lies outside.

use heddle_program::{ArraySort, Constant, Scalar, Sort, TermId, Terms, Value};
use heddle_solver::{Answer, Backend, Unsupported};

const BACKENDS: [Backend; 2] = [Backend::BitBlast, Backend::Z3];

fn sort(length: u32) -> ArraySort {
    ArraySort {
        index: Scalar::BitVec(8),
        element: Scalar::BitVec(8),
        length,
    }
}

fn variable(terms: &mut Terms, name: &str, sort: Sort) -> TermId {
    let variable = terms.declare(name, sort);
    terms.variable(variable)
}

fn check(backend: Backend, terms: &Terms, asserted: &[TermId]) -> Answer {
    let mut solver = backend.open();
    for &term in asserted {
        solver.assert(terms, term).unwrap();
    }
    solver.check(&[])
}

#[test]
fn arrays_with_the_same_elements_are_equal() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| variable(&mut terms, name, Sort::Array(sort(2))));
    let mut asserted = Vec::new();
    for position in 0..2 {
        let index = terms.bit_vec(8, position);
        let (x, y) = (terms.select(a, index), terms.select(b, index));
        asserted.push(terms.eq(x, y));
    }
    asserted.push(terms.ne(a, b));
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &asserted), Answer::Unsat);
        assert_eq!(check(backend, &terms, &asserted[1..]), Answer::Sat);
    }
}

#[test]
fn an_array_of_one_element_is_constant() {
    let mut terms = Terms::new();
    let a = variable(&mut terms, "a", Sort::Array(sort(1)));
    let zero = terms.bit_vec(8, 0);
    let first = terms.select(a, zero);
    let constant = terms.const_array(sort(1), first);
    let different = terms.ne(a, constant);
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &[different]), Answer::Unsat);
    }
}

#[test]
fn a_write_outside_changes_nothing_and_a_read_outside_gives_anything() {
    let mut terms = Terms::new();
    let a = variable(&mut terms, "a", Sort::Array(sort(3)));
    let [i, x] = ["i", "x"].map(|name| variable(&mut terms, name, Sort::BitVec(8)));
    let three = terms.bit_vec(8, 3);
    let outside = terms.bv_ule(three, i);
    let written = terms.store(a, i, x);
    let changed = terms.ne(a, written);
    let read = terms.select(a, i);
    let nine = terms.bit_vec(8, 9);
    let is_nine = terms.eq(read, nine);
    let other = terms.ne(read, nine);
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &[outside, changed]), Answer::Unsat);
        assert_eq!(check(backend, &terms, &[outside, is_nine]), Answer::Sat);
        assert_eq!(check(backend, &terms, &[outside, other]), Answer::Sat);
    }
}

/// Also just outside, where the tree of choices that reads an array is not full.
#[test]
fn what_is_read_after_the_last_element_is_none_of_the_elements() {
    let mut terms = Terms::new();
    let a = variable(&mut terms, "a", Sort::Array(sort(3)));
    let i = variable(&mut terms, "i", Sort::BitVec(8));
    let (three, zero) = (terms.bit_vec(8, 3), terms.bit_vec(8, 0));
    let zeros = terms.const_array(sort(3), zero);
    let read = terms.select(a, i);
    let asserted = [terms.eq(i, three), terms.eq(a, zeros), terms.ne(read, zero)];
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &asserted), Answer::Sat);
    }
}

#[test]
fn an_index_may_be_too_narrow_to_reach_the_end() {
    let mut terms = Terms::new();
    let narrow = ArraySort {
        index: Scalar::BitVec(1),
        ..sort(5)
    };
    let a = variable(&mut terms, "a", Sort::Array(narrow));
    let i = variable(&mut terms, "i", Sort::BitVec(1));
    let seven = terms.bit_vec(8, 7);
    let written = terms.store(a, i, seven);
    let (zero, one) = (terms.bit_vec(1, 0), terms.bit_vec(1, 1));
    let not_seven = [zero, one].map(|index| {
        let element = terms.select(written, index);
        terms.ne(element, seven)
    });
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &not_seven), Answer::Unsat);
        assert_eq!(check(backend, &terms, &not_seven[..1]), Answer::Sat);
    }
    let mut solver = Backend::BitBlast.open();
    solver.assert(&terms, not_seven[0]).unwrap();
    assert_eq!(solver.check(&[]), Answer::Sat);
    let [before, after] = [a, written].map(|array| match solver.value(&terms, array) {
        Ok(Value::Array { elements, .. }) => elements,
        other => panic!("not an array: {other:?}"),
    });
    assert_eq!(before[2..], after[2..]);
}

#[test]
fn arrays_of_booleans_work_as_well() {
    let mut terms = Terms::new();
    let flags = ArraySort {
        element: Scalar::Bool,
        ..sort(3)
    };
    let a = variable(&mut terms, "a", Sort::Array(flags));
    let i = variable(&mut terms, "i", Sort::BitVec(8));
    let yes = terms.bool(true);
    let written = terms.store(a, i, yes);
    let two = terms.bit_vec(8, 2);
    let last = terms.select(written, two);
    let not_last = terms.not(last);
    let is_two = terms.eq(i, two);
    for backend in BACKENDS {
        assert_eq!(check(backend, &terms, &[is_two, not_last]), Answer::Unsat);
        let mut solver = backend.open();
        solver.assert(&terms, not_last).unwrap();
        assert_eq!(solver.check(&[]), Answer::Sat);
        let value = solver.value(&terms, last).unwrap();
        assert_eq!(value, Constant::Bool(false).into());
    }
}

#[test]
fn an_array_that_is_too_long_is_refused_as_clauses() {
    let mut terms = Terms::new();
    let array = Sort::Array(ArraySort {
        index: Scalar::BitVec(32),
        ..sort(1_000_000)
    });
    let a = variable(&mut terms, "a", array);
    let i = variable(&mut terms, "i", Sort::BitVec(32));
    let (read, zero) = (terms.select(a, i), terms.bit_vec(8, 0));
    let is_zero = terms.eq(read, zero);
    let refused = Backend::BitBlast.open().assert(&terms, is_zero);
    let expected = Unsupported {
        term: a,
        sort: array,
    };
    assert_eq!(refused, Err(expected));
    assert_eq!(
        expected.to_string(),
        "an array of 1000000 elements of sort (_ BitVec 8) cannot be turned into clauses"
    );
    assert_eq!(check(Backend::Z3, &terms, &[is_zero]), Answer::Sat);
}
