//! Random sequential programs compute what they compute when gcc has compiled them, in both
//! data models.

mod c_random;
#[path = "c_random/program.rs"]
mod program;

use c_random::{error_is_in_the_last_line, gcc};
use fastrand::Rng;
use heddle_front::c::DataModel;
use program::{RandomProgram, random_program};
use std::fmt::Write as _;

/// Programs in one file for gcc, and files.
const PROGRAMS: u64 = 10;
const FILES: u64 = 3;

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.map_or(default, |text| text.parse().expect("a number"))
}

/// The program that ends in an error where a value is not what it was for gcc, and else in
/// its last line.
fn asserting(program: &RandomProgram, values: &[i64]) -> String {
    let mut text = format!(
        "void reach_error(void);\n{}\nint main(void) {{\n{}();\n",
        program.declarations, program.run
    );
    for (place, &value) in program.observed.iter().zip(values) {
        let value = gcc::literal(value);
        let _ = writeln!(text, "if ((long long)({place}) != {value}) reach_error();");
    }
    text + "reach_error(); }"
}

fn compare(model: DataModel) {
    let folder = tempfile::tempdir().unwrap();
    let first = number("SEED", 0);
    for seed in first..first + number("FILES", FILES) {
        let mut rng = Rng::with_seed(seed);
        let programs: Vec<RandomProgram> = (0..PROGRAMS)
            .map(|program| random_program(&mut rng, &format!("_p{program}")))
            .collect();
        let (mut declarations, mut body) = (String::new(), String::new());
        for program in &programs {
            declarations += &program.declarations;
            let _ = writeln!(body, "{}();", program.run);
            for place in &program.observed {
                let _ = writeln!(body, "observe({place});");
            }
        }
        let Some(values) = gcc::observe(folder.path(), model, &declarations, &body) else {
            continue;
        };
        let mut values = &values[..];
        for (number, program) in programs.iter().enumerate() {
            let (own, rest) = values.split_at(program.observed.len());
            values = rest;
            let text = asserting(program, own);
            if let Err(why) = error_is_in_the_last_line(&text, model) {
                panic!("seed {seed}, program {number}: {why}\n{text}");
            }
        }
        assert!(values.is_empty());
    }
}

#[test]
fn random_programs_compute_the_same_with_64_bits() {
    compare(DataModel::Lp64);
}

#[test]
fn random_programs_compute_the_same_with_32_bits() {
    compare(DataModel::Ilp32);
}
