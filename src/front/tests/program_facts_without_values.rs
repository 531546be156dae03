//! An index outside of its array and a division by zero make the verdict unknown, where and only
//! where they are evaluated.

use heddle_front::facts;
use heddle_interpret::{Interleavings, Options, explore};
use heddle_program::{Program, Verdict};
use std::fs;

/// Two threads: `p` goes from `a` over `b` to `c` by the edges `e1` and `e2`, and `q` sets `i`,
/// which is 0, to 5. The array `A` has two elements, and `L` is one of `p` alone.
const COMMON: [(&str, &str); 6] = [
    ("thread.facts", "p\ta\tbeginning\nq\ta\tbeginning\n"),
    ("location.facts", "p\ta\np\tb\np\tc\nq\ta\nq\tb\n"),
    (
        "variable.facts",
        "A\t(Array Int Int)\t2\nL\t(Array Int Int)\t2\ni\tInt\t0\nx\tInt\t0\np.k\tInt\t0\n",
    ),
    ("local.facts", "L\tp\np.k\tp\n"),
    (
        "initial.facts",
        "A\t((as const (Array Int Int)) 0)\nL\t((as const (Array Int Int)) 0)\n\
         i\t0\nx\t0\np.k\t0\n",
    ),
    ("edge.facts", "e1\tp\ta\tb\ne2\tp\tb\tc\nf1\tq\ta\tb\n"),
];

const SET: (&str, &str) = ("assign.facts", "f1\ti\t-\t5\n");

/// The program of the common files and these. Files of the same name are joined.
fn program(files: &[(&str, &str)]) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    for &(name, text) in COMMON.iter().chain(files) {
        let path = folder.path().join(name);
        let earlier = fs::read_to_string(&path).unwrap_or_default();
        fs::write(path, earlier + text).expect("a file");
    }
    match facts::read(folder.path()) {
        Ok((program, _)) => {
            let problems = program.validate();
            assert!(problems.is_empty(), "{problems:?}");
            program
        }
        Err(report) => panic!("{report}"),
    }
}

fn verdict(program: &Program) -> Verdict {
    let [all, enough] = [Interleavings::All, Interleavings::Enough].map(|interleavings| {
        let options = Options {
            interleavings,
            ..Options::default()
        };
        explore(program, &options).verdict(program)
    });
    assert_eq!(all, enough);
    all
}

#[track_caller]
fn assert_unknown(files: &[(&str, &str)], place: &str, mistake: &str) {
    match verdict(&program(files)) {
        Verdict::Unknown(reason) => {
            assert!(reason.contains(&format!("{place}:1: edge")), "{reason}");
            assert!(reason.ends_with(mistake), "{reason}");
        }
        other => panic!("{other}"),
    }
}

#[track_caller]
fn assert_safe(files: &[(&str, &str)]) {
    assert_eq!(verdict(&program(files)), Verdict::Safe);
}

const INDEX: &str = "uses an index outside of its array";
const DIVISION: &str = "divides by zero";

#[test]
fn an_update_of_a_guarded_step_is_evaluated_if_the_guard_holds() {
    let update = ("update.facts", "e1\t0\tx\t-\t(select A i)\n");
    let always = ("guard.facts", "e1\ttrue\n");
    assert_unknown(&[SET, always, update], "guard.facts:1", INDEX);
    assert_safe(&[SET, ("guard.facts", "e1\t(< i 2)\n"), update]);
    assert_unknown(
        &[SET, ("guard.facts", "e1\t(< i 6)\n"), update],
        "guard.facts:1",
        INDEX,
    );
    let division = ("update.facts", "e1\t0\tx\t-\t(div 10 (- 5 i))\n");
    assert_unknown(&[SET, always, division], "guard.facts:1", DIVISION);
}

#[test]
fn a_guard_is_evaluated_whenever_it_is_looked_at() {
    let guard = ("guard.facts", "e1\t(= (mod 7 (- 5 i)) 9)\n");
    assert_unknown(&[SET, guard], "guard.facts:1", DIVISION);
}

#[test]
fn every_kind_of_step_is_looked_at() {
    let cases = [
        ("assign.facts", "e1\tp.k\t-\t(select L i)\n", INDEX),
        ("assign.facts", "e1\tL\ti\t7\n", INDEX),
        ("assign.facts", "e1\tp.k\t-\t(div 3 (- i 5))\n", DIVISION),
        ("havoc.facts", "e1\tL\ti\n", INDEX),
        ("assume.facts", "e1\t(= (select L i) 0)\n", INDEX),
        ("assert.facts", "e1\t(= (select L i) 0)\tm\n", INDEX),
    ];
    for (file, row, mistake) in cases {
        let place = match file {
            "assign.facts" => "assign.facts:2",
            _ => &format!("{file}:1"),
        };
        assert_unknown(&[SET, (file, row)], place, mistake);
        // It is the value 5 that none of them can do with.
        assert_safe(&[("assign.facts", "f1\ti\t-\t1\n"), (file, row)]);
    }
}

