//! `heddle rules check`: what is wrong with rule files?

use crate::cli::output;
use clap::ValueHint;
use heddle_diagnostics::{Report, Severity};
use heddle_language::{Loaded, RuleSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule files; each is checked on its own.
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
}

/// Messages go to standard error, a line for each file to standard output.
pub(crate) fn run(args: &Args) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for file in &args.files {
        match heddle_language::load(file) {
            Ok(Loaded { rules, warnings }) => {
                output::show(&warnings);
                summarise(file, &contents(&rules, &warnings));
            }
            Err(report) => {
                code = output::bad_input(&report);
                summarise(file, &counted(count(&report, Severity::Error), "error"));
            }
        }
    }
    code
}

fn summarise(file: &Path, summary: &str) {
    output::print(&format!("{}: {summary}\n", file.display()));
}

/// `14 relations, 10 rules in 9 strata, 1 conflict, no warnings`
fn contents(rules: &RuleSet, warnings: &Report) -> String {
    let strata = rules.strata.iter().filter(|s| !s.rules.is_empty()).count();
    let rules_in_strata = match (rules.rules.len(), strata) {
        (0, _) => "no rules".to_string(),
        (rules, 1) => counted(rules, "rule"),
        (rules, strata) => format!("{} in {strata} strata", counted(rules, "rule")),
    };
    format!(
        "{}, {rules_in_strata}, {}, {}",
        counted(rules.relations.len(), "relation"),
        counted(rules.conflicts.len(), "conflict"),
        counted(count(warnings, Severity::Warning), "warning"),
    )
}

fn count(report: &Report, severity: Severity) -> usize {
    let diagnostics = report.diagnostics.iter();
    diagnostics.filter(|d| d.severity == severity).count() + report.not_shown
}

fn counted(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        many => format!("{many} {what}s"),
    }
}
