//! Declarations of functions and variables: names into scopes (C11 6.7, 6.9).

use super::super::clean::spelling;
use super::super::opaque::{OPAQUE_TYPES, Opaque};
use super::super::typed::{Body, GlobalValue, LocalId, Statement, StatementKind, VariableId};
use super::super::types::{Length, Qualified, Type};
use super::declarator::{Parameter, decayed};
use super::scope::Symbol;
use super::specifier::Storage;
use super::{Current, Elaborator, Result};
use heddle_diagnostics::{Diagnostic, Span};
use lang_c::ast;
use lang_c::span::Node;

impl<'a> Elaborator<'a> {
    pub(super) fn external_declaration(
        &mut self,
        declaration: &'a ast::ExternalDeclaration,
    ) -> Result<()> {
        match declaration {
            ast::ExternalDeclaration::Declaration(declaration) => {
                self.declaration(&declaration.node).map(|_| ())
            }
            ast::ExternalDeclaration::StaticAssert(assertion) => {
                self.static_assert(&assertion.node)
            }
            ast::ExternalDeclaration::FunctionDefinition(definition) => {
                self.function_definition(definition)
            }
        }
    }

    pub(super) fn static_assert(&mut self, assertion: &'a ast::StaticAssert) -> Result<()> {
        let span = self.span(assertion.expression.span);
        match self.constant_expression(&assertion.expression)? {
            0 => Err(self.error(span, "the static assertion does not hold")),
            _ => Ok(()),
        }
    }

    fn function_definition(&mut self, node: &'a Node<ast::FunctionDefinition>) -> Result<()> {
        let definition = &node.node;
        let (base, _) = self.declaration_specifiers(&definition.specifiers)?;
        let (name, ty) = self.declarator(base, &definition.declarator.node)?;
        let span = self.span(definition.declarator.span);
        let (Some(name), Type::Function(ty)) = (name, &ty.ty) else {
            return Err(self.error(span, "this is not the definition of a function"));
        };
        let is_library = self.unit > 0;
        let id = self.function(&name, ty, span);
        let unit = self.unit;
        let info = &mut self.functions[id.index()];
        if is_library && info.definition.is_some() {
            return Ok(());
        }
        if info.definition.is_some() {
            let first = info.span;
            return Err(self.report(
                Diagnostic::error(span, format!("function `{name}` is defined twice"))
                    .related(first, "the first definition"),
            ));
        }
        info.definition = Some((unit, definition));
        info.ty = ty.clone();
        info.span = span;
        self.scopes
            .declare_at_file_scope(&name, Symbol::Function(id));
        Ok(())
    }

    /// Elaborates the body of a function.
    pub(super) fn function_body(&mut self, id: super::FunctionId) -> Result<()> {
        let info = &self.functions[id.index()];
        let Some((unit, definition)) = info.definition else {
            return Ok(());
        };
        let ty = info.ty.clone();
        self.current = Current {
            name: info.name.clone(),
            result: Some(ty.result.clone()),
            ..Current::default()
        };
        let outer = std::mem::replace(&mut self.unit, unit);
        self.scopes.enter();
        let result = self.body_parts(definition);
        self.scopes.leave_all();
        self.unit = outer;
        let (parameters, statement) = result?;
        self.check_labels();
        self.functions[id.index()].body = Some(Body {
            parameters,
            locals: std::mem::take(&mut self.current.locals),
            labels: std::mem::take(&mut self.current.labels),
            statement,
        });
        Ok(())
    }

    fn body_parts(
        &mut self,
        definition: &'a ast::FunctionDefinition,
    ) -> Result<(Vec<LocalId>, Statement)> {
        let mut parameters = Vec::new();
        for (name, ty, span) in self.named_parameters(definition)? {
            if self.types.size(&ty).is_none() {
                let ty = self.types.name(&ty);
                return Err(self.error(span, format!("a parameter of incomplete type {ty}")));
            }
            let shown = name.clone().unwrap_or_else(|| "parameter".to_owned());
            let local = self.add_local(shown, ty.into(), span);
            if let Some(name) = name {
                self.scopes
                    .declare(&name, Symbol::Variable(VariableId::Local(local)));
            }
            parameters.push(local);
        }
        let statement = self.statement(&definition.statement)?;
        Ok((parameters, statement))
    }

