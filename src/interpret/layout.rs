//! Where the parts of a state lie in the words of a [`Configuration`].

use heddle_program::{Constant, LocationId, Program, Scalar, Sort, Start, ThreadId, Value, VarId};

/// One scalar of a state: a variable, or one element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state in the form that compiled code works on.
///
/// A slot may be *undefined*: it holds some value that was not chosen yet. Reading it makes
/// the explorer choose. So a value that nobody reads costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// One more than the location of each thread; 0 for a thread that was not created.
    pub(crate) locations: Vec<u32>,
    /// One more than the thread inside an atomic section, or 0.
    pub(crate) atomic: u32,
    /// Booleans as 0 or 1, integers as they are, bit-vectors as unsigned numbers (those of
    /// 128 bits reinterpreted). An undefined slot holds 0.
    pub(crate) slots: Vec<i128>,
    /// One bit a slot.
    pub(crate) undefined: Vec<u64>,
}

impl Configuration {
    pub(crate) fn is_undefined(&self, slot: Slot) -> bool {
        self.undefined[slot.index() / 64] >> (slot.index() % 64) & 1 == 1
    }

    pub(crate) fn define(&mut self, slot: Slot, value: i128) {
        self.slots[slot.index()] = value;
        self.undefined[slot.index() / 64] &= !(1 << (slot.index() % 64));
    }

    pub(crate) fn undefine(&mut self, slot: Slot) {
        self.slots[slot.index()] = 0;
        self.undefined[slot.index() / 64] |= 1 << (slot.index() % 64);
    }

    /// Overwrites this configuration without allocating.
    pub(crate) fn copy_from(&mut self, other: &Configuration) {
        self.locations.copy_from_slice(&other.locations);
        self.atomic = other.atomic;
        self.slots.copy_from_slice(&other.slots);
        self.undefined.copy_from_slice(&other.undefined);
    }

    pub(crate) fn location(&self, thread: ThreadId) -> Option<LocationId> {
        let number = self.locations[thread.index()].checked_sub(1)?;
        Some(LocationId::from_index(number as usize))
    }

    pub(crate) fn set_location(&mut self, thread: ThreadId, location: LocationId) {
        self.locations[thread.index()] = location.index() as u32 + 1;
    }

    pub(crate) fn owner(&self) -> Option<ThreadId> {
        let number = self.atomic.checked_sub(1)?;
        Some(ThreadId::from_index(number as usize))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The first slot of each variable.
    first: Vec<u32>,
    sorts: Vec<Scalar>,
    variables: Vec<VarId>,
    /// Slots that the error condition reads. They are never left undefined, so that the
    /// condition has a value in every state.
    pub(crate) observed: Vec<Slot>,
}

impl Layout {
    pub(crate) fn new(program: &Program) -> Layout {
        let mut layout = Layout {
            first: Vec::new(),
            sorts: Vec::new(),
            variables: Vec::new(),
            observed: Vec::new(),
        };
        for id in program.variable_ids() {
            layout.first.push(layout.sorts.len() as u32);
            let (sort, count) = match program.variable(id).sort {
                Sort::Array(array) => (array.element, array.length as usize),
                other => (other.scalar().expect("not an array, so a scalar"), 1),
            };
            layout.sorts.extend(std::iter::repeat_n(sort, count));
            layout.variables.extend(std::iter::repeat_n(id, count));
        }
        for variable in observed_variables(program) {
            layout.observed.extend(layout.slots(variable));
        }
        layout
    }

    pub(crate) fn slot_count(&self) -> usize {
        self.sorts.len()
    }

    pub(crate) fn first(&self, variable: VarId) -> Slot {
        Slot(self.first[variable.index()])
    }

    pub(crate) fn slots(&self, variable: VarId) -> impl Iterator<Item = Slot> + use<> {
        let end = match self.first.get(variable.index() + 1) {
            Some(&next) => next,
            None => self.sorts.len() as u32,
        };
        (self.first[variable.index()]..end).map(Slot)
    }

    /// Whether the error condition reads the variable.
    pub(crate) fn is_observed(&self, variable: VarId) -> bool {
        self.observed.binary_search(&self.first(variable)).is_ok()
    }

    pub(crate) fn sort(&self, slot: Slot) -> Scalar {
        self.sorts[slot.index()]
    }

    /// The variable of a slot, and the element if it is an array.
    pub(crate) fn variable(&self, slot: Slot) -> (VarId, usize) {
        let variable = self.variables[slot.index()];
        (variable, (slot.0 - self.first[variable.index()]) as usize)
    }

    /// The configuration at the start; variables with any value are undefined.
    pub(crate) fn initial(
        &self,
        program: &Program,
    ) -> Result<Configuration, heddle_program::EvalError> {
        let mut configuration = Configuration {
            locations: vec![0; program.threads.len()],
            atomic: 0,
            slots: vec![0; self.slot_count()],
            undefined: vec![0; self.slot_count().div_ceil(64)],
        };
        for thread in program.thread_ids() {
            if program.thread(thread).start == Start::AtBeginning {
                configuration.set_location(thread, program.thread(thread).entry);
            }
        }
        for id in program.variable_ids() {
            match program.variable(id).initial {
                None => self.slots(id).for_each(|slot| configuration.undefine(slot)),
                Some(initial) => {
                    let value = crate::state::initial_value(program, initial)?;
                    self.store(&mut configuration, id, &value);
                }
            }
        }
        Ok(configuration)
    }

    pub(crate) fn store(&self, configuration: &mut Configuration, variable: VarId, value: &Value) {
        match value {
            Value::Scalar(constant) => {
                configuration.define(self.first(variable), encode(*constant));
            }
            Value::Array { elements, .. } => {
                for (slot, &element) in self.slots(variable).zip(elements) {
                    configuration.define(slot, encode(element));
                }
            }
        }
    }

    pub(crate) fn load(&self, program: &Program, slots: &[i128], variable: VarId) -> Value {
        let first = self.first(variable).index();
        match program.variable(variable).sort {
            Sort::Array(sort) => Value::Array {
                sort,
                elements: slots[first..first + sort.length as usize]
                    .iter()
                    .map(|&word| decode(sort.element, word))
                    .collect(),
            },
            scalar => {
                let scalar = scalar.scalar().expect("not an array, so a scalar");
                Value::Scalar(decode(scalar, slots[first]))
            }
        }
    }
}

/// The variables that the error condition mentions.
fn observed_variables(program: &Program) -> Vec<VarId> {
    let terms = program.property.terms();
    let mut variables: Vec<VarId> = terms
        .flat_map(|term| program.terms.variables_of(term))
        .collect();
    variables.sort_unstable();
    variables.dedup();
    variables
}

pub(crate) fn encode(constant: Constant) -> i128 {
    match constant {
        Constant::Bool(value) => value.into(),
        Constant::Int(value) => value,
        Constant::BitVec { bits, .. } => bits as i128,
    }
}

pub(crate) fn decode(sort: Scalar, word: i128) -> Constant {
    match sort {
        Scalar::Bool => Constant::Bool(word != 0),
        Scalar::Int => Constant::Int(word),
        Scalar::BitVec(width) => Constant::BitVec {
            width,
            bits: word as u128,
        },
    }
}
