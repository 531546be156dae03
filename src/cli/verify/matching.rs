//! `--engine match`: its options, and what it did.

use super::progress::ProgressLine;
use super::{Answer, seconds};
use crate::cli::report::write;
use clap::ValueHint;
use heddle_diagnostics::Report;
use heddle_engine::matching::{
    self, InputValues, Iteration, Options, PredicateScope, Proof, Statistics,
};
use heddle_front::hd;
use heddle_interpret::{Interleavings, NondetRange, Order};
use heddle_program::{Program, TermId};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where `--help` lists the options of the engine.
const MATCH: &str = "Engine `match`";
/// Where it lists those that other engines have, too.
const PREDICATES: &str = "Engines `match`, `predicate` and `control`";

#[derive(clap::Args)]
#[command(next_help_heading = MATCH)]
#[group(id = "match")]
pub(super) struct Args {
    /// Look at this condition from the first iteration on, such as `e1 >= 0`; also several times.
    #[arg(long, value_name = "CONDITION", help_heading = PREDICATES)]
    predicate: Vec<String>,
    /// Search depth-first. Only breadth-first search finds every error in the end.
    #[arg(long)]
    dfs: bool,
    /// Try every interleaving, also those that make no difference.
    #[arg(long)]
    all_interleavings: bool,
    /// Describe a concrete state by predicates once a step of it was inexact N times, so that
    /// programs with finitely many states are decided.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    concrete_after: Option<u32>,
    /// Let the solver choose inputs, one for each valuation of the predicates that is possible.
    #[arg(long)]
    open: bool,
    /// The numbers that inputs are, if the solver does not choose them; both ends are included.
    #[arg(
        long,
        value_name = "LO..HI",
        allow_hyphen_values = true,
        default_value_t,
        conflicts_with = "open"
    )]
    nondet_range: NondetRange,
    /// Look at a new predicate only where the step that it was made for may be taken.
    #[arg(long)]
    local_predicates: bool,
    /// Refine without asking a prover whether that is necessary.
    #[arg(long)]
    no_prover: bool,
    /// Give up after so many iterations.
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// Generate so many more states to complete the iteration in which an error was found.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    after_error: u64,
    /// Write the abstract states that were reached to a file, as a graph for Graphviz.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = PREDICATES)]
    dot: Option<PathBuf>,
}

impl Args {
    /// For programs that are made of others: nobody can name their predicates beforehand.
    pub(super) fn as_back_end(&self, deadline: Option<Instant>) -> Options {
        self.options(Vec::new(), deadline)
    }

    /// The conditions that `--predicate` names, as terms of the program.
    pub(super) fn predicates(&self, program: &mut Program) -> Result<Vec<TermId>, Report> {
        let texts = self.predicate.iter();
        texts
            .map(|text| hd::condition(program, "--predicate", text))
            .collect()
    }

    /// Where the graph goes, if it is wanted.
    pub(super) fn dot(&self) -> Option<&Path> {
        self.dot.as_deref()
    }

    /// The same choices for plain exploration.
    pub(super) fn exploring(&self) -> heddle_interpret::Options {
        heddle_interpret::Options {
            order: self.order(),
            interleavings: self.interleavings(),
            range: self.nondet_range,
            max_memory: Some(4 << 30),
            ..heddle_interpret::Options::default()
        }
    }

    fn order(&self) -> Order {
        match self.dfs {
            true => Order::DepthFirst,
            false => Order::BreadthFirst,
        }
    }

    fn interleavings(&self) -> Interleavings {
        match self.all_interleavings {
            true => Interleavings::All,
            false => Interleavings::Enough,
        }
    }

    pub(super) fn options(&self, predicates: Vec<TermId>, deadline: Option<Instant>) -> Options {
        Options {
            order: self.order(),
            interleavings: self.interleavings(),
            predicates,
            concrete_after: self.concrete_after,
            inputs: match self.open {
                true => InputValues::Solver,
                false => InputValues::Range(self.nondet_range),
            },
            scope: match self.local_predicates {
                true => PredicateScope::OfTheirSteps,
                false => PredicateScope::Everywhere,
            },
            proof: match self.no_prover {
                true => Proof::Syntactic,
                false => Proof::Prover,
            },
            max_iterations: self.max_iterations,
            after_error: self.after_error,
            deadline,
            dot: self.dot.is_some(),
            states: 0,
        }
    }

