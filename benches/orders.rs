//! `rules/sc.dl`, compiled, on random consistent executions, against closures written by
//! hand: how many times as long, and how fast does it grow?

mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::timing::{ratio, times};
use baseline::{bit_sets, chain_clocks};
use heddle_datalog::compiled::{Compiled, built_in};
use heddle_datalog::theory::Theory;
use heddle_datalog::value::Value;
use heddle_language::load_text;
use std::sync::Arc;
use std::time::Duration;

const LINKED: f64 = 0.7;

fn main() {
    println!(
        "rules/sc.dl, compiled, {:.0} % of the reads linked",
        100.0 * LINKED
    );
    println!();
    println!("events  threads   chain clocks     bit sets   compiled  / clocks  / bit sets");
    for (events, threads) in [(500, 8), (2_000, 8), (2_000, 16), (8_000, 8)] {
        let execution = consistent(events, threads, LINKED, 0.0, 1);
        let times = measure(&execution);
        println!(
            "{events:6}  {threads:7}  {:>12} {:>12} {:>10}  {:8.2}  {:10.2}",
            milliseconds(times.clocks),
            milliseconds(times.bits),
            milliseconds(times.compiled),
            ratio(times.compiled, times.clocks),
            ratio(times.compiled, times.bits),
        );
    }
    println!();
    growth();
    println!();
    blocks();
}

struct Times {
    clocks: Duration,
    bits: Duration,
    compiled: Duration,
}

fn measure(execution: &Execution) -> Times {
    let mut theory = theory(execution);
    check(&mut theory, execution);
    let [clocks, bits, compiled] = times([
        &mut || drop(chain_clocks::close(execution)),
        &mut || drop(bit_sets::close(execution)),
        &mut || theory.settle().expect("the chains are right"),
    ]);
    Times {
        clocks,
        bits,
        compiled,
    }
}

/// From 500 to 8,000 events at 8 threads.
fn growth() {
    let mut first: Option<(usize, Duration)> = None;
    println!("events  compiled  exponent since 500 events, 8 threads");
    for events in [500, 1_000, 2_000, 4_000, 8_000] {
        let execution = consistent(events, 8, LINKED, 0.0, 2);
        let mut theory = theory(&execution);
        let [time] = times([&mut || theory.settle().expect("the chains are right")]);
        let (least, base) = *first.get_or_insert((events, time));
        let exponent = match events == least {
            true => String::new(),
            false => {
                let growth = ratio(time, base).ln() / (events as f64 / least as f64).ln();
                format!("n^{growth:.2}")
            }
        };
        println!("{events:6}  {:>8}  {exponent}", milliseconds(time));
    }
}

/// What atomic blocks add.
fn blocks() {
    println!("2,000 events, 16 threads, by the share of steps that are atomic blocks");
    println!("share  compiled  / without blocks");
    let mut without = None;
    for share in [0.0, 0.1, 0.3, 0.6] {
        let execution = consistent(2_000, 16, LINKED, share, 3);
        let mut theory = theory(&execution);
        let [time] = times([&mut || theory.settle().expect("the chains are right")]);
        let base = *without.get_or_insert(time);
        println!(
            "{share:5}  {:>8}  {:8.2}",
            milliseconds(time),
            ratio(time, base)
        );
    }
}

fn theory(execution: &Execution) -> Theory {
    let sc = built_in()
        .iter()
        .find(|built_in| built_in.name == "sc")
        .expect("sc is built in");
    let rules = load_text("sc.dl", sc.text)
        .expect("a built-in rule set loads")
        .rules;
    let make = |_, symbols: &mut _| Some(Box::new(Compiled::of(sc, symbols)) as _);
    let mut theory = Theory::with_backend(Arc::new(rules), make).expect("sc is compiled");
    fill(&mut theory, execution);
    theory
}

fn fill(theory: &mut Theory, execution: &Execution) {
    let events: Vec<Value> = (0..execution.places.len())
        .map(|event| theory.symbols_mut().intern(&format!("e{event}")))
        .collect();
    let name = |theory: &mut Theory, kind: &str, number: u32| {
        theory.symbols_mut().intern(&format!("{kind}{number}"))
    };
    let relation = |theory: &Theory, name: &str| {
        theory
            .rules()
            .find(name)
            .expect("sc declares the usual relations")
    };
    let (event, executed) = (relation(theory, "event"), relation(theory, "executed"));
    for (&symbol, &(thread, index)) in events.iter().zip(&execution.places) {
        let thread = name(theory, "t", thread);
        theory.insert(event, [symbol, thread, Value(i64::from(index))]);
        theory.insert(executed, [symbol]);
    }
    for (of, kind, rows) in [
        ("read", "v", &execution.reads),
        ("write", "v", &execution.writes),
        ("atomic", "k", &execution.blocks),
    ] {
        let of = relation(theory, of);
        for &(event, number) in rows {
            let second = name(theory, kind, number);
            theory.insert(of, [events[event as usize], second]);
        }
    }
    for (of, rows) in [("po", &execution.creations), ("rf", &execution.links)] {
        let of = relation(theory, of);
        for &(a, b) in rows {
            theory.insert(of, [events[a as usize], events[b as usize]]);
        }
    }
}

/// All three closures are the same, on a sample of pairs.
fn check(theory: &mut Theory, execution: &Execution) {
    theory.settle().expect("the chains are right");
    let (clocks, bits) = (chain_clocks::close(execution), bit_sets::close(execution));
    let lt = theory.rules().find("lt").expect("sc derives lt");
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..100_000 {
        let mut event = || rng.u32(..execution.places.len() as u32);
        let (a, b) = (event(), event());
        let symbol = |event: u32| {
            theory
                .symbols()
                .get(&format!("e{event}"))
                .expect("it is in")
        };
        let derived = theory.contains(lt, &[symbol(a), symbol(b)]);
        assert_eq!(derived, clocks.is_before(a, b), "{a} before {b}");
        assert_eq!(derived, bits.is_before(a, b), "{a} before {b}");
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
