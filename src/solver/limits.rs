//! When a solver call has to give up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Checked during every call, by both solvers. The default never gives up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The moment after which a call answers [`Unknown`](crate::Answer::Unknown).
    pub deadline: Option<Instant>,
    /// Set from another thread to make the call in progress give up.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    pub fn until(deadline: Instant) -> Limits {
        Limits {
            deadline: Some(deadline),
            stop: None,
        }
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop
            .as_ref()
            .is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Why to give up at once, if there is a reason to.
    pub fn exceeded(&self) -> Option<Reason> {
        if self.stopped() {
            Some(Reason::Stopped)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(Reason::Time)
        } else {
            None
        }
    }
}

/// Why a solver gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Time,
    Stopped,
    /// The solver's own words, for instance that nonlinear arithmetic is beyond it.
    Incomplete(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Time => f.write_str("the solver ran out of time"),
            Reason::Stopped => f.write_str("the solver was stopped"),
            Reason::Incomplete(words) => write!(f, "the solver gave up: {words}"),
        }
    }
}
