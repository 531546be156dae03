use heddle_program::{Sort, TermId, Terms};
use heddle_solver::{Backend, Limits, Reason, Undecided, Validity};
use std::time::Instant;

fn below(terms: &mut Terms, backend: Backend, bound: i128) -> TermId {
    let sort = match backend {
        Backend::BitBlast => Sort::BitVec(8),
        Backend::Z3 => Sort::Int,
    };
    let x = terms
        .lookup("x")
        .unwrap_or_else(|| terms.declare("x", sort));
    let x = terms.variable(x);
    match backend {
        Backend::BitBlast => {
            let bound = terms.bit_vec(8, bound);
            terms.bv_ult(x, bound)
        }
        Backend::Z3 => {
            let bound = terms.int(bound);
            terms.lt(x, bound)
        }
    }
}

#[test]
fn whatever_the_order_of_the_hypotheses() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut terms = Terms::new();
        let [three, five, nine] = [3, 5, 9].map(|bound| below(&mut terms, backend, bound));
        let mut validity = Validity::new(backend);
        for _ in 0..2 {
            assert_eq!(validity.implies(&mut terms, &[three, nine], five), Ok(true));
            assert_eq!(validity.implies(&mut terms, &[nine, three], five), Ok(true));
            assert_eq!(validity.implies(&mut terms, &[nine], five), Ok(false));
            let not_five = terms.not(five);
            assert_eq!(validity.consistent(&terms, &[not_five, nine]), Ok(true));
        }
        let statistics = validity.statistics();
        assert_eq!((statistics.calls, statistics.cache_hits), (2, 6));
    }
}

#[test]
fn except_where_time_ran_out() {
    for backend in [Backend::BitBlast, Backend::Z3] {
        let mut terms = Terms::new();
        let [three, five] = [3, 5].map(|bound| below(&mut terms, backend, bound));
        let mut validity = Validity::new(backend);
        validity.set_limits(Limits::until(Instant::now()));
        assert_eq!(
            validity.implies(&mut terms, &[three], five),
            Err(Undecided::Unknown(Reason::Time))
        );
        validity.set_limits(Limits::default());
        assert_eq!(validity.implies(&mut terms, &[three], five), Ok(true));
    }
}

#[test]
fn unless_the_solver_has_no_encoding() {
    let mut terms = Terms::new();
    let three = below(&mut terms, Backend::Z3, 3);
    let mut validity = Validity::new(Backend::BitBlast);
    let answer = validity.consistent(&terms, &[three]);
    assert!(matches!(answer, Err(Undecided::Unsupported(_))));
}
