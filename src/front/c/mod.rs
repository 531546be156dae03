//! C with pthreads and the SV-COMP conventions: text to program.
//!
//! ```text
//! text ─ preprocess ─ parse ─ elaborate ─ expand ─ lower ─ compact ─ emit ─► program
//!        cpp, clean   lang-c  types,      inline,  points-to,        only what is used
//!                             conversions threads  memory
//! ```
//!
//! What is supported, and what the translation takes for granted, is in `docs/c.md`.

mod arithmetic;
mod bits;
mod builtins;
mod clean;
mod compact;
mod elaborate;
mod emit;
mod expand;
mod ir;
mod layout;
mod liveness;
mod lower;
mod mathematical;
mod memory;
mod opaque;
mod options;
mod parse;
mod pointers;
mod preprocess;
mod ranges;
mod record_layout;
mod typed;
mod types;
mod visit;

pub use options::{DataModel, Integers, Options};

use heddle_diagnostics::{Diagnostic, Report, Sources};
use heddle_program::Program;
use std::path::Path;

/// The parser and the passes behind it follow the nesting of the text by recursion; the
/// pre-pass limits it to what fits this stack.
const STACK: usize = 1 << 30;

/// C functions for programs that use the standard library's without defining them.
const LIBRARY: &str = include_str!("library.c");

/// Loads a `.c` or `.i` file. Warnings come with the program, errors instead of it.
pub fn load(path: &Path, options: &Options) -> Result<(Program, Report), Report> {
    match std::fs::read(path) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            translate(&path.to_string_lossy(), &text, options)
        }
        Err(error) => {
            let message = format!("cannot read `{}`: {error}", path.display());
            Err(Diagnostic::without_place(message).into())
        }
    }
}

/// Translates a text; messages call it `name`, and a name that ends in `.i` says that it is
/// preprocessed.
pub fn translate(name: &str, text: &str, options: &Options) -> Result<(Program, Report), Report> {
    let work = || translate_here(name, text, options);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work);
        match thread {
            Ok(thread) => thread
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                let message = format!("cannot start a thread for the parser: {error}");
                Err(Diagnostic::without_place(message).into())
            }
        }
    })
}

fn translate_here(name: &str, text: &str, options: &Options) -> Result<(Program, Report), Report> {
    let mut sources = Sources::default();
    if u32::try_from(text.len()).is_err() {
        let diagnostic = Diagnostic::without_place(format!("`{name}` is larger than 4 GiB"));
        return Err(diagnostic.into());
    }
    match stages(&mut sources, name, text, options) {
        Ok((program, warnings)) => Ok((program, Report::new(sources, warnings))),
        Err(diagnostics) => Err(Report::new(sources, diagnostics)),
    }
}

fn stages(
    sources: &mut Sources,
    name: &str,
    text: &str,
    options: &Options,
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let preprocessed = preprocess::preprocess(sources, name, text, options)?;
    let library = preprocess::library(sources, &preprocessed.text, LIBRARY, options)?;
    let unit = parse::parse(sources, preprocessed)?;
    let library = match library {
        Some(library) => Some(parse::parse(sources, library)?),
        None => None,
    };
    let units = std::iter::once(&unit).chain(&library).collect();
    let typed = elaborate::elaborate(sources, units, options)?;
    let expanded = expand::expand(&typed, options)?;
    let mut lowered = lower::lower(&expanded, &typed.types, options)?;
    let ends: Vec<_> = expanded
        .threads
        .iter()
        .map(|thread| (thread.entry, thread.exit))
        .collect();
    if options.integers == Integers::Mathematical {
        ranges::assume_ranges(&mut lowered, &expanded.registers, &ends);
    }
    match options.compact {
        true => compact::compact(&mut lowered, expanded.registers.len(), &ends),
        false => compact::remove_unreachable(&mut lowered, &ends),
    }
    if options.integers == Integers::Mathematical {
        mathematical::mathematical(&mut lowered, &expanded.registers)
            .map_err(|diagnostic| vec![diagnostic])?;
        // The ranges of bit-vectors are no conditions any more.
        if options.compact {
            compact::compact(&mut lowered, expanded.registers.len(), &ends);
        }
    }
    let program = emit::emit(&expanded, &lowered, sources.clone());
    Ok((program, expanded.warnings))
}
