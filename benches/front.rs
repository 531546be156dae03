//! How long the front ends take for a text of a thousand lines: C, `.hd` and program facts.
//!
//! The texts are made in memory, in the shape of the programs that people write: small
//! functions with locks, loops and shared arrays; processes with labelled statements. Times
//! are the best of several runs.

use heddle_front::{c, facts, hd};
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

const LINES: usize = 1000;
const ROUNDS: usize = 20;
/// To be reached with room to spare.
const LIMIT: Duration = Duration::from_millis(100);

/// Workers in C, about twenty lines each, all of them reachable from `main`.
fn c_text() -> String {
    let mut text = String::from(
        "typedef unsigned long pthread_t; typedef int pthread_mutex_t;\n\
         void __VERIFIER_assert(int);\n\
         struct queue { int items[8]; int head, tail; pthread_mutex_t lock; };\n\
         struct queue queues[4];\nint total, done[4];\n",
    );
    let mut functions = 0;
    while text.lines().count() + 20 < LINES {
        let _ = write!(
            text,
            "static int step{functions}(struct queue *q, int amount)\n{{\n\
             \x20 int sum = 0;\n\
             \x20 pthread_mutex_lock(&q->lock);\n\
             \x20 while (q->head < q->tail && sum < amount) {{\n\
             \x20   int item = q->items[q->head & 7];\n\
             \x20   if (item < 0)\n\
             \x20     sum -= item;\n\
             \x20   else\n\
             \x20     sum += item * {functions} + 1;\n\
             \x20   q->head++;\n\
             \x20 }}\n\
             \x20 pthread_mutex_unlock(&q->lock);\n\
             \x20 switch (sum & 3) {{\n\
             \x20 case 0: return amount;\n\
             \x20 case 1: total += sum; break;\n\
             \x20 default: total ^= amount;\n\
             \x20 }}\n\
             \x20 return sum;\n}}\n"
        );
        functions += 1;
    }
    text += "void *worker(void *argument)\n{\n  int sum = (int)(long)argument;\n";
    for function in 0..functions {
        let _ = writeln!(
            text,
            "  sum = step{function}(&queues[{}], sum);",
            function % 4
        );
    }
    text + "  done[(long)argument] = sum;\n  return 0;\n}\n\
            int main(void)\n{\n  pthread_t a, b;\n\
            \x20 pthread_create(&a, 0, worker, (void *)1);\n\
            \x20 pthread_create(&b, 0, worker, (void *)2);\n\
            \x20 pthread_join(a, 0);\n  pthread_join(b, 0);\n\
            \x20 __VERIFIER_assert(total != 1000);\n  return 0;\n}\n"
}

fn hd_text() -> String {
    let mut text = String::from("shared flag: bool[4] = false, turn, x: int = 0;\n");
    let mut processes = 0;
    while text.lines().count() + 12 < LINES {
        let _ = write!(
            text,
            "process p{processes} {{\n    local t: int = 0;\n    l0: flag[{}] := true;\n\
             \x20   l1: turn := {};\n    l2: while flag[{}] && turn = {} {{\n        skip;\n    }}\n\
             \x20   critical: t := x + {processes};\n    l3: if t > 3 {{ x := t - 3; }} else {{ x := t; }}\n\
             \x20   atomic {{ assume x >= 0; t := 2 * t; }}\n    l4: assert t = t;\n    l5: flag[{}] := false;\n}}\n",
            processes % 4,
            (processes + 1) % 4,
            (processes + 1) % 4,
            (processes + 1) % 4,
            processes % 4
        );
        processes += 1;
    }
    text + "error: pc(p0) = critical && pc(p1) = critical;\n"
}

fn main() {
    let (c_text, hd_text) = (c_text(), hd_text());
    let options = c::Options::default();
    let (from_c, _) = c::translate("bench.c", &c_text, &options).expect("a program in C");
    let (from_hd, _) = hd::read("bench.hd", &hd_text).expect("a program in .hd");
    println!(
        "C: {} lines become {} edges; .hd: {} lines become {} edges",
        c_text.lines().count(),
        from_c.edges.len(),
        hd_text.lines().count(),
        from_hd.edges.len()
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    facts::write(&from_hd, folder.path()).expect("a writable folder");
    let rows: usize = (facts::files(&from_hd).iter())
        .filter(|(name, _)| name.ends_with(".facts"))
        .map(|(_, text)| text.lines().count())
        .sum();
    println!("the facts of the second have {rows} rows");
    let times = [
        (
            "C",
            best_of(|| c::translate("bench.c", &c_text, &options).is_ok()),
        ),
        (".hd", best_of(|| hd::read("bench.hd", &hd_text).is_ok())),
        ("facts", best_of(|| facts::read(folder.path()).is_ok())),
    ];
    for (name, time) in times {
        println!("{name:6} {:6.1} ms", time.as_secs_f64() * 1e3);
        assert!(time < LIMIT, "{name} takes longer than {LIMIT:?}");
    }
}

fn best_of(mut work: impl FnMut() -> bool) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let started = Instant::now();
        assert!(black_box(work()));
        best = best.min(started.elapsed());
    }
    best
}
