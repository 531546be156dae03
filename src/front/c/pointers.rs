//! What pointers may point to: facts for `rules/points_to.dl`, and its answer.

use super::ir::{
    Access, Action, Base, Expanded, Initial, ObjectId, ObjectKind, Pointer, Reg, ThreadIndex, Value,
};
use super::layout;
use super::types::Type;
use heddle_datalog::theory::{BackendKind, Theory};
use heddle_datalog::value::Value as Column;
use heddle_language::load_text;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

const RULES: &str = include_str!("../../../rules/points_to.dl");

/// A leaf of an object; objects without leaves (functions, threads) have one place too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) object: ObjectId,
    pub(crate) leaf: usize,
}

/// Where something may point to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    pub(crate) places: Vec<Place>,
    /// Whether it may come from a number or from a function that is not known.
    pub(crate) unknown: bool,
}

/// The answer of the analysis.
#[derive(Default)]
pub(crate) struct PointsTo {
    targets: FxHashMap<Reg, Targets>,
    shared: FxHashSet<ObjectId>,
}

impl PointsTo {
    pub(crate) fn of(&self, register: Reg) -> Targets {
        self.targets.get(&register).cloned().unwrap_or_default()
    }

    /// Whether a thread other than its own may access the object.
    pub(crate) fn is_shared(&self, object: ObjectId) -> bool {
        self.shared.contains(&object)
    }
}

/// Whether a value of the type may hold a pointer, a part of one, or name a thread.
pub(crate) fn holds_pointers(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_) | Type::Int(_))
}

/// Runs the analysis.
pub(crate) fn points_to(expanded: &Expanded) -> PointsTo {
    let mut facts = Facts::new(expanded);
    facts.collect();
    facts.solve()
}

/// Numbers for registers: those of the program, then one for each pointer expression.
type Number = i64;

/// The tuples of the relations that the rules read, in the order of their declarations.
#[derive(Default)]
struct Relations {
    address: FxHashSet<(Number, Number)>,
    copy: FxHashSet<(Number, Number)>,
    shift: FxHashSet<(Number, Number, i64)>,
    step: FxHashSet<(Number, Number, i64)>,
    load: FxHashSet<(Number, Number)>,
    store: FxHashSet<(Number, Number)>,
    initially: FxHashSet<(Number, Number)>,
    scramble: FxHashSet<(Number, Number)>,
    held: FxHashSet<(Number, i64)>,
}

struct Facts<'a> {
    expanded: &'a Expanded,
    /// The number of the first place of each object; the place of unknown pointers is last.
    first_place: Vec<Number>,
    places: Vec<Place>,
    pointers: FxHashMap<(ThreadIndex, Base, i64, Vec<i64>, bool), Number>,
    registers: Number,
    relations: Relations,
}

impl<'a> Facts<'a> {
    fn new(expanded: &'a Expanded) -> Self {
        let mut first_place = Vec::new();
        let mut places = Vec::new();
        for (index, object) in expanded.objects.iter().enumerate() {
            first_place.push(places.len() as Number);
            places.extend((0..object.leaves.len().max(1)).map(|leaf| Place {
                object: ObjectId(index as u32),
                leaf,
            }));
        }
        Facts {
            expanded,
            first_place,
            places,
            pointers: FxHashMap::default(),
            registers: expanded.registers.len() as Number,
            relations: Relations::default(),
        }
    }

    fn unknown_place(&self) -> Number {
        self.places.len() as Number
    }

    fn place(&self, object: ObjectId, leaf: usize) -> Number {
        self.first_place[object.index()] + leaf as Number
    }

    fn collect(&mut self) {
        for (index, object) in self.expanded.objects.iter().enumerate() {
            let Initial::Values(values) = &object.initial else {
                continue;
            };
            for value in values {
                let Some((leaf, _)) = layout::find_leaf(&object.leaves, value.offset) else {
                    continue;
                };
                let at = self.place(ObjectId(index as u32), leaf);
                for pointer in value.value.sources.all() {
                    for to in self.direct_places(pointer) {
                        self.relations.initially.insert((at, to));
                    }
                }
            }
        }
        for edge in &self.expanded.edges {
            let thread = self.expanded.node_threads[edge.from.index()];
            self.action(thread, &edge.action);
        }
        for (index, register) in self.expanded.registers.iter().enumerate() {
            let thread = register.thread.0.into();
            self.relations.held.insert((index as Number, thread));
        }
    }

