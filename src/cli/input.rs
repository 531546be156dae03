//! The program that a command works on.

use crate::cli::output;
use clap::ValueHint;
use heddle_diagnostics::Report;
use heddle_program::Program;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Input {
    /// A `.c`, `.i` or `.hd` file, or a folder of facts.
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) input: PathBuf,
}

impl Input {
    /// Reads the program; warnings are shown.
    pub(crate) fn load(&self) -> Result<Program, Report> {
        let options = heddle_front::Options::default();
        let (program, warnings) = heddle_front::load(&self.input, &options)?;
        output::show(&warnings);
        Ok(program)
    }
}
