//! Random programs: the `schedule` engine says what brute force says.

mod common;

use common::{oracle, random_program, read};
use fastrand::Rng;
use heddle_engine::schedule::{Options, check};
use heddle_language::RuleSet;
use heddle_program::Verdict;
use std::sync::Arc;

const UNWIND: u32 = 4;

fn options(rules: Arc<RuleSet>, lemma_size: usize) -> Options {
    Options {
        unwind: Some(UNWIND),
        rules,
        deadline: None,
        reasons_a_round: 64,
        lemma_size,
    }
}

/// Compares on so many programs; returns how many were unsafe, safe, and safe up to the
/// bound.
fn compare(cases: u64, rules: &Arc<RuleSet>, lemma_size: usize) -> [usize; 3] {
    let mut counts = [0; 3];
    for seed in 0..cases {
        let mut rng = Rng::with_seed(seed);
        let text = random_program(&mut rng);
        let program = read(&text);
        let Some(truth) = oracle(&program) else {
            continue;
        };
        let outcome = check(&program, &options(rules.clone(), lemma_size), &mut ()).unwrap();
        let is_unsafe = truth.violation.is_some();
        match outcome.verdict {
            Verdict::Unsafe => {
                assert!(is_unsafe, "seed {seed}: a false alarm\n{text}");
                counts[0] += 1;
            }
            Verdict::Safe => {
                assert!(!is_unsafe, "seed {seed}: a missed violation\n{text}");
                counts[1] += 1;
            }
            // A violation may lie beyond the bound.
            Verdict::SafeUpTo(_) => counts[2] += 1,
            Verdict::Unknown(reason) => panic!("seed {seed}: {reason}\n{text}"),
        }
    }
    counts
}

#[test]
fn with_the_rules_of_sequential_consistency() {
    let rules = heddle_datalog::theory::built_in("sc").unwrap();
    let [violated, safe, bounded] = compare(60, &rules, 2);
    println!("{violated} unsafe, {safe} safe, {bounded} safe up to the bound");
    assert!(violated > 5 && safe > 5, "the programs are of all kinds");
}

#[test]
fn with_rules_that_miss_most_conflicts() {
    let text = "
        .decl event(e: symbol, thread: symbol, index: number)
        .decl po(a: symbol, b: symbol)
        .decl executed(e: symbol) choice
        .decl rf(w: symbol, r: symbol) choice
        .input event, po, executed, rf
        .decl lt(a: symbol, b: symbol) order(event, executed)
        .output lt
        lt(a, b) :- po(a, b), executed(a), executed(b).
        lt(w, r) :- rf(w, r).
        .conflict lt(e, e)
    ";
    let rules = heddle_language::load_text("weak.dl", text).unwrap();
    let [violated, safe, _] = compare(20, &Arc::new(rules.rules), 0);
    assert!(violated > 1 && safe > 1, "the programs are of all kinds");
}
