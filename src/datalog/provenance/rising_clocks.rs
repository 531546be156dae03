//! Clocks of an order to which literals come one after the other, as long as no cycle comes of it,
//! and from which they go again, the last one first.
//!
//! What comes in only adds to an order, so clocks only rise, and only entries behind those that
//! rose are looked at. What they were before is kept until the literal goes.

use super::ground_order::{GroundOrder, Instance};
use super::groups::Groups;
use super::literal_sets::LiteralIndex;
use super::ordering::Run;
use super::orders::EventId;

pub(super) struct RisingClocks<'a> {
    ground: &'a GroundOrder,
    lookup: &'a Lookup,
    /// For each literal, whether it came in.
    is_in: Vec<bool>,
    /// For each event, what comes after it by an edge.
    after: Vec<Vec<EventId>>,
    /// For each event and chain, how many events of the chain come before it.
    clocks: Vec<u32>,
    /// What was done, for the way back: the literals that came in, the beginnings of edges, and the
    /// entries of clocks that rose, with their old values.
    came: Vec<LiteralIndex>,
    begun: Vec<EventId>,
    risen: Vec<(usize, u32)>,
    /// The entries that rose and were not passed on, by their events and chains.
    open: Vec<(EventId, usize)>,
}

/// Where to find what comes with a literal, and what may follow when an entry of a clock rises.
pub(super) struct Lookup {
    edges: Vec<(EventId, EventId)>,
    edges_by_literal: Groups,
    instances_by_literal: Groups,
    instances_by_entry: Groups,
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
            instances_by_entry: Groups::new(
                ground.places.len() * ground.chains.len(),
                instances.map(|instance| Some(instance.premise.entry())),
            ),
        }
    }
}

/// A state to which clocks can return.
#[derive(Clone, Copy, Default)]
struct Height {
    came: usize,
    begun: usize,
    risen: usize,
}

/// An event comes before itself.
struct Cycle;

impl<'a> RisingClocks<'a> {
    /// Of what holds anyway, which has no cycle.
    pub(super) fn new(ground: &'a GroundOrder, lookup: &'a Lookup) -> Self {
        let chains = ground.chains.len();
        let mut clocks = vec![0; ground.places.len() * chains];
        for (clock, &(chain, position)) in clocks.chunks_mut(chains).zip(&ground.places) {
            clock[chain] = position;
        }
        let is_in = vec![false; ground.literals];
        let after = vec![Vec::new(); ground.places.len()];
        let mut rising = RisingClocks::with(ground, lookup, is_in, after, clocks);
        let outcome = rising.add_what_holds_anyway();
        debug_assert!(outcome.is_ok(), "there is no cycle");
        rising
    }

    /// From a run that found a model without blaming anything: its clocks are what the edges
    /// make them.
    pub(super) fn of_model(ground: &'a GroundOrder, lookup: &'a Lookup, run: Run) -> Self {
        let all = 0..ground.literals as LiteralIndex;
        let is_in = all.map(|literal| !run.is_left_out(Some(literal)));
        let is_in = is_in.collect();
        let mut after = vec![Vec::new(); ground.places.len()];
        for event in (0..ground.places.len() as u32).map(EventId) {
            for (other, _) in run.before(event) {
                after[other.0 as usize].push(event);
            }
        }
        RisingClocks::with(ground, lookup, is_in, after, run.into_clocks())
    }

    fn with(
        ground: &'a GroundOrder,
        lookup: &'a Lookup,
        is_in: Vec<bool>,
        after: Vec<Vec<EventId>>,
        clocks: Vec<u32>,
    ) -> Self {
        RisingClocks {
            ground,
            lookup,
            is_in,
            after,
            clocks,
            came: Vec::new(),
            begun: Vec::new(),
            risen: Vec::new(),
            open: Vec::new(),
        }
    }

    /// Lets all literals go that came in, and takes in these, unless a cycle comes of it. Returns
    /// whether none does.
    pub(super) fn start_with(&mut self, literals: &[LiteralIndex]) -> bool {
        self.return_to(Height::default());
        literals.iter().all(|&literal| self.take_in(literal))
    }

    /// Takes the literal in, unless a cycle comes of it. Returns whether none does.
    pub(super) fn take_in(&mut self, literal: LiteralIndex) -> bool {
        let before = self.height();
        let is_consistent = self.is_in[literal as usize] || self.add_literal(literal).is_ok();
        if !is_consistent {
            self.return_to(before);
        }
        is_consistent
    }

