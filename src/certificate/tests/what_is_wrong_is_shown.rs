//! Each way in which an invariant can fail is told apart, and shown with a state.

use heddle_certificate::{Accepted, Invariant, Refutation, Rejected, check, read, write};
use heddle_front::hd;
use heddle_program::Program;
use heddle_solver::{Limits, Reason, Undecided};
use std::time::Instant;

/// A process that starts another, waits for it, and asserts what it wrote.
const PROGRAM: &str = "
    shared x: int = 0;

    process q {
        q1: x := x + 1;
        q2: skip;
    }

    process p {
        p1: start q;
        p2: join q;
        p3: assert x > 0;
        p4: skip;
    }

    error: pc(p) = p4 && x < 0;
";

const INVARIANT: &str = "
    (define-fun a () Bool (! (= x 0) :at ((p p1) (q -))))
    (define-fun b () Bool (! (= x 0) :at ((p p2) (q q1))))
    (define-fun c () Bool (! (= x 1) :at ((q q2 L3))))
";

fn program() -> Program {
    hd::read("example.hd", PROGRAM).expect("a program").0
}

fn checked(text: &str) -> Result<Accepted, Rejected> {
    let program = program();
    let invariant = read(&program, text).unwrap_or_else(|errors| panic!("{errors:?}"));
    check(&program, &invariant, Limits::default())
}

