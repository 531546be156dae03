//! From a C file to text that `lang-c` parses, with the way back to the user's lines.
//!
//! Two steps, each optional: `cpp` with the headers of `include/`, and a pass over the
//! tokens that rewrites what `lang-c` does not know (`clean.rs`).

use super::clean::{self, Cleaned};
use super::options::{DataModel, Options};
use heddle_diagnostics::{Diagnostic, SourceId, Sources, Span};
use std::collections::HashMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The headers that translated programs see in place of the system's: the same
/// declarations without the C library's own machinery, for both data models.
const HEADERS: &[(&str, &str)] = &[
    ("assert.h", include_str!("include/assert.h")),
    ("ctype.h", include_str!("include/ctype.h")),
    ("errno.h", include_str!("include/errno.h")),
    (
        "heddle_pthread_types.h",
        include_str!("include/heddle_pthread_types.h"),
    ),
    ("inttypes.h", include_str!("include/inttypes.h")),
    ("limits.h", include_str!("include/limits.h")),
    ("malloc.h", include_str!("include/malloc.h")),
    ("memory.h", include_str!("include/memory.h")),
    ("pthread.h", include_str!("include/pthread.h")),
    ("sched.h", include_str!("include/sched.h")),
    ("semaphore.h", include_str!("include/semaphore.h")),
    ("stdalign.h", include_str!("include/stdalign.h")),
    ("stdarg.h", include_str!("include/stdarg.h")),
    ("stdatomic.h", include_str!("include/stdatomic.h")),
    ("stdbool.h", include_str!("include/stdbool.h")),
    ("stddef.h", include_str!("include/stddef.h")),
    ("stdint.h", include_str!("include/stdint.h")),
    ("stdio.h", include_str!("include/stdio.h")),
    ("stdlib.h", include_str!("include/stdlib.h")),
    ("stdnoreturn.h", include_str!("include/stdnoreturn.h")),
    ("string.h", include_str!("include/string.h")),
    ("strings.h", include_str!("include/strings.h")),
    ("sys/time.h", include_str!("include/sys/time.h")),
    ("sys/types.h", include_str!("include/sys/types.h")),
    ("time.h", include_str!("include/time.h")),
    ("unistd.h", include_str!("include/unistd.h")),
];

/// Text for the parser, and where each byte of it comes from.
pub(crate) struct Preprocessed {
    pub(crate) text: String,
    cleaned: Cleaned,
    origin: Origin,
}

/// Where the text before cleaning comes from.
enum Origin {
    /// It is the user's file.
    Source(SourceId),
    /// It is what `cpp` wrote.
    Cpp { text: String, lines: Vec<CppLine> },
}

/// One line of the preprocessor's output.
#[derive(Clone, Copy)]
struct CppLine {
    start: usize,
    source: SourceId,
    /// Where the line that it comes from starts in that source, if there is such a line.
    source_start: Option<usize>,
}

impl Preprocessed {
    /// The user's text that a range of the parsed text comes from: the same token where it
    /// still stands there, otherwise the line that a macro was used in.
    pub(crate) fn span(&self, sources: &Sources, range: std::ops::Range<usize>) -> Span {
        let start = self.cleaned.origin(range.start);
        let end = self.cleaned.origin(range.end).max(start);
        match &self.origin {
            Origin::Source(source) => Span::new(*source, start..end),
            Origin::Cpp { text, lines } => cpp_span(sources, text, lines, start..end),
        }
    }
}

fn cpp_span(
    sources: &Sources,
    text: &str,
    lines: &[CppLine],
    range: std::ops::Range<usize>,
) -> Span {
    let position = lines.partition_point(|line| line.start <= range.start);
    let Some(line) = position.checked_sub(1).map(|index| lines[index]) else {
        let source = lines.first().map(|line| line.source);
        return Span::new(source.expect("cpp writes at least one line"), 0..0);
    };
    let Some(line_start) = line.source_start else {
        return Span::new(line.source, 0..0);
    };
    let source_text = sources.text(line.source);
    let rest = &source_text[line_start..];
    let line_text = &rest[..rest.find('\n').unwrap_or(rest.len())];

    // The same words at the same column, or anywhere in the line if only once.
    let words = text.get(range.clone()).unwrap_or("");
    let words = &words[..words.find('\n').unwrap_or(words.len())];
    let column = range.start - line.start;
    let found = if words.is_empty() {
        None
    } else if line_text
        .get(column..)
        .is_some_and(|at| at.starts_with(words))
    {
        Some(column)
    } else {
        let mut matches = line_text.match_indices(words);
        matches
            .next()
            .filter(|_| matches.next().is_none())
            .map(|(at, _)| at)
    };
    let span = match found {
        Some(column) => column..column + words.len(),
        None => {
            let indent = line_text.len() - line_text.trim_start().len();
            indent..line_text.trim_end().len().max(indent)
        }
    };
    Span::new(line.source, line_start + span.start..line_start + span.end)
}

