//! `--engine schedule`: its options, and what it did.

use super::progress::ProgressLine;
use super::watchdog::Watchdog;
use super::{Answer, seconds};
use crate::cli::memory_model::MemoryModel;
use crate::cli::report::complaint;
use clap::ValueEnum;
use heddle_diagnostics::Report;
use heddle_engine::schedule::{self, Statistics};
use heddle_program::{Assumption, Bound, Program, Verdict};
use heddle_solver::{Backend, Limits};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Where `--help` lists the options of the engine.
const SCHEDULE: &str = "Engine `schedule`";

#[derive(clap::Args)]
#[command(next_help_heading = SCHEDULE)]
#[group(id = "schedule")]
pub(super) struct Args {
    /// How often loops go round. Without it the bound grows until it is proved enough.
    #[arg(long, value_name = "N")]
    unwind: Option<u32>,
    #[command(flatten)]
    model: MemoryModel,
    /// The most kernel reasons taken from one counterexample.
    #[arg(long, value_name = "N", default_value_t = 64)]
    reasons_a_round: usize,
    /// Kernel reasons of at most so many literals are handed over before the first round.
    #[arg(long, value_name = "N", default_value_t = 2)]
    lemma_size: usize,
    /// What a refinement says.
    #[arg(long, value_enum, default_value_t = Reasons::Named)]
    reasons: Reasons,
    /// Which solver looks for counterexamples.
    #[arg(long, value_enum, default_value_t = SolverChoice::Auto)]
    solver: SolverChoice,
}

#[derive(Clone, Copy, ValueEnum)]
enum SolverChoice {
    /// CaDiCaL, but Z3 where integers may become large.
    Auto,
    /// CaDiCaL, after bit-blasting.
    Cadical,
    /// Z3, with integers as integers: a second opinion.
    Z3,
}

#[derive(Clone, Copy, ValueEnum)]
enum Reasons {
    /// Minimal sets of guards and links.
    Kernel,
    /// The same by way of names for derived orders.
    Named,
}

impl Args {
    pub(super) fn assumptions(&self) -> impl Iterator<Item = Assumption> {
        self.model.assumptions()
    }

    pub(super) fn options(&self, limits: Limits) -> Result<schedule::Options, Report> {
        Ok(schedule::Options {
            unwind: self.unwind,
            rules: self.model.load()?,
            deadline: limits.deadline,
            stop: limits.stop,
            reasons_a_round: self.reasons_a_round,
            lemma_size: self.lemma_size,
            reasons: match self.reasons {
                Reasons::Kernel => schedule::Reasons::Kernel,
                Reasons::Named => schedule::Reasons::Named,
            },
            solver: match self.solver {
                SolverChoice::Auto => None,
                SolverChoice::Cadical => Some(Backend::BitBlast),
                SolverChoice::Z3 => Some(Backend::Z3),
            },
        })
    }

    pub(super) fn check(
        &self,
        program: &Program,
        limits: Limits,
        watchdog: &Watchdog,
    ) -> Result<Answer, Report> {
        let options = self.options(limits)?;
        let mut progress = Watched::new("schedule", watchdog);
        let outcome = schedule::check(program, &options, &mut progress);
        let outcome = outcome.map_err(|missing| no_memory_model(&missing))?;
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            answered_by: None,
            statistics: statistics_of("schedule", &outcome.statistics),
        })
    }
}

/// Shows how far the engine is, and lets the watchdog know what to say if time is up.
pub(super) struct Watched<'a> {
    engine: &'static str,
    watchdog: &'a Watchdog,
    line: ProgressLine,
    proved: Option<Bound>,
    told: Instant,
}

impl<'a> Watched<'a> {
    /// How often statistics are told.
    const PERIOD: Duration = Duration::from_millis(200);

    pub(super) fn new(engine: &'static str, watchdog: &'a Watchdog) -> Self {
        Watched {
            engine,
            watchdog,
            line: ProgressLine::default(),
            proved: None,
            told: Instant::now(),
        }
    }

    fn tell(&mut self, statistics: &Statistics) {
        self.told = Instant::now();
        let verdict = match self.proved {
            Some(bound) => Verdict::SafeUpTo(bound),
            None => Verdict::Unknown(String::new()),
        };
        self.watchdog.so_far(Answer {
            statistics: statistics_of(self.engine, statistics),
            ..Answer::without_trace(verdict, self.engine)
        });
    }
}

