//! `.hd`: a small language for models and papers.
//!
//! Processes with labelled statements, as in "Non-Monotonic Refinement of Control
//! Abstraction for Concurrent Programs" and "Counter-Example Guided Program Verification",
//! and guarded commands, as in "Predicate Abstraction with Under-Approximation
//! Refinement". The grammar and its meaning are written down in `docs/hd.md`.
//!
//! Text → tokens → syntax tree ([`parser`]) → typed expressions ([`check`]) → edges
//! ([`control`]). Mistakes become diagnostics on the way, as many as can be found at once.

mod access;
mod assignments;
mod atomic;
mod check;
mod choices;
mod commands;
mod condition;
mod constants;
mod control;
mod declarations;
mod elaborate;
mod expressions;
mod functions;
mod lower;
mod operators;
mod parser;
mod print;
mod print_terms;
mod processes;
mod property;
mod scope;
mod statements;
mod syntax;
mod terms;
mod token;
mod typed;

pub use condition::condition;
use heddle_diagnostics::{Diagnostic, Report, Sources, Span};
use heddle_program::Program;
pub use print::print;
use scope::Findings;

/// The most findings that are shown; whoever has more will not read them all.
const MOST_SHOWN: usize = 50;

/// Reads a program; `name` is what messages call the text, usually its path.
///
/// Warnings come with the program, errors instead of it.
pub fn read(name: &str, text: &str) -> Result<(Program, Report), Report> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    let mut findings = Findings::default();
    let file = parser::parse(source, text, &mut findings.diagnostics);
    let is_parsed = !findings.has_errors();
    if is_parsed && file.processes.is_empty() {
        let end = Span::new(source, text.len()..text.len());
        findings.report(
            Diagnostic::error(end, "the program has no process")
                .hint("a process is written `process p { … }`"),
        );
    }
    let program = is_parsed.then(|| elaborate::elaborate(&file, sources.clone(), &mut findings));
    let failed = findings.has_errors();
    findings.diagnostics.sort_by_key(|diagnostic| {
        let place = diagnostic.place.as_ref();
        (!diagnostic.is_error(), place.map(|(span, _)| span.start))
    });
    let more = findings.diagnostics.len().saturating_sub(MOST_SHOWN);
    findings.diagnostics.truncate(MOST_SHOWN);
    if more > 0 && failed {
        let message = format!("{more} further findings are not shown");
        findings
            .diagnostics
            .push(Diagnostic::without_place(message));
    }
    let report = Report::new(sources, findings.diagnostics);
    match program {
        Some(program) if !failed => Ok((program, report)),
        _ => Err(report),
    }
}
