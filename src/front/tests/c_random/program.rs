//! Random sequential programs: functions, loops, jumps, structures, unions, bit-fields,
//! pointers, assignments inside of expressions. Nothing in them is undefined, and where C leaves
//! the order of evaluation open it makes no difference, except that both operands of a
//! comparison may be calls with effects.

use crate::c_random::expression::{Scope, TYPES, any_type, interesting};
use fastrand::Rng;
use std::fmt::Write as _;

/// Declarations, with a function that does everything, and numbers to look at afterwards.
pub(crate) struct RandomProgram {
    pub(crate) declarations: String,
    pub(crate) run: String,
    pub(crate) observed: Vec<String>,
}

/// A program whose global names end in `suffix`, so that several fit into one file.
pub(crate) fn random_program(rng: &mut Rng, suffix: &str) -> RandomProgram {
    let mut writer = Writer {
        rng,
        s: suffix.to_owned(),
        text: String::new(),
        indent: 0,
        scope: Scope::default(),
        plain: Vec::new(),
        locals: Vec::new(),
        functions: Vec::new(),
        is_pure: false,
        may_leave: Leave::Nothing,
        fresh: 0,
        budget: 0,
    };
    writer.globals();
    writer.functions();
    RandomProgram {
        observed: writer.observed(),
        run: format!("run{suffix}"),
        declarations: writer.text,
    }
}

/// The elements of the arrays `a0`, `a1` and `a2`.
const ELEMENTS: [&str; 3] = ["int", "unsigned char", "long long"];
/// Scalars of the structures `In` and `S`.
const INNER: [&str; 4] = ["x", "y", "z", "b"];
const OUTER: [&str; 9] = [
    "a",
    "in.x",
    "in.y",
    "in.z",
    "in.b",
    "e[@ & 3]",
    "u.w",
    "u.b[@ & 7]",
    "c",
];

/// What `break` and `continue` leave from here.
#[derive(Clone, Copy, PartialEq)]
enum Leave {
    Nothing,
    Loop,
    Switch,
}

struct Writer<'a> {
    rng: &'a mut Rng,
    /// The suffix of global names.
    s: String,
    text: String,
    indent: usize,
    /// What expressions read and assignments write.
    scope: Scope,
    /// Global scalars.
    plain: Vec<String>,
    /// Local scalars whose address nobody takes.
    locals: Vec<String>,
    /// Functions with effects, of two arguments.
    functions: Vec<String>,
    /// Whether the current function may only touch its own variables.
    is_pure: bool,
    may_leave: Leave,
    fresh: u32,
    /// Statements that may still be written.
    budget: u32,
}

