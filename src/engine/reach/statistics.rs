//! What an engine did, for `--stats`, `--json` and measurements.

use std::time::Duration;

#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// |≡|: classes of control locations, those of different threads sharing numbers.
    pub classes: usize,
    /// Classes of control locations, those of each thread counted for itself.
    pub thread_classes: usize,
    pub locations: usize,
    /// In the syntax of SMT-LIB.
    pub predicates: Vec<String>,
    /// Of the last round.
    pub abstract_states: usize,
    pub covered: usize,
    pub rounds: Vec<Round>,
    pub solver_calls: u64,
    /// Questions about differences of integers, which no solver was asked.
    pub decided: u64,
    /// Questions that were answered by states of [`Options::witnesses`](super::Options).
    pub witnessed: u64,
    /// Computing what is reached, posts included.
    pub reachability_time: Duration,
    /// Of it, the time in the rules.
    pub fixpoint_time: Duration,
    /// Looking at counterexamples and finding another abstraction.
    pub refinement_time: Duration,
    /// Checking the invariant.
    pub certificate_time: Duration,
    /// Disjuncts of the invariant, and what the checker asked a solver.
    pub cells: usize,
    pub certificate_questions: u64,
}

/// From one abstraction to the next.
#[derive(Clone, Debug, Default)]
pub struct Round {
    pub abstract_states: usize,
    /// Abstract posts that the rules asked for, and those that caches answered.
    pub posts: u64,
    pub cached: u64,
    /// How often facts were answered and the fixpoint went on.
    pub settles: usize,
    /// The spurious counterexample, as the names of the places where its steps start; none in
    /// the last round.
    pub counterexample: Vec<String>,
    /// The same by the numbers of its steps, which are the same in each round.
    pub counterexample_steps: Vec<u32>,
    pub refinement: Option<Refinement>,
}

/// What excluded a spurious counterexample.
#[derive(Clone, Debug)]
pub enum Refinement {
    Data {
        /// In the syntax of SMT-LIB.
        new_predicates: Vec<String>,
        /// Predicates whose scope is larger now, and where they are tracked; none if predicates
        /// are tracked everywhere.
        scopes: Vec<(String, Vec<String>)>,
    },
    Control {
        /// The constraint that each counterexample adds, such as `bits(11) ≠ bits(13)`.
        constraints: Vec<String>,
        /// The classes of all locations afterwards, by thread.
        partition: Vec<(String, Vec<Vec<String>>)>,
        /// The locations whose class is another one.
        moved: Vec<String>,
    },
}

impl Statistics {
    pub fn posts(&self) -> u64 {
        self.rounds.iter().map(|round| round.posts).sum()
    }

    pub fn cached_posts(&self) -> u64 {
        self.rounds.iter().map(|round| round.cached).sum()
    }

    /// The part of the posts after so many rounds that took no solver call, if there were any.
    pub fn cached_after(&self, rounds: usize) -> Option<f64> {
        let later = self.rounds.iter().skip(rounds);
        let (posts, cached) = later.fold((0, 0), |(posts, cached), round| {
            (posts + round.posts, cached + round.cached)
        });
        (posts > 0).then(|| cached as f64 / posts as f64)
    }
}
