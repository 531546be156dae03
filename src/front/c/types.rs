//! C types: their layout, and the conversions between the arithmetic ones (C11 6.2.5, 6.3).
//!
//! A `_Bool` is a Boolean, every other integer and every pointer a bit-vector of its width.

use super::opaque::{OPAQUE_TYPES, Opaque};
use super::options::DataModel;
use heddle_program::{Scalar, Sort};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntKind {
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
}

/// What the type of a variable says of its bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Nature {
    /// A signed number.
    Number,
    /// An unsigned number, a pointer, a part of a union.
    Bits,
    /// Whatever is written to it.
    #[default]
    AsWritten,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct RecordId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Length {
    Known(u64),
    /// `[]`
    Unknown,
    /// An expression that is not constant.
    Variable,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Void,
    Bool,
    Int(IntKind),
    /// `float`, `double` and the like, which can be declared but not computed with.
    Float(&'static str, u64),
    Pointer(Rc<Qualified>),
    Array(Rc<Qualified>, Length),
    Record(RecordId),
    Function(Rc<FunctionType>),
    Opaque(Opaque),
    /// `__builtin_va_list`
    VaList,
}

/// A type with the qualifiers that matter here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Qualified {
    pub(crate) ty: Type,
    pub(crate) is_const: bool,
    pub(crate) is_atomic: bool,
}

