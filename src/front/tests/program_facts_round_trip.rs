//! A program written as facts and read back is the same program.

#[path = "../../interpret/tests/random_program/mod.rs"]
mod random_program;

use heddle_front::facts;
use heddle_interpret::{Options, explore};
use heddle_program::Program;
use proptest::prelude::*;
use random_program::random_program;
use std::collections::BTreeMap;

/// The facts as sets of lines, without the texts that they were made from. The words of a line
/// are sorted, as the arguments of commutative operators may change places.
fn relations(program: &Program) -> BTreeMap<String, Vec<String>> {
    facts::files(program)
        .into_iter()
        .filter(|(name, _)| !name.starts_with("source"))
        .map(|(name, text)| {
            let sorted = |line: &str| {
                let mut words: Vec<&str> = line.split(['\t', ' ', '(', ')']).collect();
                words.sort_unstable();
                words.join(" ")
            };
            let mut lines: Vec<String> = text.lines().map(sorted).collect();
            lines.sort();
            (name, lines)
        })
        .collect()
}

fn round_trip(program: &Program) -> Program {
    let folder = tempfile::tempdir().expect("a folder for the facts");
    facts::write(program, folder.path()).expect("the folder can be written");
    assert!(facts::is_program_folder(folder.path()));
    match facts::read(folder.path()) {
        Ok((program, report)) => {
            assert!(report.diagnostics.is_empty(), "{report}");
            program
        }
        Err(report) => panic!("{report}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_programs_keep_their_facts_and_their_verdict(
        choices in prop::collection::vec(0u16.., 1..200),
    ) {
        let program = random_program(&choices);
        let again = round_trip(&program);
        prop_assert_eq!(relations(&again), relations(&round_trip(&again)));
        let without_error = |program: &Program| {
            // Its boolean operators are those of terms once it is text, and simplified.
            let mut relations = relations(program);
            let error = relations.remove("error.facts");
            (relations, error.map(|lines| lines.len()))
        };
        prop_assert_eq!(without_error(&program), without_error(&again));
        let options = Options { max_states: Some(2000), ..Options::default() };
        let (before, after) = (explore(&program, &options), explore(&again, &options));
        prop_assert_eq!(before.verdict(&program), after.verdict(&again));
        if before.stop.is_none() {
            prop_assert_eq!(before.states, after.states);
        }
    }

    #[test]
    fn damaged_folders_are_refused_or_read_but_never_crash(
        choices in prop::collection::vec(0u16.., 1..60),
        damages in prop::collection::vec((any::<u16>(), any::<u16>(), 0..6usize), 1..4),
    ) {
        let mut files: Vec<(String, String)> =
            facts::files(&random_program(&choices)).into_iter().collect();
        for (file, place, kind) in damages {
            let count = files.len();
            let text = &mut files[file as usize % count].1;
            let place = text.floor_char_boundary(place as usize % (text.len() + 1));
            let damage = ["\t", "\n", "(", ")", "|", "x"][kind];
            if kind == 5 {
                text.truncate(place);
            } else {
                text.insert_str(place, damage);
            }
        }
        let folder = tempfile::tempdir().expect("a folder for the facts");
        for (name, text) in &files {
            std::fs::write(folder.path().join(name), text).expect("the folder can be written");
        }
        if let Err(report) = facts::read(folder.path()) {
            prop_assert!(report.has_errors());
            prop_assert!(!report.to_string().is_empty());
        }
    }
}

#[test]
fn places_in_the_source_survive() {
    let text = "shared x: int = 0;\nprocess p {\n  a: x := 1;\n  b: assert x = 2;\n}\n";
    let (program, _) = heddle_front::hd::read("given.hd", text).expect("a program");
    let again = round_trip(&program);
    let lines = |program: &Program| -> Vec<Option<String>> {
        let snippet = |span| program.sources.snippet(span).to_owned();
        program.edges.iter().map(|e| e.span.map(snippet)).collect()
    };
    assert_eq!(lines(&program), lines(&again));
    assert!(lines(&program).iter().any(Option::is_some));
}

#[test]
fn writing_replaces_what_an_earlier_program_left() {
    let text = "shared x: int = 0;\nprocess p { a: skip; b: skip; }\nerror: pc(p) = b;\n";
    let (first, _) = heddle_front::hd::read("first.hd", text).expect("a program");
    let mut second = first.clone();
    second.property.error = None;
    let folder = tempfile::tempdir().expect("a folder for the facts");
    facts::write(&first, folder.path()).expect("the folder can be written");
    facts::write(&second, folder.path()).expect("the folder can be written");
    let (read, _) = facts::read(folder.path()).expect("a program");
    assert!(read.property.error.is_none());
}
