//! Calls: `any(1..3)`, and bit-vector operations under the names that SMT-LIB gives them.

use super::check::Checker;
use super::scope::suggest;
use super::syntax::{Argument, Expression, Form, Name};
use super::typed::*;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Constant, MAX_WIDTH, Op};

/// How many values `any(low..high)` may have.
const MOST_VALUES: u32 = 4096;

/// Two bit-vectors of one width give a third.
const OPERATIONS: [(&str, Op); 13] = [
    ("bvand", Op::BvAnd),
    ("bvor", Op::BvOr),
    ("bvxor", Op::BvXor),
    ("bvadd", Op::BvAdd),
    ("bvsub", Op::BvSub),
    ("bvmul", Op::BvMul),
    ("bvudiv", Op::BvUdiv),
    ("bvurem", Op::BvUrem),
    ("bvsdiv", Op::BvSdiv),
    ("bvsrem", Op::BvSrem),
    ("bvshl", Op::BvShl),
    ("bvlshr", Op::BvLshr),
    ("bvashr", Op::BvAshr),
];

/// Two bit-vectors of one width give a truth value.
const COMPARISONS: [(&str, Op); 4] = [
    ("bvult", Op::BvUlt),
    ("bvule", Op::BvUle),
    ("bvslt", Op::BvSlt),
    ("bvsle", Op::BvSle),
];

const OTHERS: [&str; 10] = [
    "any",
    "pc",
    "bvnot",
    "bvneg",
    "concat",
    "extract",
    "zero_extend",
    "sign_extend",
    "store",
    "fill",
];

/// The width that a name such as `bv32` stands for.
pub(crate) fn width_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("bv")?;
    if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits
        .parse()
        .ok()
        .filter(|width| (1..=MAX_WIDTH).contains(width))
}

fn find(table: &[(&str, Op)], name: &str) -> Option<Op> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, op)| op)
}

