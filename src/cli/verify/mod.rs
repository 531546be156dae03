//! `heddle verify`: an honest verdict about a program, by the engine of one's choice.

mod auto;
mod control;
mod engine_options;
mod matching;
mod predicate;
mod presentation;
mod progress;
mod reach;
mod schedule;
mod slice;
mod watchdog;

use crate::cli::input::Input;
use crate::cli::output;
use crate::cli::report::timeout;
use clap::{ValueEnum, ValueHint};
use engine_options::Given;
use heddle_diagnostics::Report;
use heddle_interpret::Trace;
use heddle_program::{Program, Verdict};
use heddle_solver::Limits;
use presentation::Presentation;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
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

impl Engine {
    /// As `--engine` calls it.
    fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Schedule => "schedule",
            Engine::Match => "match",
            Engine::Slice => "slice",
            Engine::Predicate => "predicate",
            Engine::Control => "control",
        }
    }
}

#[derive(clap::Args)]
pub(crate) struct Args {
    // The first field, because reading a value takes it out of what was parsed.
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    input: Input,
    /// The method. Without it, `schedule` if --unwind, --model or --rules is given, `control` if
    /// --compare-refinements is, and `auto` otherwise.
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

impl Answer {
    /// With nothing to say of what the engine did.
    fn without_trace(verdict: Verdict, engine: &'static str) -> Answer {
        Answer {
            verdict,
            trace: None,
            answered_by: None,
            statistics: Statistics {
                engine,
                lines: Vec::new(),
                json: Map::new(),
            },
        }
    }
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
    let engine = args.engine();
    args.given.check(engine, args.slice.with())?;
    // Reading the program may already take longer than there is time.
    let unread = Presentation::new(args, &Program::default(), started);
    unread.clear()?;
    watchdog.present_by(Arc::new(unread), engine.name());
    let mut program = args.input.load()?;
    program.assumptions.extend(args.schedule.assumptions());
    let presentation = Arc::new(Presentation::new(args, &program, started));
    watchdog.present_by(presentation.clone(), engine.name());
    let limits = Limits {
        deadline,
        stop: Some(watchdog.stop()),
    };
    let mut answer = match engine {
        Engine::Schedule => args.schedule.check(&program, limits, &watchdog),
        Engine::Match => args.matching.check(&program, deadline),
        Engine::Slice => args
            .slice
            .check(&program, &args.members(), limits, &watchdog),
        Engine::Predicate => predicate::check(&program, &args.reach, &args.matching, limits),
        Engine::Control => args
            .control
            .check(&program, &args.reach, &args.matching, limits),
        Engine::Auto => args.members().check(&program, limits, &watchdog),
    }?;
    watchdog.finish(&mut answer.verdict);
    presentation.show(&answer, Some(&program))?;
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

    /// The engine that is named, or that the options imply.
    fn engine(&self) -> Engine {
        let is_given = |option: &&str| self.given.has(option);
        match self.engine {
            Some(engine) => engine,
            None if ["unwind", "model", "rules"].iter().any(is_given) => Engine::Schedule,
            None if self.given.has("compare_refinements") => Engine::Control,
            None => Engine::Auto,
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}
