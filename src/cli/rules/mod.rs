//! `heddle rules …`: the rule engine on its own.

mod check;
mod compare;
mod explain;
mod facts_in;
mod reasons;
mod run;
mod test;
mod updates;

use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What is wrong with rule files?
    Check(check::Args),
    /// What follows from facts, and what changes when they do.
    Run(run::Args),
    /// Why does a tuple hold, or why not?
    Explain(explain::Args),
    /// Which choices contradict: the kernel reasons of all conflicts.
    Reasons(reasons::Args),
    /// Is the rule set sound, and how complete is it?
    Test(test::Args),
    /// What does another rule set change about the verification of programs?
    Compare(compare::Args),
}

pub(crate) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Check(args) => check::run(args),
        Command::Run(args) => run::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Reasons(args) => reasons::run(args),
        Command::Test(args) => test::run(args),
        Command::Compare(args) => compare::run(args),
    }
}
