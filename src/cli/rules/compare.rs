//! `heddle rules compare`: what another rule set changes, program by program.

use crate::cli::input::{CArgs, load};
use crate::cli::output;
use crate::cli::report::{complaint, timeout};
use clap::ValueHint;
use heddle_diagnostics::Report;
use heddle_engine::schedule::{self, MissingRelation, Options};
use heddle_language::RuleSet;
use heddle_program::{Program, Verdict};
use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Some verdict differs.
const CHANGED: u8 = 1;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first rule set.
    #[arg(value_name = "A.dl", value_hint = ValueHint::FilePath)]
    one: PathBuf,
    /// The other one.
    #[arg(value_name = "B.dl", value_hint = ValueHint::FilePath)]
    other: PathBuf,
    /// The programs: all `.c`, `.i` and `.hd` files in a folder and its subfolders.
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// How often loops go round.
    #[arg(long, value_name = "N", default_value_t = 2)]
    unwind: u32,
    /// Give up on a program after so many seconds with one rule set.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    timeout: f64,
    #[command(flatten)]
    c: CArgs,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match compare(args) {
        Ok(code) => code,
        Err(report) => output::bad_input(&report),
    }
}

fn compare(args: &Args) -> Result<ExitCode, Report> {
    let time = timeout(args.timeout)?;
    let mut rules = Vec::new();
    for file in [&args.one, &args.other] {
        let loaded = heddle_language::load(file)?;
        output::show(&loaded.warnings);
        rules.push(Arc::new(loaded.rules));
    }
    let mut programs = Vec::new();
    collect(&args.folder, &mut HashSet::new(), &mut programs)?;
    if programs.is_empty() {
        let folder = args.folder.display();
        return Err(complaint(format!("there are no programs in `{folder}`")));
    }
    let shown = |path: &Path| {
        path.strip_prefix(&args.folder)
            .unwrap_or(path)
            .to_path_buf()
    };
    let names: Vec<String> = programs
        .iter()
        .map(|path| shown(path).display().to_string())
        .collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0).max("program".len());
    let mut summary = Summary::default();
    output::print(&heading(width));
    for (path, name) in programs.iter().zip(&names) {
        let program = match load(path, &args.c) {
            Ok(program) => program,
            Err(report) => {
                output::show(&report);
                output::print(&format!("{name:<width$}  not read\n"));
                summary.not_read += 1;
                continue;
            }
        };
        let mut results = Vec::new();
        for (rules, file) in rules.iter().zip([&args.one, &args.other]) {
            results.push(check(&program, rules, file, args.unwind, time)?);
        }
        output::print(&summary.add(&results[0], &results[1], name, width));
    }
    output::print(&summary.text());
    Ok(match (summary.changed, summary.not_read) {
        (0, 0) => ExitCode::SUCCESS,
        (0, _) => ExitCode::from(output::BAD_INPUT),
        _ => ExitCode::from(CHANGED),
    })
}

/// What one rule set does with one program.
struct Measured {
    verdict: Verdict,
    rounds: usize,
    reasons: usize,
    time: Duration,
}

fn check(
    program: &Program,
    rules: &Arc<RuleSet>,
    file: &Path,
    unwind: u32,
    time: Duration,
) -> Result<Measured, Report> {
    let started = Instant::now();
    let options = Options {
        unwind: Some(unwind),
        deadline: started.checked_add(time),
        ..Options::new(rules.clone())
    };
    let outcome = schedule::check(program, &options, &mut ());
    let outcome = outcome.map_err(|MissingRelation(relation)| {
        let file = file.display();
        complaint(format!(
            "`{file}` is no memory model: it declares no relation `{relation}`"
        ))
    })?;
    Ok(Measured {
        verdict: outcome.verdict,
        rounds: outcome.statistics.rounds(),
        reasons: outcome.statistics.reasons.iter().sum(),
        time: started.elapsed(),
    })
}

#[derive(Default)]
struct Summary {
    programs: usize,
    not_read: usize,
    changed: usize,
    rounds: [usize; 2],
    reasons: [usize; 2],
    time: [Duration; 2],
}

fn heading(width: usize) -> String {
    format!(
        "{:<width$}  {:<26}  {:>13}  {:>15}  {:>17}\n",
        "program", "verdict", "rounds", "reasons", "seconds"
    )
}

impl Summary {
    /// Counts a program in; returns its line.
    fn add(&mut self, one: &Measured, other: &Measured, name: &str, width: usize) -> String {
        self.programs += 1;
        for (place, measured) in [one, other].into_iter().enumerate() {
            self.rounds[place] += measured.rounds;
            self.reasons[place] += measured.reasons;
            self.time[place] += measured.time;
        }
        let (a, b) = (short(&one.verdict), short(&other.verdict));
        let (verdict, flag) = match a == b {
            true => (a, ""),
            false => {
                self.changed += 1;
                (format!("{a} -> {b}"), "  CHANGED")
            }
        };
        let rounds = format!("{} -> {}", one.rounds, other.rounds);
        let reasons = format!("{} -> {}", one.reasons, other.reasons);
        let seconds = arrow_of_seconds(one.time, other.time);
        format!("{name:<width$}  {verdict:<26}  {rounds:>13}  {reasons:>15}  {seconds:>17}{flag}\n")
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{} programs: {} rounds -> {}, {} reasons -> {}, {} s\n",
            self.programs,
            self.rounds[0],
            self.rounds[1],
            self.reasons[0],
            self.reasons[1],
            arrow_of_seconds(self.time[0], self.time[1]),
        );
        if self.not_read > 0 {
            let _ = writeln!(text, "{} could not be read", self.not_read);
        }
        let _ = match self.changed {
            0 => writeln!(text, "no verdict changed"),
            changed => writeln!(text, "verdicts changed: {changed}"),
        };
        text
    }
}

fn arrow_of_seconds(one: Duration, other: Duration) -> String {
    format!("{:.2} -> {:.2}", one.as_secs_f64(), other.as_secs_f64())
}

/// A verdict as it is compared: why something is not known does not matter.
fn short(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Safe => "SAFE".to_owned(),
        Verdict::Unsafe => "UNSAFE".to_owned(),
        Verdict::SafeUpTo(bound) => format!("SAFE UP TO {}", bound.0),
        Verdict::Unknown(_) => "UNKNOWN".to_owned(),
    }
}

/// The programs in a folder and its subfolders, sorted. Each folder counts once: a link may lead
/// back to one that has been `seen`.
fn collect(
    folder: &Path,
    seen: &mut HashSet<PathBuf>,
    programs: &mut Vec<PathBuf>,
) -> Result<(), Report> {
    let cannot =
        |error: std::io::Error| complaint(format!("cannot read `{}`: {error}", folder.display()));
    if !seen.insert(folder.canonicalize().map_err(cannot)?) {
        return Ok(());
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        paths.push(entry.map_err(cannot)?.path());
    }
    paths.sort();
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() {
            collect(&path, seen, programs)?;
        } else if matches!(extension, Some("c" | "i" | "hd")) {
            programs.push(path);
        }
    }
    Ok(())
}
