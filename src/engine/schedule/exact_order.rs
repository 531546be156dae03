//! The exact check, for counterexamples in which the rules find no conflict.
//!
//! Is there a total order of the executed events that respects program order, lets every
//! read follow its write with no other write in between, and keeps atomic blocks together?
//! Section 4.3 of *Scheduling Constraint Based Abstraction Refinement for Multi-Threaded
//! Program Verification*. A SAT solver chooses on which side of each link every other
//! write goes; the cycles that its choices close become clauses, until there is none (and
//! an order) or no choice is left (and a core of the counterexample's own literals, such
//! as that of the butterfly).

use super::abstraction::{Counterexample, Link};
use heddle_solver::{Answer, Limits, Literal, Reason, Sat};
use heddle_unroll::{EventGraph, EventId, EventKind};
use petgraph::algo::{kosaraju_scc, toposort};
use petgraph::graphmap::DiGraphMap;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// An event, or the events of an atomic block, which nothing comes between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Unit(u32);

pub(crate) enum Order {
    /// The executed events in an order that meets all requirements.
    Feasible(Vec<EventId>),
    /// Literals of the counterexample that contradict.
    Infeasible(Vec<Literal>),
    Unknown(Reason),
}

pub(crate) struct Requirements<'a> {
    pub graph: &'a EventGraph,
    pub guards: &'a [Literal],
    pub links: &'a [Link],
    pub counterexample: &'a Counterexample,
}

/// Finds a total order for the counterexample, or why there is none.
pub(crate) fn exact_order(requirements: &Requirements, limits: Limits) -> Order {
    let mut search = Search::new(requirements, limits);
    search.require_links();
    search.run()
}

