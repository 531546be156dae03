//! What `docs/hd.md` says about steps, checked by trying every interleaving.

use heddle_front::hd;
use heddle_interpret::{Exploration, Interleavings, Options, Order, explore};
use heddle_program::{Program, Verdict};

mod random;

fn read(text: &str) -> Program {
    match hd::read("program.hd", text) {
        Ok((program, _)) => program,
        Err(report) => panic!("{report}\n{text}"),
    }
}

fn explored(program: &Program) -> Exploration {
    let options = Options {
        order: Order::BreadthFirst,
        interleavings: Interleavings::All,
        max_states: Some(20_000),
        ..Options::default()
    };
    explore(program, &options)
}

fn verdict(text: &str) -> Verdict {
    let program = read(text);
    explored(&program).verdict(&program)
}

fn deadlocks(text: &str) -> bool {
    explored(&read(text)).deadlocks > 0
}

const TWO_INCREMENTS: &str = "
    shared x, done: int = 0;
    process p[i in 1..2] { x := x + 1; done := done + 1; }
    error: done = 2 && x != 2;";

#[test]
fn a_statement_is_one_step() {
    assert_eq!(verdict(TWO_INCREMENTS), Verdict::Safe);
}

#[test]
fn with_granularity_access_it_is_not() {
    let text = TWO_INCREMENTS.replace("done := done + 1", "atomic { done := done + 1; }");
    assert_eq!(verdict(&text), Verdict::Safe);
    assert_eq!(
        verdict(&format!("granularity access; {text}")),
        Verdict::Unsafe
    );
}

#[test]
fn with_granularity_access_a_statement_inside_of_atomic_is_one_step() {
    let text = TWO_INCREMENTS.replace("x := x + 1", "atomic { if true { x := x + 1; } }");
    let text = text.replace("done := done + 1", "atomic { done := done + 1; }");
    assert_eq!(
        verdict(&format!("granularity access; {text}")),
        Verdict::Safe
    );
}

#[test]
fn assignments_at_once_use_the_values_from_before() {
    let text = "shared x: int = 1, y: int = 2, a: int[2] = {0, 1};
        process p { x, y := y, x; assert x = 2 && y = 1; a[0], a[1] := a[1], a[0]; assert a[0] = 1 && a[1] = 0; }";
    assert_eq!(verdict(text), Verdict::Safe);
    assert_eq!(
        verdict(&format!("granularity access; {text}")),
        Verdict::Safe
    );
    let commands = "shared x: int = 1, y: int = 2, n: int = 0;
        n = 0 -> x := y, y := x, n := 1;
        error: n = 1 && !(x = 2 && y = 1);";
    assert_eq!(verdict(commands), Verdict::Safe);
}

#[test]
fn a_condition_on_two_variables_is_looked_at_in_one_step() {
    let text = "shared x, y: bool = false, wrong: bool = false;
        process p { while true { atomic { x := !x; y := !y; } } }
        process q { if x != y { wrong := true; } assert !wrong; }";
    assert_eq!(verdict(text), Verdict::Safe);
    assert_eq!(
        verdict(&format!("granularity access; {text}")),
        Verdict::Unsafe
    );
}

#[test]
fn an_assertion_on_two_variables_is_looked_at_in_one_step() {
    let text = "shared x, y: int = 0;
        process p { x, y := 1, 1; }
        process q { assert x = y; }";
    assert_eq!(verdict(text), Verdict::Safe);
}

#[test]
fn later_operands_are_read_only_if_they_matter() {
    let text = "granularity access;
        shared i: int = 5, a: int[2] = 0, b: bool = false;
        process p {
            b := i < 2 && a[i] = 0;
            b := i >= 2 || a[i] = 0;
            if i < 2 && a[i] = 0 { assert false; }
            assert (i < 2 ? a[i] : 7) = 7;
        }";
    assert_eq!(verdict(text), Verdict::Safe);
    assert_eq!(
        verdict(&text.replace("granularity access;", "")),
        Verdict::Safe
    );
}