/// Turns a C file into text for the parser; adds the user's texts to `sources`.
pub(crate) fn preprocess(
    sources: &mut Sources,
    name: &str,
    text: &str,
    options: &Options,
) -> Result<Preprocessed, Vec<Diagnostic>> {
    let source = sources.add(name, text);
    let (raw, origin) = if needs_cpp(name, text) {
        let output = run_cpp(sources, source, Path::new(name), text, options)?;
        let lines = cpp_lines(sources, source, &output, Path::new(name));
        (
            output.clone(),
            Origin::Cpp {
                text: output,
                lines,
            },
        )
    } else {
        (text.to_owned(), Origin::Source(source))
    };
    let cleaned = clean::clean(&raw, options.data_model);
    let preprocessed = Preprocessed {
        text: cleaned.text.clone(),
        cleaned,
        origin,
    };
    let text = &preprocessed.text;
    match clean::nesting_error(text).or_else(|| clean::layout_pragma(text)) {
        Some((range, message)) => {
            let span = preprocessed.span(sources, range);
            Err(vec![Diagnostic::error(span, message)])
        }
        None => Ok(preprocessed),
    }
}

/// The library as a unit of its own, if the text mentions a function of it.
pub(crate) fn library(
    sources: &mut Sources,
    text: &str,
    library: &str,
    options: &Options,
) -> Result<Option<Preprocessed>, Vec<Diagnostic>> {
    let names = library.lines().filter_map(|line| {
        let before = &line[..line.find('(')?];
        let is_definition = !before.starts_with([' ', '/', 't']) || before.starts_with("to");
        is_definition.then(|| before.rsplit([' ', '*']).next().unwrap_or(before))
    });
    let is_mentioned = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].bytes().next_back();
            let after = text[at + name.len()..].bytes().next();
            let is_part =
                |byte: Option<u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_');
            !is_part(before) && !is_part(after)
        })
    };
    if !names.into_iter().any(is_mentioned) {
        return Ok(None);
    }
    let size = match options.data_model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let library = library.replace("__SIZE_TYPE__", size);
    preprocess(sources, "<library>.i", &library, options).map(Some)
}

/// A `.i` file is preprocessed, and so is any other that has no directive but line markers
/// and pragmas.
fn needs_cpp(name: &str, text: &str) -> bool {
    if name.ends_with(".i") {
        return false;
    }
    text.lines().any(|line| {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            return false;
        };
        let directive = directive.trim_start();
        let word: String = directive
            .chars()
            .take_while(|c| c.is_ascii_alphabetic())
            .collect();
        !matches!(word.as_str(), "" | "line" | "pragma" | "ident")
    })
}

fn run_cpp(
    sources: &mut Sources,
    source: SourceId,
    path: &Path,
    text: &str,
    options: &Options,
) -> Result<String, Vec<Diagnostic>> {
    let failed = |what: &str, error: std::io::Error| {
        vec![Diagnostic::without_place(format!("cannot {what}: {error}"))]
    };
    let folder = tempfile::tempdir().map_err(|error| failed("create a temporary folder", error))?;
    let headers = folder.path().join("include");
    write_headers(&headers).map_err(|error| failed("write the headers for cpp", error))?;
    let input = folder.path().join("input.c");
    std::fs::write(&input, text).map_err(|error| failed("write the input for cpp", error))?;

    let own_headers = [
        "-nostdinc".into(),
        "-isystem".into(),
        headers.as_os_str().to_owned(),
    ];
    let first = cpp_command(path, &input, options, &own_headers)
        .output()
        .map_err(|error| {
            let message = failed("run cpp, the C preprocessor", error).remove(0);
            vec![message.hint("install a C compiler, or give a file that is preprocessed (.i)")]
        })?;
    let missing_header =
        |stderr: &[u8]| String::from_utf8_lossy(stderr).contains("No such file or directory");
    let result = if !first.status.success() && missing_header(&first.stderr) {
        // A header that is not among ours: the system's headers, all of them, because the
        // two sets do not mix.
        cpp_command(path, &input, options, &[])
            .output()
            .map_err(|error| failed("run cpp", error))?
    } else {
        first
    };
    if !result.status.success() {
        let messages = String::from_utf8_lossy(&result.stderr).into_owned();
        return Err(cpp_diagnostics(sources, source, &input, &messages));
    }
    let input_name = input.to_string_lossy().into_owned();
    let headers_name = headers.to_string_lossy().into_owned();
    Ok(String::from_utf8_lossy(&result.stdout)
        .replace(&format!("\"{input_name}\""), "\"\"")
        .replace(&format!("\"{headers_name}/"), "\"<heddle>/"))
}

