//! Printing a program as `.hd` and reading that again changes no verdict.

use heddle_front::{hd, load};
use heddle_interpret::{Interleavings, Options, Order, explore};
use heddle_program::{
    ArraySort, Program, ProgramBuilder, Scalar, Sort, Start, Statement, Update, Verdict,
};
use std::path::Path;

mod random;

/// Whether the program leaves no value open: then the number of its states means something.
fn is_closed(program: &Program) -> bool {
    let open = |statement: &Statement| match statement {
        Statement::Havoc { .. } => true,
        Statement::Guarded { updates, .. } => {
            updates.iter().any(|(_, update)| *update == Update::Any)
        }
        _ => false,
    };
    program.edges.iter().all(|edge| !open(&edge.statement))
        && program
            .variables
            .iter()
            .all(|variable| variable.initial.is_some())
}

/// The verdict, and the number of states where that is a property of the program.
fn verdict(program: &Program, max_states: u64) -> (Verdict, Option<u64>) {
    let options = Options {
        order: Order::BreadthFirst,
        interleavings: Interleavings::All,
        max_states: Some(max_states),
        ..Options::default()
    };
    let exploration = explore(program, &options);
    let states = is_closed(program).then_some(exploration.states);
    (exploration.verdict(program), states)
}

fn read(text: &str) -> Program {
    match hd::read("program.hd", text) {
        Ok((program, _)) => program,
        Err(report) => panic!("{report}\n{text}"),
    }
}

/// The program read from its own text, which is checked on the way.
fn through_text(program: &Program) -> Program {
    let text = hd::print(program);
    let again = read(&text);
    let problems = again.validate();
    assert!(problems.is_empty(), "{problems:?}\n{text}");
    // Sides may be swapped, `0 < x` for `x > 0`: terms do not say how they were written.
    let second = hd::print(&again);
    let problems = read(&second).validate();
    assert!(problems.is_empty(), "{problems:?}\n{second}");
    again
}

#[test]
fn examples_keep_their_verdicts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples");
    let mut count = 0;
    for folder in std::fs::read_dir(root).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            // A certificate that goes with a program.
            if path.extension().is_some_and(|ending| ending == "smt2") {
                continue;
            }
            let (program, _) = match load(&path, &Default::default()) {
                Ok(loaded) => loaded,
                Err(report) => panic!("{report}"),
            };
            let again = through_text(&program);
            assert_eq!(
                verdict(&program, 2000),
                verdict(&again, 2000),
                "{}\n{}",
                path.display(),
                hd::print(&program)
            );
            count += 1;
        }
    }
    assert!(count > 80, "{count} examples");
}

#[test]
fn arrays_of_constants_are_written_so_that_their_type_is_seen() {
    let mut builder = ProgramBuilder::default();
    let sort = ArraySort {
        index: Scalar::Int,
        element: Scalar::Bool,
        length: 2,
    };
    let p = builder.thread("p", Start::AtBeginning);
    let x = builder.shared("x", Sort::Int).id();
    let x = builder.read(x);
    let terms = builder.terms();
    let (yes, no) = (terms.bool(true), terms.bool(false));
    let (zero, one) = (terms.int(0), terms.int(1));
    let all = terms.const_array(sort, yes);
    let none = terms.const_array(sort, no);
    let first = terms.store(none, zero, yes);
    let also_first = terms.store(all, one, no);
    let some = terms.store(none, x, yes);
    let equal = terms.eq(first, also_first);
    let is_first = terms.eq(first, some);
    let in_range = [terms.le(zero, x), terms.le(x, one)];
    let element = terms.select(first, x);
    let in_range = terms.and(&in_range);
    let agree = terms.eq(is_first, element);
    let entry = builder.entry(p);
    let next = builder.step(entry, Statement::command(in_range, Vec::new()));
    let next = builder.step(next, Statement::assert(equal, "equal"));
    builder.step(next, Statement::command(agree, Vec::new()));
    builder.step(next, Statement::assert(is_first, "first"));
    let program = builder.finish();
    let text = hd::print(&program);
    assert!(!text.contains("fill"), "{text}");
    let again = through_text(&program);
    assert_eq!(verdict(&program, 100).0, Verdict::Unsafe);
    assert_eq!(verdict(&again, 100), verdict(&program, 100));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1000))]

    #[test]
    fn random_programs_keep_their_verdicts(text in random::program()) {
        let program = read(&text);
        let again = through_text(&program);
        let expected = verdict(&program, 20_000);
        if !matches!(expected.0, Verdict::Unknown(_)) {
            proptest::prop_assert_eq!(
                expected,
                verdict(&again, 100_000),
                "{}\n{}",
                text,
                hd::print(&program)
            );
        }
    }
}
