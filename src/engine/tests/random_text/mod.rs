//! Random programs as text, made so that schedules matter: few variables, several threads
//! that all use them, locks that are sometimes forgotten, and assertions about what was read.

use fastrand::Rng;
use std::fmt::Write;

struct Writer<'a> {
    rng: &'a mut Rng,
    text: String,
}

/// A program in `.hd`.
pub(crate) fn hd_program(rng: &mut Rng) -> String {
    let granularity = if rng.bool() {
        "granularity access;\n"
    } else {
        ""
    };
    let number = if rng.u8(..4) == 0 { "int" } else { "bv2" };
    let mut writer = Writer {
        rng,
        text: format!(
            "{granularity}shared x, y: {number} = 0, b: bool = false, m: bool = false, a: {number}[2] = 0;\n"
        ),
    };
    let processes = 2 + writer.rng.usize(..2);
    for process in 0..processes {
        let _ = write!(
            writer.text,
            "process p{process} {{\n  local t, u: {number} = 0, i: bv2 = 0;\n"
        );
        let statements = 1 + writer.rng.usize(..4);
        for _ in 0..statements {
            writer.hd_statement(2, false);
        }
        writer.text.push_str("}\n");
    }
    if writer.rng.u8(..3) == 0 {
        let condition = writer.hd_condition();
        let _ = writeln!(writer.text, "error: p0.t = 1 && ({condition}) && p1.u = 1;");
    }
    writer.text
}

/// A program in `.hd` with one loop in another, in a thread that is left alone by few steps of a
/// second one: what ends a loop, and what happens around the inner one, varies.
pub(crate) fn nested_loops(rng: &mut Rng) -> String {
    let mut writer = Writer {
        rng,
        text: "shared x, y: bv2 = 0, b: bool = false, m: bool = false, a: bv2[2] = 0;\n".into(),
    };
    let locals = "local t, u: bv2 = 0, i, j: bv2 = 0;";
    let _ = writeln!(writer.text, "process p0 {{\n  {locals}");
    writer.loop_in_loop();
    writer.hd_statement(0, false);
    let claim = writer.hd_local_condition().replace('*', "t != u");
    let _ = writeln!(writer.text, "  assert {claim};\n}}");
    let _ = writeln!(writer.text, "process p1 {{\n  {locals}");
    match writer.rng.u8(..4) {
        0 => writer.loop_in_loop(),
        _ => writer.hd_block(0, false),
    }
    writer.text.push_str("}\n");
    writer.text
}

