//! `heddle verify`: an honest verdict about a program, by the engine of one's choice.

mod auto;
mod control;
mod matching;
mod predicate;
mod progress;
mod reach;
mod schedule;
mod slice;
mod watchdog;

use crate::cli::input::Input;
use crate::cli::output;
use crate::cli::report::{assumptions_text, complaint, timeout, trace_table, write};
use crate::cli::trace_json;
use clap::{ValueEnum, ValueHint};
use heddle_diagnostics::Report;
use heddle_interpret::Trace;
use heddle_program::{Program, Verdict};
use heddle_solver::Limits;
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use watchdog::Watchdog;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Match, schedule, predicate and control, taking turns.
    Auto,
    /// Bounded checking with the scheduling constraint abstracted away.
    Schedule,
    /// Concrete search with abstract matching, for all executions.
    Match,
    /// Variables sliced away, and put back along counterexamples.
    Slice,
    /// Predicate abstraction, for all executions.
    Predicate,
    /// Predicate abstraction, and control locations abstracted by classes, for all executions.
    Control,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The method. Without it, `schedule` if --unwind, --model or --rules is given, and `auto`
    /// otherwise.
    #[arg(long, value_enum)]
    engine: Option<Engine>,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Give up when so much memory is in use.
    #[arg(long, value_name = "MIB")]
    memory_limit: Option<u64>,
    /// Write the trace, as a table, to a file too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,
    /// Write verdict, statistics and trace to a file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,
    /// Show what the engine did.
    #[arg(long)]
    stats: bool,
    #[command(flatten)]
    schedule: schedule::Args,
    #[command(flatten)]
    matching: matching::Args,
    #[command(flatten)]
    slice: slice::Args,
    #[command(flatten)]
    reach: reach::Args,
    #[command(flatten)]
    control: control::Args,
}

/// What an engine says about a program.
struct Answer {
    verdict: Verdict,
    /// Replayed; there exactly if the verdict is unsafe.
    trace: Option<Trace>,
    /// Which of several engines found the answer.
    answered_by: Option<String>,
    statistics: Statistics,
}

/// What an engine did, for people and for programs.
struct Statistics {
    /// The engine's name.
    engine: &'static str,
    /// Names and values, in the order in which they are shown.
    lines: Vec<(String, String)>,
    json: Map<String, Value>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(verdict) => ExitCode::from(verdict.exit_code()),
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<Verdict, Report> {
    let started = Instant::now();
    let deadline = match args.timeout {
        Some(seconds) => started.checked_add(timeout(seconds)?),
        None => None,
    };
    let watchdog = Watchdog::start(watchdog::Limits {
        time: deadline.zip(args.timeout),
        memory: args.memory_limit,
    })?;
    let program = args.input.load()?;
    let limits = Limits {
        deadline,
        stop: Some(watchdog.stop()),
    };
    let mut answer = match args.engine()? {
        Engine::Schedule => args.schedule.check(&program, deadline, watchdog.stop()),
        Engine::Match => args.matching.check(&program, deadline),
        Engine::Slice => args.slice.check(&program, &args.members(), limits),
        Engine::Predicate => predicate::check(&program, &args.reach, &args.matching, limits),
        Engine::Control => args
            .control
            .check(&program, &args.reach, &args.matching, limits),
        Engine::Auto => args.members().check(&program, limits),
    }?;
    watchdog.finish(&mut answer.verdict);
    let table = answer.trace.as_ref();
    let table = table.map_or(String::new(), |trace| trace_table(&program, trace));
    if let Some(path) = &args.trace {
        write(path, &table)?;
    }
    let time = started.elapsed();
    if let Some(path) = &args.json {
        write(path, &answer.as_json(&program, time))?;
    }
    let mut text = assumptions_text(&program);
    text.push_str(&table);
    if args.stats || args.control.compare_refinements {
        text.push_str(&answer.statistics.as_text(time));
    }
    if let Some(engine) = &answer.answered_by {
        text.push_str(&format!("answered by engine {engine}\n"));
    }
    output::print(&format!("{text}{}\n", answer.verdict));
    Ok(answer.verdict)
}

impl Args {
    fn members(&self) -> auto::Members<'_> {
        auto::Members {
            schedule: &self.schedule,
            matching: &self.matching,
            reach: &self.reach,
            control: &self.control,
        }
    }

    fn engine(&self) -> Result<Engine, Report> {
        let has_memory_model = self.schedule.has_memory_model();
        match self.engine {
            None if has_memory_model || self.schedule.is_bounded() => Ok(Engine::Schedule),
            None => Ok(Engine::Auto),
            Some(engine @ (Engine::Schedule | Engine::Slice)) => Ok(engine),
            Some(_) if has_memory_model => Err(complaint(
                "--model and --rules are for --engine schedule: the others know sequential \
                 consistency only"
                    .to_owned(),
            )),
            Some(engine) => Ok(engine),
        }
    }
}

impl Answer {
    fn as_json(&self, program: &Program, time: Duration) -> String {
        let assumptions = program.assumptions.iter();
        let assumptions: Vec<&String> = assumptions.map(|assumption| &assumption.text).collect();
        let trace = self.trace.as_ref();
        let value = json!({
            "engine": self.statistics.engine,
            "answered_by": self.answered_by,
            "verdict": trace_json::verdict(&self.verdict),
            "assumptions": assumptions,
            "seconds": time.as_secs_f64(),
            "statistics": self.statistics.json,
            "trace": trace.map(|trace| trace_json::trace(program, trace)),
        });
        format!("{value:#}\n")
    }
}

impl Statistics {
    fn as_text(&self, time: Duration) -> String {
        let total = ("time in total".to_owned(), seconds(time));
        let lines: Vec<String> = self
            .lines
            .iter()
            .chain([&total])
            .map(|(name, value)| format!("  {name:<22} {value}\n"))
            .collect();
        format!("{}:\n{}", self.engine, lines.concat())
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}
