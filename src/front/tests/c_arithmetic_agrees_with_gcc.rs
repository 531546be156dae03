//! Random sequential programs over all integer types give the values that gcc gives them.
//!
//! Each file has many cases. Compiled with gcc it prints their values; the same text with
//! these values as assertions must be safe.

mod c_random;

use c_random::{case, variables};
use fastrand::Rng;
use heddle_front::c;
use heddle_interpret::{Options, explore};
use heddle_program::Verdict;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const FILES: u64 = 8;
const CASES: usize = 500;

fn gcc(folder: &Path, text: &str) -> Option<Vec<String>> {
    let (source, program) = (folder.join("cases.c"), folder.join("cases"));
    std::fs::write(&source, text).unwrap();
    let compiled = Command::new("gcc")
        .args(["-w", "-fwrapv", "-std=gnu11", "-o"])
        .args([&program, &source])
        .output()
        .ok()?;
    let messages = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "gcc refuses: {messages}\n{text}");
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{text}");
    let output = String::from_utf8(run.stdout).unwrap();
    Some(output.lines().map(str::to_owned).collect())
}

#[test]
fn random_expressions_have_the_values_that_gcc_gives_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for seed in 0..FILES {
        let mut rng = Rng::with_seed(seed);
        let variables = variables(&mut rng);
        let cases: Vec<_> = (0..CASES).map(|_| case(&mut rng)).collect();

        let mut printing = format!("#include <stdio.h>\n{variables}\nint main(void) {{\n");
        for case in &cases {
            let _ = writeln!(
                printing,
                "{}  {{ {} r = {}; printf(\"%lld\\n\", (long long)r); }}",
                case.before, case.result_type, case.expression
            );
        }
        printing += "  return 0;\n}\n";
        let Some(values) = gcc(folder.path(), &printing) else {
            println!("skipped: there is no gcc");
            return;
        };
        assert_eq!(values.len(), cases.len());

        let mut asserting = format!("void reach_error(void);\n{variables}\nint main(void) {{\n");
        let mut lines = Vec::new();
        for (case, value) in cases.iter().zip(&values) {
            // The least number has no literal of its own.
            let value = match value.as_str() {
                "-9223372036854775808" => "(-9223372036854775807LL - 1)".to_owned(),
                value => format!("{value}LL"),
            };
            let _ = writeln!(
                asserting,
                "{}  {{ {} r = {}; if ((long long)r != {value}) reach_error(); }}",
                case.before, case.result_type, case.expression
            );
            lines.push(asserting.lines().count());
        }
        asserting += "  return 0;\n}\n";
        let (program, _) = c::translate("cases.c", &asserting, &c::Options::default())
            .unwrap_or_else(|report| panic!("{report}"));
        let problems = program.validate();
        assert!(problems.is_empty(), "{problems:?}");
        let result = explore(&program, &Options::default());
        let verdict = result.verdict(&program);
        if verdict != Verdict::Safe {
            let trace = result
                .violation
                .expect("a violation, if the verdict is not safe");
            let last = trace.steps.last().expect("a step");
            let span = program.edge(last.edge).span.expect("a place");
            let (line, _) = program.sources.line_column(span);
            let text: Vec<&str> = asserting.lines().collect();
            panic!("seed {seed}, line {line}: {}\n{variables}", text[line - 1]);
        }
        compared += cases.len();
    }
    println!("{compared} cases agree");
    assert_eq!(compared as u64, FILES * CASES as u64);
}

/// The comparison notices a difference: one wrong value makes the program unsafe.
#[test]
fn a_wrong_value_is_found() {
    let text = "void reach_error(void); short v = -3;\n\
                int main(void) { { unsigned char r = v; if (r != 252) reach_error(); } }";
    let (program, _) = c::translate("wrong.c", text, &c::Options::default()).unwrap();
    let verdict = explore(&program, &Options::default()).verdict(&program);
    assert_eq!(verdict, Verdict::Unsafe);
}
