//! Rules and facts from the command line, as a theory.

use crate::cli::output;
use clap::ValueHint;
use heddle_datalog::backend::{Backend, SettleError};
use heddle_datalog::fact_files::{find_places, read_folder};
use heddle_datalog::theory::Theory;
use heddle_datalog::value::{Row, Symbols};
use heddle_diagnostics::{Diagnostic, Report, Sources, Span};
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lines that are shown besides the last one, where facts contradict a declaration.
const MOST_OTHER_PLACES: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    File,
    Added,
}

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

/// Facts that contradict a declaration, as a message that shows them.
pub(crate) fn unsettled(theory: &Theory, error: &SettleError) -> Report {
    unsettled_after(theory, error, &Sources::default(), |_, _| None)
}

/// [`unsettled`], where facts may also come from another text than the files of the folder:
/// `place_of` says where in `sources`.
pub(crate) fn unsettled_after(
    theory: &Theory,
    error: &SettleError,
    sources: &Sources,
    place_of: impl Fn(RelationId, &Row) -> Option<Span>,
) -> Report {
    let message = error.describe(theory.rules(), theory.symbols()).to_string();
    let mut sources = sources.clone();
    // Those of the files come first: what was added to them is what is wrong.
    let mut places: Vec<(Origin, Span)> = Vec::new();
    if let Some((relation, rows)) = error.contradictory(theory.facts()) {
        let in_files = find_places(theory, relation, &rows, &mut sources);
        let known = rows.iter().zip(in_files).filter_map(|(row, in_file)| {
            let added = place_of(relation, row).map(|span| (Origin::Added, span));
            added.or(in_file.map(|span| (Origin::File, span)))
        });
        places.extend(known);
    }
    places.sort();
    let Some((_, last)) = places.pop() else {
        return Diagnostic::without_place(message).into();
    };
    let diagnostic = Diagnostic::error(last, message);
    let diagnostic = places
        .into_iter()
        .take(MOST_OTHER_PLACES)
        .fold(diagnostic, |diagnostic, (_, place)| {
            diagnostic.related(place, "")
        });
    Report::new(sources, vec![diagnostic])
}