impl schedule::Progress for Watched<'_> {
    fn encoded(&mut self, statistics: &Statistics) {
        schedule::Progress::encoded(&mut self.line, statistics);
    }

    fn round(&mut self, statistics: &Statistics) {
        schedule::Progress::round(&mut self.line, statistics);
        if self.told.elapsed() >= Self::PERIOD {
            self.tell(statistics);
        }
    }

    fn proved(&mut self, bound: Bound, statistics: &Statistics) {
        self.proved = Some(bound);
        self.tell(statistics);
    }
}

fn statistics_of(engine: &'static str, statistics: &Statistics) -> super::Statistics {
    super::Statistics {
        engine,
        lines: lines(statistics),
        json: as_json(statistics),
    }
}

pub(super) fn no_memory_model(missing: &schedule::MissingRelation) -> Report {
    complaint(format!(
        "the memory model declares no relation `{}`, by which executions are given",
        missing.0
    ))
}

fn lines(statistics: &Statistics) -> Vec<(String, String)> {
    let sizes = statistics.sizes.iter();
    let sizes: Vec<String> = sizes
        .map(|(size, count)| format!("{count} of {size}"))
        .collect();
    let abstraction = format!(
        "{} variables, {} clauses",
        statistics.variables, statistics.clauses
    );
    let rules = statistics.rules.iter();
    let rules: Vec<String> = rules
        .map(|(rule, count)| format!("{count} {rule}"))
        .collect();
    let lines = [
        ("bound", bound(statistics)),
        ("events", statistics.events.to_string()),
        ("candidate links", statistics.links.to_string()),
        ("abstraction", abstraction),
        ("lemmas at the start", lemmas(statistics)),
        ("refinement rounds", statistics.rounds().to_string()),
        ("reasons a round", a_round(&statistics.reasons)),
        ("definitions of orders", statistics.definitions.to_string()),
        ("clauses added", statistics.clauses_added().to_string()),
        ("reasons by literals", sizes.join(", ")),
        ("reasons by rule", rules.join(", ")),
        ("exact conflicts", statistics.exact_conflicts.to_string()),
        ("time: unrolling", seconds(statistics.unroll_time)),
        ("time: encoding", seconds(statistics.encode_time)),
        ("time: solver", seconds(statistics.solver_time)),
        ("time: rules, reasons", seconds(statistics.fixpoint_time)),
        ("time: exact orders", seconds(statistics.exact_time)),
    ];
    let owned = lines
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    owned.collect()
}

/// The bound that was tried last.
fn bound(statistics: &Statistics) -> String {
    match &statistics.gave_up {
        Some(reason) => format!("{}, given up: {reason}", statistics.unwind),
        None => statistics.unwind.to_string(),
    }
}

fn lemmas(statistics: &Statistics) -> String {
    match statistics.lemmas_given_up {
        true => format!("{}, the search was given up", statistics.lemmas),
        false => statistics.lemmas.to_string(),
    }
}

/// How many reasons the rounds found.
fn a_round(reasons: &[usize]) -> String {
    match (reasons.iter().min(), reasons.iter().max()) {
        (Some(least), Some(most)) if least != most => {
            let average = reasons.iter().sum::<usize>() as f64 / reasons.len() as f64;
            format!("{least} to {most}, {average:.1} on average")
        }
        (Some(each), _) => each.to_string(),
        _ => "none".to_owned(),
    }
}

fn as_json(statistics: &Statistics) -> Map<String, Value> {
    let value = json!({
        "bound": statistics.unwind,
        "gave_up": statistics.gave_up,
        "events": statistics.events,
        "links": statistics.links,
        "abstraction": {
            "variables": statistics.variables,
            "clauses": statistics.clauses,
        },
        "lemmas": statistics.lemmas,
        "lemmas_given_up": statistics.lemmas_given_up,
        "rounds": statistics.rounds(),
        "definitions": statistics.definitions,
        "clauses_added": statistics.clauses_added(),
        "reasons": statistics.reasons,
        "reasons_by_literals": statistics.sizes,
        "reasons_by_rule": statistics.rules,
        "exact_conflicts": statistics.exact_conflicts,
        "seconds": {
            "unrolling": statistics.unroll_time.as_secs_f64(),
            "encoding": statistics.encode_time.as_secs_f64(),
            "solver": statistics.solver_time.as_secs_f64(),
            "rules": statistics.fixpoint_time.as_secs_f64(),
            "exact_orders": statistics.exact_time.as_secs_f64(),
        },
    });
    match value {
        Value::Object(map) => map,
        _ => unreachable!("`json!` of braces is an object"),
    }
}
