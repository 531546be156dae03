//! What the specifiers of a declaration say: storage, type, qualifiers, attributes (C11 6.7).

use super::super::clean::spelling;
use super::super::types::{IntKind, Qualified, Type};
use super::attribute::Attributes;
use super::scope::Symbol;
use super::{Elaborator, Result};
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Storage {
    pub(super) typedef: bool,
    pub(super) is_extern: bool,
    pub(super) is_static: bool,
    pub(super) thread_local: bool,
}

/// What a list of specifiers says, whatever kind of list it is.
#[derive(Default)]
pub(super) struct Specifiers<'a> {
    pub(super) storage: Storage,
    types: Vec<&'a Node<ast::TypeSpecifier>>,
    is_const: bool,
    is_atomic: bool,
    attributes: Attributes,
}

impl<'a> Elaborator<'a> {
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
                    all.attributes = all.attributes.and(self.attributes(extensions));
                }
            }
        }
        let storage = all.storage;
        let span = self.span(span.unwrap_or(lang_c::span::Span::none()));
        Ok((self.specified_type(&all, span)?, storage))
    }

    pub(super) fn specifier_qualifiers(
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
                    all.attributes = all.attributes.and(self.attributes(extensions));
                }
            }
        }
        let span = self.span(span.unwrap_or(lang_c::span::Span::none()));
        self.specified_type(&all, span)
    }

    fn specified_type(&mut self, specifiers: &Specifiers<'a>, span: Span) -> Result<Qualified> {
        use ast::TypeSpecifier as S;
        let mut result = Qualified {
            ty: Type::INT,
            is_const: specifiers.is_const,
            is_atomic: specifiers.is_atomic,
        };
        let (mut longs, mut unsigned, mut signed) = (0, false, false);
        let mut complex = false;
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
                S::Complex => complex = true,
                S::Atomic(name) => {
                    let inner = self.type_name(&name.node)?;
                    result.is_atomic = true;
                    result.is_const |= inner.is_const;
                    base = Some(inner.ty);
                }
                S::Struct(structure) => {
                    let id = self.struct_type(&structure.node, &specifiers.attributes)?;
                    base = Some(Type::Record(id));
                }
                S::Enum(enumeration) => {
                    let is_defined = !enumeration.node.enumerators.is_empty();
                    if is_defined && specifiers.attributes.packed {
                        let what = "the attribute `packed` of an enumeration";
                        return Err(self.unsupported(span, what));
                    }
                    base = Some(self.enum_type(&enumeration.node)?);
                }
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
        if complex {
            let part = match result.ty {
                Type::Int(_) if specifiers.types.len() == 1 => 8,
                _ => self.types.size(&result.ty).unwrap_or(8),
            };
            result.ty = Type::Float("_Complex", 2 * part);
        }
        result.ty = self.attributed(result.ty, &specifiers.attributes);
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
}

pub(super) fn qualify(qualifier: &ast::TypeQualifier, is_const: &mut bool, is_atomic: &mut bool) {
    match qualifier {
        ast::TypeQualifier::Const => *is_const = true,
        ast::TypeQualifier::Atomic => *is_atomic = true,
        _ => {}
    }
}