fn refutation(text: &str) -> Refutation {
    match checked(text) {
        Err(Rejected::Refuted(refutation)) => *refutation,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_inductive_invariant_is_accepted() {
    let accepted = checked(INVARIANT).expect("it is inductive");
    assert_eq!(accepted.up_to, None);
    assert!(accepted.questions > 5);
}

#[test]
fn a_thread_that_runs_from_the_beginning_is_always_somewhere() {
    let text = "process p { a: skip; b: }\nerror: pc(p) != a && pc(p) != b;\n";
    let (program, _) = hd::read("example.hd", text).expect("a program");
    let invariant = read(&program, "(define-fun all () Bool true)").expect("an invariant");
    check(&program, &invariant, Limits::default()).expect("it is at `a` or at `b`");
}

#[test]
fn an_initial_state_outside_is_shown() {
    let text = INVARIANT.replace("(= x 0) :at ((p p1)", "(= x 5) :at ((p p1)");
    let Refutation::NotInitial(state) = refutation(&text) else {
        panic!("the start is missing");
    };
    let shown = state.describe(&program());
    assert_eq!(shown, "q not created, p at p1, x = 0");
}

#[test]
fn a_step_that_leads_out_is_shown_with_both_states() {
    let text = INVARIANT.replace("(= x 1)", "(= x 2)");
    let rejected = checked(&text).expect_err("x is 1");
    assert_eq!(rejected.summary(), "a step does not keep it");
    let shown = rejected.describe(&program());
    assert_eq!(
        shown,
        "`true -> x := x + 1` of q at example.hd:5:9 leads from: q at q1, p at p2, x = 0\n  \
           to: q at q2, p at p2, x = 1\n"
    );
}

#[test]
fn a_violated_assertion_is_shown() {
    let text = INVARIANT.replace("(= x 1)", "(>= x 0)");
    assert!(matches!(refutation(&text), Refutation::Violated { .. }));
}

#[test]
fn the_error_condition_must_be_excluded() {
    let text =
        format!("{INVARIANT} (define-fun d () Bool (! (= x (- 1)) :at ((p p4 L7) (q q2 L3))))");
    let Refutation::Error(state) = refutation(&text) else {
        panic!("x may be negative at p4");
    };
    assert!(state.describe(&program()).ends_with("x = -1"));
}

#[test]
fn no_cells_are_no_invariant() {
    assert!(matches!(refutation(""), Refutation::NotInitial(_)));
}

#[test]
fn all_states_are_inductive_but_exclude_nothing() {
    let text = "(define-fun all () Bool true)";
    assert!(matches!(refutation(text), Refutation::Violated { .. }));
}

#[test]
fn a_solver_out_of_time_accepts_nothing() {
    let program = program();
    let invariant = read(&program, INVARIANT).expect("well-formed");
    let rejected = check(&program, &invariant, Limits::until(Instant::now()));
    let Err(Rejected::Undecided { why, .. }) = rejected else {
        panic!("{rejected:?}");
    };
    assert_eq!(why, Undecided::Unknown(Reason::Time));
}

#[test]
fn every_mistake_in_a_text_is_reported_in_its_place() {
    let text = "\
(declare-const y Int)
(declare-const x Bool)
(define-fun a () Bool (! (> x 0) :at ((r p1))))
(define-fun b () Bool (! (> x 0) :at ((p p9))))
(define-fun c () Bool (! (+ x 0) :at ((p p1) (p p2))))
(define-fun d () Bool (! (+ x 0) :at ((p -))))
(define-fun e () Bool (+ x 0))
(check-sat)
";
    let errors = read(&program(), text).expect_err("many mistakes");
    let found: Vec<String> = errors
        .iter()
        .map(|error| format!("{}: {}", &text[error.range.clone()], error.message))
        .collect();
    assert_eq!(
        found,
        [
            "y: the program has no variable `y`",
            "Bool: `x` is of sort Int in the program",
            "r: the program has no thread `r`",
            "p9: `p` has no location `p9`",
            "p: `p` has a place already",
            "-: `p` has no location `-`",
            "(+ x 0): a term of sort Bool is expected here, not Int",
            "(check-sat): this is not part of an invariant",
        ]
    );
}

#[test]
fn places_count_beside_other_annotations() {
    let named = INVARIANT.replace(":at", ":named cell :at");
    assert!(checked(&named).is_ok());
    let named = INVARIANT.replace("))))", ")) :named cell))");
    assert!(checked(&named).is_ok());
    for text in [
        "(define-fun a () Bool (! true :at))",
        "(define-fun a () Bool (! true :at ((p p1)) :at ((p p2))))",
    ] {
        assert!(read(&program(), text).is_err(), "{text}");
    }
}

/// The entry of `p` has no label, and its number is 0.
#[test]
fn a_label_may_look_like_the_name_of_a_location_without_one() {
    let text = "shared x: int = 0; process p { x := 1; L0: assert x = 1; }";
    let (program, _) = hd::read("labels.hd", text).expect("a program");
    let invariant = "
        (define-fun before () Bool (! (= x 0) :at ((p |L0'|))))
        (define-fun after () Bool (! (= x 1) :at ((p L0 L2))))";
    let invariant = read(&program, invariant).expect("each location has one name");
    assert!(check(&program, &invariant, Limits::default()).is_ok());
    let written = write(&program, &invariant.terms, &invariant.cells);
    let again = read(&program, &written).expect("what was written can be read");
    let places = |invariant: &Invariant| -> Vec<_> {
        let cells = invariant.cells.iter();
        cells.map(|cell| cell.at.clone()).collect()
    };
    assert_eq!(places(&again), places(&invariant));
}

#[test]
fn a_string_in_a_command_is_only_text() {
    let noted = format!("(set-info :source \"by hand; see (notes\"){INVARIANT}");
    assert!(checked(&noted).is_ok());
    let unclosed = format!("(set-info :x \"foo)(define-fun a () Bool true){INVARIANT}");
    let errors = read(&program(), &unclosed).expect_err("the string is not closed");
    assert_eq!(errors[0].message, "this string is not closed");
    assert_eq!(errors[0].range, 13..14);
}

#[test]
fn no_text_makes_the_reader_panic() {
    let program = program();
    let mut random = fastrand::Rng::with_seed(3);
    let pieces = [
        "(",
        ")",
        "define-fun",
        "declare-const",
        "x",
        "Bool",
        "Int",
        "!",
        ":at",
        "p",
        "p1",
        "-",
        "|",
        "\"",
        ";",
        "\n",
        "true",
        "(- 1)",
        "()",
        "é",
        "\0",
    ];
    for _ in 0..3_000 {
        let text: String = (0..random.usize(..30))
            .flat_map(|_| [pieces[random.usize(..pieces.len())], " "])
            .collect();
        let _ = read(&program, &text);
        let mut damaged = INVARIANT.to_owned();
        let place = random.usize(..damaged.len());
        damaged.replace_range(place..place + 1, pieces[random.usize(..pieces.len())]);
        let _ = read(&program, &damaged);
    }
}
