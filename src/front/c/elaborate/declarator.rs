//! Declarators: what stars, brackets and parentheses make of a type (C11 6.7.6).

use super::super::clean::spelling;
use super::super::typed::{Expr, VariableId};
use super::super::types::{FunctionType, Length, Qualified, Type};
use super::scope::Symbol;
use super::specifier::qualify;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

/// A parameter of a function declarator.
pub(super) type Parameter = (Option<String>, Type, Span);

impl<'a> Elaborator<'a> {
    pub(super) fn type_name(&mut self, name: &'a ast::TypeName) -> Result<Qualified> {
        let base = self.specifier_qualifiers(&name.specifiers)?;
        match &name.declarator {
            Some(declarator) => Ok(self.declarator(base, &declarator.node)?.1),
            None => Ok(base),
        }
    }

    pub(super) fn declarator(
        &mut self,
        base: Qualified,
        declarator: &'a ast::Declarator,
    ) -> Result<(Option<String>, Qualified)> {
        self.declarator_with_length(base, declarator, &mut None)
    }

    /// Applies a declarator to a type. If the outermost array has a length that is not
    /// constant, its expression is put into `length`.
    pub(super) fn declarator_with_length(
        &mut self,
        base: Qualified,
        declarator: &'a ast::Declarator,
        length: &mut Option<Expr>,
    ) -> Result<(Option<String>, Qualified)> {
        let mut ty = base;
        let suffixes = declarator
            .derived
            .iter()
            .position(|derived| !matches!(derived.node, ast::DerivedDeclarator::Pointer(_)))
            .unwrap_or(declarator.derived.len());
        for pointer in &declarator.derived[..suffixes] {
            let (mut is_const, mut is_atomic) = (false, false);
            if let ast::DerivedDeclarator::Pointer(qualifiers) = &pointer.node {
                for qualifier in qualifiers {
                    if let ast::PointerQualifier::TypeQualifier(qualifier) = &qualifier.node {
                        qualify(&qualifier.node, &mut is_const, &mut is_atomic);
                    }
                }
            }
            ty = Qualified {
                ty: Type::Pointer(Rc::new(ty)),
                is_const,
                is_atomic,
            };
        }
        let is_inner = matches!(declarator.kind.node, ast::DeclaratorKind::Declarator(_));
        for (position, derived) in declarator.derived[suffixes..].iter().enumerate().rev() {
            let span = self.span(derived.span);
            ty = match &derived.node {
                ast::DerivedDeclarator::Array(array) => {
                    let outermost = position == 0 && !is_inner;
                    self.array_type(ty, &array.node, span, length, outermost)?
                }
                ast::DerivedDeclarator::Function(function) => {
                    let parameters = self.parameters(&function.node)?;
                    Type::Function(Rc::new(FunctionType {
                        result: ty.ty,
                        parameters: parameters
                            .map(|all| all.into_iter().map(|(_, ty, _)| ty).collect()),
                        variadic: function.node.ellipsis == ast::Ellipsis::Some,
                    }))
                    .into()
                }
                ast::DerivedDeclarator::KRFunction(_) => Type::Function(Rc::new(FunctionType {
                    result: ty.ty,
                    parameters: None,
                    variadic: false,
                }))
                .into(),
                ast::DerivedDeclarator::Pointer(_) => Type::Pointer(Rc::new(ty)).into(),
                ast::DerivedDeclarator::Block(_) => {
                    return Err(self.unsupported(span, "a block"));
                }
            };
        }
        match &declarator.kind.node {
            ast::DeclaratorKind::Abstract => Ok((None, ty)),
            ast::DeclaratorKind::Identifier(name) => Ok((Some(spelling(&name.node.name)), ty)),
            ast::DeclaratorKind::Declarator(inner) => {
                self.declarator_with_length(ty, &inner.node, length)
            }
        }
    }

    fn array_type(
        &mut self,
        element: Qualified,
        array: &'a ast::ArrayDeclarator,
        span: Span,
        length: &mut Option<Expr>,
        outermost: bool,
    ) -> Result<Qualified> {
        let size = match &array.size {
            ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => Length::Unknown,
            ast::ArraySize::VariableExpression(size) | ast::ArraySize::StaticExpression(size) => {
                let expr = self.expr(size)?;
                match self.evaluate(&expr) {
                    Some(value) => match u64::try_from(value) {
                        Ok(value) => Length::Known(value),
                        Err(_) => return Err(self.error(span, "an array of negative length")),
                    },
                    None if outermost && !self.scopes.is_file_scope() => {
                        *length = Some(expr);
                        Length::Variable
                    }
                    None => {
                        return Err(self.unsupported(
                            span,
                            "an array type whose length is not a constant here",
                        ));
                    }
                }
            }
        };
        let is_const = element.is_const;
        Ok(Qualified {
            ty: Type::Array(Rc::new(element), size),
            is_const,
            is_atomic: false,
        })
    }

    /// `None` if the declaration leaves its parameters open: `f()`.
    pub(super) fn parameters(
        &mut self,
        function: &'a ast::FunctionDeclarator,
    ) -> Result<Option<Vec<Parameter>>> {
        let mut parameters = Vec::new();
        self.scopes.enter();
        let result = self.parameter_list(function, &mut parameters);
        self.scopes.leave();
        result?;
        let is_void = |parameter: &Parameter| parameter.0.is_none() && parameter.1 == Type::Void;
        if function.parameters.is_empty() && function.ellipsis == ast::Ellipsis::None {
            return Ok(None);
        }
        if parameters.len() == 1 && is_void(&parameters[0]) {
            parameters.clear();
        }
        Ok(Some(parameters))
    }

    fn parameter_list(
        &mut self,
        function: &'a ast::FunctionDeclarator,
        parameters: &mut Vec<Parameter>,
    ) -> Result<()> {
        for parameter in &function.parameters {
            let span = self.span(parameter.span);
            let (base, _) = self.declaration_specifiers(&parameter.node.specifiers)?;
            let (name, ty) = match &parameter.node.declarator {
                // An outermost array length is not used: the parameter is a pointer.
                Some(declarator) => {
                    self.declarator_with_length(base, &declarator.node, &mut None)?
                }
                None => (None, base),
            };
            if let Some(name) = &name {
                let local = self.add_local(name.clone(), ty.clone(), span);
                self.scopes
                    .declare(name, Symbol::Variable(VariableId::Local(local)));
            }
            parameters.push((name, decayed(ty.ty), span));
        }
        Ok(())
    }

    /// The value of a constant expression; not being one is an error.
    pub(super) fn constant_expression(&mut self, node: &'a Node<ast::Expression>) -> Result<i128> {
        let expr = self.expr(node)?;
        match self.evaluate(&expr) {
            Some(value) => Ok(value),
            None => {
                let span = self.span(node.span);
                Err(self.error(span, "this is not a constant"))
            }
        }
    }
}

/// What an array or a function becomes as a parameter (C11 6.7.6.3).
pub(super) fn decayed(ty: Type) -> Type {
    match ty {
        Type::Array(element, _) => Type::Pointer(element),
        Type::Function(_) => Type::pointer_to(ty),
        other => other,
    }
}
