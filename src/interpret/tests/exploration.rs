//! What exploration finds in small programs, and what it says about them.

use heddle_interpret::{
    Interleavings, NondetRange, Options, Order, Violation, explore, replay, table,
};
use heddle_program::{
    Bound, LocationId, Place, Program, ProgramBuilder, Scalar, Sort, Start, StateFormula,
    Statement, TermId, ThreadId, Update, VarId, Verdict,
};

fn verdict(program: &Program, options: &Options) -> Verdict {
    assert!(program.validate().is_empty(), "{:?}", program.validate());
    explore(program, options).verdict(program)
}

/// The verdict, which must not depend on how the program is explored.
fn every_verdict(program: &Program) -> Verdict {
    let mut verdicts = Vec::new();
    for order in [Order::DepthFirst, Order::BreadthFirst] {
        for interleavings in [Interleavings::All, Interleavings::Enough] {
            let options = Options {
                order,
                interleavings,
                ..Options::default()
            };
            verdicts.push(verdict(program, &options));
        }
    }
    verdicts.dedup();
    assert_eq!(verdicts.len(), 1, "{verdicts:?} for\n{program}");
    verdicts.remove(0)
}

struct Small {
    builder: ProgramBuilder,
}

impl Small {
    fn new() -> Small {
        Small {
            builder: ProgramBuilder::default(),
        }
    }

    fn int(&mut self, value: i128) -> TermId {
        self.builder.terms().int(value)
    }

    fn shared_int(&mut self, name: &str) -> VarId {
        let zero = self.int(0);
        self.builder.shared(name, Sort::Int).initial(zero).id()
    }

    fn thread(&mut self, name: &str) -> (ThreadId, LocationId) {
        let thread = self.builder.thread(name, Start::AtBeginning);
        (thread, self.builder.entry(thread))
    }

    fn equals(&mut self, variable: VarId, value: i128) -> TermId {
        let read = self.builder.read(variable);
        let value = self.int(value);
        self.builder.terms().eq(read, value)
    }

    /// `variable := variable + 1` as a read and a write.
    fn increment(&mut self, thread: ThreadId, from: LocationId, variable: VarId) -> LocationId {
        let local = self.builder.local(thread, "read", Sort::Int).id();
        let read = self.builder.read(variable);
        let middle = self.builder.step(from, Statement::assign(local, read));
        let (read, one) = (self.builder.read(local), self.int(1));
        let sum = self.builder.terms().add(read, one);
        self.builder.step(middle, Statement::assign(variable, sum))
    }

    fn lock(&mut self, from: LocationId, mutex: VarId) -> LocationId {
        let free = self.equals(mutex, 0);
        let one = self.int(1);
        let taken = vec![(Place::from(mutex), Update::Value(one))];
        self.builder.step(from, Statement::command(free, taken))
    }
}

/// Two threads add one to a counter without a lock; the sum is asserted after both.
fn lost_update(threads: usize) -> Program {
    let mut small = Small::new();
    let x = small.shared_int("x");
    let (_, mut location) = small.thread("main");
    let mut ids = Vec::new();
    for number in 0..threads {
        let thread = small.builder.thread(&format!("t{number}"), Start::ByCreate);
        let entry = small.builder.entry(thread);
        small.increment(thread, entry, x);
        ids.push(thread);
    }
    for &thread in &ids {
        location = small.builder.step(location, Statement::Create(thread));
    }
    for &thread in &ids {
        location = small.builder.step(location, Statement::Join(thread));
    }
    let all = small.equals(x, threads as i128);
    small
        .builder
        .step(location, Statement::assert(all, "no update is lost"));
    small.builder.finish()
}

#[test]
fn a_lost_update_is_found_and_its_shortest_trace_has_nine_steps() {
    let program = lost_update(2);
    assert_eq!(every_verdict(&program), Verdict::Unsafe);
    let options = Options {
        order: Order::BreadthFirst,
        interleavings: Interleavings::All,
        ..Options::default()
    };
    let trace = explore(&program, &options).violation.expect("unsafe");
    assert_eq!(trace.steps.len(), 9);
    let replayed = replay(&program, &trace).expect("a trace of this program");
    let text = table(&program, &trace, &replayed);
    assert!(text.starts_with("step | main"), "{text}");
    assert!(text.contains("violated: no update is lost"), "{text}");
    assert_eq!(text.matches("x = 1").count(), 1, "{text}");
}

