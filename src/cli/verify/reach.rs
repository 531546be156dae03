//! What the engines `predicate` and `control` share: options, and what they did.

use super::{Answer, matching, seconds};
use crate::cli::report::write;
use clap::ValueHint;
use heddle_datalog::theory::BackendKind;
use heddle_diagnostics::Report;
use heddle_engine::reach::{Abstraction, Limits, Options, Outcome, Posts};
use heddle_engine::reach::{Refinement, Round, Scoping, Source, Statistics};
use heddle_program::Program;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// Who evaluates the rules of abstract reachability.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum RulesBy {
    /// Derives everything afresh whenever facts have changed.
    #[default]
    Compiled,
    /// Derives what changes.
    Incremental,
}

impl From<RulesBy> for BackendKind {
    fn from(by: RulesBy) -> BackendKind {
        match by {
            RulesBy::Compiled => BackendKind::Compiled,
            RulesBy::Incremental => BackendKind::Incremental,
        }
    }
}

/// Where `--help` lists the options of the engines.
const REACH: &str = "Engines `predicate` and `control`";

#[derive(clap::Args)]
#[command(next_help_heading = REACH)]
#[group(id = "reach")]
pub(super) struct Args {
    /// What an abstract state says of the predicates: `cartesian` is a conjunction of some,
    /// `boolean` a truth value for each.
    #[arg(long, value_name = "KIND", default_value_t)]
    abstraction: Abstraction,
    /// When a solver is asked what the steps make of the predicates: `on-the-fly`, for the
    /// states that are reached, or `precomputed`, for all states before any is reached.
    #[arg(long, value_name = "WHEN", default_value_t)]
    posts: Posts,
    /// Where predicates come from, in the order in which they are tried: `linear`
    /// combinations of guards, `wp` for weakest preconditions, `sp` for strongest
    /// postconditions.
    #[arg(long, value_name = "SOURCE,…", value_delimiter = ',', default_values_t = Source::ALL)]
    predicates_from: Vec<Source>,
    /// Where new predicates are tracked: `global`, or at each `location` for which a spurious
    /// counterexample needs them.
    #[arg(long, value_name = "SCOPE", default_value_t)]
    predicate_scope: Scoping,
    /// Who evaluates `rules/reach.dl`.
    #[arg(long, value_enum, default_value_t, value_name = "BACKEND")]
    backend: RulesBy,
    /// Write the inductive invariant that proves the program safe to a file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    invariant: Option<PathBuf>,
}

impl Args {
    /// The options, and the program with what the options mention.
    pub(super) fn options(
        &self,
        program: &Program,
        matching: &matching::Args,
        limits: Limits,
    ) -> Result<(Program, Options), Report> {
        let mut program = program.clone();
        let predicates = matching.predicates(&mut program)?;
        let options = Options {
            abstraction: self.abstraction,
            posts: self.posts,
            predicates,
            sources: self.predicates_from.clone(),
            scoping: self.predicate_scope,
            backend: self.backend.into(),
            limits,
            graph: matching.dot().is_some(),
            ..Options::default()
        };
        Ok((program, options))
    }

    /// For programs that are made of others: nobody can name their predicates beforehand.
    pub(super) fn as_back_end(&self, limits: Limits) -> Options {
        Options {
            abstraction: self.abstraction,
            posts: self.posts,
            sources: self.predicates_from.clone(),
            scoping: self.predicate_scope,
            backend: self.backend.into(),
            limits,
            ..Options::default()
        }
    }

    /// Where the invariant goes, if it is wanted.
    pub(super) fn invariant(&self) -> Option<&Path> {
        self.invariant.as_deref()
    }

    pub(super) fn answer(
        &self,
        engine: &'static str,
        outcome: Outcome,
        matching: &matching::Args,
    ) -> Result<Answer, Report> {
        if let (Some(path), Some(graph)) = (matching.dot(), &outcome.graph) {
            write(path, graph)?;
        }
        if let (Some(path), Some(certificate)) = (&self.invariant, &outcome.certificate) {
            write(path, &certificate.text)?;
        }
        Ok(Answer {
            verdict: outcome.verdict,
            trace: outcome.trace,
            answered_by: None,
            statistics: super::Statistics {
                engine,
                lines: lines(&outcome.statistics),
                json: as_json(&outcome.statistics),
            },
        })
    }
}

