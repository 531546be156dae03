//! The public SV-COMP pthread programs are accepted: at least 95 of 100, and each rejection
//! names construct and line.
//!
//! They are not part of heddle. `HEDDLE_CORPUS` names the folder with `pthread`,
//! `pthread-ext`, `pthread-lit` and `pthread-wmm` in it; without, the test says that it was
//! skipped.

use heddle_front::c;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn programs(corpus: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["pthread", "pthread-ext", "pthread-lit", "pthread-wmm"] {
        let Ok(entries) = std::fs::read_dir(corpus.join(folder)) else {
            continue;
        };
        let files = entries.flatten().map(|entry| entry.path());
        found.extend(files.filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("c" | "i"))
        }));
    }
    found.sort();
    found
}

#[test]
fn programs_of_the_corpus_are_accepted() {
    let Some(corpus) = std::env::var_os("HEDDLE_CORPUS") else {
        println!("skipped: HEDDLE_CORPUS does not name a folder with the programs");
        return;
    };
    let programs = programs(Path::new(&corpus));
    assert!(!programs.is_empty(), "there are no programs in the corpus");
    let options = c::Options {
        data_model: c::DataModel::Ilp32,
        ..c::Options::default()
    };
    let mut accepted = 0;
    let mut total = Duration::ZERO;
    let mut longest = (Duration::ZERO, PathBuf::new());
    for path in &programs {
        let start = Instant::now();
        let result = c::load(path, &options);
        let time = start.elapsed();
        total += time;
        if time > longest.0 {
            longest = (time, path.clone());
        }
        match result {
            Ok((program, _)) => {
                let problems = program.validate();
                assert!(problems.is_empty(), "{}: {problems:?}", path.display());
                accepted += 1;
            }
            Err(report) => {
                println!("rejected: {}\n{report}", path.display());
                let placed = report.diagnostics.iter().all(|d| d.place.is_some());
                assert!(placed, "a rejection without a place");
            }
        }
    }
    let average = total / programs.len() as u32;
    println!("{accepted} of {} programs are accepted", programs.len());
    println!(
        "{average:?} each, at most {:?} ({})",
        longest.0,
        longest.1.display()
    );
    assert!(accepted * 100 >= programs.len() * 95);
}
