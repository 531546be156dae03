//! `--engine control`: its options, and both schemes side by side.

use super::progress::ProgressLine;
use super::{Answer, matching, reach, seconds};
use heddle_diagnostics::Report;
use heddle_engine::control::{self, Options, Scheme};
use heddle_engine::reach::Statistics;
use heddle_program::{Program, Verdict};
use heddle_solver::Limits;
use serde_json::json;
use std::time::Instant;

/// Where `--help` lists the options of the engine.
const CONTROL: &str = "Engine `control`";

#[derive(clap::Args)]
#[command(next_help_heading = CONTROL)]
#[group(id = "control")]
pub(super) struct Args {
    /// How classes of control locations change: `non-monotonic` looks for the fewest each
    /// time, `monotonic` only splits them.
    #[arg(long, value_name = "SCHEME", default_value_t)]
    refinement: Scheme,
    /// Check the program by both schemes, each for half of the time, and show them side by side.
    #[arg(long, conflicts_with = "refinement")]
    pub(super) compare_refinements: bool,
}

impl Args {
    pub(super) fn scheme(&self) -> Scheme {
        self.refinement
    }

    pub(super) fn check(
        &self,
        program: &Program,
        reach: &reach::Args,
        matching: &matching::Args,
        limits: Limits,
    ) -> Result<Answer, Report> {
        let (program, options) = reach.options(program, matching, limits)?;
        let deadline = options.limits.deadline;
        let by = |scheme, deadline| {
            let mut reach = options.clone();
            reach.limits.deadline = deadline;
            let options = Options { scheme, reach };
            control::check(&program, &options, &mut ProgressLine::default())
        };
        if !self.compare_refinements {
            return reach.answer("control", by(self.refinement, deadline), matching);
        }
        let halfway = deadline.map(|end| middle(Instant::now(), end));
        let monotonic = by(Scheme::Monotonic, halfway);
        let other = by(Scheme::NonMonotonic, deadline);
        assert_agreement(&monotonic.verdict, &other.verdict);
        let rows = [
            (
                Scheme::Monotonic,
                monotonic.verdict.clone(),
                monotonic.statistics.clone(),
            ),
            (
                Scheme::NonMonotonic,
                other.verdict.clone(),
                other.statistics.clone(),
            ),
        ];
        let shown = match other.verdict {
            Verdict::Unknown(_) => monotonic,
            _ => other,
        };
        let mut answer = reach.answer("control", shown, matching)?;
        answer.statistics.lines = rows
            .iter()
            .map(|(scheme, verdict, statistics)| (scheme.to_string(), line(verdict, statistics)))
            .collect();
        let comparison = rows.iter().map(|(scheme, verdict, statistics)| {
            json!({
                "refinement": scheme.to_string(),
                "verdict": crate::cli::trace_json::verdict(verdict),
                "statistics": reach::as_json(statistics),
            })
        });
        let comparison: Vec<_> = comparison.collect();
        answer
            .statistics
            .json
            .insert("comparison".into(), json!(comparison));
        Ok(answer)
    }
}

/// So that both schemes get the same time.
fn middle(start: Instant, end: Instant) -> Instant {
    start + end.saturating_duration_since(start) / 2
}

/// One program cannot be safe by one scheme and unsafe by the other.
fn assert_agreement(monotonic: &Verdict, non_monotonic: &Verdict) {
    let is_safe = |verdict: &Verdict| matches!(verdict, Verdict::Safe | Verdict::SafeUpTo(_));
    let contradicts = |one: &Verdict, other: &Verdict| is_safe(one) && *other == Verdict::Unsafe;
    if contradicts(monotonic, non_monotonic) || contradicts(non_monotonic, monotonic) {
        panic!(
            "the refinements disagree: {} by `monotonic`, {} by `non-monotonic`",
            shown(monotonic),
            shown(non_monotonic)
        );
    }
}

fn shown(verdict: &Verdict) -> String {
    let text = verdict.to_string();
    text.trim_start_matches("VERDICT: ").to_owned()
}

/// As in the paper's table: time, of which reachability and refinement, and |≡|.
fn line(verdict: &Verdict, statistics: &Statistics) -> String {
    let (reachability, refinement) = (statistics.reachability_time, statistics.refinement_time);
    format!(
        "{} = {} + {}, {} classes, {} predicates, {} abstract states, {} rounds; {}",
        seconds(reachability + refinement),
        seconds(reachability),
        seconds(refinement),
        statistics.classes,
        statistics.predicates.len(),
        statistics.abstract_states,
        statistics.rounds.len(),
        shown(verdict),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_program::Bound;
    use std::panic::catch_unwind;
    use std::time::Duration;

    #[test]
    fn both_schemes_get_half_of_the_time() {
        let start = Instant::now();
        let end = start + Duration::from_secs(4);
        assert_eq!(middle(start, end), start + Duration::from_secs(2));
        assert_eq!(middle(end, start), end, "no time is left");
    }

    #[test]
    fn schemes_that_disagree_are_a_bug() {
        let unknown = Verdict::Unknown("out of time".into());
        let agrees =
            |one: Verdict, other: Verdict| catch_unwind(|| assert_agreement(&one, &other)).is_ok();
        for verdict in [Verdict::Safe, Verdict::Unsafe, unknown.clone()] {
            assert!(agrees(verdict.clone(), verdict.clone()));
            assert!(agrees(verdict.clone(), unknown.clone()));
            assert!(agrees(unknown.clone(), verdict));
        }
        assert!(!agrees(Verdict::Safe, Verdict::Unsafe));
        assert!(!agrees(Verdict::Unsafe, Verdict::Safe));
        assert!(!agrees(Verdict::Unsafe, Verdict::SafeUpTo(Bound(3))));
    }
}
