//! `docs/facts.md` and `facts/from-python` say what is so.

use heddle_front::facts;
use heddle_interpret::{Options, explore};
use heddle_program::Verdict;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn verdict(folder: &Path) -> Verdict {
    match facts::read(folder) {
        Ok((program, _)) => explore(&program, &Options::default()).verdict(&program),
        Err(report) => panic!("{report}"),
    }
}

#[test]
fn every_relation_is_explained_with_its_columns() {
    let text = fs::read_to_string(repository().join("docs/facts.md")).expect("the document");
    for relation in facts::SCHEMA {
        let row = format!("| `{}` | {} |", relation.name, relation.columns.join(", "));
        assert!(text.contains(&row), "{row}");
    }
}

#[test]
fn the_program_in_the_document_is_unsafe() {
    let text = fs::read_to_string(repository().join("docs/facts.md")).expect("the document");
    let (_, rest) = text.split_once("```facts\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("the end of the example");
    let folder = tempfile::tempdir().expect("a folder");
    for file in example.split("== ").skip(1) {
        let (name, content) = file.split_once('\n').expect("a name and a file");
        fs::write(folder.path().join(name), content).expect("a file of the example");
    }
    assert_eq!(verdict(folder.path()), Verdict::Unsafe);
}

#[test]
fn the_folder_from_python_is_what_the_script_prints_and_is_safe() {
    let example = repository().join("facts/from-python");
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new("python3")
        .arg(example.join("peterson.py"))
        .arg(folder.path())
        .status()
        .expect("python3 runs");
    assert!(status.success());
    let committed = example.join("peterson");
    let mut count = 0;
    for entry in fs::read_dir(&committed).expect("the committed folder") {
        let name = entry.expect("a file").file_name();
        let expected = fs::read_to_string(committed.join(&name)).expect("a committed file");
        let printed = fs::read_to_string(folder.path().join(&name)).expect("a printed file");
        assert_eq!(printed, expected, "{name:?}");
        count += 1;
    }
    assert_eq!(
        count,
        fs::read_dir(folder.path()).expect("a folder").count()
    );
    assert_eq!(verdict(&committed), Verdict::Safe);
}
