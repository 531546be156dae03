//! Memory accesses to variables: which variable, which element, which bits.
//!
//! Each leaf of an object is a variable. An access through a pointer becomes one choice for
//! each leaf that the pointer may lead to, with the condition under which it does; each
//! choice accesses one variable.

mod access;
mod resolve;

use super::ir::{Expanded, Initial, ObjectId, ObjectKind};
use super::layout::Leaf;
use super::options::DataModel;
use super::pointers::PointsTo;
use super::types::{Nature, Type, Types};
use heddle_diagnostics::Span;
use heddle_program::{Constant, Scalar, Sort, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// A variable of the resulting program that holds a leaf.
#[derive(Clone, Debug)]
pub(crate) struct LeafVariable {
    pub(crate) name: String,
    pub(crate) nature: Nature,
    /// The only thread that accesses it.
    pub(crate) local_to: Option<super::ir::ThreadIndex>,
    pub(crate) initial: Option<TermId>,
    pub(crate) span: Option<Span>,
}

/// What part of a leaf an access is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Whole,
    /// Fixed bits.
    Bits {
        low: u32,
        width: u32,
    },
    /// Bits from a place that is computed; the term is as wide as the leaf.
    Shifted {
        by: TermId,
        width: u32,
    },
    /// Several bytes from an array of bytes.
    Bytes {
        count: u32,
    },
}

/// One choice for an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// When it is this one.
    pub(crate) guard: TermId,
    variable: VarId,
    index: Option<TermId>,
    view: View,
}

/// Why an access cannot be translated.
pub(crate) enum Problem {
    /// The pointer may come from a number or an unknown function.
    UnknownPointer,
    /// The object is of another type.
    Mismatch(ObjectId),
}

pub(crate) struct Memory<'a> {
    pub(crate) terms: Terms,
    expanded: &'a Expanded,
    points_to: &'a PointsTo,
    types: &'a Types,
    model: DataModel,
    variables: FxHashMap<(ObjectId, usize), VarId>,
    pub(crate) leaf_variables: FxHashMap<VarId, LeafVariable>,
}

impl<'a> Memory<'a> {
    pub(crate) fn new(expanded: &'a Expanded, points_to: &'a PointsTo, types: &'a Types) -> Self {
        Memory {
            terms: expanded.terms.clone(),
            expanded,
            points_to,
            types,
            model: types.model,
            variables: FxHashMap::default(),
            leaf_variables: FxHashMap::default(),
        }
    }

    fn pointer_constant(&mut self, value: i128) -> TermId {
        self.terms.bit_vec(self.model.pointer_width(), value)
    }

    /// The address of the first byte of an object.
    pub(crate) fn address(&mut self, object: ObjectId) -> TermId {
        let number = i128::from(super::expand::object_number(object));
        self.pointer_constant(number << self.model.offset_width())
    }

    /// The variable of a leaf.
    pub(crate) fn variable(&mut self, object: ObjectId, leaf: usize) -> VarId {
        if let Some(&variable) = self.variables.get(&(object, leaf)) {
            return variable;
        }
        let info = &self.expanded.objects[object.index()];
        let shape = &info.leaves[leaf];
        let name = format!("{}{}", info.name, shape.path.replace("[]", ""));
        let unique = self
            .terms
            .unused_name(&format!("object {} {name}", object.0));
        let variable = self.terms.declare(unique, shape.sort());
        let nature = shape.nature;
        let local_to = match info.kind {
            ObjectKind::Local(thread) | ObjectKind::Heap(thread)
                if !self.points_to.is_shared(object) =>
            {
                Some(thread)
            }
            _ => None,
        };
        let initial = self.initial_value(object, leaf);
        self.variables.insert((object, leaf), variable);
        self.leaf_variables.insert(
            variable,
            LeafVariable {
                name,
                nature,
                local_to,
                initial,
                span: info.span,
            },
        );
        variable
    }

    /// The zero of a leaf's variable.
    pub(crate) fn zero_of(&mut self, sort: Sort) -> TermId {
        zero_term(&mut self.terms, sort)
    }

    fn initial_value(&mut self, object: ObjectId, leaf: usize) -> Option<TermId> {
        let info = &self.expanded.objects[object.index()];
        let Initial::Values(values) = &info.initial else {
            return None;
        };
        let shape = info.leaves[leaf].clone();
        let mut result = self.zero_of(shape.sort());
        for value in values {
            let width = match value.bits {
                Some(bits) => u64::from(bits),
                None => access_bits(self.types, &value.ty),
            };
            let Some(position) = locate(&shape, value.offset, width) else {
                continue;
            };
            let bits = self.bits_of(value.value.term, value.bits, &value.ty, &shape);
            result = self.patched(&shape, result, position, bits, width as u32);
        }
        Some(result)
    }

    /// The initial value of a leaf with some of its bits replaced.
    fn patched(
        &mut self,
        shape: &Leaf,
        whole: TermId,
        (instance, low): (u64, u64),
        bits: TermId,
        width: u32,
    ) -> TermId {
        let Sort::Array(array) = shape.sort() else {
            return self.insert(whole, low as u32, width, bits);
        };
        if shape.width == 8 && width > 8 {
            let mut result = whole;
            for byte in 0..width / 8 {
                let part = self.terms.extract(8 * byte + 7, 8 * byte, bits);
                let index = self
                    .terms
                    .index_constant(array, (instance + u64::from(byte)) as u32);
                result = self.terms.store(result, index, part);
            }
            return result;
        }
        let index = self.terms.index_constant(array, instance as u32);
        let old = self.terms.select(whole, index);
        let new = self.insert(old, low as u32, width, bits);
        self.terms.store(whole, index, new)
    }
}

/// The instance of a leaf that bits of an object lie in, and the first bit inside it.
fn locate(leaf: &Leaf, offset: u64, width: u64) -> Option<(u64, u64)> {
    let mut rest = offset.checked_sub(leaf.offset)?;
    let mut instance = 0;
    for dimension in &leaf.dimensions {
        let index = rest / dimension.stride;
        if index >= dimension.count {
            return None;
        }
        instance = instance * dimension.count + index;
        rest %= dimension.stride;
    }
    let spans = leaf.is_bytes() && rest == 0;
    (rest + width <= leaf.width || spans).then_some((instance, rest))
}

/// Whether an instance holds less than it has room for: the state of a mutex and the like.
fn is_opaque(leaf: &Leaf) -> bool {
    matches!(leaf.scalar, Scalar::BitVec(bits) if u64::from(bits) != leaf.width)
}

/// Whether an access of that many bits takes all that an instance holds.
fn is_exact(leaf: &Leaf, width: u32) -> bool {
    match leaf.scalar {
        Scalar::BitVec(bits) => bits == width,
        _ => u64::from(width) == leaf.width,
    }
}

/// How many bits of memory a scalar type takes.
pub(crate) fn access_bits(types: &Types, ty: &Type) -> u64 {
    match ty {
        Type::Opaque(opaque) => u64::from(opaque.width()),
        other => 8 * types.size(other).unwrap_or(1),
    }
}

/// The zero of a sort.
pub(crate) fn zero_term(terms: &mut Terms, sort: Sort) -> TermId {
    match sort {
        Sort::Array(array) => {
            let element = terms.constant(Constant::zero(array.element));
            terms.const_array(array, element)
        }
        other => terms.constant(Constant::zero(other.scalar().unwrap_or(Scalar::Bool))),
    }
}