#[test]
fn a_term_that_does_not_matter_needs_no_value() {
    for condition in [
        "(and (>= i 0) (< i 2) (= (select L i) 7))",
        "(=> (and (= (select L i) 7) (< i 2)) (= i 5))",
        "(or (= i 5) (= (select L i) 0))",
        "(= (ite (= i 5) 0 (select L i)) 0)",
        "(= (ite (< i 2) (select L i) 0) 0)",
    ] {
        assert_safe(&[SET, ("assume.facts", &format!("e1\t{condition}\n"))]);
    }
}

#[test]
fn nobody_goes_on_with_a_value_that_there_is_not() {
    let files = [
        SET,
        ("assign.facts", "e1\tp.k\t-\t(select L i)\n"),
        // It would fail with any other value than those that `L` has.
        ("assert.facts", "e2\t(= p.k 0)\tm\n"),
    ];
    assert_unknown(&files, "assign.facts:2", INDEX);
}

#[test]
fn steps_inside_of_an_atomic_section_are_looked_at() {
    let section = [
        ("location.facts", "p\tin\np\tdone\n"),
        ("edge.facts", "e3\tp\tc\tin\ne4\tp\tin\tdone\n"),
        ("atomic_begin.facts", "e1\n"),
        ("atomic_end.facts", "e3\n"),
        SET,
        ("assign.facts", "e2\tx\t-\t(select A i)\n"),
    ];
    assert_unknown(&section, "assign.facts:2", INDEX);
}

#[test]
fn what_was_checked_before_is_not_checked_again() {
    let plain = program(&[]).edges.len();
    let checked = [
        ("assume.facts", "e1\t(and (<= 0 p.k) (< p.k 2))\n"),
        ("assign.facts", "e2\tL\tp.k\t3\n"),
    ];
    assert_eq!(program(&checked).edges.len(), plain);
    let narrower = [
        ("assert.facts", "e1\t(and (< 0 p.k) (not (<= 1 p.k)))\tm\n"),
        ("assign.facts", "e2\tL\tp.k\t(div 3 p.k)\n"),
    ];
    assert_eq!(program(&narrower).edges.len(), plain);
    let halved = [
        ("assume.facts", "e1\t(< p.k 2)\n"),
        ("assign.facts", "e2\tL\tp.k\t3\n"),
    ];
    assert_eq!(program(&halved).edges.len(), plain + 2);
}

#[test]
fn what_another_thread_may_have_changed_is_checked_again() {
    let files = [
        SET,
        ("assume.facts", "e1\t(and (<= 0 i) (< i 2))\n"),
        ("assign.facts", "e2\tL\ti\t3\n"),
    ];
    assert_unknown(&files, "assign.facts:2", INDEX);
}

#[test]
fn what_the_thread_itself_has_changed_is_checked_again() {
    let files = [
        ("guard.facts", "e1\t(and (<= 0 p.k) (< p.k 2))\n"),
        ("update.facts", "e1\t0\tp.k\t-\t7\n"),
        ("assign.facts", "e2\tL\tp.k\t3\n"),
    ];
    assert_unknown(&files, "assign.facts:1", INDEX);
}

#[test]
fn what_holds_on_one_of_two_ways_only_is_checked_again() {
    let files = [
        ("edge.facts", "e3\tp\ta\tb\n"),
        ("assume.facts", "e1\t(and (<= 0 p.k) (< p.k 2))\n"),
        ("assign.facts", "e3\tp.k\t-\t7\ne2\tL\tp.k\t3\n"),
    ];
    assert_unknown(&files, "assign.facts:2", INDEX);
}

#[test]
fn a_bound_of_the_program_does_not_stand_for_a_missing_value() {
    let bound = ("bound.facts", "3\n");
    let wrong = ("assign.facts", "e1\tL\t5\t7\n");
    assert_unknown(&[bound, wrong], "assign.facts:1", INDEX);
}

#[test]
fn an_error_condition_without_a_value_counts_as_an_error() {
    let error = |condition: &'static str| verdict(&program(&[SET, ("error.facts", condition)]));
    assert_eq!(error("(= (select A i) 7)\n"), Verdict::Unsafe);
    assert_eq!(error("(not (= (select A i) 0))\n"), Verdict::Unsafe);
    let at = error("(and (at q b) (at p b) (= (select A i) 7))\n");
    assert_eq!(at, Verdict::Unsafe);
    assert_eq!(error("(and (at q a) (= (select A i) 7))\n"), Verdict::Safe);
    let decided = error("(not (or (at q b) (= (select A i) 0)))\n");
    assert_eq!(decided, Verdict::Safe);
}

#[test]
fn checks_that_were_written_are_not_inserted_again() {
    let update = ("update.facts", "e1\t0\tx\t-\t(select A i)\n");
    let program = program(&[SET, ("guard.facts", "e1\ttrue\n"), update]);
    let folder = tempfile::tempdir().expect("a folder");
    facts::write(&program, folder.path()).expect("the folder can be written");
    let (again, _) = facts::read(folder.path()).expect("what was written can be read");
    assert_eq!(again.edges.len(), program.edges.len());
    assert_eq!(verdict(&again), verdict(&program));
}
