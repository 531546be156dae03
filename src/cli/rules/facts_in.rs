//! Rules and facts from the command line, as a theory.

use crate::cli::output;
use clap::ValueHint;
use heddle_datalog::backend::{Backend, SettleError};
use heddle_datalog::fact_files::read_folder;
use heddle_datalog::theory::Theory;
use heddle_datalog::value::Symbols;
use heddle_diagnostics::{Diagnostic, Report};
use heddle_language::RuleSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(clap::Args)]
pub(crate) struct FactsIn {
    /// The rule file.
    #[arg(value_name = "FILE.dl", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The folder of facts.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) facts: PathBuf,
}

impl FactsIn {
    /// Loads the rules; warnings are shown.
    pub(crate) fn rules(&self) -> Result<Arc<RuleSet>, Report> {
        let loaded = heddle_language::load(&self.file)?;
        output::show(&loaded.warnings);
        Ok(Arc::new(loaded.rules))
    }

    /// Loads rules and facts into a theory that has not settled yet.
    pub(crate) fn theory(
        &self,
        rules: Arc<RuleSet>,
        make: impl FnOnce(Arc<RuleSet>, &mut Symbols) -> Result<Box<dyn Backend>, Report>,
    ) -> Result<Theory, Report> {
        let mut failure = None;
        let theory = Theory::with_backend(rules, |rules, symbols| {
            make(rules, symbols)
                .map_err(|report| failure = Some(report))
                .ok()
        });
        let Some(mut theory) = theory else {
            return Err(failure.unwrap_or_default());
        };
        read(&mut theory, &self.facts)?;
        Ok(theory)
    }
}

fn read(theory: &mut Theory, folder: &Path) -> Result<(), Report> {
    let warnings = read_folder(theory, folder)?;
    output::show(&warnings);
    Ok(())
}

/// Facts that contradict a declaration, as a message.
pub(crate) fn unsettled(theory: &Theory, error: &SettleError) -> Report {
    let message = error.describe(theory.rules(), theory.symbols()).to_string();
    Diagnostic::without_place(message).into()
}
