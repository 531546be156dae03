//! The loops of a thread, nested: a weak topological order of its locations.
//!
//! After F. Bourdoncle, *Efficient chaotic iteration strategies with widenings*: every cycle
//! goes through the head of a component, whether the graph is reducible or not.

use heddle_program::{LocationId, Program, ThreadId};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use rustc_hash::FxHashSet;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    Location(LocationId),
    Loop(Loop),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub head: LocationId,
    /// The other locations, in an order in which only edges to `head` and to heads of inner
    /// loops lead back.
    pub body: Vec<Element>,
    /// All locations, the head included.
    pub members: Rc<FxHashSet<LocationId>>,
    /// The members from which the loop can be left without passing its head again.
    pub can_leave: Rc<FxHashSet<LocationId>>,
}

/// The thread's locations in an order in which only the edges to heads of loops lead back.
pub(crate) fn loops_of(program: &Program, thread: ThreadId) -> Vec<Element> {
    let entry = program.thread(thread).entry;
    let order = depth_first_order(program, entry);
    let members: FxHashSet<LocationId> = order.iter().copied().collect();
    decompose(program, &order, &members)
}

/// The reachable locations, in depth-first preorder.
fn depth_first_order(program: &Program, entry: LocationId) -> Vec<LocationId> {
    let mut seen = FxHashSet::default();
    let mut order = Vec::new();
    let mut pending = vec![entry];
    while let Some(location) = pending.pop() {
        if seen.insert(location) {
            order.push(location);
            let targets = program.outgoing(location).iter().rev();
            pending.extend(targets.map(|&edge| program.edge(edge).target));
        }
    }
    order
}

/// `order` lists the members; a component's head is the first of it that is listed.
fn decompose(
    program: &Program,
    order: &[LocationId],
    members: &FxHashSet<LocationId>,
) -> Vec<Element> {
    let mut graph = DiGraphMap::<LocationId, ()>::new();
    for &location in order {
        graph.add_node(location);
        for &edge in program.outgoing(location) {
            let target = program.edge(edge).target;
            if members.contains(&target) {
                graph.add_edge(location, target, ());
            }
        }
    }
    let mut elements = Vec::new();
    for component in kosaraju_scc(&graph).into_iter().rev() {
        let only = component[0];
        if component.len() == 1 && !graph.contains_edge(only, only) {
            elements.push(Element::Location(only));
            continue;
        }
        let members: FxHashSet<LocationId> = component.into_iter().collect();
        let listed: Vec<LocationId> = order
            .iter()
            .copied()
            .filter(|location| members.contains(location))
            .collect();
        let (head, rest) = (listed[0], &listed[1..]);
        let mut inner = members.clone();
        inner.remove(&head);
        elements.push(Element::Loop(Loop {
            head,
            body: decompose(program, rest, &inner),
            can_leave: Rc::new(can_leave(program, head, &members)),
            members: Rc::new(members),
        }));
    }
    elements
}

fn can_leave(
    program: &Program,
    head: LocationId,
    members: &FxHashSet<LocationId>,
) -> FxHashSet<LocationId> {
    let mut result = FxHashSet::default();
    loop {
        let before = result.len();
        for &location in members {
            let leaves = program.outgoing(location).iter().any(|&edge| {
                let target = program.edge(edge).target;
                !members.contains(&target) || target != head && result.contains(&target)
            });
            if leaves {
                result.insert(location);
            }
        }
        if result.len() == before {
            return result;
        }
    }
}
