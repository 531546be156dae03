//! Every program in `docs/examples` has the verdict that its first line says.

use heddle_front::load;
use heddle_interpret::{Interleavings, Options, Order, explore};
use heddle_program::{Program, Verdict};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What the first line of an example says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Safe,
    Unsafe,
    /// Safe, with more states than can be explored.
    SafeBeyondReach,
}

fn expected(path: &Path, text: &str) -> Expected {
    match text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("// expect: "))
    {
        Some("SAFE") => Expected::Safe,
        Some("UNSAFE") => Expected::Unsafe,
        Some("SAFE (infinite state)") => Expected::SafeBeyondReach,
        other => panic!("{}: its first line says {other:?}", path.display()),
    }
}

fn examples(extension: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut found = Vec::new();
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            let files = std::fs::read_dir(folder).unwrap();
            found.extend(files.map(|file| file.unwrap().path()));
        }
    }
    found.retain(|path| path.extension().is_some_and(|found| found == extension));
    found.sort();
    found
}

/// Which interleavings are tried, and how many states at most.
#[derive(Clone, Copy)]
struct Effort {
    interleavings: Interleavings,
    max_states: u64,
}

fn check(path: &Path, program: &Program, expected: Expected, effort: Effort) -> Result<(), String> {
    let problems = program.validate();
    if !problems.is_empty() {
        return Err(format!("is not well-formed: {problems:?}"));
    }
    let beyond_reach = expected == Expected::SafeBeyondReach;
    let options = Options {
        order: Order::BreadthFirst,
        interleavings: effort.interleavings,
        max_states: Some(if beyond_reach {
            20_000
        } else {
            effort.max_states
        }),
        ..Options::default()
    };
    let start = Instant::now();
    let exploration = explore(program, &options);
    let verdict = exploration.verdict(program);
    println!(
        "{:40} {:>8} states {:>8.1?}  {verdict}",
        path.file_name().unwrap().to_string_lossy(),
        exploration.states,
        start.elapsed()
    );
    match (expected, &verdict) {
        (Expected::Safe, Verdict::Safe) => Ok(()),
        (Expected::Unsafe, Verdict::Unsafe) => Ok(()),
        (Expected::SafeBeyondReach, Verdict::Unknown(_)) => Ok(()),
        _ => Err(format!("is {expected:?}, but exploration says {verdict}")),
    }
}

fn check_all(extension: &str, least: usize, effort: Effort) {
    let mut wrong = Vec::new();
    let examples = examples(extension);
    assert!(examples.len() >= least, "{} examples", examples.len());
    for path in examples {
        let text = std::fs::read_to_string(&path).unwrap();
        let result = match load(&path, &Default::default()) {
            Ok((program, warnings)) if warnings.diagnostics.is_empty() => {
                check(&path, &program, expected(&path, &text), effort)
            }
            Ok((_, report)) | Err(report) => Err(format!("is reported as\n{report}")),
        };
        if let Err(why) = result {
            wrong.push(format!("{} {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn models_have_their_verdicts() {
    check_all(
        "hd",
        45,
        Effort {
            interleavings: Interleavings::All,
            max_states: 1_000_000,
        },
    );
}

#[test]
fn c_programs_have_their_verdicts() {
    check_all(
        "c",
        36,
        Effort {
            interleavings: Interleavings::Enough,
            max_states: 2_000_000,
        },
    );
}
