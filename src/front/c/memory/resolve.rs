//! Which variable an access is about: one choice for each leaf that its pointer may lead to.

use super::super::ir::{Access, Base, ObjectId, Pointer};
use super::super::layout::{self, Leaf, LeafKind};
use super::super::pointers::Place;
use super::{Choice, Memory, Problem, View, access_bits, is_exact, is_opaque};
use heddle_program::{Constant, Op, Scalar, Term, TermId};

impl Memory<'_> {
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
        let start = i64::try_from(leaf.offset / 8).unwrap_or(0);
        let within = access.pointer.within;
        let within = within.map(|(first, size)| (start.saturating_add(first), size));
        let part = !is_exact(target, bits) && u64::from(bits) < target.width;
        let is_scalar = target.kind == LeafKind::Scalar && !is_opaque(target);
        if part && is_scalar && access.bits.is_none() {
            // Parts of scalars: the pointer may be anywhere in them.
            let stays = access.pointer.constant == 0 && access.pointer.scaled.is_empty();
            let only = match stays {
                true => Some(vec![place.leaf]),
                false => leaves_within(&object.leaves, within),
            };
            let offset = self.terms.bv_sub(pointer, base);
            return self.by_offset(place.object, only, offset, access);
        }
        let distance = self.pointer_constant(start.into());
        let first = self.terms.bv_add(base, distance);
        if !leaf.is_array() {
            let here = self.terms.eq(pointer, first);
            let moved = Access {
                pointer: Pointer {
                    base: Base::Object(place.object),
                    constant: access.pointer.constant.saturating_add(start),
                    within,
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
                constant: access.pointer.constant.saturating_add(start),
                scaled,
                scrambled: access.pointer.scrambled,
                within,
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
    pub(super) fn width_of(&self, access: &Access) -> u32 {
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
            let spans = leaf.is_bytes() && width > 8 && low == 0;
            if low >= leaf.width || !(fits || spans) {
                continue;
            }
            let choice = self.choice(object, number, &indices, low as u32, width, guard)?;
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
        let only = leaves_within(&leaves, access.pointer.within);
        let mut choices = self.by_offset(object, only, offset, &without)?;
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
    ) -> Result<Option<Choice>, Problem> {
        let shape = self.expanded.objects[object.index()].leaves[leaf].clone();
        let bytes = match u64::from(width) > shape.width {
            true => u64::from(width) / 8,
            false => 1,
        };
        if bytes > 1 && self.may_leave(object, &shape, indices, bytes) {
            return Err(Problem::Mismatch(object));
        }
        let (index, in_range) = self.flat_index(&shape, indices, bytes);
        let guard = self.terms.and(&[guard, in_range]);
        if self.terms.is_false(guard) {
            return Ok(None);
        }
        let view = if bytes > 1 {
            View::Bytes {
                count: bytes as u32,
            }
        } else {
            view(&shape, low, width)
        };
        Ok(Some(Choice {
            guard,
            variable: self.variable(object, leaf),
            index,
            view,
        }))
    }

    /// Whether an access that starts in a run of bytes may end behind it, in another part of
    /// the object.
    fn may_leave(&self, object: ObjectId, leaf: &Leaf, indices: &[TermId], bytes: u64) -> bool {
        let (Some(&index), Some(run)) = (indices.last(), leaf.dimensions.last()) else {
            return false;
        };
        let leaves = self.expanded.objects[object.index()].leaves.iter();
        let ends_object = leaf.dimensions.len() == 1
            && leaves
                .map(Leaf::end)
                .max()
                .is_none_or(|end| end <= leaf.end());
        let count = i128::from(run.count);
        let stays = match self.terms.as_constant(index).and_then(Constant::as_index) {
            Some(first) => first >= count || first + i128::from(bytes) <= count,
            None => false,
        };
        !ends_object && !stays
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
            let extended = matches!(op, Op::SignExtend { .. } | Op::ZeroExtend { .. });
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

    /// The choices where only the distance from the start of the object is known; in some of
    /// its leaves only, if that is known too.
    fn by_offset(
        &mut self,
        object: ObjectId,
        only: Option<Vec<usize>>,
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
            if (only.as_ref()).is_some_and(|only| !only.contains(&number)) {
                continue;
            }
            let start = self.pointer_constant(i128::from(leaf.offset / 8));
            let mut rest = self.terms.bv_sub(offset, start);
            let mut indices = Vec::new();
            for dimension in &leaf.dimensions {
                let (quotient, remainder) = self.divided(rest, dimension.stride / 8);
                indices.push(quotient);
                rest = remainder;
            }
            let spans = leaf.is_bytes() && width > 8;
            let too_wide = u64::from(width) > leaf.width && !spans;
            if too_wide || is_opaque(leaf) && !is_exact(leaf, width) {
                return Err(Problem::Mismatch(object));
            }
            let bytes = if spans { u64::from(width) / 8 } else { 1 };
            if spans && self.may_leave(object, leaf, &indices, bytes) {
                return Err(Problem::Mismatch(object));
            }
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

fn view(leaf: &Leaf, low: u32, width: u32) -> View {
    match low == 0 && is_exact(leaf, width) {
        true => View::Whole,
        false => View::Bits { low, width },
    }
}

/// Bytes of an array that are looked at one by one.
const MAX_LOOKED_AT: u64 = 4096;

/// The leaves that have a part in an array of the object; `None` for all of them.
fn leaves_within(leaves: &[Leaf], array: Option<(i64, u64)>) -> Option<Vec<usize>> {
    let (start, size) = array?;
    let start = u64::try_from(start).ok()?;
    if size > MAX_LOOKED_AT {
        return None;
    }
    let mut found = Vec::new();
    for byte in start..start.checked_add(size)? {
        if let Some((leaf, _)) = layout::find_leaf(leaves, byte.checked_mul(8)?)
            && !found.contains(&leaf)
        {
            found.push(leaf);
        }
    }
    Some(found)
}
