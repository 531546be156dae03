//! `heddle rules run`: what follows from facts, and what changes when they do.

use super::facts_in::{FactsIn, unsettled, unsettled_after};
use super::updates::{Update, read_updates};
use crate::cli::output;
use clap::{ValueEnum, ValueHint};
use heddle_datalog::backend::Backend;
use heddle_datalog::compiled::{Compiled, built_in};
use heddle_datalog::fact_files::{relation_text, row_text, write_relations};
use heddle_datalog::facts::{Change, ChangeKind};
use heddle_datalog::incremental::{Cluster, ClusterError, Incremental, serve};
use heddle_datalog::naive::Naive;
use heddle_datalog::theory::Theory;
use heddle_datalog::value::{Row, Symbols};
use heddle_diagnostics::{Diagnostic, Report, Sources, Span};
use heddle_language::RuleSet;
use heddle_language::ruleset::RelationId;
use std::fmt::Write;
use std::fs;
use std::net::ToSocketAddrs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// Generated code; built-in rule sets only.
    Compiled,
    /// A differential dataflow.
    Incremental,
    /// Every rule on everything until nothing changes: the oracle.
    Naive,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    input: FactsIn,
    /// Write the output relations there, as fact files, instead of printing them.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// How to evaluate.
    #[arg(long, value_enum, default_value = "incremental")]
    backend: BackendName,
    /// Changes of the facts: lines `+rel<TAB>col…`, `-rel<TAB>col…`, `commit`. What changes
    /// in the output relations is printed for each commit.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    updates: Option<PathBuf>,
    /// How many threads evaluate, in each process.
    #[arg(long, value_name = "N", default_value = "1", value_parser = number_of_workers)]
    workers: NonZeroUsize,
    /// Which process of a cluster this is. Process 0 reads the facts and prints.
    #[arg(long, value_name = "I", requires = "hosts")]
    process: Option<usize>,
    /// The processes of the cluster: a line `host:port` for each.
    #[arg(long, value_name = "FILE", requires = "process", value_hint = ValueHint::FilePath)]
    hosts: Option<PathBuf>,
}

/// Every two workers of a process have channels between them, so that the memory for a few
/// thousand workers is more than machines have.
const MOST_WORKERS: usize = 256;

fn number_of_workers(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok();
    number
        .filter(|&number: &NonZeroUsize| number.get() <= MOST_WORKERS)
        .ok_or_else(|| format!("a number from 1 to {MOST_WORKERS} is needed"))
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match run_checked(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(report) => output::bad_input(&report),
    }
}

fn run_checked(args: &Args) -> Result<(), Report> {
    let (rules, sources) = args.input.rules()?;
    if args.backend != BackendName::Incremental
        && (args.workers.get() > 1 || args.process.is_some())
    {
        return Err(complaint(
            "several workers are for the incremental back end only".into(),
        ));
    }
    let cluster = args.cluster(&rules)?;
    if args.process.is_some_and(|process| process > 0) {
        let cluster = cluster.expect("a process is of a cluster");
        return serve(&rules, cluster).map_err(of_cluster);
    }
    let completion = cluster.as_ref().map(Cluster::completion);
    let mut theory = args
        .input
        .theory(rules, |rules, symbols| args.make(rules, symbols, cluster))?;
    let outputs: Vec<RelationId> = theory
        .rules()
        .relation_ids()
        .filter(|&id| theory.rules().relation(id).output)
        .collect();
    theory
        .settle()
        .map_err(|error| unsettled(&theory, &error, &sources))?;
    match &args.updates {
        Some(path) => run_updates(&mut theory, &outputs, path, sources)?,
        None if args.out.is_none() => {
            for &relation in &outputs {
                let name = &theory.rules().relation(relation).name;
                output::print(&format!("{name}\n{}", relation_text(&theory, relation)));
            }
        }
        None => {}
    }
    if let Some(folder) = &args.out {
        write_outputs(&theory, &outputs, folder)?;
    }
    if let Some(completion) = completion {
        completion.done();
    }
    Ok(())
}

impl Args {
    fn cluster(&self, rules: &RuleSet) -> Result<Option<Cluster>, Report> {
        let (Some(process), Some(hosts)) = (self.process, &self.hosts) else {
            return Ok(None);
        };
        let text = fs::read_to_string(hosts).map_err(|error| cannot("read", hosts, &error))?;
        let addresses = addresses(&hosts.display().to_string(), text)?;
        Cluster::connect(process, &addresses, self.workers, rules)
            .map(Some)
            .map_err(of_cluster)
    }

    fn make(
        &self,
        rules: Arc<RuleSet>,
        symbols: &mut Symbols,
        cluster: Option<Cluster>,
    ) -> Result<Box<dyn Backend>, Report> {
        Ok(match (self.backend, cluster) {
            (BackendName::Naive, _) => Box::new(Naive::new(rules, symbols)),
            (BackendName::Incremental, Some(cluster)) => {
                Box::new(Incremental::leading(rules, symbols, cluster))
            }
            (BackendName::Incremental, None) => {
                Box::new(Incremental::with_workers(rules, symbols, self.workers))
            }
            (BackendName::Compiled, _) => match Compiled::new(&rules, symbols) {
                Some(compiled) => Box::new(compiled),
                None => return Err(self.not_built_in()),
            },
        })
    }

