//! With `--integers mathematical`: where a value comes from nowhere, it is one of its type.
//!
//! That arithmetic does not overflow says nothing of an input or of memory that nobody has
//! written. As a bit-vector such a value has its range; as an integer it would not. So the range
//! is assumed before anyone sees the value. The condition is one on bit-vectors, which they
//! always meet; where the variable becomes an integer, it becomes one on integers.
//!
//! Arrays of such values keep their bits: who tries concrete values would have to choose one for
//! each element at once.

use super::compact::remove_dead_updates;
use super::ir::{Node, Register, ThreadIndex};
use super::liveness::{live, live_at_first};
use super::lower::{Lowered, LoweredEdge, Operation, Step, Waits};
use super::memory::{LeafVariable, zero_term};
use super::types::Nature;
use heddle_diagnostics::Span;
use heddle_program::{Place, Role, Sort, TermId, Terms, Update, VarId};

/// Assumes the ranges of all values that come from nowhere and that someone may look at. `ends` are
/// the entry and the exit of each thread.
pub(crate) fn assume_ranges(lowered: &mut Lowered, registers: &[Register], ends: &[(Node, Node)]) {
    let mut liveness = live(lowered, registers.len());
    while remove_dead_updates(lowered, &liveness) {
        liveness = live(lowered, registers.len());
    }
    for number in 0..lowered.edges.len() {
        let Operation::Step(step) = &lowered.edges[number].operation else {
            continue;
        };
        // Steps have not been put together yet.
        if let &[(place, Update::Any)] = &step.updates[..]
            && let Some(sort) = sort_with_range(lowered, registers, place)
        {
            assume_range(lowered, number, place, sort);
        }
    }
    assume_initial_ranges(lowered, ends);
}

/// The sort of a place whose values may become integers.
fn sort_with_range(lowered: &Lowered, registers: &[Register], place: Place) -> Option<Sort> {
    let variable = place.variable();
    let nature = match lowered.leaf_variables.get(&variable) {
        Some(leaf) => leaf.nature,
        None => registers[variable.index()].nature,
    };
    let sort = match (place, lowered.terms.variable_sort(variable)) {
        (Place::Element(..), Sort::Array(array)) => Sort::from(array.element),
        (_, sort) => sort,
    };
    let may_be_integer = nature != Nature::Bits && sort.width().is_some();
    may_be_integer.then_some(sort)
}

/// The step, which gives the place any value, gives it one whose range is assumed.
fn assume_range(lowered: &mut Lowered, number: usize, place: Place, sort: Sort) {
    let LoweredEdge { from, to, span, .. } = lowered.edges[number];
    let thread = lowered.node_threads[from.index()];
    let variable = place.variable();
    let leaf = lowered.leaf_variables.get(&variable);
    let is_own = leaf.is_none_or(|leaf| leaf.local_to.is_some());
    let target = match place {
        Place::Variable(_) if is_own => variable,
        // Others must not see a value that turns out not to be one.
        _ => local(lowered, sort, thread, span),
    };
    let chosen = node(lowered, thread);
    let edge = &mut lowered.edges[number];
    edge.to = chosen;
    if let Operation::Step(step) = &mut edge.operation {
        step.updates = vec![(Place::Variable(target), Update::Any)];
    }
    let mut step = assumption(range(&mut lowered.terms, target));
    let mut from = chosen;
    if target != variable {
        let assumed = node(lowered, thread);
        lowered.edges.push(LoweredEdge {
            from,
            to: assumed,
            operation: Operation::Step(step),
            span,
        });
        from = assumed;
        let value = Update::Value(lowered.terms.variable(target));
        step = Step {
            guard: lowered.terms.bool(true),
            updates: vec![(place, value)],
            waits: Waits::Never,
            role: Role::Command,
        };
    }
    lowered.edges.push(LoweredEdge {
        from,
        to,
        operation: Operation::Step(step),
        span,
    });
}

fn node(lowered: &mut Lowered, thread: ThreadIndex) -> Node {
    lowered.node_threads.push(thread);
    Node(lowered.node_threads.len() as u32 - 1)
}

/// A variable of the thread's own.
fn local(lowered: &mut Lowered, sort: Sort, thread: ThreadIndex, span: Span) -> VarId {
    let name = "any";
    let unique = lowered.terms.unused_name(name);
    let variable = lowered.terms.declare(unique, sort);
    let leaf = LeafVariable {
        name: name.to_owned(),
        nature: Nature::AsWritten,
        local_to: Some(thread),
        initial: Some(zero_term(&mut lowered.terms, sort)),
        span: Some(span),
    };
    lowered.leaf_variables.insert(variable, leaf);
    variable
}

/// Assumes the ranges of variables that begin with any value and may be read before they are
/// written: at the entry of the thread that they belong to, or else of the first one.
fn assume_initial_ranges(lowered: &mut Lowered, ends: &[(Node, Node)]) {
    let leaves = lowered.leaf_variables.iter();
    let open = leaves.filter(|&(&variable, leaf)| {
        let sort = lowered.terms.variable_sort(variable);
        leaf.initial.is_none() && leaf.nature != Nature::Bits && sort.width().is_some()
    });
    let mut open: Vec<VarId> = open.map(|(&variable, _)| variable).collect();
    open.sort_unstable();
    let live = live_at_first(lowered, &open);
    for (index, &(entry, _)) in ends.iter().enumerate() {
        let thread = ThreadIndex(index as u32);
        let begins_here = |variable: &&VarId| {
            let owner = lowered.leaf_variables[variable].local_to;
            owner.unwrap_or(ThreadIndex(0)) == thread && live.is_live(entry, **variable)
        };
        let here: Vec<VarId> = open.iter().filter(begins_here).copied().collect();
        let span = lowered.edges.iter().find(|edge| edge.from == entry);
        let (Some(span), false) = (span.map(|edge| edge.span), here.is_empty()) else {
            continue;
        };
        let terms = &mut lowered.terms;
        let ranges: Vec<TermId> = here
            .iter()
            .map(|&variable| range(terms, variable))
            .collect();
        let all = terms.and(&ranges);
        let next = node(lowered, thread);
        for edge in &mut lowered.edges {
            for node in [&mut edge.from, &mut edge.to] {
                if *node == entry {
                    *node = next;
                }
            }
        }
        lowered.edges.push(LoweredEdge {
            from: entry,
            to: next,
            operation: Operation::Step(assumption(all)),
            span,
        });
    }
}

fn assumption(condition: TermId) -> Step {
    Step {
        guard: condition,
        updates: Vec::new(),
        waits: Waits::Assumes,
        role: Role::Command,
    }
}

/// The variable is a signed number of its width.
fn range(terms: &mut Terms, variable: VarId) -> TermId {
    let number = terms.variable(variable);
    let width = terms.sort(number).width().expect("a number has a width");
    let most = i128::MAX >> (i128::BITS - width);
    let (least, most) = (terms.bit_vec(width, -most - 1), terms.bit_vec(width, most));
    let bounds = [terms.bv_sle(least, number), terms.bv_sle(number, most)];
    terms.and(&bounds)
}
