//! Random programs with two threads, small enough to try every interleaving of every access.

use fastrand::Rng;
use std::fmt::Write as _;

const SHARED: [&str; 3] = ["x", "y", "z"];

/// A program that ends in an error if the shared variables have one of all possible values in
/// the end, or if an assertion on the way there fails.
pub(crate) fn random_threads(rng: &mut Rng) -> String {
    let mut text = String::from(
        "#include <pthread.h>
#include <assert.h>
int x, y = 1, z;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
",
    );
    for name in ["f", "g"] {
        let _ = writeln!(
            text,
            "void *{name}(void *argument) {{\n  int l = 1, n = 0;\n  int *p = &x;"
        );
        let mut writer = Writer {
            rng,
            text: &mut text,
            depth: 1,
            held: false,
            statements: 0,
        };
        let most = writer.rng.u32(2..6);
        while writer.statements < most {
            writer.statement();
        }
        text += "  return 0;\n}\n";
    }
    let (a, b) = (rng.i32(0..3), rng.i32(0..4));
    let (first, second) = (SHARED[rng.usize(..2)], SHARED[rng.usize(1..3)]);
    let _ = write!(
        text,
        "int main(void) {{
  pthread_t t, u;
  pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert({first} != {a} || ({second} & 2) != ({b} & 2));
}}
"
    );
    text
}

struct Writer<'a> {
    rng: &'a mut Rng,
    text: &'a mut String,
    depth: usize,
    /// Whether the mutex is held, or an atomic section entered: neither is nested.
    held: bool,
    statements: u32,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth);
    }

    fn shared(&mut self) -> &'static str {
        SHARED[self.rng.usize(..SHARED.len())]
    }

    fn place(&mut self) -> String {
        match self.rng.u8(..6) {
            0 => "l".to_owned(),
            1 => "*p".to_owned(),
            _ => self.shared().to_owned(),
        }
    }

    fn operand(&mut self) -> String {
        match self.rng.u8(..4) {
            0 => self.rng.i32(0..3).to_string(),
            _ => self.place(),
        }
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.operand(), self.operand());
        match self.rng.u8(..8) {
            0..=2 => a,
            3 => format!("{a} + {b}"),
            4 => format!("{a} ^ {b}"),
            5 => format!("({a} ? {b} : 2)"),
            6 => format!("({a} && {b})"),
            _ => format!("({a} == {b})"),
        }
    }

    fn block(&mut self, head: &str, tail: &str) {
        self.line(head);
        self.depth += 1;
        for _ in 0..self.rng.u32(1..3) {
            self.statement();
        }
        self.depth -= 1;
        self.line(tail);
    }

    fn statement(&mut self) {
        self.statements += 1;
        let (place, value) = (self.place(), self.expression());
        let choices = if self.depth > 2 { 8 } else { 15 };
        match self.rng.u8(..choices) {
            0..=2 => self.line(&format!("{place} = {value};")),
            3 => self.line(&format!("{place}++;")),
            4 => {
                let shared = self.shared();
                self.line(&format!("p = {value} ? &{shared} : &y;"));
            }
            5 => {
                let shared = self.shared();
                self.line(&format!("l = __sync_fetch_and_add(&{shared}, {value});"));
            }
            6 => {
                let shared = self.shared();
                self.line(&format!(
                    "l = __sync_bool_compare_and_swap(&{shared}, l, {value});"
                ));
            }
            7 => self.line(&format!("l = {value};")),
            8 => self.line(&format!("__VERIFIER_assume({value} || l);")),
            9..=10 => {
                self.block(&format!("if ({value}) {{"), "} else {");
                self.depth += 1;
                self.statement();
                self.depth -= 1;
                self.line("}");
            }
            11 => self.block(&format!("for (n = 0; n < 2 && {value}; n++) {{"), "}"),
            12 if !self.held => {
                self.held = true;
                self.block("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);");
                self.held = false;
            }
            13 if !self.held => {
                self.held = true;
                self.block("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();");
                self.held = false;
            }
            _ => self.line(&format!("assert({value} || x < 3);")),
        }
    }
}
