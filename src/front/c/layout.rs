//! How an object of a C type is laid out over variables.
//!
//! Structures are flattened: each scalar that is not a part of another is a *leaf*, and
//! becomes one variable. A leaf inside arrays becomes one array variable over all its
//! instances. A union is one leaf of bits, or of bytes if it is large.

use super::types::{IntKind, Length, Nature, Record, Type, Types};
use heddle_program::{Scalar, Sort};

/// The widest union that is one bit-vector instead of an array of bytes.
const WIDEST_BITS: u64 = 64;
/// Scalars that are copied one by one when a structure is assigned.
const MAX_CELLS: usize = 1024;

/// An array around a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimension {
    /// In bits.
    pub(crate) stride: u64,
    pub(crate) count: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// Of the first instance, in bits from the start of the object.
    pub(crate) offset: u64,
    /// What one instance holds: the sort, and how many bits of memory it takes.
    pub(crate) scalar: Scalar,
    pub(crate) width: u64,
    /// From the outside to the inside; neighbours without a gap are one dimension.
    pub(crate) dimensions: Vec<Dimension>,
    /// Fields on the way from the object to the leaf: `.head`, `[].next`.
    pub(crate) path: String,
    pub(crate) kind: LeafKind,
    pub(crate) nature: Nature,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    Scalar,
    /// Bytes of a union, or of memory whose type is not known.
    Bytes,
    /// Bytes between fields, which only an access to single bytes can meet.
    Padding,
}

impl Leaf {
    /// The number of instances.
    pub(crate) fn count(&self) -> u64 {
        self.dimensions.iter().map(|d| d.count).product()
    }

    pub(crate) fn is_array(&self) -> bool {
        !self.dimensions.is_empty()
    }

    /// Whether neighbouring instances are neighbouring bytes, so that an access may take
    /// several.
    pub(crate) fn is_bytes(&self) -> bool {
        self.width == 8 && self.dimensions.last().is_some_and(|d| d.stride == 8)
    }

    /// Behind the last instance, in bits from the start of the object.
    pub(crate) fn end(&self) -> u64 {
        let steps = self.dimensions.iter();
        let last: u64 = steps.map(|d| d.stride * d.count.saturating_sub(1)).sum();
        self.offset + last + self.width
    }

    pub(crate) fn sort(&self) -> Sort {
        match self.is_array() {
            false => self.scalar.into(),
            true => Sort::array(INDEX, self.scalar, self.count().min(u32::MAX.into()) as u32),
        }
    }
}

/// The sort of array indices.
pub(crate) const INDEX: Scalar = Scalar::BitVec(32);

/// A scalar part of a type at a fixed place.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// In bits.
    pub(crate) offset: u64,
    pub(crate) ty: Type,
    /// The width of a bit-field.
    pub(crate) bits: Option<u32>,
}

/// The leaves of a type, in the order of their places.
pub(crate) fn leaves(types: &Types, ty: &Type) -> Vec<Leaf> {
    let mut result = Vec::new();
    collect(types, ty, 0, &mut Vec::new(), "", None, &mut result);
    result
}

/// `size` bytes without a type.
pub(crate) fn raw_leaves(size: u64) -> Vec<Leaf> {
    vec![byte_leaf(LeafKind::Bytes, 0, size, &[], String::new())]
}

fn byte_leaf(kind: LeafKind, offset: u64, size: u64, around: &[Dimension], path: String) -> Leaf {
    let mut dimensions = around.to_vec();
    dimensions.push(Dimension {
        stride: 8,
        count: size,
    });
    Leaf {
        offset,
        scalar: Scalar::BitVec(8),
        width: 8,
        dimensions: merged(dimensions),
        path,
        kind,
        nature: Nature::Bits,
    }
}

fn collect(
    types: &Types,
    ty: &Type,
    offset: u64,
    around: &mut Vec<Dimension>,
    path: &str,
    bits: Option<u32>,
    out: &mut Vec<Leaf>,
) {
    let mut scalar_leaf = |scalar, width| {
        out.push(Leaf {
            offset,
            scalar,
            width,
            dimensions: merged(around.clone()),
            path: path.to_owned(),
            kind: LeafKind::Scalar,
            nature: match bits {
                None => types.nature(ty),
                Some(_) => Nature::Bits,
            },
        });
    };
    match ty {
        Type::Bool => scalar_leaf(Scalar::Bool, u64::from(bits.unwrap_or(8))),
        Type::Int(_) | Type::Pointer(_) => {
            let width = bits.unwrap_or(types.width(ty));
            scalar_leaf(Scalar::BitVec(width), width.into());
        }
        Type::Opaque(opaque) => {
            let width = opaque.width();
            let size = 8 * types.size(ty).unwrap_or(8);
            scalar_leaf(Scalar::BitVec(width), size);
        }
        Type::Array(element, length) => {
            let count = match length {
                Length::Known(count) => *count,
                _ => 0,
            };
            let Some(stride) = types.size(&element.ty) else {
                return;
            };
            if count == 0 || stride == 0 {
                return;
            }
            around.push(Dimension {
                stride: 8 * stride,
                count,
            });
            collect(
                types,
                &element.ty,
                offset,
                around,
                &format!("{path}[]"),
                None,
                out,
            );
            around.pop();
        }
        Type::Record(id) => {
            let record = types.record(*id);
            if record.is_union {
                let size = record.size;
                if size == 0 {
                    return;
                }
                if 8 * size <= WIDEST_BITS {
                    let width = 8 * size;
                    scalar_leaf(Scalar::BitVec(width as u32), width);
                } else {
                    let path = path.to_owned();
                    out.push(byte_leaf(LeafKind::Bytes, offset, size, around, path));
                }
                return;
            }
            for field in record.fields.as_deref().unwrap_or(&[]) {
                let path = match &field.name {
                    Some(name) => format!("{path}.{name}"),
                    None => path.to_owned(),
                };
                let at = offset + field.offset;
                collect(types, &field.ty.ty, at, around, &path, field.bits, out);
            }
            for (gap, size) in gaps(types, record) {
                let path = format!("{path}.padding");
                let gap = byte_leaf(LeafKind::Padding, offset + gap, size, around, path);
                out.push(gap);
            }
        }
        // Only there so that the others keep their places.
        Type::Float(..) | Type::VaList => {
            let size = 8 * types.size(ty).unwrap_or(8).min(16);
            scalar_leaf(Scalar::BitVec(size as u32), size);
        }
        Type::Void | Type::Function(_) => {}
    }
}

