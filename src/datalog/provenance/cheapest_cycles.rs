//! Cycles of an order, the cheapest first: each is an edge and the cheapest way back, and costs the
//! number of literals that these use, each counted as often as it is used.
//!
//! [Cheap conflicts](super::cheap_conflicts) are the same for any rules. Where these are
//! [written out](super::ground_order), all that can be derived at one cost is a sweep over the clocks of
//! all events: an edge that costs something leads on from clocks of a lower cost, which are known,
//! and what costs nothing has no cycle.

use super::ground_order::{GroundOrder, Instance, Precedence};
use super::literal_sets::LiteralIndex;
use super::orders::EventId;
use std::cell::OnceCell;
use std::ops::Range;

pub(super) struct CheapestCycles<'a> {
    ground: &'a GroundOrder,
    /// All events, each after those that come before it anyway.
    sequence: Vec<EventId>,
    /// For each event, those that come before it anyway, by an edge.
    free: Vec<Vec<EventId>>,
    /// The edges that rest on literals, the cheapest first.
    edges: Vec<Edge>,
    /// For each event, which of them end there.
    into: Vec<Vec<usize>>,
    /// The instances that may become edges, as positions.
    waiting: Vec<usize>,
    /// For each cost, how many events of each chain come before each event.
    clocks: Vec<Vec<u32>>,
    /// The highest cost at which anything was new.
    last_news: usize,
}

struct Edge {
    first: EventId,
    last: EventId,
    cost: usize,
    /// That its last event comes before its first one, too.
    back: Precedence,
    basis: Basis,
}

/// What an edge rests on.
enum Basis {
    Literals(Vec<LiteralIndex>),
    /// Of an instance with a literal, by its position: what its premise rests on costs less, so it
    /// can be read off at any time.
    Instance(usize, OnceCell<Vec<LiteralIndex>>),
}

impl<'a> CheapestCycles<'a> {
    /// All events are in their chains anyway, and no cycle consists of what holds anyway.
    pub(super) fn new(ground: &'a GroundOrder, is_usable: impl Fn(LiteralIndex) -> bool) -> Self {
        let events = ground.places.len();
        let is_possible = |literal: Option<LiteralIndex>| literal.is_none_or(&is_usable);
        let instances = ground.instances.iter().enumerate();
        let waiting = instances.filter(|(_, instance)| is_possible(instance.literal));
        let mut cycles = CheapestCycles {
            ground,
            sequence: Vec::with_capacity(events),
            free: vec![Vec::new(); events],
            edges: Vec::new(),
            into: vec![Vec::new(); events],
            waiting: waiting.map(|(number, _)| number).collect(),
            clocks: Vec::new(),
            last_news: 0,
        };
        for (last, waits) in (0..).map(EventId).zip(&ground.before) {
            for &(first, literal) in waits {
                match literal {
                    None => cycles.free[last.0 as usize].push(first),
                    Some(literal) if is_usable(literal) => {
                        cycles.add_edge(first, last, 1, Basis::Literals(vec![literal]));
                    }
                    Some(_) => {}
                }
            }
        }
        cycles.sequence = cycles.in_sequence();
        let mut clocks = vec![0; events * ground.chains.len()];
        for (clock, &(chain, position)) in
            clocks.chunks_mut(ground.chains.len()).zip(&ground.places)
        {
            clock[chain] = position;
        }
        cycles.sweep(&mut clocks);
        cycles.clocks.push(clocks);
        cycles
    }

    /// What was derived costs no more than that.
    pub(super) fn cost(&self) -> usize {
        self.clocks.len() - 1
    }

    /// Whether nothing is left to be derived at higher costs.
    pub(super) fn is_finished(&self) -> bool {
        // What is new consists of two parts one of which was new.
        self.cost() > 2 * self.last_news
    }

    /// Derives what costs one literal more.
    pub(super) fn go_on(&mut self) {
        let cost = self.clocks.len();
        let mut is_new = self.add_instances(cost, |literal| literal.is_some());
        let mut clocks = self.clocks[cost - 1].clone();
        let mut known = 0;
        loop {
            for edge in &self.edges[known..] {
                let from = &self.clocks[cost - edge.cost];
                self.raise(edge.first, from, &mut clocks[self.clock(edge.last)]);
            }
            known = self.edges.len();
            self.sweep(&mut clocks);
            self.clocks.push(clocks);
            // What follows without a literal costs as much as its premise.
            if !self.add_instances(cost, |literal| literal.is_none()) {
                break;
            }
            is_new = true;
            clocks = self.clocks.pop().unwrap_or_default();
        }
        if is_new || self.clocks[cost] != self.clocks[cost - 1] {
            self.last_news = cost;
        }
    }

    /// Turns instances whose premises are derived into edges of a cost, unless these add nothing.
    /// Returns whether there are any.
    fn add_instances(
        &mut self,
        cost: usize,
        is_due: impl Fn(Option<LiteralIndex>) -> bool,
    ) -> bool {
        let instances = &self.ground.instances;
        let clocks = &self.clocks[self.clocks.len() - 1];
        let mut due = Vec::new();
        self.waiting.retain(|&number| {
            let instance = &instances[number];
            let holds = is_due(instance.literal) && instance.premise.holds(clocks);
            if holds && !instance.conclusion.holds(clocks) {
                due.push(number);
            }
            !holds
        });
        let basis = |number: usize| match instances[number].literal {
            Some(_) => Basis::Instance(number, OnceCell::new()),
            // Later, the premise could be read off as if it rested on the edge.
            None => Basis::Literals(self.premise(number, cost)),
        };
        let due: Vec<(usize, Basis)> = due.into_iter().map(|each| (each, basis(each))).collect();
        let is_any = !due.is_empty();
        for (number, basis) in due {
            let Instance { before, after, .. } = instances[number];
            self.add_edge(before, after, cost, basis);
        }
        is_any
    }

