//! A C program written as facts and read back has the same verdict and as many states: the
//! examples, and the small programs that have one feature each.

use heddle_front::{c, facts};
use heddle_interpret::{Options, explore};
use std::path::{Path, PathBuf};

/// Enough for a verdict of most programs, and the same cut for both sides of the others.
const MAX_STATES: u64 = 3_000;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![
        root.join("tests/c/sequential"),
        root.join("tests/c/threads"),
    ];
    for entry in std::fs::read_dir(root.join("../../docs/examples")).unwrap() {
        folders.push(entry.unwrap().path());
    }
    folders.retain(|folder| folder.is_dir());
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut found: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    found.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    found.sort();
    found
}

#[test]
fn c_programs_keep_their_verdict_as_facts() {
    let programs = programs();
    assert!(programs.len() > 100, "{}", programs.len());
    let limits = Options {
        max_states: Some(MAX_STATES),
        ..Options::default()
    };
    for path in programs {
        let name = path.display();
        let (program, _) = c::load(&path, &c::Options::default())
            .unwrap_or_else(|report| panic!("{name}: {report}"));
        let folder = tempfile::tempdir().unwrap();
        facts::write(&program, folder.path()).unwrap();
        let (again, warnings) =
            facts::read(folder.path()).unwrap_or_else(|report| panic!("{name}: {report}"));
        assert!(warnings.diagnostics.is_empty(), "{name}: {warnings}");
        assert_eq!(again.assumptions.len(), program.assumptions.len(), "{name}");
        assert_eq!(again.bound, program.bound, "{name}");
        let (before, after) = (explore(&program, &limits), explore(&again, &limits));
        assert_eq!(before.verdict(&program), after.verdict(&again), "{name}");
        assert_eq!(before.states, after.states, "{name}");
    }
}
