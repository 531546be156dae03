//! Memory accesses to variables: which variable, which element, which bits.
//!
//! Each leaf of an object is a variable. An access through a pointer becomes one choice for
//! each leaf that the pointer may lead to, with the condition under which it does; each
//! choice accesses one variable.

mod access;

use super::ir::{Access, Base, Expanded, Initial, ObjectId, ObjectKind, Pointer};
use super::layout::{self, Leaf};
use super::options::DataModel;
use super::pointers::{Place, PointsTo};
use super::types::{Type, Types};
use heddle_diagnostics::Span;
use heddle_program::{Constant, Scalar, Sort, Term, TermId, Terms, VarId};
use rustc_hash::FxHashMap;

/// A variable of the resulting program that holds a leaf.
#[derive(Clone, Debug)]
pub(crate) struct LeafVariable {
    pub(crate) name: String,
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

    /// All choices for an access, and whether one of them always applies.
    pub(crate) fn resolve(&mut self, access: &Access) -> Result<(Vec<Choice>, bool), Problem> {
        match access.pointer.base {
            Base::Object(object) => {
                let choices = self.in_object(object, access, None)?;
                let certain = choices.len() == 1 && self.terms.is_true(choices[0].guard);
                Ok((choices, certain))
            }
            Base::Unknown => Err(Problem::UnknownPointer),
            Base::Register(register) => {
                let targets = self.points_to.of(register);
                if targets.unknown {
                    return Err(Problem::UnknownPointer);
                }
                let pointer = self.terms.variable(register);
                let mut all: Vec<Choice> = Vec::new();
                let mut problem = None;
                for place in targets.places {
                    match self.through(pointer, place, access) {
                        Ok(choices) => {
                            for choice in choices {
                                if !all.contains(&choice) {
                                    all.push(choice);
                                }
                            }
                        }
                        Err(found) => problem = Some(found),
                    }
                }
                match problem {
                    Some(problem) => Err(problem),
                    None => Ok((all, false)),
                }
            }
        }
    }

    /// The choices where the pointer in a register points to a place.
    fn through(
        &mut self,
        pointer: TermId,
        place: Place,
        access: &Access,
    ) -> Result<Vec<Choice>, Problem> {
        let object = &self.expanded.objects[place.object.index()];
        let Some(leaf) = object.leaves.get(place.leaf).cloned() else {
            // A function or a thread is no memory.
            return Ok(Vec::new());
        };
        let base = self.address(place.object);
        let bits = self.width_of(access);
        let distance = 8 * i128::from(access.pointer.constant);
        let target = u64::try_from(i128::from(leaf.offset) + distance)
            .ok()
            .and_then(|offset| layout::find_leaf(&object.leaves, offset))
            .map_or(&leaf, |(target, _)| &object.leaves[target]);
        let part = !is_exact(target, bits) && u64::from(bits) < target.width;
        if part && !target.bytes && !is_opaque(target) && access.bits.is_none() {
            // Parts of scalars: the pointer may be anywhere in them.
            let offset = self.terms.bv_sub(pointer, base);
            return self.by_offset(place.object, offset, access);
        }
        let start = self.pointer_constant(i128::from(leaf.offset / 8));
        let first = self.terms.bv_add(base, start);
        if !leaf.is_array() {
            let here = self.terms.eq(pointer, first);
            let moved = Access {
                pointer: Pointer {
                    base: Base::Object(place.object),
                    constant: access.pointer.constant + (leaf.offset / 8) as i64,
                    ..access.pointer.clone()
                },
                ..access.clone()
            };
            return self.in_object(place.object, &moved, Some(here));
        }
        // Which element: the quotients of the distance by the strides.
        let mut rest = self.terms.bv_sub(pointer, first);
        let mut scaled = access.pointer.scaled.clone();
        for dimension in &leaf.dimensions {
            let stride = dimension.stride / 8;
            let (quotient, remainder) = self.divided(rest, stride);
            scaled.push((quotient, stride));
            rest = remainder;
        }
        let nothing = self.pointer_constant(0);
        let aligned = self.terms.eq(rest, nothing);
        let moved = Access {
            pointer: Pointer {
                base: Base::Object(place.object),
                constant: access.pointer.constant + (leaf.offset / 8) as i64,
                scaled,
                scrambled: access.pointer.scrambled,
            },
            ..access.clone()
        };
        self.in_object(place.object, &moved, Some(aligned))
    }

    fn divided(&mut self, term: TermId, by: u64) -> (TermId, TermId) {
        let width = self.model.pointer_width();
        if by.is_power_of_two() {
            let shift = self.pointer_constant(by.trailing_zeros().into());
            let mask = self.pointer_constant(i128::from(by - 1));
            return (
                self.terms.bv_lshr(term, shift),
                self.terms.bv_and(term, mask),
            );
        }
        let by = self.terms.bit_vec(width, i128::from(by));
        (self.terms.bv_udiv(term, by), self.terms.bv_urem(term, by))
    }

