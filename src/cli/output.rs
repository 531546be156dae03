//! What goes to standard output and standard error, and the exit codes.

use heddle_diagnostics::Report;
use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;
use std::process::ExitCode;

pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const INTERNAL_ERROR: u8 = 70;

/// Writes to standard output. A reader that has gone away (`heddle … | head`) ends the
/// program quietly, as it does other filters.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        if error.kind() != io::ErrorKind::BrokenPipe {
            complain(&format!("cannot write to standard output: {error}"));
        }
        std::process::exit(i32::from(BAD_INPUT));
    }
}

/// Shows diagnostics on standard error, coloured if it is a terminal.
pub(crate) fn show(report: &Report) {
    if !report.diagnostics.is_empty() {
        let text = report.render(io::stderr().is_terminal());
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// An error that has no place in a text.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr().lock(), "error: {message}");
}

/// Something worth knowing that is not part of the answer.
pub(crate) fn remark(message: &str) {
    let _ = writeln!(io::stderr().lock(), "note: {message}");
}

/// Shows what is wrong with the input; the exit code to end with.
pub(crate) fn bad_input(report: &Report) -> ExitCode {
    show(report);
    ExitCode::from(BAD_INPUT)
}

pub(crate) fn report_bug(panic: &PanicHookInfo) {
    let _ = writeln!(
        io::stderr().lock(),
        "internal error: {panic}\n\
         This is a bug in heddle. Please report it with the input and the command line."
    );
}
