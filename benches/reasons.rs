//! The 20 shortest kernel reasons of infeasible executions of 2,000 events, against closures
//! of the same graph.
//!
//! A share of the links of a consistent execution is drawn again, from all writes of the
//! read's variable: what a solver proposes that knows little of orders. Each link has a
//! literal of its own. The same again where a share of the steps are atomic blocks, which the
//! closures by hand do not know.
//!
//! `cargo bench --bench reasons -- others` takes other graphs of the same kinds instead, forty of
//! each, and measures also what a solver asks for.

mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::facts::{self, Links};
use baseline::timing::{milliseconds, ratio, times};
use baseline::{bit_sets, chain_clocks};
use fastrand::Rng;
use heddle_datalog::provenance::{Coverage, Reasons};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};

const LINKED: f64 = 0.7;
const IN_BLOCKS: f64 = 0.3;
const LIMIT: usize = 20;
const OTHERS: usize = 40;

fn main() {
    if std::env::args().any(|argument| argument == "others") {
        return measure_others();
    }
    println!("the {LIMIT} shortest reasons under rules/sc.dl, 2,000 events, 16 threads");
    println!();
    println!(
        "links drawn   chain clocks     bit sets     compiled     all facts    next round  / clocks  / bit sets  / compiled  all / compiled  literals"
    );
    for drawn in [0.002, 0.01, 0.1, 0.5, 1.0] {
        let mut rng = Rng::with_seed(6);
        measure(&spoilt(0.0, drawn, 1, &mut rng), drawn, &mut rng);
    }
    println!();
    println!("{:.0} % of the steps are atomic blocks", 100.0 * IN_BLOCKS);
    println!();
    println!(
        "links drawn      compiled     all facts    next round  / compiled  all / compiled  literals"
    );
    for drawn in [0.002, 0.01, 0.1, 0.5, 1.0] {
        let mut rng = Rng::with_seed(6);
        measure_in_blocks(&spoilt(IN_BLOCKS, drawn, 1, &mut rng), drawn, &mut rng);
    }
}

/// A consistent execution of which a share of the links is drawn again.
fn spoilt(in_blocks: f64, drawn: f64, seed: u64, rng: &mut Rng) -> Execution {
    let mut execution = consistent(2_000, 16, LINKED, in_blocks, seed);
    let count = (drawn * execution.links.len() as f64).ceil() as usize;
    execution.draw_again(count, rng);
    execution
}

/// From one round to the next a solver changes some links.
fn rounds<'a>(
    execution: &'a Execution,
    find: fn(&mut Theory) -> Reasons,
    mut next: impl FnMut() -> (u32, u32) + 'a,
) -> impl FnMut() + 'a {
    let mut kept = theory(execution);
    move || {
        let link = next();
        facts::retract_link(&mut kept, link, Links::ByLiteral);
        find(&mut kept);
        facts::insert_link(&mut kept, link, Links::ByLiteral);
    }
}

fn measure(execution: &Execution, drawn: f64, rng: &mut Rng) {
    let mut compiled = theory(execution);
    let fresh_reasons = || reasons(&mut theory(execution));
    let found = fresh_reasons();
    let any = || *rng.choice(&execution.links).expect("there are links");
    let mut round = rounds(execution, reasons, any);
    let [clocks, bits, settle, first, next] = times([
        &mut || drop(chain_clocks::close(execution)),
        &mut || drop(bit_sets::close(execution)),
        &mut || compiled.settle().expect("the chains are right"),
        &mut || drop(fresh_reasons()),
        &mut round,
    ]);
    println!(
        "{:>9.1} %  {:>13} {:>12} {:>12} {:>13} {:>13}  {:8.2}  {:10.2}  {:10.2}  {:14.2}  {}",
        100.0 * drawn,
        milliseconds(clocks),
        milliseconds(bits),
        milliseconds(settle),
        milliseconds(first),
        milliseconds(next),
        ratio(next, clocks),
        ratio(next, bits),
        ratio(next, settle),
        ratio(first, settle),
        summary(&found),
    );
}

fn measure_in_blocks(execution: &Execution, drawn: f64, rng: &mut Rng) {
    let mut compiled = theory(execution);
    let fresh_reasons = || reasons(&mut theory(execution));
    let found = fresh_reasons();
    let any = || *rng.choice(&execution.links).expect("there are links");
    let mut round = rounds(execution, reasons, any);
    let [settle, first, next] = times([
        &mut || compiled.settle().expect("the chains are right"),
        &mut || drop(fresh_reasons()),
        &mut round,
    ]);
    println!(
        "{:>9.1} %  {:>12} {:>13} {:>13}  {:10.2}  {:14.2}  {}",
        100.0 * drawn,
        milliseconds(settle),
        milliseconds(first),
        milliseconds(next),
        ratio(next, settle),
        ratio(first, settle),
        summary(&found),
    );
}

fn summary(found: &Reasons) -> String {
    let lengths = found.list.iter().map(|reason| reason.literals.len());
    let shortest = lengths.clone().min().unwrap_or(0);
    let longest = lengths.clone().max().unwrap_or(0);
    let coverage = describe(found.coverage);
    format!("{}: {shortest} to {longest}, {coverage}", lengths.len())
}

