//! `--integers mathematical`: signed arithmetic does not overflow, and nothing else changes.

use heddle_front::c::{Integers, Options, translate};
use heddle_interpret::{NondetRange, explore};
use heddle_program::{Program, Sort, Verdict};

fn program(integers: Integers, body: &str) -> Program {
    let headers = ["assert.h", "stdlib.h"].map(|name| format!("#include <{name}>\n"));
    let headers = headers.concat();
    let text = format!("{headers}int g;\nunsigned u;\nint main(void) {{ {body} }}\n");
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
        "int a[2] = {0}; a[0] = 2147483647; a[1] = a[0] + 1; assert(a[1] > a[0]);",
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
        "g = 2147483647; int y = g + 1u; assert(y < 0);",
        "int x = 2147483647; assert((int) (x + 1u) < 0);",
        "g = -1; int y = g * 2147483648u; assert(y < 0);",
        "g = -2147483647 - 1; int y = g - 1u; assert(y > 0); y = -(unsigned) g; assert(y < 0);",
        "g = 2147483647; unsigned i = 1; int y = g; y += i; assert(y < 0);",
        "g = 2147483647; __sync_fetch_and_add(&g, 1); assert(g < 0);",
        "_Atomic int a = 2147483647; int y = ++a; assert(y < 0);",
        "g = 300; unsigned char c = g; assert(c == 44);",
        "long l = 4294967296l; g = (int) l; assert(g == 0);",
        "union { int i; unsigned u; } x; x.i = -1; assert(x.u == 4294967295u);",
        "g = 2147483647; assert(__builtin_add_overflow(g, 1, &g)); assert(g < 0);",
        "g = 3; g = (g < 5) & (g > 2); assert(g == 1);",
        "g = 3; assert(((g < 5) ^ (g > 2)) == 0); g = -((g < 5) | 6); assert(g == -7);",
        "g = 3; int n = 8 >> (g == 3); n = n + g; assert(n == 7);",
        "g = 3; assert((__builtin_popcount(g) & 1) == 0);",
        "g = -2; assert(__builtin_popcount(g) == 31 && __builtin_parity(g) == 1);",
        "g = -8; assert(__builtin_ctz(g) == 3 && __builtin_clz(g) == 0);",
        "g = -8; assert(__builtin_ffs(g) == 4 && __builtin_ffsl(g) == 4);",
        "g = 1; u = __builtin_bswap32(g); assert(u == 1u << 24);",
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

/// The verdict if numbers from 120 to 130 are tried wherever there is any value. Both are of
/// interest: whether a `char` can be 127, and whether it can be more.
fn verdict_around_127(body: &str) -> Verdict {
    let body = format!("extern char __VERIFIER_nondet_char(void); {body}");
    let program = program(Integers::Mathematical, &body);
    let options = heddle_interpret::Options {
        range: NondetRange {
            low: 120,
            high: 130,
        },
        ..heddle_interpret::Options::default()
    };
    explore(&program, &options).verdict(&program)
}

#[test]
fn a_value_from_nowhere_is_one_of_its_type() {
    for input in [
        "char c = __VERIFIER_nondet_char();",
        "int c = __VERIFIER_nondet_char();",
        "char a; char c = a;",
        "char a[2]; int c = a[1];",
        "char *p = malloc(1); int c = *p;",
        "struct { char a, b; } s; int c = s.b;",
        "int c = 0; for (int i = 0; i < 2; i++) { char a; c = a; a = i; }",
    ] {
        let never = format!("{input} assert(c < 128);");
        let verdict = verdict_around_127(&never);
        assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict}: {never}");
        let possible = format!("{input} assert(c < 127);");
        assert_eq!(verdict_around_127(&possible), Verdict::Unsafe, "{possible}");
    }
}

#[test]
fn what_is_written_before_it_is_read_has_no_range() {
    for body in [
        "int a; a = 2147483647; a = a + 1; assert(a > 0);",
        "int *p = malloc(4); *p = 2147483647; *p = *p + 1; assert(*p > 0);",
    ] {
        assert_eq!(
            verdict(Integers::Mathematical, body),
            Verdict::Safe,
            "{body}"
        );
    }
}

#[test]
fn an_array_that_nobody_has_filled_keeps_its_bits() {
    let body = "int a[2]; for (int i = 0; i < 2; i++) a[i] = 5; g = a[0]; assert(g == 5);";
    let program = program(Integers::Mathematical, body);
    let numbers = program.variables.iter().filter(|v| v.sort == Sort::Int);
    assert_eq!(numbers.map(|v| &*v.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn an_array_of_truths_stays_one() {
    let body = "_Bool b[3] = {0, 1}; g = b[1]; b[g + 1] = b[0] + 5; assert(b[2] && !b[0]);";
    for integers in [Integers::Bits, Integers::Mathematical] {
        assert_eq!(verdict(integers, body), Verdict::Safe, "{integers:?}");
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
