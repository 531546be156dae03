//! How fast facts are loaded: rows a second, beside reading the same bytes and splitting
//! them into fields with nothing done to them.

use heddle_datalog::fact_files::read_folder;
use heddle_datalog::theory::{BackendKind, Theory};
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROWS: usize = 1_000_000;
const ROUNDS: usize = 5;

const RULES: &str = "
.decl event(e: symbol, thread: symbol, index: number)
.decl rf(w: symbol, r: symbol) choice
.input event, rf
.decl out(e: symbol)
.output out
out(e) :- event(e, _, 0), rf(e, e).
";

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut events = String::new();
    for index in 0..ROWS / 2 {
        let _ = writeln!(events, "e{index}\tt{}\t{}", index % 16, index / 16);
    }
    let mut links = String::new();
    for index in 0..ROWS / 2 {
        let _ = writeln!(links, "e{}\te{index}\ts{index}", index * 7 % (ROWS / 2));
    }
    fs::write(folder.path().join("event.facts"), events).expect("a writable folder");
    fs::write(folder.path().join("rf.facts"), links).expect("a writable folder");

    let rules = heddle_language::load_text("bench.dl", RULES).expect("a rule set");
    let rules = Arc::new(rules.rules);
    let load = best_of(|| {
        let mut theory = Theory::new(rules.clone(), BackendKind::Naive).expect("any rule set");
        read_folder(&mut theory, folder.path()).expect("facts that fit");
        black_box(&theory);
    });
    let split = best_of(|| {
        for file in ["event.facts", "rf.facts"] {
            let text = fs::read_to_string(folder.path().join(file)).expect("the file");
            let fields: usize = text.lines().map(|line| line.split('\t').count()).sum();
            black_box(fields);
        }
    });
    println!("loading facts: {ROWS} rows, symbols and numbers, half of them with a literal");
    println!(
        "  {:.2} million rows a second; {:.1} times reading and splitting alone",
        ROWS as f64 / load.as_secs_f64() / 1e6,
        load.as_secs_f64() / split.as_secs_f64(),
    );
}

fn best_of(mut work: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        work();
        best = best.min(started.elapsed());
    }
    best
}
