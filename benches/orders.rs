//! `rules/sc.dl`, compiled, on random consistent executions, against closures written by
//! hand: how many times as long, and how fast does it grow?

mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::facts::{self, Links};
use baseline::timing::{milliseconds, ratio, times};
use baseline::{bit_sets, chain_clocks};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
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
    let rules = built_in("sc").expect("sc is built in");
    let mut theory = Theory::new(rules, BackendKind::Compiled).expect("sc is compiled");
    facts::insert(&mut theory, execution, Links::Always);
    theory
}

/// All three closures are the same, on a sample of pairs.
fn check(theory: &mut Theory, execution: &Execution) {
    theory.settle().expect("the chains are right");
    let (clocks, bits) = (chain_clocks::close(execution), bit_sets::close(execution));
    let lt = facts::relation(theory, "lt");
    let mut rng = fastrand::Rng::with_seed(4);
    for _ in 0..100_000 {
        let mut number = || rng.u32(..execution.places.len() as u32);
        let (a, b) = (number(), number());
        let derived = theory.contains(lt, &[facts::event(theory, a), facts::event(theory, b)]);
        assert_eq!(derived, clocks.is_before(a, b), "{a} before {b}");
        assert_eq!(derived, bits.is_before(a, b), "{a} before {b}");
    }
}