#[test]
fn a_trace_that_leaves_out_a_step_is_refused_where_it_fails() {
    let program = lost_update(2);
    let trace = explore(&program, &Options::default())
        .violation
        .expect("unsafe");
    for left_out in 0..trace.steps.len() {
        let mut broken = trace.clone();
        broken.steps.remove(left_out);
        let error = replay(&program, &broken).expect_err("a step is missing");
        assert!(!error.describe(&program, &broken).is_empty());
    }
    let mut claims_a_deadlock = trace.clone();
    claims_a_deadlock.violation = Violation::Deadlock;
    assert!(replay(&program, &claims_a_deadlock).is_err());
}

#[test]
fn opposite_lock_orders_deadlock() {
    let mut small = Small::new();
    let (a, b) = (small.shared_int("a"), small.shared_int("b"));
    for (name, first, second) in [("p", a, b), ("q", b, a)] {
        let (_, entry) = small.thread(name);
        let holding = small.lock(entry, first);
        small.lock(holding, second);
    }
    let program = small.builder.finish();
    assert_eq!(every_verdict(&program), Verdict::Safe);
    let found = explore(&program, &Options::default());
    // Both runs that do not deadlock leave the locks taken, so nobody waits there either.
    assert!(found.deadlocks > 0);
    let options = Options {
        deadlock: true,
        ..Options::default()
    };
    assert_eq!(verdict(&program, &options), Verdict::Unsafe);
}

#[test]
fn a_false_assumption_is_no_deadlock() {
    let mut small = Small::new();
    let (_, entry) = small.thread("p");
    let no = small.builder.terms().bool(false);
    small.builder.step(entry, Statement::Assume(no));
    let program = small.builder.finish();
    assert_eq!(explore(&program, &Options::default()).deadlocks, 0);
}

#[test]
fn nothing_is_seen_inside_an_atomic_section() {
    for atomic in [true, false] {
        let mut small = Small::new();
        let (x, y) = (small.shared_int("x"), small.shared_int("y"));
        let (_, mut location) = small.thread("p");
        let one = small.int(1);
        if atomic {
            location = small.builder.step(location, Statement::AtomicBegin);
        }
        location = small.builder.step(location, Statement::assign(x, one));
        location = small.builder.step(location, Statement::assign(y, one));
        if atomic {
            small.builder.step(location, Statement::AtomicEnd);
        }
        let (x, y) = (small.builder.read(x), small.builder.read(y));
        let differ = small.builder.terms().ne(x, y);
        small.builder.error(StateFormula::Term(differ));
        let expected = if atomic {
            Verdict::Safe
        } else {
            Verdict::Unsafe
        };
        assert_eq!(every_verdict(&small.builder.finish()), expected);
    }
}

#[test]
fn a_guarded_step_writes_all_at_once() {
    let mut small = Small::new();
    let (x, y) = (small.shared_int("x"), small.shared_int("y"));
    let (_, entry) = small.thread("p");
    let one = small.int(1);
    let next = small.builder.step(entry, Statement::assign(x, one));
    let (old_x, old_y) = (small.builder.read(x), small.builder.read(y));
    let always = small.builder.terms().bool(true);
    let swap = vec![
        (Place::from(x), Update::Value(old_y)),
        (Place::from(y), Update::Value(old_x)),
    ];
    let next = small.builder.step(next, Statement::command(always, swap));
    let swapped = small.equals(y, 1);
    small
        .builder
        .step(next, Statement::assert(swapped, "swapped"));
    assert_eq!(every_verdict(&small.builder.finish()), Verdict::Safe);
}

fn any_value_is_small(sort: Sort) -> Program {
    let mut small = Small::new();
    let x = small.builder.shared("x", sort).id();
    let (_, entry) = small.thread("p");
    let read = small.builder.read(x);
    let terms = small.builder.terms();
    let is_small = match sort {
        Sort::BitVec(width) => {
            let limit = terms.bit_vec(width, 1);
            terms.bv_sle(read, limit)
        }
        _ => {
            let limit = terms.int(7);
            terms.le(read, limit)
        }
    };
    small.builder.step(entry, Statement::assert(is_small, ""));
    small.builder.finish()
}

#[test]
fn a_verdict_that_rests_on_a_range_is_not_safe() {
    let program = any_value_is_small(Sort::Int);
    assert_eq!(
        every_verdict(&program),
        Verdict::Unknown("safe for non-deterministic values in -2..2 only".into())
    );
    let options = Options {
        range: NondetRange { low: 0, high: 8 },
        ..Options::default()
    };
    assert_eq!(verdict(&program, &options), Verdict::Unsafe);
}

#[test]
fn a_range_that_covers_the_sort_is_no_restriction() {
    assert_eq!(
        every_verdict(&any_value_is_small(Sort::BitVec(2))),
        Verdict::Safe
    );
}

