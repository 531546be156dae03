//! `--engine slice`: its options, and what it did.

use super::auto::Members;
use super::progress::ProgressLine;
use super::schedule::{Watched, no_memory_model};
use super::watchdog::Watchdog;
use super::{Answer, schedule, seconds};
use crate::cli::report::{complaint, write};
use clap::{ValueEnum, ValueHint};
use heddle_diagnostics::Report;
use heddle_engine::control;
use heddle_engine::slice::checker::{Checker, Control, Explore, Match, Predicate, Schedule};
use heddle_engine::slice::{self, Exclude, Level, Statistics};
use heddle_program::{Program, VarId};
use heddle_solver::Limits;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where `--help` lists the options of the engine.
const SLICE: &str = "Engine `slice`";

#[derive(clap::Args)]
#[command(next_help_heading = SLICE)]
#[group(id = "slice")]
pub(super) struct Args {
    /// What checks the sliced programs.
    #[arg(long, value_enum, default_value_t = With::Schedule)]
    with: With,
    /// The shared variables to begin with. Without it they are chosen by rules/slice.dl.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    keep: Option<Vec<String>>,
    /// How far the dependencies of what is asserted are followed.
    #[arg(long, value_name = "N", default_value_t = 0)]
    depth: u32,
    /// What is excluded with a spurious counterexample: `links` with the engine `schedule`, `orders`
    /// with any other and with --dump, unless one is chosen.
    #[arg(long, value_enum)]
    exclude: Option<ExcludeArg>,
    /// Write every intermediate program to a folder, as .hd.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    dump: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum With {
    /// The engine of that name, with its options.
    Schedule,
    /// The engine of that name, with its options.
    Control,
    /// The engine of that name, with its options.
    Predicate,
    /// The engine of that name, with its options.
    Match,
    /// Every interleaving, concretely; --dfs, --all-interleavings and --nondet-range hold.
    Explore,
}

#[derive(Clone, Copy, ValueEnum)]
enum ExcludeArg {
    /// The run, with all its values.
    Runs,
    /// All runs with the same steps, if those that depend on each other come in the same
    /// order.
    Orders,
    /// All executions with the same links from writes to reads, by a clause of the solver: no
    /// program is translated.
    Links,
}

impl Args {
    /// What checks the sliced programs.
    pub(super) fn with(&self) -> With {
        self.with
    }

    pub(super) fn check(
        &self,
        program: &Program,
        back_ends: &Members,
        limits: Limits,
        watchdog: &Watchdog,
    ) -> Result<Answer, Report> {
        let deadline = limits.deadline;
        let in_solver = self.with == With::Schedule && self.dump.is_none();
        let exclude = match self.exclude {
            Some(ExcludeArg::Runs) => Exclude::Runs,
            Some(ExcludeArg::Links) if !in_solver => {
                return Err(complaint(
                    "--exclude links is for --with schedule, and makes no programs to --dump"
                        .to_owned(),
                ));
            }
            None | Some(ExcludeArg::Links) if in_solver => {
                return self.check_in_solver(program, back_ends.schedule, limits, watchdog);
            }
            _ => Exclude::Orders,
        };
        let options = self.options(program, exclude, deadline)?;
        let mut checker: Box<dyn Checker> = match self.with {
            With::Schedule => Box::new(Schedule::new(back_ends.schedule.options(limits)?)),
            With::Control => Box::new(Control {
                options: control::Options {
                    scheme: back_ends.control.scheme(),
                    reach: back_ends.reach.as_back_end(limits),
                },
            }),
            With::Predicate => Box::new(Predicate {
                options: back_ends.reach.as_back_end(limits),
            }),
            With::Match => Box::new(Match {
                options: back_ends.matching.as_back_end(deadline),
            }),
            With::Explore => Box::new(Explore {
                options: back_ends.matching.exploring(),
            }),
        };
        let mut progress = Progress {
            line: ProgressLine::default(),
            dump: self.dump.as_deref().map(Dump::into).transpose()?,
        };
        let outcome = slice::check(program, &options, &mut *checker, &mut progress);
        let outcome = outcome.map_err(|missing| no_memory_model(&missing))?;
        if let Some(Dump {
            failed: Some(report),
            ..
        }) = progress.dump
        {
            return Err(report);
        }
        Ok(answer(outcome))
    }

    fn options(
        &self,
        program: &Program,
        exclude: Exclude,
        deadline: Option<Instant>,
    ) -> Result<slice::Options, Report> {
        Ok(slice::Options {
            keep: self.kept(program)?,
            depth: self.depth,
            exclude,
            deadline,
        })
    }

