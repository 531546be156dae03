//! The external model checker of the paper: any engine that answers with a trace.

use crate::schedule::{self, MissingRelation};
use crate::{control, matching, predicate, reach};
use heddle_interpret::{Trace, explore};
use heddle_program::{Program, Verdict};
use std::time::Instant;

/// What a back end says about a program.
pub struct Answer {
    pub verdict: Verdict,
    /// There exactly if the verdict is unsafe.
    pub trace: Option<Trace>,
}

pub trait Checker {
    /// The error says that the chosen rule set is no memory model.
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation>;

    /// Moves the bound up to which programs are checked; `false` if there is none to move.
    fn go_further(&mut self) -> bool {
        false
    }

    /// Whether the last answer, if it was `UNKNOWN`, was so for want of time or space. If not, what
    /// was found holds for larger bounds too.
    fn gave_up(&self) -> bool {
        true
    }
}

/// The `schedule` engine, bound after bound.
pub struct Schedule {
    options: schedule::Options,
    grows: bool,
    gave_up: bool,
}

impl Schedule {
    pub fn new(mut options: schedule::Options) -> Self {
        let grows = options.unwind.is_none();
        options.unwind.get_or_insert(1);
        Schedule {
            options,
            grows,
            gave_up: false,
        }
    }
}

impl Checker for Schedule {
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation> {
        self.options.deadline = deadline;
        let outcome = schedule::check(program, &self.options, &mut ())?;
        self.gave_up = outcome.statistics.gave_up.is_some();
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
        })
    }

    fn go_further(&mut self) -> bool {
        self.options.unwind = self.options.unwind.map(|bound| bound * 2);
        self.grows
    }

    fn gave_up(&self) -> bool {
        self.gave_up
    }
}

/// Every interleaving, concretely.
pub struct Explore {
    pub options: heddle_interpret::Options,
}

impl Checker for Explore {
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation> {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        self.options.timeout = left;
        let exploration = explore(program, &self.options);
        Ok(Answer {
            verdict: exploration.verdict(program),
            trace: exploration.violation,
        })
    }
}

/// The `predicate` engine.
pub struct Predicate {
    pub options: reach::Options,
}

impl Checker for Predicate {
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation> {
        self.options.limits.deadline = deadline;
        Ok(predicate::check(program, &self.options, &mut ()).into())
    }
}

/// The `control` engine.
pub struct Control {
    pub options: control::Options,
}

impl Checker for Control {
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation> {
        self.options.reach.limits.deadline = deadline;
        Ok(control::check(program, &self.options, &mut ()).into())
    }
}

impl From<reach::Outcome> for Answer {
    fn from(outcome: reach::Outcome) -> Answer {
        Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
        }
    }
}

/// The `match` engine.
pub struct Match {
    pub options: matching::Options,
}

impl Checker for Match {
    fn check(
        &mut self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, MissingRelation> {
        self.options.deadline = deadline;
        let outcome = matching::check(program, &self.options, &mut ());
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
        })
    }
}