    fn action(&mut self, thread: ThreadIndex, action: &Action) {
        match action {
            Action::Set(register, value) => {
                let to = register.index() as Number;
                self.assign(thread, to, value);
            }
            Action::Load(register, access) => {
                let from = self.access(thread, access);
                if holds_pointers(&access.ty) {
                    let to = register.index() as Number;
                    self.relations.load.insert((to, from));
                }
            }
            Action::Store(access, value) => {
                let to = self.access(thread, access);
                self.store(thread, to, value);
            }
            Action::StoreAny(access) => {
                self.access(thread, access);
            }
            Action::Update {
                access, new, sets, ..
            } => {
                let place = self.access(thread, access);
                if let Some(value) = new {
                    self.store(thread, place, value);
                }
                if holds_pointers(&access.ty) {
                    for (register, _) in sets {
                        let to = register.index() as Number;
                        self.relations.load.insert((to, place));
                    }
                    if let Action::Update { old, .. } = action {
                        let to = old.index() as Number;
                        self.relations.load.insert((to, place));
                    }
                }
            }
            Action::CopyPointers { to, from } => {
                let to = self.pointer(thread, &to.clone().scrambled());
                let from = self.pointer(thread, &from.clone().scrambled());
                let between = self.fresh(thread);
                self.relations.load.insert((between, from));
                self.relations.store.insert((to, between));
            }
            Action::Join(value, Some(register)) => {
                for pointer in value.sources.all() {
                    self.pointer(thread, pointer);
                }
                let to = register.index() as Number;
                for other in &self.expanded.threads {
                    if let Some(object) = other.result {
                        let from = self.pointer(thread, &Pointer::to(Base::Object(object)));
                        self.relations.load.insert((to, from));
                    }
                }
            }
            Action::Join(value, None) => {
                for pointer in value.sources.all() {
                    self.pointer(thread, pointer);
                }
            }
            _ => {}
        }
    }

    fn access(&mut self, thread: ThreadIndex, access: &Access) -> Number {
        self.pointer(thread, &access.pointer)
    }

    fn assign(&mut self, thread: ThreadIndex, to: Number, value: &Value) {
        for pointer in value.sources.all() {
            let from = self.pointer(thread, pointer);
            self.relations.copy.insert((to, from));
        }
    }

    fn store(&mut self, thread: ThreadIndex, to: Number, value: &Value) {
        for pointer in value.sources.all() {
            let from = self.pointer(thread, pointer);
            self.relations.store.insert((to, from));
        }
    }

    fn fresh(&mut self, thread: ThreadIndex) -> Number {
        self.registers += 1;
        let number = self.registers - 1;
        self.relations.held.insert((number, thread.0.into()));
        number
    }

    /// A register that holds what the pointer expression gives.
    fn pointer(&mut self, thread: ThreadIndex, pointer: &Pointer) -> Number {
        let strides: Vec<i64> = pointer.scaled.iter().map(|&(_, by)| by as i64).collect();
        if let Base::Register(register) = pointer.base
            && pointer.constant == 0
            && strides.is_empty()
            && !pointer.scrambled
        {
            return register.index() as Number;
        }
        let key = (
            thread,
            pointer.base,
            pointer.constant,
            strides.clone(),
            pointer.scrambled,
        );
        if let Some(&number) = self.pointers.get(&key) {
            return number;
        }
        let mut number = match pointer.base {
            Base::Register(register) => register.index() as Number,
            Base::Object(object) => {
                let number = self.fresh(thread);
                for place in self.places_at(object, pointer.constant) {
                    self.relations.address.insert((number, place));
                }
                number
            }
            Base::Unknown => {
                let number = self.fresh(thread);
                let unknown = self.unknown_place();
                self.relations.address.insert((number, unknown));
                number
            }
        };
        let is_moved = !matches!(pointer.base, Base::Object(_)) && pointer.constant != 0;
        if is_moved {
            let next = self.fresh(thread);
            self.relations
                .shift
                .insert((next, number, pointer.constant));
            number = next;
        }
        for stride in strides {
            let next = self.fresh(thread);
            self.relations.step.insert((next, number, stride));
            number = next;
        }
        if pointer.scrambled {
            let next = self.fresh(thread);
            self.relations.scramble.insert((next, number));
            number = next;
        }
        self.pointers.insert(key, number);
        number
    }

