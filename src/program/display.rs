//! Programs and terms as people read them, for dumps, traces and tests.

use crate::ids::{EdgeId, TermId, VarId};
use crate::op::Op;
use crate::program::{Program, Scope, Start, StateFormula};
use crate::statement::{Place, Role, Statement, Update};
use crate::term::{Term, Terms};
use crate::value::{Constant, Value};
use std::cell::Cell;
use std::fmt::{self, Display, Write};

/// Terms nested deeper than this are cut with `…`.
const MAX_DEPTH: usize = 60;

/// So many subterms are shown. One that is used twice is shown twice, so that there can be far
/// more of them than the term has.
const MAX_SUBTERMS: usize = 2_000;

struct Infix<'a> {
    terms: &'a Terms,
    term: TermId,
}

impl Display for Infix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writer = InfixWriter {
            terms: self.terms,
            left: Cell::new(MAX_SUBTERMS),
        };
        writer.write(f, self.term, 0, 0)
    }
}

impl Terms {
    /// The term in infix notation, as `x + 1 < y[i]`. Bit-vector operators look like those
    /// of integers where signed and unsigned do not differ; unsigned ones end in `u`. Where it
    /// gets long or deep, `…` stands for the rest.
    pub fn display(&self, term: TermId) -> impl fmt::Display + '_ {
        Infix { terms: self, term }
    }
}

struct InfixWriter<'a> {
    terms: &'a Terms,
    /// How many subterms may still be shown.
    left: Cell<usize>,
}

impl InfixWriter<'_> {
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        term: TermId,
        around: u8,
        depth: usize,
    ) -> fmt::Result {
        let left = self.left.get();
        if depth > MAX_DEPTH || left == 0 {
            return f.write_str("…");
        }
        self.left.set(left - 1);
        match self.terms.get(term) {
            Term::Constant(constant) => constant.fmt(f),
            Term::Variable(variable) => f.write_str(self.terms.name(*variable)),
            Term::Apply { op, arguments } => {
                let depth = depth + 1;
                match (*op, &arguments[..]) {
                    (Op::Not, &[a]) => {
                        if let Term::Apply {
                            op: Op::Eq,
                            arguments,
                        } = self.terms.get(a)
                        {
                            return self.infix(f, "!=", EQUALITY, arguments, around, depth);
                        }
                        f.write_str("!")?;
                        self.write(f, a, PREFIX, depth)
                    }
                    (Op::Neg | Op::BvNeg, &[a]) => {
                        f.write_str("-")?;
                        self.write(f, a, PREFIX, depth)
                    }
                    (Op::BvNot, &[a]) => {
                        f.write_str("~")?;
                        self.write(f, a, PREFIX, depth)
                    }
                    (Op::Select, &[array, index]) => {
                        self.write(f, array, PREFIX, depth)?;
                        f.write_str("[")?;
                        self.write(f, index, 0, depth)?;
                        f.write_str("]")
                    }
                    (Op::Store, &[array, index, value]) => {
                        self.write(f, array, PREFIX, depth)?;
                        f.write_str("[")?;
                        self.write(f, index, 0, depth)?;
                        f.write_str(" := ")?;
                        self.write(f, value, 0, depth)?;
                        f.write_str("]")
                    }
                    (Op::ConstArray(sort), &[element]) => {
                        f.write_str("[")?;
                        self.write(f, element, 0, depth)?;
                        write!(f, "; {}]", sort.length)
                    }
                    (Op::Ite, &[condition, yes, no]) => {
                        let parenthesised = around > 0;
                        if parenthesised {
                            f.write_str("(")?;
                        }
                        self.write(f, condition, 1, depth)?;
                        f.write_str(" ? ")?;
                        self.write(f, yes, 1, depth)?;
                        f.write_str(" : ")?;
                        self.write(f, no, 1, depth)?;
                        if parenthesised {
                            f.write_str(")")?;
                        }
                        Ok(())
                    }
                    (Op::Extract { high, low }, &[a]) => {
                        self.write(f, a, PREFIX, depth)?;
                        write!(f, "[{high}..{low}]")
                    }
                    _ => match infix(*op) {
                        Some((symbol, level)) => {
                            self.infix(f, symbol, level, arguments, around, depth)
                        }
                        None => self.call(f, *op, arguments, depth),
                    },
                }
            }
        }
    }

    fn infix(
        &self,
        f: &mut fmt::Formatter<'_>,
        symbol: &str,
        level: u8,
        arguments: &[TermId],
        around: u8,
        depth: usize,
    ) -> fmt::Result {
        let parenthesised = around >= level;
        if parenthesised {
            f.write_str("(")?;
        }
        for (position, &argument) in arguments.iter().enumerate() {
            if position > 0 {
                write!(f, " {symbol} ")?;
            }
            // The first argument of `a - b - c` needs no parentheses.
            let inner = if position == 0 { level - 1 } else { level };
            let is_last = self.left.get() == 0;
            self.write(f, argument, inner, depth)?;
            if is_last {
                break;
            }
        }
        if parenthesised {
            f.write_str(")")?;
        }
        Ok(())
    }

    fn call(
        &self,
        f: &mut fmt::Formatter<'_>,
        op: Op,
        arguments: &[TermId],
        depth: usize,
    ) -> fmt::Result {
        match op {
            Op::ZeroExtend { by } => write!(f, "zext{by}(")?,
            Op::SignExtend { by } => write!(f, "sext{by}(")?,
            _ => write!(f, "{op}(")?,
        }
        for (position, &argument) in arguments.iter().enumerate() {
            if position > 0 {
                f.write_str(", ")?;
            }
            let is_last = self.left.get() == 0;
            self.write(f, argument, 0, depth)?;
            if is_last {
                break;
            }
        }
        f.write_str(")")
    }
}