    /// The literals of the cycles that cost at most one literal more than what was derived, but for
    /// those that were there at a lower cost; the cheapest first.
    pub(super) fn new_cycles(&self) -> impl Iterator<Item = Vec<LiteralIndex>> {
        let cost = self.cost();
        let at_once = move |edge: &&Edge| edge.cost == cost && self.is_way_back(edge, 0);
        let later = move |edge: &&Edge| {
            let back = cost + 1 - edge.cost;
            self.is_way_back(edge, back) && !self.is_way_back(edge, back - 1)
        };
        let edges = self.edges.iter();
        let cycles = edges.clone().filter(at_once).chain(edges.filter(later));
        cycles.map(move |edge| {
            let mut literals = self.literals(edge).to_vec();
            if edge.first != edge.last {
                self.add_path(edge.back, cost, &mut literals);
            }
            literals.sort_unstable();
            literals.dedup();
            literals
        })
    }

    fn is_way_back(&self, edge: &Edge, cost: usize) -> bool {
        edge.first == edge.last || edge.back.holds(&self.clocks[cost])
    }

    fn add_edge(&mut self, first: EventId, last: EventId, cost: usize, basis: Basis) {
        self.into[last.0 as usize].push(self.edges.len());
        self.edges.push(Edge {
            first,
            last,
            cost,
            back: self.ground.precedence(last, first),
            basis,
        });
    }

    /// All events, each after those that come before it anyway.
    fn in_sequence(&self) -> Vec<EventId> {
        let GroundOrder { chains, places, .. } = self.ground;
        let mut done = vec![0; chains.len()];
        let mut sequence = Vec::with_capacity(places.len());
        loop {
            let before = sequence.len();
            for (chain, events) in chains.iter().enumerate() {
                while let Some(&next) = events.get(done[chain] as usize)
                    && self.free[next.0 as usize].iter().all(|other| {
                        let (chain, position) = places[other.0 as usize];
                        position < done[chain]
                    })
                {
                    sequence.push(next);
                    done[chain] += 1;
                }
            }
            if sequence.len() == before {
                debug_assert_eq!(sequence.len(), places.len(), "there is no cycle");
                return sequence;
            }
        }
    }

    /// Passes on what comes before events along what costs nothing.
    fn sweep(&self, clocks: &mut [u32]) {
        let GroundOrder { chains, places, .. } = self.ground;
        let mut clock = Vec::with_capacity(chains.len());
        for &event in &self.sequence {
            let (chain, position) = places[event.0 as usize];
            let previous = position.checked_sub(1);
            let previous = previous.map(|position| chains[chain][position as usize]);
            let own = self.clock(event);
            clock.clear();
            clock.extend_from_slice(&clocks[own.clone()]);
            for other in previous
                .into_iter()
                .chain(self.free[event.0 as usize].iter().copied())
            {
                self.raise(other, clocks, &mut clock);
            }
            clocks[own].copy_from_slice(&clock);
        }
    }

    /// The event, and what comes before it in the clocks `from`, come before what has this clock.
    fn raise(&self, event: EventId, from: &[u32], clock: &mut [u32]) {
        for (own, &entry) in clock.iter_mut().zip(&from[self.clock(event)]) {
            *own = (*own).max(entry);
        }
        let (chain, position) = self.ground.places[event.0 as usize];
        clock[chain] = clock[chain].max(position + 1);
    }

    fn clock(&self, event: EventId) -> Range<usize> {
        let chains = self.ground.chains.len();
        let start = event.0 as usize * chains;
        start..start + chains
    }

    fn literals<'b>(&'b self, edge: &'b Edge) -> &'b [LiteralIndex] {
        match &edge.basis {
            Basis::Literals(literals) => literals,
            Basis::Instance(number, literals) => literals.get_or_init(|| {
                let mut literals = self.premise(*number, edge.cost - 1);
                literals.extend(self.ground.instances[*number].literal);
                literals
            }),
        }
    }

    /// What the premise of an instance rests on, which costs no more than given.
    fn premise(&self, number: usize, most: usize) -> Vec<LiteralIndex> {
        let mut literals = Vec::new();
        let premise = self.ground.instances[number].premise;
        self.add_path(premise, most, &mut literals);
        literals
    }

    /// Adds what a cheapest path rests on, which costs no more than given.
    fn add_path(&self, path: Precedence, most: usize, literals: &mut Vec<LiteralIndex>) {
        let ground = self.ground;
        let [first, mut last] = ground.ends(path);
        let mut cost = most;
        while last != first {
            let reaches = |event: EventId, cost: usize| {
                event == first || ground.precedence(first, event).holds(&self.clocks[cost])
            };
            while cost > 0 && reaches(last, cost - 1) {
                cost -= 1;
            }
            if cost == 0 {
                return;
            }
            let events = &ground.chains[ground.places[last.0 as usize].0];
            let earliest = events.partition_point(|&event| !reaches(event, cost));
            last = events[earliest];
            let mut edges = self.into[last.0 as usize]
                .iter()
                .map(|&edge| &self.edges[edge]);
            let leads_on =
                |edge: &&Edge| edge.cost <= cost && reaches(edge.first, cost - edge.cost);
            if let Some(edge) = edges.find(leads_on) {
                literals.extend_from_slice(self.literals(edge));
                cost -= edge.cost;
                last = edge.first;
            } else {
                let mut free = self.free[last.0 as usize].iter();
                let before = free.find(|&&event| reaches(event, cost));
                last = *before.expect("an event comes later by an edge");
            }
        }
    }
}
