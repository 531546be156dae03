//! Small programs in which one step is several events, or threads depend on each other in an order
//! that their text does not have: `schedule` says what exploration says.

use heddle_engine::schedule::{Options, check};
use heddle_interpret::explore;
use heddle_program::Verdict;

#[track_caller]
fn assert_verdict(text: &str, expected: &Verdict) {
    let (program, _) = heddle_front::hd::read("small.hd", text).unwrap();
    let explored = explore(&program, &heddle_interpret::Options::default());
    assert_eq!(&explored.verdict(&program), expected, "by exploration");
    for model in ["sc_blocks", "sc"] {
        let options = Options::new(heddle_datalog::theory::built_in(model).unwrap());
        let outcome = check(&program, &options, &mut ()).unwrap();
        assert_eq!(&outcome.verdict, expected, "with {model}");
    }
}

#[test]
fn a_section_may_create_threads_on_several_branches() {
    let program = "shared c: int = 0;
        process main { atomic { choose { c := 7; start f; } or { c := 6; start f; } assert {}; } }
        process f { c := 1; }";
    assert_verdict(&program.replace("{}", "c != 6"), &Verdict::Unsafe);
    assert_verdict(&program.replace("{}", "c != 7"), &Verdict::Unsafe);
    assert_verdict(&program.replace("{}", "c >= 6"), &Verdict::Safe);
}

#[test]
fn what_was_written_before_a_section_that_creates_threads_is_seen_by_them() {
    let program = "shared c, d: int = 0;
        process main { c := 3; atomic { d := c; start f; d := d + 1; } }
        process f { assert c = 3 && d = {}; }";
    assert_verdict(&program.replace("{}", "4"), &Verdict::Safe);
    assert_verdict(&program.replace("{}", "3"), &Verdict::Unsafe);
}

#[test]
fn threads_may_create_each_other() {
    let program = "shared x, y: int = 0;
        process main { choose { start p; } or { start q; } }
        process p { if x = 0 { y := 1; start q; } }
        process q { if y = {} { assert false; } x := 1; if y = 0 { start p; } }";
    assert_verdict(&program.replace("{}", "1"), &Verdict::Unsafe);
    assert_verdict(&program.replace("{}", "2"), &Verdict::Safe);
}

#[test]
fn a_thread_may_be_joined_by_one_whose_text_comes_later() {
    let joins = "shared x: int = 0; process p0 { x := 1; } process p1 { join p0; assert x = {}; }";
    assert_verdict(&joins.replace("{}", "1"), &Verdict::Safe);
    assert_verdict(&joins.replace("{}", "0"), &Verdict::Unsafe);
    let written_twice = "shared x, y: bv2 = 0;
        process p0 { if x = y { x := 1; } y := 3; }
        process p1 { y := 3; join p0; assert x = {}; }";
    assert_verdict(&written_twice.replace("{}", "1"), &Verdict::Unsafe);
}

#[test]
fn nobody_sees_half_of_an_array_that_is_written_at_once() {
    let program = "shared a: int[2] = 0;
        process r { assert a[0] = a[1]; }
        process p { a := fill(1); }";
    assert_verdict(program, &Verdict::Safe);
    let by_elements = program.replace("a := fill(1)", "a[0] := 1; a[1] := 1");
    assert_verdict(&by_elements, &Verdict::Unsafe);
}

#[test]
fn an_array_that_is_read_at_once_is_not_half_of_another() {
    let program = "shared a: int[2] = 0;
        process r { local b: int[2]; b := a; assert b[0] = b[1]; }
        process p { a := fill(1); }";
    assert_verdict(program, &Verdict::Safe);
}

#[test]
fn one_of_two_threads_writes_an_array_last() {
    let program = "granularity access;
        shared a: int[2] = 0;
        process r { join p; join q; assert a[0] = {}; }
        process p { a := fill(1); }
        process q { a := fill(2); }";
    assert_verdict(&program.replace("{}", "a[1]"), &Verdict::Safe);
    assert_verdict(&program.replace("{}", "1"), &Verdict::Unsafe);
}

#[test]
fn an_array_may_become_anything_at_once() {
    let program = "shared a: bv2[2 : bv2] = 0, t: bv2 = 0;
        process main { start f; start g; join f; join g; assert a[t] != 1; }
        process f { a := *; }
        process g { a := *; t := 1; }";
    assert_verdict(program, &Verdict::Unsafe);
}

#[test]
fn branches_agree_on_what_an_element_holds() {
    let program = "shared a: bv2[2 : bv2] = 0, x, y: bool = false;
        process f {
            local i: bv2;
            i := *;
            assume bvult(i, 2);
            if a[i] = 2 { x := true; } else { y := true; }
        }
        process g { a[0] := 2; a[0] := 0; }
        process main { join f; join g; assert !({}); }";
    assert_verdict(&program.replace("{}", "x && y"), &Verdict::Safe);
    assert_verdict(&program.replace("{}", "x"), &Verdict::Unsafe);
    assert_verdict(&program.replace("{}", "y"), &Verdict::Unsafe);
}