const EQUALITY: u8 = 4;
const PREFIX: u8 = 20;

fn infix(op: Op) -> Option<(&'static str, u8)> {
    Some(match op {
        Op::Or => ("||", 2),
        Op::And => ("&&", 3),
        Op::Eq => ("=", EQUALITY),
        Op::Lt | Op::BvSlt => ("<", 5),
        Op::Le | Op::BvSle => ("<=", 5),
        Op::BvUlt => ("<u", 5),
        Op::BvUle => ("<=u", 5),
        Op::BvOr => ("|", 6),
        Op::BvXor => ("^", 7),
        Op::BvAnd => ("&", 8),
        Op::BvShl => ("<<", 9),
        Op::BvAshr => (">>", 9),
        Op::BvLshr => (">>u", 9),
        Op::Add | Op::BvAdd => ("+", 11),
        Op::Sub | Op::BvSub => ("-", 11),
        Op::Mul | Op::BvMul => ("*", 13),
        Op::Div => ("div", 13),
        Op::Mod => ("mod", 13),
        Op::BvSdiv => ("/", 13),
        Op::BvSrem => ("%", 13),
        Op::BvUdiv => ("/u", 13),
        Op::BvUrem => ("%u", 13),
        _ => return None,
    })
}

impl Program {
    /// A value as the source names it: by its enumeration, if the variable has one.
    pub fn display_value(&self, variable: VarId, value: &Value) -> String {
        let Some(enumeration) = &self.variable(variable).enumeration else {
            return value.to_string();
        };
        let name = |constant: &Constant| {
            let text = constant.to_string();
            let number = text.parse::<i128>().ok();
            let named = enumeration
                .values
                .iter()
                .find(|(_, of_name)| Some(*of_name) == number);
            named.map_or(text, |(name, _)| name.clone())
        };
        match value {
            Value::Scalar(constant) => name(constant),
            Value::Array { elements, .. } => {
                let names: Vec<String> = elements.iter().map(name).collect();
                format!("[{}]", names.join(", "))
            }
        }
    }

    pub fn display_place(&self, place: Place) -> String {
        match place {
            Place::Variable(variable) => self.terms.name(variable).to_owned(),
            Place::Element(variable, index) => format!(
                "{}[{}]",
                self.terms.name(variable),
                self.terms.display(index)
            ),
        }
    }

