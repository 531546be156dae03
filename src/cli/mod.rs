//! The command line: one file a subcommand, and the only place that prints.

mod check_invariant;
mod explore;
mod facts;
mod input;
mod memory_model;
mod output;
mod report;
mod rules;
mod trace_json;
mod verify;

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
    /// Say whether a program is safe, with a proof or a trace.
    Verify(Box<verify::Args>),
    /// Run every interleaving of a program, concretely.
    Explore(explore::Args),
    /// Check a proof: is this an inductive invariant of the program that excludes its errors?
    CheckInvariant(check_invariant::Args),
    /// Write a program as a folder of facts.
    Facts(facts::Args),
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
        Command::Verify(args) => verify::run(args),
        Command::Explore(args) => explore::run(args),
        Command::CheckInvariant(args) => check_invariant::run(args),
        Command::Facts(args) => facts::run(args),
        Command::Rules { command } => rules::run(command),
    })
    .unwrap_or(ExitCode::from(output::INTERNAL_ERROR))
}