    /// Where a constant pointer points.
    fn direct_places(&self, pointer: &Pointer) -> Vec<Number> {
        match pointer.base {
            Base::Object(object) => self.places_at(object, pointer.constant),
            Base::Unknown => vec![self.unknown_place()],
            Base::Register(_) => Vec::new(),
        }
    }

    /// Where so many bytes behind the start of an object are. What lies outside of it may come
    /// back to any of its places.
    fn places_at(&self, object: ObjectId, bytes: i64) -> Vec<Number> {
        let leaves = &self.expanded.objects[object.index()].leaves;
        let bits = u64::try_from(bytes)
            .ok()
            .and_then(|bytes| bytes.checked_mul(8));
        match bits.and_then(|bits| layout::find_leaf(leaves, bits)) {
            Some((leaf, _)) => vec![self.place(object, leaf)],
            None => self.all_places(object),
        }
    }

    fn all_places(&self, object: ObjectId) -> Vec<Number> {
        let count = self.expanded.objects[object.index()].leaves.len().max(1);
        (0..count).map(|leaf| self.place(object, leaf)).collect()
    }

    /// Where a pointer to a place points after a constant was added. What lies outside of
    /// the object may come back to any of its places.
    fn shifted(&self, place: Number, bytes: i64) -> Vec<Number> {
        let Some(&Place { object, leaf }) = self.places.get(place as usize) else {
            return vec![place];
        };
        let leaves = &self.expanded.objects[object.index()].leaves;
        let Some(start) = leaves.get(leaf).map(|leaf| leaf.offset) else {
            return vec![place];
        };
        let target = i128::from(start) + 8 * i128::from(bytes);
        let found = u64::try_from(target)
            .ok()
            .and_then(|target| layout::find_leaf(leaves, target));
        match found {
            Some((leaf, _)) => {
                let mut result = vec![self.place(object, leaf)];
                // Inside an array the pointer may have been at any element.
                let own = &leaves[self.places[place as usize].leaf];
                if own.is_array() && !self.stays(object, self.places[place as usize].leaf, bytes) {
                    result = self.all_places(object);
                }
                result
            }
            None => self.all_places(object),
        }
    }

    /// Whether moving by these bytes leads from an element of an array to the same part of
    /// another element, or to a part of the same element.
    fn stays(&self, object: ObjectId, leaf: usize, bytes: i64) -> bool {
        let leaves = &self.expanded.objects[object.index()].leaves;
        let leaf = &leaves[leaf];
        let bits = bytes.unsigned_abs().saturating_mul(8);
        let whole = leaf
            .dimensions
            .iter()
            .any(|d| bits.is_multiple_of(d.stride));
        let inside = leaf.dimensions.last().is_some_and(|inner| {
            let outer_offset = leaf.offset % inner.stride;
            let target = outer_offset as i128 + 8 * i128::from(bytes);
            target >= 0 && target < inner.stride as i128
        });
        whole || inside
    }

    /// Where a pointer to a place points after a multiple of the stride was added.
    fn stepped(&self, place: Number, stride: i64) -> Vec<Number> {
        let Some(&Place { object, leaf }) = self.places.get(place as usize) else {
            return vec![place];
        };
        let leaves = &self.expanded.objects[object.index()].leaves;
        let Some(leaf) = leaves.get(leaf) else {
            return vec![place];
        };
        let bits = stride.unsigned_abs().saturating_mul(8);
        let along = leaf
            .dimensions
            .iter()
            .any(|d| bits > 0 && bits.is_multiple_of(d.stride) && bits <= d.stride * d.count);
        match along {
            true => vec![place],
            false => self.all_places(object),
        }
    }

