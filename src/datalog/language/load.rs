//! Rule files and what they include, as one rule set.

use crate::check::{MAX_DIAGNOSTICS, check};
use crate::parser::parse;
use crate::ruleset::RuleSet;
use crate::syntax::{Item, Name};
use heddle_diagnostics::{Diagnostic, Report, Sources};
use std::collections::HashSet;
use std::io;
use std::path::{Component, Path, PathBuf};

/// A rule set, and what is dubious about its text.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub rules: RuleSet,
    /// Also has the texts that the spans of `rules` point into.
    pub warnings: Report,
}

/// Loads a rule file.
pub fn load(path: &Path) -> Result<Loaded, Report> {
    load_all(&[path.to_path_buf()])
}

/// Loads several rule files as one rule set: the later ones extend the first.
pub fn load_all(paths: &[PathBuf]) -> Result<Loaded, Report> {
    load_from(&Disk, paths)
}

/// Loads a text; messages call it `name`. It may include files relative to the current
/// folder.
pub fn load_text(name: &str, text: &str) -> Result<Loaded, Report> {
    let mut loader = Loader::new(&Disk);
    loader.text(name, text, Path::new(""));
    loader.finish()
}

/// Loads rule files that lie elsewhere than on disk.
pub fn load_from(files: &dyn Files, paths: &[PathBuf]) -> Result<Loaded, Report> {
    let mut loader = Loader::new(files);
    for path in paths {
        loader.file(path, None);
    }
    loader.finish()
}

/// Where rule files come from.
pub trait Files {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The same for all paths of one file.
    fn identity(&self, path: &Path) -> PathBuf {
        lexically_normal(path)
    }
}

struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn identity(&self, path: &Path) -> PathBuf {
        path.canonicalize()
            .unwrap_or_else(|_| lexically_normal(path))
    }
}

/// The path without `.` and, where possible, without `..`.
fn lexically_normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// Spans count bytes in 32 bits.
const MAX_FILE_SIZE: usize = u32::MAX as usize / 2;

/// How many files may be included through one another.
const MAX_INCLUDE_DEPTH: usize = 100;

struct Loader<'a> {
    files: &'a dyn Files,
    sources: Sources,
    items: Vec<Item>,
    diagnostics: Vec<Diagnostic>,
    seen: HashSet<PathBuf>,
    /// How many files are open at the moment.
    depth: usize,
    /// Some file could not be read, so names that it would declare are not unknown.
    incomplete: bool,
}

impl<'a> Loader<'a> {
    fn new(files: &'a dyn Files) -> Self {
        Loader {
            files,
            sources: Sources::default(),
            items: Vec::new(),
            diagnostics: Vec::new(),
            seen: HashSet::new(),
            depth: 0,
            incomplete: false,
        }
    }

    /// Reads a file and, in place of each `.include`, what it includes; every file once.
    fn file(&mut self, path: &Path, included_by: Option<&Name>) {
        if !self.seen.insert(self.files.identity(path)) {
            return;
        }
        let shown = path.display().to_string();
        if self.depth >= MAX_INCLUDE_DEPTH {
            return self.unreadable(&shown, "files include each other too deeply", included_by);
        }
        let bytes = match self.files.read(path) {
            Ok(bytes) if bytes.len() <= MAX_FILE_SIZE => bytes,
            Ok(_) => return self.unreadable(&shown, "it is too large", included_by),
            Err(error) => return self.unreadable(&shown, &error.to_string(), included_by),
        };
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                self.incomplete = true;
                let no_text = self.sources.not_utf8(shown, &error);
                return self.diagnostics.push(no_text);
            }
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        self.depth += 1;
        self.text(&shown, &text, folder);
        self.depth -= 1;
    }

    fn text(&mut self, name: &str, text: &str, folder: &Path) {
        let source = self.sources.add(name, text);
        let items = parse(source, text, &mut self.diagnostics);
        for item in items {
            match item {
                Item::Include(included) => {
                    self.file(&folder.join(&included.text), Some(&included));
                }
                other => self.items.push(other),
            }
        }
    }

    fn unreadable(&mut self, path: &str, why: &str, included_by: Option<&Name>) {
        self.incomplete = true;
        let message = format!("cannot read `{path}`: {why}");
        self.diagnostics.push(match included_by {
            Some(include) => Diagnostic::error(include.span, message)
                .hint("the path is relative to the file that includes it"),
            None => Diagnostic::without_place(message),
        });
    }

    fn finish(mut self) -> Result<Loaded, Report> {
        let rules = match self.incomplete {
            true => None,
            false => check(&self.items, &mut self.diagnostics),
        };
        if rules.is_none() && !self.diagnostics.iter().any(Diagnostic::is_error) {
            self.diagnostics.push(Diagnostic::without_place(
                "the rules were refused without a reason: a bug in heddle, please report it",
            ));
        }
        let not_shown = tidy(&mut self.diagnostics);
        let report = Report {
            not_shown,
            ..Report::new(self.sources, self.diagnostics)
        };
        match rules {
            Some(rules) => Ok(Loaded {
                rules,
                warnings: report,
            }),
            None => Err(report),
        }
    }
}

/// In the order of the text, each finding once (the alternatives of one rule have the same
/// mistakes), and not too many; returns how many more there are.
fn tidy(diagnostics: &mut Vec<Diagnostic>) -> usize {
    let place = |diagnostic: &Diagnostic| diagnostic.place.as_ref().map(|(span, _)| *span);
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| seen.insert((place(diagnostic), diagnostic.message.clone())));
    diagnostics.sort_by_key(place);
    let more = diagnostics.len().saturating_sub(MAX_DIAGNOSTICS);
    diagnostics.truncate(MAX_DIAGNOSTICS);
    more
}
