//! Whatever the documentation shows after `$ heddle …` is what heddle prints.
//!
//! In shown output, `…` stands for anything, on a line of its own for any lines; seconds may
//! differ.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A command line and what is shown below it.
struct Session {
    command: String,
    shown: Vec<String>,
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All texts for people.
fn documents() -> Vec<PathBuf> {
    let mut documents = vec![repository().join("README.md")];
    let mut folders: Vec<PathBuf> = ["docs", "facts", "rules"]
        .iter()
        .map(|folder| repository().join(folder))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

/// The sessions in the fenced blocks of a document.
fn sessions(text: &str) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    let mut in_block = false;
    let mut in_session = false;
    for line in text.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
            in_session = false;
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_block) {
            in_session = command.starts_with("heddle ");
            if in_session {
                sessions.push(Session {
                    command: command.to_string(),
                    shown: Vec::new(),
                });
            }
        } else if in_session && let Some(session) = sessions.last_mut() {
            session.shown.push(line.to_string());
        }
    }
    sessions
}

/// The words of a command line; a word in single quotes may have spaces.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split_whitespace().map(str::to_string));
        }
    }
    words
}

/// What a person sees in a terminal, and the exit code.
fn run(folder: &Path, command: &str) -> (Vec<String>, Option<i32>) {
    let seen = folder.join("seen");
    let out = File::options()
        .create(true)
        .append(true)
        .open(&seen)
        .unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(&words(command)[1..])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(out.try_clone().unwrap())
        .stderr(out)
        .status()
        .unwrap();
    let text = fs::read_to_string(&seen).unwrap();
    fs::remove_file(seen).unwrap();
    (text.lines().map(str::to_string).collect(), status.code())
}

/// A folder in which the paths of the documentation exist, and where nothing else is.
fn workplace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["docs", "facts", "rules"] {
        symlink(repository().join(name), folder.path().join(name)).unwrap();
    }
    folder
}

fn fits(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((line, rest)), _) if line == "…" => {
            (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]))
        }
        (Some((line, rest)), Some((other, more))) => line_fits(line, other) && fits(rest, more),
        _ => false,
    }
}

fn line_fits(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (without_seconds(shown), without_seconds(printed));
    let mut pieces = shown.split('…');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = printed.strip_prefix(first) else {
        return false;
    };
    let mut open = false;
    let mut last = "";
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
        (open, last) = (true, piece);
    }
    // What follows the last `…` must end the line.
    rest.is_empty() || open && (last.is_empty() || printed.ends_with(last))
}

/// `0.03 s` as `_ s`.
fn without_seconds(line: &str) -> String {
    let words = line.split(' ').collect::<Vec<_>>();
    let is_time = |index: usize| {
        words[index].contains('.')
            && words[index].parse::<f64>().is_ok()
            && words
                .get(index + 1)
                .is_some_and(|unit| unit.trim_end_matches([',', ')']) == "s")
    };
    let shown: Vec<&str> = (0..words.len())
        .map(|index| if is_time(index) { "_" } else { words[index] })
        .collect();
    shown.join(" ")
}

#[test]
fn show_what_heddle_prints() {
    let folder = workplace();
    let mut wrong = String::new();
    let mut count = 0;
    for document in documents() {
        for session in sessions(&fs::read_to_string(&document).unwrap()) {
            count += 1;
            let (printed, _) = run(folder.path(), &session.command);
            if !fits(&session.shown, &printed) {
                let place = document.strip_prefix(repository()).unwrap().display();
                let _ = write!(
                    wrong,
                    "\n{place}:\n$ {}\nprints\n{}\n",
                    session.command,
                    printed.join("\n")
                );
            }
        }
    }
    assert!(count >= 15, "only {count} sessions were found");
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_rule_file_and_every_fact_folder_is_described() {
    let readme = fs::read_to_string(repository().join("rules/README.md")).unwrap();
    for folder in ["", "examples/"] {
        for entry in fs::read_dir(repository().join("rules").join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let link = format!("]({folder}{name})");
            assert!(
                !name.ends_with(".dl") || readme.contains(&link),
                "rules/README.md says nothing of {folder}{name}"
            );
        }
    }
    for entry in fs::read_dir(repository().join("facts")).unwrap() {
        let folder = entry.unwrap().path();
        assert!(folder.join("README.md").exists(), "{}", folder.display());
    }
}

/// The exit code and the command of each step of the demo.
fn demo() -> Vec<(i32, Vec<String>)> {
    let script = fs::read_to_string(repository().join("scripts/demo.sh")).unwrap();
    let steps = script.lines().filter_map(|line| line.strip_prefix("show "));
    steps
        .map(|step| {
            let mut words = words(step);
            let code = words.remove(0).parse().unwrap();
            (code, words)
        })
        .collect()
}

#[test]
fn the_readme_shows_the_demo() {
    let folder = workplace();
    let readme = fs::read_to_string(repository().join("README.md")).unwrap();
    let mut shown = Vec::new();
    for session in sessions(&readme) {
        let (_, code) = run(folder.path(), &session.command);
        let words = words(&session.command)[1..].to_vec();
        shown.push((code.expect("it ends by itself"), words));
    }
    assert_eq!(shown, demo(), "README.md (left), scripts/demo.sh (right)");
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    let fits = |shown: &str, printed: &str| {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        fits(&lines(shown), &lines(printed))
    };
    assert!(fits("a\n…\nd", "a\nb\nc\nd"));
    assert!(fits("a … c\nit took 0.10 s", "a b c\nit took 2.51 s"));
    assert!(!fits("a\n…\nd", "a\nb\nc"));
    assert!(!fits("a … c", "a b d"));
    assert!(!fits("a", "a\nb"));
    assert!(!fits("a\nb", "a"));
    assert!(!fits("1.5 m", "1.6 m"));
}