    pub(super) fn check(
        &self,
        program: &Program,
        deadline: Option<Instant>,
    ) -> Result<Answer, Report> {
        let mut program = program.clone();
        let predicates = self.predicates(&mut program)?;
        let options = self.options(predicates, deadline);
        let outcome = matching::check(&program, &options, &mut ProgressLine::default());
        if let (Some(path), Some(dot)) = (&self.dot, &outcome.dot) {
            write(path, dot)?;
        }
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            answered_by: None,
            statistics: super::Statistics {
                engine: "match",
                lines: lines(&outcome.statistics),
                json: as_json(&outcome.statistics),
            },
        })
    }
}

fn lines(statistics: &Statistics) -> Vec<(String, String)> {
    let mut lines = vec![
        ("program counter", statistics.program_counter.join(", ")),
        ("first predicates", statistics.first_predicates.join(", ")),
    ];
    let iterations: Vec<(String, String)> = statistics
        .iterations
        .iter()
        .enumerate()
        .map(|(index, iteration)| (format!("iteration {}", index + 1), line(iteration)))
        .collect();
    for (index, iteration) in statistics.iterations.iter().enumerate() {
        lines.push((&iterations[index].0, iterations[index].1.clone()));
        if !iteration.new_predicates.is_empty() {
            lines.push(("  new", iteration.new_predicates.join(", ")));
        }
    }
    lines.push(("queries", statistics.queries().to_string()));
    lines.push(("cache hits", statistics.cache_hits().to_string()));
    lines.push(("new predicates", statistics.new_predicates().to_string()));
    if let Some(certificate) = &statistics.certificate {
        let text = format!(
            "{} states and {} steps, {} queries",
            certificate.states, certificate.steps, certificate.queries
        );
        lines.push(("checked structure", text));
    }
    lines.extend([
        ("time: search", seconds(statistics.search_time)),
        ("time: exactness", seconds(statistics.exactness_time)),
        ("time: rules", seconds(statistics.rules_time)),
        ("time: check", seconds(statistics.check_time)),
    ]);
    lines
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn line(iteration: &Iteration) -> String {
    format!(
        "{} concrete, {} abstract states, {} queries, {} cache hits, {} new predicates",
        iteration.concrete_states,
        iteration.abstract_states,
        iteration.questions.queries,
        iteration.questions.cache_hits,
        iteration.new_predicates.len(),
    )
}

fn as_json(statistics: &Statistics) -> Map<String, Value> {
    let iterations: Vec<Value> = statistics
        .iterations
        .iter()
        .map(|iteration| {
            json!({
                "concrete_states": iteration.concrete_states,
                "abstract_states": iteration.abstract_states,
                "transitions": iteration.transitions,
                "queries": iteration.questions.queries,
                "cache_hits": iteration.questions.cache_hits,
                "new_predicates": iteration.new_predicates,
                "described_states": iteration.described_states,
            })
        })
        .collect();
    let certificate = statistics.certificate.map(|certificate| {
        json!({
            "states": certificate.states,
            "steps": certificate.steps,
            "queries": certificate.queries,
        })
    });
    let value = json!({
        "program_counter": statistics.program_counter,
        "first_predicates": statistics.first_predicates,
        "iterations": iterations,
        "checked_structure": certificate,
        "seconds": {
            "search": statistics.search_time.as_secs_f64(),
            "exactness": statistics.exactness_time.as_secs_f64(),
            "rules": statistics.rules_time.as_secs_f64(),
            "check": statistics.check_time.as_secs_f64(),
        },
    });
    match value {
        Value::Object(map) => map,
        _ => unreachable!("`json!` of braces is an object"),
    }
}
