//! Small C programs, one a feature, have the verdict that their first line says.
//!
//! A second line may say how to read them. The sequential ones are also run by gcc, and are
//! unsafe with an error where they end: nothing was assumed away on the way there.

use heddle_front::c;
use heddle_interpret::{NondetRange, Options, explore};
use heddle_program::Verdict;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn programs(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/c")
        .join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    files
}

/// What the comments at the top say.
struct Expectation {
    verdict: String,
    options: c::Options,
    range: NondetRange,
}

fn expectation(path: &Path, text: &str) -> Expectation {
    let mut lines = text.lines();
    let first = lines
        .next()
        .and_then(|line| line.strip_prefix("// expect: "));
    let Some(verdict) = first else {
        panic!(
            "{}: the first line does not say what to expect",
            path.display()
        );
    };
    let mut options = c::Options::default();
    let mut range = NondetRange::default();
    let second = lines
        .next()
        .and_then(|line| line.strip_prefix("// options: "));
    for word in second.unwrap_or("").split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        match name {
            "check_memory" => options.check_memory = true,
            "check_overflow" => options.check_overflow = true,
            "malloc_may_fail" => options.malloc_may_fail = true,
            "max_threads" => options.max_threads = value.parse().unwrap(),
            "recursion" => options.recursion = value.parse().unwrap(),
            "max_heap_objects" => options.max_heap_objects = value.parse().unwrap(),
            "range" => {
                let (low, high) = value.split_once("..").unwrap();
                range.low = low.parse().unwrap();
                range.high = high.parse().unwrap();
            }
            other => panic!("{}: unknown option {other}", path.display()),
        }
    }
    Expectation {
        verdict: format!("VERDICT: {verdict}"),
        options,
        range,
    }
}

fn verdict(path: &Path, options: &c::Options, range: NondetRange) -> Result<Verdict, String> {
    let (program, _) = c::load(path, options).map_err(|report| report.to_string())?;
    let problems = program.validate();
    if !problems.is_empty() {
        return Err(format!("is not well-formed: {problems:?}"));
    }
    let result = explore(
        &program,
        &Options {
            range,
            timeout: Some(Duration::from_secs(60)),
            ..Options::default()
        },
    );
    Ok(result.verdict(&program))
}

fn check(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).unwrap();
    let expected = expectation(path, &text);
    let found = verdict(path, &expected.options, expected.range)?;
    // A choice of values that is not complete says so; the program is safe all the same.
    let safe_in_range = matches!(&found, Verdict::Unknown(why) if why.starts_with("safe for"));
    if found.to_string() != expected.verdict
        && !(safe_in_range && expected.verdict == "VERDICT: SAFE")
    {
        return Err(format!("expected {}, found {found}", expected.verdict));
    }
    if text.contains("REACHED();") {
        let mut options = expected.options.clone();
        options
            .define
            .push("REACHED()=__VERIFIER_error()".to_owned());
        let found = verdict(path, &options, expected.range)?;
        if found != Verdict::Unsafe {
            return Err(format!("its end is not reached: {found}"));
        }
    }
    Ok(())
}

fn check_all(folder: &str) {
    let mut wrong = Vec::new();
    let programs = programs(folder);
    assert!(!programs.is_empty());
    for path in &programs {
        if let Err(why) = check(path) {
            wrong.push(format!("{}: {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sequential_programs_have_their_verdicts() {
    check_all("sequential");
}

#[test]
fn threaded_programs_have_their_verdicts() {
    check_all("threads");
}

/// The size of the copy is not a constant, so the program has a bound.
#[test]
fn a_copied_string_is_an_object_of_its_own() {
    let text = "char *strdup(const char *); int main(void) { char text[] = \"hi\"; \
        char *copy = strdup(text); copy[0] = 'p'; if (copy == text || text[0] != 'h' || \
        copy[1] != 'i' || copy[2] != 0) __VERIFIER_error(); }";
    let translated = c::translate("given.i", text, &c::Options::default());
    let (program, _) = translated.unwrap_or_else(|report| panic!("{report}"));
    let result = explore(&program, &Options::default());
    assert_eq!(result.verdict(&program), Verdict::Safe);
}

#[test]
fn both_data_models_accept_the_threaded_programs() {
    for path in programs("threads") {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut expected = expectation(&path, &text);
        expected.options.data_model = c::DataModel::Ilp32;
        let found = verdict(&path, &expected.options, expected.range).unwrap();
        let unsafe_here = found == Verdict::Unsafe;
        let unsafe_there = expected.verdict == "VERDICT: UNSAFE";
        assert_eq!(unsafe_here, unsafe_there, "{}: {found}", path.display());
    }
}

/// The assertions of the sequential programs hold in real life too.
#[test]
fn gcc_agrees_with_the_sequential_programs() {
    let folder = tempfile::tempdir().unwrap();
    for path in programs("sequential") {
        let binary = folder.path().join("program");
        let compiled = Command::new("gcc")
            .args(["-w", "-fwrapv", "-std=gnu11", "-o"])
            .args([&binary, &path])
            .output();
        let Ok(compiled) = compiled else {
            println!("skipped: there is no gcc");
            return;
        };
        let messages = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{}: {messages}", path.display());
        let run = Command::new(&binary).output().unwrap();
        let messages = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{}: {messages}", path.display());
    }
}
