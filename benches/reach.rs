//! The `predicate` engine: what each source of predicates, abstraction, way to compute posts,
//! scope of predicates and back end of the rules proves of the safe examples, and how long it
//! takes, relative to what is the default.

use heddle_datalog::theory::BackendKind;
use heddle_engine::predicate;
use heddle_engine::reach::{Abstraction, Limits, Options, Outcome, Posts, Scoping, Source};
use heddle_program::{Program, Verdict};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// For each program and mode.
const LIMIT: Duration = Duration::from_secs(3);

const FOLDERS: [&str; 4] = [
    "abstract-matching",
    "classics",
    "control-abstraction",
    "lecture-loops",
];

fn main() {
    let programs = safe_examples();
    println!("{} safe programs, {LIMIT:?} each", programs.len());
    println!("mode                proved  rounds  predicates  posts asked  solver calls  time");
    let mut default: Vec<Run> = Vec::new();
    for (name, options) in modes() {
        let runs: Vec<Run> = programs.iter().map(|p| Run::new(p, &options)).collect();
        if default.is_empty() {
            default = runs.clone();
        }
        println!("{name:18} {}", row(&runs, &default));
    }
}

fn modes() -> Vec<(&'static str, Options)> {
    use Source::{LinearCombination, StrongestPostcondition, WeakestPrecondition};
    let from = |sources: &[Source]| Options {
        sources: sources.to_vec(),
        ..Options::default()
    };
    vec![
        ("default", Options::default()),
        ("linear", from(&[LinearCombination])),
        ("wp", from(&[WeakestPrecondition])),
        ("sp", from(&[StrongestPostcondition])),
        (
            "wp, sp",
            from(&[WeakestPrecondition, StrongestPostcondition]),
        ),
        (
            "sp, wp",
            from(&[StrongestPostcondition, WeakestPrecondition]),
        ),
        (
            "linear, sp, wp",
            from(&[
                LinearCombination,
                StrongestPostcondition,
                WeakestPrecondition,
            ]),
        ),
        (
            "boolean",
            Options {
                abstraction: Abstraction::Boolean,
                ..Options::default()
            },
        ),
        (
            "precomputed",
            Options {
                posts: Posts::Precomputed,
                ..Options::default()
            },
        ),
        (
            "location",
            Options {
                scoping: Scoping::PerLocation,
                ..Options::default()
            },
        ),
        (
            "incremental",
            Options {
                backend: BackendKind::Incremental,
                ..Options::default()
            },
        ),
    ]
}

/// The examples with a property to prove; the names of the others say that they are broken.
fn safe_examples() -> Vec<Program> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let mut paths: Vec<PathBuf> = Vec::new();
    for folder in FOLDERS {
        let entries = fs::read_dir(examples.join(folder)).expect("a folder of examples");
        paths.extend(entries.map(|entry| entry.expect("an example").path()));
    }
    paths.sort();
    let is_program = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("c" | "hd"))
    };
    let is_safe = |path: &PathBuf| {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        stem.is_some_and(|stem| !stem.ends_with("-broken") && !stem.ends_with("-err"))
    };
    let safe = paths
        .iter()
        .filter(|path| is_program(path) && is_safe(path));
    safe.map(|path| {
        let loaded = heddle_front::load(path, &heddle_front::Options::default());
        loaded.expect("a correct example").0
    })
    .collect()
}

#[derive(Clone)]
struct Run {
    is_proved: bool,
    time: Duration,
    rounds: usize,
    predicates: usize,
    posts: u64,
    calls: u64,
}

impl Run {
    fn new(program: &Program, options: &Options) -> Run {
        let started = Instant::now();
        let options = Options {
            limits: Limits::until(started + LIMIT),
            ..options.clone()
        };
        let Outcome {
            verdict,
            statistics,
            ..
        } = predicate::check(program, &options, &mut ());
        Run {
            is_proved: matches!(verdict, Verdict::Safe | Verdict::SafeUpTo(_)),
            time: started.elapsed(),
            rounds: statistics.rounds.len(),
            predicates: statistics.predicates.len(),
            posts: statistics.posts(),
            calls: statistics.solver_calls,
        }
    }
}

/// How many are proved; and sums over those that the default proves, too, as ratios to it.
fn row(runs: &[Run], default: &[Run]) -> String {
    let proved = runs.iter().filter(|run| run.is_proved).count();
    let both = runs.iter().zip(default);
    let both: Vec<(&Run, &Run)> = both
        .filter(|(run, default)| run.is_proved && default.is_proved)
        .collect();
    let ratio = |measure: fn(&Run) -> f64| {
        let here: f64 = both.iter().map(|(run, _)| measure(run)).sum();
        let there: f64 = both.iter().map(|(_, default)| measure(default)).sum();
        here / there
    };
    format!(
        "{proved:7} {:7.2} {:11.2} {:12.2} {:13.2} {:5.2}",
        ratio(|run| run.rounds as f64),
        ratio(|run| run.predicates as f64),
        ratio(|run| run.posts as f64),
        ratio(|run| run.calls as f64),
        ratio(|run| run.time.as_secs_f64()),
    )
}