    /// How many bits an access is about.
    fn width_of(&self, access: &Access) -> u32 {
        match access.bits {
            Some((_, width)) => width,
            None => access_bits(self.types, &access.ty) as u32,
        }
    }

    /// The choices for an access at a distance from an object that is given as constant and
    /// multiples.
    fn in_object(
        &mut self,
        object: ObjectId,
        access: &Access,
        guard: Option<TermId>,
    ) -> Result<Vec<Choice>, Problem> {
        let leaves = self.expanded.objects[object.index()].leaves.clone();
        let width = self.width_of(access);
        let bit = access.bits.map_or(0, |(bit, _)| bit);
        let constant = 8 * i128::from(access.pointer.constant) + i128::from(bit);
        let guard = guard.unwrap_or_else(|| self.terms.bool(true));
        // The leaf that the constant part leads to, or any if it leads out of the object
        // (`a[i - 1]`).
        let start = u64::try_from(constant)
            .ok()
            .and_then(|constant| layout::find_leaf(&leaves, constant));
        let candidates: Vec<usize> = match start {
            Some((leaf, _)) => vec![leaf],
            None if access.pointer.scaled.is_empty() => return Ok(Vec::new()),
            None => (0..leaves.len()).collect(),
        };
        for number in candidates {
            let leaf = &leaves[number];
            let Some((indices, low)) = self.linear(leaf, constant, &access.pointer.scaled) else {
                continue;
            };
            if is_opaque(leaf) && !(low == 0 && is_exact(leaf, width)) {
                return Err(Problem::Mismatch(object));
            }
            let fits = low + u64::from(width) <= leaf.width;
            let spans = leaf.width == 8 && width > 8 && low == 0 && leaf.is_array();
            if low >= leaf.width || !(fits || spans) {
                continue;
            }
            let choice = self.choice(object, number, &indices, low as u32, width, guard);
            return Ok(choice.into_iter().collect());
        }
        if access.pointer.scaled.is_empty() {
            return Err(Problem::Mismatch(object));
        }
        let mut offset = self.pointer_constant(0);
        for &(index, factor) in &access.pointer.scaled {
            let factor = self.pointer_constant(i128::from(factor));
            let distance = self.terms.bv_mul(index, factor);
            offset = self.terms.bv_add(offset, distance);
        }
        let without = Access {
            pointer: Pointer {
                scaled: Vec::new(),
                ..access.pointer.clone()
            },
            ..access.clone()
        };
        let mut choices = self.by_offset(object, offset, &without)?;
        for choice in &mut choices {
            choice.guard = self.terms.and(&[guard, choice.guard]);
        }
        choices.retain(|choice| !self.terms.is_false(choice.guard));
        Ok(choices)
    }

    /// The index in each dimension of a leaf, and the bit inside an instance, if each multiple
    /// goes along one dimension.
    fn linear(
        &mut self,
        leaf: &Leaf,
        constant: i128,
        scaled: &[(TermId, u64)],
    ) -> Option<(Vec<TermId>, u64)> {
        let mut rest = constant - i128::from(leaf.offset);
        let mut indices = Vec::new();
        for dimension in &leaf.dimensions {
            let stride = i128::from(dimension.stride);
            indices.push(self.pointer_constant(rest.div_euclid(stride)));
            rest = rest.rem_euclid(stride);
        }
        for &(index, factor) in scaled {
            let bits = 8 * factor;
            let along = leaf
                .dimensions
                .iter()
                .position(|dimension| bits.is_multiple_of(dimension.stride) && bits > 0)?;
            let times = i128::from(bits / leaf.dimensions[along].stride);
            let times = self.pointer_constant(times);
            let distance = self.terms.bv_mul(index, times);
            indices[along] = self.terms.bv_add(indices[along], distance);
        }
        Some((indices, u64::try_from(rest).ok()?))
    }

    /// A choice for fixed bits of an instance; `None` if it is outside for certain.
    fn choice(
        &mut self,
        object: ObjectId,
        leaf: usize,
        indices: &[TermId],
        low: u32,
        width: u32,
        guard: TermId,
    ) -> Option<Choice> {
        let shape = self.expanded.objects[object.index()].leaves[leaf].clone();
        let bytes = match u64::from(width) > shape.width {
            true => u64::from(width) / 8,
            false => 1,
        };
        let (index, in_range) = self.flat_index(&shape, indices, bytes);
        let guard = self.terms.and(&[guard, in_range]);
        if self.terms.is_false(guard) {
            return None;
        }
        let view = if bytes > 1 {
            View::Bytes {
                count: bytes as u32,
            }
        } else {
            view(&shape, low, width)
        };
        Some(Choice {
            guard,
            variable: self.variable(object, leaf),
            index,
            view,
        })
    }

