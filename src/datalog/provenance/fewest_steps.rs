//! The path with the fewest steps among those of least height.
//!
//! The fixpoint keeps no more of a path than its [height](super::heights): if it preferred short
//! ones, it would have to keep a path for each number of steps. Only few of them are shown, so
//! these are looked for afterwards, step by step from the first event on.

use super::algebra::Algebra;
use super::derivation::Pair;
use super::fixpoint::Fixpoint;
use super::heights::{Heights, highest};
use super::orders::{ChainId, Event, EventId, OrderStore};
use super::program::OrderId;
use super::used::PathStep;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry::Vacant;

impl OrderStore<u64> {
    /// The lowest path from one event to another that was derived so far, and its level.
    pub(super) fn lowest(&self, first: EventId, last: EventId) -> Option<(u64, Pair)> {
        let mut lowest: Option<(u64, Pair)> = None;
        self.pairs(
            &mut Heights,
            Some(first),
            Some(last),
            &mut |heights, found| {
                let level = heights.path_level(found.weight);
                if lowest.is_none_or(|(other, _)| level < other) {
                    lowest = Some((level, found.pair));
                }
            },
        );
        lowest
    }
}

impl Fixpoint<Heights> {
    /// The steps from one event to another that comes after it. They are those of a path of least
    /// height, even if a rule was content with a higher one because another premise is as high.
    pub(super) fn fewest_steps(
        &self,
        order: OrderId,
        first: EventId,
        last: EventId,
    ) -> Vec<PathStep> {
        let store = &self.orders[order.index()];
        let (_, lowest) = store.lowest(first, last).expect("the pair was derived");
        let known = self.steps_of(order, lowest);
        // One step would be lower than two.
        if known.len() <= 2 {
            return known;
        }
        let heights = known.iter().map(|&step| height(store, step));
        let mut search = Search {
            store,
            goal: last,
            limit: heights.max().unwrap_or_default(),
            came_by: FxHashMap::default(),
            reached: vec![first],
            left_from: FxHashMap::default(),
        };
        while !search.came_by.contains_key(&last) {
            if search.reached.is_empty() {
                debug_assert!(false, "the known path is one of those looked for");
                return known;
            }
            search.go_on();
        }
        search.steps_from(first)
    }
}

struct Search<'a> {
    store: &'a OrderStore<u64>,
    goal: EventId,
    /// How high a step may be.
    limit: u64,
    /// The last step to each event.
    came_by: FxHashMap<EventId, PathStep>,
    /// The events that were reached with the last step.
    reached: Vec<EventId>,
    /// The first position of each chain from which chain steps were made.
    left_from: FxHashMap<ChainId, u32>,
}

impl Search<'_> {
    /// Takes one step more.
    fn go_on(&mut self) {
        for event in std::mem::take(&mut self.reached) {
            let Event {
                chain, position, ..
            } = *self.store.event(event);
            for edge in self.store.departures(chain, position..position + 1) {
                if self.store.edge(edge).weight <= self.limit {
                    self.reach(self.store.edge(edge).last, PathStep::Edge(edge));
                }
            }
            self.leave(event, chain, position);
        }
    }

    /// Makes chain steps from an event, as far as none was made from before it: to the goal, and to
    /// where edges begin, the last ones first. A long chain step is easier to see than an edge.
    fn leave(&mut self, from: EventId, chain: ChainId, position: u32) {
        let earliest = self.left_from.get(&chain).copied().unwrap_or(u32::MAX);
        if earliest <= position || !self.can_step(from) {
            return;
        }
        self.left_from.insert(chain, position);
        let departures = self.store.departures(chain, position + 1..earliest);
        let begins = departures.map(|edge| self.store.edge(edge).first);
        let goal = self.store.event(self.goal);
        let is_behind = goal.chain == chain && goal.position > position;
        let events: Vec<EventId> = begins.chain(is_behind.then_some(self.goal)).collect();
        for event in events.into_iter().rev() {
            if self.can_step(event) {
                self.reach(event, PathStep::Chain(from, event));
            }
        }
    }

    /// Whether a chain step from or to the event is not too high on its account.
    fn can_step(&self, event: EventId) -> bool {
        let mut presence = self.store.event(event).presence.iter();
        presence.any(|by| by.weight < self.limit)
    }

    fn reach(&mut self, event: EventId, step: PathStep) {
        if let Vacant(entry) = self.came_by.entry(event) {
            entry.insert(step);
            self.reached.push(event);
        }
    }

    /// The steps to the goal.
    fn steps_from(&self, first: EventId) -> Vec<PathStep> {
        let mut steps = Vec::new();
        let mut at = self.goal;
        while steps.is_empty() || at != first {
            let step = self.came_by[&at];
            steps.push(step);
            at = match step {
                PathStep::Edge(edge) => self.store.edge(edge).first,
                PathStep::Chain(first, _) => first,
            };
        }
        steps.reverse();
        steps
    }
}

fn height(store: &OrderStore<u64>, step: PathStep) -> u64 {
    match step {
        PathStep::Edge(edge) => store.edge(edge).weight,
        PathStep::Chain(first, last) => {
            let ways = store.steps(&mut Heights, first, last);
            ways.map(highest).min().unwrap_or_default()
        }
    }
}
