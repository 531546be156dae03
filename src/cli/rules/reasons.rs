//! `heddle rules reasons`: which choices contradict?

use super::facts_in::{FactsIn, unsettled};
use crate::cli::output;
use heddle_datalog::naive::Naive;
use heddle_datalog::provenance::{Coverage, Reason};
use heddle_datalog::show;
use heddle_datalog::theory::Theory;
use heddle_diagnostics::Report;
use std::process::ExitCode;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: FactsIn,
    /// The most reasons to print.
    #[arg(long, value_name = "K", default_value_t = 64)]
    limit: usize,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match reasons(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => output::bad_input(&report),
    }
}

/// One kernel reason a line, its literals sorted. A conflict that needs no literal is an
/// empty line. Whether there may be more is said on standard error.
fn reasons(args: &Args) -> Result<(), Report> {
    let (rules, sources) = args.input.rules()?;
    // Reasons come from the facts by themselves: no back end has to settle.
    let mut theory = args.input.theory(rules, |rules, symbols| {
        Ok(Box::new(Naive::new(rules, symbols)))
    })?;
    let found = theory.reasons(args.limit);
    let found = found.map_err(|error| unsettled(&theory, &error, &sources))?;
    let lines: Vec<String> = found
        .list
        .iter()
        .map(|reason| line(&theory, reason))
        .collect();
    output::print(&lines.concat());
    match found.coverage {
        Coverage::All => {}
        Coverage::Shortest => output::remark("there may be more reasons, none of them shorter"),
        Coverage::Some => output::remark("there may be more reasons, also shorter ones"),
    }
    Ok(())
}

fn line(theory: &Theory, reason: &Reason) -> String {
    let names = reason.literals.iter();
    let names: Vec<String> = names
        .map(|&literal| show::word(theory.symbols(), literal))
        .collect();
    names.join(" ") + "\n"
}