    /// The position in the array of all instances, and whether it is there. An access to
    /// several bytes needs that many positions from there on.
    fn flat_index(
        &mut self,
        leaf: &Leaf,
        indices: &[TermId],
        positions: u64,
    ) -> (Option<TermId>, TermId) {
        if indices.is_empty() {
            return (None, self.terms.bool(true));
        }
        let mut in_range = Vec::new();
        let mut flat = self.terms.bit_vec(32, 0);
        let last = indices.len() - 1;
        for (position, (&index, dimension)) in indices.iter().zip(&leaf.dimensions).enumerate() {
            let spare = if position == last { positions - 1 } else { 0 };
            let limit = dimension.count.saturating_sub(spare);
            in_range.push(self.below(index, limit));
            let narrow = self.terms.resize(32, false, index);
            let count = self.terms.bit_vec(32, i128::from(dimension.count));
            let outer = self.terms.bv_mul(flat, count);
            flat = self.terms.bv_add(outer, narrow);
        }
        (Some(flat), self.terms.and(&in_range))
    }

    /// `index < limit`, without the extension where the index was narrower before.
    fn below(&mut self, index: TermId, limit: u64) -> TermId {
        if let Term::Apply { op, arguments } = self.terms.get(index) {
            let narrow = arguments[0];
            let extended = matches!(
                op,
                heddle_program::Op::SignExtend { .. } | heddle_program::Op::ZeroExtend { .. }
            );
            if extended && let Some(width) = self.terms.sort(narrow).width() {
                // The limit counts as positive in the narrow type too.
                if width < 128 && u128::from(limit) < 1 << (width - 1) {
                    let limit = self.terms.bit_vec(width, i128::from(limit));
                    return self.terms.bv_ult(narrow, limit);
                }
            }
        }
        let limit = self.pointer_constant(i128::from(limit));
        self.terms.bv_ult(index, limit)
    }

    /// The choices where only the distance from the start of the object is known.
    fn by_offset(
        &mut self,
        object: ObjectId,
        offset: TermId,
        access: &Access,
    ) -> Result<Vec<Choice>, Problem> {
        let mut offset = offset;
        for &(index, factor) in &access.pointer.scaled {
            let factor = self.pointer_constant(i128::from(factor));
            let distance = self.terms.bv_mul(index, factor);
            offset = self.terms.bv_add(offset, distance);
        }
        let constant = self.pointer_constant(i128::from(access.pointer.constant));
        let offset = self.terms.bv_add(offset, constant);
        let width = self.width_of(access);
        if access.bits.is_some() {
            return Err(Problem::Mismatch(object));
        }
        let leaves = self.expanded.objects[object.index()].leaves.clone();
        let mut choices = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            let start = self.pointer_constant(i128::from(leaf.offset / 8));
            let mut rest = self.terms.bv_sub(offset, start);
            let mut indices = Vec::new();
            for dimension in &leaf.dimensions {
                let (quotient, remainder) = self.divided(rest, dimension.stride / 8);
                indices.push(quotient);
                rest = remainder;
            }
            let spans = leaf.width == 8 && width > 8 && !leaf.dimensions.is_empty();
            if u64::from(width) > leaf.width && !spans {
                continue;
            }
            if is_opaque(leaf) && !is_exact(leaf, width) {
                continue;
            }
            let bytes = if spans { u64::from(width) / 8 } else { 1 };
            let (index, in_range) = self.flat_index(leaf, &indices, bytes);
            // An access that starts in an instance ends in it if it is aligned.
            let unit = u64::from(width).div_ceil(8);
            let instance = (leaf.width / 8).max(1);
            let (inside, view) = if spans || is_exact(leaf, width) {
                let nothing = self.pointer_constant(0);
                let view = match spans {
                    true => View::Bytes {
                        count: bytes as u32,
                    },
                    false => view(leaf, 0, width),
                };
                (self.terms.eq(rest, nothing), view)
            } else {
                let limit = self.pointer_constant(i128::from(instance));
                let below = self.terms.bv_ult(rest, limit);
                let (_, remainder) = self.divided(rest, unit);
                let nothing = self.pointer_constant(0);
                let aligned = self.terms.eq(remainder, nothing);
                let leaf_width = match leaf.scalar {
                    Scalar::BitVec(width) => width,
                    _ => return Err(Problem::Mismatch(object)),
                };
                let bits = self.terms.resize(leaf_width.max(8), false, rest);
                let eight = self.terms.bit_vec(leaf_width.max(8), 8);
                let by = self.terms.bv_mul(bits, eight);
                (
                    self.terms.and(&[below, aligned]),
                    View::Shifted { by, width },
                )
            };
            let guard = self.terms.and(&[in_range, inside]);
            if self.terms.is_false(guard) {
                continue;
            }
            choices.push(Choice {
                guard,
                variable: self.variable(object, number),
                index,
                view,
            });
        }
        Ok(choices)
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
    let spans = leaf.width == 8 && rest == 0 && leaf.is_array();
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

fn view(leaf: &Leaf, low: u32, width: u32) -> View {
    match low == 0 && is_exact(leaf, width) {
        true => View::Whole,
        false => View::Bits { low, width },
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
