//! A value that comes from outside is no program variable, so nothing can be said of it before it
//! is chosen; what is known of it afterwards is proved all the same.

mod reach_engines;

use heddle_engine::reach::Options;
use heddle_program::Verdict;
use reach_engines::{ABSTRACTIONS, ENGINES};

#[track_caller]
fn assert_verdict(text: &str, expected: &Verdict) {
    let (program, _) = heddle_front::hd::read("chosen.hd", text).unwrap();
    for engine in ENGINES {
        for abstraction in ABSTRACTIONS {
            let options = Options {
                abstraction,
                ..Options::default()
            };
            let verdict = engine.check(&program, options).verdict;
            assert_eq!(&verdict, expected, "{engine:?}, {abstraction:?}");
        }
    }
}

#[test]
fn a_copy_of_it_is_the_same() {
    for sort in ["bv32", "int"] {
        let program =
            format!("shared x, y: {sort} = 0; process p {{ x := *; y := x; assert {{}}; }}",);
        assert_verdict(&program.replace("{}", "y = x"), &Verdict::Safe);
        assert_verdict(&program.replace("{}", "y = 0"), &Verdict::Unsafe);
    }
}

#[test]
fn it_stays_within_what_was_tested() {
    let program = "shared x, n: bv8 = 0;
        process p { while true { n := *; if bvult(5, n) { x := n; assert bvult({}, x); } } }";
    assert_verdict(&program.replace("{}", "4"), &Verdict::Safe);
    assert_verdict(&program.replace("{}", "6"), &Verdict::Unsafe);
}

#[test]
fn its_square_is_not_negative() {
    let program = "shared x, y: int = 0; process p { x := *; y := x * x; assert y >= {}; }";
    assert_verdict(&program.replace("{}", "0"), &Verdict::Safe);
    assert_verdict(&program.replace("{}", "1"), &Verdict::Unsafe);
}
