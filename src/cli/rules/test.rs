//! `heddle rules test`: is a rule set sound, and how complete is it?

use crate::cli::output;
use clap::ValueHint;
use heddle_datalog::fact_files;
use heddle_diagnostics::{Diagnostic, Report};
use heddle_executions::campaign::{self, Counterexample, Outcome, Tally};
use heddle_executions::culprit::{Careless, Fault, careless_order, culprit};
use heddle_executions::execution::{EventId, Execution};
use heddle_executions::legal_orders::{any_legal_order, legal_order_with};
use heddle_executions::soundness::{Subject, Unsettled, Violation};
use heddle_language::ruleset::{RelationId, RelationKind};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{fs, io};

const UNSOUND: u8 = 1;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The rule file.
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// How many random executions to try.
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(1..))]
    cases: u64,
    /// The same seed gives the same executions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where to save the execution that the rules get wrong, as a fact folder.
    #[arg(long, value_name = "DIR", default_value = "unsound")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match test(args) {
        Ok(code) => code,
        Err(report) => output::bad_input(&report),
    }
}

fn test(args: &Args) -> Result<ExitCode, Report> {
    let loaded = heddle_language::load(&args.file)?;
    output::show(&loaded.warnings);
    let sources = loaded.warnings.sources;
    let subject = Subject::new(Arc::new(loaded.rules))
        .map_err(|error| Report::new(sources.clone(), vec![*error]))?;
    output::show(&Report::new(sources, subject.warnings()));
    let failed = |error: Unsettled| Report::from(Diagnostic::without_place(error.to_string()));
    match campaign::run(&subject, args.cases, args.seed).map_err(failed)? {
        Outcome::Sound(tally) => {
            output::print(&describe_tally(&tally));
            Ok(ExitCode::SUCCESS)
        }
        Outcome::Unsound(counterexample) => {
            let finding = describe(&subject, &counterexample).map_err(failed)?;
            // What was found is worth knowing even if there is no place to save it.
            output::print(&finding.text);
            save(&subject, &counterexample.execution, &args.out).map_err(|error| {
                let place = args.out.display();
                Diagnostic::without_place(format!("cannot write to `{place}`: {error}"))
            })?;
            output::print(&how_to_see(&finding, args));
            Ok(ExitCode::from(UNSOUND))
        }
    }
}

fn describe_tally(tally: &Tally) -> String {
    let share = match tally.infeasible() {
        0 => String::new(),
        // Rounded down: 100.0 is said of all of them only.
        all => {
            let tenths = 1_000 * tally.detected / all;
            format!(" ({}.{} %)", tenths / 10, tenths % 10)
        }
    };
    format!(
        "{} executions: {} feasible, {} infeasible\n\
         sound: every derived order holds in all legal orders, no conflict is wrong\n\
         complete: {} of {} infeasible executions end in a conflict{share}\n",
        tally.total(),
        tally.feasible,
        tally.infeasible(),
        tally.detected,
        tally.infeasible(),
    )
}

/// What is wrong, in words, and the tuple that should not be derived, if it is one.
struct Finding {
    text: String,
    tuple: Option<String>,
}

fn describe(subject: &Subject, counterexample: &Counterexample) -> Result<Finding, Unsettled> {
    let execution = &counterexample.execution;
    let culprit = culprit(subject, execution)?;
    let by = match culprit {
        Some(culprit) => {
            let rule = &culprit.rule.name;
            match culprit.fault {
                Fault::WrongOrder(_) => format!(" by rule `{rule}`"),
                Fault::NotExecuted(event) => format!(
                    ", since rule `{rule}` orders {}, which is not executed",
                    execution.name(event)
                ),
            }
        }
        None => careless_order(subject, execution)?.map_or(String::new(), |careless| {
            by_declaration(subject, execution, careless)
        }),
    };
    let mut text = String::new();
    let (claim, order, tuple) = match &counterexample.violation {
        Violation::WrongOrder {
            relation,
            before,
            after,
        } => {
            // Rather what the wrong rule derives than what follows from that.
            let blamed = culprit.and_then(|culprit| match culprit.fault {
                Fault::WrongOrder(Some((before, after))) => {
                    Some((culprit.rule.head.relation, before, after))
                }
                _ => None,
            });
            let (relation, before, after) = blamed.unwrap_or((*relation, *before, *after));
            let name = &subject.rules().relation(relation).name;
            let tuple = format!(
                "{name}({}, {})",
                execution.name(before),
                execution.name(after)
            );
            (
                format!("{tuple} is derived{by}, but this order is legal"),
                legal_order_with(execution, after, before).or_else(|| any_legal_order(execution)),
                Some(tuple),
            )
        }
        Violation::WrongConflict { name } => (
            format!("`{name}` is derived{by}, but this order is legal"),
            any_legal_order(execution),
            None,
        ),
    };
    let _ = writeln!(text, "unsound: {claim}:");
    let _ = writeln!(text, "  {}", names(execution, &order.unwrap_or_default()));
    let _ = writeln!(
        text,
        "the smallest such execution (try {} found one):",
        counterexample.tried
    );
    text.push_str(&execution.describe());
    Ok(Finding { text, tuple })
}

/// The command that shows the derivation.
fn how_to_see(finding: &Finding, args: &Args) -> String {
    let (file, out) = (args.file.display(), args.out.display());
    let command = match &finding.tuple {
        Some(tuple) => format!("explain {file} --facts {out} '{tuple}'"),
        None => format!("reasons {file} --facts {out}"),
    };
    format!("saved as facts in `{out}`; to see the derivation:\n  heddle rules {command}\n")
}

fn by_declaration(subject: &Subject, execution: &Execution, careless: Careless) -> String {
    let event = execution.name(careless.event);
    let name = |relation| &subject.rules().relation(relation).name;
    let order = name(careless.order);
    match careless.executed {
        None => format!(
            ", since `{order}`, declared as an `order` without `executed`, orders {event}, which is \
             not executed"
        ),
        Some(executed) => format!(
            ", since `{order}` orders {event}, which has `{}` but is not executed",
            name(executed)
        ),
    }
}

fn names(execution: &Execution, order: &[EventId]) -> String {
    let names: Vec<String> = order.iter().map(|&id| execution.name(id)).collect();
    names.join(" < ")
}

/// Writes the facts of the relations that the rule set reads, also of those that it adds to.
fn save(subject: &Subject, execution: &Execution, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let theory = subject
        .theory(execution)
        .map_err(|error| io::Error::other(error.to_string()))?;
    let rules = subject.rules();
    let is_order = |id| matches!(rules.relation(id).kind, RelationKind::Order(_));
    let read: Vec<RelationId> = rules
        .relation_ids()
        .filter(|&id| fact_files::takes_facts(rules, id) && !is_order(id))
        .collect();
    fact_files::write_facts(&theory, &read, folder)
}
