//! Integers that stay small become bit-vectors, which a SAT solver decides much faster.
//!
//! Which values a shared cell can have is found by intervals. In an execution, the value of the
//! first write rests on constants alone, that of the second on constants and the first, and so
//! on. So after as many rounds as there are writes, the intervals contain all values of all
//! executions, even if they would go on growing.
//!
//! Only links that no schedule allows can make a bit-vector wrap around: such a counterexample
//! is excluded like any other. So no verdict depends on the width.

use crate::event_graph::{CellId, EventGraph, EventKind};
use crate::interval::Interval;
use heddle_program::{Constant, Op, Sort, Term, TermId, Terms};
use rustc_hash::FxHashMap;

/// Wider numbers are left to a solver for integers.
const MOST_BITS: u32 = 24;

fn is_small(interval: Interval) -> bool {
    Interval::of_width(MOST_BITS).contains(interval)
}

/// Replaces all integers by bit-vectors if they are known to be small.
pub(crate) fn encode_small_integers(graph: &mut EventGraph) {
    let subterms = graph.terms.subterms(&graph.roots());
    let is_integer = |&term: &TermId| graph.terms.sort(term) == Sort::Int;
    let has_array = |term: &TermId| graph.terms.sort(*term).as_array().is_some();
    if !subterms.iter().any(is_integer) || subterms.iter().any(has_array) {
        return;
    }
    let Some(width) = width(graph, &subterms) else {
        return;
    };
    let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
    for &term in &subterms {
        let image = image(&mut graph.terms, term, width, &images);
        images.insert(term, image);
    }
    graph.map_terms(|term| images[&term]);
    for event in &mut graph.events {
        if let EventKind::Read { value, .. } = &mut event.kind {
            *value = images[value];
        }
    }
}

/// How many bits all integers fit in; `None` if that is not known or too many.
fn width(graph: &EventGraph, subterms: &[TermId]) -> Option<u32> {
    let mut cells: FxHashMap<TermId, CellId> = FxHashMap::default();
    let mut writes: Vec<(CellId, TermId)> = Vec::new();
    for event in &graph.events {
        match event.kind {
            EventKind::Read { cell, value } => {
                cells.insert(value, cell);
            }
            EventKind::Write { cell, value } if graph.terms.sort(value) == Sort::Int => {
                writes.push((cell, value));
            }
            _ => {}
        }
    }
    let mut known: FxHashMap<CellId, Interval> = FxHashMap::default();
    let mut intervals = intervals(&graph.terms, subterms, &cells, &known)?;
    for _ in 0..=writes.len() {
        let before = known.clone();
        for &(cell, value) in &writes {
            let interval = known.entry(cell).or_insert(Interval::EMPTY);
            *interval = interval.join(intervals[&value]);
        }
        if known == before {
            break;
        }
        intervals = self::intervals(&graph.terms, subterms, &cells, &known)?;
    }
    let bits = intervals.values().map(|interval| interval.bits()).max();
    Some(bits.unwrap_or(1))
}

/// The values of all integer terms, given those of the cells; `None` if one may be large.
fn intervals(
    terms: &Terms,
    subterms: &[TermId],
    cells: &FxHashMap<TermId, CellId>,
    known: &FxHashMap<CellId, Interval>,
) -> Option<FxHashMap<TermId, Interval>> {
    let mut intervals: FxHashMap<TermId, Interval> = FxHashMap::default();
    for &term in subterms {
        if terms.sort(term) != Sort::Int {
            continue;
        }
        let interval = match terms.get(term) {
            Term::Constant(Constant::Int(value)) => Interval(*value, *value),
            Term::Constant(_) => return None,
            Term::Variable(_) => {
                let cell = cells.get(&term)?;
                known.get(cell).copied().unwrap_or(Interval::EMPTY)
            }
            Term::Apply { op, arguments } => {
                let of = |argument: &TermId| intervals.get(argument).copied();
                let mut parts = arguments.iter();
                match op {
                    Op::Ite => of(&arguments[1])?.join(of(&arguments[2])?),
                    Op::Neg => Interval(0, 0).hull(of(&arguments[0])?, |a, b| a - b),
                    Op::Add => fold(&mut parts, of, |a, b| a + b)?,
                    Op::Sub => fold(&mut parts, of, |a, b| a - b)?,
                    Op::Mul => fold(&mut parts, of, |a, b| a * b)?,
                    _ => return None,
                }
            }
        };
        if !is_small(interval) {
            return None;
        }
        intervals.insert(term, interval);
    }
    Some(intervals)
}

/// From left to right, as long as what comes out is small.
fn fold<'a>(
    arguments: &mut impl Iterator<Item = &'a TermId>,
    of: impl Fn(&TermId) -> Option<Interval>,
    op: impl Fn(i128, i128) -> i128 + Copy,
) -> Option<Interval> {
    let mut result = of(arguments.next()?)?;
    for argument in arguments {
        result = result.hull(of(argument)?, op);
        if !is_small(result) {
            return None;
        }
    }
    Some(result)
}

/// The term over bit-vectors; its arguments have theirs.
fn image(
    terms: &mut Terms,
    term: TermId,
    width: u32,
    images: &FxHashMap<TermId, TermId>,
) -> TermId {
    match terms.get(term).clone() {
        Term::Constant(Constant::Int(value)) => terms.bit_vec(width, value),
        Term::Constant(_) => term,
        Term::Variable(symbol) if terms.sort(term) == Sort::Int => {
            let name = terms.name(symbol).to_string();
            let name = terms.unused_name(&name);
            let symbol = terms.declare(name, Sort::BitVec(width));
            terms.variable(symbol)
        }
        Term::Variable(_) => term,
        Term::Apply { op, arguments } => {
            let over_integers = arguments
                .iter()
                .any(|&argument| terms.sort(argument) == Sort::Int);
            let arguments: Vec<TermId> = arguments.iter().map(|each| images[each]).collect();
            let op = match op {
                Op::Neg => Op::BvNeg,
                Op::Add => Op::BvAdd,
                Op::Sub => Op::BvSub,
                Op::Mul => Op::BvMul,
                Op::Lt if over_integers => Op::BvSlt,
                Op::Le if over_integers => Op::BvSle,
                other => other,
            };
            match (op, &arguments[..]) {
                (Op::BvAdd | Op::BvSub | Op::BvMul, [first, rest @ ..]) => rest
                    .iter()
                    .fold(*first, |sum, &each| terms.apply(op, &[sum, each])),
                _ => terms.apply(op, &arguments),
            }
        }
    }
}