#[test]
fn values_that_nobody_reads_cost_nothing() {
    let mut small = Small::new();
    let sort = Sort::array(Scalar::Int, Scalar::Int, 1000);
    let array = small.builder.shared("a", sort).id();
    let (_, entry) = small.thread("p");
    let next = small.builder.step(entry, Statement::havoc(array));
    let index = small.int(500);
    let seven = small.int(7);
    let next = small
        .builder
        .step(next, Statement::assign(Place::Element(array, index), seven));
    let read = small.builder.read(array);
    let element = small.builder.terms().select(read, index);
    let same = small.builder.terms().eq(element, seven);
    small.builder.step(next, Statement::assert(same, ""));
    let program = small.builder.finish();
    assert_eq!(every_verdict(&program), Verdict::Safe);
    assert!(explore(&program, &Options::default()).states < 10);
}

#[test]
fn a_value_chosen_late_is_shown_where_it_came_into_being() {
    let mut small = Small::new();
    let x = small.builder.shared("x", Sort::BitVec(8)).id();
    let (_, entry) = small.thread("p");
    let next = small.builder.step(entry, Statement::havoc(x));
    let next = small.builder.step(next, Statement::Skip);
    let read = small.builder.read(x);
    let zero = small.builder.terms().bit_vec(8, 0);
    let is_zero = small.builder.terms().eq(read, zero);
    small.builder.step(next, Statement::assert(is_zero, ""));
    let program = small.builder.finish();
    let trace = explore(&program, &Options::default())
        .violation
        .expect("unsafe");
    let chosen = trace.steps[0].choices[0];
    assert_ne!(chosen, heddle_program::Constant::bit_vec(8, 0));
}

#[test]
fn safety_up_to_a_bound_is_not_safety() {
    let mut small = Small::new();
    let (_, entry) = small.thread("p");
    let bound = Statement::BoundReached("f calls itself more than 5 times".into());
    small.builder.step(entry, bound);
    let unnamed = small.builder.clone().finish();
    assert_eq!(
        every_verdict(&unnamed),
        Verdict::Unknown("f calls itself more than 5 times".into())
    );
    small.builder.bound(Bound(5));
    assert_eq!(
        every_verdict(&small.builder.finish()),
        Verdict::SafeUpTo(Bound(5))
    );
}

#[test]
fn what_cannot_be_executed_is_not_safe() {
    let mut small = Small::new();
    let x = small.shared_int("x");
    let (_, entry) = small.thread("p");
    let (one, read) = (small.int(1), small.builder.read(x));
    let quotient = small.builder.terms().div(one, read);
    let positive = small.builder.terms().lt(quotient, one);
    small.builder.step(entry, Statement::Assume(positive));
    assert_eq!(
        every_verdict(&small.builder.finish()),
        Verdict::Unknown("an integer is divided by zero".into())
    );
}

#[test]
fn limits_stop_the_search_and_say_so() {
    let program = lost_update(4);
    let options = Options {
        max_states: Some(3),
        ..Options::default()
    };
    assert_eq!(
        verdict(&program, &options),
        Verdict::Unknown("stopped after 3 states".into())
    );
}

#[test]
fn a_huge_range_of_values_does_not_outrun_the_time() {
    let program = any_value_is_small(Sort::Int);
    let options = Options {
        range: NondetRange {
            low: i64::MIN,
            high: 0,
        },
        timeout: Some(std::time::Duration::from_millis(50)),
        ..Options::default()
    };
    assert_eq!(
        verdict(&program, &options),
        Verdict::Unknown("timeout after 0.05 s".into())
    );
}

/// `p` goes to a location that the error condition forbids `q` to be at the end without.
#[test]
fn a_private_step_into_an_observed_location_is_seen() {
    let mut small = Small::new();
    let (p, entry) = small.thread("p");
    let middle = small.builder.step(entry, Statement::Skip);
    let (q, entry) = small.thread("q");
    let end = small.builder.step(entry, Statement::Skip);
    let elsewhere = StateFormula::Not(Box::new(StateFormula::At(p, middle)));
    let formula = StateFormula::And(vec![elsewhere, StateFormula::At(q, end)]);
    small.builder.error(formula);
    assert_eq!(every_verdict(&small.builder.finish()), Verdict::Unsafe);
}

#[test]
fn a_private_loop_does_not_keep_the_others_from_running() {
    let mut small = Small::new();
    let (_, entry) = small.thread("p");
    small.builder.edge(entry, Statement::Skip, entry);
    let (_, entry) = small.thread("q");
    let no = small.builder.terms().bool(false);
    small.builder.step(entry, Statement::assert(no, ""));
    assert_eq!(every_verdict(&small.builder.finish()), Verdict::Unsafe);
}
