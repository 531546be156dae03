//! A front end may write terms that are nested deeply, or that share their parts by `let`: neither
//! the stack nor time is spent on that.

mod reach_engines;

use heddle_engine::{matching, reach};
use heddle_program::{Program, ProgramBuilder, Sort, Start, Statement, Verdict};
use heddle_solver::Limits;
use reach_engines::{ABSTRACTIONS, ENGINES};
use std::time::{Duration, Instant};

/// A thread that asserts the condition, where `x` is 0.
fn asserting(condition: &str) -> Program {
    let mut builder = ProgramBuilder::default();
    let zero = builder.terms().int(0);
    builder.shared("x", Sort::Int).initial(zero);
    let thread = builder.thread("p", Start::AtBeginning);
    let entry = builder.entry(thread);
    let condition = builder.terms().parse(condition, Some(Sort::Bool));
    let condition = condition.expect("a condition");
    builder.step(entry, Statement::assert(condition, "asserted"));
    builder.finish()
}

/// The verdicts of the engines that take conditions apart.
fn verdicts(program: &Program) -> Vec<Verdict> {
    let deadline = Instant::now() + Duration::from_secs(60);
    let options = matching::Options {
        deadline: Some(deadline),
        ..matching::Options::default()
    };
    let mut verdicts = vec![matching::check(program, &options, &mut ()).verdict];
    for (engine, abstraction) in ENGINES.into_iter().zip(ABSTRACTIONS.into_iter().cycle()) {
        let options = reach::Options {
            abstraction,
            limits: Limits::until(deadline),
            ..reach::Options::default()
        };
        verdicts.push(engine.check(program, options).verdict);
    }
    verdicts
}

#[test]
fn conditions_may_be_nested_deeply() {
    let depth = 20_000;
    let (open, close) = ("(and (= x 0) (or (= x 1) ", "))");
    for (inside, expected) in [("true", Verdict::Safe), ("false", Verdict::Unsafe)] {
        let program = asserting(&format!(
            "{}{inside}{}",
            open.repeat(depth),
            close.repeat(depth)
        ));
        for verdict in verdicts(&program) {
            assert_eq!(verdict, expected);
        }
    }
}

#[test]
fn a_sum_whose_parts_are_shared_is_added_up_part_by_part() {
    let depth = 60;
    let names = (1..depth).map(|n| format!("(let ((a{n} (+ a{m} a{m}))) ", m = n - 1));
    let names: String = names.collect();
    let last = depth - 1;
    for (sum, expected) in [("0", Verdict::Safe), ("1", Verdict::Unsafe)] {
        let close = ")".repeat(depth);
        let program = asserting(&format!("(let ((a0 x)) {names}(= a{last} {sum}){close}"));
        for verdict in verdicts(&program) {
            assert_eq!(verdict, expected);
        }
    }
}
