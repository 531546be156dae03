//! Expressions: names, members, sizes, and the conversion of lvalues to values.

use super::super::clean::{SAME_AS_CONDITION, spelling};
use super::super::typed::{Expr, ExprKind, Lvalue, LvalueKind, VariableId};
use super::super::types::{FunctionType, Length, Qualified, RecordId, Type};
use super::literal::{character_literal, string_literal};
use super::scope::Symbol;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

/// What an expression denotes before lvalues become values.
pub(super) enum Operand {
    Lvalue(Lvalue),
    Function(super::FunctionId, Span),
    Value(Expr),
}

impl<'a> Elaborator<'a> {
    /// The value of an expression; arrays and functions become pointers (C11 6.3.2.1).
    pub(super) fn expr(&mut self, node: &'a Node<ast::Expression>) -> Result<Expr> {
        let operand = self.operand(node)?;
        self.value(operand)
    }

    pub(super) fn value(&mut self, operand: Operand) -> Result<Expr> {
        match operand {
            Operand::Value(expr) => Ok(expr),
            Operand::Function(function, span) => Ok(self.function_address(function, span)),
            Operand::Lvalue(lvalue) => match &lvalue.ty.ty {
                Type::Array(element, _) => {
                    let ty = Type::Pointer(element.clone());
                    let span = lvalue.span;
                    self.mark_address_taken(&lvalue);
                    Ok(address(lvalue, ty, span))
                }
                Type::Float(..) | Type::VaList => {
                    let (ty, span) = (lvalue.ty.ty.clone(), lvalue.span);
                    self.check_usable(&ty, span)?;
                    unreachable_value(span)
                }
                Type::Void => {
                    let span = lvalue.span;
                    Ok(Expr {
                        ty: Type::Void,
                        span,
                        kind: ExprKind::Int(0),
                    })
                }
                ty => {
                    let (ty, span) = (ty.clone(), lvalue.span);
                    let promoted = self.promoted_bit_field(&lvalue);
                    let load = Expr {
                        ty,
                        span,
                        kind: ExprKind::Load(Box::new(lvalue)),
                    };
                    match promoted {
                        Some(to) => self.convert(load, &to, span),
                        None => Ok(load),
                    }
                }
            },
        }
    }

    /// The type that a bit-field is promoted to: `int` can represent it though it may not
    /// represent all of its declared type (C11 6.3.1.1).
    pub(super) fn promoted_bit_field(&self, lvalue: &Lvalue) -> Option<Type> {
        let LvalueKind::Member(_, record, field) = lvalue.kind else {
            return None;
        };
        let fields = self.types.record(record).fields.as_deref()?;
        (fields[field].bits? < self.types.width(&Type::INT)).then_some(Type::INT)
    }

    pub(super) fn function_address(&mut self, function: super::FunctionId, span: Span) -> Expr {
        self.request_function(function);
        if !self.addressed_functions.contains(&function) {
            self.addressed_functions.push(function);
        }
        let ty = Type::Function(self.functions[function.index()].ty.clone());
        Expr {
            ty: Type::pointer_to(ty),
            span,
            kind: ExprKind::FunctionAddress(function),
        }
    }

    pub(super) fn lvalue(&mut self, node: &'a Node<ast::Expression>) -> Result<Lvalue> {
        let span = self.span(node.span);
        match self.operand(node)? {
            Operand::Lvalue(lvalue) => Ok(lvalue),
            _ => Err(self.error(span, "this is not something that can be assigned to")),
        }
    }

    /// The type that `sizeof` and `typeof` see.
    pub(super) fn type_of(&mut self, node: &'a Node<ast::Expression>) -> Result<Qualified> {
        Ok(match self.operand(node)? {
            Operand::Lvalue(lvalue) => lvalue.ty,
            Operand::Value(expr) => expr.ty.into(),
            Operand::Function(function, _) => {
                Type::Function(self.functions[function.index()].ty.clone()).into()
            }
        })
    }

