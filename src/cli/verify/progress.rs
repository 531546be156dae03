//! One line on a terminal that says how far the engine is.

use heddle_engine::{matching, reach, schedule};
use std::io::{self, IsTerminal, Write};

/// Goes to standard error, if that is a terminal, and is wiped when dropped.
#[derive(Default)]
pub(super) struct ProgressLine {
    shown: bool,
}

impl ProgressLine {
    pub(super) fn show(&mut self, text: &str) {
        let mut stderr = io::stderr().lock();
        if stderr.is_terminal() {
            self.shown = true;
            let _ = write!(stderr, "\r\x1b[K{text}");
            let _ = stderr.flush();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

impl schedule::Progress for ProgressLine {
    fn encoded(&mut self, statistics: &schedule::Statistics) {
        let (bound, events) = (statistics.unwind, statistics.events);
        let links = statistics.links;
        self.show(&format!("bound {bound}: {events} events, {links} links"));
    }

    fn round(&mut self, statistics: &schedule::Statistics) {
        let (bound, round) = (statistics.unwind, statistics.rounds());
        let reasons = statistics.reasons.last().copied().unwrap_or(0);
        self.show(&format!("bound {bound}, round {round}: {reasons} reasons"));
    }
}

impl matching::Progress for ProgressLine {
    fn iteration(&mut self, number: usize, predicates: usize, last: Option<&matching::Iteration>) {
        let states = last.map_or(String::new(), |last| {
            format!(", {} abstract states before", last.abstract_states)
        });
        self.show(&format!(
            "iteration {number}: {predicates} predicates{states}"
        ));
    }
}

impl reach::Progress for ProgressLine {
    fn round(&mut self, number: usize, classes: usize, predicates: usize) {
        self.show(&format!(
            "round {number}: {classes} classes, {predicates} predicates"
        ));
    }
}
