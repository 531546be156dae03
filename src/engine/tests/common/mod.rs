//! Random small concurrent programs, as `.hd` text.

#![allow(dead_code)] // each test file uses its own part

use fastrand::Rng;
use heddle_interpret::{Exploration, Options, explore};
use heddle_program::Program;
use std::fmt::Write;

pub(crate) fn read(text: &str) -> Program {
    match heddle_front::hd::read("test.hd", text) {
        Ok((program, _)) => program,
        Err(report) => panic!("{report}\n{text}"),
    }
}

/// What really happens, or `None` if that takes too many states.
pub(crate) fn oracle(program: &Program) -> Option<Exploration> {
    let options = Options {
        max_states: Some(60_000),
        ..Options::default()
    };
    let exploration = explore(program, &options);
    (exploration.stop.is_none() && exploration.error.is_none()).then_some(exploration)
}

/// A program with two or three processes over a few small variables: assignments, branches,
/// loops, atomic blocks, locks, choices, assumptions, arrays with computed indices.
pub(crate) fn random_program(rng: &mut Rng) -> String {
    let sort = if rng.u8(0..4) == 0 { "int" } else { "bv2" };
    let mut text = String::new();
    if rng.bool() {
        text.push_str("granularity access;\n");
    }
    let _ = writeln!(
        text,
        "shared x, y: {sort} = 0, z: {sort} = 1, lock: bool = false;"
    );
    let _ = writeln!(text, "shared a: {sort}[2] = 0;");
    let processes = rng.usize(2..4);
    for process in 0..processes {
        let _ = writeln!(text, "process p{process} {{");
        let _ = writeln!(text, "    local t, u: {sort} = 0, n: int = 0;");
        let mut generator = Generator {
            rng,
            budget: if processes == 2 { 5 } else { 3 },
            loops: 0,
            locked: false,
        };
        let body = generator.block(1);
        text.push_str(&body);
        text.push_str("}\n");
    }
    if rng.u8(0..3) == 0 {
        let _ = writeln!(
            text,
            "error: {} && {};",
            condition(rng, false),
            condition(rng, false)
        );
    }
    text
}

struct Generator<'a> {
    rng: &'a mut Rng,
    /// How many more statements.
    budget: usize,
    loops: usize,
    locked: bool,
}

impl Generator<'_> {
    fn block(&mut self, depth: usize) -> String {
        let mut text = String::new();
        let count = self.rng.usize(1..5);
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            text.push_str(&self.statement(depth));
        }
        if text.is_empty() {
            text.push_str("skip; ");
        }
        text
    }

    fn statement(&mut self, depth: usize) -> String {
        let deep = depth >= 3;
        match self.rng.u8(0..16) {
            0 | 1 if !deep => format!(
                "if {} {{ {} }} else {{ {} }}\n",
                condition(self.rng, true),
                self.block(depth + 1),
                self.block(depth + 1)
            ),
            2 if !deep && self.loops == 0 => {
                self.loops += 1;
                let bound = self.rng.u8(1..4);
                format!(
                    "n := 0; while n < {bound} {{ n := n + 1; {} }}\n",
                    self.block(depth + 1)
                )
            }
            3 if !deep && self.loops == 0 => {
                self.loops += 1;
                format!(
                    "while {} {{ {} }}\n",
                    condition(self.rng, true),
                    self.block(depth + 1)
                )
            }
            4 if !deep => format!(
                "choose {{ {} }} or {{ {} }}\n",
                self.block(depth + 1),
                self.block(depth + 1)
            ),
            5 | 6 if !deep => format!("atomic {{ {} }}\n", self.straight()),
            7 if !deep && !self.locked => {
                self.locked = true;
                let inside = self.block(depth + 1);
                self.locked = false;
                format!("atomic {{ await !lock; lock := true; }} {inside} lock := false;\n")
            }
            8..=10 => format!("assert {};\n", condition(self.rng, true)),
            11 => format!("assume {};\n", condition(self.rng, true)),
            12 => format!("await {};\n", condition(self.rng, true)),
            _ => self.straight(),
        }
    }

    fn straight(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..self.rng.usize(1..3) {
            text.push_str(&self.assignment());
        }
        text
    }

    fn assignment(&mut self) -> String {
        let rng = &mut *self.rng;
        match rng.u8(0..10) {
            0 => format!("a[{}] := {}; ", index(rng), value(rng, true)),
            1 => format!("t := a[{}]; ", index(rng)),
            2 => format!("x, y := {}, {}; ", value(rng, true), value(rng, true)),
            3 if rng.bool() => "t := * ? 1 : 0; ".to_string(),
            _ => {
                let target = ["x", "y", "z", "t", "u", "x", "y"][rng.usize(..7)];
                format!("{target} := {}; ", value(rng, true))
            }
        }
    }
}

fn index(rng: &mut Rng) -> &'static str {
    ["0", "1", "x = 0 ? 0 : 1", "t = 1 ? 1 : 0"][rng.usize(..4)]
}

fn operand(rng: &mut Rng, locals: bool) -> &'static str {
    let shared = ["x", "y", "z", "a[0]"];
    if locals && rng.bool() {
        ["t", "u"][rng.usize(..2)]
    } else {
        shared[rng.usize(..4)]
    }
}

/// Values stay in a small range, also those of mathematical integers.
fn value(rng: &mut Rng, locals: bool) -> String {
    match rng.u8(0..5) {
        0 | 1 => rng.u8(0..3).to_string(),
        2 => operand(rng, locals).to_string(),
        3 => format!("({} = {} ? 1 : 0)", operand(rng, locals), rng.u8(0..3)),
        _ => {
            let operand = operand(rng, locals);
            format!("({operand} = 2 ? 0 : {operand} + 1)")
        }
    }
}

fn condition(rng: &mut Rng, locals: bool) -> String {
    let operator = ["=", "!="][rng.usize(..2)];
    format!("{} {operator} {}", operand(rng, locals), rng.u8(0..3))
}
