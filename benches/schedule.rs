//! The `schedule` engine on worked examples: what named orders, blocks as points and
//! bits in place of integers save, each measured against the same program without it.

mod baseline;

use baseline::timing::{milliseconds, ratio, times};
use heddle_datalog::theory::built_in;
use heddle_engine::schedule::{Options, Outcome, Reasons, check};
use heddle_program::Program;
use heddle_solver::Backend;
use std::path::Path;
use std::time::Duration;

/// Program and bound.
const PROGRAMS: [(&str, u32); 6] = [
    ("scheduling-constraint/running-example.c", 1),
    ("classics/peterson.c", 2),
    ("classics/peterson.hd", 2),
    ("classics/ticket-lock.c", 2),
    ("classics/treiber-stack.c", 1),
    ("control-abstraction/bakery-atomic.hd", 4),
];

fn main() {
    println!("the schedule engine: time, rounds, and the time of other settings by comparison");
    println!();
    println!(
        "program                                      bound  events  rounds         time  kernel reasons  / named  sc.dl  / blocks  by Z3  / CaDiCaL"
    );
    for (name, unwind) in PROGRAMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = path.join("docs/examples").join(name);
        let loaded = heddle_front::load(&path, &heddle_front::Options::default());
        let (program, _) = loaded.unwrap_or_else(|report| panic!("{name}: {report}"));
        measure(&program, name, unwind);
    }
}

fn measure(program: &Program, name: &str, unwind: u32) {
    let blocks = built_in("sc_blocks").expect("a built-in rule set");
    let plain = built_in("sc").expect("a built-in rule set");
    let named = Options {
        unwind: Some(unwind),
        ..Options::new(blocks)
    };
    let kernel = Options {
        reasons: Reasons::Kernel,
        ..named.clone()
    };
    let events = Options {
        rules: plain,
        ..named.clone()
    };
    let z3 = Options {
        solver: Some(Backend::Z3),
        ..named.clone()
    };
    let outcome = run(program, &named);
    for other in [&kernel, &events, &z3] {
        assert_eq!(run(program, other).verdict, outcome.verdict, "{name}");
    }
    let [time, by_kernel, by_events, by_z3] = times([
        &mut || drop(run(program, &named)),
        &mut || drop(run(program, &kernel)),
        &mut || drop(run(program, &events)),
        &mut || drop(run(program, &z3)),
    ]);
    let beside = |other: Duration| ratio(other, time);
    println!(
        "{name:<44} {unwind:>5}  {:>6}  {:>6}  {:>11}  {:>23.1}  {:>15.1}  {:>17.1}",
        outcome.statistics.events,
        outcome.statistics.rounds(),
        milliseconds(time),
        beside(by_kernel),
        beside(by_events),
        beside(by_z3),
    );
}

fn run(program: &Program, options: &Options) -> Outcome {
    match check(program, options, &mut ()) {
        Ok(outcome) => outcome,
        Err(missing) => panic!("{missing:?}"),
    }
}