    /// Leaves out one literal after the other, as long as there is still a cycle. What came in before
    /// counts as holding anyway.
    pub(super) fn kernel(&mut self, candidate: &[LiteralIndex]) -> Vec<LiteralIndex> {
        let mut kernel = candidate.to_vec();
        for literal in candidate {
            let rest: Vec<LiteralIndex> = kernel.iter().copied().filter(|l| l != literal).collect();
            if self.have_cycle(&rest) {
                kernel = rest;
            }
        }
        kernel
    }

    /// Whether a cycle would come of all these.
    fn have_cycle(&mut self, literals: &[LiteralIndex]) -> bool {
        let before = self.height();
        let has_cycle = !literals.iter().all(|&literal| self.take_in(literal));
        self.return_to(before);
        has_cycle
    }

    fn height(&self) -> Height {
        Height {
            came: self.came.len(),
            begun: self.begun.len(),
            risen: self.risen.len(),
        }
    }

    /// Lets all literals go that came in since.
    fn return_to(&mut self, height: Height) {
        for literal in self.came.drain(height.came..) {
            self.is_in[literal as usize] = false;
        }
        for event in self.begun.drain(height.begun..) {
            self.after[event.0 as usize].pop();
        }
        for (entry, old) in self.risen.drain(height.risen..).rev() {
            self.clocks[entry] = old;
        }
        self.open.clear();
    }

    fn add_what_holds_anyway(&mut self) -> Result<(), Cycle> {
        let ground = self.ground;
        for (event, waits) in (0..).map(EventId).zip(&ground.before) {
            for &(other, literal) in waits {
                if literal.is_none() {
                    self.add_edge(other, event)?;
                }
            }
        }
        for instance in &ground.instances {
            self.add_instance(instance)?;
        }
        self.pass_on()
    }

    fn add_literal(&mut self, literal: LiteralIndex) -> Result<(), Cycle> {
        let (ground, lookup) = (self.ground, self.lookup);
        self.is_in[literal as usize] = true;
        self.came.push(literal);
        for &number in lookup.edges_by_literal.get(literal) {
            let (first, last) = lookup.edges[number as usize];
            self.add_edge(first, last)?;
        }
        for &number in lookup.instances_by_literal.get(literal) {
            self.add_instance(&ground.instances[number as usize])?;
        }
        self.pass_on()
    }

    /// Passes on what rose, and adds what follows.
    fn pass_on(&mut self) -> Result<(), Cycle> {
        let (ground, lookup) = (self.ground, self.lookup);
        while let Some((event, chain)) = self.open.pop() {
            let index = event.0 as usize;
            let entry = index * ground.chains.len() + chain;
            let value = self.clocks[entry];
            let (own, position) = ground.places[index];
            if let Some(&next) = ground.chains[own].get(position as usize + 1) {
                self.raise(next, chain, value)?;
            }
            for place in 0..self.after[index].len() {
                self.raise(self.after[index][place], chain, value)?;
            }
            for &number in lookup.instances_by_entry.get(entry as u32) {
                self.add_instance(&ground.instances[number as usize])?;
            }
        }
        Ok(())
    }

    /// Adds the edge that the instance demands, if it does.
    fn add_instance(&mut self, instance: &Instance) -> Result<(), Cycle> {
        let is_in = |literal: LiteralIndex| self.is_in[literal as usize];
        if instance.literal.is_none_or(is_in)
            && instance.premise.holds(&self.clocks)
            && !instance.conclusion.holds(&self.clocks)
        {
            self.add_edge(instance.before, instance.after)?;
        }
        Ok(())
    }

    /// What comes before the first event, and the event itself, comes before the last.
    fn add_edge(&mut self, first: EventId, last: EventId) -> Result<(), Cycle> {
        self.after[first.0 as usize].push(last);
        self.begun.push(first);
        let chains = self.ground.chains.len();
        let (own, position) = self.ground.places[first.0 as usize];
        for chain in 0..chains {
            let value = match chain == own {
                true => position + 1,
                false => self.clocks[first.0 as usize * chains + chain],
            };
            self.raise(last, chain, value)?;
        }
        Ok(())
    }

    /// So many events of the chain come before the event.
    fn raise(&mut self, event: EventId, chain: usize, value: u32) -> Result<(), Cycle> {
        let entry = event.0 as usize * self.ground.chains.len() + chain;
        let old = self.clocks[entry];
        if value > old {
            let (own, position) = self.ground.places[event.0 as usize];
            if own == chain && value > position {
                return Err(Cycle);
            }
            self.risen.push((entry, old));
            self.clocks[entry] = value;
            self.open.push((event, chain));
        }
        Ok(())
    }
}
