//! Where the threads are, as terms: a number for each thread.

use crate::invariant::Position;
use heddle_program::{Program, Sort, Start, TermId, Terms, ThreadId};

pub(crate) struct Positions {
    threads: Vec<Numbered>,
}

struct Numbered {
    /// The variable that holds the number of the thread's position.
    variable: TermId,
    width: u32,
    /// The positions by number.
    positions: Vec<Position>,
}

impl Positions {
    /// Declares a variable for each thread.
    pub(crate) fn new(program: &Program, terms: &mut Terms) -> Positions {
        let threads = program.thread_ids().map(|thread| {
            let own = program.location_ids();
            let own = own.filter(|&location| program.location(location).thread == thread);
            let unborn = (program.thread(thread).start == Start::ByCreate).then_some(None);
            let positions: Vec<Position> = unborn.into_iter().chain(own.map(Some)).collect();
            let width = usize::BITS - positions.len().leading_zeros();
            let name = terms.unused_name(&format!("position of {}", program.thread(thread).name));
            let variable = terms.declare(name, Sort::BitVec(width));
            Numbered {
                variable: terms.variable(variable),
                width,
                positions,
            }
        });
        Positions {
            threads: threads.collect(),
        }
    }

    /// The thread is at this position.
    pub(crate) fn at(&self, terms: &mut Terms, thread: ThreadId, position: Position) -> TermId {
        let numbered = &self.threads[thread.index()];
        let number = numbered.positions.iter().position(|p| *p == position);
        let number = number.expect("a position of the thread");
        let number = terms.bit_vec(numbered.width, number as i128);
        terms.eq(numbered.variable, number)
    }

    /// The thread is at one of these positions.
    pub(crate) fn among(
        &self,
        terms: &mut Terms,
        thread: ThreadId,
        positions: &[Position],
    ) -> TermId {
        let choices: Vec<TermId> = positions
            .iter()
            .map(|&position| self.at(terms, thread, position))
            .collect();
        terms.or(&choices)
    }

    /// Every number is that of a position.
    pub(crate) fn exist(&self, terms: &mut Terms) -> TermId {
        let within: Vec<TermId> = self
            .threads
            .iter()
            .map(|numbered| {
                let count = terms.bit_vec(numbered.width, numbered.positions.len() as i128);
                terms.bv_ult(numbered.variable, count)
            })
            .collect();
        terms.and(&within)
    }

    /// The number of the thread's position.
    pub(crate) fn variable(&self, thread: ThreadId) -> TermId {
        self.threads[thread.index()].variable
    }

    /// The position with this number.
    pub(crate) fn position(&self, thread: ThreadId, number: u128) -> Position {
        let positions = &self.threads[thread.index()].positions;
        let position = usize::try_from(number).ok().and_then(|n| positions.get(n));
        position.copied().flatten()
    }
}