    /// The parameters of a definition, of the old style too.
    fn named_parameters(
        &mut self,
        definition: &'a ast::FunctionDefinition,
    ) -> Result<Vec<Parameter>> {
        let Some(derived) = function_declarator(&definition.declarator.node) else {
            return Ok(Vec::new());
        };
        match derived {
            ast::DerivedDeclarator::Function(function) => {
                Ok(self.parameters(&function.node)?.unwrap_or_default())
            }
            ast::DerivedDeclarator::KRFunction(names) => {
                let mut types = std::collections::HashMap::new();
                for declaration in &definition.declarations {
                    let (base, _) = self.declaration_specifiers(&declaration.node.specifiers)?;
                    for declarator in &declaration.node.declarators {
                        let declarator = &declarator.node.declarator.node;
                        let (name, ty) = self.declarator(base.clone(), declarator)?;
                        types.insert(name, decayed(ty.ty));
                    }
                }
                let parameters = names.iter().map(|name| {
                    let span = self.span(name.span);
                    let name = Some(spelling(&name.node.name));
                    let ty = types.get(&name).cloned().unwrap_or(Type::INT);
                    (name, ty, span)
                });
                Ok(parameters.collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Declares names, and gives the statements that bring local variables to life.
    pub(super) fn declaration(
        &mut self,
        declaration: &'a ast::Declaration,
    ) -> Result<Vec<Statement>> {
        let (base, storage) = self.declaration_specifiers(&declaration.specifiers)?;
        let mut statements = Vec::new();
        for declarator in &declaration.declarators {
            let span = self.span(declarator.node.declarator.span);
            let mut length = None;
            let (name, mut ty) = self.declarator_with_length(
                base.clone(),
                &declarator.node.declarator.node,
                &mut length,
            )?;
            let Some(name) = name else {
                return Err(self.error(span, "a declaration without a name"));
            };
            let attributes = self.attributes(&declarator.node.declarator.node.extensions);
            ty.ty = self.attributed(ty.ty, &attributes);
            if storage.typedef {
                self.declare_typedef(&name, ty);
                continue;
            }
            if let Type::Function(function) = &ty.ty {
                let id = self.function(&name, function, span);
                self.scopes.declare(&name, Symbol::Function(id));
                continue;
            }
            let initializer = declarator.node.initializer.as_ref();
            let is_global = self.scopes.is_file_scope();
            if is_global || storage.is_extern || storage.is_static {
                self.declare_global(&name, ty, span, storage, initializer)?;
            } else {
                statements.push(self.declare_local(&name, ty, span, initializer, length)?);
            }
        }
        Ok(statements)
    }

    fn declare_typedef(&mut self, name: &str, ty: Qualified) {
        let opaque = OPAQUE_TYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, opaque)| opaque)
            .filter(|opaque| !self.is_own_type(*opaque));
        let ty = match opaque {
            Some(opaque) if self.scopes.is_file_scope() => Type::Opaque(opaque).into(),
            _ => ty,
        };
        self.scopes.declare(name, Symbol::Typedef(ty));
    }

    /// Whether the program brings its own functions for a type.
    fn is_own_type(&self, opaque: Opaque) -> bool {
        self.defined_functions.iter().any(|function| {
            opaque
                .family()
                .iter()
                .any(|prefix| function.starts_with(prefix))
        })
    }

    fn declare_global(
        &mut self,
        name: &str,
        ty: Qualified,
        span: Span,
        storage: Storage,
        initializer: Option<&'a Node<ast::Initializer>>,
    ) -> Result<()> {
        let at_file_scope = self.scopes.is_file_scope();
        let has_linkage = at_file_scope || storage.is_extern;
        let known = self.global_ids.get(name).copied().filter(|_| has_linkage);
        let id = match known {
            Some(id) => id,
            None => {
                let shown = if has_linkage {
                    name.to_owned()
                } else {
                    format!("{}::{name}", self.current.name)
                };
                let id = self.add_global(shown, ty.clone(), span, storage.thread_local);
                if has_linkage {
                    self.global_ids.insert(name.to_owned(), id);
                }
                id
            }
        };
        self.scopes
            .declare(name, Symbol::Variable(VariableId::Global(id)));
        let unit = self.unit;
        let info = &mut self.globals[id.index()];
        if initializer.is_some() && info.initializer.is_some() {
            let first = info.global.span;
            return Err(self.report(
                Diagnostic::error(span, format!("variable `{name}` is defined twice"))
                    .related(first, "the first definition"),
            ));
        }
        if matches!(
            (&info.global.ty.ty, &ty.ty),
            (
                Type::Array(_, Length::Unknown),
                Type::Array(_, Length::Known(_))
            )
        ) {
            info.global.ty = ty.clone();
        }
        if initializer.is_some() || !storage.is_extern {
            info.defined = true;
            info.global.span = span;
        }
        if let Some(initializer) = initializer {
            if at_file_scope {
                info.initializer = Some((unit, initializer));
            }
            if !at_file_scope || matches!(ty.ty, Type::Array(_, Length::Unknown)) {
                let (complete, value) = self.initializer(&ty, initializer)?;
                let global = &mut self.globals[id.index()].global;
                global.ty.ty = complete;
                if !at_file_scope {
                    // Its names mean what they mean in this block.
                    global.value = GlobalValue::Defined(value);
                }
            }
        }
        if matches!(ty.ty, Type::Array(_, Length::Variable)) {
            return Err(self.error(span, "the length of this array must be a constant"));
        }
        Ok(())
    }

    fn declare_local(
        &mut self,
        name: &str,
        ty: Qualified,
        span: Span,
        initializer: Option<&'a Node<ast::Initializer>>,
        length: Option<super::super::typed::Expr>,
    ) -> Result<Statement> {
        if let Some(Symbol::Variable(VariableId::Local(first))) = self.scopes.lookup_here(name) {
            let first = self.current.locals[first.index()].span;
            return Err(self.report(
                Diagnostic::error(span, format!("`{name}` is declared twice in one block"))
                    .related(first, "the first declaration"),
            ));
        }
        let local = self.add_local(name.to_owned(), ty.clone(), span);
        self.scopes
            .declare(name, Symbol::Variable(VariableId::Local(local)));
        let initializer = match initializer {
            None => None,
            Some(initializer) => {
                let (complete, initializer) = self.initializer(&ty, initializer)?;
                self.current.locals[local.index()].ty.ty = complete;
                Some(initializer)
            }
        };
        let ty = self.current.locals[local.index()].ty.ty.clone();
        if self.types.size(&ty).is_none() && length.is_none() {
            let ty = self.types.name(&ty);
            return Err(self.error(span, format!("`{name}` is of incomplete type {ty}")));
        }
        self.check_usable(&ty, span)?;
        Ok(Statement {
            span,
            kind: StatementKind::Declare {
                local,
                initializer,
                length,
            },
        })
    }

    /// Reports types that can be named but not computed with.
    pub(super) fn check_usable(&mut self, ty: &Type, span: Span) -> Result<()> {
        match ty {
            Type::Float("a vector", _) => Err(self.unsupported(span, "a vector")),
            Type::Float(name, _) => Err(self.unsupported(span, format!("floating point ({name})"))),
            Type::VaList => Err(self.unsupported(span, "a variable argument list")),
            Type::Array(element, _) => self.check_usable(&element.ty, span),
            _ => Ok(()),
        }
    }
}

/// The part of a declarator that lists the parameters of the function itself.
fn function_declarator(declarator: &ast::Declarator) -> Option<&ast::DerivedDeclarator> {
    if let ast::DeclaratorKind::Declarator(inner) = &declarator.kind.node
        && let Some(found) = function_declarator(&inner.node)
    {
        return Some(found);
    }
    declarator
        .derived
        .iter()
        .map(|derived| &derived.node)
        .find(|derived| {
            matches!(
                derived,
                ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_)
            )
        })
}
