//! GNU attributes: those that change a type or a layout, and those that change what a program
//! does, which are not supported. All others are for the optimiser.

use super::super::types::{IntKind, Type, to_unsigned};
use super::Elaborator;
use heddle_diagnostics::Span;
use lang_c::ast;
use lang_c::span::Node;

/// Attributes that would change the meaning of the program.
const UNSUPPORTED: &[&str] = &[
    "alias",
    "cleanup",
    "constructor",
    "destructor",
    "ifunc",
    "scalar_storage_order",
    "weakref",
];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) packed: bool,
    pub(crate) aligned: Option<u64>,
    /// The size in bytes of an integer, whatever it is called.
    mode: Option<u64>,
    /// The size in bytes of a vector.
    vector: Option<u64>,
}

impl Attributes {
    pub(super) fn and(self, other: Attributes) -> Attributes {
        Attributes {
            packed: self.packed || other.packed,
            aligned: self.aligned.or(other.aligned),
            mode: self.mode.or(other.mode),
            vector: self.vector.or(other.vector),
        }
    }
}

impl<'a> Elaborator<'a> {
    pub(super) fn attributes(&mut self, extensions: &'a [Node<ast::Extension>]) -> Attributes {
        let mut result = Attributes::default();
        for extension in extensions {
            let ast::Extension::Attribute(attribute) = &extension.node else {
                continue;
            };
            let span = self.span(extension.span);
            let name = attribute.name.node.trim_matches('_');
            match name {
                "packed" => result.packed = true,
                "aligned" => result.aligned = self.alignment(attribute),
                "mode" => result.mode = self.mode(attribute, span),
                "vector_size" => result.vector = self.number(attribute).or(Some(16)),
                name if UNSUPPORTED.contains(&name) => {
                    self.unsupported(span, format!("the attribute `{name}`"));
                }
                _ => {}
            }
        }
        result
    }

    fn number(&mut self, attribute: &'a ast::Attribute) -> Option<u64> {
        let argument = attribute.arguments.first()?;
        let value = self.constant_expression(argument).ok()?;
        u64::try_from(value).ok()
    }

    fn alignment(&mut self, attribute: &'a ast::Attribute) -> Option<u64> {
        let align = self.number(attribute).unwrap_or(16);
        (align.is_power_of_two() && align <= 4096).then_some(align)
    }

    fn mode(&mut self, attribute: &'a ast::Attribute, span: Span) -> Option<u64> {
        let argument = attribute.arguments.first().map(|argument| &argument.node);
        let name = match argument {
            Some(ast::Expression::Identifier(name)) => name.node.name.trim_matches('_'),
            _ => "",
        };
        Some(match name {
            "QI" | "byte" => 1,
            "HI" => 2,
            "SI" => 4,
            "DI" => 8,
            "word" | "pointer" | "unwind_word" => u64::from(self.types.model.pointer_width() / 8),
            _ => {
                self.unsupported(span, "this mode");
                return None;
            }
        })
    }

    /// A type with the attributes that make another one of it.
    pub(super) fn attributed(&self, ty: Type, attributes: &Attributes) -> Type {
        if let Some(size) = attributes.vector {
            return Type::Float("a vector", size);
        }
        let Some(size) = attributes.mode.filter(|_| matches!(ty, Type::Int(_))) else {
            return ty;
        };
        let word = u64::from(self.types.model.pointer_width() / 8);
        let signed = Type::Int(match size {
            1 => IntKind::SChar,
            2 => IntKind::Short,
            4 => IntKind::Int,
            _ if size == word => IntKind::Long,
            _ => IntKind::LongLong,
        });
        match self.types.is_signed(&ty) {
            true => signed,
            false => to_unsigned(&signed),
        }
    }
}
