//! The command line: one file a subcommand, and the only place that prints.

mod output;
mod rules;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A verifier for concurrent programs whose analysis is Datalog.
#[derive(Parser)]
#[command(name = "heddle", version, about)]
struct Heddle {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check, run, explain and test rule files.
    Rules {
        #[command(subcommand)]
        command: rules::Command,
    },
}

/// Runs the command that the arguments name. A panic is a bug of ours: it is said to be
/// one, and ends in exit code 70.
pub(crate) fn main() -> ExitCode {
    std::panic::set_hook(Box::new(output::report_bug));
    let heddle = Heddle::parse();
    std::panic::catch_unwind(|| match &heddle.command {
        Command::Rules { command } => rules::run(command),
    })
    .unwrap_or(ExitCode::from(output::INTERNAL_ERROR))
}
