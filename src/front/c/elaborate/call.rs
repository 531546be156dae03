//! Calls: of functions, of pointers, and of functions whose meaning is fixed.

use super::super::builtins::{self, Builtin, ResultType, Specification};
use super::super::clean::spelling;
use super::super::typed::{Callee, Expr, ExprKind};
use super::super::types::{FunctionType, IntKind, Type};
use super::expression::Operand;
use super::scope::Symbol;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Elaborator<'a> {
    pub(super) fn call(&mut self, call: &'a ast::CallExpression, span: Span) -> Result<Expr> {
        if let ast::Expression::Identifier(name) = &call.callee.node {
            let name = spelling(&name.node.name);
            match self.scopes.lookup(&name) {
                Some(Symbol::Function(_)) | None => {
                    return self.call_by_name(&name, call, span);
                }
                _ => {}
            }
        }
        match self.operand(&call.callee)? {
            Operand::Function(function, _) => {
                let name = self.functions[function.index()].name.clone();
                self.call_by_name(&name, call, span)
            }
            operand => {
                let pointer = self.value(operand)?;
                let Some(ty) = pointer.ty.function().cloned() else {
                    let ty = self.types.name(&pointer.ty);
                    return Err(self.error(span, format!("{ty} is not a function")));
                };
                let arguments = self.arguments(&ty, &call.arguments, span)?;
                Ok(Expr {
                    ty: ty.result.clone(),
                    span,
                    kind: ExprKind::Call(Callee::Pointer(Box::new(pointer)), arguments),
                })
            }
        }
    }

    fn call_by_name(
        &mut self,
        name: &str,
        call: &'a ast::CallExpression,
        span: Span,
    ) -> Result<Expr> {
        let declared = match self.scopes.lookup(name) {
            Some(Symbol::Function(function)) => Some(*function),
            _ => self.function_ids.get(name).copied(),
        };
        let has_body =
            declared.is_some_and(|function| self.functions[function.index()].definition.is_some());
        if let Some(specification) = builtins::lookup(name) {
            let own_section = self.options.atomic_bodies
                && matches!(
                    specification.builtin,
                    Builtin::AtomicBegin | Builtin::AtomicEnd
                );
            if !has_body || specification.fixed && !own_section {
                let declared = declared.map(|function| self.functions[function.index()].ty.clone());
                if has_body {
                    self.note_fixed_meaning(name, specification.builtin);
                }
                return self.call_builtin(name, &specification, declared, call, span);
            }
        }
        let function = match declared {
            Some(function) => function,
            None => {
                let ty = self.implicit_function();
                self.function(name, &ty, span)
            }
        };
        self.request_function(function);
        let ty = self.functions[function.index()].ty.clone();
        let arguments = self.arguments(&ty, &call.arguments, span)?;
        Ok(Expr {
            ty: ty.result.clone(),
            span,
            kind: ExprKind::Call(Callee::Function(function), arguments),
        })
    }

    fn note_fixed_meaning(&mut self, name: &str, builtin: Builtin) {
        let text = match builtin {
            Builtin::AtomicBegin | Builtin::AtomicEnd => format!(
                "`{name}` delimits atomic sections by convention, not by the body that it has here"
            ),
            Builtin::Stop => format!("`{name}` ends the program, whatever its body here does"),
            _ => return,
        };
        let function = self.function_ids.get(name).copied();
        let span = function.map(|function| self.functions[function.index()].span);
        if !self.assumptions.iter().any(|(known, _)| *known == text) {
            self.assumptions.push((text, span));
        }
    }

    /// Arguments converted to the parameters; those without one are promoted (C11 6.5.2.2).
    fn arguments(
        &mut self,
        ty: &Rc<FunctionType>,
        nodes: &'a [Node<ast::Expression>],
        span: Span,
    ) -> Result<Vec<Expr>> {
        let known = ty.parameters.as_deref().unwrap_or(&[]);
        let too_few = nodes.len() < known.len();
        let too_many = nodes.len() > known.len() && !ty.variadic && ty.parameters.is_some();
        if too_few || too_many {
            let (wanted, found) = (known.len(), nodes.len());
            return Err(self.error(
                span,
                format!("this function takes {wanted} arguments, not {found}"),
            ));
        }
        let mut arguments = Vec::new();
        for (index, node) in nodes.iter().enumerate() {
            let argument = self.expr(node)?;
            let to = match known.get(index) {
                Some(ty) => ty.clone(),
                None => self.types.promote(&argument.ty),
            };
            let argument_span = argument.span;
            arguments.push(self.convert(argument, &to, argument_span)?);
        }
        Ok(arguments)
    }

    fn call_builtin(
        &mut self,
        name: &str,
        specification: &Specification,
        declared: Option<Rc<FunctionType>>,
        call: &'a ast::CallExpression,
        span: Span,
    ) -> Result<Expr> {
        if specification.builtin == Builtin::Unsupported {
            return Err(self.unsupported(span, format!("`{name}`")));
        }
        if call.arguments.len() < specification.arguments {
            let wanted = specification.arguments;
            return Err(self.error(span, format!("`{name}` takes at least {wanted} arguments")));
        }
        let mut arguments = Vec::new();
        for (index, node) in call.arguments.iter().enumerate() {
            let argument = if specification.outputs.contains(&index) {
                self.output_argument(node)?
            } else {
                self.builtin_argument(specification.builtin, node)?
            };
            let parameter = parameter(name, specification, declared.as_deref(), index);
            arguments.push(match parameter {
                Some(ty) => {
                    let argument_span = argument.span;
                    self.convert(argument, &ty, argument_span)?
                }
                None => argument,
            });
        }
        if let Builtin::Overflow(_) = specification.builtin {
            self.check_overflow_arguments(name, &arguments, span)?;
        }
        if let Builtin::Bits(_, parameter) = specification.builtin {
            arguments = vec![self.bits_argument(name, parameter, arguments, span)?];
        }
        let declared = declared.map(|ty| ty.result.clone());
        let ty = match specification.result {
            ResultType::Pointee => match arguments[0].ty.pointee() {
                Some(to) => to.ty.clone(),
                None => return Err(self.error(span, format!("`{name}` needs a pointer"))),
            },
            ResultType::First => arguments[0].ty.clone(),
            ResultType::Long => Type::Int(IntKind::Long),
            ResultType::Bool => Type::Bool,
            ResultType::Void => Type::Void,
            ResultType::VoidPointer => Type::pointer_to(Type::Void),
            ResultType::Size => self.types.size_type(),
            ResultType::Int => match declared {
                Some(ty) => ty,
                None => nondet_type(name).unwrap_or(Type::INT),
            },
        };
        if specification.builtin == Builtin::Nondet {
            self.check_usable(&ty, span)?;
        }
        Ok(Expr {
            ty,
            span,
            kind: ExprKind::Call(Callee::Builtin(specification.builtin), arguments),
        })
    }

    /// Two numbers, and a pointer to where a number goes.
    fn check_overflow_arguments(
        &mut self,
        name: &str,
        arguments: &[Expr],
        span: Span,
    ) -> Result<()> {
        for argument in arguments {
            self.check_usable(&argument.ty, argument.span)?;
        }
        let fits = match arguments {
            [left, right, output] => {
                let to = output.ty.pointee().map(|to| &to.ty);
                left.ty.is_integer()
                    && right.ty.is_integer()
                    && to.is_some_and(|to| to.is_integer() && *to != Type::Bool)
            }
            _ => false,
        };
        match fits {
            true => Ok(()),
            false => Err(self.error(
                span,
                format!("`{name}` takes two numbers and a pointer to a number"),
            )),
        }
    }

    /// One number, of the type of the parameter.
    fn bits_argument(
        &mut self,
        name: &str,
        parameter: IntKind,
        arguments: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        let Ok([argument]) = <[Expr; 1]>::try_from(arguments) else {
            return Err(self.error(span, format!("`{name}` takes one argument")));
        };
        // What is as wide as `uint64_t` is of that type, `unsigned long` if this has 64 bits.
        let parameter = match parameter {
            IntKind::ULongLong if self.types.int_width(IntKind::ULong) == 64 => IntKind::ULong,
            other => other,
        };
        let argument_span = argument.span;
        self.convert(argument, &Type::Int(parameter), argument_span)
    }

    /// Arguments that are not looked at may be anything, floating point too.
    fn builtin_argument(
        &mut self,
        builtin: Builtin,
        node: &'a Node<ast::Expression>,
    ) -> Result<Expr> {
        let ignores = matches!(builtin, Builtin::Ignore(_) | Builtin::Error | Builtin::Stop);
        if ignores
            && let ast::Expression::Constant(constant) = &node.node
            && matches!(constant.node, ast::Constant::Float(_))
        {
            let span = self.span(node.span);
            return Ok(Expr {
                ty: Type::INT,
                span,
                kind: ExprKind::Int(0),
            });
        }
        self.expr(node)
    }
}

