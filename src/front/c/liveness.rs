//! Which local variables may still be read (a backward data-flow analysis).

use super::compact::is_local;
use super::ir::Node;
use super::lower::{Lowered, Operation};
use heddle_program::{Place, TermId, Update, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each node the local variables that are read on some way from it before they are
/// written. Shared variables are always live.
pub(crate) struct Liveness {
    /// The number of each local variable.
    numbers: FxHashMap<VarId, usize>,
    sets: Vec<Vec<u64>>,
}

impl Liveness {
    pub(crate) fn is_live(&self, node: Node, variable: VarId) -> bool {
        match self.numbers.get(&variable) {
            Some(&number) => self.sets[node.index()][number / 64] >> (number % 64) & 1 == 1,
            None => true,
        }
    }
}

pub(crate) fn live(lowered: &Lowered, registers: usize) -> Liveness {
    solve(
        lowered,
        |variable| is_local(lowered, registers, variable),
        &[],
    )
}

/// The same of these variables, though some be shared: whoever creates a thread is taken to read
/// the shared ones. So at the entry of the first thread those are live that may be read before
/// they are written.
pub(crate) fn live_at_first(lowered: &Lowered, variables: &[VarId]) -> Liveness {
    let shared = variables.iter().copied().filter(|variable| {
        let leaf = lowered.leaf_variables.get(variable);
        leaf.is_some_and(|leaf| leaf.local_to.is_none())
    });
    let shared: Vec<VarId> = shared.collect();
    let variables: FxHashSet<VarId> = variables.iter().copied().collect();
    solve(lowered, |variable| variables.contains(&variable), &shared)
}

/// Liveness of the variables that count; creating a thread reads those of others.
fn solve(lowered: &Lowered, counts: impl Fn(VarId) -> bool, of_others: &[VarId]) -> Liveness {
    let mut numbers: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut cache: FxHashMap<TermId, Vec<VarId>> = FxHashMap::default();
    let mut number_of = |variable: VarId| -> Option<usize> {
        if !counts(variable) {
            return None;
        }
        let next = numbers.len();
        Some(*numbers.entry(variable).or_insert(next))
    };
    // What each edge reads, and what it certainly overwrites.
    let mut effects: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
    for edge in &lowered.edges {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut read = |term: TermId, number_of: &mut dyn FnMut(VarId) -> Option<usize>| {
            let variables = cache
                .entry(term)
                .or_insert_with(|| lowered.terms.variables_of(term));
            reads.extend(variables.iter().filter_map(|&variable| number_of(variable)));
        };
        match &edge.operation {
            Operation::Step(step) => {
                read(step.guard, &mut number_of);
                for (place, update) in &step.updates {
                    if let Update::Value(value) = update {
                        read(*value, &mut number_of);
                    }
                    match place {
                        Place::Element(_, index) => read(*index, &mut number_of),
                        Place::Variable(variable) => writes.extend(number_of(*variable)),
                    }
                }
            }
            Operation::Assert(condition, _) => read(*condition, &mut number_of),
            Operation::Create(_) => {
                reads.extend(of_others.iter().filter_map(|&variable| number_of(variable)));
            }
            _ => {}
        }
        effects.push((reads, writes));
    }
    let words = numbers.len().div_ceil(64).max(1);
    let nodes = lowered.node_threads.len();
    let mut sets = vec![vec![0u64; words]; nodes];
    let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (number, edge) in lowered.edges.iter().enumerate() {
        incoming[edge.to.index()].push(number);
    }
    let mut pending: Vec<usize> = (0..lowered.edges.len()).collect();
    let mut waiting = vec![true; lowered.edges.len()];
    while let Some(number) = pending.pop() {
        waiting[number] = false;
        let edge = &lowered.edges[number];
        let (reads, writes) = &effects[number];
        let mut set = sets[edge.to.index()].clone();
        for &variable in writes {
            set[variable / 64] &= !(1 << (variable % 64));
        }
        for &variable in reads {
            set[variable / 64] |= 1 << (variable % 64);
        }
        let own = &mut sets[edge.from.index()];
        let mut grew = false;
        for (word, new) in own.iter_mut().zip(set) {
            grew |= new & !*word != 0;
            *word |= new;
        }
        if grew {
            for &before in &incoming[edge.from.index()] {
                if !waiting[before] {
                    waiting[before] = true;
                    pending.push(before);
                }
            }
        }
    }
    Liveness { numbers, sets }
}
