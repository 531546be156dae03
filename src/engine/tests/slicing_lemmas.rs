//! Lemmas 1 to 3 of *Counter-Example Guided Program Verification* on small random programs,
//! where every run can be listed.

mod all_runs;
#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;

use all_runs::{Limits, violating_runs};
use heddle_engine::slice::abstraction::{Abstraction, abstraction};
use heddle_engine::slice::choice::Variables;
use heddle_engine::slice::forbid::forbid;
use heddle_engine::slice::force::force;
use heddle_engine::slice::observer::observe;
use heddle_engine::slice::order::Order;
use heddle_engine::slice::reconstruction::{Reconstruction, reconstruction};
use heddle_engine::slice::refinement::Refinement;
use heddle_engine::slice::run::Run;
use heddle_interpret::{NondetRange, Options, State, Trace, TraceStep, Violation, explore, replay};
use heddle_program::{Constant, EdgeId, Op, Place, Program, Sort, Statement, Update, Value, VarId};
use random_program::random_program;

/// All values of one and two bits.
const RANGE: NondetRange = NondetRange { low: 0, high: 3 };

const LIMITS: Limits = Limits {
    range: RANGE,
    steps: 14,
    runs: 12,
};

/// Programs with a random half of their variables kept, so that the abstraction is unsafe
/// and its runs can all be listed. Every other program is safe.
fn cases(seed: u64, count: usize) -> Vec<(Program, Abstraction)> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cases = Vec::new();
    while cases.len() < count {
        let is_safe = cases.len() % 2 == 0;
        let choices: Vec<u16> = (0..60).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let finite = |sort: Sort| match sort {
            Sort::Array(array) => Sort::from(array.element) != Sort::Int,
            sort => sort != Sort::Int,
        };
        if !program.variables.iter().all(|v| finite(v.sort)) {
            continue;
        }
        let kept: Variables = program.variable_ids().filter(|_| random.bool()).collect();
        let sliced = abstraction(&program, &kept);
        assert_valid(&sliced.program);
        if violating_runs(&sliced.program, &LIMITS).is_some_and(|runs| !runs.is_empty())
            && violation(&program).is_none() == is_safe
        {
            cases.push((program, sliced));
        }
    }
    cases
}

fn assert_valid(program: &Program) {
    let problems: Vec<String> = program.validate().into_iter().map(|d| d.message).collect();
    assert!(problems.is_empty(), "{problems:?} in\n{program}");
}

fn exploring() -> Options {
    Options {
        range: RANGE,
        ..Options::default()
    }
}

/// A violation of the program, and whether it was looked at completely.
fn violation(program: &Program) -> Option<Trace> {
    assert_valid(program);
    let exploration = explore(program, &exploring());
    assert!(exploration.range.is_none(), "all values were tried");
    exploration.violation
}

fn runs(sliced: &Abstraction) -> Vec<Run> {
    let traces = violating_runs(&sliced.program, &LIMITS).expect("a case is small");
    let traces = traces.into_iter();
    traces
        .map(|trace| Run::of(&sliced.program, trace).unwrap())
        .collect()
}

#[test]
fn an_unsafe_program_has_an_unsafe_abstraction() {
    let mut unsafe_ones = 0;
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..400 {
        let choices: Vec<u16> = (0..60).map(|_| random.u16(..)).collect();
        let program = random_program(&choices);
        let options = Options {
            max_states: Some(20_000),
            ..Options::default()
        };
        let Some(trace) = explore(&program, &options).violation else {
            continue;
        };
        unsafe_ones += 1;
        let kept: Variables = program.variable_ids().filter(|_| random.bool()).collect();
        let sliced = abstraction(&program, &kept);
        assert_valid(&sliced.program);
        let projected = project(&program, &sliced, &trace);
        if let Err(error) = replay(&sliced.program, &projected) {
            let why = error.describe(&sliced.program, &projected);
            panic!("{why}\n{program}\n{}", sliced.program);
        }
    }
    assert!(unsafe_ones > 100, "{unsafe_ones}");
}

/// The run without the steps that the abstraction leaves out (Lemma 1).
fn project(program: &Program, sliced: &Abstraction, trace: &Trace) -> Trace {
    let states = replay(program, trace).unwrap().states;
    let mut projected = Trace {
        initial: Vec::new(),
        steps: Vec::new(),
        violation: trace.violation,
    };
    for variable in program.variable_ids() {
        if let Some(here) = sliced.variables[variable.index()]
            && sliced.program.variable(here).initial.is_none()
        {
            let value = states[0].value(variable).clone();
            projected.initial.push((here, value));
        }
    }
    let last = trace.steps.len().saturating_sub(1);
    for (position, step) in trace.steps.iter().enumerate() {
        let fails = position == last && matches!(trace.violation, Violation::Assertion(_));
        let statement = |edge: EdgeId| &sliced.program.edge(edge).statement;
        // An assertion whose outcome is open has two steps: one fails, the other passes.
        let mut standing = sliced.program.edge_ids().filter(|&here| {
            let is_assertion = matches!(statement(here), Statement::Assert { .. });
            sliced.origin[here.index()] == step.edge && (is_assertion || !fails)
        });
        let Some(edge) = standing.next() else {
            continue;
        };
        let (before, after) = (&states[position], &states[position + 1]);
        projected.steps.push(TraceStep {
            edge,
            choices: written(sliced, statement(edge), before, after),
        });
        if fails {
            projected.violation = Violation::Assertion(edge);
        }
    }
    projected
}

