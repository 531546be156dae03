//! `rules/sc.dl`, incremental, on random consistent executions: what one link more or less
//! costs, against a closure from scratch that is written by hand.

mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::timing::{ratio, times};
use baseline::{bit_sets, chain_clocks};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use heddle_datalog::value::Value;
use std::time::Duration;

const LINKED: f64 = 0.7;

fn main() {
    println!(
        "rules/sc.dl, incremental, {:.0} % of the reads linked",
        100.0 * LINKED
    );
    println!();
    println!(
        "events  threads   chain clocks     bit sets   from scratch     one link  / clocks  / bit sets"
    );
    for (events, threads) in [(500, 8), (2_000, 8), (2_000, 16), (8_000, 8)] {
        let execution = consistent(events, threads, LINKED, 0.0, 1);
        let [clocks, bits, scratch, link] = measure(&execution);
        println!(
            "{events:6}  {threads:7}  {:>12} {:>12} {:>14} {:>12}  {:8.2}  {:10.2}",
            milliseconds(clocks),
            milliseconds(bits),
            milliseconds(scratch),
            milliseconds(link),
            ratio(link, clocks),
            ratio(link, bits),
        );
    }
}

/// The mean times of the two closures by hand, of the first `settle`, and of one that
/// follows the change of a link.
fn measure(execution: &Execution) -> [Duration; 4] {
    let mut theory = theory(execution);
    check(&mut theory, execution);
    let rf = theory.rules().find("rf").expect("sc declares rf");
    let links: Vec<[Value; 2]> = execution
        .links
        .iter()
        .map(|&(write, read)| [event(&theory, write), event(&theory, read)])
        .collect();
    let mut rng = fastrand::Rng::with_seed(5);
    let mut taken = None;
    let mut change_link = || {
        match taken.take() {
            Some(link) => theory.insert(rf, link),
            None => {
                let link = links[rng.usize(..links.len())];
                theory.retract(rf, &link);
                taken = Some(link);
            }
        }
        theory.settle().expect("the chains are right");
    };
    times([
        &mut || drop(chain_clocks::close(execution)),
        &mut || drop(bit_sets::close(execution)),
        &mut || {
            let mut fresh = self::theory(execution);
            fresh.settle().expect("the chains are right");
        },
        &mut change_link,
    ])
}

fn theory(execution: &Execution) -> Theory {
    let rules = built_in("sc").expect("sc is built in");
    let mut theory = Theory::new(rules, BackendKind::Incremental).expect("it takes any rules");
    for number in 0..execution.places.len() as u32 {
        theory.symbols_mut().intern(&format!("e{number}"));
    }
    for (number, &(thread, index)) in (0..).zip(&execution.places) {
        let event = event(&theory, number);
        let thread = theory.symbols_mut().intern(&format!("t{thread}"));
        let index = Value(i64::from(index));
        insert(&mut theory, "event", &[event, thread, index]);
        insert(&mut theory, "executed", &[event]);
    }
    for (relation, rows) in [("read", &execution.reads), ("write", &execution.writes)] {
        for &(number, variable) in rows {
            let event = event(&theory, number);
            let variable = theory.symbols_mut().intern(&format!("v{variable}"));
            insert(&mut theory, relation, &[event, variable]);
        }
    }
    for (relation, rows) in [("po", &execution.creations), ("rf", &execution.links)] {
        for &(a, b) in rows {
            let pair = [event(&theory, a), event(&theory, b)];
            insert(&mut theory, relation, &pair);
        }
    }
    theory
}

fn insert(theory: &mut Theory, relation: &str, row: &[Value]) {
    let relation = theory.rules().find(relation);
    theory.insert(relation.expect("sc declares the usual relations"), row);
}

fn event(theory: &Theory, number: u32) -> Value {
    let name = format!("e{number}");
    theory.symbols().get(&name).expect("all events are in")
}

/// The closures are the same, on a sample of pairs, and stay so when links change.
fn check(theory: &mut Theory, execution: &Execution) {
    theory.settle().expect("the chains are right");
    let lt = theory.rules().find("lt").expect("sc derives lt");
    let rf = theory.rules().find("rf").expect("sc declares rf");
    let closure = chain_clocks::close(execution);
    let mut rng = fastrand::Rng::with_seed(4);
    let &(write, read) = rng.choice(&execution.links).expect("there are links");
    let link = [event(theory, write), event(theory, read)];
    theory.retract(rf, &link);
    theory.settle().expect("the chains are right");
    theory.insert(rf, link);
    theory.settle().expect("the chains are right");
    for _ in 0..100_000 {
        let mut number = || rng.u32(..execution.places.len() as u32);
        let (a, b) = (number(), number());
        let derived = theory.contains(lt, &[event(theory, a), event(theory, b)]);
        assert_eq!(derived, closure.is_before(a, b), "{a} before {b}");
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
