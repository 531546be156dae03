//! Where executions go beyond several bounds, what is safe is so up to the smallest.

use heddle_engine::schedule::{Options, check};
use heddle_program::{Bound, Verdict};

/// Recursion deeper than the front end follows it, and a loop without end.
const TWO_BOUNDS: &str = "
    extern void abort(void);
    extern _Bool __VERIFIER_nondet_bool(void);
    int x, d;
    int depth(int n) { if (n <= 0) return 0; return 1 + depth(n - 1); }
    int main(void) {
        while (__VERIFIER_nondet_bool()) x = 1 - x;
        d = depth(6);
        if (x == 2) reach_error();
        return 0;
    }";

#[test]
fn a_bound_of_the_front_end_is_not_forgotten_where_loops_go_round_more_often() {
    let translated = heddle_front::c::translate("bounds.i", TWO_BOUNDS, &Default::default());
    let program = translated.expect("the program is correct").0;
    let of_front_end = program.bound.expect("recursion is bounded");
    for (unwind, smallest) in [(2, Bound(2)), (16, of_front_end)] {
        let options = Options {
            unwind: Some(unwind),
            ..Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap())
        };
        let outcome = check(&program, &options, &mut ()).unwrap();
        assert_eq!(outcome.verdict, Verdict::SafeUpTo(smallest));
    }
}

/// A loop without end, and an end of the model that nobody gets to, or some do.
const NO_NUMBER: &str = "shared x: int = 0;
    process p { while * { x := 1 - x; } if x = {} { bound; } }";

#[test]
fn an_end_of_the_model_without_a_number_is_none_that_loops_can_have() {
    let verdict = |end: &str| {
        let text = NO_NUMBER.replace("{}", end);
        let (program, _) = heddle_front::hd::read("end.hd", &text).unwrap();
        let options = Options {
            unwind: Some(2),
            ..Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap())
        };
        check(&program, &options, &mut ()).unwrap().verdict
    };
    assert_eq!(verdict("2"), Verdict::SafeUpTo(Bound(2)));
    let reason = "the model ends at `bound`".to_string();
    assert_eq!(verdict("1"), Verdict::Unknown(reason));
}