struct Search<'a> {
    requirements: &'a Requirements<'a>,
    sat: Sat,
    /// By event.
    units: Vec<Unit>,
    /// An order between units, with the literals that it holds by: assumptions and choices.
    edges: FxHashMap<(Unit, Unit), Vec<Vec<Literal>>>,
    /// The counterexample's literal for each assumption of this solver.
    meaning: FxHashMap<Literal, Literal>,
    assumptions: FxHashMap<Literal, Literal>,
    place: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(requirements: &'a Requirements<'a>, limits: Limits) -> Self {
        let graph = requirements.graph;
        let mut sat = Sat::new();
        sat.set_limits(limits);
        let blocks = graph.blocks.len();
        let units = graph
            .event_ids()
            .map(|id| match graph.event(id).block {
                Some(block) => Unit(block.0),
                None => Unit((blocks + id.index()) as u32),
            })
            .collect();
        let mut place = vec![0; graph.events.len()];
        for chain in &graph.chains {
            for (index, event) in chain.events.iter().enumerate() {
                place[event.index()] = index;
            }
        }
        let mut search = Search {
            requirements,
            sat,
            units,
            edges: FxHashMap::default(),
            meaning: FxHashMap::default(),
            assumptions: FxHashMap::default(),
            place,
        };
        search.require_program_order();
        search
    }

    fn executed(&self, event: EventId) -> bool {
        self.requirements.counterexample.executed[event.index()]
    }

    /// The assumption that stands for a literal of the counterexample; `None` for one that
    /// always holds.
    fn assumption(&mut self, literal: Literal) -> Option<Literal> {
        if literal.constant() == Some(true) {
            return None;
        }
        if let Some(&assumption) = self.assumptions.get(&literal) {
            return Some(assumption);
        }
        let assumption = self.sat.new_literal();
        self.assumptions.insert(literal, assumption);
        self.meaning.insert(assumption, literal);
        Some(assumption)
    }

    fn guard(&mut self, event: EventId) -> Option<Literal> {
        self.assumption(self.requirements.guards[event.index()])
    }

    fn require(&mut self, before: EventId, after: EventId, because: Vec<Literal>) {
        let (a, b) = (self.units[before.index()], self.units[after.index()]);
        if a != b {
            let reasons = self.edges.entry((a, b)).or_default();
            if !reasons.contains(&because) {
                reasons.push(because);
            }
        }
    }

    fn require_program_order(&mut self) {
        let graph = self.requirements.graph;
        for chain in &graph.chains {
            let executed: Vec<EventId> = chain
                .events
                .iter()
                .copied()
                .filter(|&event| self.executed(event))
                .collect();
            for pair in executed.windows(2) {
                let because = [pair[0], pair[1]]
                    .into_iter()
                    .filter_map(|event| self.guard(event))
                    .collect();
                self.require(pair[0], pair[1], because);
            }
        }
        for &(before, after) in &graph.orders {
            if self.executed(before) && self.executed(after) {
                let because = [before, after]
                    .into_iter()
                    .filter_map(|event| self.guard(event))
                    .collect();
                self.require(before, after, because);
            }
        }
    }

    fn require_links(&mut self) {
        let requirements = self.requirements;
        let graph = requirements.graph;
        for &index in &requirements.counterexample.links {
            let link = requirements.links[index];
            let because: Vec<Literal> = self.assumption(link.literal).into_iter().collect();
            self.require(link.write, link.read, because.clone());
            let cell = graph.event(link.write).kind.cell();
            for chain in &graph.chains {
                for &other in &chain.events {
                    let writes = matches!(graph.event(other).kind, EventKind::Write { .. });
                    if writes
                        && other != link.write
                        && self.executed(other)
                        && graph.event(other).kind.cell() == cell
                    {
                        self.keep_outside(link, other, &because);
                    }
                }
            }
        }
    }

    /// The other write comes before the link's write, or after its read.
    fn keep_outside(&mut self, link: Link, other: EventId, because: &[Literal]) {
        let mut clause: Vec<Literal> = because.iter().map(|&literal| !literal).collect();
        clause.extend(self.guard(other).map(|guard| !guard));
        let unit = |search: &Self, event: EventId| search.units[event.index()];
        let (write, read) = (unit(self, link.write), unit(self, link.read));
        let other_unit = unit(self, other);
        let earlier = |search: &Self, a: EventId, b: EventId| {
            search.place[a.index()] < search.place[b.index()]
        };
        if write == read && other_unit != write {
            return; // nothing comes between the events of one block
        }
        if other_unit == write && earlier(self, other, link.write)
            || other_unit == read && earlier(self, link.read, other)
        {
            return;
        }
        // In the block of the write or of the read it would come between them.
        if other_unit != write && other_unit != read {
            let choices = [(other, link.write), (link.read, other)];
            for (before, after) in choices {
                let choice = self.sat.new_literal();
                self.require(before, after, vec![choice]);
                clause.push(choice);
            }
        }
        self.sat.add_clause(&clause);
    }

    fn run(&mut self) -> Order {
        let assumptions: Vec<Literal> = self.meaning.keys().copied().collect();
        loop {
            match self.sat.check(&assumptions) {
                Answer::Unknown(reason) => return Order::Unknown(reason),
                Answer::Unsat => {
                    let core = self.sat.core().iter();
                    return Order::Infeasible(core.map(|literal| self.meaning[literal]).collect());
                }
                Answer::Sat => {}
            }
            let graph = self.chosen_edges();
            match toposort(&graph, None) {
                Ok(order) => return Order::Feasible(self.linearise(&order)),
                Err(_) => self.forbid_cycles(&graph),
            }
        }
    }

    /// The edges that hold in the solver's model.
    fn chosen_edges(&mut self) -> DiGraphMap<Unit, ()> {
        let mut graph = DiGraphMap::new();
        for event in self.requirements.graph.event_ids() {
            if self.executed(event) {
                graph.add_node(self.units[event.index()]);
            }
        }
        let mut edges: Vec<(Unit, Unit)> = Vec::new();
        for (&(a, b), reasons) in &self.edges {
            let mut holds = false;
            for reason in reasons {
                holds |= reason.iter().all(|&literal| self.sat.value(literal));
            }
            if holds {
                edges.push((a, b));
            }
        }
        edges.sort_unstable();
        for (a, b) in edges {
            graph.add_edge(a, b, ());
        }
        graph
    }

    /// A shortest cycle through some units of each strongly connected component becomes a
    /// clause.
    fn forbid_cycles(&mut self, graph: &DiGraphMap<Unit, ()>) {
        let mut clauses: FxHashSet<Vec<Literal>> = FxHashSet::default();
        for component in kosaraju_scc(graph) {
            if component.len() < 2 {
                continue;
            }
            let members: FxHashSet<Unit> = component.iter().copied().collect();
            for &start in component.iter().take(16) {
                let cycle = shortest_cycle(graph, start, &members);
                let mut literals: Vec<Literal> = Vec::new();
                for pair in cycle.windows(2) {
                    let reasons = &self.edges[&(pair[0], pair[1])];
                    let holding = reasons
                        .iter()
                        .find(|reason| reason.iter().all(|&literal| self.sat.value(literal)));
                    let reason = holding.expect("the edge was chosen");
                    literals.extend(reason.iter().map(|&literal| !literal));
                }
                literals.sort_unstable();
                literals.dedup();
                clauses.insert(literals);
            }
        }
        for clause in clauses {
            self.sat.add_clause(&clause);
        }
    }

    fn linearise(&self, order: &[Unit]) -> Vec<EventId> {
        let position: FxHashMap<Unit, usize> = order
            .iter()
            .enumerate()
            .map(|(index, &unit)| (unit, index))
            .collect();
        let graph = self.requirements.graph;
        let mut events: Vec<EventId> = graph
            .chains
            .iter()
            .flat_map(|chain| &chain.events)
            .copied()
            .filter(|&event| self.executed(event))
            .collect();
        events.sort_by_key(|event| {
            (
                position[&self.units[event.index()]],
                self.place[event.index()],
            )
        });
        events
    }
}

/// From `start` back to itself, both ends listed.
fn shortest_cycle(
    graph: &DiGraphMap<Unit, ()>,
    start: Unit,
    members: &FxHashSet<Unit>,
) -> Vec<Unit> {
    let mut parents: FxHashMap<Unit, Unit> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    while let Some(unit) = queue.pop_front() {
        for next in graph.neighbors(unit) {
            if next == start {
                let mut cycle = vec![start, unit];
                let mut current = unit;
                while current != start {
                    current = parents[&current];
                    cycle.push(current);
                }
                cycle.reverse();
                return cycle;
            }
            if members.contains(&next) && !parents.contains_key(&next) {
                parents.insert(next, unit);
                queue.push_back(next);
            }
        }
    }
    unreachable!("every member of a strongly connected component is on a cycle")
}