/// Declarations.
impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.indent);
    }

    fn fresh(&mut self, name: &str) -> String {
        self.fresh += 1;
        format!("{name}_{}", self.fresh)
    }

    fn globals(&mut self) {
        let s = self.s.clone();
        for (number, ty) in TYPES.iter().enumerate() {
            let (name, value) = (format!("g{number}{s}"), interesting(self.rng));
            self.line(&format!("{ty} {name} = ({ty}){value};"));
            self.plain.push(name.clone());
            self.scope.places.push(name);
        }
        for (number, ty) in ELEMENTS.iter().enumerate() {
            let [a, b, c] = [(); 3].map(|()| interesting(self.rng));
            self.line(&format!("{ty} a{number}{s}[4] = {{ {a}, {b}, {c} }};"));
            self.line(&format!("{ty} *p{number}{s} = &a{number}{s}[1];"));
            self.scope.places.push(format!("a{number}{s}[@ & 3]"));
            self.scope.places.push(format!("*p{number}{s}"));
        }
        let [matrix, x, a, e] = [(); 4].map(|()| any_type(self.rng));
        let (y, z) = (self.rng.u32(1..32), self.rng.u32(1..16));
        let text = format!(
            "{matrix} m{s}[2][4];
struct In{s} {{ {x} x; unsigned y : {y}; short z : {z}; _Bool b : 1; }};
union U{s} {{ unsigned long long w; unsigned char b[8]; unsigned short h[4];
  struct {{ short l; int i; }} s; }};
struct S{s} {{ {a} a; struct In{s} in; {e} e[4]; union U{s} u; int *p; char c; }};
struct In{s} gi{s} = {{ .y = 1, .z = -1 }};
union U{s} gu{s} = {{ .h = {{ 1, 2, 3 }} }};
struct S{s} gs{s} = {{ 1, {{ 2, 1, 0, 1 }}, {{ [2] = 7 }}, .p = &a0{s}[2] }};
struct S{s} ga{s}[2] = {{ [1].c = 5, [0].p = a0{s}, [1].p = a0{s} + 3 }};
struct S{s} *sp{s} = &ga{s}[1];"
        );
        self.line(&text);
        let places = &mut self.scope.places;
        places.push(format!("m{s}[@ & 1][@ & 3]"));
        for whole in [
            format!("gs{s}."),
            format!("ga{s}[@ & 1]."),
            format!("sp{s}->"),
        ] {
            places.extend(OUTER.map(|part| format!("{whole}{part}")));
            places.push(format!("*{whole}p"));
        }
        places.extend(
            ["w", "b[@ & 7]", "h[@ & 3]", "s.l", "s.i"].map(|part| format!("gu{s}.{part}")),
        );
        places.extend(INNER.map(|part| format!("gi{s}.{part}")));
    }

    /// Everything that can be seen at the end.
    fn observed(&self) -> Vec<String> {
        let s = &self.s;
        let mut result = self.plain.clone();
        for number in 0..ELEMENTS.len() {
            result.extend((0..4).map(|index| format!("a{number}{s}[{index}]")));
            result.push(format!("p{number}{s} - a{number}{s}"));
        }
        result.extend((0..8).map(|index| format!("m{s}[{}][{}]", index / 4, index % 4)));
        result.extend((0..8).map(|index| format!("gu{s}.b[{index}]")));
        result.extend(INNER.map(|part| format!("gi{s}.{part}")));
        for whole in [format!("gs{s}"), format!("ga{s}[0]"), format!("ga{s}[1]")] {
            result.extend(OUTER.map(|part| format!("{whole}.{part}").replace('@', "3")));
            result.push(format!("{whole}.p - a0{s}"));
        }
        result.push(format!("sp{s} == &gs{s} ? -1 : sp{s} - ga{s}"));
        result
    }

    fn functions(&mut self) {
        let s = self.s.clone();
        let globals = std::mem::take(&mut self.scope.places);
        self.is_pure = true;
        for number in 0..2 {
            let [result, a, b] = [(); 3].map(|()| any_type(self.rng));
            let head = format!("static {result} pure{number}{s}({a} a, {b} b)");
            self.function(&head, &["a", "b"], 4);
            self.scope.functions.push((format!("pure{number}{s}"), 2));
        }
        self.is_pure = false;
        self.scope.places = globals;
        let ty = any_type(self.rng);
        self.line(&format!(
            "static {ty} deep{s}({ty} n, int depth)
{{ if (depth <= 0) return n; return deep{s}(n * 3 + depth, depth - 1) ^ n; }}
static struct S{s} make{s}(struct S{s} from, int n)
{{ from.a = n; from.e[n & 3] += from.in.y; from.u.b[n & 7]--; return from; }}
static void poke{s}(long *to, char n) {{ *to = *to * 5 + n; to = 0; }}"
        ));
        for number in 0..2 {
            let name = format!("f{number}{s}");
            self.function(
                &format!("static int {name}(int a, short b)"),
                &["a", "b"],
                8,
            );
            self.functions.push(name);
        }
        self.line(&format!(
            "static int (*table{s}[2])(int, short) = {{ f1{s}, f0{s} }};"
        ));
        self.function(&format!("static int run{s}(void)"), &[], 24);
    }

    fn function(&mut self, head: &str, parameters: &[&str], statements: u32) {
        self.line(head);
        self.line("{");
        self.indent += 1;
        let outer = self.scope.places.clone();
        self.locals = parameters.iter().map(|name| (*name).to_owned()).collect();
        self.scope.places.extend(self.locals.clone());
        for _ in 0..3 {
            let (name, ty) = (self.fresh("l"), any_type(self.rng));
            let value = match self.scope.places.is_empty() {
                true => interesting(self.rng),
                false => self.e(),
            };
            self.line(&format!("{ty} {name} = {value};"));
            self.locals.push(name.clone());
            self.scope.places.push(name);
        }
        self.budget = statements;
        while self.budget > 0 {
            self.statement(3);
        }
        let value = self.e();
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("}");
        self.scope.places = outer;
    }
}

