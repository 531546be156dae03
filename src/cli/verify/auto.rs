//! `--engine auto`: who takes turns, and who answered.

use super::progress::ProgressLine;
use super::schedule::no_memory_model;
use super::watchdog::Watchdog;
use super::{Answer, control, matching, reach, schedule, seconds};
use crate::cli::report::{counted, write};
use crate::cli::trace_json;
use heddle_diagnostics::Report;
use heddle_engine::auto::{self, Member, Options, Turn};
use heddle_engine::matching::InputValues;
use heddle_program::{Program, Verdict};
use heddle_solver::Limits;
use serde_json::{Map, Value, json};
use std::time::Duration;

const FIRST_TURN: Duration = Duration::from_millis(500);

/// The options of the engines that take part.
pub(super) struct Members<'a> {
    pub(super) schedule: &'a schedule::Args,
    pub(super) matching: &'a matching::Args,
    pub(super) reach: &'a reach::Args,
    pub(super) control: &'a control::Args,
}

impl Members<'_> {
    pub(super) fn check(
        &self,
        program: &Program,
        limits: Limits,
        watchdog: &Watchdog,
    ) -> Result<Answer, Report> {
        let deadline = limits.deadline;
        let (program, reach) = self.reach.options(program, self.matching, limits.clone())?;
        let mut matching = self.matching.options(reach.predicates.clone(), deadline);
        matching.inputs = InputValues::Solver;
        matching.after_error = 0;
        let schedule = self.schedule.options(limits.clone())?;
        let options = Options {
            members: Member::ALL.to_vec(),
            matching,
            schedule,
            control: heddle_engine::control::Options {
                scheme: self.control.scheme(),
                reach,
            },
            limits,
            certified: self.reach.invariant().is_some(),
            first_turn: FIRST_TURN,
        };
        let mut progress = Watched {
            watchdog,
            line: ProgressLine::default(),
        };
        let outcome = auto::check(&program, &options, &mut progress);
        let outcome = outcome.map_err(|missing| no_memory_model(&missing))?;
        if let (Some(path), Some(certificate)) = (self.reach.invariant(), &outcome.certificate) {
            write(path, &certificate.text)?;
        }
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            answered_by: outcome.answered_by.map(|member| member.to_string()),
            statistics: statistics_of(&outcome.turns),
        })
    }
}

/// Shows whose turn it is, and lets the watchdog know what to say if time is up.
struct Watched<'a> {
    watchdog: &'a Watchdog,
    line: ProgressLine,
}

impl auto::Progress for Watched<'_> {
    fn turn(&mut self, member: Member, at_most: Duration) {
        self.line.show(&format!(
            "{member}, for at most {:.1} s",
            at_most.as_secs_f64()
        ));
    }

    fn so_far(&mut self, turns: &[Turn], proved: Option<(Member, Verdict)>) {
        let (member, verdict) = proved.unzip();
        self.watchdog.so_far(Answer {
            verdict: verdict.unwrap_or(Verdict::Unknown(String::new())),
            trace: None,
            answered_by: member.map(|member| member.to_string()),
            statistics: statistics_of(turns),
        });
    }
}

fn statistics_of(turns: &[Turn]) -> super::Statistics {
    super::Statistics {
        engine: "auto",
        lines: turns.iter().map(line).collect(),
        json: as_json(turns),
    }
}

fn line(turn: &Turn) -> (String, String) {
    let mut text = format!(
        "{}, {} given, {} in the end",
        seconds(turn.time),
        counted(turn.given as u64, "predicate"),
        turn.predicates,
    );
    if turn.states_given > 0 {
        text += &format!(
            ", {} given, which answered {}",
            counted(turn.states_given as u64, "state"),
            counted(turn.answered_by_states, "question"),
        );
    }
    let verdict = turn.verdict.to_string();
    text += &format!(": {}", verdict.trim_start_matches("VERDICT: "));
    (turn.member.to_string(), text)
}

fn as_json(turns: &[Turn]) -> Map<String, Value> {
    let turns = turns.iter().map(|turn| {
        json!({
            "engine": turn.member.to_string(),
            "seconds": turn.time.as_secs_f64(),
            "verdict": trace_json::verdict(&turn.verdict),
            "predicates_given": turn.given,
            "predicates": turn.predicates,
            "states_given": turn.states_given,
            "answered_by_states": turn.answered_by_states,
        })
    });
    let turns: Vec<Value> = turns.collect();
    Map::from_iter([("turns".to_owned(), json!(turns))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_state_is_no_states() {
        let turn = |count: usize| Turn {
            member: Member::Control,
            time: Duration::from_millis(1500),
            verdict: Verdict::Safe,
            given: count,
            predicates: 4,
            states_given: count,
            answered_by_states: count as u64,
        };
        let (name, one) = line(&turn(1));
        assert_eq!(name, "control");
        assert_eq!(
            one,
            "1.500 s, 1 predicate given, 4 in the end, 1 state given, which answered 1 question: SAFE"
        );
        let (_, two) = line(&turn(2));
        assert!(
            two.contains("2 states given, which answered 2 questions"),
            "{two}"
        );
        let (_, none) = line(&turn(0));
        assert_eq!(none, "1.500 s, 0 predicates given, 4 in the end: SAFE");
    }
}
