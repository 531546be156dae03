//! `--engine schedule`: its options, and what it did.

use super::progress::ProgressLine;
use super::{Answer, seconds};
use crate::cli::memory_model::MemoryModel;
use crate::cli::report::complaint;
use clap::ValueEnum;
use heddle_diagnostics::Report;
use heddle_engine::schedule::{self, Statistics};
use heddle_program::Program;
use heddle_solver::Backend;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
    /// Whether there is an option that no other engine has: a bound for loops.
    pub(super) fn is_bounded(&self) -> bool {
        self.unwind.is_some()
    }

    /// Whether executions are other than those that every engine knows.
    pub(super) fn has_memory_model(&self) -> bool {
        !self.model.is_default()
    }

    pub(super) fn options(&self, deadline: Option<Instant>) -> Result<schedule::Options, Report> {
        Ok(schedule::Options {
            unwind: self.unwind,
            rules: self.model.load()?,
            deadline,
            stop: None,
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
        deadline: Option<Instant>,
        stop: Arc<AtomicBool>,
    ) -> Result<Answer, Report> {
        let mut options = self.options(deadline)?;
        options.stop = Some(stop);
        let outcome = schedule::check(program, &options, &mut ProgressLine::default());
        let outcome = outcome.map_err(|missing| no_memory_model(&missing))?;
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            answered_by: None,
            statistics: super::Statistics {
                engine: "schedule",
                lines: lines(&outcome.statistics),
                json: as_json(&outcome.statistics),
            },
        })
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
        ("bound", statistics.unwind.to_string()),
        ("events", statistics.events.to_string()),
        ("candidate links", statistics.links.to_string()),
        ("abstraction", abstraction),
        ("lemmas at the start", statistics.lemmas.to_string()),
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
        "events": statistics.events,
        "links": statistics.links,
        "abstraction": {
            "variables": statistics.variables,
            "clauses": statistics.clauses,
        },
        "lemmas": statistics.lemmas,
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
