//! `heddle facts`: a program as a folder of facts.

use crate::cli::input::Input;
use crate::cli::output;
use crate::cli::report::complaint;
use clap::ValueHint;
use heddle_datalog::fact_files;
use heddle_diagnostics::{Diagnostic, Report};
use heddle_engine::schedule;
use heddle_program::Program;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The folder to write; it is made if it does not exist.
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,
    /// Write the events of its bounded executions instead, for the rules of memory models.
    #[arg(long)]
    events: bool,
    /// How often loops go round in these.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "events")]
    unwind: u32,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<(), Report> {
    let program = args.input.load()?;
    let written = match args.events {
        true => write_events(&program, args.unwind, &args.output)?,
        false => heddle_front::facts::write(&program, &args.output),
    };
    written.map_err(|error| {
        let message = format!("cannot write `{}`: {error}", args.output.display());
        Diagnostic::without_place(message)
    })?;
    Ok(())
}

fn write_events(program: &Program, unwind: u32, folder: &Path) -> Result<io::Result<()>, Report> {
    let theory = schedule::event_facts(program, unwind).map_err(complaint)?;
    let rules = theory.rules();
    let inputs: Vec<_> = rules
        .relation_ids()
        .filter(|&id| rules.relation(id).input)
        .collect();
    Ok(fs::create_dir_all(folder)
        .and_then(|()| fact_files::write_relations(&theory, &inputs, folder)))
}
