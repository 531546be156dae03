//! Random expressions over all integer types have the values that gcc gives them, in both
//! data models: conversions, shifts, division, wrapping signed arithmetic, and the functions of
//! the compiler's own that look at bits.
//!
//! Each file has many cases. Compiled with gcc it prints their values; the same text that
//! ends in an error wherever a value is another one must reach its last line.

mod c_random;

use c_random::expression::{Scope, TYPES, any_type, interesting};
use c_random::{error_is_in_the_last_line, gcc};
use fastrand::Rng;
use heddle_front::c::DataModel;
use std::fmt::Write as _;

const FILES: u64 = 5;
const CASES: usize = 500;

/// One statement that computes a value, over variables of all types.
struct Case {
    /// Assignments that come first.
    before: String,
    expression: String,
    result_type: &'static str,
}

/// The variables that expressions mention: two of each type, with interesting values.
fn variables(rng: &mut Rng) -> (String, Scope) {
    let (mut text, mut scope) = (String::new(), Scope::default());
    for (index, ty) in TYPES.iter().enumerate() {
        for copy in 0..2 {
            let (name, value) = (format!("v{index}_{copy}"), interesting(rng));
            let _ = writeln!(text, "{ty} {name} = ({ty}){value};");
            scope.places.push(name);
        }
    }
    (text, scope)
}

/// The compiler's functions on bits, those that are undefined for zero by others that are not.
fn bit_functions() -> (String, Vec<(String, usize)>) {
    let (mut text, mut names) = (String::new(), Vec::new());
    for (suffix, ty) in [("", "int"), ("l", "long"), ("ll", "long long")] {
        for stem in ["popcount", "parity", "ffs"] {
            names.push(format!("__builtin_{stem}{suffix}"));
        }
        for stem in ["ctz", "clz"] {
            let builtin = format!("__builtin_{stem}{suffix}");
            let name = format!("{stem}{suffix}_or_minus_one");
            let _ = writeln!(
                text,
                "static int {name}(unsigned {ty} x) {{ return x ? {builtin}(x) : -1; }}"
            );
            names.push(name);
        }
    }
    names.extend(["16", "32", "64"].map(|width| format!("__builtin_bswap{width}")));
    (text, names.into_iter().map(|name| (name, 1)).collect())
}

fn case(rng: &mut Rng, scope: &Scope) -> Case {
    let mut before = String::new();
    for _ in 0..rng.usize(..3) {
        let target = scope.place(rng, 0);
        let _ = match rng.u8(..5) {
            0 => writeln!(before, "  {target} = {};", scope.expression(rng, 2)),
            1 => writeln!(
                before,
                "  {target}{};",
                if rng.bool() { "++" } else { "--" }
            ),
            2 => {
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][rng.usize(..6)];
                writeln!(before, "  {target} {op} {};", scope.expression(rng, 2))
            }
            3 => {
                let op = ["/=", "%="][rng.usize(..2)];
                writeln!(before, "  {target} {op} {};", scope.divisor(rng, 1))
            }
            _ => {
                let op = ["<<=", ">>="][rng.usize(..2)];
                writeln!(
                    before,
                    "  {target} {op} ({} & 7);",
                    scope.expression(rng, 1)
                )
            }
        };
    }
    Case {
        before,
        expression: scope.expression(rng, 4),
        result_type: any_type(rng),
    }
}

fn compare(model: DataModel, (functions, names): (String, Vec<(String, usize)>)) {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for seed in 0..FILES {
        let mut rng = Rng::with_seed(seed);
        let (mut variables, mut scope) = variables(&mut rng);
        variables += &functions;
        scope.functions.clone_from(&names);
        let cases: Vec<_> = (0..CASES).map(|_| case(&mut rng, &scope)).collect();

        let mut printing = String::new();
        for case in &cases {
            let _ = writeln!(
                printing,
                "{}  {{ {} r = {}; observe(r); }}",
                case.before, case.result_type, case.expression
            );
        }
        let Some(values) = gcc::observe(folder.path(), model, &variables, &printing) else {
            return;
        };
        assert_eq!(values.len(), cases.len());

        let mut asserting = format!("void reach_error(void);\n{variables}\nint main(void) {{\n");
        for (case, &value) in cases.iter().zip(&values) {
            let _ = writeln!(
                asserting,
                "{}  {{ {} r = {}; if ((long long)r != {}) reach_error(); }}",
                case.before,
                case.result_type,
                case.expression,
                gcc::literal(value)
            );
        }
        asserting += "reach_error(); }";
        if let Err(why) = error_is_in_the_last_line(&asserting, model) {
            panic!("seed {seed}: {why}\n{variables}");
        }
        compared += cases.len();
    }
    assert_eq!(compared as u64, FILES * CASES as u64);
}

#[test]
fn random_expressions_have_their_values_with_64_bits() {
    compare(DataModel::Lp64, Default::default());
}

#[test]
fn random_expressions_have_their_values_with_32_bits() {
    compare(DataModel::Ilp32, Default::default());
}

#[test]
fn functions_on_bits_have_their_values_with_64_bits() {
    compare(DataModel::Lp64, bit_functions());
}

#[test]
fn functions_on_bits_have_their_values_with_32_bits() {
    compare(DataModel::Ilp32, bit_functions());
}

/// The comparison notices a difference, and an end that is never reached.
#[test]
fn a_wrong_value_is_found() {
    let text = |wanted: &str| {
        format!(
            "void reach_error(void); short v = -3;\n\
             int main(void) {{ {{ unsigned char r = v; if (r != {wanted}) reach_error(); }}\n\
             reach_error(); }}"
        )
    };
    assert_eq!(
        error_is_in_the_last_line(&text("253"), DataModel::Lp64),
        Ok(())
    );
    let wrong = error_is_in_the_last_line(&text("252"), DataModel::Lp64);
    assert!(wrong.unwrap_err().contains("line 2"));
    let stuck = "void reach_error(void);\nint main(void) { for (;;) ;\nreach_error(); }";
    let stuck = error_is_in_the_last_line(stuck, DataModel::Lp64);
    assert!(stuck.unwrap_err().contains("not reached"));
}