impl Writer<'_> {
    fn loop_in_loop(&mut self) {
        let outer = self.loop_begin("i");
        if self.rng.bool() {
            self.hd_statement(0, false);
        }
        let inner = self.loop_begin("j");
        self.hd_block(0, false);
        self.text.push_str(&inner);
        if self.rng.bool() {
            self.hd_statement(0, false);
        }
        self.text.push_str(&outer);
    }

    /// The head of a loop; returns how it ends. Constants, shared memory, a local variable or
    /// nothing at all decides how often it goes round.
    fn loop_begin(&mut self, counter: &str) -> String {
        let end = "  }\n".to_owned();
        let (condition, end) = match self.rng.u8(..5) {
            0 => {
                let _ = writeln!(self.text, "  {counter} := 0;");
                let step = format!("  {counter} := {counter} + 1;\n{end}");
                (format!("bvult({counter}, 2)"), step)
            }
            // Of the outer loop, which may have ended by then.
            1 => ("bvult(j, i)".to_owned(), format!("  j := j + 1;\n{end}")),
            2 => (self.hd_local_condition(), end),
            _ => (self.hd_condition(), end),
        };
        let _ = writeln!(self.text, "  while {condition} {{");
        end
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.rng.usize(..items.len())]
    }

    fn hd_value(&mut self) -> String {
        match self.rng.u8(..7) {
            0 => "1".into(),
            1 => "2".into(),
            2 => self.pick(&["t", "u"]).into(),
            3 => format!("{} + 1", self.pick(&["x", "y", "t"])),
            4 => self.pick(&["a[0]", "a[1]"]).into(),
            _ => self.pick(&["x", "y"]).into(),
        }
    }

    /// Keeps integers in a range.
    fn hd_bounded(&mut self) -> String {
        let value = self.hd_value();
        if self.text.contains("x, y: int") {
            format!("({value}) % 3")
        } else {
            value
        }
    }

    fn hd_condition(&mut self) -> String {
        let value = self.rng.u8(..3);
        match self.rng.u8(..6) {
            0 => "b".into(),
            1 => "!b".into(),
            2 => format!("x != {value}"),
            3 => format!("a[1] = {value}"),
            4 => "x = y".into(),
            _ => format!("y = {value}"),
        }
    }

    fn hd_local_condition(&mut self) -> String {
        let value = self.rng.u8(..3);
        match self.rng.u8(..4) {
            0 => format!("t = {value}"),
            1 => format!("u != {value}"),
            2 => "t = u".into(),
            _ => "*".into(),
        }
    }

    fn hd_block(&mut self, depth: u32, in_section: bool) {
        let statements = 1 + self.rng.usize(..2);
        for _ in 0..statements {
            self.hd_statement(depth, in_section);
        }
    }

    fn hd_statement(&mut self, depth: u32, in_section: bool) {
        let kinds = if depth == 0 { 8 } else { 15 };
        match self.rng.u8(..kinds) {
            0..=2 => {
                let target = self.pick(&["x", "y", "a[0]", "a[1]"]);
                let value = self.hd_bounded();
                let _ = writeln!(self.text, "  {target} := {value};");
            }
            3 | 4 => {
                let target = self.pick(&["t", "u"]);
                let value = self.hd_bounded();
                let _ = writeln!(self.text, "  {target} := {value};");
            }
            5 => {
                let value = self.pick(&["true", "false", "*", "!b"]);
                let _ = writeln!(self.text, "  b := {value};");
            }
            6 => {
                let condition = match self.rng.bool() {
                    true => self.hd_condition(),
                    false => self.hd_local_condition().replace('*', "t != 1 || u = 0"),
                };
                let _ = writeln!(self.text, "  assert {condition} || t != u;");
            }
            7 => {
                let wait = self.pick(&["assume", "await"]);
                let condition = self.hd_condition();
                let _ = writeln!(self.text, "  {wait} {condition};");
            }
            8 | 9 => {
                let condition = match self.rng.bool() {
                    true => self.hd_condition(),
                    false => self.hd_local_condition(),
                };
                let _ = writeln!(self.text, "  if {condition} {{");
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  } else {\n");
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            // Rounds that constants decide, or shared memory does.
            10 => {
                let _ = writeln!(
                    self.text,
                    "  i := 0;\n  while bvult(i, 2) {{\n  i := i + 1;"
                );
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            11 => {
                let condition = self.hd_condition();
                let _ = writeln!(self.text, "  while {condition} {{");
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            12 => {
                self.text.push_str("  choose {\n");
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  } or {\n");
                self.hd_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            13 if !in_section => {
                self.text.push_str("  atomic {\n");
                self.hd_block(depth - 1, true);
                self.text.push_str("  }\n");
            }
            _ if !in_section => {
                self.text.push_str("  atomic { await !m; m := true; }\n");
                self.hd_block(depth - 1, in_section);
                if self.rng.u8(..8) > 0 {
                    self.text.push_str("  m := false;\n");
                }
            }
            _ => self.text.push_str("  t := u;\n"),
        }
    }
}

/// A program in C, with pointers that several threads use and move, and atomic sections.
pub(crate) fn c_program(rng: &mut Rng) -> String {
    let mut writer = Writer {
        rng,
        text: "typedef unsigned long pthread_t;
typedef union { char c[40]; long l; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
void reach_error(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
unsigned char __VERIFIER_nondet_uchar(void);
pthread_mutex_t m;
unsigned char x, y, z[2];
unsigned char *p = &x, *q = &y;
"
        .into(),
    };
    for thread in 0..2 {
        let _ = writeln!(
            writer.text,
            "void *f{thread}(void *arg) {{\n  unsigned char t = 0;\n  unsigned char *r = arg;"
        );
        let statements = 1 + writer.rng.usize(..4);
        for _ in 0..statements {
            writer.c_statement(2, false);
        }
        writer.text.push_str("  return 0;\n}\n");
    }
    let arguments = ["&x", "&z[1]", "z"];
    let first = writer.pick(&arguments);
    let second = writer.pick(&arguments);
    let claim = writer.c_claim();
    let _ = writeln!(
        writer.text,
        "int main(void) {{
  pthread_t one, two;
  pthread_create(&one, 0, f0, {first});
  pthread_create(&two, 0, f1, {second});
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (!({claim})) reach_error();
  return 0;
}}"
    );
    writer.text
}

impl Writer<'_> {
    fn c_place(&mut self) -> &'static str {
        self.pick(&["x", "y", "*p", "*q", "*r", "z[0]", "z[x & 1]", "t"])
    }

    fn c_claim(&mut self) -> String {
        let value = self.rng.u8(..3);
        match self.rng.u8(..4) {
            0 => format!("x != {value}"),
            1 => format!("y <= {value}"),
            2 => format!("*p != {value}"),
            _ => format!("z[1] == {value} || x == y"),
        }
    }

    fn c_block(&mut self, depth: u32, in_section: bool) {
        let statements = 1 + self.rng.usize(..2);
        for _ in 0..statements {
            self.c_statement(depth, in_section);
        }
    }

    fn c_statement(&mut self, depth: u32, in_section: bool) {
        let kinds = match (depth, in_section) {
            (0, _) => 6,
            (_, true) => 9,
            (_, false) => 14,
        };
        match self.rng.u8(..kinds) {
            0 | 1 => {
                let target = self.c_place();
                let value = match self.rng.u8(..3) {
                    0 => "1".into(),
                    1 => format!("{} + 1", self.c_place()),
                    _ => self.c_place().to_string(),
                };
                let _ = writeln!(self.text, "  {target} = ({value}) & 3;");
            }
            2 => {
                let pointer = self.pick(&["p", "q", "r"]);
                let target = self.pick(&["&x", "&y", "&z[0]", "&z[1]", "p", "q"]);
                let _ = writeln!(self.text, "  {pointer} = {target};");
            }
            3 => {
                let place = self.c_place();
                let _ = writeln!(self.text, "  t = {place};");
            }
            4 => {
                let claim = self.c_claim();
                let _ = writeln!(self.text, "  if (t == 2 && !({claim})) reach_error();");
            }
            5 => self.text.push_str("  if (p == q) t = 2;\n"),
            6 => {
                let _ = writeln!(self.text, "  for (int i = 0; i < 2; i++) {{");
                self.c_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            7 => {
                let place = self.c_place();
                let _ = writeln!(self.text, "  if ({place} != 1) {{");
                self.c_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            8 => {
                let _ = writeln!(self.text, "  if (__VERIFIER_nondet_uchar() & 1) {{");
                self.c_block(depth - 1, in_section);
                self.text.push_str("  }\n");
            }
            9 | 10 => {
                self.text.push_str("  pthread_mutex_lock(&m);\n");
                self.c_block(depth - 1, in_section);
                self.text.push_str("  pthread_mutex_unlock(&m);\n");
            }
            11 => {
                self.text.push_str("  __VERIFIER_atomic_begin();\n");
                self.c_block(depth - 1, true);
                self.text.push_str("  __VERIFIER_atomic_end();\n");
            }
            // Sections that begin in one round of a loop and end in the next, or after it.
            12 => {
                let place = self.c_place();
                let _ = writeln!(
                    self.text,
                    "  __VERIFIER_atomic_begin();
  for (int i = 0; i < 2 && {place} != 1; i++) {{
  __VERIFIER_atomic_end();"
                );
                self.c_block(depth - 1, false);
                self.text.push_str("  __VERIFIER_atomic_begin();\n  }\n");
                self.c_block(depth - 1, true);
                self.text.push_str("  __VERIFIER_atomic_end();\n");
            }
            _ => {
                let place = self.c_place();
                let _ = writeln!(
                    self.text,
                    "  for (int i = 0;; i++) {{
  __VERIFIER_atomic_begin();
  if (i == 2 || {place} == 1) break;
  __VERIFIER_atomic_end();"
                );
                self.c_block(depth - 1, false);
                self.text.push_str("  }\n");
                self.c_block(depth - 1, true);
                self.text.push_str("  __VERIFIER_atomic_end();\n");
            }
        }
    }
}