    pub(super) fn operand(&mut self, node: &'a Node<ast::Expression>) -> Result<Operand> {
        use ast::Expression as E;
        let span = self.span(node.span);
        let value = |kind, ty| Ok(Operand::Value(Expr { ty, span, kind }));
        match &node.node {
            E::Identifier(name) => self.identifier(&spelling(&name.node.name), span),
            E::Constant(constant) => match &constant.node {
                ast::Constant::Integer(integer) => match self.integer_literal(integer) {
                    Some((number, ty)) => value(ExprKind::Int(number), ty),
                    None if integer.suffix.imaginary => {
                        Err(self.unsupported(span, "an imaginary number"))
                    }
                    None => Err(self.error(span, "this number does not fit 64 bits")),
                },
                ast::Constant::Character(text) => match character_literal(text) {
                    Some(number) => value(ExprKind::Int(number), Type::INT),
                    None => Err(self.error(span, "this is not a character")),
                },
                ast::Constant::Float(_) => Err(self.unsupported(span, "floating point")),
            },
            E::StringLiteral(parts) => match string_literal(&parts.node) {
                Some(bytes) => Ok(Operand::Lvalue(self.string(bytes, span))),
                None => Err(self.unsupported(span, "a wide string")),
            },
            E::Member(member) => self.member(&member.node, span),
            E::Call(call) => self.call(&call.node, span).map(Operand::Value),
            E::UnaryOperator(unary) => self.unary(&unary.node, span),
            E::BinaryOperator(binary) => self.binary(&binary.node, span),
            E::Conditional(conditional) => self.conditional(&conditional.node, span),
            E::Comma(parts) => self.comma(parts, span),
            E::Cast(cast) => {
                let to = self.type_name(&cast.node.type_name.node)?.ty;
                let expr = self.expr(&cast.node.expression)?;
                self.cast(expr, &to, span).map(Operand::Value)
            }
            E::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0.node)?;
                self.size_of(&ty.ty, span)
            }
            E::SizeOfVal(size) => {
                let ty = self.type_of(&size.node.0)?;
                self.size_of(&ty.ty, span)
            }
            E::AlignOf(align) => {
                let ty = self.type_name(&align.node.0.node)?;
                let align = self.types.align(&ty.ty);
                value(ExprKind::Int(align.into()), self.types.size_type())
            }
            E::OffsetOf(offset) => {
                let bytes = self.offset_of(&offset.node, span)?;
                value(ExprKind::Int(bytes.into()), self.types.size_type())
            }
            E::CompoundLiteral(literal) => {
                let ty = self.type_name(&literal.node.type_name.node)?;
                self.compound_literal(ty, &literal.node.initializer_list, span)
            }
            E::Statement(statement) => self.statement_expression(statement, span),
            E::GenericSelection(selection) => self.generic(&selection.node, span),
            E::VaArg(_) => Err(self.unsupported(span, "va_arg")),
        }
    }

    fn identifier(&mut self, name: &str, span: Span) -> Result<Operand> {
        match self.scopes.lookup(name).cloned() {
            Some(Symbol::Variable(variable)) => Ok(Operand::Lvalue(self.variable(variable, span))),
            Some(Symbol::Function(function)) => Ok(Operand::Function(function, span)),
            Some(Symbol::Enumerator(number, ty)) => Ok(Operand::Value(Expr {
                ty,
                span,
                kind: ExprKind::Int(number),
            })),
            Some(Symbol::Typedef(_)) => {
                Err(self.error(span, format!("`{name}` is a type, not a value")))
            }
            None => match name {
                "NULL" => Ok(Operand::Value(Expr {
                    ty: Type::pointer_to(Type::Void),
                    span,
                    kind: ExprKind::Int(0),
                })),
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                    let bytes = self.current.name.clone().into_bytes();
                    Ok(Operand::Lvalue(self.string(bytes, span)))
                }
                SAME_AS_CONDITION => Err(self.error(span, "syntax error at `?`")),
                // A function that the file uses as a value without declaring it.
                _ if self.function_ids.contains_key(name) => {
                    Ok(Operand::Function(self.function_ids[name], span))
                }
                _ => Err(self.error(span, format!("`{name}` is not declared"))),
            },
        }
    }

    fn variable(&mut self, variable: VariableId, span: Span) -> Lvalue {
        let ty = match variable {
            VariableId::Global(global) => {
                self.request_global(global);
                self.globals[global.index()].global.ty.clone()
            }
            VariableId::Local(local) => self.current.locals[local.index()].ty.clone(),
        };
        Lvalue {
            ty,
            span,
            kind: LvalueKind::Variable(variable),
        }
    }

    pub(super) fn string(&mut self, mut bytes: Vec<u8>, span: Span) -> Lvalue {
        bytes.push(0);
        let length = bytes.len() as u64;
        let string = self.add_string(bytes);
        Lvalue {
            ty: Type::array_of(Type::CHAR, length).into(),
            span,
            kind: LvalueKind::String(string),
        }
    }

    fn member(&mut self, member: &'a ast::MemberExpression, span: Span) -> Result<Operand> {
        let name = spelling(&member.identifier.node.name);
        let base = match member.operator.node {
            ast::MemberOperator::Indirect => {
                let pointer = self.expr(&member.expression)?;
                self.dereference(pointer, span)?
            }
            ast::MemberOperator::Direct => match self.operand(&member.expression)? {
                Operand::Lvalue(lvalue) => lvalue,
                other => {
                    let expr = self.value(other)?;
                    self.temporary(expr)
                }
            },
        };
        self.field_of(base, &name, span).map(Operand::Lvalue)
    }

    /// A structure that is not an object becomes one, so that its fields can be named.
    pub(super) fn temporary(&mut self, expr: Expr) -> Lvalue {
        let span = expr.span;
        let ty: Qualified = expr.ty.clone().into();
        let local = self.add_local("temporary".to_owned(), ty.clone(), span);
        Lvalue {
            ty,
            span,
            kind: LvalueKind::Temporary(local, Box::new(expr)),
        }
    }

    fn field_of(&mut self, base: Lvalue, name: &str, span: Span) -> Result<Lvalue> {
        let Type::Record(record) = base.ty.ty else {
            let ty = self.types.name(&base.ty.ty);
            return Err(self.error(span, format!("{ty} has no fields")));
        };
        let Some(path) = self.find_field(record, name) else {
            let ty = self.types.name(&base.ty.ty);
            let complete = self.types.record(record).fields.is_some();
            let problem = if complete {
                format!("{ty} has no field `{name}`")
            } else {
                format!("{ty} is not defined")
            };
            return Err(self.error(span, problem));
        };
        Ok(self.follow(base, &path, span))
    }

    /// The fields that lead to a name, through anonymous structures and unions.
    pub(super) fn find_field(
        &self,
        record: RecordId,
        name: &str,
    ) -> Option<Vec<(RecordId, usize)>> {
        let fields = self.types.record(record).fields.as_ref()?;
        for (index, field) in fields.iter().enumerate() {
            match (&field.name, &field.ty.ty) {
                (Some(own), _) if own == name => return Some(vec![(record, index)]),
                (None, Type::Record(inner)) => {
                    if let Some(mut path) = self.find_field(*inner, name) {
                        path.insert(0, (record, index));
                        return Some(path);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn follow(&self, base: Lvalue, path: &[(RecordId, usize)], span: Span) -> Lvalue {
        let mut lvalue = base;
        for &(record, index) in path {
            let fields = self.types.record(record).fields.as_deref().unwrap_or(&[]);
            let mut ty = fields[index].ty.clone();
            ty.is_const |= lvalue.ty.is_const;
            lvalue = Lvalue {
                ty,
                span,
                kind: LvalueKind::Member(Box::new(lvalue), record, index),
            };
        }
        lvalue
    }

    pub(super) fn dereference(&mut self, pointer: Expr, span: Span) -> Result<Lvalue> {
        let Some(to) = pointer.ty.pointee().cloned() else {
            let ty = self.types.name(&pointer.ty);
            return Err(self.error(span, format!("{ty} is not a pointer")));
        };
        Ok(Lvalue {
            ty: to,
            span,
            kind: match pointer.kind {
                // `*&x` is `x`.
                ExprKind::AddressOf(inner) if !matches!(inner.ty.ty, Type::Array(..)) => {
                    return Ok(*inner);
                }
                kind => LvalueKind::Deref(Box::new(Expr { kind, ..pointer })),
            },
        })
    }

    fn size_of(&mut self, ty: &Type, span: Span) -> Result<Operand> {
        if matches!(ty, Type::Array(_, Length::Variable)) {
            return Err(self.unsupported(span, "sizeof of an array without constant length"));
        }
        match self.types.size(ty) {
            Some(size) => Ok(Operand::Value(Expr {
                ty: self.types.size_type(),
                span,
                kind: ExprKind::Int(size.into()),
            })),
            None => {
                let ty = self.types.name(ty);
                Err(self.error(span, format!("{ty} has no size")))
            }
        }
    }

    fn offset_of(&mut self, offset: &'a ast::OffsetOfExpression, span: Span) -> Result<u64> {
        let mut ty = self.type_name(&offset.type_name.node)?.ty;
        let mut bits = 0;
        let mut names = vec![spelling(&offset.designator.node.base.node.name)];
        names.extend(offset.designator.node.members.iter().filter_map(
            |member| match &member.node {
                ast::OffsetMember::Member(name) | ast::OffsetMember::IndirectMember(name) => {
                    Some(spelling(&name.node.name))
                }
                ast::OffsetMember::Index(_) => None,
            },
        ));
        if names.len() != offset.designator.node.members.len() + 1 {
            return Err(self.unsupported(span, "an index in offsetof"));
        }
        for name in names {
            let path = match ty {
                Type::Record(record) => self.find_field(record, &name),
                _ => None,
            };
            let Some(path) = path else {
                return Err(self.error(span, format!("there is no field `{name}`")));
            };
            for (record, index) in path {
                let fields = self.types.record(record).fields.as_deref().unwrap_or(&[]);
                bits += fields[index].offset;
                ty = fields[index].ty.ty.clone();
            }
        }
        Ok(bits / 8)
    }

    fn compound_literal(
        &mut self,
        ty: Qualified,
        items: &'a [Node<ast::InitializerListItem>],
        span: Span,
    ) -> Result<Operand> {
        let (complete, initializer) = self.initializer_list(&ty, items, span)?;
        let ty = Qualified { ty: complete, ..ty };
        let local = self.add_local("literal".to_owned(), ty.clone(), span);
        self.current.locals[local.index()].address_taken = true;
        Ok(Operand::Lvalue(Lvalue {
            ty,
            span,
            kind: LvalueKind::CompoundLiteral(local, Box::new(initializer)),
        }))
    }

    fn generic(&mut self, selection: &'a ast::GenericSelection, span: Span) -> Result<Operand> {
        let ty = self.expr(&selection.expression)?.ty;
        let mut default = None;
        for association in &selection.associations {
            match &association.node {
                ast::GenericAssociation::Default(expression) => default = Some(expression),
                ast::GenericAssociation::Type(of) => {
                    if self.type_name(&of.node.type_name.node)?.ty == ty {
                        return self.operand(&of.node.expression);
                    }
                }
            }
        }
        match default {
            Some(expression) => self.operand(expression),
            None => {
                let ty = self.types.name(&ty);
                Err(self.error(span, format!("no association of _Generic fits {ty}")))
            }
        }
    }

    /// The type of a function that is called without a declaration.
    pub(super) fn implicit_function(&self) -> Rc<FunctionType> {
        Rc::new(FunctionType {
            result: Type::INT,
            parameters: None,
            variadic: false,
        })
    }
}

pub(super) fn address(lvalue: Lvalue, ty: Type, span: Span) -> Expr {
    match lvalue.kind {
        // `&*p` is `p`.
        LvalueKind::Deref(pointer) => Expr {
            ty,
            span,
            kind: match pointer.ty.pointee() {
                Some(_) => ExprKind::Cast(pointer),
                None => pointer.kind,
            },
        },
        kind => Expr {
            ty,
            span,
            kind: ExprKind::AddressOf(Box::new(Lvalue {
                kind,
                ty: lvalue.ty,
                span: lvalue.span,
            })),
        },
    }
}

/// Only reached after [`Elaborator::check_usable`] has reported the type.
fn unreachable_value(span: Span) -> Result<Expr> {
    Ok(Expr {
        ty: Type::INT,
        span,
        kind: ExprKind::Int(0),
    })
}
