//! The whole method in one solver: Section 6, "SMT based optimization".
//!
//! Slicing a variable is leaving its reads without a link, putting it back is linking them,
//! and an order is forced or forbidden by literals of the `schedule` engine instead of code
//! (`schedule/levels.rs`). Which variables are kept at which level is chosen by the same rules
//! as for programs.

use super::cegpv::{Options, Outcome};
use super::choice::{Dependencies, Reach, Variables};
use super::statistics::{Level, Statistics};
use crate::schedule::{self, LevelCounts, Levels, MissingRelation};
use heddle_program::{Program, VarId};
use std::collections::BTreeSet;

/// Checks the program. The error says that the rule set is no memory model.
pub fn check_in_solver(
    program: &Program,
    options: &Options,
    schedule: &schedule::Options,
    progress: &mut dyn schedule::Progress,
) -> Result<Outcome, MissingRelation> {
    let kept = kept_at_first(program, options);
    let mut levels = Levels::new(kept.clone());
    let outcome = schedule::check_by_levels(program, schedule, &mut levels, progress)?;
    let everything: Variables = program.variable_ids().collect();
    let kept = kept.iter().chain([&everything]).zip(&levels.counts);
    Ok(Outcome {
        verdict: outcome.verdict,
        trace: outcome.trace,
        statistics: Statistics {
            levels: kept
                .map(|(kept, counts)| level(program, kept, counts))
                .collect(),
        },
    })
}

/// The variables that the rules choose, unless they are all; then come all. To put them back in
/// several steps was measured to take two to ten times as long.
fn kept_at_first(program: &Program, options: &Options) -> Option<Variables> {
    let dependencies = Dependencies::new(program);
    let reach = Reach {
        depth: options.depth,
        every_test: false,
    };
    let kept = match &options.keep {
        Some(shared) => dependencies.by_hand(shared),
        None => dependencies.choose(&Variables::default(), reach),
    };
    let is_slice = !shared(program, |id| !kept.contains(&id)).is_empty();
    is_slice.then_some(kept)
}

fn shared(program: &Program, wanted: impl Fn(VarId) -> bool) -> BTreeSet<String> {
    let variables = program.variable_ids();
    variables
        .filter(|&id| program.is_shared(id) && wanted(id))
        .map(|id| program.terms.name(id).to_owned())
        .collect()
}

fn level(program: &Program, kept: &Variables, counts: &LevelCounts) -> Level {
    Level {
        kept: shared(program, |id| kept.contains(&id)),
        sliced: shared(program, |id| !kept.contains(&id)),
        abstractions: counts.abstractions,
        steps: counts.events,
        removed: counts.sliced_events,
        counterexamples: counts.counterexamples,
        spurious: counts.spurious,
        calls: counts.searches,
        time: counts.time,
    }
}