/// Where the bytes of a structure lie that belong to none of its fields (in bits), and how many
/// there are.
fn gaps(types: &Types, record: &Record) -> Vec<(u64, u64)> {
    let mut result = Vec::new();
    let mut behind = 0u64;
    let fields = record.fields.as_deref().unwrap_or(&[]).iter();
    let extents = fields.map(|field| {
        let width = match field.bits {
            Some(bits) => u64::from(bits),
            None => 8 * types.size(&field.ty.ty).unwrap_or(0),
        };
        (field.offset, field.offset + width)
    });
    for (start, end) in extents.chain([(8 * record.size, 8 * record.size)]) {
        let from = behind.next_multiple_of(8);
        let to = start / 8 * 8;
        if from < to {
            result.push((from, (to - from) / 8));
        }
        behind = behind.max(end);
    }
    result
}

/// Dimensions that lie without a gap inside the next one count as one.
fn merged(dimensions: Vec<Dimension>) -> Vec<Dimension> {
    let mut result: Vec<Dimension> = Vec::new();
    for dimension in dimensions {
        match result.last_mut() {
            Some(outer) if outer.stride == dimension.stride * dimension.count => {
                outer.stride = dimension.stride;
                outer.count *= dimension.count;
            }
            _ => result.push(dimension),
        }
    }
    // A single instance is no array, unless its place matters.
    result.retain(|dimension| dimension.count != 1);
    result
}

/// All scalars of a type one by one; `None` if they are too many.
pub(crate) fn cells(types: &Types, ty: &Type) -> Option<Vec<Cell>> {
    let mut result = Vec::new();
    collect_cells(types, ty, 0, None, &mut result)?;
    Some(result)
}

fn collect_cells(
    types: &Types,
    ty: &Type,
    offset: u64,
    bits: Option<u32>,
    out: &mut Vec<Cell>,
) -> Option<()> {
    let mut cell = |ty: Type, offset, bits| {
        out.push(Cell { offset, ty, bits });
        (out.len() <= MAX_CELLS).then_some(())
    };
    match ty {
        Type::Array(element, Length::Known(count)) => {
            let stride = 8 * types.size(&element.ty)?;
            for index in 0..*count {
                collect_cells(types, &element.ty, offset + index * stride, None, out)?;
            }
            Some(())
        }
        Type::Record(id) if types.record(*id).is_union => {
            let size = types.record(*id).size;
            match size {
                1 => cell(Type::Int(IntKind::UChar), offset, None),
                2 => cell(Type::Int(IntKind::UShort), offset, None),
                4 => cell(Type::UINT, offset, None),
                8 => cell(Type::Int(IntKind::ULongLong), offset, None),
                _ => {
                    for byte in 0..size {
                        cell(Type::Int(IntKind::UChar), offset + 8 * byte, None)?;
                    }
                    Some(())
                }
            }
        }
        Type::Record(id) => {
            for field in types.record(*id).fields.as_ref()? {
                collect_cells(types, &field.ty.ty, offset + field.offset, field.bits, out)?;
            }
            Some(())
        }
        Type::Bool | Type::Int(_) | Type::Pointer(_) | Type::Opaque(_) => {
            cell(ty.clone(), offset, bits)
        }
        _ => None,
    }
}

/// The leaf that covers a place, with the place of the same bit in its first instance.
/// Places inside arrays are folded onto the first element.
pub(crate) fn find_leaf(leaves: &[Leaf], offset: u64) -> Option<(usize, u64)> {
    leaves.iter().enumerate().find_map(|(index, leaf)| {
        let relative = fold(leaf, offset.checked_sub(leaf.offset)?)?;
        Some((index, leaf.offset + relative))
    })
}

/// The place inside the first instance for a place inside any instance.
fn fold(leaf: &Leaf, mut relative: u64) -> Option<u64> {
    for dimension in &leaf.dimensions {
        if relative / dimension.stride >= dimension.count {
            return None;
        }
        relative %= dimension.stride;
    }
    (relative < leaf.width).then_some(relative)
}
