//! `heddle rules explain`: why does a tuple hold, or why not?

use super::facts_in::{FactsIn, unsettled};
use crate::cli::output;
use clap::ValueEnum;
use heddle_datalog::naive::Naive;
use heddle_datalog::provenance::Explanation;
use heddle_datalog::value::{Row, Value};
use heddle_diagnostics::Report;
use heddle_language::parse_atom;
use heddle_language::ruleset::Constant;
use std::process::ExitCode;

const DOES_NOT_HOLD: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Dot,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: FactsIn,
    /// The tuple, such as `lt(a, b)`.
    #[arg(value_name = "TUPLE")]
    tuple: String,
    /// How to print the explanation.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match explain(args) {
        Ok(code) => code,
        Err(report) => output::bad_input(&report),
    }
}

fn explain(args: &Args) -> Result<ExitCode, Report> {
    let (rules, sources) = args.input.rules()?;
    let tuple = parse_atom(&args.tuple, &rules)?;
    // Proofs come from the facts by themselves: no back end has to settle.
    let mut theory = args.input.theory(rules.clone(), |rules, symbols| {
        Ok(Box::new(Naive::new(rules, symbols)))
    })?;
    let row: Row = tuple
        .values
        .iter()
        .map(|constant| match constant {
            Constant::Number(number) => Value(*number),
            Constant::Symbol(name) => theory.symbols_mut().intern(name),
        })
        .collect();
    let explanation = theory.explain(tuple.relation, &row);
    match explanation.map_err(|error| unsettled(&theory, &error, &sources))? {
        Explanation::Holds(proof) => {
            output::print(&match args.format {
                Format::Text => proof.to_text(&rules, theory.symbols()),
                Format::Json => format!("{:#}\n", proof.to_json(&rules, theory.symbols())),
                Format::Dot => proof.to_dot(&rules, theory.symbols()),
            });
            Ok(ExitCode::SUCCESS)
        }
        Explanation::DoesNotHold(why_not) => {
            output::print(&match args.format {
                Format::Text => why_not.to_text(&rules, theory.symbols()),
                Format::Json => format!("{:#}\n", why_not.to_json(&rules, theory.symbols())),
                Format::Dot => why_not.to_dot(&rules, theory.symbols()),
            });
            Ok(ExitCode::from(DOES_NOT_HOLD))
        }
    }
}
