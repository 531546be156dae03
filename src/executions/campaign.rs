//! Many random executions, and the smallest one that a rule set gets wrong.

use crate::execution::Execution;
use crate::minimise::minimise;
use crate::random::random_execution;
use crate::soundness::{Judgement, Subject, Violation};
use fastrand::Rng;
use heddle_datalog::backend::SettleError;

/// How many executions were of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub feasible: u64,
    pub detected: u64,
    pub missed: u64,
}

impl Tally {
    pub fn infeasible(&self) -> u64 {
        self.detected + self.missed
    }

    pub fn total(&self) -> u64 {
        self.feasible + self.infeasible()
    }
}

#[derive(Clone, Debug)]
pub enum Outcome {
    Sound(Tally),
    Unsound(Counterexample),
}

/// An execution about which the rules are wrong; nothing can be taken away from it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// How many executions were tried, this one included.
    pub tried: u64,
    pub execution: Execution,
    pub violation: Violation,
}

/// Tries `cases` random executions; the same seed gives the same executions.
pub fn run(subject: &Subject, cases: u64, seed: u64) -> Result<Outcome, SettleError> {
    let mut rng = Rng::with_seed(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
        let execution = random_execution(&mut rng);
        match subject.judge(&execution)? {
            Judgement::Sound => tally.feasible += 1,
            Judgement::Detected => tally.detected += 1,
            Judgement::Missed => tally.missed += 1,
            Judgement::Unsound(_) => {
                let (execution, violation) = smallest(subject, &execution)?;
                return Ok(Outcome::Unsound(Counterexample {
                    tried: tally.total() + 1,
                    execution,
                    violation,
                }));
            }
        }
    }
    Ok(Outcome::Sound(tally))
}

fn smallest(
    subject: &Subject,
    execution: &Execution,
) -> Result<(Execution, Violation), SettleError> {
    let unsound = |candidate: &Execution| match subject.judge(candidate) {
        Ok(Judgement::Unsound(violation)) => Some(violation),
        _ => None,
    };
    let execution = minimise(execution, |candidate| unsound(candidate).is_some());
    let violation = unsound(&execution).expect("minimising keeps the violation");
    Ok((execution, violation))
}