#[test]
fn an_index_out_of_range_and_a_division_by_zero_violate_the_property() {
    for wrong in [
        "a[x] := 1;",
        "x := a[x];",
        "x := 1 / y;",
        "x := 1 % y;",
        "if a[x] = 1 { skip; }",
        "await a[x] = 0;",
        "assume 1 / y = 1;",
        "assert a[x] = 0 || true;",
        "atomic { y := 1; x := a[x]; }",
        "atomic { if y = 0 { x := a[x]; } }",
        "x := store(a, x, 1)[1];",
        "b := extract(1, 0, b); w[b] := 1;",
    ] {
        let text = format!(
            "shared x: int = 3, y: int = 0, a: int[1..2] = 0, b: bv2 = 3, w: int[3 : bv2] = 0;
             process p {{ {wrong} }}"
        );
        assert_eq!(verdict(&text), Verdict::Unsafe, "{wrong}");
        let split = format!("granularity access; {text}");
        assert_eq!(verdict(&split), Verdict::Unsafe, "{wrong}");
    }
    let command = "shared x: int = 3, a: int[2] = 0; a[x] = 0 -> x := 0;";
    assert_eq!(verdict(command), Verdict::Unsafe);
    let command = "shared x: int = 1, a: int[2] = 0; x <= 2 && a[x] = 0 -> x := x + 1;";
    assert_eq!(verdict(command), Verdict::Unsafe);
}

#[test]
fn indices_count_from_where_the_array_begins() {
    let text = "shared a: int[3..5] = {30, 40, 50}, i: int = 3;
        process p { while i <= 5 { assert a[i] = 10 * i; a[i] := 0; i := i + 1; }
            assert a[3] + a[4] + a[5] = 0; }";
    assert_eq!(verdict(text), Verdict::Safe);
}

#[test]
fn all_numbers_of_128_bits_can_be_written() {
    let text = "
        shared x: bv128 = 340282366920938463463374607431768211455, n: int = 0;
        process p {
            assert x = -1;
            assert x = bv128(340282366920938463463374607431768211455);
            x := -170141183460469231731687303715884105728;
            assert x = 170141183460469231731687303715884105728;
            n := -170141183460469231731687303715884105728;
            assert n < 0;
        }";
    assert_eq!(verdict(text), Verdict::Safe);
    let again = heddle_front::hd::print(&read(text));
    assert_eq!(verdict(&again), Verdict::Safe);
}

#[test]
fn choosing_is_part_of_the_first_step() {
    let text = "shared x, y: bool = false, r: int = 0;
        process p { choose { await x; r := 1; } or { await y; r := 2; } }
        process q { y := true; }";
    assert!(!deadlocks(text));
    assert!(deadlocks(&text.replace("y := true", "skip")));
}

#[test]
fn waiting_for_ever_is_a_deadlock_at_await_only() {
    assert!(deadlocks("shared x: bool; process p { await x; }"));
    assert!(!deadlocks("shared x: bool; process p { assume x; }"));
}

#[test]
fn an_open_value_takes_all_its_values_and_no_other() {
    let text = "enum E { one, two, three }
        shared x: int, b: bool, e: E, w: bv2;
        process p { x := any(-1..1); b := *; e := *; w := *; end: }
        error: x < -1 || x > 1;";
    assert_eq!(verdict(text), Verdict::Safe);
    for reached in [
        "x = -1 && b && e = three",
        "x = 1 && !b && e = one",
        "x = 0 && b && e = two && w = 3",
    ] {
        let text = format!("{text} error: pc(p) = end && {reached};");
        assert_eq!(verdict(&text), Verdict::Unsafe, "{reached}");
    }
}

#[test]
fn processes_that_are_started_wait_for_it_and_can_be_joined() {
    let text = "shared x: int = 0;
        process p { x := x + 1; }
        process main { assert x = 0; start p; join p; assert x = 1; }";
    assert_eq!(verdict(text), Verdict::Safe);
    assert_eq!(
        verdict(&text.replace("join p;", "")),
        Verdict::Unsafe,
        "without waiting"
    );
}

#[test]
fn what_is_behind_a_bound_is_not_known() {
    let text = "shared x: int = 0;
        process p { x := any(0..1); if x = 1 { bound 5; assert false; } }";
    assert_eq!(verdict(text), Verdict::SafeUpTo(heddle_program::Bound(5)));
    assert!(matches!(
        verdict(&text.replace("bound 5", "bound")),
        Verdict::Unknown(_)
    ));
}