fn lines(statistics: &Statistics) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (index, round) in statistics.rounds.iter().enumerate() {
        lines.push((format!("round {}", index + 1), round_line(round)));
        lines.extend(refinement_lines(round));
    }
    let classes = format!(
        "{} ({} when those of each thread are counted) of {} locations",
        statistics.classes, statistics.thread_classes, statistics.locations
    );
    let states = format!(
        "{}, {} of them covered",
        statistics.abstract_states, statistics.covered
    );
    let posts = format!(
        "{} asked, {} from caches; {} solver calls, {} questions decided without",
        statistics.posts(),
        statistics.cached_posts(),
        statistics.solver_calls,
        statistics.decided
    );
    let after_third = statistics.cached_after(3);
    let after_third = after_third.map_or("none asked".to_owned(), |part| {
        format!("{:.0} % from caches", 100.0 * part)
    });
    let certificate = format!(
        "{} cells, {} questions",
        statistics.cells, statistics.certificate_questions
    );
    let rest = [
        ("classes", classes),
        ("predicates", statistics.predicates.len().to_string()),
        ("abstract states", states),
        ("posts", posts),
        ("posts after round 3", after_third),
        ("checked invariant", certificate),
        ("time: reachability", seconds(statistics.reachability_time)),
        ("time: of it rules", seconds(statistics.fixpoint_time)),
        ("time: refinement", seconds(statistics.refinement_time)),
        ("time: certificate", seconds(statistics.certificate_time)),
    ];
    lines.extend(rest.map(|(name, value)| (name.to_owned(), value)));
    lines
}

fn round_line(round: &Round) -> String {
    let mut line = format!(
        "{} abstract states, {} posts, {} of them from caches",
        round.abstract_states, round.posts, round.cached
    );
    if !round.counterexample.is_empty() {
        line.push_str(&format!(", path {}", round.counterexample.join(" ")));
    }
    line
}

fn refinement_lines(round: &Round) -> Vec<(String, String)> {
    let line = |name: &str, value: String| (format!("  {name}"), value);
    match &round.refinement {
        None => Vec::new(),
        Some(Refinement::Data {
            new_predicates,
            scopes,
        }) => {
            let mut lines = Vec::new();
            if !new_predicates.is_empty() {
                lines.push(line("new predicates", new_predicates.join(", ")));
            }
            let scopes = scopes.iter();
            lines.extend(scopes.map(|(predicate, points)| {
                let points = points.join(", ");
                line("tracked", format!("{predicate} at {points}"))
            }));
            lines
        }
        Some(Refinement::Control {
            constraints,
            partition,
            moved,
        }) => {
            let mut lines: Vec<(String, String)> = constraints
                .iter()
                .map(|constraint| line("constraint", constraint.clone()))
                .collect();
            lines.push(line("moved", moved.join(" ")));
            for (thread, classes) in partition {
                let classes = classes.iter();
                let classes: Vec<String> = classes
                    .map(|names| format!("{{{}}}", names.join(" ")))
                    .collect();
                lines.push(line(thread, classes.join(" ")));
            }
            lines
        }
    }
}

pub(super) fn as_json(statistics: &Statistics) -> Map<String, Value> {
    let rounds: Vec<Value> = statistics.rounds.iter().map(round_as_json).collect();
    let value = json!({
        "classes": statistics.classes,
        "thread_classes": statistics.thread_classes,
        "locations": statistics.locations,
        "predicates": statistics.predicates,
        "abstract_states": statistics.abstract_states,
        "covered": statistics.covered,
        "posts": statistics.posts(),
        "cached_posts": statistics.cached_posts(),
        "cached_after_third_round": statistics.cached_after(3),
        "solver_calls": statistics.solver_calls,
        "decided_without": statistics.decided,
        "invariant": {
            "cells": statistics.cells,
            "questions": statistics.certificate_questions,
        },
        "rounds": rounds,
        "seconds": {
            "reachability": statistics.reachability_time.as_secs_f64(),
            "rules": statistics.fixpoint_time.as_secs_f64(),
            "refinement": statistics.refinement_time.as_secs_f64(),
            "certificate": statistics.certificate_time.as_secs_f64(),
        },
    });
    match value {
        Value::Object(map) => map,
        _ => unreachable!("`json!` of braces is an object"),
    }
}

fn round_as_json(round: &Round) -> Value {
    let refinement = match &round.refinement {
        None => Value::Null,
        Some(Refinement::Data {
            new_predicates,
            scopes,
        }) => {
            let scopes = scopes.iter();
            let scopes: Map<String, Value> = scopes
                .map(|(predicate, points)| (predicate.clone(), json!(points)))
                .collect();
            json!({ "new_predicates": new_predicates, "scopes": scopes })
        }
        Some(Refinement::Control {
            constraints,
            partition,
            moved,
        }) => {
            let threads = partition.iter();
            let partition: Map<String, Value> = threads
                .map(|(thread, classes)| (thread.clone(), json!(classes)))
                .collect();
            json!({
                "constraints": constraints,
                "partition": partition,
                "moved": moved,
            })
        }
    };
    json!({
        "abstract_states": round.abstract_states,
        "posts": round.posts,
        "cached_posts": round.cached,
        "fixpoints": round.settles,
        "counterexample": round.counterexample,
        "refinement": refinement,
    })
}
