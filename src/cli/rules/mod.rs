//! `heddle rules …`: the rule engine on its own.

mod check;
mod test;

use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// What is wrong with rule files?
    Check(check::Args),
    /// Is the rule set sound, and how complete is it?
    Test(test::Args),
}

pub(crate) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Check(args) => check::run(args),
        Command::Test(args) => test::run(args),
    }
}
