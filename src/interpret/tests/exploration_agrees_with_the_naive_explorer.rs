//! Depth-first, breadth-first, reduced and plain exploration all find what the obvious
//! explorer finds, and every trace can be replayed.

mod oracle;
mod random_program;

use heddle_interpret::{
    Exploration, Interleavings, NondetRange, Options, Order, Violation, explore, replay,
};
use heddle_program::{Program, Verdict};
use oracle::{Findings, naive_exploration};
use proptest::prelude::*;
use random_program::random_program;

const MAX_STATES: usize = 2_000;

fn all_modes() -> impl Iterator<Item = (Order, Interleavings)> {
    [Order::DepthFirst, Order::BreadthFirst]
        .into_iter()
        .flat_map(|order| {
            [Interleavings::All, Interleavings::Enough].map(|interleavings| (order, interleavings))
        })
}

fn run(
    program: &Program,
    order: Order,
    interleavings: Interleavings,
    deadlock: bool,
) -> Exploration {
    explore(
        program,
        &Options {
            order,
            interleavings,
            deadlock,
            ..Options::default()
        },
    )
}

fn compare(program: &Program, findings: &Findings) -> Result<(), TestCaseError> {
    for (order, interleavings) in all_modes() {
        let mode = format!("{order:?} {interleavings:?} of\n{program}");
        let found = run(program, order, interleavings, false);
        prop_assert_eq!(found.violation.is_some(), findings.violated, "{}", mode);
        if let Some(trace) = &found.violation {
            prop_assert!(replay(program, trace).is_ok(), "{}", mode);
            if (order, interleavings) == (Order::BreadthFirst, Interleavings::All) {
                prop_assert_eq!(Some(trace.steps.len()), findings.distance, "{}", mode);
            }
            prop_assert_eq!(found.verdict(program), Verdict::Unsafe);
        } else {
            // A run that ends in an error may be one that a violation hides.
            prop_assert_eq!(found.deadlocks > 0, findings.deadlocked, "{}", mode);
            prop_assert_eq!(!found.bounds.is_empty(), findings.bound_reached, "{}", mode);
            prop_assert_eq!(found.error.is_some(), findings.failed, "{}", mode);
            let with_deadlock = run(program, order, interleavings, true);
            prop_assert_eq!(
                with_deadlock.violation.is_some(),
                findings.deadlocked,
                "{}",
                mode
            );
            if let Some(trace) = with_deadlock.violation {
                prop_assert_eq!(trace.violation, Violation::Deadlock);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_modes_agree(choices in prop::collection::vec(0u16.., 1..200)) {
        let program = random_program(&choices);
        if let Some(findings) = naive_exploration(&program, NondetRange::default(), MAX_STATES) {
            compare(&program, &findings)?;
        }
    }
}
