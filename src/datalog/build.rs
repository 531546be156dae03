//! Compiles the built-in rule sets: one module of `ascent` code for each `rules/*.dl`.
//!
//! The rule sets of the tests are compiled too, into files of their own that only the
//! tests include.

use heddle_language::ascent::{Options, generate};
use heddle_language::load;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let built_in = modules(
        &here.join("../../rules"),
        "rules",
        &[("", Options::default())],
    );
    write(&out.join("built_in.rs"), &built_in);
    let twice = [
        ("", Options::default()),
        ("_all", Options { try_all: true }),
    ];
    let tests = modules(&here.join("tests/rules"), "tests/rules", &twice);
    write(&out.join("test_rules.rs"), &tests);
    let random = modules(
        &here.join("tests/rules/random"),
        "tests/rules/random",
        &[("", Options::default())],
    );
    write(&out.join("random_rules.rs"), &random);
}

/// A module for each rule file of the folder and each way to compile it, and a list of them.
fn modules(folder: &Path, shown: &str, ways: &[(&str, Options)]) -> String {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "dl"));
    files.sort();

    let mut text = String::new();
    let mut names = Vec::new();
    for file in &files {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let source = format!("{shown}/{stem}.dl");
        let rules = match load(file) {
            Ok(loaded) => loaded.rules,
            Err(report) => fail(&format!("{source} is no correct rule file:\n{report}")),
        };
        for (suffix, options) in ways {
            let name = format!("{}{suffix}", stem.replace('-', "_"));
            match generate(&name, &source, &rules, *options) {
                Ok(module) => text += &module,
                Err(why) => fail(&format!("{source}: {why}")),
            }
            text += "\n";
            names.push(name);
        }
    }
    let _ = writeln!(
        text,
        "/// In the order of their names.\n#[allow(unreachable_pub)]"
    );
    let _ = writeln!(
        text,
        "pub static ALL: &[&::heddle_datalog::compiled::BuiltIn] = &["
    );
    for name in &names {
        // Raw, because a rule set may be called by a keyword, such as `match`.
        let _ = writeln!(text, "    &r#{name}::BUILT_IN,");
    }
    text += "];\n";
    text
}

fn write(path: &Path, text: &str) {
    if let Err(error) = fs::write(path, text) {
        fail(&format!("cannot write {}: {error}", path.display()));
    }
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    process::exit(1);
}
