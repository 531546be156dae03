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

/// Where a fact comes from; what is wrong is what comes last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// By a rule that may derive it.
    Derived,
    RuleFile,
    Folder,
    Added,
}

impl Origin {
    /// What to write beside the place.
    fn label(self) -> &'static str {
        match self {
            Origin::Derived => "a rule that derives such facts",
            Origin::RuleFile | Origin::Folder | Origin::Added => "",
        }
    }
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
    /// Loads the rules, with the texts that they stand in; warnings are shown.
    pub(crate) fn rules(&self) -> Result<(Arc<RuleSet>, Sources), Report> {
        let loaded = heddle_language::load(&self.file)?;
        output::show(&loaded.warnings);
        Ok((Arc::new(loaded.rules), loaded.warnings.sources))
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

/// Facts that contradict a declaration, as a message that shows them. The rules stand in
/// `sources`.
pub(crate) fn unsettled(theory: &Theory, error: &SettleError, sources: &Sources) -> Report {
    unsettled_after(theory, error, sources, |_, _| None)
}

/// [`unsettled`], where facts may also come from another text than the rule file and those of the
/// folder: `place_of` says where in `sources`.
pub(crate) fn unsettled_after(
    theory: &Theory,
    error: &SettleError,
    sources: &Sources,
    place_of: impl Fn(RelationId, &Row) -> Option<Span>,
) -> Report {
    let message = error.describe(theory.rules(), theory.symbols()).to_string();
    let mut sources = sources.clone();
    let mut places: Vec<(Origin, Span)> = Vec::new();
    if let Some((relation, rows)) = error.contradictory(theory.facts()) {
        let in_files = find_places(theory, relation, &rows, &mut sources);
        let known = rows.iter().zip(in_files).filter_map(|(row, in_file)| {
            let added = place_of(relation, row).map(|span| (Origin::Added, span));
            added.or(in_file.map(|span| (Origin::Folder, span)))
        });
        places.extend(known);
    }
    let behind = error.rules_behind(theory.rules(), theory.symbols());
    let stated = behind.iter().filter(|rule| rule.body.is_empty());
    places.extend(stated.map(|rule| (Origin::RuleFile, rule.span)));
    // Two facts contradict each other.
    if places.len() < 2 {
        let deriving = behind.iter().filter(|rule| !rule.body.is_empty());
        places.extend(deriving.map(|rule| (Origin::Derived, rule.span)));
    }
    places.sort();
    let Some((origin, last)) = places.pop() else {
        return Diagnostic::without_place(message).into();
    };
    let diagnostic = Diagnostic::error(last, message).label(origin.label());
    let diagnostic = places
        .into_iter()
        .take(MOST_OTHER_PLACES)
        .fold(diagnostic, |diagnostic, (origin, place)| {
            diagnostic.related(place, origin.label())
        });
    Report::new(sources, vec![diagnostic])
}