impl From<Type> for Qualified {
    fn from(ty: Type) -> Self {
        Qualified {
            ty,
            is_const: false,
            is_atomic: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FunctionType {
    pub(crate) result: Type,
    /// `None` if the declaration does not say: `int f();`
    pub(crate) parameters: Option<Vec<Type>>,
    pub(crate) variadic: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// `None` for anonymous structures, unions and padding bit-fields.
    pub(crate) name: Option<String>,
    pub(crate) ty: Qualified,
    /// In bits from the start of the record.
    pub(crate) offset: u64,
    /// The width of a bit-field.
    pub(crate) bits: Option<u32>,
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) tag: Option<String>,
    pub(crate) is_union: bool,
    /// `None` while incomplete.
    pub(crate) fields: Option<Vec<Field>>,
    pub(crate) size: u64,
    pub(crate) align: u64,
}

impl Type {
    pub(crate) const INT: Type = Type::Int(IntKind::Int);
    pub(crate) const UINT: Type = Type::Int(IntKind::UInt);
    pub(crate) const CHAR: Type = Type::Int(IntKind::Char);

    pub(crate) fn pointer_to(ty: impl Into<Qualified>) -> Type {
        Type::Pointer(Rc::new(ty.into()))
    }

    pub(crate) fn array_of(ty: impl Into<Qualified>, length: u64) -> Type {
        Type::Array(Rc::new(ty.into()), Length::Known(length))
    }

    pub(crate) fn is_integer(&self) -> bool {
        matches!(self, Type::Bool | Type::Int(_))
    }

    pub(crate) fn is_pointer(&self) -> bool {
        matches!(self, Type::Pointer(_))
    }

    /// Integers and pointers: what a variable of the translated program can hold.
    pub(crate) fn is_scalar(&self) -> bool {
        self.is_integer() || self.is_pointer()
    }

    pub(crate) fn pointee(&self) -> Option<&Qualified> {
        match self {
            Type::Pointer(to) => Some(to),
            _ => None,
        }
    }

    pub(crate) fn function(&self) -> Option<&Rc<FunctionType>> {
        match self {
            Type::Function(function) => Some(function),
            Type::Pointer(to) => match &to.ty {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }
}

/// All structures and unions, and how wide things are.
#[derive(Clone, Debug)]
pub(crate) struct Types {
    pub(crate) model: DataModel,
    records: Vec<Record>,
}

impl Types {
    pub(crate) fn new(model: DataModel) -> Self {
        Types {
            model,
            records: Vec::new(),
        }
    }

    pub(crate) fn declare_record(&mut self, tag: Option<String>, is_union: bool) -> RecordId {
        self.records.push(Record {
            tag,
            is_union,
            fields: None,
            size: 0,
            align: 1,
        });
        RecordId(self.records.len() as u32 - 1)
    }

    pub(crate) fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    pub(crate) fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }

    pub(crate) fn int_width(&self, kind: IntKind) -> u32 {
        use IntKind::*;
        match kind {
            Char | SChar | UChar => 8,
            Short | UShort => 16,
            Int | UInt => 32,
            Long | ULong => self.model.long_width(),
            LongLong | ULongLong => 64,
        }
    }

    /// The width of the bit-vector for a scalar; 1 for the Boolean.
    pub(crate) fn width(&self, ty: &Type) -> u32 {
        match ty {
            Type::Bool => 1,
            Type::Int(kind) => self.int_width(*kind),
            Type::Opaque(opaque) => opaque.width(),
            _ => self.model.pointer_width(),
        }
    }

    pub(crate) fn is_signed(&self, ty: &Type) -> bool {
        use IntKind::*;
        matches!(ty, Type::Int(Char | SChar | Short | Int | Long | LongLong))
    }

    /// Whether a value of a scalar type is a number whose bits need not matter.
    pub(crate) fn nature(&self, ty: &Type) -> Nature {
        match self.is_signed(ty) {
            true => Nature::Number,
            false => Nature::Bits,
        }
    }

    /// How a value of a scalar type is represented.
    pub(crate) fn scalar(&self, ty: &Type) -> Scalar {
        match ty {
            Type::Bool => Scalar::Bool,
            other => Scalar::BitVec(self.width(other)),
        }
    }

    pub(crate) fn sort(&self, ty: &Type) -> Sort {
        self.scalar(ty).into()
    }

    pub(crate) fn size_type(&self) -> Type {
        Type::Int(match self.model {
            DataModel::Ilp32 => IntKind::UInt,
            DataModel::Lp64 => IntKind::ULong,
        })
    }

    pub(crate) fn pointer_difference_type(&self) -> Type {
        Type::Int(match self.model {
            DataModel::Ilp32 => IntKind::Int,
            DataModel::Lp64 => IntKind::Long,
        })
    }

    /// Bytes, or `None` for an incomplete or variably long type. The size of `void` and of a
    /// function is 1, as in GNU C.
    pub(crate) fn size(&self, ty: &Type) -> Option<u64> {
        Some(match ty {
            Type::Void | Type::Function(_) | Type::Bool => 1,
            Type::Int(kind) => u64::from(self.int_width(*kind) / 8),
            Type::Float(_, size) => *size,
            Type::Pointer(_) => u64::from(self.model.pointer_width() / 8),
            Type::Array(element, Length::Known(length)) => {
                self.size(&element.ty)?.checked_mul(*length)?
            }
            Type::Array(..) => return None,
            Type::Record(id) => {
                let record = self.record(*id);
                record.fields.as_ref()?;
                record.size
            }
            Type::Opaque(opaque) => opaque.size(self.model),
            Type::VaList => 24,
        })
    }

    pub(crate) fn align(&self, ty: &Type) -> u64 {
        match ty {
            Type::Array(element, _) => self.align(&element.ty),
            Type::Record(id) => self.record(*id).align,
            Type::Opaque(opaque) => opaque.align(self.model),
            Type::Int(IntKind::LongLong | IntKind::ULongLong) | Type::Float(..)
                if self.model == DataModel::Ilp32 =>
            {
                4
            }
            Type::VaList => 8,
            other => self.size(other).unwrap_or(1).clamp(1, 16),
        }
    }

    /// Integer promotion (C11 6.3.1.1).
    pub(crate) fn promote(&self, ty: &Type) -> Type {
        match ty {
            Type::Bool => Type::INT,
            Type::Int(kind) if self.int_width(*kind) < 32 => Type::INT,
            other => other.clone(),
        }
    }

    /// The usual arithmetic conversions (C11 6.3.1.8) for two integer types.
    pub(crate) fn common(&self, a: &Type, b: &Type) -> Type {
        let (a, b) = (self.promote(a), self.promote(b));
        if a == b {
            return a;
        }
        let (signed, unsigned) = match (self.is_signed(&a), self.is_signed(&b)) {
            (true, true) | (false, false) => {
                return if rank(&a) >= rank(&b) { a } else { b };
            }
            (true, false) => (a, b),
            (false, true) => (b, a),
        };
        if rank(&unsigned) >= rank(&signed) {
            unsigned
        } else if self.width(&signed) > self.width(&unsigned) {
            signed
        } else {
            to_unsigned(&signed)
        }
    }

    /// For messages.
    pub(crate) fn name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".into(),
            Type::Bool => "_Bool".into(),
            Type::Int(kind) => int_name(*kind).into(),
            Type::Float(name, _) => (*name).into(),
            Type::Pointer(to) => match &to.ty {
                Type::Function(function) => self.function_name(function, "(*)"),
                other => format!("{} *", self.name(other)),
            },
            Type::Array(element, length) => {
                let length = match length {
                    Length::Known(length) => length.to_string(),
                    _ => String::new(),
                };
                format!("{}[{length}]", self.name(&element.ty))
            }
            Type::Record(id) => {
                let record = self.record(*id);
                let kind = if record.is_union { "union" } else { "struct" };
                format!("{kind} {}", record.tag.as_deref().unwrap_or("<anonymous>"))
            }
            Type::Function(function) => self.function_name(function, ""),
            Type::Opaque(opaque) => OPAQUE_TYPES
                .iter()
                .find(|(_, known)| known == opaque)
                .map_or("attributes", |(name, _)| name)
                .to_string(),
            Type::VaList => "va_list".into(),
        }
    }

    fn function_name(&self, function: &FunctionType, middle: &str) -> String {
        let parameters: Vec<String> = match &function.parameters {
            Some(parameters) if parameters.is_empty() => vec!["void".into()],
            Some(parameters) => parameters.iter().map(|ty| self.name(ty)).collect(),
            None => Vec::new(),
        };
        format!(
            "{} {middle}({})",
            self.name(&function.result),
            parameters.join(", ")
        )
    }
}

fn rank(ty: &Type) -> u8 {
    use IntKind::*;
    match ty {
        Type::Int(Char | SChar | UChar) => 1,
        Type::Int(Short | UShort) => 2,
        Type::Int(Int | UInt) => 3,
        Type::Int(Long | ULong) => 4,
        Type::Int(LongLong | ULongLong) => 5,
        _ => 0,
    }
}

pub(crate) fn to_unsigned(ty: &Type) -> Type {
    use IntKind::*;
    match ty {
        Type::Int(kind) => Type::Int(match kind {
            Char | SChar | UChar => UChar,
            Short | UShort => UShort,
            Int | UInt => UInt,
            Long | ULong => ULong,
            LongLong | ULongLong => ULongLong,
        }),
        other => other.clone(),
    }
}

fn int_name(kind: IntKind) -> &'static str {
    use IntKind::*;
    match kind {
        Char => "char",
        SChar => "signed char",
        UChar => "unsigned char",
        Short => "short",
        UShort => "unsigned short",
        Int => "int",
        UInt => "unsigned int",
        Long => "long",
        ULong => "unsigned long",
        LongLong => "long long",
        ULongLong => "unsigned long long",
    }
}
