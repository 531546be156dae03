//! The `match` engine: concrete states a minute where no solver is asked, beside exhaustive
//! exploration of the same program; and queries a second where it is.

mod baseline;

use baseline::timing::{ratio, times};
use heddle_engine::matching::{Options, Outcome, check};
use heddle_interpret::{Interleavings, explore};
use heddle_program::Program;
use std::fmt::Write;
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Processes that count to ten, each in a variable of its own: 10^processes states.
fn counters(processes: usize, error: &str) -> Program {
    let mut text = String::new();
    for process in 0..processes {
        let _ = writeln!(text, "shared pc{process}: int = 0;");
        for place in 0..9 {
            let next = place + 1;
            let _ = writeln!(text, "pc{process} = {place} -> pc{process} := {next};");
        }
    }
    let _ = writeln!(text, "error: {error};");
    heddle_front::hd::read("counters.hd", &text)
        .expect("a correct model")
        .0
}

fn example(name: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples/abstract-matching");
    let text = fs::read_to_string(folder.join(name)).expect("an example");
    heddle_front::hd::read(name, &text)
        .expect("a correct example")
        .0
}

fn run(program: &Program) -> Outcome {
    check(program, &Options::default(), &mut ())
}

fn generated(outcome: &Outcome) -> u64 {
    outcome
        .statistics
        .iterations
        .iter()
        .map(|i| i.concrete_states)
        .sum()
}

fn main() {
    without_queries();
    with_queries();
}

fn without_queries() {
    let last = "pc0 = 9 && pc1 = 9 && pc2 = 9 && pc3 = 9 && pc4 = 9";
    for (what, error) in [
        ("safe, with the check of the structure", "pc0 = 10"),
        ("unsafe, with the run from provenance", last),
    ] {
        let program = counters(5, error);
        let options = heddle_interpret::Options {
            interleavings: Interleavings::All,
            ..heddle_interpret::Options::default()
        };
        let outcome = run(&program);
        assert_eq!(outcome.statistics.queries(), 0);
        let [matching, exploring] = times([&mut || drop(black_box(run(&program))), &mut || {
            drop(black_box(explore(&program, &options)))
        }]);
        let states = generated(&outcome) as f64 / matching.as_secs_f64() * 60.0;
        println!("counters, 100,000 abstract states, {what}:");
        println!(
            "  {:.1} million concrete states a minute; {:.1} times as long as exploring",
            states / 1e6,
            ratio(matching, exploring),
        );
    }
}

fn with_queries() {
    println!("queries:");
    for name in ["ticket2.hd", "ticket3.hd", "bakery.hd"] {
        let program = example(name);
        let statistics = run(&program).statistics;
        let time = statistics.iterations.iter().map(|i| i.questions.time);
        let time = time.sum::<std::time::Duration>();
        let conclusions: u64 = statistics
            .iterations
            .iter()
            .map(|i| i.questions.conclusions)
            .sum();
        let hits = statistics.cache_hits();
        println!(
            "  {name:11} {:4} queries for {:4} conclusions, {:.0} queries a second; \
             {:.0} % of all conclusions were known",
            statistics.queries(),
            conclusions,
            statistics.queries() as f64 / time.as_secs_f64(),
            100.0 * hits as f64 / (hits + conclusions) as f64,
        );
    }
}