/// Graphs with other links: a line for all of a kind, and one for each that takes more than three
/// closures.
fn measure_others() {
    println!("links drawn  seed  / compiled  without proof  reasons by their number of literals");
    for drawn in [0.002, 0.01, 0.03, 0.1, 0.5, 1.0] {
        measure_kind(0.0, drawn);
    }
    println!("{:.0} % of the steps are atomic blocks", 100.0 * IN_BLOCKS);
    for drawn in [0.002, 0.01, 0.1, 1.0] {
        measure_kind(IN_BLOCKS, drawn);
    }
}

fn measure_kind(in_blocks: f64, drawn: f64) {
    let others = (1..).filter_map(|seed| {
        let execution = spoilt(in_blocks, drawn, seed, &mut Rng::with_seed(seed + 100));
        let other = measure_other(&execution)?;
        if !(holds(other.proved) && holds(other.quick)) {
            println!("{:>9.1} %  {seed:4}  {other}", 100.0 * drawn);
        }
        Some(other)
    });
    let others: Vec<Other> = others.take(OTHERS).collect();
    let count = |is_due: &dyn Fn(&Other) -> bool| others.iter().filter(|o| is_due(o)).count();
    let [proved, quick] = [|other: &Other| other.proved, |other: &Other| other.quick]
        .map(|ratio| Spread::new(others.iter().map(ratio)));
    println!(
        "{:>9.1} %: of {OTHERS} graphs, {} take at most three closures ({proved}), {} without proof \
         ({quick}); {} lists are proved to be the shortest, and {} of these are as short without \
         proof, as are {} of all",
        100.0 * drawn,
        count(&|other| holds(other.proved)),
        count(&|other| holds(other.quick)),
        count(&|other| other.is_proved()),
        count(&|other| other.is_proved() && other.is_as_short()),
        count(&|other| other.is_as_short()),
    );
}

/// The middle one of some ratios, and the largest.
struct Spread {
    median: f64,
    largest: f64,
}

impl Spread {
    fn new(ratios: impl Iterator<Item = f64>) -> Self {
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        Spread {
            median: ratios[ratios.len() / 2],
            largest: ratios[ratios.len() - 1],
        }
    }
}

impl Display for Spread {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Spread { median, largest } = self;
        write!(f, "median {median:.1}, at most {largest:.1}")
    }
}

fn holds(ratio: f64) -> bool {
    ratio <= 3.0
}

/// How long a round takes, in closures, and what comes of it.
struct Other {
    proved: f64,
    quick: f64,
    coverage: Coverage,
    lengths: Lengths,
    quick_lengths: Lengths,
}

impl Other {
    fn is_proved(&self) -> bool {
        self.coverage != Coverage::Some
    }

    /// Whether what a solver gets is.
    fn is_as_short(&self) -> bool {
        self.lengths == self.quick_lengths
    }
}

/// How many reasons have how many literals.
type Lengths = BTreeMap<usize, usize>;

impl Display for Other {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let Other { proved, quick, .. } = self;
        let coverage = describe(self.coverage);
        write!(
            f,
            "{proved:10.2}  {quick:13.2}  {:?}, {coverage}",
            self.lengths
        )
    }
}

/// `None` if the graph is feasible after all.
fn measure_other(execution: &Execution) -> Option<Other> {
    let mut compiled = theory(execution);
    let found = reasons(&mut theory(execution));
    if found.list.is_empty() {
        return None;
    }
    let quick = quick_reasons(&mut theory(execution));
    let round = |find| {
        let mut links = execution.links.iter().cycle();
        let next = move || *links.next().expect("there are links");
        rounds(execution, find, next)
    };
    let [settle, proved_time, quick_time] = times([
        &mut || compiled.settle().expect("the chains are right"),
        &mut round(reasons as fn(&mut Theory) -> Reasons),
        &mut round(quick_reasons),
    ]);
    Some(Other {
        proved: ratio(proved_time, settle),
        quick: ratio(quick_time, settle),
        coverage: found.coverage,
        lengths: lengths(&found),
        quick_lengths: lengths(&quick),
    })
}

fn lengths(reasons: &Reasons) -> Lengths {
    let mut lengths = Lengths::new();
    for reason in &reasons.list {
        *lengths.entry(reason.literals.len()).or_default() += 1;
    }
    lengths
}

fn describe(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::All => "all there are",
        Coverage::Shortest => "the shortest",
        Coverage::Some => "shorter ones may be missing",
    }
}

fn theory(execution: &Execution) -> Theory {
    let rules = built_in("sc").expect("sc is built in");
    let mut theory = Theory::new(rules, BackendKind::Compiled).expect("sc is compiled");
    facts::insert(&mut theory, execution, Links::ByLiteral);
    theory
}

/// What a solver asks for, which does not wait for a proof that there are no shorter ones.
fn quick_reasons(theory: &mut Theory) -> Reasons {
    theory.quick_reasons(LIMIT).expect("the chains are right")
}

fn reasons(theory: &mut Theory) -> Reasons {
    theory.reasons(LIMIT).expect("the chains are right")
}
