//! Runs all events one after the other, and leaves out the literals that stand in the way.
//!
//! All edges are put into chain clocks, without asking why, and what the rules add round by
//! round; when events wait for each other in a circle, the literal of its edge that goes back
//! farthest is blamed. In the end the clocks are an order without a cycle that is closed under
//! the rules.

use super::ground_order::{GroundOrder, Wait};
use super::literal_sets::LiteralIndex;
use super::orders::EventId;
use std::ops::Range;

/// How often edges are added.
const MOST_ROUNDS: usize = 64;

/// An order of all events in the making.
pub(super) struct Run<'a> {
    ground: &'a GroundOrder,
    /// For each event, what has to come before it, and because of what.
    before: Vec<Vec<Wait>>,
    /// Not to be blamed.
    kept: &'a [LiteralIndex],
    /// For each literal, whether it is.
    is_left_out: Vec<bool>,
    blamed: Vec<LiteralIndex>,
    /// For each event and chain, how many events of the chain come before it, or are it.
    clocks: Vec<u32>,
    scratch: Vec<u32>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        ground: &'a GroundOrder,
        kept: &'a [LiteralIndex],
        left_out: &[LiteralIndex],
    ) -> Self {
        let mut is_left_out = vec![false; ground.literals];
        for &literal in left_out {
            is_left_out[literal as usize] = true;
        }
        Run {
            before: ground.before.clone(),
            kept,
            is_left_out,
            blamed: Vec::new(),
            clocks: vec![0; ground.places.len() * ground.chains.len()],
            scratch: Vec::new(),
            ground,
        }
    }

    /// What was found to stand in the way.
    pub(super) fn blamed(&self) -> &[LiteralIndex] {
        &self.blamed
    }

    /// Blames literals until the rest has a model; returns whether that was possible.
    pub(super) fn finds_model(&mut self) -> bool {
        for _ in 0..MOST_ROUNDS {
            if !self.order_events() {
                return false;
            }
            if !self.add_edges() {
                return true;
            }
        }
        false
    }

    pub(super) fn is_left_out(&self, literal: Option<LiteralIndex>) -> bool {
        literal.is_some_and(|literal| self.is_left_out[literal as usize])
    }

    /// What has to come before the event, and because of what.
    pub(super) fn before(&self, event: EventId) -> impl Iterator<Item = Wait> {
        let before = self.before[event.0 as usize].iter();
        before.copied().filter(|wait| !self.is_left_out(wait.1))
    }

    /// Goes through the events, each after those that have to come before it, and computes
    /// their clocks. Blames literals until that is possible; returns whether it is.
    fn order_events(&mut self) -> bool {
        let chains = self.ground.chains.len();
        let mut done = vec![0; chains];
        let mut count = 0;
        loop {
            let before = count;
            for place in 0..chains {
                while let Some(next) = self.next(place, &done)
                    && self.waits(next, &done).next().is_none()
                {
                    count += 1;
                    done[place] += 1;
                    self.set_clock(next);
                }
            }
            if count == self.ground.places.len() {
                return true;
            }
            if count == before && !self.blame(&done) {
                return false;
            }
        }
    }

    /// The next event of a chain.
    fn next(&self, chain: usize, done: &[u32]) -> Option<EventId> {
        self.ground.chains[chain].get(done[chain] as usize).copied()
    }

    fn place(&self, event: EventId) -> (usize, u32) {
        self.ground.places[event.0 as usize]
    }

    /// What the event waits for, and because of what.
    fn waits(&self, event: EventId, done: &[u32]) -> impl Iterator<Item = Wait> {
        self.before(event).filter(|&(other, _)| {
            let (chain, position) = self.place(other);
            position >= done[chain]
        })
    }

    /// Some chains wait for each other in a circle, and others for them. To blame is what makes an
    /// event of a circle wait for one that lies much farther behind in its own chain: a right
    /// choice rarely does.
    ///
    /// There may be no such literal, because edges of the circle follow from kept ones and others
    /// by the rules. If these others were blamed since, it is time to start again without them.
    fn blame(&mut self, done: &[u32]) -> bool {
        let mut waits = vec![Vec::new(); self.ground.chains.len()];
        let mut candidates = Vec::new();
        for (chain, waits) in waits.iter_mut().enumerate() {
            let Some(head) = self.next(chain, done) else {
                continue;
            };
            for (other, literal) in self.waits(head, done) {
                let (to, _) = self.place(other);
                waits.push(to);
                if let Some(literal) = literal
                    && !self.kept.contains(&literal)
                {
                    let distance = self.share(other) - self.share(head);
                    candidates.push((distance, literal, chain, to));
                }
            }
        }
        candidates.sort_unstable();
        let mut farthest_first = candidates.iter().rev();
        let mut blamed = farthest_first.find(|&&(.., chain, to)| leads_to(to, chain, &waits));
        if blamed.is_none() && self.blamed.is_empty() {
            blamed = candidates.last();
        }
        let Some(&(_, literal, ..)) = blamed else {
            return false;
        };
        self.blamed.push(literal);
        self.is_left_out[literal as usize] = true;
        true
    }

    /// How much of its chain lies before the event.
    fn share(&self, event: EventId) -> i64 {
        let (chain, position) = self.place(event);
        (i64::from(position) << 16) / self.ground.chains[chain].len() as i64
    }

    fn set_clock(&mut self, id: EventId) {
        let (chain, position) = self.place(id);
        let mut clock = std::mem::take(&mut self.scratch);
        clock.clear();
        match position.checked_sub(1) {
            Some(previous) => {
                let previous = self.ground.chains[chain][previous as usize];
                clock.extend_from_slice(&self.clocks[self.clock(previous)]);
            }
            None => clock.resize(self.ground.chains.len(), 0),
        }
        clock[chain] = position + 1;
        for (other, _) in self.before(id) {
            let other = &self.clocks[self.clock(other)];
            for (own, &entry) in clock.iter_mut().zip(other) {
                *own = (*own).max(entry);
            }
        }
        let place = self.clock(id);
        self.clocks[place].copy_from_slice(&clock);
        self.scratch = clock;
    }

    /// Where the clock of an event is.
    fn clock(&self, event: EventId) -> Range<usize> {
        let chains = self.ground.chains.len();
        let start = event.0 as usize * chains;
        start..start + chains
    }

    /// How many events of each chain come before each event.
    pub(super) fn into_clocks(mut self) -> Vec<u32> {
        let count = self.ground.chains.len();
        for (clock, &(chain, position)) in self.clocks.chunks_mut(count).zip(&self.ground.places) {
            clock[chain] = position;
        }
        self.clocks
    }

    /// Adds what the rules demand. Returns whether anything was missing.
    fn add_edges(&mut self) -> bool {
        let mut any = false;
        for instance in &self.ground.instances {
            // Few are violated, but half of the premises hold: a branch for each takes longer.
            let is_violated =
                instance.premise.holds(&self.clocks) & !instance.conclusion.holds(&self.clocks);
            if is_violated && !self.is_left_out(instance.literal) {
                let before = &mut self.before[instance.after.0 as usize];
                before.push((instance.before, instance.literal));
                any = true;
            }
        }
        any
    }
}

/// Whether one chain waits for another, possibly by way of others, where `waits` are the chains
/// that each waits for.
fn leads_to(from: usize, to: usize, waits: &[Vec<usize>]) -> bool {
    let mut seen = vec![false; waits.len()];
    let mut open = vec![from];
    while let Some(chain) = open.pop() {
        if chain == to {
            return true;
        }
        if !std::mem::replace(&mut seen[chain], true) {
            open.extend(&waits[chain]);
        }
    }
    false
}
