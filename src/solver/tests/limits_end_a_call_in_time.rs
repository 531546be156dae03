//! A question that no solver answers in the time of a test: the factors of the product of
//! two primes of 48 bits.

use heddle_program::{Sort, TermId, Terms};
use heddle_solver::{Answer, Backend, Limits, Reason, Solver};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const PRODUCT: i128 = 201_169_857_629_941 * 251_870_415_031_607;

fn factors(terms: &mut Terms) -> TermId {
    let [p, q] = ["p", "q"].map(|name| {
        let variable = terms.declare(name, Sort::BitVec(48));
        let factor = terms.variable(variable);
        terms.zero_extend(48, factor)
    });
    let product = terms.bv_mul(p, q);
    let wanted = terms.bit_vec(96, PRODUCT);
    let one = terms.bit_vec(96, 1);
    let conjuncts = [
        terms.eq(product, wanted),
        terms.bv_ult(one, p),
        terms.bv_ult(p, q),
    ];
    terms.and(&conjuncts)
}

fn hard(backend: Backend) -> Box<dyn Solver> {
    let mut terms = Terms::new();
    let mut solver = backend.open();
    let factors = factors(&mut terms);
    solver.assert(&terms, factors).unwrap();
    solver
}

fn answers_in_time(solver: &mut dyn Solver, expected: Reason) {
    let started = Instant::now();
    assert_eq!(solver.check(&[]), Answer::Unknown(expected));
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn at_the_deadline() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut solver = hard(backend);
        solver.set_limits(Limits::until(Instant::now() + Duration::from_millis(50)));
        answers_in_time(&mut *solver, Reason::Time);
        // Over before the search begins.
        answers_in_time(&mut *solver, Reason::Time);
        assert_eq!(solver.statistics().unknown, 2);
    }
}

#[test]
fn at_the_wish_of_another_thread() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut solver = hard(backend);
        let stop = Arc::new(AtomicBool::new(false));
        solver.set_limits(Limits {
            deadline: None,
            stop: Some(stop.clone()),
        });
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(50));
                stop.store(true, Ordering::Relaxed);
            });
            answers_in_time(&mut *solver, Reason::Stopped);
        });
    }
}

#[test]
fn and_the_solver_can_be_used_again() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut solver = hard(backend);
        let given_up = solver.new_literal();
        solver.set_limits(Limits::until(Instant::now() + Duration::from_millis(20)));
        answers_in_time(&mut *solver, Reason::Time);
        solver.set_limits(Limits::default());
        solver.add_clause(&[given_up]);
        assert_eq!(solver.check(&[!given_up]), Answer::Unsat);
        assert_eq!(solver.core(), [!given_up]);
    }
}
