//! `--integers mathematical`: signed arithmetic does not overflow, and nothing else changes.

use heddle_front::c::{Integers, Options, translate};
use heddle_interpret::explore;
use heddle_program::{Program, Sort, Verdict};

fn program(integers: Integers, body: &str) -> Program {
    let text = format!("#include <assert.h>\nint g;\nunsigned u;\nint main(void) {{ {body} }}\n");
    let options = Options {
        integers,
        ..Options::default()
    };
    let loaded = translate("given.c", &text, &options);
    let (program, _) = loaded.unwrap_or_else(|report| panic!("{report}"));
    assert!(program.validate().is_empty(), "{body}");
    program
}

fn verdict(integers: Integers, body: &str) -> Verdict {
    let program = program(integers, body);
    let options = heddle_interpret::Options::default();
    explore(&program, &options).verdict(&program)
}

#[test]
fn signed_arithmetic_does_not_overflow() {
    for body in [
        "g = 2147483647; g = g + 1; assert(g > 0);",
        "int x = 2147483647; x = x + 1; assert(x > 0);",
        "g = 1000000; g = g * g; assert(g / 1000000 == 1000000);",
        "g = -2147483647 - 1; g = -g; assert(g > 0);",
        "int a[2]; a[0] = 2147483647; a[1] = a[0] + 1; assert(a[1] > a[0]);",
    ] {
        assert_eq!(verdict(Integers::Bits, body), Verdict::Unsafe, "{body}");
        assert_eq!(
            verdict(Integers::Mathematical, body),
            Verdict::Safe,
            "{body}"
        );
    }
}

#[test]
fn what_c_defines_by_bits_stays_as_it_is() {
    for body in [
        "u = 4294967295u; u = u + 1; assert(u == 0);",
        "u = 0; u = u - 1; assert(u > 5);",
        "char c = 127; c++; assert(c == -128);",
        "short s = 32767; s = s + 1; assert(s < 0);",
        "g = 6; g = g & 3; assert(g == 2);",
        "g = -1; u = g; assert(u == 4294967295u);",
        "g = 300; unsigned char c = g; assert(c == 44);",
        "long l = 4294967296l; g = (int) l; assert(g == 0);",
        "union { int i; unsigned u; } x; x.i = -1; assert(x.u == 4294967295u);",
    ] {
        for integers in [Integers::Bits, Integers::Mathematical] {
            assert_eq!(
                verdict(integers, body),
                Verdict::Safe,
                "{integers:?}: {body}"
            );
        }
    }
}

#[test]
fn quotients_round_towards_zero() {
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5)] {
        let (quotient, remainder) = (a / b, a % b);
        let body = format!(
            "g = {a}; int b = {b}; assert(g / b == {quotient}); assert(g % b == {remainder});"
        );
        for integers in [Integers::Bits, Integers::Mathematical] {
            assert_eq!(
                verdict(integers, &body),
                Verdict::Safe,
                "{integers:?}: {body}"
            );
        }
    }
}

#[test]
fn a_number_beyond_the_interpreter_is_no_verdict() {
    let verdict = verdict(Integers::Mathematical, "g = 2; while (1) g = g * g;");
    match verdict {
        Verdict::Unknown(why) => assert!(why.contains("leaves the range"), "{why}"),
        other => panic!("{other}"),
    }
}

#[test]
fn the_assumption_names_the_numbers_that_keep_their_bits() {
    let body = "int kept = g; g = g + 1; kept = kept ^ 5; assert(kept != g);";
    let program = program(Integers::Mathematical, body);
    let assumptions: Vec<&str> = program
        .assumptions
        .iter()
        .map(|assumption| assumption.text.as_str())
        .collect();
    let stated = assumptions
        .iter()
        .find(|text| text.contains("mathematical"));
    let stated = stated.unwrap_or_else(|| panic!("{assumptions:?}"));
    assert!(stated.contains("`g`"), "{stated}");
    let program = self::program(Integers::Mathematical, "g = g + 1; assert(g > 0);");
    assert!(program.variables.iter().any(|v| v.sort == Sort::Int));
}
