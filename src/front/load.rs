//! A program from wherever it is: by the kind of file that its path names.

use crate::{c, facts, hd};
use heddle_diagnostics::{Diagnostic, Report, Sources};
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
///
/// The program keeps what [`Program::validate`] promises: engines need not look again.
pub fn load(path: &Path, options: &Options) -> Result<(Program, Report), Report> {
    if path.is_dir() {
        // Mistakes in the facts are the user's; reading them reports them in their place.
        return facts::read(path);
    }
    let (program, warnings) = match path.extension().and_then(|extension| extension.to_str()) {
        Some("c" | "i") => c::load(path, &options.c),
        Some("hd") => hd::read(&path.display().to_string(), &text(path)?),
        _ => Err(unknown_kind(path)),
    }?;
    Ok((checked(program)?, warnings))
}

/// The program if it is well-formed; otherwise its translation went wrong.
fn checked(program: Program) -> Result<Program, Report> {
    let problems = program.validate();
    if problems.is_empty() {
        return Ok(program);
    }
    let hint = "this is a mistake of heddle, not of the program: please report it";
    let problems = problems.into_iter().map(|problem| problem.hint(hint));
    Err(Report::new(program.sources.clone(), problems.collect()))
}

fn text(path: &Path) -> Result<String, Report> {
    let cannot = |why: String| {
        Report::from(Diagnostic::without_place(format!(
            "cannot read `{}`: {why}",
            path.display()
        )))
    };
    let bytes = fs::read(path).map_err(|error| cannot(error.to_string()))?;
    let mut sources = Sources::default();
    let text = sources.table(&path.display().to_string(), bytes);
    text.map_err(|error| Report::new(sources, vec![error]))
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

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_program::Scope;

    #[test]
    fn a_program_that_is_not_well_formed_is_reported() {
        let text = "shared x: int = 0;\nprocess p { x := 1; }\nprocess q { x := 2; }\n";
        let (mut program, _) = hd::read("given.hd", text).expect("a program");
        assert!(checked(program.clone()).is_ok());
        let p = program.thread_ids().next().expect("a thread");
        for variable in &mut program.variables {
            variable.scope = Scope::Local(p);
        }
        let report = checked(program).expect_err("q uses what is local to p");
        let text = report.to_string();
        assert!(text.contains("given.hd:3"), "{text}");
        assert!(text.contains("mistake of heddle"), "{text}");
    }

    #[test]
    fn a_file_may_begin_with_a_byte_order_mark_and_shows_where_it_is_no_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("given.hd");
        let read = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("a file");
            load(&path, &Options::default())
        };
        assert!(read(b"\xef\xbb\xbfprocess p { skip; }\r\n").is_ok());
        let report = read(b"process p {\n  \xff\n}\n").expect_err("no text");
        let text = report.to_string();
        assert!(text.contains("given.hd:2:3"), "{text}");
        assert!(text.contains("this byte is not UTF-8 text"), "{text}");
    }
}
