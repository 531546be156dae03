//! The compiled back end looks at its deadline while it derives, and forgets what it derived
//! in vain.

use heddle_datalog::backend::SettleError;
use heddle_datalog::theory::{BackendKind, Theory, built_in};
use heddle_datalog::value::Value;
use std::time::{Duration, Instant};

/// Threads that go round in ten locations each, by `rules/reach.dl`: 10 to the power of
/// `threads` states are reached.
fn round_and_round(threads: u32) -> Theory {
    let rules = built_in("reach").expect("a built-in rule set");
    let mut theory = Theory::new(rules.clone(), BackendKind::Compiled).expect("compiled");
    let mut insert = |relation: &str, row: &[i64]| {
        let row: Vec<Value> = row.iter().map(|&value| Value(value)).collect();
        theory.insert(rules.find(relation).expect(relation), row);
    };
    let (locations, start, round) = (10_i64, 0, 1);
    for thread in 0..threads {
        let component = i64::from(thread);
        insert("component", &[component, locations.pow(thread), locations]);
        insert("initially", &[component, component * locations]);
        for location in 0..locations {
            let step = component * locations + location;
            let next = component * locations + (location + 1) % locations;
            insert("class", &[step, location]);
            insert("requires", &[step, 0, component, step]);
            insert("requirements", &[step, 1]);
            insert("moves", &[step, 0, component, next]);
            insert("movements", &[step, 1]);
            insert("does", &[step, round]);
        }
    }
    insert("initialises", &[start, 0]);
    for action in [start, round] {
        insert("post", &[action, 0, 0]);
        insert("answered", &[action, 0]);
    }
    theory
}

fn reached(theory: &Theory) -> usize {
    let relation = theory.rules().find("reached").expect("a relation");
    theory.rows(relation).len()
}

#[test]
fn what_would_take_for_ever_is_stopped() {
    let mut theory = round_and_round(12);
    theory.set_deadline(Some(Instant::now() + Duration::from_millis(50)));
    let stopped = theory.settle();
    assert!(
        matches!(stopped, Err(SettleError::Stopped(_))),
        "{stopped:?}"
    );
    assert_eq!(reached(&theory), 0, "a part of the states is no answer");
}

#[test]
fn with_more_time_everything_is_derived_all_the_same() {
    let mut theory = round_and_round(2);
    theory.set_deadline(Some(Instant::now()));
    assert!(theory.settle().is_err());
    theory.set_deadline(Some(Instant::now() + Duration::from_secs(600)));
    assert_eq!(theory.settle(), Ok(()));
    assert_eq!(reached(&theory), 100);
    theory.set_deadline(None);
    assert_eq!(theory.settle(), Ok(()));
    assert_eq!(reached(&theory), 100);
}
