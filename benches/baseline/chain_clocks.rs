//! Rules 1 to 3 of the scheduling-constraint paper over chain clocks, by hand: a queue of
//! the events whose clocks rose, each of which passes on its clock and tries the rules.

use super::executions::Execution;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

pub(crate) struct Closure {
    threads: usize,
    places: Vec<(u32, u32)>,
    /// By event, then by thread: how many events of the thread are before the event.
    clocks: Vec<u32>,
}

impl Closure {
    pub(crate) fn is_before(&self, a: u32, b: u32) -> bool {
        let (thread, index) = self.places[a as usize];
        self.clocks[b as usize * self.threads + thread as usize] > index
    }

    pub(crate) fn pairs(&self) -> u64 {
        self.clocks.iter().map(|&bound| u64::from(bound)).sum()
    }
}

pub(crate) fn close(execution: &Execution) -> Closure {
    let mut worklist = Worklist::new(execution);
    worklist.run();
    Closure {
        threads: worklist.threads,
        clocks: worklist.clocks,
        places: execution.places.clone(),
    }
}

struct Worklist<'a> {
    threads: usize,
    places: &'a [(u32, u32)],
    /// The events of each thread.
    chains: Vec<Vec<u32>>,
    /// By variable, then by thread: the indices of the writes.
    writes: Vec<Vec<u32>>,
    /// By event: the variable that it writes, the write that it reads from, the reads that
    /// read from it, the ends of its edges.
    written: Vec<u32>,
    source: Vec<u32>,
    readers: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
    clocks: Vec<u32>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
}

impl<'a> Worklist<'a> {
    fn new(execution: &'a Execution) -> Self {
        let (events, threads) = (execution.places.len(), execution.threads);
        let places = &execution.places;
        let mut chains = vec![Vec::new(); threads];
        let mut clocks = vec![0; events * threads];
        for (event, &(thread, index)) in places.iter().enumerate() {
            chains[thread as usize].push(event as u32);
            clocks[event * threads + thread as usize] = index;
        }
        let mut writes = vec![Vec::new(); execution.variables * threads];
        let mut written = vec![NONE; events];
        for &(event, variable) in &execution.writes {
            let (thread, index) = places[event as usize];
            writes[variable as usize * threads + thread as usize].push(index);
            written[event as usize] = variable;
        }
        for indices in &mut writes {
            indices.sort_unstable();
        }
        let mut source = vec![NONE; events];
        let mut readers = vec![Vec::new(); events];
        let mut edges = vec![Vec::new(); events];
        for &(write, read) in &execution.links {
            source[read as usize] = write;
            readers[write as usize].push(read);
            edges[write as usize].push(read);
        }
        for &(before, after) in &execution.creations {
            edges[before as usize].push(after);
        }
        Worklist {
            threads,
            places,
            chains,
            writes,
            written,
            source,
            readers,
            edges,
            clocks,
            queue: (0..events as u32).collect(),
            queued: vec![true; events],
        }
    }

    fn run(&mut self) {
        let mut derived = Vec::new();
        while let Some(event) = self.queue.pop_front() {
            self.queued[event as usize] = false;
            self.rule_2(event, &mut derived);
            self.rule_3(event, &mut derived);
            for (a, b) in derived.drain(..) {
                self.edges[a as usize].push(b);
                self.raise(a, b);
            }
            let (thread, index) = self.places[event as usize];
            if let Some(&next) = self.chains[thread as usize].get(index as usize + 1) {
                self.raise(event, next);
            }
            for at in 0..self.edges[event as usize].len() {
                self.raise(event, self.edges[event as usize][at]);
            }
        }
    }

    /// A write before a linked read comes before the write that is read: of each thread the
    /// last one.
    fn rule_2(&self, read: u32, derived: &mut Vec<(u32, u32)>) {
        let write = self.source[read as usize];
        if write == NONE {
            return;
        }
        let variable = self.written[write as usize];
        for thread in 0..self.threads {
            let bound = self.clocks[read as usize * self.threads + thread];
            let mut last = self.last_write(variable, thread, bound);
            if last == Some(write) {
                let (_, index) = self.places[write as usize];
                last = self.last_write(variable, thread, index);
            }
            if let Some(other) = last
                && !self.is_before(other, write)
            {
                derived.push((other, write));
            }
        }
    }

    /// The reads of a write come before any later write of the variable.
    fn rule_3(&self, write: u32, derived: &mut Vec<(u32, u32)>) {
        let variable = self.written[write as usize];
        if variable == NONE {
            return;
        }
        let (own, index) = self.places[write as usize];
        for thread in 0..self.threads {
            let mut bound = self.clocks[write as usize * self.threads + thread];
            if thread == own as usize {
                bound = bound.min(index);
            }
            let Some(earlier) = self.last_write(variable, thread, bound) else {
                continue;
            };
            for &read in &self.readers[earlier as usize] {
                if !self.is_before(read, write) {
                    derived.push((read, write));
                }
            }
        }
    }

    /// The last write of the variable among the thread's first `bound` events.
    fn last_write(&self, variable: u32, thread: usize, bound: u32) -> Option<u32> {
        let indices = &self.writes[variable as usize * self.threads + thread];
        let count = indices.partition_point(|&index| index < bound);
        let index = *indices[..count].last()?;
        Some(self.chains[thread][index as usize])
    }

    fn is_before(&self, a: u32, b: u32) -> bool {
        let (thread, index) = self.places[a as usize];
        self.clocks[b as usize * self.threads + thread as usize] > index
    }

    fn raise(&mut self, a: u32, b: u32) {
        let (from, to) = (a as usize * self.threads, b as usize * self.threads);
        let mut rose = false;
        for thread in 0..self.threads {
            let bound = self.clocks[from + thread];
            if bound > self.clocks[to + thread] {
                self.clocks[to + thread] = bound;
                rose = true;
            }
        }
        let (thread, index) = self.places[a as usize];
        let own = &mut self.clocks[to + thread as usize];
        if *own <= index {
            *own = index + 1;
            rose = true;
        }
        if rose && !std::mem::replace(&mut self.queued[b as usize], true) {
            self.queue.push_back(b);
        }
    }
}
