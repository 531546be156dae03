//! Structures, unions and enumerations (C11 6.7.2).

use super::super::clean::spelling;
use super::super::record_layout::LayoutBuilder;
use super::super::types::{IntKind, Length, RecordId, Type};
use super::attribute::Attributes;
use super::scope::{Symbol, Tag};
use super::{Elaborator, Result};
use lang_c::ast;

impl<'a> Elaborator<'a> {
    pub(super) fn struct_type(
        &mut self,
        structure: &'a ast::StructType,
        attributes: &Attributes,
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
        let mut layout = LayoutBuilder::new(is_union, attributes.packed);
        for declaration in declarations {
            match &declaration.node {
                ast::StructDeclaration::StaticAssert(assertion) => {
                    self.static_assert(&assertion.node)?;
                }
                ast::StructDeclaration::Field(field) => self.field(&mut layout, &field.node)?,
            }
        }
        let (fields, size, align) = layout.finish(attributes.aligned);
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
                layout.add(&self.types, None, base, None, &Attributes::default());
            }
            return Ok(());
        }
        for declarator in &field.declarators {
            let span = self.span(declarator.span);
            let (name, mut ty) = match &declarator.node.declarator {
                Some(declarator) => self.declarator(base.clone(), &declarator.node)?,
                None => (None, base.clone()),
            };
            let attributes = match &declarator.node.declarator {
                Some(declarator) => self.attributes(&declarator.node.extensions),
                None => Attributes::default(),
            };
            ty.ty = self.attributed(ty.ty, &attributes);
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
            layout.add(&self.types, name, ty, bits, &attributes);
        }
        Ok(())
    }

    pub(super) fn enum_type(&mut self, enumeration: &'a ast::EnumType) -> Result<Type> {
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
}
