//! Executions that are too large for an exhaustive search: each listed reason violates a
//! conflict by itself, no part of it does, and where there is no conflict, none is listed.

#[path = "../../../benches/baseline/mod.rs"]
mod baseline;

use baseline::executions::{Execution, consistent};
use baseline::facts;
use fastrand::Rng;
use heddle_datalog::provenance::{Coverage, Reasons};
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use heddle_datalog::value::{Row, Value};
use heddle_language::ruleset::RelationId;
use std::collections::BTreeSet;

const LIMIT: usize = 20;

/// Facts that rest on literals.
type Choices = Vec<(RelationId, Row, Value)>;

/// A theory of an execution in which each link has a literal, and some events a guard.
fn theory(execution: &Execution, guarded: bool, rng: &mut Rng) -> (Theory, Choices) {
    let mut theory = Theory::new(built_in("sc").unwrap(), BackendKind::Compiled).unwrap();
    facts::insert(&mut theory, execution, facts::Links::ByLiteral);
    let executed = facts::relation(&theory, "executed");
    for event in 0..execution.places.len() as u32 {
        if guarded && rng.u8(..3) > 0 {
            let row = [facts::event(&theory, event)];
            let guard = theory.symbols_mut().intern(&format!("g{}", event / 8));
            assert!(theory.retract(executed, &row));
            theory.insert_by(executed, row, guard);
        }
    }
    let always = theory.symbols().get("true").unwrap();
    let mut choices = Choices::new();
    for relation in [executed, facts::relation(&theory, "rf")] {
        for (row, literals) in theory.facts().with_literals(relation) {
            for &literal in literals {
                if literal != always {
                    choices.push((relation, Row::from(row), literal));
                }
            }
        }
    }
    (theory, choices)
}

/// Whether the literals alone violate a conflict.
fn violates(theory: &mut Theory, choices: &Choices, literals: &[Value]) -> bool {
    let off = |(_, _, literal): &&(RelationId, Row, Value)| !literals.contains(literal);
    for (relation, row, literal) in choices.iter().filter(off) {
        theory.retract_by(*relation, row, *literal);
    }
    theory.settle().unwrap();
    let violated = !theory.violated_conflicts().is_empty();
    for (relation, row, literal) in choices.iter().filter(off) {
        theory.insert_by(*relation, row.clone(), *literal);
    }
    violated
}

fn check(theory: &mut Theory, choices: &Choices) -> Reasons {
    let reasons = theory.reasons(LIMIT).unwrap();
    check_list(theory, choices, &reasons);
    reasons
}

fn check_list(theory: &mut Theory, choices: &Choices, reasons: &Reasons) {
    assert!(reasons.list.len() <= LIMIT);
    let mut seen: Vec<BTreeSet<Value>> = Vec::new();
    for reason in &reasons.list {
        let literals = &reason.literals;
        assert!(violates(theory, choices, literals), "{literals:?}");
        for left_out in literals {
            let mut fewer = literals.clone();
            fewer.retain(|literal| literal != left_out);
            assert!(
                !violates(theory, choices, &fewer),
                "{literals:?}: {fewer:?}"
            );
        }
        let set: BTreeSet<Value> = literals.iter().copied().collect();
        assert!(!seen.iter().any(|other| other.is_subset(&set)), "{set:?}");
        seen.push(set);
    }
    let lengths = reasons.list.iter().map(|reason| reason.literals.len());
    assert!(lengths.is_sorted(), "the shortest come first");
}

#[test]
fn are_kernel_reasons() {
    for guarded in [false, true] {
        for (seed, spoilt) in [(1, 1), (2, 4), (3, 40)] {
            let mut rng = Rng::with_seed(seed);
            let mut execution = consistent(600, 8, 0.7, 0.1, seed);
            execution.draw_again(spoilt, &mut rng);
            let (mut theory, choices) = theory(&execution, guarded, &mut rng);
            let all: Vec<Value> = choices.iter().map(|choice| choice.2).collect();
            let infeasible = violates(&mut theory, &choices, &all);
            let reasons = check(&mut theory, &choices);
            assert_eq!(infeasible, !reasons.list.is_empty(), "seed {seed}");
            assert!(infeasible || spoilt == 1, "seed {seed} is of no use");
        }
    }
}

/// One or two wrong links: reasons are long, so that they come from the cheapest cycles, and
/// nobody knows whether there are shorter ones.
#[test]
fn are_kernel_reasons_also_without_proof() {
    let mut unproved = 0;
    for seed in 0..24 {
        let mut rng = Rng::with_seed(seed);
        let in_blocks = if seed % 2 == 0 { 0.0 } else { 0.15 };
        let mut execution = consistent(500, 10, 0.7, in_blocks, seed);
        execution.draw_again(1 + seed as usize % 3, &mut rng);
        let (mut theory, choices) = theory(&execution, false, &mut rng);
        let reasons = check(&mut theory, &choices);
        let quick = theory.quick_reasons(LIMIT).unwrap();
        check_list(&mut theory, &choices, &quick);
        assert_eq!(reasons.list.is_empty(), quick.list.is_empty());
        unproved += usize::from(reasons.coverage == Coverage::Some);
    }
    assert!(unproved >= 5, "only {unproved} lists are not proved");
}

#[test]
fn are_none_where_there_is_no_conflict() {
    let execution = consistent(600, 8, 0.7, 0.1, 4);
    let (mut theory, _) = theory(&execution, true, &mut Rng::with_seed(4));
    let reasons = theory.reasons(LIMIT).unwrap();
    assert!(reasons.list.is_empty());
    assert_eq!(reasons.coverage, Coverage::All);
}