/// What a step of the program leaves where the abstraction writes any value.
fn written(
    sliced: &Abstraction,
    statement: &Statement,
    before: &State,
    after: &State,
) -> Vec<Constant> {
    let original = |here: VarId| {
        let position = sliced.variables.iter().position(|&v| v == Some(here));
        VarId::from_index(position.unwrap())
    };
    let targets = match statement {
        Statement::Havoc { target } => vec![(*target, Update::Any)],
        Statement::Guarded { updates, .. } => updates.clone(),
        _ => Vec::new(),
    };
    let mut written = Vec::new();
    for (target, _) in targets.iter().filter(|(_, update)| *update == Update::Any) {
        let value = after.value(original(target.variable()));
        match (target, value) {
            (Place::Variable(_), Value::Array { elements, .. }) => written.extend(elements),
            (Place::Element(_, index), Value::Array { .. }) => {
                let value_of = |id| before.value(original(id)).clone();
                let index = sliced.program.terms.evaluate(*index, value_of).unwrap();
                let element = Op::Select.evaluate(&[value.clone(), index]).unwrap();
                written.extend(match element {
                    Value::Scalar(constant) => Some(constant),
                    Value::Array { .. } => None,
                });
            }
            (_, Value::Scalar(constant)) => written.push(*constant),
        }
    }
    written
}

#[test]
fn an_unsafe_reconstruction_means_an_unsafe_program() {
    let (mut real, mut spurious) = (0, 0);
    for (program, sliced) in cases(2, 60) {
        for run in runs(&sliced) {
            let made: [Reconstruction; 2] = [
                reconstruction(&program, &sliced, &run),
                force(&program, &sliced, &Order::of(&run, &sliced)),
            ];
            for made in made {
                match violation(&made.program) {
                    None => spurious += 1,
                    Some(trace) => {
                        real += 1;
                        let mapped = made.map(&program, &trace).unwrap();
                        if let Err(error) = replay(&program, &mapped) {
                            let why = error.describe(&program, &mapped);
                            panic!("{why}\n{program}\n{}", made.program);
                        }
                    }
                }
            }
        }
    }
    assert!(
        real > 50 && spurious > 50,
        "{real} real, {spurious} spurious"
    );
}

#[test]
fn a_violation_of_the_program_is_found_along_some_run_of_its_abstraction() {
    let mut unsafe_ones = 0;
    for (program, sliced) in cases(3, 60) {
        let is_unsafe = violation(&program).is_some();
        unsafe_ones += usize::from(is_unsafe);
        let by_runs = runs(&sliced)
            .iter()
            .any(|run| violation(&reconstruction(&program, &sliced, run).program).is_some());
        assert_eq!(by_runs, is_unsafe, "{program}\n{}", sliced.program);
        let by_orders = runs(&sliced).iter().any(|run| {
            let order = Order::of(run, &sliced);
            violation(&force(&program, &sliced, &order).program).is_some()
        });
        assert_eq!(by_orders, is_unsafe, "{program}\n{}", sliced.program);
    }
    assert_eq!(unsafe_ones, 30);
}

/// Excludes one run after the other until none is left; the runs in that order.
fn exhaust(sliced: &Abstraction, refine: impl Fn(&[Run]) -> Refinement) -> Vec<Run> {
    let mut excluded: Vec<Run> = Vec::new();
    loop {
        let refined = refine(&excluded);
        let Some(trace) = violation(&refined.program) else {
            return excluded;
        };
        let mapped = refined.map(&sliced.program, &trace).unwrap();
        match Run::of(&sliced.program, mapped.clone()) {
            Ok(run) => excluded.push(run),
            Err(error) => {
                let why = error.describe(&sliced.program, &mapped);
                panic!("{why}\n{}\n{}", sliced.program, refined.program);
            }
        }
        assert!(excluded.len() <= LIMITS.runs, "{}", refined.program);
    }
}

#[test]
fn refinement_removes_exactly_the_given_runs() {
    let mut several = 0;
    for (_, sliced) in cases(4, 60) {
        let all = runs(&sliced);
        let found = exhaust(&sliced, |runs| observe(&sliced.program, runs));
        several += usize::from(all.len() > 1);
        assert_eq!(found.len(), all.len(), "{}", sliced.program);
        for run in &all {
            let count = found
                .iter()
                .filter(|found| found.trace == run.trace)
                .count();
            assert_eq!(count, 1, "{:?} in {}", run.trace, sliced.program);
        }
    }
    assert!(several > 20, "{several}");
}

#[test]
fn forbidding_an_order_removes_its_run_and_no_run_twice() {
    let mut fewer = 0;
    for (_, sliced) in cases(5, 60) {
        let all = runs(&sliced);
        let orders = |runs: &[Run]| -> Vec<Order> {
            runs.iter().map(|run| Order::of(run, &sliced)).collect()
        };
        let mut found = exhaust(&sliced, |runs| forbid(&sliced, &orders(runs)));
        // The list does not go on behind error states.
        found.retain(|run| {
            let before = &run.states[..run.trace.steps.len()];
            !before
                .iter()
                .any(|state| state.is_error(&sliced.program).unwrap())
        });
        let (found, all) = (found.len(), all.len());
        assert!(
            (1..=all).contains(&found),
            "{found} of {all} in {}",
            sliced.program
        );
        fewer += usize::from(found < all);
    }
    assert!(fewer > 10, "several runs at once: {fewer}");
}
