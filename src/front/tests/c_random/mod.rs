//! Random C, and what gcc makes of it.

pub(crate) mod expression;
pub(crate) mod gcc;

use heddle_front::c::{self, DataModel};
use heddle_interpret::{Options, explore};
use heddle_program::Verdict;
use std::time::Duration;

/// Runs a sequential program whose last line, and no other, is supposed to end in an error.
/// What is wrong if it does not.
pub(crate) fn error_is_in_the_last_line(text: &str, model: DataModel) -> Result<(), String> {
    let options = c::Options {
        data_model: model,
        ..c::Options::default()
    };
    let (program, _) =
        c::translate("random.c", text, &options).map_err(|report| report.to_string())?;
    let problems = program.validate();
    if !problems.is_empty() {
        return Err(format!("is not well-formed: {problems:?}"));
    }
    let limits = Options {
        timeout: Some(Duration::from_secs(60)),
        ..Options::default()
    };
    let result = explore(&program, &limits);
    let verdict = result.verdict(&program);
    let (Verdict::Unsafe, Some(trace)) = (&verdict, &result.violation) else {
        return Err(format!("its end is not reached: {verdict}"));
    };
    let last = trace.steps.last().expect("an error has a step");
    let span = program.edge(last.edge).span.expect("a step has a place");
    let (line, _) = program.sources.line_column(span);
    let lines: Vec<&str> = text.lines().collect();
    match line == lines.len() {
        true => Ok(()),
        false => Err(format!(
            "line {line} has another value: {}",
            lines[line - 1]
        )),
    }
}
