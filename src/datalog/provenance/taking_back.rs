//! Makes a correction smaller: takes literals back into a model, one after the other, as long as
//! no cycle comes of it.
//!
//! Unlike what is left out, what comes in only adds to an order, so clocks only rise, and only
//! what is behind the new edges is looked at.

use super::consistent_part::occurrences;
use super::ground_order::{GroundOrder, Instance};
use super::groups::Groups;
use super::literal_sets::LiteralIndex;
use super::ordering::Run;
use super::orders::EventId;
use rustc_hash::FxHashSet;

pub(super) struct TakingBack<'a> {
    ground: &'a GroundOrder,
    blamed: FxHashSet<LiteralIndex>,
    /// For each event, what comes after it by an edge.
    after: Vec<Vec<EventId>>,
    /// For each event and chain, how many events of the chain come before it.
    clocks: Vec<u32>,
    lookup: &'a Lookup,
    /// What was done since the last literal came in: entries of clocks that rose, with their
    /// old values, and the beginnings of edges.
    risen: Vec<(usize, u32)>,
    begun: Vec<EventId>,
    /// The events whose clocks rose.
    open: Vec<EventId>,
}

/// Where to find what comes with a literal, and what may follow when the clock of an event rises.
/// The same for all corrections.
pub(super) struct Lookup {
    edges: Vec<(EventId, EventId)>,
    edges_by_literal: Groups,
    instances_by_literal: Groups,
    instances_by_last: Groups,
}

impl Lookup {
    pub(super) fn new(ground: &GroundOrder) -> Self {
        let mut edges = Vec::new();
        let mut literals = Vec::new();
        for (event, waits) in (0..).map(EventId).zip(&ground.before) {
            for &(other, literal) in waits {
                edges.push((other, event));
                literals.push(literal);
            }
        }
        let instances = ground.instances.iter();
        Lookup {
            edges,
            edges_by_literal: Groups::new(ground.literals, literals.into_iter()),
            instances_by_literal: Groups::new(
                ground.literals,
                instances.clone().map(|instance| instance.literal),
            ),
            instances_by_last: Groups::new(
                ground.places.len(),
                instances.map(|instance| Some(instance.last.0)),
            ),
        }
    }
}

/// An event comes before itself.
struct Cycle;

impl<'a> TakingBack<'a> {
    /// From a run that found a model without blaming anything: its clocks are what the edges
    /// make them.
    pub(super) fn new(ground: &'a GroundOrder, lookup: &'a Lookup, run: Run<'a>) -> Self {
        let mut after = vec![Vec::new(); ground.places.len()];
        for (event, waits) in (0..).map(EventId).zip(&run.before) {
            for &(other, literal) in waits {
                if literal.is_none_or(|literal| !run.blamed.contains(&literal)) {
                    after[other.0 as usize].push(event);
                }
            }
        }
        TakingBack {
            ground,
            blamed: run.blamed.clone(),
            after,
            clocks: run.into_clocks(),
            lookup,
            risen: Vec::new(),
            begun: Vec::new(),
            open: Vec::new(),
        }
    }

    /// The literals that have to be left out, and those `given`, which are left out anyway. Those
    /// that are in few `conflicts` come in first, so that few suffice for the others.
    pub(super) fn finish(
        mut self,
        given: &FxHashSet<LiteralIndex>,
        conflicts: &[&[LiteralIndex]],
    ) -> FxHashSet<LiteralIndex> {
        let counts = occurrences(conflicts);
        let mut literals: Vec<LiteralIndex> = self.blamed.difference(given).copied().collect();
        literals.sort_unstable_by_key(|literal| (counts.get(literal).copied(), *literal));
        if literals.len() > 1 {
            for literal in literals {
                self.take_back(literal);
            }
        }
        self.blamed
    }

    /// Takes the literal back, if there is a model with it.
    fn take_back(&mut self, literal: LiteralIndex) {
        self.blamed.remove(&literal);
        if self.add_literal(literal).is_err() {
            self.blamed.insert(literal);
            for (entry, old) in self.risen.drain(..).rev() {
                self.clocks[entry] = old;
            }
            for event in self.begun.drain(..) {
                self.after[event.0 as usize].pop();
            }
        }
        self.risen.clear();
        self.begun.clear();
        self.open.clear();
    }

    fn add_literal(&mut self, literal: LiteralIndex) -> Result<(), Cycle> {
        let ground = self.ground;
        let lookup = self.lookup;
        for &number in lookup.edges_by_literal.get(literal) {
            let (first, last) = lookup.edges[number as usize];
            self.add_edge(first, last)?;
        }
        for &number in lookup.instances_by_literal.get(literal) {
            self.add_instance(&ground.instances[number as usize])?;
        }
        while let Some(event) = self.open.pop() {
            let index = event.0 as usize;
            let (chain, position) = ground.places[index];
            if let Some(&next) = ground.chains[chain].get(position as usize + 1) {
                self.raise(event, next)?;
            }
            for place in 0..self.after[index].len() {
                self.raise(event, self.after[index][place])?;
            }
            for &number in lookup.instances_by_last.get(event.0) {
                self.add_instance(&ground.instances[number as usize])?;
            }
        }
        Ok(())
    }

    /// Adds the edge that the instance demands, if it does.
    fn add_instance(&mut self, instance: &Instance) -> Result<(), Cycle> {
        let is_blamed = |literal| self.blamed.contains(&literal);
        if !instance.literal.is_some_and(is_blamed)
            && instance.premise.holds(&self.clocks)
            && !instance.conclusion.holds(&self.clocks)
        {
            self.add_edge(instance.before, instance.after)?;
        }
        Ok(())
    }

    fn add_edge(&mut self, first: EventId, last: EventId) -> Result<(), Cycle> {
        self.after[first.0 as usize].push(last);
        self.begun.push(first);
        self.raise(first, last)
    }

    /// What comes before the first event, and the event itself, comes before the last.
    fn raise(&mut self, first: EventId, last: EventId) -> Result<(), Cycle> {
        let chains = self.ground.chains.len();
        let (from, to) = (first.0 as usize * chains, last.0 as usize * chains);
        let (own, position) = self.ground.places[first.0 as usize];
        let known = self.risen.len();
        for chain in 0..chains {
            let mut entry = self.clocks[from + chain];
            if chain == own {
                entry = entry.max(position + 1);
            }
            let old = self.clocks[to + chain];
            if entry > old {
                self.risen.push((to + chain, old));
                self.clocks[to + chain] = entry;
            }
        }
        if self.risen.len() > known {
            self.open.push(last);
        }
        match self.comes_before_itself(last) {
            true => Err(Cycle),
            false => Ok(()),
        }
    }

    fn comes_before_itself(&self, event: EventId) -> bool {
        let (chain, position) = self.ground.places[event.0 as usize];
        self.clocks[event.0 as usize * self.ground.chains.len() + chain] > position
    }
}