/// The type that the value of an argument gets before the function sees it, where that may
/// change a condition: a number may be zero only in a narrower type. `assert` itself is a macro,
/// which compares its argument as it is.
fn parameter(
    name: &str,
    specification: &Specification,
    declared: Option<&FunctionType>,
    index: usize,
) -> Option<Type> {
    match specification.builtin {
        Builtin::Expect if specification.result == ResultType::Long && index < 2 => {
            Some(Type::Int(IntKind::Long))
        }
        Builtin::Assume | Builtin::Assert if name != "assert" && index == 0 => {
            let parameters = declared.and_then(|ty| ty.parameters.as_deref());
            let first = parameters.and_then(<[Type]>::first).cloned();
            Some(first.unwrap_or(Type::INT))
        }
        _ => None,
    }
}

/// The type that the name of an SV-COMP input function stands for.
fn nondet_type(name: &str) -> Option<Type> {
    let suffix = name.strip_prefix("__VERIFIER_nondet_")?;
    Some(match suffix {
        "bool" | "_Bool" => Type::Bool,
        "char" => Type::CHAR,
        "uchar" | "unsigned_char" | "u8" => Type::Int(IntKind::UChar),
        "short" => Type::Int(IntKind::Short),
        "ushort" | "u16" => Type::Int(IntKind::UShort),
        "uint" | "unsigned" | "unsigned_int" | "u32" => Type::UINT,
        "long" | "loff_t" => Type::Int(IntKind::Long),
        "ulong" | "size_t" | "sector_t" => Type::Int(IntKind::ULong),
        "longlong" => Type::Int(IntKind::LongLong),
        "ulonglong" | "u64" => Type::Int(IntKind::ULongLong),
        "pointer" | "pchar" => Type::pointer_to(Type::Void),
        "float" => Type::Float("float", 4),
        "double" => Type::Float("double", 8),
        _ => Type::INT,
    })
}
