//! What reads of bit-vectors can return, as intervals: most variables of C programs have 32 bits
//! and few values.
//!
//! As in `small_integers.rs`, after as many rounds as there are writes the intervals contain all
//! values of all executions: a write's value rests on what was written before it. Writes of
//! constants, which the first round knows, do not count.

use crate::event_graph::{CellId, EventGraph, EventKind};
use crate::interval::Interval;
use heddle_program::{Constant, Op, Term, TermId, Terms, to_signed};
use rustc_hash::FxHashMap;

/// So many terms are looked at, each round anew, until cells that still change are given up.
const MOST_WORK: usize = 4_000_000;

/// Wider numbers are not followed: their products would be too large to compute with.
const MOST_BITS: u32 = 64;

/// Of more bits, knowing a range saves less than it costs: sums that double with every write, as
/// in the programs `fib_bench`, took the solver up to three times as long.
const WORTH_BITS: u32 = 10;

/// A read, by the symbol of its value, and the signed numbers that it can return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRange {
    pub symbol: TermId,
    pub least: i128,
    pub most: i128,
}

impl EventGraph {
    /// Of all reads that need few bits, and fewer than their sort has.
    pub fn read_ranges(&self) -> Vec<ReadRange> {
        let cells = Ranges::new(self).run();
        let ranges = self.events.iter().filter_map(|event| {
            let EventKind::Read { cell, value } = event.kind else {
                return None;
            };
            let width = width(&self.terms, value)?;
            let range = cells[cell.index()];
            // What is never written is never read.
            let known = !range.is_empty() && !range.contains(Interval::of_width(width));
            let is_worth_it = known && range.bits() <= WORTH_BITS;
            is_worth_it.then_some(ReadRange {
                symbol: value,
                least: range.0,
                most: range.1,
            })
        });
        ranges.collect()
    }
}

/// Of a bit-vector that is followed.
fn width(terms: &Terms, term: TermId) -> Option<u32> {
    terms.sort(term).width().filter(|&width| width <= MOST_BITS)
}

struct Ranges {
    /// Terms after their arguments.
    nodes: Vec<Node>,
    values: Vec<Interval>,
    /// Cells, and the written values.
    writes: Vec<(CellId, usize)>,
    cells: Vec<Interval>,
}

struct Node {
    width: u32,
    shape: Shape,
}

enum Shape {
    /// Nothing more is known than its sort.
    Any,
    Constant(i128),
    Read(CellId),
    /// Positions of the arguments among the nodes; of an `ite` those of its branches.
    Apply(Op, Vec<usize>),
}

impl Ranges {
    fn new(graph: &EventGraph) -> Ranges {
        let terms = &graph.terms;
        let mut reads: FxHashMap<TermId, CellId> = FxHashMap::default();
        let mut written: Vec<(CellId, TermId)> = Vec::new();
        for event in &graph.events {
            match event.kind {
                EventKind::Read { cell, value } => {
                    reads.insert(value, cell);
                }
                EventKind::Write { cell, value } if width(terms, value).is_some() => {
                    written.push((cell, value));
                }
                _ => {}
            }
        }
        let roots: Vec<TermId> = written.iter().map(|&(_, value)| value).collect();
        let mut positions: FxHashMap<TermId, usize> = FxHashMap::default();
        let mut nodes = Vec::new();
        for term in terms.subterms(&roots) {
            if let Some(width) = width(terms, term) {
                positions.insert(term, nodes.len());
                let shape = shape(terms, term, &reads, &positions);
                nodes.push(Node { width, shape });
            }
        }
        let writes = written.iter();
        Ranges {
            values: vec![Interval::EMPTY; nodes.len()],
            nodes,
            writes: writes
                .map(|&(cell, value)| (cell, positions[&value]))
                .collect(),
            cells: vec![Interval::EMPTY; graph.cells.len()],
        }
    }

    /// By cell.
    fn run(mut self) -> Vec<Interval> {
        let is_constant = |position: usize| {
            let shape = &self.nodes[position].shape;
            matches!(shape, Shape::Constant(_))
        };
        let writes = self.writes.iter();
        let rounds = writes.filter(|&&(_, value)| !is_constant(value)).count();
        let mut work = 0;
        for _ in 0..=rounds {
            for position in 0..self.nodes.len() {
                self.values[position] = self.value(&self.nodes[position]);
            }
            work += self.nodes.len();
            let mut changed = false;
            for &(cell, value) in &self.writes {
                let (range, value) = (&mut self.cells[cell.index()], self.values[value]);
                if !range.contains(value) {
                    changed = true;
                    *range = match work < MOST_WORK {
                        true => range.join(value),
                        false => Interval(i128::MIN, i128::MAX),
                    };
                }
            }
            if !changed {
                break;
            }
        }
        self.cells
    }

    fn value(&self, node: &Node) -> Interval {
        let all = Interval::of_width(node.width);
        let range = match &node.shape {
            Shape::Any => all,
            Shape::Constant(value) => Interval(*value, *value),
            Shape::Read(cell) => self.cells[cell.index()],
            Shape::Apply(op, arguments) => {
                let of = |index: usize| self.values[arguments[index]];
                if (0..arguments.len()).any(|index| of(index).is_empty()) && *op != Op::Ite {
                    return Interval::EMPTY;
                }
                let may_be_negative = |index: usize| of(index).0 < 0;
                match op {
                    Op::Ite => of(0).join(of(1)),
                    Op::BvNeg => Interval(0, 0).hull(of(0), |a, b| a - b),
                    Op::BvAdd => of(0).hull(of(1), |a, b| a + b),
                    Op::BvSub => of(0).hull(of(1), |a, b| a - b),
                    Op::BvMul => of(0).hull(of(1), |a, b| a * b),
                    Op::SignExtend { .. } => of(0),
                    Op::ZeroExtend { .. } if !may_be_negative(0) => of(0),
                    // Numbers that fit into the low bits are not changed by cutting off others.
                    Op::Extract { low: 0, .. } => of(0),
                    Op::BvAnd => match (may_be_negative(0), may_be_negative(1)) {
                        (false, false) => Interval(0, of(0).1.min(of(1).1)),
                        (false, true) => Interval(0, of(0).1),
                        (true, false) => Interval(0, of(1).1),
                        (true, true) => all,
                    },
                    Op::BvUrem if !may_be_negative(0) => Interval(0, of(0).1),
                    _ => all,
                }
            }
        };
        // What does not fit wraps around.
        match all.contains(range) {
            true => range,
            false => all,
        }
    }
}

fn shape(
    terms: &Terms,
    term: TermId,
    reads: &FxHashMap<TermId, CellId>,
    positions: &FxHashMap<TermId, usize>,
) -> Shape {
    match terms.get(term) {
        Term::Constant(Constant::BitVec { width, bits }) => {
            Shape::Constant(to_signed(*width, *bits))
        }
        Term::Constant(_) => Shape::Any,
        Term::Variable(_) => reads
            .get(&term)
            .map_or(Shape::Any, |&cell| Shape::Read(cell)),
        Term::Apply { op, arguments } => {
            let values = match op {
                Op::Ite => &arguments[1..],
                _ => &arguments[..],
            };
            let known = values.iter().map(|value| positions.get(value).copied());
            match known.collect::<Option<Vec<usize>>>() {
                Some(arguments) => Shape::Apply(*op, arguments),
                None => Shape::Any,
            }
        }
    }
}
