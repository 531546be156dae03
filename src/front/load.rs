//! A program from wherever it is: by the kind of file that its path names.

use crate::{c, facts, hd};
use heddle_diagnostics::{Diagnostic, Report};
use heddle_program::Program;
use std::fs;
use std::path::Path;

/// How inputs are read, for the kinds that leave a choice.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub c: c::Options,
}

/// Reads a `.c`, `.i` or `.hd` file or a folder of program facts. Warnings come with the
/// program, errors instead of it.
pub fn load(path: &Path, options: &Options) -> Result<(Program, Report), Report> {
    if path.is_dir() {
        return facts::read(path);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => c::load(path, &options.c),
        Some("hd") => hd::read(&path.display().to_string(), &text(path)?),
        _ => Err(unknown_kind(path)),
    }
}

fn text(path: &Path) -> Result<String, Report> {
    let cannot = |why: String| {
        Report::from(Diagnostic::without_place(format!(
            "cannot read `{}`: {why}",
            path.display()
        )))
    };
    let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        cannot(format!("byte {place} is not UTF-8 text"))
    })
}

fn unknown_kind(path: &Path) -> Report {
    let message = match path.exists() {
        true => format!("`{}` is not an input that heddle reads", path.display()),
        false => format!("there is no `{}`", path.display()),
    };
    Diagnostic::without_place(message)
        .hint("an input is a `.c`, `.i` or `.hd` file, or a folder of facts")
        .into()
}
