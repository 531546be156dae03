//! `heddle facts`: a program as a folder of facts.

use crate::cli::input::Input;
use crate::cli::output;
use clap::ValueHint;
use heddle_diagnostics::{Diagnostic, Report};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The folder to write; it is made if it does not exist.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<(), Report> {
    let program = args.input.load()?;
    heddle_front::facts::write(&program, &args.output).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", args.output.display());
        Diagnostic::without_place(message)
    })?;
    Ok(())
}
