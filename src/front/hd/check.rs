//! From written expressions to typed ones.
//!
//! A number fits `int` and every `bvN`, and `*` fits everything, so types are passed down
//! from where they are known: from the assigned variable, from the other operand.

use super::processes::Processes;
use super::scope::{Declared, Findings, Meaning, Names, suggest};
use super::syntax::{self, Binary, Expression, Form, Unary};
use super::typed::*;
use heddle_diagnostics::{Diagnostic, Span};
use heddle_program::{Constant, Op};

/// What an expression may mention.
pub(crate) struct Checker<'a> {
    pub(crate) findings: &'a mut Findings,
    pub(crate) globals: &'a Names,
    /// The names of the process that the expression stands in.
    pub(crate) locals: Option<&'a Names>,
    /// The processes, where their local variables can be seen: in `error:`.
    pub(crate) processes: Option<&'a Processes>,
}

impl Checker<'_> {
    fn lookup(&self, name: &str) -> Option<Declared> {
        let local = self.locals.and_then(|names| names.0.get(name));
        local.or_else(|| self.globals.0.get(name)).copied()
    }

    /// A condition.
    pub(crate) fn condition(&mut self, expression: &Expression) -> Option<Typed> {
        self.check(expression, Some(BOOL))
    }

    /// The expression as a value of the wanted type, if one is wanted.
    pub(crate) fn check(&mut self, expression: &Expression, wanted: Option<Type>) -> Option<Typed> {
        let span = expression.span;
        let typed = |node: Node, kind: Type| Some(Typed { node, kind, span });
        let found = match &expression.form {
            Form::Number(number) => self.number(*number, span, wanted)?,
            Form::LargeNumber(number) => self.large_number(*number, span, wanted)?,
            Form::Truth(truth) => {
                let constant = Constant::Bool(*truth);
                typed(Node::Constant(constant), BOOL)?
            }
            Form::Any => self.any_value(span, wanted)?,
            Form::Name(name) => match self.name(name, span)? {
                Typed {
                    node: Node::Constant(Constant::Int(number)),
                    kind: INT,
                    ..
                } => self.number(number, span, wanted)?,
                other => other,
            },
            Form::Element(array, index) => self.element(array, index, span)?,
            Form::Member(process, member) => self.member(process, member, span)?,
            Form::Call(function, arguments) => self.call(function, arguments, span, wanted)?,
            Form::Unary(Unary::Not, operand) => {
                let operand = self.condition(operand)?;
                typed(Node::Apply(Op::Not, vec![operand]), BOOL)?
            }
            Form::Unary(Unary::Minus, operand) => self.negation(operand, span, wanted)?,
            Form::Chain(Binary::Plus, operands) => {
                let kind = self.arithmetic_type(operands.iter(), "+", span, wanted)?;
                self.sum(operands, kind, span)?
            }
            Form::Chain(operator, operands) => {
                let operands: Vec<Option<Typed>> = operands
                    .iter()
                    .map(|operand| self.condition(operand))
                    .collect();
                let operands = operands.into_iter().collect::<Option<Vec<Typed>>>()?;
                let op = if *operator == Binary::And {
                    Op::And
                } else {
                    Op::Or
                };
                typed(Node::Apply(op, operands), BOOL)?
            }
            Form::Binary(operator, left, right) => {
                self.binary(*operator, left, right, span, wanted)?
            }
            Form::Choice(condition, then, otherwise) => {
                let kind = wanted
                    .or_else(|| self.natural(then))
                    .or_else(|| self.natural(otherwise));
                let condition = self.condition(condition);
                let then = self.check(then, kind);
                let kind = kind.or(then.as_ref().map(|then| then.kind));
                let otherwise = self.check(otherwise, kind)?;
                let kind = otherwise.kind;
                typed(
                    Node::Apply(Op::Ite, vec![condition?, then?, otherwise]),
                    kind,
                )?
            }
        };
        match wanted {
            Some(wanted) if wanted != found.kind => {
                self.clash(wanted, &found);
                None
            }
            _ => Some(found),
        }
    }

    /// Reports a value of the wrong type.
    fn clash(&mut self, wanted: Type, found: &Typed) {
        let (wanted_name, found_name) =
            (self.findings.show(wanted), self.findings.show(found.kind));
        let mut diagnostic = Diagnostic::error(
            found.span,
            format!("expected `{wanted_name}`, but this is `{found_name}`"),
        );
        if let (BOOL, Type::Plain(Kind::Int | Kind::Bits(_))) = (wanted, found.kind) {
            diagnostic = diagnostic.hint("a number is no condition: compare it, as in `x != 0`");
        }
        self.findings.report(diagnostic);
    }

    /// The type that an expression has by itself; `None` if it takes what is wanted.
    /// Reports nothing.
    pub(crate) fn natural(&self, expression: &Expression) -> Option<Type> {
        match &expression.form {
            Form::Number(_) | Form::LargeNumber(_) | Form::Any => None,
            Form::Truth(_) | Form::Unary(Unary::Not, _) => Some(BOOL),
            Form::Name(name) => match self.lookup(name)?.meaning {
                Meaning::Variable(_, kind) => Some(kind),
                Meaning::Constant(_, Kind::Int) => None,
                Meaning::Constant(_, kind) => Some(Type::Plain(kind)),
            },
            Form::Element(array, _) => Some(Type::Plain(self.natural(array)?.element())),
            Form::Member(process, member) => {
                let declared = self.process_local(process, &member.text)?;
                match declared.meaning {
                    Meaning::Variable(_, kind) => Some(kind),
                    Meaning::Constant(_, kind) => Some(Type::Plain(kind)),
                }
            }
            Form::Call(function, arguments) => self.natural_call(&function.text, arguments),
            Form::Unary(Unary::Minus, operand) => self.natural(operand),
            Form::Chain(Binary::Plus, operands) => {
                operands.iter().find_map(|operand| self.natural(operand))
            }
            Form::Chain(..) => Some(BOOL),
            Form::Binary(
                Binary::Minus | Binary::Times | Binary::Divide | Binary::Modulo,
                left,
                right,
            ) => self.natural(left).or_else(|| self.natural(right)),
            Form::Binary(..) => Some(BOOL),
            Form::Choice(_, then, otherwise) => {
                self.natural(then).or_else(|| self.natural(otherwise))
            }
        }
    }

    /// A number as `int`, or as a bit-vector where one is wanted.
    pub(crate) fn number(
        &mut self,
        number: i128,
        span: Span,
        wanted: Option<Type>,
    ) -> Option<Typed> {
        let (constant, kind) = match wanted {
            Some(Type::Plain(Kind::Bits(width))) => {
                if !fits(number, width) {
                    let message = format!("{number} does not fit into {width} bits");
                    self.findings.report(Diagnostic::error(span, message));
                    return None;
                }
                (Constant::bit_vec(width, number), Kind::Bits(width))
            }
            _ => (Constant::Int(number), Kind::Int),
        };
        Some(Typed {
            node: Node::Constant(constant),
            kind: Type::Plain(kind),
            span,
        })
    }

    fn large_number(&mut self, number: u128, span: Span, wanted: Option<Type>) -> Option<Typed> {
        let kind = Type::Plain(Kind::Bits(128));
        if wanted != Some(kind) {
            self.findings
                .report(
                    Diagnostic::error(span, "this number is too large").hint(format!(
                        "the largest is {}; only `bv128` has larger ones",
                        i128::MAX
                    )),
                );
            return None;
        }
        let constant = Constant::BitVec {
            width: 128,
            bits: number,
        };
        Some(Typed {
            node: Node::Constant(constant),
            kind,
            span,
        })
    }

    fn any_value(&mut self, span: Span, wanted: Option<Type>) -> Option<Typed> {
        let Some(kind) = wanted else {
            self.findings.report(
                Diagnostic::error(span, "any value of which type?")
                    .hint("`*` takes its type from what it is assigned to or compared with"),
            );
            return None;
        };
        let node = match kind {
            Type::Plain(Kind::Enum(EnumId(index))) => {
                let count = self.findings.enumerations[index].enumeration.values.len();
                Node::OneOf((0..count as i128).map(Constant::Int).collect())
            }
            Type::Array(ArrayType {
                element: Kind::Enum(_),
                ..
            }) => {
                self.findings.report(
                    Diagnostic::error(span, "`*` is no array of an enumeration")
                        .hint("assign `*` to its elements, one at a time"),
                );
                return None;
            }
            _ => Node::Any,
        };
        Some(Typed { node, kind, span })
    }

    fn name(&mut self, name: &str, span: Span) -> Option<Typed> {
        let Some(declared) = self.lookup(name) else {
            let diagnostic = Diagnostic::error(span, format!("`{name}` is not declared"));
            let known = self.locals.into_iter().chain([self.globals]);
            let known = known.flat_map(|names| names.0.keys().map(String::as_str));
            let diagnostic = suggest(diagnostic, name, known);
            self.findings.report(diagnostic);
            return None;
        };
        Some(self.mention(declared, span))
    }

    fn mention(&mut self, declared: Declared, span: Span) -> Typed {
        self.findings.used.insert(declared.span);
        let (node, kind) = match declared.meaning {
            Meaning::Variable(variable, kind) => (Node::Variable(variable), kind),
            Meaning::Constant(constant, kind) => (Node::Constant(constant), Type::Plain(kind)),
        };
        Typed { node, kind, span }
    }

    fn element(&mut self, array: &Expression, index: &Expression, span: Span) -> Option<Typed> {
        let array = self.array(array, None)?;
        let Type::Array(kind) = array.kind else {
            return None;
        };
        let position = self.position(kind, index)?;
        Some(Typed {
            node: Node::Apply(Op::Select, vec![array, position]),
            kind: Type::Plain(kind.element),
            span,
        })
    }

    pub(crate) fn array(&mut self, array: &Expression, wanted: Option<Type>) -> Option<Typed> {
        let found = self.check(array, wanted)?;
        if let Type::Plain(_) = found.kind {
            let shown = self.findings.show(found.kind);
            self.findings.report(
                Diagnostic::error(array.span, "this is not an array")
                    .label(format!("it is `{shown}`")),
            );
            return None;
        }
        Some(found)
    }

    /// An index into an array of this type.
    pub(crate) fn position(&mut self, kind: ArrayType, index: &Expression) -> Option<Typed> {
        let index = self.check(index, Some(Type::Plain(kind.index)))?;
        if !self.findings.unchecked
            && let Node::Constant(constant) = index.node
            && let Some(position) = constant.as_index()
            && !(kind.low..kind.low + i128::from(kind.length)).contains(&position)
        {
            let last = kind.low + i128::from(kind.length) - 1;
            self.findings.report(
                Diagnostic::error(index.span, format!("there is no element {position}"))
                    .label(format!("the indices are {} to {last}", kind.low)),
            );
            return None;
        }
        let span = index.span;
        Some(Typed {
            node: Node::Position(kind, Box::new(index)),
            kind: Type::Plain(kind.index),
            span,
        })
    }

    /// The process and index that an expression such as `p` or `p[1]` names.
    pub(crate) fn process_name<'e>(
        &mut self,
        expression: &'e Expression,
    ) -> Option<(&'e str, Option<i128>)> {
        match &expression.form {
            Form::Name(name) => Some((name, None)),
            Form::Element(family, index) if matches!(family.form, Form::Name(_)) => {
                let Form::Name(name) = &family.form else {
                    return None;
                };
                let index = self.constant(index, Some(INT))?.0;
                Some((name, index.as_index()))
            }
            _ => {
                self.findings.report(
                    Diagnostic::error(expression.span, "expected the name of a process")
                        .hint("a process is named as `p`, one of a family as `p[1]`"),
                );
                None
            }
        }
    }

    fn process_local(&self, process: &Expression, member: &str) -> Option<Declared> {
        let processes = self.processes?;
        match &process.form {
            Form::Name(name) => processes.local(name, None, member),
            Form::Element(family, index) => match (&family.form, &index.form) {
                (Form::Name(name), Form::Number(index)) => {
                    processes.local(name, Some(*index), member)
                }
                (Form::Name(name), Form::Name(constant)) => match self.lookup(constant)?.meaning {
                    Meaning::Constant(constant, Kind::Int) => {
                        processes.local(name, constant.as_index(), member)
                    }
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        }
    }

    fn member(&mut self, process: &Expression, member: &syntax::Name, span: Span) -> Option<Typed> {
        let Some(processes) = self.processes else {
            self.findings.report(
                Diagnostic::error(span, "a process sees only its own local variables")
                    .hint("`p.x` is for `error:`; what processes share is declared `shared`"),
            );
            return None;
        };
        let (name, index) = self.process_name(process)?;
        match processes.local(name, index, &member.text) {
            Some(declared) => Some(self.mention(declared, span)),
            None => {
                let message = match index {
                    Some(index) => {
                        format!("there is no local `{}` of `{name}[{index}]`", member.text)
                    }
                    None => format!("there is no local `{}` of `{name}`", member.text),
                };
                self.findings.report(Diagnostic::error(span, message));
                None
            }
        }
    }
}

/// Whether a number can be written in so many bits, with or without a sign.
fn fits(number: i128, width: u32) -> bool {
    if width >= 128 {
        return true;
    }
    let beyond = 1i128.checked_shl(width).filter(|&beyond| beyond > 0);
    let below = -(1i128 << (width - 1));
    number >= below && beyond.is_none_or(|beyond| number < beyond)
}
