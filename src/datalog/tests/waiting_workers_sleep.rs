//! Workers that have nothing to do leave the processor to others.

#![cfg(target_os = "linux")]

mod common;

use heddle_datalog::incremental::Incremental;
use heddle_datalog::theory::Theory;
use std::fs;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

const RULES: &str = "
.decl edge(a: symbol, b: symbol)
.decl path(a: symbol, b: symbol)
.output path
path(a, b) :- edge(a, b).
path(a, c) :- path(a, b), edge(b, c).
";

/// What all threads of this process have used so far, in hundredths of a second.
fn processor_time() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let (_, after_name) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let field = |number: usize| fields[number].parse::<u64>().unwrap();
    field(11) + field(12)
}

#[test]
fn between_two_changes_of_the_facts() {
    let workers = NonZeroUsize::new(3).unwrap();
    let mut theory = Theory::with_backend(common::load(RULES), |rules, symbols| {
        Some(Box::new(Incremental::with_workers(rules, symbols, workers)))
    })
    .unwrap();
    let edge = theory.rules().find("edge").unwrap();
    let row = common::row(&mut theory, "edge", &["a", "b"]);
    theory.insert(edge, row);
    theory.settle().unwrap();

    let before = processor_time();
    thread::sleep(Duration::from_millis(600));
    let used = processor_time() - before;
    assert!(used < 10, "{used} hundredths of a second");
}
