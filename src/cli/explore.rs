//! `heddle explore`: every interleaving of a program, concretely.

use crate::cli::input::Input;
use crate::cli::output;
use crate::cli::report::{assumptions_text, counted, timeout, trace_table, write};
use crate::cli::trace_json;
use clap::ValueHint;
use heddle_diagnostics::Report;
use heddle_interpret::{Exploration, Interleavings, NondetRange, Options, Order, explore};
use heddle_program::{Program, Verdict};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// Breadth-first, which is the default: states near the start come first.
    #[arg(long = "bfs", conflicts_with = "dfs")]
    _bfs: bool,
    /// Depth-first, which needs luck where there are infinitely many states.
    #[arg(long)]
    dfs: bool,
    /// Find a shortest trace: breadth-first, and every interleaving is tried.
    #[arg(long, conflicts_with = "dfs")]
    shortest: bool,
    /// Try every interleaving, also those that make no difference.
    #[arg(long)]
    all_interleavings: bool,
    /// The values that a non-deterministic number takes; both ends are included.
    #[arg(
        long,
        value_name = "LO..HI",
        allow_hyphen_values = true,
        default_value_t
    )]
    nondet_range: NondetRange,
    /// Give up after so many states.
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Give up when the states take so much memory.
    #[arg(long, value_name = "MIB", default_value_t = 4096)]
    memory_limit: usize,
    /// A deadlock is a violation.
    #[arg(long)]
    deadlock: bool,
    /// Write the trace, as a table, to a file too.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    trace: Option<PathBuf>,
    /// Write verdict, statistics and trace to a file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(verdict) => ExitCode::from(verdict.exit_code()),
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<Verdict, Report> {
    let options = args.options()?;
    let program = args.input.load()?;
    let exploration = explore(&program, &options);
    let verdict = exploration.verdict(&program);
    let table = exploration
        .violation
        .as_ref()
        .map(|trace| trace_table(&program, trace));
    if let Some(path) = &args.trace {
        write(path, table.as_deref().unwrap_or(""))?;
    }
    if let Some(path) = &args.json {
        write(path, &as_json(&program, &exploration, &verdict))?;
    }
    output::print(&describe(&program, &exploration, table.as_deref()));
    output::print(&format!("{verdict}\n"));
    Ok(verdict)
}

impl Args {
    fn options(&self) -> Result<Options, Report> {
        Ok(Options {
            order: if self.dfs {
                Order::DepthFirst
            } else {
                Order::BreadthFirst
            },
            interleavings: if self.all_interleavings || self.shortest {
                Interleavings::All
            } else {
                Interleavings::Enough
            },
            range: self.nondet_range,
            max_states: self.max_states,
            max_memory: Some(self.memory_limit << 20),
            timeout: self.timeout.map(timeout).transpose()?,
            deadlock: self.deadlock,
        })
    }
}

fn describe(program: &Program, exploration: &Exploration, table: Option<&str>) -> String {
    let mut text = assumptions_text(program);
    if let Some(table) = table {
        text.push_str(table);
    }
    let _ = writeln!(
        text,
        "{}, {}, {:.2} s",
        counted(exploration.states, "state"),
        counted(exploration.transitions, "transition"),
        exploration.time.as_secs_f64()
    );
    if exploration.deadlocks > 0 && exploration.violation.is_none() {
        let _ = writeln!(
            text,
            "{} (--deadlock shows one as a violation)",
            counted(exploration.deadlocks, "deadlocked state")
        );
    }
    text
}

fn as_json(program: &Program, exploration: &Exploration, verdict: &Verdict) -> String {
    let violation = exploration.violation.as_ref();
    let value = json!({
        "verdict": trace_json::verdict(verdict),
        "states": exploration.states,
        "transitions": exploration.transitions,
        "seconds": exploration.time.as_secs_f64(),
        "deadlocks": exploration.deadlocks,
        "assumptions": trace_json::assumptions(program),
        "trace": violation.map(|trace| trace_json::trace(program, trace)),
    });
    format!("{value:#}\n")
}
