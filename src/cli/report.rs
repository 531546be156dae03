//! What `explore` and `verify` both show: assumptions, traces as tables, files on request.

use heddle_diagnostics::{Diagnostic, Report};
use heddle_interpret::{Trace, replay, table};
use heddle_program::Program;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What the verdict rests on beyond the program's text; empty if on nothing.
pub(crate) fn assumptions_text(program: &Program) -> String {
    let mut text = String::new();
    if !program.assumptions.is_empty() {
        text.push_str("assumptions:\n");
        for assumption in &program.assumptions {
            let place = assumption.span.map_or(String::new(), |span| {
                format!("{}: ", program.sources.place(span))
            });
            let _ = writeln!(text, "  {place}{}", assumption.text);
        }
    }
    text
}

/// The trace with one column a thread. Only traces that were replayed before are shown.
pub(crate) fn trace_table(program: &Program, trace: &Trace) -> String {
    let replayed = replay(program, trace).expect("the engine has replayed its trace");
    table(program, trace, &replayed)
}

/// `1 state`, `2 states`
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), Report> {
    fs::write(path, text)
        .map_err(|error| complaint(format!("cannot write `{}`: {error}", path.display())))
}

/// The duration that `--timeout` names.
pub(crate) fn timeout(seconds: f64) -> Result<Duration, Report> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| complaint(format!("{seconds} seconds are not a time to wait")))
}

/// An error that lies in the command line rather than in a text.
pub(crate) fn complaint(message: String) -> Report {
    Diagnostic::without_place(message).into()
}
