//! A part of an atomic section that several sections of a thread lead to: what comes between two
//! of them is in neither, and `schedule` says what exploration says.

use heddle_engine::schedule::{Options, check};
use heddle_interpret::explore;
use heddle_program::Verdict;

const DECLARATIONS: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
void reach_error(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
";

#[track_caller]
fn assert_verdict(text: &str, expected: &Verdict) {
    let text = format!("{DECLARATIONS}{text}");
    let (program, _) = heddle_front::c::translate("small.i", &text, &Default::default()).unwrap();
    let explored = explore(&program, &heddle_interpret::Options::default());
    assert_eq!(&explored.verdict(&program), expected, "by exploration");
    for model in ["sc_blocks", "sc"] {
        let options = Options::new(heddle_datalog::theory::built_in(model).unwrap());
        let outcome = check(&program, &options, &mut ()).unwrap();
        assert_eq!(&outcome.verdict, expected, "with {model}");
    }
}

/// Main reads `x` once while the thread runs.
fn main_reads_x(thread: &str) -> String {
    format!(
        "int x, i, a[2];
void *t(void *arg) {{ {thread} return 0; }}
int main() {{
  pthread_t h;
  pthread_create(&h, 0, t, 0);
  i = 1;
  int r = x;
  pthread_join(h, 0);
  if (r != 0) reach_error();
  return 0;
}}"
    )
}

#[test]
fn where_an_index_is_out_of_bounds() {
    let thread = "__VERIFIER_atomic_begin(); a[i] = 1; x = 1; __VERIFIER_atomic_end();
        __VERIFIER_atomic_begin(); a[i] = 2; x = 0; __VERIFIER_atomic_end();";
    assert_verdict(&main_reads_x(thread), &Verdict::Unsafe);
    let as_one = thread.replacen("__VERIFIER_atomic_end();", "", 1);
    let as_one = as_one.replace("\n        __VERIFIER_atomic_begin();", "");
    assert_verdict(&main_reads_x(&as_one), &Verdict::Safe);
}

#[test]
fn in_the_rounds_of_a_loop() {
    let thread = "for (int k = 0; k < 2; k++) {
        __VERIFIER_atomic_begin(); a[i] = 1; x = 1 - x; __VERIFIER_atomic_end();
    }";
    assert_verdict(&main_reads_x(thread), &Verdict::Unsafe);
}

#[test]
fn after_a_loop_that_is_left_inside_of_a_section() {
    let thread = "for (int k = 0;; k++) {
        __VERIFIER_atomic_begin();
        if (k == 2 || i == 2) break;
        x = 1 - x;
        __VERIFIER_atomic_end();
    }
    a[0] = x;
    __VERIFIER_atomic_end();";
    assert_verdict(&main_reads_x(thread), &Verdict::Unsafe);
    let unseen = thread.replace("x = 1 - x;", "x = 1; x = 0;");
    assert_verdict(&main_reads_x(&unseen), &Verdict::Safe);
}

#[test]
fn on_one_of_two_branches() {
    let thread = "__VERIFIER_atomic_begin();
    if (i == 1) goto tail;
    x = 1;
    __VERIFIER_atomic_end();
    __VERIFIER_atomic_begin();
    tail: x = 0;
    a[0] = 1;
    __VERIFIER_atomic_end();";
    assert_verdict(&main_reads_x(thread), &Verdict::Unsafe);
}