impl Checker<'_> {
    /// The type of a call, as far as it can be told without checking it.
    pub(crate) fn natural_call(&self, function: &str, arguments: &[Argument]) -> Option<Type> {
        let natural = |index: usize| match arguments.get(index)? {
            Argument::Value(value) => self.natural(value),
            Argument::Range(..) => None,
        };
        if function == "any" {
            return Some(INT);
        }
        if find(&COMPARISONS, function).is_some() {
            return Some(BOOL);
        }
        if find(&OPERATIONS, function).is_some() {
            return natural(0).or_else(|| natural(1));
        }
        if let Some(width) = width_of(function) {
            return Some(Type::Plain(Kind::Bits(width)));
        }
        let number = |index: usize| match arguments.get(index)? {
            Argument::Value(value) => match value.form {
                Form::Number(number) => u32::try_from(number).ok(),
                _ => None,
            },
            Argument::Range(..) => None,
        };
        let width = |index: usize| match natural(index)? {
            Type::Plain(Kind::Bits(width)) => Some(width),
            _ => None,
        };
        let bits = |width: u32| Type::Plain(Kind::Bits(width));
        match function {
            "bvnot" | "bvneg" | "store" => natural(0),
            "concat" => Some(bits(width(0)?.checked_add(width(1)?)?)),
            "extract" => Some(bits(number(0)?.checked_sub(number(1)?)?.checked_add(1)?)),
            "zero_extend" | "sign_extend" => Some(bits(width(1)?.checked_add(number(0)?)?)),
            _ => None,
        }
    }

    pub(crate) fn call(
        &mut self,
        function: &Name,
        arguments: &[Argument],
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Typed> {
        let name = function.text.as_str();
        if name == "any" {
            return self.any_of(function, arguments, span);
        }
        if let Some(op) = find(&COMPARISONS, name) {
            return self.bit_operation(op, function, arguments, span, None, true);
        }
        if let Some(op) = find(&OPERATIONS, name) {
            return self.bit_operation(op, function, arguments, span, wanted, false);
        }
        if let Some(width) = width_of(name) {
            let values = self.values(function, arguments, 1)?;
            return self.check(values[0], Some(Type::Plain(Kind::Bits(width))));
        }
        match name {
            "bvnot" | "bvneg" => {
                let values = self.values(function, arguments, 1)?;
                let kind = self.natural(values[0]).or(wanted);
                let operand = self.check(values[0], kind)?;
                let op = if name == "bvnot" {
                    Op::BvNot
                } else {
                    Op::BvNeg
                };
                self.apply(op, vec![operand], span)
            }
            "concat" => {
                let values = self.values(function, arguments, 2)?;
                let high = self.check(values[0], None)?;
                let low = self.check(values[1], None)?;
                self.apply(Op::Concat, vec![high, low], span)
            }
            "extract" => {
                let values = self.values(function, arguments, 3)?;
                let high = self.small(values[0])?;
                let low = self.small(values[1])?;
                let operand = self.check(values[2], None)?;
                self.apply(Op::Extract { high, low }, vec![operand], span)
            }
            "zero_extend" | "sign_extend" => {
                let values = self.values(function, arguments, 2)?;
                let by = self.small(values[0])?;
                let operand = self.check(values[1], None)?;
                let op = match name {
                    "zero_extend" => Op::ZeroExtend { by },
                    _ => Op::SignExtend { by },
                };
                self.apply(op, vec![operand], span)
            }
            "store" => {
                let values = self.values(function, arguments, 3)?;
                let array = self.array(values[0], wanted)?;
                let Type::Array(kind) = array.kind else {
                    return None;
                };
                let position = self.position(kind, values[1]);
                let value = self.check(values[2], Some(Type::Plain(kind.element)));
                Some(Typed {
                    kind: array.kind,
                    node: Node::Apply(Op::Store, vec![array, position?, value?]),
                    span,
                })
            }
            "fill" => {
                let values = self.values(function, arguments, 1)?;
                let Some(kind @ Type::Array(array)) = wanted else {
                    self.findings.report(
                        Diagnostic::error(span, "which array is filled?")
                            .hint("`fill` takes its type from what it is assigned to"),
                    );
                    return None;
                };
                let value = self.check(values[0], Some(Type::Plain(array.element)))?;
                Some(Typed {
                    node: Node::Apply(Op::ConstArray(array.sort()), vec![value]),
                    kind,
                    span,
                })
            }
            "pc" => {
                self.findings.report(
                    Diagnostic::error(span, "a process cannot see where processes are")
                        .hint("`pc(p) = label` is for `error:`"),
                );
                None
            }
            _ => {
                let known = OPERATIONS
                    .iter()
                    .chain(&COMPARISONS)
                    .map(|&(known, _)| known);
                let diagnostic =
                    Diagnostic::error(function.span, format!("there is no function `{name}`"));
                self.findings
                    .report(suggest(diagnostic, name, known.chain(OTHERS)));
                None
            }
        }
    }

    /// `any(low..high)`
    fn any_of(&mut self, function: &Name, arguments: &[Argument], span: Span) -> Option<Typed> {
        let [Argument::Range(low, high)] = arguments else {
            self.findings.report(
                Diagnostic::error(function.span, "`any` takes a range, as in `any(0..3)`")
                    .hint("any value at all is written `*`"),
            );
            return None;
        };
        let range = self.range(low, high, MOST_VALUES, "this range")?;
        Some(Typed {
            node: Node::OneOf(range.map(Constant::Int).collect()),
            kind: INT,
            span,
        })
    }

    fn bit_operation(
        &mut self,
        op: Op,
        function: &Name,
        arguments: &[Argument],
        span: Span,
        wanted: Option<Type>,
        compares: bool,
    ) -> Option<Typed> {
        let values = self.values(function, arguments, 2)?;
        let kind = self
            .natural(values[0])
            .or_else(|| self.natural(values[1]))
            .or(if compares { None } else { wanted });
        let left = self.check(values[0], kind);
        let right = self.check(values[1], kind);
        self.apply(op, vec![left?, right?], span)
    }

    /// The operator applied to bit-vectors, if it fits them.
    fn apply(&mut self, op: Op, arguments: Vec<Typed>, span: Span) -> Option<Typed> {
        let sorts: Vec<_> = arguments.iter().map(|typed| typed.kind.sort()).collect();
        match op.result_sort(&sorts) {
            Ok(sort) => {
                let kind = match sort.width() {
                    Some(width) => Kind::Bits(width),
                    None => Kind::Bool,
                };
                Some(Typed {
                    node: Node::Apply(op, arguments),
                    kind: Type::Plain(kind),
                    span,
                })
            }
            Err(problem) => {
                self.findings
                    .report(Diagnostic::error(span, problem.to_string()));
                None
            }
        }
    }

    /// A constant that is a number of bits.
    fn small(&mut self, expression: &Expression) -> Option<u32> {
        let (constant, _) = self.constant(expression, Some(INT))?;
        let small = constant
            .as_index()
            .and_then(|value| u32::try_from(value).ok());
        if small.is_none_or(|value| value > MAX_WIDTH) {
            self.findings.report(Diagnostic::error(
                expression.span,
                format!("expected a number of bits, at most {MAX_WIDTH}"),
            ));
            return None;
        }
        small
    }

    /// The arguments of a call that takes values only.
    fn values<'e>(
        &mut self,
        function: &Name,
        arguments: &'e [Argument],
        count: usize,
    ) -> Option<Vec<&'e Expression>> {
        let values: Vec<&Expression> = arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Value(value) => Some(value),
                Argument::Range(..) => None,
            })
            .collect();
        if values.len() != count || arguments.len() != count {
            let plural = if count == 1 { "" } else { "s" };
            self.findings.report(Diagnostic::error(
                function.span,
                format!("`{}` takes {count} argument{plural}", function.text),
            ));
            return None;
        }
        Some(values)
    }
}