    fn solve(self) -> PointsTo {
        let rules = match load_text("rules/points_to.dl", RULES) {
            Ok(loaded) => Arc::new(loaded.rules),
            Err(report) => panic!("internal error: rules/points_to.dl is not correct:\n{report}"),
        };
        let theory = Theory::new(rules.clone(), BackendKind::Compiled)
            .or_else(|| Theory::new(rules.clone(), BackendKind::Naive));
        let mut theory = theory.expect("the naive back end takes every rule set");
        let relation = |name: &str| {
            rules
                .find(name)
                .expect("rules/points_to.dl declares what it is asked for")
        };
        let mut insert = |name: &str, rows: Vec<Vec<i64>>| {
            let id = relation(name);
            for row in rows {
                theory.insert(id, row.into_iter().map(Column).collect::<Vec<_>>());
            }
        };
        let pairs = |rows: &FxHashSet<(i64, i64)>| rows.iter().map(|&(a, b)| vec![a, b]).collect();
        let triples = |rows: &FxHashSet<(i64, i64, i64)>| {
            rows.iter().map(|&(a, b, c)| vec![a, b, c]).collect()
        };
        let facts = &self.relations;
        insert("address", pairs(&facts.address));
        insert("copy", pairs(&facts.copy));
        insert("shift", triples(&facts.shift));
        insert("step", triples(&facts.step));
        insert("load", pairs(&facts.load));
        insert("store", pairs(&facts.store));
        insert("initially", pairs(&facts.initially));
        insert("scramble", pairs(&facts.scramble));
        insert("held", pairs(&facts.held));

        let all: Vec<Number> = (0..=self.unknown_place()).collect();
        let shifts: FxHashSet<i64> = facts.shift.iter().map(|&(_, _, bytes)| bytes).collect();
        let steps: FxHashSet<i64> = facts.step.iter().map(|&(_, _, stride)| stride).collect();
        let rows = |by: &FxHashSet<i64>, move_by: &dyn Fn(Number, i64) -> Vec<Number>| {
            let mut rows = Vec::new();
            for &place in &all {
                for &amount in by {
                    let targets = move_by(place, amount);
                    rows.extend(targets.into_iter().map(|to| vec![place, amount, to]));
                }
            }
            rows
        };
        insert(
            "shifted",
            rows(&shifts, &|place, bytes| self.shifted(place, bytes)),
        );
        insert(
            "stepped",
            rows(&steps, &|place, stride| self.stepped(place, stride)),
        );
        let parts = self.places.iter().enumerate();
        let unknown = vec![self.unknown_place(), self.expanded.objects.len() as i64];
        insert(
            "part",
            parts
                .map(|(number, place)| vec![number as i64, place.object.0.into()])
                .chain([unknown])
                .collect(),
        );
        let owners = self.expanded.objects.iter().enumerate();
        insert(
            "owner",
            owners
                .filter_map(|(number, object)| match object.kind {
                    ObjectKind::Local(thread) | ObjectKind::Heap(thread) => {
                        Some(vec![number as i64, thread.0.into()])
                    }
                    _ => None,
                })
                .collect(),
        );
        theory
            .settle()
            .unwrap_or_else(|error| panic!("internal error: points-to analysis: {error:?}"));
        self.answer(&theory, relation("points_to"), relation("shared"))
    }

    fn answer(
        &self,
        theory: &Theory,
        points_to: heddle_language::ruleset::RelationId,
        shared: heddle_language::ruleset::RelationId,
    ) -> PointsTo {
        let mut result = PointsTo::default();
        let registers = self.expanded.registers.len();
        for row in theory.rows(points_to) {
            let (register, place) = (row[0].0 as usize, row[1].0 as usize);
            if register >= registers {
                continue;
            }
            let targets = result.targets.entry(Reg::from_index(register)).or_default();
            match self.places.get(place) {
                Some(&place) => targets.places.push(place),
                None => targets.unknown = true,
            }
        }
        for targets in result.targets.values_mut() {
            targets.places.sort_unstable();
        }
        for row in theory.rows(shared) {
            result.shared.insert(ObjectId(row[0].0 as u32));
        }
        result
    }
}
