//! `load_all`: a rule set and files that extend it.

use heddle_language::{Files, load_from};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

struct InMemory(HashMap<&'static str, &'static str>);

impl Files for InMemory {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let text = path.to_str().and_then(|path| self.0.get(path));
        text.map(|&text| text.into())
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))
    }
}

const BASE: &str = ".type E <: symbol
.decl po(a: E, b: E)
.decl lt(a: E, b: E)
.output lt
lt(a, b) :- po(a, b).
";

fn load(files: &[(&'static str, &'static str)], paths: &[&str]) -> Result<String, String> {
    let files = InMemory(files.iter().copied().collect());
    let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    match load_from(&files, &paths) {
        Ok(loaded) => Ok(loaded.rules.to_string()),
        Err(report) => Err(report.to_string()),
    }
}

#[test]
fn an_extension_may_use_and_repeat_what_the_base_declares() {
    let extra = ".type E <: symbol
.decl lt(a: E, b: E)
.decl po(a: E, b: E)
@name(\"extra\") lt(a, c) :- lt(a, b), po(b, c).
";
    assert_eq!(
        load(
            &[("base.dl", BASE), ("extra.dl", extra)],
            &["base.dl", "extra.dl"]
        ),
        Ok(format!(
            "{BASE}@name(\"extra\")\nlt(a, c) :- lt(a, b), po(b, c).\n"
        ))
    );
}

#[test]
fn a_file_that_is_included_and_named_is_read_once() {
    let extra = ".include \"base.dl\"\nlt(a, c) :- lt(a, b), po(b, c).\n";
    let files = [
        ("base.dl", BASE),
        ("more/../base.dl", ""),
        ("extra.dl", extra),
    ];
    let expected = Ok(format!("{BASE}lt(a, c) :- lt(a, b), po(b, c).\n"));
    assert_eq!(load(&files, &["base.dl", "extra.dl"]), expected);
    assert_eq!(load(&files, &["extra.dl", "base.dl"]), expected);
    assert_eq!(load(&files, &["extra.dl", "more/../base.dl"]), expected);
}

#[test]
fn an_extension_that_says_something_else_is_refused() {
    let extra = ".type E <: number\n.decl lt(a: E, c: E)\n";
    assert_eq!(
        load(
            &[("base.dl", BASE), ("extra.dl", extra)],
            &["base.dl", "extra.dl"]
        ),
        Err("\
error: the type `E` is declared twice
 --> extra.dl:1:7
  |
1 | .type E <: number
  |       ^
  |
 ::: base.dl:1:7
  |
1 | .type E <: symbol
  |       - the first declaration
  |
  = help: two files may declare the same type, if they say the same of it

error: the relation `lt` is declared twice
 --> extra.dl:2:7
  |
2 | .decl lt(a: E, c: E)
  |       ^^
  |
 ::: base.dl:3:7
  |
3 | .decl lt(a: E, b: E)
  |       -- the first declaration
  |
  = help: two files may declare the same relation, if they say the same of it
"
        .to_string())
    );
}
