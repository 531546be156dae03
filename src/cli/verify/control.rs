//! `--engine control`: its options, and both schemes side by side.

use super::progress::ProgressLine;
use super::{Answer, matching, reach, seconds};
use heddle_diagnostics::Report;
use heddle_engine::control::{self, Options, Scheme};
use heddle_engine::reach::Statistics;
use heddle_program::{Program, Verdict};
use heddle_solver::Limits;
use serde_json::json;

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
    /// Check the program by both schemes, and show them side by side.
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
        let by = |scheme| {
            let reach = options.clone();
            let options = Options { scheme, reach };
            control::check(&program, &options, &mut ProgressLine::default())
        };
        if !self.compare_refinements {
            return reach.answer("control", by(self.refinement), matching);
        }
        let (monotonic, other) = (by(Scheme::Monotonic), by(Scheme::NonMonotonic));
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
        verdict.to_string().trim_start_matches("VERDICT: "),
    )
}
