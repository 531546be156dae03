//! How a run of generated code ends before its fixpoint.
//!
//! A program of `ascent_run!` cannot be left in the middle. But it ends by itself once no rule
//! derives anything more: so each rule asks for time before its body and before its head. What
//! was derived by then is not all that follows, and whoever ran the program throws it away.

use std::cell::Cell;
use std::time::Instant;

/// One in so many heads looks at the clock.
const HEADS_A_LOOK: u32 = 256;

pub(super) struct Deadline {
    end: Option<Instant>,
    heads: Cell<u32>,
    is_over: Cell<bool>,
}

impl Deadline {
    pub(super) fn new(end: Option<Instant>) -> Self {
        Deadline {
            end,
            heads: Cell::new(0),
            is_over: Cell::new(false),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    /// Whether a rule may begin.
    pub(super) fn admits_body(&self) -> bool {
        if !self.is_over.get() {
            let is_over = self.end.is_some_and(|end| Instant::now() >= end);
            self.is_over.set(is_over);
        }
        !self.is_over.get()
    }

    /// Whether a rule may derive another tuple. These are many more than rules.
    #[inline]
    pub(super) fn admits_head(&self) -> bool {
        let heads = self.heads.get().wrapping_add(1);
        self.heads.set(heads);
        if heads.is_multiple_of(HEADS_A_LOOK) {
            self.admits_body()
        } else {
            !self.is_over.get()
        }
    }
}