    pub fn display_statement(&self, statement: &Statement) -> String {
        let term = |term: &TermId| self.terms.display(*term);
        match statement {
            Statement::Skip => "skip".into(),
            Statement::Assign { target, value } => {
                format!("{} := {}", self.display_place(*target), term(value))
            }
            Statement::Havoc { target } => format!("{} := *", self.display_place(*target)),
            Statement::Assume(condition) => format!("assume {}", term(condition)),
            Statement::Assert { condition, .. } => format!("assert {}", term(condition)),
            Statement::Guarded {
                guard,
                updates,
                role,
            } => {
                let updates: Vec<String> = updates
                    .iter()
                    .map(|(target, update)| match update {
                        Update::Value(value) => {
                            format!("{} := {}", self.display_place(*target), term(value))
                        }
                        Update::Any => format!("{} := *", self.display_place(*target)),
                    })
                    .collect();
                let text = format!("{} -> {}", term(guard), updates.join(", "));
                match role {
                    Role::Command => text,
                    Role::Lock(mutex) => format!("lock {}: {text}", self.display_place(*mutex)),
                    Role::Unlock(mutex) => {
                        format!("unlock {}: {text}", self.display_place(*mutex))
                    }
                    Role::ReadModifyWrite => format!("rmw: {text}"),
                }
            }
            Statement::Create(thread) => format!("create {}", self.thread(*thread).name),
            Statement::Join(thread) => format!("join {}", self.thread(*thread).name),
            Statement::AtomicBegin => "atomic begin".into(),
            Statement::AtomicEnd => "atomic end".into(),
            Statement::BoundReached(reason) => format!("bound reached: {reason}"),
        }
    }

    pub fn display_formula(&self, formula: &StateFormula) -> String {
        let all = |parts: &[StateFormula], separator: &str| {
            let parts: Vec<String> = parts.iter().map(|p| self.display_formula(p)).collect();
            format!("({})", parts.join(separator))
        };
        match formula {
            StateFormula::At(thread, location) => format!(
                "pc({}) = {}",
                self.thread(*thread).name,
                self.location_name(*location)
            ),
            StateFormula::Term(term) => self.terms.display(*term).to_string(),
            StateFormula::Not(inner) => format!("!({})", self.display_formula(inner)),
            StateFormula::And(parts) => all(parts, " && "),
            StateFormula::Or(parts) => all(parts, " || "),
        }
    }

    fn write_variables(
        &self,
        f: &mut fmt::Formatter<'_>,
        scope: Scope,
        indent: &str,
    ) -> fmt::Result {
        for id in self.variable_ids() {
            let variable = self.variable(id);
            if variable.scope != scope {
                continue;
            }
            write!(f, "{indent}{}: {}", self.terms.name(id), variable.sort)?;
            if let Some(array) = variable.sort.as_array() {
                write!(f, " of length {}", array.length)?;
            }
            match variable.initial {
                Some(initial) => writeln!(f, " = {}", self.terms.display(initial))?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }

    fn write_edge(&self, f: &mut fmt::Formatter<'_>, edge: EdgeId) -> fmt::Result {
        let edge = self.edge(edge);
        writeln!(
            f,
            "  {} -> {}: {}",
            self.location_name(edge.source),
            self.location_name(edge.target),
            self.display_statement(&edge.statement)
        )
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_variables(f, Scope::Shared, "shared ")?;
        for id in self.thread_ids() {
            let thread = self.thread(id);
            write!(f, "thread {}", thread.name)?;
            if thread.start == Start::ByCreate {
                f.write_str(" (created)")?;
            }
            f.write_char('\n')?;
            self.write_variables(f, Scope::Local(id), "  local ")?;
            writeln!(f, "  entry {}", self.location_name(thread.entry))?;
            for location in self.location_ids() {
                if self.location(location).thread == id {
                    for &edge in self.outgoing(location) {
                        self.write_edge(f, edge)?;
                    }
                }
            }
        }
        if let Some(error) = &self.property.error {
            writeln!(f, "error {}", self.display_formula(&error.formula))?;
        }
        for assumption in &self.assumptions {
            writeln!(f, "assuming {}", assumption.text)?;
        }
        Ok(())
    }
}
