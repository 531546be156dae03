//! Every program in `docs/examples` has the verdict that its first line says.

use heddle_front::hd;
use heddle_interpret::{Interleavings, Options, Order, explore};
use heddle_program::{Program, Verdict};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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

fn check(path: &Path, program: &Program, expected: Expected) -> Result<(), String> {
    let problems = program.validate();
    if !problems.is_empty() {
        return Err(format!("is not well-formed: {problems:?}"));
    }
    let beyond_reach = expected == Expected::SafeBeyondReach;
    let options = Options {
        order: Order::BreadthFirst,
        interleavings: Interleavings::All,
        max_states: Some(if beyond_reach { 20_000 } else { 5_000_000 }),
        timeout: Some(Duration::from_secs(60)),
        ..Options::default()
    };
    let start = Instant::now();
    let exploration = explore(program, &options);
    let verdict = exploration.verdict(program);
    println!(
        "{:60} {:>8} states {:>8.1?}  {verdict}",
        path.file_name().unwrap().to_string_lossy(),
        exploration.states,
        start.elapsed()
    );
    match (expected, &verdict) {
        (Expected::Safe, Verdict::Safe) => Ok(()),
        (Expected::Unsafe, Verdict::Unsafe) => Ok(()),
        (Expected::SafeBeyondReach, Verdict::Unknown(_)) if exploration.stop.is_some() => Ok(()),
        _ => Err(format!("is {expected:?}, but exploration says {verdict}")),
    }
}

#[test]
fn models_have_their_verdicts() {
    let mut wrong = Vec::new();
    let examples = examples("hd");
    assert!(examples.len() > 30);
    for path in examples {
        let text = std::fs::read_to_string(&path).unwrap();
        let (program, warnings) = match hd::read(&path.to_string_lossy(), &text) {
            Ok(read) => read,
            Err(report) => panic!("{report}"),
        };
        assert!(warnings.diagnostics.is_empty(), "{warnings}");
        if let Err(why) = check(&path, &program, expected(&path, &text)) {
            wrong.push(format!("{} {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
