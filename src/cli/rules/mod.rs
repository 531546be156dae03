//! `heddle rules …`: the rule engine on its own.

mod test;

use clap::Subcommand;
use std::process::ExitCode;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Is the rule set sound, and how complete is it?
    Test(test::Args),
}

pub(crate) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Test(args) => test::run(args),
    }
}
