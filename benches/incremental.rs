//! `rules/sc.dl`, incremental, on random consistent executions: what one link more or less
//! costs, against a closure from scratch that is written by hand.

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
    let mut rng = fastrand::Rng::with_seed(5);
    let mut taken = None;
    let mut change_link = || {
        match taken.take() {
            Some(link) => facts::insert_link(&mut theory, link, Links::Always),
            None => {
                let link = *rng.choice(&execution.links).expect("there are links");
                facts::retract_link(&mut theory, link, Links::Always);
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
    facts::insert(&mut theory, execution, Links::Always);
    theory
}

/// The closures are the same, on a sample of pairs, and stay so when links change.
fn check(theory: &mut Theory, execution: &Execution) {
    theory.settle().expect("the chains are right");
    let lt = facts::relation(theory, "lt");
    let closure = chain_clocks::close(execution);
    let mut rng = fastrand::Rng::with_seed(4);
    let link = *rng.choice(&execution.links).expect("there are links");
    facts::retract_link(theory, link, Links::Always);
    theory.settle().expect("the chains are right");
    facts::insert_link(theory, link, Links::Always);
    theory.settle().expect("the chains are right");
    for _ in 0..100_000 {
        let mut number = || rng.u32(..execution.places.len() as u32);
        let (a, b) = (number(), number());
        let derived = theory.contains(lt, &[facts::event(theory, a), facts::event(theory, b)]);
        assert_eq!(derived, closure.is_before(a, b), "{a} before {b}");
    }
}