fn cpp_command(
    path: &Path,
    input: &Path,
    options: &Options,
    headers: &[std::ffi::OsString],
) -> Command {
    let mut command = Command::new("cpp");
    command.args(["-std=gnu11", "-w"]).stdin(Stdio::null());
    if options.data_model == DataModel::Ilp32 && cfg!(target_arch = "x86_64") {
        command.arg("-m32");
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    command.arg("-iquote").arg(folder.unwrap_or(Path::new(".")));
    for folder in &options.include {
        command.arg("-I").arg(folder);
    }
    for macro_definition in &options.define {
        command.arg(format!("-D{macro_definition}"));
    }
    command.args(headers).arg(input);
    command
}

fn write_headers(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder.join("sys"))?;
    for (name, text) in HEADERS {
        std::fs::write(folder.join(name), text)?;
    }
    Ok(())
}

/// The preprocessor's complaints, at their places in the user's file.
fn cpp_diagnostics(
    sources: &Sources,
    source: SourceId,
    input: &Path,
    messages: &str,
) -> Vec<Diagnostic> {
    let input = input.to_string_lossy();
    let mut diagnostics = Vec::new();
    for message in messages.lines() {
        let Some((place, text)) = message.split_once("error: ") else {
            continue;
        };
        let numbers: Vec<usize> = match place.strip_prefix(&*input) {
            Some(place) => place.split(':').filter_map(|n| n.parse().ok()).collect(),
            None => Vec::new(),
        };
        let diagnostic = match numbers.first() {
            Some(&line) => {
                let text_of_source = sources.text(source);
                let range = line_range(text_of_source, line.saturating_sub(1));
                Diagnostic::error(Span::new(source, range.unwrap_or(0..0)), text)
            }
            None => Diagnostic::without_place(message.to_owned()),
        };
        diagnostics.push(diagnostic.label("says the preprocessor"));
    }
    if diagnostics.is_empty() {
        diagnostics.push(Diagnostic::without_place(format!(
            "the preprocessor failed: {}",
            messages.trim()
        )));
    }
    diagnostics
}

/// The bytes of a line, counted from 0, without its newline.
fn line_range(text: &str, line: usize) -> Option<std::ops::Range<usize>> {
    let mut start = 0;
    for (number, content) in text.split('\n').enumerate() {
        if number == line {
            return Some(start..start + content.len());
        }
        start += content.len() + 1;
    }
    None
}

/// Reads the line markers. A file that they name is added to the sources so that spans can
/// point into it.
fn cpp_lines(sources: &mut Sources, user: SourceId, output: &str, path: &Path) -> Vec<CppLine> {
    let mut files: HashMap<String, (SourceId, Vec<usize>)> = HashMap::new();
    files.insert(String::new(), (user, line_starts(sources.text(user))));
    let mut current = (user, 0usize, String::new());
    let mut lines = Vec::new();
    let mut start = 0;
    for content in output.split('\n') {
        if let Some((line, file)) = line_marker(content) {
            if !files.contains_key(&file) {
                let text = header_text(&file).unwrap_or_else(|| {
                    std::fs::read(path.with_file_name(&file))
                        .or_else(|_| std::fs::read(&file))
                        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
                        .unwrap_or_default()
                });
                let starts = line_starts(&text);
                let shown = match file.strip_prefix("<heddle>/") {
                    Some(header) => format!("<{header}>"),
                    None => file.clone(),
                };
                let id = sources.add(shown, text);
                files.insert(file.clone(), (id, starts));
            }
            current = (files[&file].0, line.saturating_sub(1), file);
        } else {
            let source_start = files[&current.2].1.get(current.1).copied();
            lines.push(CppLine {
                start,
                source: current.0,
                source_start,
            });
            current.1 += 1;
        }
        start += content.len() + 1;
    }
    lines
}

fn header_text(file: &str) -> Option<String> {
    let name = file.strip_prefix("<heddle>/")?;
    HEADERS
        .iter()
        .find(|(header, _)| *header == name)
        .map(|(_, text)| (*text).to_owned())
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

/// `# 12 "file.c" 1 3`
fn line_marker(line: &str) -> Option<(usize, String)> {
    let rest = line.strip_prefix("# ")?;
    let (number, rest) = rest.split_once(' ')?;
    let number = number.parse().ok()?;
    let rest = rest.strip_prefix('"')?;
    let end = rest.rfind('"')?;
    Some((
        number,
        rest[..end].replace("\\\\", "\\").replace("\\\"", "\""),
    ))
}
