//! The configurations that were reached, packed: a few bytes each, every one kept in full,
//! so that two are never confused.

use crate::layout::{Configuration, Layout};
use hashbrown::HashTable;
use heddle_program::{LocationId, Program};
use std::hash::BuildHasher;

/// A configuration that was reached; numbered in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StateId(u32);

const CHUNK: usize = 1 << 20;

#[derive(Debug)]
pub(crate) struct Store {
    packing: Packing,
    chunks: Vec<Vec<u8>>,
    /// Chunk, offset in it, and the state from which this one was reached first.
    states: Vec<(u32, u32, Option<StateId>)>,
    table: HashTable<(u32, StateId)>,
    hasher: hashbrown::DefaultHashBuilder,
    packed: Vec<u8>,
    /// Of all chunks, in bytes.
    allocated: usize,
}

impl Store {
    pub(crate) fn new(program: &Program, layout: &Layout) -> Store {
        Store {
            packing: Packing::new(program, layout),
            chunks: Vec::new(),
            states: Vec::new(),
            table: HashTable::new(),
            hasher: hashbrown::DefaultHashBuilder::default(),
            packed: Vec::new(),
            allocated: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// The memory taken, in bytes.
    pub(crate) fn memory(&self) -> usize {
        self.allocated
            + self.states.capacity() * size_of::<(u32, u32, Option<StateId>)>()
            + self.table.capacity() * size_of::<(u32, StateId)>()
    }

    /// Keeps a configuration; `None` if it was there before.
    pub(crate) fn insert(
        &mut self,
        configuration: &Configuration,
        parent: Option<StateId>,
    ) -> Option<StateId> {
        self.packed.clear();
        self.packing.pack(configuration, &mut self.packed);
        let hash = self.hasher.hash_one(&self.packed[..]);
        let short = (hash >> 32) as u32;
        let (chunks, states, packed) = (&self.chunks, &self.states, &self.packed);
        let same = |&(other, id): &(u32, StateId)| {
            let (chunk, offset, _) = states[id.0 as usize];
            other == short && chunks[chunk as usize][offset as usize..].starts_with(packed)
        };
        // The upper half of the hash is kept to grow the table without unpacking anything.
        let place = spread(short);
        if self.table.find(place, same).is_some() {
            return None;
        }
        let id = StateId(u32::try_from(states.len()).expect("fewer than 2^32 states fit"));
        let room = self.chunks.last().map_or(0, |c| c.capacity() - c.len());
        if room < self.packed.len() {
            let size = CHUNK.max(self.packed.len());
            self.chunks.push(Vec::with_capacity(size));
            self.allocated += size;
        }
        let number = self.chunks.len() as u32 - 1;
        let chunk = self.chunks.last_mut().expect("there is room in a chunk");
        self.states.push((number, chunk.len() as u32, parent));
        chunk.extend_from_slice(&self.packed);
        self.table
            .insert_unique(place, (short, id), |&(short, _)| spread(short));
        Some(id)
    }

    /// Unpacks into `configuration`, overwriting it.
    pub(crate) fn load(&self, id: StateId, configuration: &mut Configuration) {
        self.packing.unpack(self.bytes(id), configuration);
    }

    pub(crate) fn parent(&self, id: StateId) -> Option<StateId> {
        self.states[id.0 as usize].2
    }

    pub(crate) fn is(&mut self, id: StateId, configuration: &Configuration) -> bool {
        self.packed.clear();
        self.packing.pack(configuration, &mut self.packed);
        self.bytes(id).starts_with(&self.packed)
    }

    /// The bytes of a state, and of those behind it: a packed state says where it ends.
    fn bytes(&self, id: StateId) -> &[u8] {
        let (chunk, offset, _) = self.states[id.0 as usize];
        &self.chunks[chunk as usize][offset as usize..]
    }
}

/// A 64-bit hash from a 32-bit one, for a table that uses its high and low bits.
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The packed form: locations numbered within their thread, the owner of the atomic section,
/// the undefined slots, the slots; every number in as few groups of seven bits as it needs.
#[derive(Debug)]
pub(crate) struct Packing {
    /// By location: its number within its thread, from 1.
    numbers: Vec<u32>,
    /// By thread, the locations in the order of their numbers.
    locations: Vec<Vec<LocationId>>,
    slots: usize,
}

impl Packing {
    pub(crate) fn new(program: &Program, layout: &Layout) -> Packing {
        let mut locations = vec![Vec::new(); program.threads.len()];
        let mut numbers = Vec::new();
        for id in program.location_ids() {
            let own: &mut Vec<LocationId> = &mut locations[program.location(id).thread.index()];
            own.push(id);
            numbers.push(own.len() as u32);
        }
        Packing {
            numbers,
            locations,
            slots: layout.slot_count(),
        }
    }

    pub(crate) fn pack(&self, configuration: &Configuration, bytes: &mut Vec<u8>) {
        for &location in &configuration.locations {
            let number = match location {
                0 => 0,
                location => self.numbers[location as usize - 1],
            };
            push(bytes, number.into());
        }
        push(bytes, configuration.atomic.into());
        for &word in &configuration.undefined {
            push(bytes, word.into());
        }
        for &word in &configuration.slots {
            // Small numbers of either sign become small.
            push(bytes, ((word << 1) ^ (word >> 127)) as u128);
        }
    }

    pub(crate) fn unpack(&self, mut bytes: &[u8], configuration: &mut Configuration) {
        for (thread, location) in configuration.locations.iter_mut().enumerate() {
            let number = pull(&mut bytes) as usize;
            *location = match number {
                0 => 0,
                number => self.locations[thread][number - 1].index() as u32 + 1,
            };
        }
        configuration.atomic = pull(&mut bytes) as u32;
        for word in &mut configuration.undefined {
            *word = pull(&mut bytes) as u64;
        }
        debug_assert_eq!(configuration.slots.len(), self.slots);
        for word in &mut configuration.slots {
            let number = pull(&mut bytes);
            *word = (number >> 1) as i128 ^ -((number & 1) as i128);
        }
    }
}

fn push(bytes: &mut Vec<u8>, number: u128) {
    // Nearly all numbers are small.
    if number < 0x80 {
        return bytes.push(number as u8);
    }
    let mut rest = number;
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

fn pull(bytes: &mut &[u8]) -> u128 {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let (&byte, rest) = bytes.split_first().expect("a packed state is complete");
        *bytes = rest;
        if byte < 0x80 {
            return number | u128::from(byte) << shift;
        }
        number |= u128::from(byte & 0x7f) << shift;
        shift += 7;
    }
}