    fn check_in_solver(
        &self,
        program: &Program,
        schedule: &schedule::Args,
        limits: Limits,
        watchdog: &Watchdog,
    ) -> Result<Answer, Report> {
        let options = self.options(program, Exclude::Orders, limits.deadline)?;
        let schedule = schedule.options(limits)?;
        let mut progress = Watched::new("slice", watchdog);
        let outcome = slice::check_in_solver(program, &options, &schedule, &mut progress);
        let outcome = outcome.map_err(|missing| no_memory_model(&missing))?;
        Ok(answer(outcome))
    }

    /// The variables that `--keep` names.
    fn kept(&self, program: &Program) -> Result<Option<Vec<VarId>>, Report> {
        let Some(names) = &self.keep else {
            return Ok(None);
        };
        let shared = || program.variable_ids().filter(|&id| program.is_shared(id));
        let find = |name: &String| {
            let found = shared().find(|&id| program.terms.name(id) == name);
            found.ok_or_else(|| {
                let known = shared().map(|id| program.terms.name(id).to_owned());
                unknown_variable(name, known.collect())
            })
        };
        names.iter().map(find).collect::<Result<_, _>>().map(Some)
    }
}

fn answer(outcome: slice::Outcome) -> Answer {
    Answer {
        verdict: outcome.verdict,
        trace: outcome.trace,
        answered_by: None,
        statistics: super::Statistics {
            engine: "slice",
            lines: lines(&outcome.statistics),
            json: as_json(&outcome.statistics),
        },
    }
}

fn unknown_variable(name: &str, known: Vec<String>) -> Report {
    let similar = known
        .iter()
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match similar {
        Some((_, similar)) => format!("; did you mean `{similar}`?"),
        None => format!("; there are {}", known.join(", ")),
    };
    complaint(format!(
        "--keep: the program has no shared variable `{name}`{hint}"
    ))
}

struct Progress {
    line: ProgressLine,
    dump: Option<Dump>,
}

impl slice::Progress for Progress {
    fn program(&mut self, name: &str, program: &Program) {
        if let Some(dump) = &mut self.dump {
            dump.program(name, program);
        }
    }

    fn counterexample(&mut self, level: usize, number: usize) {
        self.line
            .show(&format!("level {level}, counterexample {number}"));
    }
}

/// A folder for intermediate programs, numbered in the order in which they come about.
struct Dump {
    folder: PathBuf,
    written: usize,
    failed: Option<Report>,
}

impl Dump {
    fn into(folder: &Path) -> Result<Dump, Report> {
        std::fs::create_dir_all(folder)
            .map_err(|error| complaint(format!("cannot make {}: {error}", folder.display())))?;
        Ok(Dump {
            folder: folder.to_owned(),
            written: 0,
            failed: None,
        })
    }

    fn program(&mut self, name: &str, program: &Program) {
        if self.failed.is_some() {
            return;
        }
        self.written += 1;
        let file = self.folder.join(format!("{:03}-{name}.hd", self.written));
        self.failed = write(&file, &heddle_front::hd::print(program)).err();
    }
}

fn lines(statistics: &Statistics) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (number, level) in statistics.levels.iter().enumerate() {
        let calls = format!("{}, {}", level.calls, seconds(level.time));
        let counterexamples = format!("{} ({} spurious)", level.counterexamples, level.spurious);
        let steps = format!("{} of {}", level.removed, level.steps);
        let own = [
            ("variables kept", names(&level.kept)),
            ("variables sliced", names(&level.sliced)),
            ("abstractions", level.abstractions.to_string()),
            ("instructions removed", steps),
            ("counterexamples", counterexamples),
            ("back end calls, time", calls),
        ];
        let own = own.into_iter();
        lines.extend(own.map(|(name, value)| (format!("{number}: {name}"), value)));
    }
    lines
}

fn names(variables: &BTreeSet<String>) -> String {
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    format!("{} ({})", names.len(), names.join(", "))
}

fn as_json(statistics: &Statistics) -> Map<String, Value> {
    let level = |level: &Level| {
        json!({
            "kept": level.kept,
            "sliced": level.sliced,
            "abstractions": level.abstractions,
            "instructions": level.steps,
            "removed": level.removed,
            "counterexamples": level.counterexamples,
            "spurious": level.spurious,
            "calls": level.calls,
            "seconds": level.time.as_secs_f64(),
        })
    };
    let levels: Vec<Value> = statistics.levels.iter().map(level).collect();
    Map::from_iter([("levels".to_owned(), Value::Array(levels))])
}