/// Pieces of statements.
impl Writer<'_> {
    fn e(&mut self) -> String {
        let depth = self.rng.u32(1..4);
        self.scope.expression(self.rng, depth)
    }

    fn place(&mut self) -> String {
        self.scope.place(self.rng, 2)
    }

    /// A scalar that is not a local: what an assignment to a local inside of an expression
    /// does not touch.
    fn target(&mut self) -> String {
        match self.is_pure {
            true => "b".to_owned(),
            false => self.plain[self.rng.usize(..self.plain.len())].clone(),
        }
    }

    fn local(&mut self) -> String {
        let others: Vec<&String> = self.locals.iter().filter(|name| *name != "b").collect();
        others[self.rng.usize(..others.len())].clone()
    }

    /// The type of one of the arrays, and its number.
    fn array(&mut self) -> (&'static str, String) {
        let number = self.rng.usize(..ELEMENTS.len());
        (ELEMENTS[number], format!("{number}{}", self.s))
    }

    fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
    }

    fn close(&mut self, tail: &str) {
        self.indent -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn body(&mut self, depth: u32, leave: Leave) {
        let outer = std::mem::replace(&mut self.may_leave, leave);
        for _ in 0..self.rng.u32(1..4) {
            self.statement(depth.saturating_sub(1));
        }
        self.may_leave = outer;
    }

    fn counter(&mut self) -> (String, u32) {
        let name = self.fresh("c");
        self.line(&format!("int {name} = 0;"));
        (name, self.rng.u32(1..4))
    }
}

