//! Many random executions, and the smallest one that a rule set gets wrong.

use crate::execution::{Access, Execution};
use crate::minimise::minimise;
use crate::random::{MOST_EVENTS, random_execution};
use crate::soundness::{Judgement, Subject, Unsettled, Violation};
use fastrand::Rng;

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

/// The smallest execution that was found about which the rules are wrong; nothing can be
/// taken away from it.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// How many executions were tried before the rules were wrong about one, that one
    /// included.
    pub tried: u64,
    pub execution: Execution,
    pub violation: Violation,
}

/// How many executions are drawn before a counterexample counts as the smallest. Those of
/// three events, which suffice for most mistakes, are met many times over.
const SMALLER_TRIES: u32 = 20_000;

/// Tries `cases` random executions; the same seed gives the same executions.
pub fn run(subject: &Subject, cases: u64, seed: u64) -> Result<Outcome, Unsettled> {
    let mut rng = Rng::with_seed(seed);
    let mut tally = Tally::default();
    for _ in 0..cases {
        let execution = random_execution(&mut rng, MOST_EVENTS);
        match subject.judge(&execution)? {
            Judgement::Sound => tally.feasible += 1,
            Judgement::Detected => tally.detected += 1,
            Judgement::Missed => tally.missed += 1,
            Judgement::Unsound(_) => {
                let execution = smallest(subject, execution, &mut rng);
                let violation = unsound(subject, &execution).expect("it is kept unsound");
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

/// Taking things away ends where nothing can be spared, which need not be the smallest
/// execution that the rules get wrong. So smaller ones are drawn until none is wrong.
fn smallest(subject: &Subject, mut execution: Execution, rng: &mut Rng) -> Execution {
    loop {
        execution = minimise(&execution, |candidate| {
            unsound(subject, candidate).is_some()
        });
        let events = execution.events.len();
        let tries = if events == 0 { 0 } else { SMALLER_TRIES };
        let smaller = (0..tries)
            .map(|_| {
                let fewer = usize::from(rng.bool());
                random_execution(rng, events - fewer)
            })
            .filter(|candidate| size(candidate) < size(&execution))
            .find(|candidate| unsound(subject, candidate).is_some());
        match smaller {
            Some(smaller) => execution = smaller,
            None => return execution,
        }
    }
}

/// How much there is to understand: the events first, then what is said of them.
fn size(execution: &Execution) -> (usize, usize) {
    let said = execution.events.iter().map(|event| {
        usize::from(event.access == Access::Update)
            + usize::from(!event.executed)
            + usize::from(event.block.is_some())
    });
    let between = execution.links.len() + execution.po.len();
    (execution.events.len(), said.sum::<usize>() + between)
}

fn unsound(subject: &Subject, execution: &Execution) -> Option<Violation> {
    match subject.judge(execution) {
        Ok(Judgement::Unsound(violation)) => Some(violation),
        _ => None,
    }
}
