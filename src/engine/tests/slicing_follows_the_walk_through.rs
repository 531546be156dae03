//! Section 2 of *Counter-Example Guided Program Verification*, step by step.
//!
//! The paper does not say how its model checker finds ρ and φ; it assumes that it returns
//! them. Here they are picked from all violating runs, and everything else is computed.

mod all_runs;

use all_runs::{Limits, violating_runs};
use heddle_engine::slice::abstraction::{Abstraction, abstraction};
use heddle_engine::slice::checker::{Checker, Explore};
use heddle_engine::slice::choice::{Dependencies, Reach, Variables};
use heddle_engine::slice::observer::observe;
use heddle_engine::slice::reconstruction::reconstruction;
use heddle_engine::slice::run::Run;
use heddle_engine::slice::{Exclude, Options, check};
use heddle_interpret::{NondetRange, Options as Exploring, Trace, explore, replay};
use heddle_program::{EdgeId, Program, Statement, Verdict};
use std::collections::BTreeSet;

const FOLDER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/examples/variable-slicing/"
);

fn load(name: &str) -> Program {
    let path = format!("{FOLDER}{name}");
    let options = heddle_front::Options::default();
    match heddle_front::load(path.as_ref(), &options) {
        Ok((program, _)) => program,
        Err(report) => panic!("{report}"),
    }
}

fn names(program: &Program, variables: &Variables) -> BTreeSet<String> {
    let names = variables
        .iter()
        .map(|&id| program.terms.name(id).to_owned());
    names.collect()
}

fn chosen(program: &Program) -> Variables {
    let reach = Reach {
        depth: 0,
        every_test: false,
    };
    Dependencies::new(program).choose(&Variables::default(), reach)
}

/// The labels of the steps that have one.
fn labels(program: &Program, edges: impl Iterator<Item = EdgeId>) -> Vec<String> {
    let label = |edge| program.location(program.edge(edge).source).label.clone();
    edges.filter_map(label).collect()
}

fn labels_of(program: &Program, trace: &Trace) -> Vec<String> {
    labels(program, trace.steps.iter().map(|step| step.edge))
}

/// 0 and 1 are all that the two processes ever compute.
const BITS: NondetRange = NondetRange { low: 0, high: 1 };

/// The run of the abstraction that takes these steps and writes these values of x.
fn run_with(sliced: &Abstraction, steps: &[&str], x: [i128; 2]) -> Run {
    let limits = Limits {
        range: BITS,
        steps: 20,
        runs: 1000,
    };
    let runs = violating_runs(&sliced.program, &limits).unwrap();
    let written = |trace: &Trace| -> Vec<heddle_program::Constant> {
        trace.steps.iter().flat_map(|s| s.choices.clone()).collect()
    };
    let wanted = x.map(heddle_program::Constant::Int);
    let mut runs = runs
        .into_iter()
        .filter(|trace| labels_of(&sliced.program, trace) == steps && written(trace) == wanted);
    let trace = runs.next().expect("the abstraction has the run");
    Run::of(&sliced.program, trace).unwrap()
}

#[test]
fn the_dependency_graph_is_that_of_figure_3() {
    let program = load("two-processes.hd");
    let graph: BTreeSet<(&str, &str)> = Dependencies::new(&program)
        .graph()
        .iter()
        .map(|&(a, b)| (program.terms.name(a), program.terms.name(b)))
        .collect();
    let expected = [("t1", "x"), ("t2", "x"), ("x", "y"), ("x", "z"), ("y", "z")];
    assert_eq!(graph, expected.into_iter().collect());
}

#[test]
fn t1_t2_and_x_are_kept() {
    let program = load("two-processes.hd");
    let kept = names(&program, &chosen(&program));
    assert_eq!(kept, ["t1", "t2", "x"].map(str::to_owned).into());
}

#[test]
fn the_instructions_p2_p3_q2_q3_are_removed_and_x_gets_any_value() {
    let program = load("two-processes.hd");
    let sliced = abstraction(&program, &chosen(&program));
    let left: BTreeSet<EdgeId> = sliced.origin.iter().copied().collect();
    let removed = program.edge_ids().filter(|edge| !left.contains(edge));
    assert_eq!(labels(&program, removed), ["p2", "p3", "q2", "q3"]);

    let havocs = sliced
        .program
        .edge_ids()
        .filter(|&edge| matches!(sliced.program.edge(edge).statement, Statement::Havoc { .. }));
    assert_eq!(labels(&sliced.program, havocs), ["p1", "q1"]);
    let variables = sliced.program.variable_ids().collect();
    assert_eq!(
        names(&sliced.program, &variables),
        ["t1", "t2", "x"].map(str::to_owned).into()
    );
}

#[test]
fn rho_is_spurious_and_phi_is_real() {
    let program = load("two-processes.hd");
    let sliced = abstraction(&program, &chosen(&program));

    // ρ: P writes 0 to x and copies it, Q writes 1 to x and copies it.
    let rho = run_with(&sliced, &["p1", "p4", "q1", "q4", "p5"], [0, 1]);
    let s_rho = reconstruction(&program, &sliced, &rho);
    assert!(s_rho.program.validate().is_empty());
    let exploration = explore(&s_rho.program, &Exploring::default());
    assert_eq!(exploration.verdict(&s_rho.program), Verdict::Safe);

    // P2 has all other runs, φ among them, but ρ no longer.
    let refined = observe(&sliced.program, std::slice::from_ref(&rho));
    assert!(refined.program.validate().is_empty());
    let limits = Limits {
        range: BITS,
        steps: 40,
        runs: 100_000,
    };
    let runs = violating_runs(&refined.program, &limits).unwrap();
    let mapped: Vec<Trace> = runs
        .iter()
        .map(|trace| refined.map(&sliced.program, trace).unwrap())
        .collect();
    assert!(!mapped.contains(&rho.trace));
    let phi = run_with(&sliced, &["q1", "q4", "p1", "p4", "p5"], [1, 0]);
    assert!(mapped.contains(&phi.trace));

    let s_phi = reconstruction(&program, &sliced, &phi);
    let exploration = explore(&s_phi.program, &Exploring::default());
    let pi = exploration.violation.expect("φ is real");
    let trace = s_phi.map(&program, &pi).unwrap();
    replay(&program, &trace).unwrap();
    let kept = ["q1", "q4", "p1", "p4", "p5"];
    let mut steps = labels_of(&program, &trace);
    steps.retain(|label| kept.contains(&label.as_str()));
    assert_eq!(steps, kept);
}

fn options(exclude: Exclude) -> Options {
    Options {
        keep: None,
        depth: 0,
        exclude,
        deadline: None,
    }
}

#[test]
fn the_engine_says_unsafe_whatever_is_excluded() {
    for exclude in [Exclude::Runs, Exclude::Orders] {
        for order in [
            heddle_interpret::Order::BreadthFirst,
            heddle_interpret::Order::DepthFirst,
        ] {
            let program = load("two-processes.hd");
            let mut checker: Box<dyn Checker> = Box::new(Explore {
                options: Exploring {
                    range: BITS,
                    order,
                    ..Exploring::default()
                },
            });
            let outcome = check(&program, &options(exclude), &mut *checker, &mut ()).unwrap();
            assert_eq!(outcome.verdict, Verdict::Unsafe, "{exclude:?}, {order:?}");
            replay(&program, &outcome.trace.unwrap()).unwrap();
            let level = &outcome.statistics.levels[0];
            assert_eq!(level.removed, 4);
            assert_eq!(level.spurious + 1, level.counterexamples);
        }
    }
}
