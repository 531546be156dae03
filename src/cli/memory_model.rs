//! The rule set that says which executions are possible: built in, from a file, or extended.

use crate::cli::output;
use clap::ValueHint;
use heddle_datalog::compiled::built_in;
use heddle_diagnostics::{Diagnostic, Report};
use heddle_language::{Files, RuleSet, load_from};
use heddle_program::Assumption;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Sequential consistency: the memory model unless another one is named.
pub(crate) const SC: &str = "sc";
/// The same model; see `rules/sc_blocks.dl`.
const SC_FOR_ENGINES: &str = "sc_blocks";
/// Other built-in rule sets are about other things.
const BUILT_IN_MODELS: [&str; 2] = [SC, SC_FOR_ENGINES];

#[derive(clap::Args)]
pub(crate) struct MemoryModel {
    /// The memory model: the name of a built-in one, or a rule file that replaces it.
    #[arg(long, value_name = "NAME|FILE.dl", default_value = SC)]
    model: String,
    /// A rule file that extends the memory model; may be given several times.
    #[arg(long, value_name = "FILE.dl", value_hint = ValueHint::FilePath)]
    rules: Vec<PathBuf>,
}

impl MemoryModel {
    /// Reads the rules; warnings are shown.
    pub(crate) fn load(&self) -> Result<Arc<RuleSet>, Report> {
        let model = PathBuf::from(match self.model.as_str() {
            SC => SC_FOR_ENGINES,
            other => other,
        });
        if BuiltInOrDisk::built_in(&model).is_none() && !model.exists() {
            let message = format!(
                "`{}` is neither a built-in memory model nor a rule file",
                self.model
            );
            let names = BUILT_IN_MODELS.join(", ");
            let hint = format!("these are built in: {names}");
            return Err(Diagnostic::without_place(message).hint(hint).into());
        }
        let files: Vec<PathBuf> = [&[model], &self.rules[..]].concat();
        let loaded = load_from(&BuiltInOrDisk, &files)?;
        output::show(&loaded.warnings);
        Ok(Arc::new(loaded.rules))
    }

    /// What a verdict takes for granted: rules from files may order what they should not.
    pub(crate) fn assumptions(&self) -> impl Iterator<Item = Assumption> {
        let model = PathBuf::from(&self.model);
        let replaced = (BuiltInOrDisk::built_in(&model).is_none()).then_some(model);
        let files = replaced.into_iter().chain(self.rules.iter().cloned());
        files.map(|file| Assumption {
            text: format!("the rules of {} are sound", file.display()),
            span: None,
        })
    }
}

/// Rule files on disk, and the built-in models by their bare names.
struct BuiltInOrDisk;

impl BuiltInOrDisk {
    fn built_in(path: &Path) -> Option<&'static str> {
        let mut models = built_in()
            .iter()
            .filter(|set| BUILT_IN_MODELS.contains(&set.name));
        let found = models.find(|set| Path::new(set.name) == path);
        found.map(|set| set.text)
    }
}

impl Files for BuiltInOrDisk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match BuiltInOrDisk::built_in(path) {
            Some(text) => Ok(text.into()),
            None => std::fs::read(path),
        }
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }
}