    fn not_built_in(&self) -> Report {
        let names: Vec<&str> = built_in().iter().map(|built_in| built_in.name).collect();
        let message = format!(
            "`{}` is none of the rule sets that are compiled into heddle",
            self.input.file.display()
        );
        Diagnostic::without_place(message)
            .hint(format!("these are: {}", names.join(", ")))
            .hint("the incremental back end takes any rule file")
            .into()
    }
}

/// The lines of a hosts file. What cannot be the address of one process would be waited for in
/// vain.
fn addresses(name: &str, text: String) -> Result<Vec<String>, Report> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let (mut addresses, mut wrong) = (Vec::new(), Vec::new());
    let mut start = 0;
    for line in sources.text(source).split_inclusive('\n') {
        let address = line.trim();
        let indent = line.len() - line.trim_start().len();
        let place = start + indent..start + indent + address.len();
        start += line.len();
        if address.is_empty() {
            continue;
        }
        let why = match address.to_socket_addrs() {
            Ok(_) if address.ends_with(":0") => Some("no port is 0".into()),
            Ok(_) if addresses.iter().any(|other| other == address) => {
                Some("it is that of another process".into())
            }
            Ok(_) => None,
            Err(error) => Some(error.to_string()),
        };
        if let Some(why) = why {
            let message = format!("`{address}` is no address of a process: {why}");
            let diagnostic = Diagnostic::error(Span::new(source, place), message);
            wrong.push(diagnostic.hint("a line is `host:port`, a different one for each process"));
        }
        addresses.push(address.to_string());
    }
    match (wrong.is_empty(), addresses.is_empty()) {
        (false, _) => Err(Report::new(sources, wrong)),
        (true, true) => Err(complaint(format!("`{name}` lists no hosts"))),
        (true, false) => Ok(addresses),
    }
}

/// The rules stand in `sources`.
fn run_updates(
    theory: &mut Theory,
    outputs: &[RelationId],
    path: &Path,
    sources: Sources,
) -> Result<(), Report> {
    let bytes = fs::read(path).map_err(|error| cannot("read", path, &error))?;
    let mut epoch = 0;
    let updates = read_updates(theory, &path.display().to_string(), bytes, sources)?;
    for (number, (update, _)) in updates.list.iter().enumerate() {
        match update {
            Update::Insert(relation, row, literal) => theory.insert_by(*relation, row, *literal),
            Update::Retract(relation, row, literal) => {
                theory.retract_by(*relation, row, *literal);
            }
            Update::Commit => {
                epoch += 1;
                let changes = theory.settle_with_changes(outputs);
                let changes = changes.map_err(|error| {
                    let seen = &updates.list[..number];
                    unsettled_after(theory, &error, &updates.sources, |relation, row| {
                        last_insertion(seen, relation, row)
                    })
                })?;
                output::print(&epoch_text(theory, epoch, &changes));
            }
        }
    }
    Ok(())
}

fn last_insertion(updates: &[(Update, Span)], relation: RelationId, row: &Row) -> Option<Span> {
    let inserts = |update: &Update| match update {
        Update::Insert(id, new, _) => *id == relation && new == row,
        Update::Retract(..) | Update::Commit => false,
    };
    let insertion = updates.iter().rev().find(|(update, _)| inserts(update));
    insertion.map(|(_, place)| *place)
}

fn epoch_text(theory: &Theory, epoch: usize, changes: &[Change]) -> String {
    let mut lines: Vec<String> = changes
        .iter()
        .map(|change| {
            let sign = match change.kind {
                ChangeKind::Insert => '+',
                ChangeKind::Remove => '-',
            };
            let name = &theory.rules().relation(change.relation).name;
            let row = row_text(theory, change.relation, &change.row);
            format!("{sign}{name}\t{row}\n")
        })
        .collect();
    lines.sort_by(|a, b| a[1..].cmp(&b[1..]).then(b.cmp(a)));
    let mut text = String::new();
    let _ = writeln!(text, "epoch {epoch}");
    text.push_str(&lines.concat());
    text
}

fn write_outputs(theory: &Theory, outputs: &[RelationId], folder: &Path) -> Result<(), Report> {
    fs::create_dir_all(folder).map_err(|error| cannot("make", folder, &error))?;
    write_relations(theory, outputs, folder).map_err(|error| cannot("write to", folder, &error))
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Report {
    complaint(format!("cannot {what} `{}`: {error}", path.display()))
}

fn of_cluster(error: ClusterError) -> Report {
    complaint(error.to_string())
}

fn complaint(message: String) -> Report {
    Diagnostic::without_place(message).into()
}
