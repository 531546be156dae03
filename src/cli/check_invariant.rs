//! `heddle check-invariant`: a proof of safety, checked without trust in who found it.

use crate::cli::input::Input;
use crate::cli::output;
use crate::cli::report::{assumptions_text, complaint, counted, timeout};
use clap::ValueHint;
use heddle_certificate::{check, read};
use heddle_diagnostics::{Diagnostic, Report, Sources, Span};
use heddle_program::{Program, TextError, Verdict};
use heddle_solver::Limits;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: Input,
    /// The invariant, as `heddle verify --invariant` writes it.
    #[arg(value_hint = ValueHint::FilePath)]
    invariant: PathBuf,
    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(verdict) => ExitCode::from(verdict.exit_code()),
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<Verdict, Report> {
    let deadline = match args.timeout {
        Some(seconds) => Instant::now().checked_add(timeout(seconds)?),
        None => None,
    };
    let limits = deadline.map_or(Limits::default(), Limits::until);
    let program = args.input.load()?;
    let (text, verdict) = judge(&program, &args.invariant, limits)?;
    output::print(&format!("{}{text}{verdict}\n", assumptions_text(&program)));
    Ok(verdict)
}

/// What the check of the invariant in the file found, and what follows for the program.
fn judge(program: &Program, path: &Path, limits: Limits) -> Result<(String, Verdict), Report> {
    let bytes = fs::read(path)
        .map_err(|error| complaint(format!("cannot read `{}`: {error}", path.display())))?;
    let mut sources = Sources::default();
    let text = sources.table(&path.display().to_string(), bytes);
    let text = text.map_err(|error| Report::new(sources, vec![error]))?;
    let invariant = read(program, &text).map_err(|errors| mistakes(path, &text, errors))?;
    let cells = invariant.cells.len();
    Ok(match check(program, &invariant, limits) {
        Ok(accepted) => {
            let found = format!(
                "the invariant is inductive and excludes every violation \
                 ({}, {})\n",
                counted(cells as u64, "cell"),
                counted(accepted.questions, "question"),
            );
            match accepted.up_to {
                Some(bound) => (found, Verdict::SafeUpTo(bound)),
                None => (found, Verdict::Safe),
            }
        }
        Err(rejected) => {
            let reason = format!("the invariant is not accepted: {}", rejected.summary());
            (rejected.describe(program), Verdict::Unknown(reason))
        }
    })
}

fn mistakes(path: &Path, text: &str, errors: Vec<TextError>) -> Report {
    let mut sources = Sources::default();
    let source = sources.add(path.display().to_string(), text);
    let diagnostics = errors.into_iter().map(|error| {
        let diagnostic = Diagnostic::error(Span::new(source, error.range), error.message);
        match error.hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        }
    });
    let diagnostics = diagnostics.collect();
    Report::new(sources, diagnostics)
}