#[test]
fn leaving_an_atomic_block_by_a_jump_ends_it() {
    let text = "shared x, y: int = 0;
        process p { atomic { x := 1; if y = 0 { x := 2; goto out; } x := 3; } x := 4; out: x := 5; }
        process q { y := 1; }
        error: x = 1;";
    assert_eq!(verdict(text), Verdict::Safe);
    for reached in [
        "x = 2 && y = 0",
        "x = 2 && y = 1",
        "x = 3",
        "x = 4",
        "x = 5",
    ] {
        let text = format!("{text} error: {reached};");
        assert_eq!(verdict(&text), Verdict::Unsafe, "{reached}");
    }
}

fn agree(one: &str, other: &str) {
    let (one_verdict, other_verdict) = (verdict(one), verdict(other));
    if !matches!(
        (&one_verdict, &other_verdict),
        (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_))
    ) {
        assert_eq!(one_verdict, other_verdict, "{one}\n\n{other}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1000))]

    /// An atomic block without branches becomes one edge; a branch in it makes it a section.
    #[test]
    fn an_atomic_block_is_the_same_as_one_edge_or_as_a_section(
        block in proptest::collection::vec(random::simple(), 1..4),
        other in random::statements(1),
    ) {
        let program = |block: &str| format!(
            "{}process p {{ local t: int; x := 1; atomic {{ {block} }} y := x; }}
             process q {{ local t: int; {other} }}
             error: x = 2 && y = 1; error: !b && a[0] = 1; error: c = blue && w = 1;",
            random::DECLARATIONS
        );
        let block = block.join(" ");
        agree(&program(&block), &program(&format!("if true {{ skip; }} {block}")));
    }

    #[test]
    fn one_process_alone_cannot_tell_the_granularity(body in random::statements(2)) {
        let text = format!(
            "{}process p {{ local t: int; {body} last: }}
             error: pc(p) = last && x = 2 && y = 1; error: pc(p) = last && b && a[0] = 1;",
            random::DECLARATIONS
        );
        agree(&text, &format!("granularity access;\n{text}"));
    }

    /// The interleavings that exploration leaves out make no difference.
    #[test]
    fn some_interleavings_are_enough(text in random::program()) {
        let program = read(&text);
        let all = explored(&program);
        let options = Options { max_states: Some(20_000), ..Options::default() };
        let some = explore(&program, &options);
        if all.stop.is_none() && some.stop.is_none() {
            proptest::prop_assert_eq!(all.verdict(&program), some.verdict(&program), "{}", text);
        }
    }
}

/// Of each condition, what the verdict is while `x` goes through 1, 0 and 1.
#[test]
fn an_error_condition_without_a_value_is_an_error() {
    for (condition, expected) in [
        ("a[x + 5] = 7", Verdict::Unsafe),
        ("!(a[x + 5] = 7)", Verdict::Unsafe),
        ("1 / x = 2", Verdict::Unsafe),
        ("a[x] = 7 || 1 / x = 2", Verdict::Unsafe),
        ("x != 0 && 1 / x = 2", Verdict::Safe),
        ("!(x = 0 || 1 / x = 1)", Verdict::Safe),
        ("a[a[x]] = 7", Verdict::Safe),
        ("pc(p) = second && 1 / x = 2", Verdict::Unsafe),
        ("!(pc(p) = second => 1 / x != 2)", Verdict::Unsafe),
        ("pc(p) = second && !(1 / x = 2)", Verdict::Unsafe),
        (
            "pc(p) != first && pc(p) != end && 1 / x = 2",
            Verdict::Unsafe,
        ),
        ("pc(p) = first && 1 / x = 2", Verdict::Safe),
        ("!(pc(p) = second || 1 / x = 1)", Verdict::Safe),
        ("!(pc(p) != second => 1 / x != 2)", Verdict::Safe),
        ("1 / x = 2 && pc(p) = first", Verdict::Unsafe),
    ] {
        let text = format!(
            "shared x: int = 1, a: int[2] = 0;
             process p {{ first: x := 0; second: x := 1; end: }} error: {condition};"
        );
        assert_eq!(verdict(&text), expected, "{condition}");
    }
}