/// Statements.
impl Writer<'_> {
    fn statement(&mut self, depth: u32) {
        self.budget = self.budget.saturating_sub(1);
        match self.rng.u8(..10) {
            0..=1 => self.assignment(),
            2..=3 => self.nested_assignment(),
            4..=5 if depth > 0 => self.control(depth),
            6..=8 if !self.is_pure => self.memory(depth),
            9 if self.may_leave != Leave::Nothing => {
                let jump = match self.may_leave {
                    Leave::Loop if self.rng.bool() => "continue",
                    _ => "break",
                };
                let condition = self.e();
                self.line(&format!("if ({condition}) {jump};"));
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let (place, value) = (self.place(), self.e());
        let text = match self.rng.u8(..8) {
            0..=3 => format!("{place} = {value};"),
            4 => {
                let op = ["+=", "-=", "*=", "&=", "|=", "^="][self.rng.usize(..6)];
                format!("{place} {op} {value};")
            }
            5 => {
                let op = ["/=", "%="][self.rng.usize(..2)];
                let divisor = self.scope.divisor(self.rng, 1);
                format!("{place} {op} {divisor};")
            }
            6 => {
                let op = ["<<=", ">>="][self.rng.usize(..2)];
                format!("{place} {op} {value} & 7;")
            }
            _ => ["++", "--"][self.rng.usize(..2)].to_owned() + &format!("({place});"),
        };
        self.line(&text);
    }

    /// Assignments whose values are used.
    fn nested_assignment(&mut self) {
        let [a, b, c] = [(); 3].map(|()| self.e());
        let (target, x) = (self.target(), self.local());
        let text = match self.rng.u8(..9) {
            0 => format!("{target} = ({x} = {a});"),
            1 => format!("{target} = ({x} = {a}, {b});"),
            2 => format!("{target} = {c} ? ({x} = {a}) : ({x} = {b});"),
            3 => format!("({c} && ({x} = {a})) || ({x} = {b});"),
            4 => format!("{target} = ({x} += {x} + 3) * 2;"),
            5 => format!("{target} = {x}++ + 5;"),
            6 => format!("{target} = --{x} - 5;"),
            7 => format!(
                "{target} = ({{ {} t = {a}; t ^ {b}; }});",
                any_type(self.rng)
            ),
            _ => format!("{target} = ({x} = {x} + 1) ?: {b};"),
        };
        self.line(&text);
    }

    fn control(&mut self, depth: u32) {
        let condition = self.e();
        match self.rng.u8(..8) {
            0..=1 => {
                self.open(&format!("if ({condition})"));
                self.body(depth, self.may_leave);
                self.close(" else {");
                self.indent += 1;
                self.body(depth, self.may_leave);
                self.close("");
            }
            2 => {
                let (c, n) = self.counter();
                self.open(&format!(
                    "for ({c} = 0; {c} < {n} && ({condition}, 1); {c}++)"
                ));
                self.body(depth, Leave::Loop);
                self.close("");
            }
            3 => {
                let (c, n) = self.counter();
                self.open(&format!("while (({c} = {c} + 1) < {n})"));
                self.body(depth, Leave::Loop);
                self.close("");
            }
            4 => {
                let (c, n) = self.counter();
                self.open("do");
                self.body(depth, Leave::Loop);
                self.close(&format!(" while (++{c} < {n});"));
            }
            5 => {
                let (c, n) = self.counter();
                let label = self.fresh("again");
                self.line(&format!("{label}:;"));
                self.body(depth, self.may_leave);
                self.line(&format!(
                    "if ({c}++ < {n} && ({condition}) & 1) goto {label};"
                ));
            }
            6 => {
                self.open(&format!("switch ({condition} & 3)"));
                for label in ["case 1:", "default:", "case 2 ... 3:"] {
                    self.line(&format!("{label};"));
                    self.body(depth, Leave::Switch);
                }
                self.close("");
            }
            _ => {
                let (name, ty) = (self.fresh("s"), any_type(self.rng));
                self.open("");
                self.line(&format!("static {ty} {name} = 5;"));
                let target = self.target();
                self.line(&format!("{name} += {condition}; {target} = {name};"));
                self.body(depth, self.may_leave);
                self.close("");
            }
        }
    }

    /// Structures, pointers, calls: whatever needs the globals.
    fn memory(&mut self, depth: u32) {
        let s = self.s.clone();
        let [a, b] = [(); 2].map(|()| self.e());
        let target = self.target();
        let (ty, n) = self.array();
        let text = match self.rng.u8(..22) {
            0 => format!("ga{s}[{a} & 1] = gs{s};"),
            1 => format!("gs{s} = make{s}(ga{s}[{a} & 1], {b});"),
            2 => format!("*sp{s} = ga{s}[0]; gi{s} = sp{s}->in; gu{s} = gs{s}.u;"),
            3 => format!("sp{s} = {a} ? &gs{s} : &ga{s}[{b} & 1];"),
            4 => format!("p{n} = &a{n}[{a} & 3];"),
            5 => format!("gs{s}.p = p0{s}; ga{s}[{a} & 1].p = {b} ? gs{s}.p : a0{s};"),
            6 => format!(
                "memcpy(&gs{s}.in, &gi{s}, sizeof gi{s}); memset(a{n}, 0, 2 * sizeof({ty}));"
            ),
            7 => format!(
                "for (unsigned i = 0; i < sizeof p0{s}; i++) \
                 ((char *)&ga{s}[1].p)[i] = ((char *)&p0{s})[i];"
            ),
            8 => format!("for ({ty} *w = a{n}; w < a{n} + 4; w++) *w += {a};"),
            9 => {
                format!("{{ int k = 1; a{n}[k++ & 3] = {a}; a{n}[k++ & 3] = {b}; {target} = k; }}")
            }
            10 => format!("{target} = __sync_fetch_and_add(&g6{s}, {a});"),
            11 => format!("{target} = __atomic_exchange_n(&g7{s}, {a}, 5) + 1;"),
            12 => format!("{target} = __sync_val_compare_and_swap(&g8{s}, {a}, {b});"),
            13 => format!("gi{s} = (struct In{s}){{ {a}, .z = {b} }};"),
            14 => format!("{target} = p{n} - a{n} + (p{n} == &a{n}[{a} & 3]);"),
            15 => format!("((unsigned char *)&g9{s})[{a} & 3] = {b};"),
            16 => format!("{{ long k = {a}; poke{s}(&k, {b}); {target} = k; }}"),
            17 => format!("{target} = deep{s}({a}, ({b} & 1) + 1);"),
            // gcc calls the function on the left first.
            18 if self.functions.len() == 2 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.usize(..6)];
                format!("{target} = f0{s}({a}, {b}) {op} f1{s}({b}, {a});")
            }
            18..=19 if !self.functions.is_empty() => {
                let function = &self.functions[self.rng.usize(..self.functions.len())];
                format!("{target} = {function}({a}, {b});")
            }
            20 if self.functions.len() == 2 => format!("{target} = table{s}[{a} & 1]({b}, 3);"),
            _ => {
                self.line("__VERIFIER_atomic_begin();");
                self.body(depth.min(1), Leave::Nothing);
                "__VERIFIER_atomic_end();".to_owned()
            }
        };
        self.line(&text);
    }
}
