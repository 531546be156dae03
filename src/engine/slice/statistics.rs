//! What the engine did, for `--stats`, `--json` and measurements.

use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The program itself, then what counterexamples were reconstructed to.
    pub levels: Vec<Level>,
}

/// All programs of one level together.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Shared variables that some abstraction keeps.
    pub kept: BTreeSet<String>,
    /// Shared variables that all abstractions have sliced away.
    pub sliced: BTreeSet<String>,
    pub abstractions: usize,
    /// Steps of the programs, and how many of them their abstractions leave out.
    pub steps: usize,
    pub removed: usize,
    pub counterexamples: usize,
    pub spurious: usize,
    /// Of the back end.
    pub calls: usize,
    pub time: Duration,
}

impl Statistics {
    pub(crate) fn level(&mut self, level: usize) -> &mut Level {
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Level::default);
        }
        &mut self.levels[level]
    }
}
