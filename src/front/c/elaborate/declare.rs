//! Declarations: specifiers and declarators to types, names into scopes (C11 6.7, 6.9).

use super::super::clean::spelling;
use super::super::typed::{Body, LocalId, Statement, StatementKind, VariableId};
use super::super::types::{
    FunctionType, IntKind, LayoutBuilder, Length, OPAQUE_TYPES, Opaque, Qualified, RecordId, Type,
};
use super::scope::{Symbol, Tag};
use super::{Current, Elaborator, Result};
use heddle_diagnostics::{Diagnostic, Span};
use lang_c::ast;
use lang_c::span::Node;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Storage {
    typedef: bool,
    is_extern: bool,
    is_static: bool,
    thread_local: bool,
}

/// What a list of specifiers says, whatever kind of list it is.
#[derive(Default)]
struct Specifiers<'a> {
    storage: Storage,
    types: Vec<&'a Node<ast::TypeSpecifier>>,
    is_const: bool,
    is_atomic: bool,
    packed: bool,
    aligned: Option<u64>,
}

/// A parameter of a function declarator.
type Parameter = (Option<String>, Type, Span);

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
            if storage.typedef {
                self.declare_typedef(&name, ty);
                continue;
            }
            let extensions = &declarator.node.declarator.node.extensions;
            ty.is_atomic |= self.attributes(extensions).is_atomic;
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
            info.initializer = Some((unit, initializer));
            if matches!(ty.ty, Type::Array(_, Length::Unknown)) {
                let (complete, _) = self.initializer(&ty, initializer)?;
                self.globals[id.index()].global.ty.ty = complete;
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
            Type::Float(name, _) => Err(self.unsupported(span, format!("floating point ({name})"))),
            Type::VaList => Err(self.unsupported(span, "a variable argument list")),
            Type::Array(element, _) => self.check_usable(&element.ty, span),
            _ => Ok(()),
        }
    }

    pub(super) fn declaration_specifiers(
        &mut self,
        specifiers: &'a [Node<ast::DeclarationSpecifier>],
    ) -> Result<(Qualified, Storage)> {
        let mut all = Specifiers::default();
        let mut span = None;
        for specifier in specifiers {
            span = span.or(Some(specifier.span));
            match &specifier.node {
                ast::DeclarationSpecifier::StorageClass(class) => match class.node {
                    ast::StorageClassSpecifier::Typedef => all.storage.typedef = true,
                    ast::StorageClassSpecifier::Extern => all.storage.is_extern = true,
                    ast::StorageClassSpecifier::Static => all.storage.is_static = true,
                    ast::StorageClassSpecifier::ThreadLocal => all.storage.thread_local = true,
                    ast::StorageClassSpecifier::Auto | ast::StorageClassSpecifier::Register => {}
                },
                ast::DeclarationSpecifier::TypeSpecifier(ty) => all.types.push(ty),
                ast::DeclarationSpecifier::TypeQualifier(qualifier) => {
                    qualify(&qualifier.node, &mut all.is_const, &mut all.is_atomic);
                }
                ast::DeclarationSpecifier::Function(_) => {}
                ast::DeclarationSpecifier::Alignment(_) => {}
                ast::DeclarationSpecifier::Extension(extensions) => {
                    let attributes = self.attributes(extensions);
                    all.packed |= attributes.packed;
                    all.aligned = all.aligned.or(attributes.aligned);
                }
            }
        }
        let storage = all.storage;
        let span = self.span(span.unwrap_or(lang_c::span::Span::none()));
        Ok((self.specified_type(&all, span)?, storage))
    }

    fn specifier_qualifiers(
        &mut self,
        specifiers: &'a [Node<ast::SpecifierQualifier>],
    ) -> Result<Qualified> {
        let mut all = Specifiers::default();
        let mut span = None;
        for specifier in specifiers {
            span = span.or(Some(specifier.span));
            match &specifier.node {
                ast::SpecifierQualifier::TypeSpecifier(ty) => all.types.push(ty),
                ast::SpecifierQualifier::TypeQualifier(qualifier) => {
                    qualify(&qualifier.node, &mut all.is_const, &mut all.is_atomic);
                }
                ast::SpecifierQualifier::Extension(extensions) => {
                    let attributes = self.attributes(extensions);
                    all.packed |= attributes.packed;
                    all.aligned = all.aligned.or(attributes.aligned);
                }
            }
        }
        let span = self.span(span.unwrap_or(lang_c::span::Span::none()));
        self.specified_type(&all, span)
    }

    /// The attributes that change a layout.
    fn attributes(&mut self, extensions: &'a [Node<ast::Extension>]) -> Specifiers<'a> {
        let mut result = Specifiers::default();
        for extension in extensions {
            let ast::Extension::Attribute(attribute) = &extension.node else {
                continue;
            };
            match attribute.name.node.trim_matches('_') {
                "packed" => result.packed = true,
                "aligned" => {
                    let value = attribute
                        .arguments
                        .first()
                        .and_then(|argument| self.constant_expression(argument).ok());
                    let align = value
                        .and_then(|value| u64::try_from(value).ok())
                        .unwrap_or(16);
                    if align.is_power_of_two() && align <= 4096 {
                        result.aligned = Some(align);
                    }
                }
                _ => {}
            }
        }
        result
    }

    fn specified_type(&mut self, specifiers: &Specifiers<'a>, span: Span) -> Result<Qualified> {
        use ast::TypeSpecifier as S;
        let mut result = Qualified {
            ty: Type::INT,
            is_const: specifiers.is_const,
            is_atomic: specifiers.is_atomic,
        };
        let (mut longs, mut unsigned, mut signed) = (0, false, false);
        let mut base = None;
        let mut basic = None;
        for specifier in &specifiers.types {
            match &specifier.node {
                S::Long => longs += 1,
                S::Unsigned => unsigned = true,
                S::Signed => signed = true,
                S::Void => base = Some(Type::Void),
                S::Bool => base = Some(Type::Bool),
                S::Char => basic = Some(IntKind::Char),
                S::Short => basic = Some(IntKind::Short),
                S::Int => {}
                S::Float => base = Some(Type::Float("float", 4)),
                S::Double => base = Some(Type::Float("double", 8)),
                S::TS18661Float(_) => base = Some(Type::Float("_FloatN", 16)),
                S::Complex => base = Some(Type::Float("_Complex", 16)),
                S::Atomic(name) => {
                    let inner = self.type_name(&name.node)?;
                    result.is_atomic = true;
                    result.is_const |= inner.is_const;
                    base = Some(inner.ty);
                }
                S::Struct(structure) => {
                    let packed = specifiers.packed;
                    let id = self.struct_type(&structure.node, packed, specifiers.aligned)?;
                    base = Some(Type::Record(id));
                }
                S::Enum(enumeration) => base = Some(self.enum_type(&enumeration.node)?),
                S::TypedefName(name) => {
                    let named = self.typedef_name(name)?;
                    result.is_const |= named.is_const;
                    result.is_atomic |= named.is_atomic;
                    base = Some(named.ty);
                }
                S::TypeOf(of) => {
                    base = Some(match &of.node {
                        ast::TypeOf::Type(name) => self.type_name(&name.node)?.ty,
                        ast::TypeOf::Expression(expression) => self.type_of(expression)?.ty,
                    });
                }
            }
        }
        result.ty = match (base, basic) {
            (Some(Type::Float("double", _)), _) if longs > 0 => Type::Float("long double", 16),
            (Some(base), _) => base,
            (None, Some(IntKind::Char)) if unsigned => Type::Int(IntKind::UChar),
            (None, Some(IntKind::Char)) if signed => Type::Int(IntKind::SChar),
            (None, Some(IntKind::Char)) => Type::Int(IntKind::Char),
            (None, Some(_)) if unsigned => Type::Int(IntKind::UShort),
            (None, Some(_)) => Type::Int(IntKind::Short),
            (None, None) => Type::Int(match (longs, unsigned) {
                (0, false) => IntKind::Int,
                (0, true) => IntKind::UInt,
                (1, false) => IntKind::Long,
                (1, true) => IntKind::ULong,
                (_, false) => IntKind::LongLong,
                (_, true) => IntKind::ULongLong,
            }),
        };
        if result.is_atomic && !result.ty.is_scalar() && !matches!(result.ty, Type::Array(..)) {
            return Err(self.unsupported(span, "an atomic structure"));
        }
        Ok(result)
    }

    fn typedef_name(&mut self, name: &'a Node<ast::Identifier>) -> Result<Qualified> {
        let spelled = spelling(&name.node.name);
        match self.scopes.lookup(&spelled) {
            Some(Symbol::Typedef(ty)) => Ok(ty.clone()),
            _ if spelled == "__builtin_va_list" => Ok(Type::VaList.into()),
            _ => {
                let span = self.span(name.span);
                Err(self.error(span, format!("unknown type `{spelled}`")))
            }
        }
    }

    fn struct_type(
        &mut self,
        structure: &'a ast::StructType,
        packed: bool,
        aligned: Option<u64>,
    ) -> Result<RecordId> {
        let is_union = structure.kind.node == ast::StructKind::Union;
        let tag = structure
            .identifier
            .as_ref()
            .map(|identifier| spelling(&identifier.node.name));
        let span = structure
            .identifier
            .as_ref()
            .map_or(structure.kind.span, |identifier| identifier.span);
        let known = tag.as_ref().and_then(|tag| {
            // A definition is always of this scope; a mention may be of an outer one.
            match structure.declarations {
                Some(_) => self.scopes.lookup_tag_here(tag),
                None => self.scopes.lookup_tag(tag),
            }
        });
        let id = match known {
            Some(Tag::Record(id)) => *id,
            Some(Tag::Enum(_)) => {
                let span = self.span(span);
                return Err(self.error(span, "this tag belongs to an enumeration"));
            }
            None => {
                let id = self.types.declare_record(tag.clone(), is_union);
                if let Some(tag) = &tag {
                    self.scopes.declare_tag(tag, Tag::Record(id));
                }
                id
            }
        };
        let Some(declarations) = &structure.declarations else {
            return Ok(id);
        };
        if self.types.record(id).fields.is_some() {
            let span = self.span(span);
            return Err(self.error(span, "this structure is defined twice"));
        }
        let mut layout = LayoutBuilder::new(is_union, packed);
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::StaticAssert(assertion) => {
                    self.static_assert(&assertion.node)?;
                }
                ast::StructDeclaration::Field(field) => self.field(&mut layout, &field.node)?,
            }
        }
        let (fields, size, align) = layout.finish(aligned);
        let record = self.types.record_mut(id);
        record.fields = Some(fields);
        record.size = size;
        record.align = align;
        Ok(id)
    }

    fn field(&mut self, layout: &mut LayoutBuilder, field: &'a ast::StructField) -> Result<()> {
        let base = self.specifier_qualifiers(&field.specifiers)?;
        if field.declarators.is_empty() {
            if let Type::Record(id) = base.ty
                && self.types.record(id).fields.is_some()
            {
                layout.add(&self.types, None, base, None, None);
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let span = self.span(declarator.span);
            let (name, mut ty) = match &declarator.node.declarator {
                Some(declarator) => self.declarator(base.clone(), &declarator.node)?,
                None => (None, base.clone()),
            };
            let aligned = match &declarator.node.declarator {
                Some(declarator) => self.attributes(&declarator.node.extensions).aligned,
                None => None,
            };
            let bits = match &declarator.node.bit_width {
                None => None,
                Some(width) => {
                    let value = self.constant_expression(width)?;
                    let limit = self.types.width(&ty.ty);
                    match u32::try_from(value) {
                        Ok(bits) if bits <= limit && ty.ty.is_integer() => Some(bits),
                        _ => return Err(self.error(span, "this bit-field does not fit its type")),
                    }
                }
            };
            if let Type::Array(element, Length::Unknown) = &ty.ty {
                // A flexible array member has no elements of its own.
                ty.ty = Type::Array(element.clone(), Length::Known(0));
            }
            if self.types.size(&ty.ty).is_none() {
                let shown = self.types.name(&ty.ty);
                return Err(self.error(span, format!("a field of incomplete type {shown}")));
            }
            layout.add(&self.types, name, ty, bits, aligned);
        }
        Ok(())
    }

    fn enum_type(&mut self, enumeration: &'a ast::EnumType) -> Result<Type> {
        let tag = enumeration
            .identifier
            .as_ref()
            .map(|identifier| spelling(&identifier.node.name));
        if enumeration.enumerators.is_empty() {
            let known = tag.as_ref().and_then(|tag| self.scopes.lookup_tag(tag));
            return Ok(match known {
                Some(Tag::Enum(ty)) => ty.clone(),
                _ => Type::UINT,
            });
        }
        let mut next: i128 = 0;
        let mut values = Vec::new();
        for enumerator in &enumeration.enumerators {
            if let Some(expression) = &enumerator.node.expression {
                next = self.constant_expression(expression)?;
            }
            let name = spelling(&enumerator.node.identifier.node.name);
            let ty = if i32::try_from(next).is_ok() {
                Type::INT
            } else if u32::try_from(next).is_ok() {
                Type::UINT
            } else {
                Type::Int(IntKind::LongLong)
            };
            self.scopes.declare(&name, Symbol::Enumerator(next, ty));
            values.push(next);
            next += 1;
        }
        let fits = |range: std::ops::RangeInclusive<i128>| values.iter().all(|v| range.contains(v));
        let ty = Type::Int(if fits(0..=u32::MAX.into()) {
            IntKind::UInt
        } else if fits(i32::MIN.into()..=i32::MAX.into()) {
            IntKind::Int
        } else {
            IntKind::LongLong
        });
        if let Some(tag) = tag {
            self.scopes.declare_tag(&tag, Tag::Enum(ty.clone()));
        }
        Ok(ty)
    }

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
    fn declarator_with_length(
        &mut self,
        base: Qualified,
        declarator: &'a ast::Declarator,
        length: &mut Option<super::super::typed::Expr>,
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
        length: &mut Option<super::super::typed::Expr>,
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
    fn parameters(
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

fn qualify(qualifier: &ast::TypeQualifier, is_const: &mut bool, is_atomic: &mut bool) {
    match qualifier {
        ast::TypeQualifier::Const => *is_const = true,
        ast::TypeQualifier::Atomic => *is_atomic = true,
        _ => {}
    }
}

/// What an array or a function becomes as a parameter (C11 6.7.6.3).
fn decayed(ty: Type) -> Type {
    match ty {
        Type::Array(element, _) => Type::Pointer(element),
        Type::Function(_) => Type::pointer_to(ty),
        other => other,
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
