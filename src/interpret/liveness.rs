//! Which private variables may still be read, by location: a backward analysis.

use crate::sharing::Sharing;
use heddle_program::{EdgeId, LocationId, Place, Program, VarId};

pub(crate) struct Liveness {
    /// The number of each private variable among those of its thread.
    numbers: Vec<Option<usize>>,
    /// By thread.
    private: Vec<Vec<VarId>>,
    live: Vec<BitSet>,
}

impl Liveness {
    pub(crate) fn new(program: &Program, sharing: &Sharing) -> Liveness {
        let mut private = vec![Vec::new(); program.threads.len()];
        let numbers: Vec<Option<usize>> = program
            .variable_ids()
            .map(|variable| {
                let own: &mut Vec<VarId> = &mut private[sharing.owner(variable)?.index()];
                own.push(variable);
                Some(own.len() - 1)
            })
            .collect();
        let live = program.locations.iter().map(|location| {
            let count = private[location.thread.index()].len();
            BitSet::new(count)
        });
        let mut liveness = Liveness {
            live: live.collect(),
            numbers,
            private,
        };
        liveness.settle(program);
        liveness
    }

    fn settle(&mut self, program: &Program) {
        let effects: Vec<Effect> = program
            .edges
            .iter()
            .map(|edge| {
                let overwritten = edge.statement.targets().into_iter();
                Effect {
                    read: self.numbered(program.reads(&edge.statement)),
                    overwritten: self.numbered(overwritten.filter_map(|target| match target {
                        Place::Variable(variable) => Some(variable),
                        Place::Element(..) => None,
                    })),
                }
            })
            .collect();
        let incoming = program.incoming();
        let mut pending: Vec<EdgeId> = program.edge_ids().collect();
        while let Some(id) = pending.pop() {
            let edge = program.edge(id);
            let effect = &effects[id.index()];
            let mut needed = self.live[edge.target.index()].clone();
            effect.overwritten.iter().for_each(|&v| needed.remove(v));
            effect.read.iter().for_each(|&v| needed.insert(v));
            if self.live[edge.source.index()].unite(&needed) {
                pending.extend(&incoming[edge.source.index()]);
            }
        }
    }

    fn numbered(&self, variables: impl IntoIterator<Item = VarId>) -> Vec<usize> {
        let variables = variables.into_iter();
        variables
            .filter_map(|variable| self.numbers[variable.index()])
            .collect()
    }

    fn is_live(&self, location: LocationId, variable: VarId) -> bool {
        let number = self.numbers[variable.index()];
        number.is_some_and(|number| self.live[location.index()].contains(number))
    }

    /// By edge: what may hold a value before it, or is written by it, and is dead after it.
    pub(crate) fn dying(&self, program: &Program) -> Vec<Vec<VarId>> {
        program
            .edges
            .iter()
            .map(|edge| {
                let written = program.writes(&edge.statement);
                let own = &self.private[program.location(edge.source).thread.index()];
                own.iter()
                    .copied()
                    .filter(|&variable| {
                        let before = self.is_live(edge.source, variable);
                        (before || written.contains(&variable))
                            && !self.is_live(edge.target, variable)
                    })
                    .collect()
            })
            .collect()
    }

    /// The private variables that are dead where their threads begin.
    pub(crate) fn dead_at_start(&self, program: &Program) -> Vec<VarId> {
        program
            .thread_ids()
            .flat_map(|thread| {
                let entry = program.thread(thread).entry;
                let own = self.private[thread.index()].iter().copied();
                own.filter(move |&variable| !self.is_live(entry, variable))
            })
            .collect()
    }
}

/// What an edge does to liveness, in numbers of private variables.
struct Effect {
    read: Vec<usize>,
    overwritten: Vec<usize>,
}

#[derive(Clone)]
struct BitSet(Box<[u64]>);

impl BitSet {
    fn new(size: usize) -> BitSet {
        BitSet(vec![0; size.div_ceil(64)].into())
    }

    fn contains(&self, number: usize) -> bool {
        self.0[number / 64] >> (number % 64) & 1 == 1
    }

    fn insert(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn remove(&mut self, number: usize) {
        self.0[number / 64] &= !(1 << (number % 64));
    }

    /// Adds the elements of the other set; whether any of them was missing.
    fn unite(&mut self, other: &BitSet) -> bool {
        let mut grown = false;
        for (word, &more) in self.0.iter_mut().zip(&other.0) {
            grown |= more & !*word != 0;
            *word |= more;
        }
        grown
    }
}
