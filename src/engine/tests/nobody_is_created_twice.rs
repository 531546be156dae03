//! What a program means that creates a thread again is not defined: no engine calls it safe,
//! and a violation that comes before is still found.

use fastrand::Rng;
use heddle_engine::schedule;
use heddle_engine::slice::checker::{Checker, Explore, Schedule};
use heddle_engine::slice::{self, Exclude};
use heddle_interpret::explore;
use heddle_program::{Program, Verdict};
use std::fmt::Write;

fn read(text: &str) -> Program {
    match heddle_front::hd::read("twice.hd", text) {
        Ok((program, _)) => program,
        Err(report) => panic!("{report:?}\n{text}"),
    }
}

fn scheduling() -> schedule::Options {
    schedule::Options::new(heddle_datalog::theory::built_in("sc_blocks").unwrap())
}

/// What `explore`, `schedule` and `slice` in all its forms say.
fn verdicts(program: &Program) -> Vec<(&'static str, Verdict)> {
    let exploring = heddle_interpret::Options::default();
    let mut verdicts = vec![("explore", explore(program, &exploring).verdict(program))];
    let scheduled = schedule::check(program, &scheduling(), &mut ()).unwrap();
    verdicts.push(("schedule", scheduled.verdict));
    let options = slice::Options {
        keep: None,
        depth: 0,
        exclude: Exclude::Orders,
        deadline: None,
    };
    let in_solver = slice::check_in_solver(program, &options, &scheduling(), &mut ()).unwrap();
    verdicts.push(("slice by links", in_solver.verdict));
    let mut with_schedule = Schedule::new(scheduling());
    let mut with_explore = Explore { options: exploring };
    let checkers: [(&str, &mut dyn Checker); 2] = [
        ("slice with schedule", &mut with_schedule),
        ("slice with explore", &mut with_explore),
    ];
    for (name, checker) in checkers {
        let sliced = slice::check(program, &options, checker, &mut ()).unwrap();
        verdicts.push((name, sliced.verdict));
    }
    verdicts
}

fn is_created_twice(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(reason) if reason.contains("is created twice"))
}

#[track_caller]
fn nobody_calls_it_safe(text: &str) {
    for (engine, verdict) in verdicts(&read(text)) {
        assert!(is_created_twice(&verdict), "{engine}: {verdict}\n{text}");
    }
}

#[track_caller]
fn everybody_says(expected: &Verdict, text: &str) {
    for (engine, verdict) in verdicts(&read(text)) {
        assert_eq!(&verdict, expected, "{engine}\n{text}");
    }
}

#[test]
fn by_two_starts_of_one_process() {
    nobody_calls_it_safe(
        "shared x: int = 0;
         process m { a: start q; if x < 5 { b: start q; } c: assert x != 2; }
         process q { l: x := x + 1; }
         error: x > 1;",
    );
}

#[test]
fn by_a_start_in_a_loop() {
    nobody_calls_it_safe(
        "shared x: int = 0;
         process m { while x < 3 { start q; x := x + 1; } }
         process q { skip; }
         error: x > 3;",
    );
}

#[test]
fn what_comes_behind_is_not_looked_at() {
    nobody_calls_it_safe("process m { start q; start q; assert false; } process q { skip; }");
}

#[test]
fn by_two_processes_that_may_both_start_it() {
    nobody_calls_it_safe(
        "shared x: int = 0;
         process m { start q; }
         process n { if x = 1 { start q; } }
         process q { x := 1; }",
    );
}

#[test]
fn by_itself() {
    nobody_calls_it_safe("process m { start q; } process q { start q; }");
}

#[test]
fn inside_of_an_atomic_block() {
    nobody_calls_it_safe(
        "shared x: int = 0;
         process m { start q; atomic { x := 1; start q; } }
         process q { skip; }
         process n { l: skip; }
         error: pc(n) = l && x = 2;",
    );
}

#[test]
fn a_violation_before_it_is_found() {
    everybody_says(
        &Verdict::Unsafe,
        "process m { start q; start q; } process q { assert false; }",
    );
    everybody_says(
        &Verdict::Unsafe,
        "shared x: int = 0;
         process m { start q; atomic { x := 1; start q; } }
         process q { assert x = 1; }",
    );
}

#[test]
fn where_it_never_happens_the_program_is_safe() {
    everybody_says(
        &Verdict::Safe,
        "shared x: bool = false;
         process m { if x { start q; } else { x := true; } if !x { start q; } }
         process q { assert x; }",
    );
    everybody_says(
        &Verdict::Safe,
        "shared turn: bool = false, x: bool = false;
         process m { if turn { start q; } }
         process n { if !turn { start q; } }
         process q { x := true; assert x; }",
    );
}

/// Which of the two is started first is not known before both have been looked at.
#[test]
fn processes_that_start_each_other_may_begin_with_either() {
    for first in ["q", "r"] {
        everybody_says(
            &Verdict::Unsafe,
            &format!(
                "shared x: bool = false, y: bool = false;
                 process m {{ start {first}; }}
                 process q {{ x := true; assert !y; if !y {{ start r; }} }}
                 process r {{ y := true; assert !x; if !x {{ start q; }} }}"
            ),
        );
    }
}

/// Few steps, many of which start a process.
fn random_starts(rng: &mut Rng) -> String {
    let mut text = String::from("shared x, y: bv2 = 0;\n");
    for process in ["m", "n", "q", "r"] {
        let _ = write!(text, "process {process} {{ ");
        for _ in 0..rng.usize(1..4) {
            let (x, y) = if rng.bool() { ("x", "y") } else { ("y", "x") };
            let number = rng.u8(..4);
            let start = if rng.bool() { "start q;" } else { "start r;" };
            let _ = match rng.u8(..9) {
                0 | 1 => write!(text, "{start} "),
                2 => write!(text, "if {x} = {number} {{ {start} }} "),
                3 => write!(text, "atomic {{ {x} := {y} + 1; {start} }} "),
                4 => write!(
                    text,
                    "choose {{ {start} }} or {{ {x} := {number}; {start} }} "
                ),
                5 => write!(text, "assert {x} != {number} || {y} = 0; "),
                6 => write!(text, "{x} := {y} + 1; "),
                7 => write!(text, "{x} := {number}; "),
                _ => write!(text, "await {x} = {y}; "),
            };
        }
        text.push_str("}\n");
    }
    // Somebody starts each of them, so that they do not run from the beginning.
    text.push_str("process never { await x != x; start q; start r; }\n");
    text
}

#[test]
fn random_programs_have_the_verdict_of_exploring() {
    let mut rng = Rng::with_seed(1);
    let mut counts = [0; 3];
    for _ in 0..150 {
        let text = random_starts(&mut rng);
        let verdicts = verdicts(&read(&text));
        let (_, explored) = &verdicts[0];
        let kind = match explored {
            Verdict::Safe => 0,
            Verdict::Unsafe => 1,
            other if is_created_twice(other) => 2,
            other => panic!("{other}\n{text}"),
        };
        counts[kind] += 1;
        for (engine, verdict) in &verdicts {
            match explored {
                Verdict::Safe | Verdict::Unsafe => {
                    assert_eq!(verdict, explored, "{engine}\n{text}")
                }
                _ => assert!(is_created_twice(verdict), "{engine}: {verdict}\n{text}"),
            }
        }
    }
    assert!(counts.iter().all(|&count| count >= 15), "{counts:?}");
}
