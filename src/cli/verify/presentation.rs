//! How an answer is shown: as text, and in the files that were asked for.

use super::{Answer, Args, seconds};
use crate::cli::output;
use crate::cli::report::{assumptions_text, complaint, trace_table, write};
use crate::cli::trace_json;
use heddle_diagnostics::Report;
use heddle_program::Program;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// All that showing takes besides the answer itself. It refers to neither program nor engine,
/// so that the watchdog can show an answer while both are busy.
pub(super) struct Presentation {
    started: Instant,
    /// Where the answer, and the trace as a table, are written too.
    json: Option<PathBuf>,
    table: Option<PathBuf>,
    /// Files that engines write, if they have something to write.
    results: Vec<EngineFile>,
    with_statistics: bool,
    assumptions: Value,
    assumptions_text: String,
}

impl Presentation {
    /// Nothing but a text, without statistics.
    pub(super) fn of(program: &Program, started: Instant) -> Presentation {
        Presentation {
            started,
            json: None,
            table: None,
            results: Vec::new(),
            with_statistics: false,
            assumptions: trace_json::assumptions(program),
            assumptions_text: assumptions_text(program),
        }
    }

    pub(super) fn new(args: &Args, program: &Program, started: Instant) -> Presentation {
        Presentation {
            json: args.json.clone(),
            table: args.trace.clone(),
            results: EngineFile::all(args),
            with_statistics: args.stats || args.control.compare_refinements,
            ..Presentation::of(program, started)
        }
    }

    /// Removes what earlier runs left where engines write: a proof or a graph that is there
    /// in the end is one of this run.
    pub(super) fn clear(&self) -> Result<(), Report> {
        self.results.iter().try_for_each(EngineFile::clear)
    }

    /// Writes the files and prints the text. Its last line is the verdict. Only with the
    /// program a trace can be shown.
    pub(super) fn show(&self, answer: &Answer, program: Option<&Program>) -> Result<(), Report> {
        let trace = program.zip(answer.trace.as_ref());
        let table = trace.map_or(String::new(), |(program, trace)| {
            trace_table(program, trace)
        });
        if let Some(path) = &self.table {
            write(path, &table)?;
        }
        let time = self.started.elapsed();
        if let Some(path) = &self.json {
            let trace = trace.map(|(program, trace)| trace_json::trace(program, trace));
            write(path, &self.as_json(answer, trace, time))?;
        }
        let mut text = format!("{}{table}", self.assumptions_text);
        if self.with_statistics {
            text.push_str(&statistics_text(answer, time));
        }
        if let Some(engine) = &answer.answered_by {
            text.push_str(&format!("answered by engine {engine}\n"));
        }
        for file in &self.results {
            file.remark_if_missing();
        }
        output::print(&format!("{text}{}\n", answer.verdict));
        Ok(())
    }

    fn as_json(&self, answer: &Answer, trace: Option<Value>, time: Duration) -> String {
        let value = json!({
            "engine": answer.statistics.engine,
            "answered_by": answer.answered_by,
            "verdict": trace_json::verdict(&answer.verdict),
            "assumptions": self.assumptions,
            "seconds": time.as_secs_f64(),
            "statistics": answer.statistics.json,
            "trace": trace,
        });
        format!("{value:#}\n")
    }
}

/// A file that only some answers fill.
struct EngineFile {
    path: PathBuf,
    /// Why there may be nothing to write.
    condition: &'static str,
}

impl EngineFile {
    fn all(args: &Args) -> Vec<EngineFile> {
        let invariant = args.reach.invariant().map(|path| EngineFile {
            path: path.to_owned(),
            condition: "only a proof by the engines predicate and control has an invariant",
        });
        let graph = args.matching.dot().map(|path| EngineFile {
            path: path.to_owned(),
            condition: "the engine ended before it had a graph",
        });
        invariant.into_iter().chain(graph).collect()
    }

    /// Leaves alone what is no plain file, such as a pipe.
    fn clear(&self) -> Result<(), Report> {
        let is_file = fs::symlink_metadata(&self.path).is_ok_and(|found| found.is_file());
        if !is_file {
            return Ok(());
        }
        fs::remove_file(&self.path)
            .map_err(|error| complaint(format!("cannot write `{}`: {error}", self.path.display())))
    }

    fn remark_if_missing(&self) {
        if !self.path.exists() {
            let path = self.path.display();
            output::remark(&format!("`{path}` was not written: {}", self.condition));
        }
    }
}

fn statistics_text(answer: &Answer, time: Duration) -> String {
    let total = ("time in total".to_owned(), seconds(time));
    let lines: Vec<String> = answer
        .statistics
        .lines
        .iter()
        .chain([&total])
        .map(|(name, value)| format!("  {name:<22} {value}\n"))
        .collect();
    format!("{}:\n{}", answer.statistics.engine, lines.concat())
}
